// A test of one update in lanes: a figure, its tasks, and a problem in each lane; and the
// reference, computed by the scalar code (task/, math/).
#ifndef LANE_TRIAL_H
#define LANE_TRIAL_H

#include "each_set.h"
#include "fixtures.h"
#include "inspect.h"

#define TRIAL_MOST_TASKS 5
#define TRIAL_MOST_NQ 192

typedef struct trial {
  const sinew_lane_kernel *kernel;
  sinew_model *model; // not owned
  sinew_solver *solver;
  sinew_lane_plan *plan; // the solver's, as is the block
  sinew_lane_block *block;
  int count; // number of tasks
  sinew_task tasks[TRIAL_MOST_TASKS];
  double q[SINEW_LANE_MOST][TRIAL_MOST_NQ];
  sinew_target targets[SINEW_LANE_MOST][TRIAL_MOST_TASKS];
} trial;

// The kernel of a test's instruction set (each_set.h).
const sinew_lane_kernel *kernel_of_state(void **state);

// A random task of any kind: a random link, which may be fixed, with a random point, axis, weights
// and chain root, some axes free.
sinew_task trial_random_task(const sinew_model *model, random_stream *random);

// Makes the solver for the model, tasks and kernel given, with some degrees of freedom frozen; then
// the gains of the others may differ. False where lanes have nothing to do: no rows, or nothing
// that moves.
bool trial_begin(trial *t, random_stream *random, double frozen);
void trial_end(trial *t);

// Each lane's problem: from one random configuration to the poses at another, some values at their
// limits.
void trial_pose(trial *t, random_stream *random, double at_limit);

// Puts lane l's problem into lane at; and each problem into its own lane.
void trial_place(trial *t, int l, int at);
void trial_place_all(trial *t);

// The reference result of one update of a lane's problem.
typedef struct trial_expected {
  double E, position_error, orientation_error;
  double q[TRIAL_MOST_NQ]; // after the step
  double most;             // the largest absolute value in it
  double reach;            // the largest motion of a link, in rad or sizes, at least 1
  bool doubtful;           // rounding decides whether a bound is active, or which way half a turn
                           // goes
  bool far;                // a target so far away that it is clamped
  int held, clamped;       // numbers of active bounds and of clamped columns
} trial_expected;

void trial_expect(trial *t, int l, trial_expected *expected);

// One update of all lanes against trial_expect(): errors within 1e-12, q within 1e-9, limits kept
// to the bit, unit quaternions. Adds the counts of active bounds and clamped columns.
void trial_check_update(trial *t, const char *what, int *held, int *clamped);

#endif
