/// @file scenes.h
/// Built-in multibodies and targets for their effectors: one set for tests,
/// benchmarks, experiments and the command line.
///
/// A scene's targets are a function of time, and for each step it is known whether
/// they are in reach. Two kinds: given curves (Buss's Y and double-Y), or the
/// effectors' positions in a smooth motion of the figure, which for some time are
/// moved away from it, beyond its reach.
#ifndef SCENES_SCENES_H
#define SCENES_SCENES_H

#include "sinew/kinematics.h"
#include "sinew/task.h"

/// One coordinate of a target: middle + amplitude sin(frequency t).
typedef struct sinew_scene_wave {
  double middle, amplitude, frequency;
} sinew_scene_wave;

typedef enum sinew_scene_reach {
  SINEW_SCENE_UNKNOWN = 0,
  SINEW_SCENE_IN_REACH,    ///< all targets together
  SINEW_SCENE_OUT_OF_REACH ///< not all of them
} sinew_scene_reach;

/// A figure with its effectors. It owns all that it points to.
typedef struct sinew_scene {
  const char *name;
  const char *title;
  const char *source;      ///< where its numbers are from
  sinew_model_def model;   ///< ready for sinew_model_create()
  const sinew_task *tasks; ///< one for each effector
  int task_count;
  double time_step;                   ///< of one step; targets move little in it
  const sinew_scene_wave (*waves)[3]; ///< a target's three coordinates each; NULL:
                                      ///< targets follow the figure's motion
  const int *runs;                    ///< with waves: lengths of runs of steps, first
                                      ///< out of reach, then in reach, in turn; NULL: unknown
  int run_count;
  struct sinew_scene_storage *storage; ///< private
} sinew_scene;

/// The names of scenes; NULL past the last. "chain-N" stands for any N.
const char *sinew_scene_name(int index);

/// "y", "double-y-25", "chain-20": see sinew_scene_name().
/// @return NULL if there is no such scene, or no memory
sinew_scene *sinew_scene_create(const char *name);
void sinew_scene_destroy(sinew_scene *scene);

/// A made figure: limbs of revolute joints on a fixed base or, with a trunk, on the last link of a
/// chain of them. Each limb has a pose task for its tip. Axes, lengths and limits are random.
typedef struct sinew_scene_star_def {
  int limbs, joints; ///< joints of each limb
  int trunk;         ///< joints of the trunk
  uint64_t random_seed;
} sinew_scene_star_def;

/// @return NULL if there is no memory
sinew_scene *sinew_scene_star(const sinew_scene_star_def *def);

/// q (nq) = the figure's own smooth motion, within its limits.
void sinew_scene_motion(const sinew_scene *scene, const sinew_model *model, double time, double *q);

/// Computes the targets at a time.
/// @param state of a model created from the scene's; its configuration is changed
/// @param targets task_count
void sinew_scene_targets(const sinew_scene *scene, sinew_state *state, double time,
                         sinew_target *targets);

/// Whether the targets of a step, at the time (step + 1) time_step, are in reach.
/// @param targets of that time
sinew_scene_reach sinew_scene_reach_at(const sinew_scene *scene, int step,
                                       const sinew_target *targets);

#endif
