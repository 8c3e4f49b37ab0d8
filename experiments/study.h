// A figure that follows a scene's targets, one or more updates a step, and its measurements.
#ifndef EXPERIMENTS_STUDY_H
#define EXPERIMENTS_STUDY_H

#include "scenes/scenes.h"
#include "sinew/solver.h"

// A scene with its targets for a number of steps, computed in advance.
typedef struct study {
  sinew_scene *scene;
  sinew_model *model;
  sinew_state *state;
  int warm_up;              // steps before measurements begin
  int step_count;           // all of them
  sinew_target *targets;    // step_count x task_count
  sinew_scene_reach *reach; // step_count
  double *start;            // nq: curves are followed from 0, a motion from its beginning
  double length;            // by which distances are divided: 1, or the figure's size
  double *unit;             // nv: 1 for an angle, the figure's size for a distance
} study;

// The results of a method. Errors are of one effector: the distance divided by study.length;
// together with the angle, where the task has one, as the root of the sum of squares. Jitter is
// |dq_t - dq_(t-1)|, Euclidean over all joints [rad].
typedef struct tally {
  double error;       // mean over effectors and the measured steps in reach
  double error_out;   // the same out of reach
  double jitter;      // mean over the measured steps out of reach
  double jitter_most; // largest of these
  double jitter_in;   // mean over those in reach
  double change_most; // largest of all measured steps
  int steps_in, steps_out;
} tally;

// One step of a run, for pictures.
typedef struct study_step {
  double error, jitter;
} study_step;

// A step method that is not one of the library's.
typedef struct own_method {
  const char *name;
  // Before the first step from a start: the model may be another one.
  void (*begin)(void *context, const sinew_model *model);
  // Moves q (nq values) by one step towards the targets, one for each of count tasks.
  void (*step)(void *context, const sinew_model *model, const sinew_task *tasks, int count,
               const sinew_target *targets, double *q);
  void *context; // passed to step
} own_method;

// NULL after a message on standard error.
study *study_create(const char *scene, int warm_up, int measured);
void study_destroy(study *self);

// Runs a method; sets def's task_capacity.
// @param steps step_count, may be NULL
// @return false after a message
bool study_track(const study *self, const sinew_solver_def *def, int updates, tally *out,
                 study_step *steps);

// The same with a method of one's own.
bool study_track_own(const study *self, const own_method *own, int updates, tally *out,
                     study_step *steps);

// Microseconds of one update.
double study_time(const study *self, const sinew_solver_def *def);
double study_time_own(const study *self, const own_method *own);

// Configurations of a run at some steps, for pictures.
// @param q count x nq
bool study_poses(const study *self, const sinew_solver_def *def, const int *steps, int count,
                 double *q);
bool study_poses_own(const study *self, const own_method *own, const int *steps, int count,
                     double *q);

#endif
