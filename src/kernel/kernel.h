// Attempts in lanes: one table of functions for each instruction set.
//
// A lane holds one attempt: its configuration, its target and its progress. Its step is
// error-damped least squares (Chan and Lawrence 1988) within the limits: see chain.h. The same
// source is compiled for each width (kernel.c), so results differ between instruction sets by
// rounding only, and do not depend on the lane or on other lanes.
#ifndef SINEW_KERNEL_KERNEL_H
#define SINEW_KERNEL_KERNEL_H

#include "kernel/plan.h"

// Most lanes of any instruction set.
#define SINEW_LANE_MOST 8

// When an attempt has converged, and when it is dropped.
typedef struct sinew_lane_rules {
  double position_tolerance; // sizes of the model
  double orientation_tolerance;
  double damping; // c in mu = c E + floor
  double floor;
  double keep;     // an update that leaves more than this share of E is slow
  double slow;     // an attempt is dropped after more consecutive slow updates than this,
  double most;     // after so many updates,
  double far;      // or if E is above this
  double max_turn; // rad, of a joint in an update
} sinew_lane_rules;

// The attempts in progress. Arrays of vectors: value i of lane l is at [i * lanes + l].
typedef struct sinew_lane_block {
  int lanes;
  double *q;       // nq: divided by the plan's units
  double *targets; // 12 for each effector: the three axes of its node at the target, one after the
                   // other, and the tip's position; in the plan's frame and unit
  double *E;       // half the squared residual, before the last update
  double *mark;    // E at the last gain: policy/stall.h
  double *slow;    // slow updates since
  double *steps;   // updates of this attempt
  double *limit_factor;                       // on the rules' limits of slow updates and of updates
  double *position_error, *orientation_error; // largest of an effector, before the last update
  unsigned active;                            // a bit for each lane: it has an attempt
  unsigned converged;                         // lanes that have converged; q is the solution
  unsigned dropped;                           // lanes that were dropped; q is their last
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
