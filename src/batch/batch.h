// Internals of batches: what all workers share, what each worker has, and the conversion of a
// problem's row of numbers to targets.
#ifndef SINEW_BATCH_BATCH_H
#define SINEW_BATCH_BATCH_H

#include "base/memory.h"
#include "seed/seeds.h"
#include "sinew/batch.h"

#include <stdbool.h>

struct sinew_batch {
  sinew_allocator allocator;
  const sinew_model *model;
  sinew_batch_def def; // its arrays are the batch's own copies
  int lanes;
  int count;                   // of tasks with an influence above 0, which are all that are solved
  sinew_task *tasks;           // count
  int *number;                 // count: the caller's number of each
  int *at;                     // count: where its target begins in the row of a problem
  int target_size;             // values of one problem, of all tasks of the caller
  sinew_objective *objectives; // of the definition, with copies of their arrays:
  double *weights, *postures;  // nv and nq for each
  double *coefficients;        // nv for each
  sinew_task *measured;        // one for each
  double *resolved;            // count: positions of targets beyond it are refused [m]
};

// The limit on postures of the bank that are tried for a problem.
#define SINEW_BATCH_POSTURES 16

// A problem in a lane.
typedef struct sinew_batch_lane {
  size_t problem;
  sinew_target *all;           // tasks: the targets of all
  sinew_target *own;           // tasks: memory for those of a component
  const sinew_target *targets; // of the tasks that are solved: all, or those of a component
  sinew_seeds seeds;
  int attempt, most;          // the next attempt, and the limit on attempts
  bool again;                 // whether the next attempt is at the same problem
  bool unproven;              // the full proof that the targets are out of reach failed
  int steps;                  // of all attempts that have ended
  double *kept, *kept_errors; // nq, tasks: memory of seeds
  double least;               // half the squared residual of the best attempt
  double *best;               // nq: the end of the best attempt
  double *seed;               // nq: the configuration from which starts are made, within limits
} sinew_batch_lane;

// How many problems are looked up in the bank together, before lanes start them.
#define SINEW_BATCH_AHEAD 8

typedef struct sinew_batch_ahead {
  size_t first, end;              // the problems that have been looked up
  sinew_target *targets;          // AHEAD x tasks
  int nearest[SINEW_BATCH_AHEAD]; // posture of the bank
  bool usable[SINEW_BATCH_AHEAD]; // whether the problem is valid
} sinew_batch_ahead;

// Components (solve/components.h) are solved one after another for so many problems.
#define SINEW_BATCH_CHUNK 1024

struct sinew_batch_worker {
  sinew_allocator allocator;
  const sinew_batch *batch; // for which it was created
  sinew_solver *solver;
  sinew_target *targets; // tasks: those of the present problem
  double *q, *middle;    // nq: a start, the middle of the limits
  sinew_batch_lane *lanes;
  sinew_batch_ahead ahead;
  unsigned char *refused; // CHUNK: whether a problem is invalid
  sinew_error error;      // of the last call: why it, or a problem of it, was refused
};

// A row's numbers as targets, one a task.
void sinew_batch_row_targets(const sinew_batch *batch, const double *values, sinew_target *targets);

// Whether a problem is valid: its row and its seed (nq values, NULL: none) are finite, no
// quaternion or direction is 0, and doubles resolve its positions.
bool sinew_batch_row_check(const sinew_batch *batch, const double *values, const double *seed);

// Why the row of one target, of task t, or a seed cannot be used; SINEW_OK where it can.
// resolved: of the compiled task.
sinew_result sinew_batch_explain_target(const sinew_task *task, double resolved, int t,
                                        const double *values, sinew_error *error);
sinew_result sinew_batch_explain_seed(const sinew_model *model, const double *seed,
                                      sinew_error *error);

// Why sinew_batch_row_check() refuses a problem.
sinew_result sinew_batch_row_explain(const sinew_batch *batch, const double *values,
                                     const double *seed, sinew_error *error);

// A row that says nothing of reach.
sinew_batch_row sinew_batch_row_make(sinew_outcome outcome, int steps, double position_error,
                                     double orientation_error);

// The row of a report.
sinew_batch_row sinew_batch_row_of(const sinew_report *report);

// The result of an invalid problem: the start configuration, and errors of -1. row may be NULL.
void sinew_batch_row_refuse(const sinew_batch *batch, double *q, sinew_batch_row *row);

// Solves a range in lanes: only if sinew_solver_in_lanes(). The arrays' strides are not 0.
void sinew_batch_solve_lanes(const sinew_batch *batch, sinew_batch_worker *worker,
                             const sinew_batch_arrays *arrays, size_t first, size_t count);

#endif
