// One update of the lanes under trial: a figure, its tasks, and a problem of its own in each lane;
// and what the solver's own floors (task/, math/) say of the same problem.
#ifndef LANE_TRIAL_H
#define LANE_TRIAL_H

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
  int count; // of tasks
  sinew_task tasks[TRIAL_MOST_TASKS];
  double q[SINEW_LANE_MOST][TRIAL_MOST_NQ];
  sinew_target targets[SINEW_LANE_MOST][TRIAL_MOST_TASKS];
} trial;

// A test's state is its instruction set, as a number from 1 on; skips where there is none.
const sinew_lane_kernel *kernel_of_state(void **state);

// A test once for each instruction set.
#define ON_SET(test, set)                                                                          \
  { #test " " #set, test, NULL, NULL, (void *)(uintptr_t)(SINEW_LANE_SET_##set + 1) }
#define ON_EACH_SET(test)                                                                          \
  ON_SET(test, BASE), ON_SET(test, PAIR), ON_SET(test, FMA), ON_SET(test, AVX2),                   \
      ON_SET(test, AVX512)

// Any part of a figure shall be anywhere: a random link, which may be fixed, for a task of any
// kind, by a random point, axis, weights and chain root, some axes free.
sinew_task trial_random_task(const sinew_model *model, random_stream *random);

// Makes the solver for what model, tasks and kernel say, some degrees of freedom frozen; where some
// are, the others' gains may differ. False where lanes have nothing to do: no rows, or nothing that
// moves.
bool trial_begin(trial *t, random_stream *random, double frozen);
void trial_end(trial *t);

// Each lane's problem: from a random posture to what another does, with some values at limits.
void trial_pose(trial *t, random_stream *random, double at_limit);

// Puts lane l's problem into lane at; and all of them, each into its own.
void trial_place(trial *t, int l, int at);
void trial_place_all(trial *t);

// What one update should do to a lane's problem.
typedef struct trial_expected {
  double E, position_error, orientation_error;
  double q[TRIAL_MOST_NQ]; // after the step
  double most;             // the largest value of it
  double reach;            // the largest motion of a node, in turns or sizes, at least 1
  bool doubtful;           // by rounding a joint at a limit may be held or not, a half turn go
                           // either way
  bool far;                // a target is so far away that it is brought nearer
  int held, clamped;       // degrees of freedom that were
} trial_expected;

void trial_expect(trial *t, int l, trial_expected *expected);

// One update of all lanes against trial_expect(): errors within 1e-12, q within 1e-9, limits kept
// to the bit, balls of unit length. Adds what was held and clamped.
void trial_check_update(trial *t, const char *what, int *held, int *clamped);

#endif
