// A batch from inside: what all workers share, what one has to itself, and a problem's row
// of numbers as targets.
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
  int count;         // of tasks
  sinew_task *tasks; // count
  int target_size;   // values of one problem
};

// Postures of the bank that a problem tries, at most.
#define SINEW_BATCH_POSTURES 16

// A problem in a lane.
typedef struct sinew_batch_lane {
  size_t problem;
  sinew_target *targets; // a task each
  sinew_seeds seeds;
  int attempt, most; // the next attempt, and how many there may be
  bool again;        // the next attempt is of the same problem
  int steps;         // of all attempts that have ended
  double least;      // half the squared residual of the best attempt
  double *best;      // nq: where it ended
  double *seed;      // nq: what starts are made from, within limits
} sinew_batch_lane;

// Problems that are looked up in the bank together, before lanes take them.
#define SINEW_BATCH_AHEAD 8

typedef struct sinew_batch_ahead {
  size_t first, end;              // the problems that have been looked up
  sinew_target *targets;          // AHEAD x tasks
  int nearest[SINEW_BATCH_AHEAD]; // posture of the bank
  bool usable[SINEW_BATCH_AHEAD]; // whether it is a problem
} sinew_batch_ahead;

struct sinew_batch_worker {
  sinew_allocator allocator;
  const sinew_batch *batch; // that it was made for
  sinew_solver *solver;
  sinew_target *targets; // a task each: those of the problem at hand
  double *q, *middle;    // nq: a start, the middle of the limits
  sinew_batch_lane *lanes;
  sinew_batch_ahead ahead;
  sinew_error error; // of the last call that was refused
};

// A row's numbers as targets, one a task.
void sinew_batch_row_targets(const sinew_batch *batch, const double *values, sinew_target *targets);

// Whether a problem is one: its row and its seed (nq values, NULL: none) are numbers, and no
// quaternion and no direction is 0.
bool sinew_batch_row_check(const sinew_batch *batch, const double *values, const double *seed);

// Why sinew_batch_row_check() refuses a problem.
sinew_result sinew_batch_row_explain(const sinew_batch *batch, const double *values,
                                     const double *seed, sinew_error *error);

// The answer to a problem that is none: the start, and errors of -1. row may be NULL.
void sinew_batch_row_refuse(const sinew_batch *batch, double *q, sinew_batch_row *row);

// Solves a range by lanes that are ready; the arrays' strides are filled in.
void sinew_batch_solve_lanes(const sinew_batch *batch, sinew_batch_worker *worker,
                             const sinew_batch_arrays *arrays, size_t first, size_t count);

#endif
