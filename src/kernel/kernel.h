// Descents in lanes: one table of functions an instruction set.
//
// A lane holds one attempt: where it is, its target, and how it has gone so far. Its step is
// error-damped least squares (Chan and Lawrence 1988) within the limits: see chain.h. The
// functions are the same source compiled for each width (kernel.c), so lanes differ between
// instruction sets by rounding only, and not at all by their place or their neighbours.
#ifndef SINEW_KERNEL_KERNEL_H
#define SINEW_KERNEL_KERNEL_H

#include "kernel/plan.h"

// Most lanes of any instruction set.
#define SINEW_LANE_MOST 8

// When an attempt has met its goal, and when it is given up.
typedef struct sinew_lane_rules {
  double position_tolerance; // sizes of the model
  double orientation_tolerance;
  double damping; // c in mu = c E + floor
  double floor;
  double keep;     // an update that leaves more than this share of E is slow
  double slow;     // so many slow ones in a row, or
  double most;     // so many updates, end an attempt
  double far;      // or E beyond this
  double max_turn; // rad, of a joint in an update
} sinew_lane_rules;

// The attempts under way. Arrays of vectors: value i of lane l is at [i * lanes + l].
typedef struct sinew_lane_block {
  int lanes;
  double *q;       // nq: divided by the plan's units
  double *targets; // 12 an effector: the three axes of its node there, one after the other, and the
                   // tip's position; in the plan's frame and unit
  double *E;       // half the squared residual, before the last update
  double *mark;    // E when it last fell well
  double *slow;    // slow updates since
  double *steps;   // updates of this attempt
  double *limit_factor;                       // on the rules' limits of slow updates and of all
  double *position_error, *orientation_error; // largest of an effector, before the last update
  unsigned active;                            // a bit a lane: it holds an attempt
  unsigned converged;                         // those that have met their goal; q is the answer
  unsigned dropped;                           // those that have been given up; q is where they were
  double *scratch;                            // of the kernel for trees
} sinew_lane_block;

typedef struct sinew_lane_kernel {
  const char *name; // of the instruction set
  int lanes;
  // One update of all active lanes; those that have converged or are dropped keep their q.
  void (*update)(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                 sinew_lane_block *block);
  // Updates until at least one has converged or is dropped.
  void (*descend)(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                  sinew_lane_block *block);
} sinew_lane_kernel;

#endif
