/// The scenes of the report: figures, their targets, and the results.
#ifndef REPORT_SCENE_H
#define REPORT_SCENE_H

#include <stdbool.h>

#include "sinew/formats.h"
#include "sinew/sinew.h"

#define REPORT_MOST_GOALS 8

/// One effector's target. Positions are relative to the link's at the start, or
/// in the root link's frame.
typedef struct report_goal {
  const char *link;
  sinew_task_kind kind; ///< POSITION or POSE
  bool from_start;      ///< position is added to the link's own at the start
  double position[3];   ///< in m, or in a BVH's own unit
  double rotation[4];   ///< POSE; (w, x, y, z)
} report_goal;

/// One figure and its targets, as listed in scenes.c.
typedef struct report_scene {
  const char *name; ///< also of its picture
  const char *title;
  const char *text; ///< a sentence or two for the reader
  const char *file; ///< in models/
  bool root_frozen; ///< the first joint, the skeleton's position, is frozen
  report_goal goals[REPORT_MOST_GOALS];
  int goal_count;
} report_scene;

extern const report_scene report_scenes[];
extern const int report_scene_count;

/// How far one effector is from its target.
typedef struct report_distance {
  double position;    ///< [m or the file's unit]
  double orientation; ///< [rad]
} report_distance;

/// A solved scene.
typedef struct report_result {
  const report_scene *scene;
  sinew_model *model;
  bool y_up; ///< else z is up
  const char *length_unit;
  int link_count;
  double (*before)[3]; ///< the links' positions at the start, a row for each link
  double (*after)[3];  ///< and in the result
  sinew_target targets[REPORT_MOST_GOALS];
  int links[REPORT_MOST_GOALS]; ///< of the goals
  report_distance start[REPORT_MOST_GOALS];
  report_distance end[REPORT_MOST_GOALS];
  sinew_report report;
  double microseconds; ///< of one solve, the mean of many
} report_result;

/// Reads the scene's model and solves it. Ends the program with a message if
/// it cannot.
/// @param folder that holds the models
report_result report_solve(const report_scene *scene, const char *folder);
void report_release(report_result *result);

/// Prints a message and ends the program with 2.
_Noreturn void report_fail(const char *what, const char *why);

/// For calls that cannot fail with the arguments that they are given.
static inline void report_expect(sinew_result result) {
  if (result != SINEW_OK)
    report_fail("sinew", sinew_result_string(result));
}

#endif
