// The Levenberg-Marquardt rule: a step is accepted only if it lowers E.
//
//   accepted  E_new < E
//   f         factor on the damping, 1 at the start:
//             max(least, DECREASE f) after an accepted step, INCREASE f after a rejected one
//
// So E never rises, and a descent ends at the targets or at a local minimum of E within the limits.
// Beyond f = MAX_FACTOR, steps are too short to change E.
// Sources: Levenberg, A method for the solution of certain non-linear problems in least squares,
// 1944; Marquardt, An algorithm for least-squares estimation of nonlinear parameters, 1963.
#ifndef SINEW_POLICY_ACCEPTANCE_H
#define SINEW_POLICY_ACCEPTANCE_H

#include "simd/lanes.h"

// f falls more slowly than it rises: several accepted steps bring it back to its least value.
#define ACCEPTANCE_INCREASE 8.0
#define ACCEPTANCE_DECREASE 0.25
#define ACCEPTANCE_MAX_FACTOR 1e14

LANE lane_mask acceptance_of(lane E, lane E_new) {
  return lane_less(E_new, E);
}

// f after a step.
LANE lane acceptance_factor(lane_mask accepted, lane factor, double least) {
  const lane less = lane_max(lane_of(least), factor * lane_of(ACCEPTANCE_DECREASE));
  return lane_select(accepted, less, factor * lane_of(ACCEPTANCE_INCREASE));
}

LANE lane_mask acceptance_is_exhausted(lane factor) {
  return lane_less(lane_of(ACCEPTANCE_MAX_FACTOR), factor);
}

#endif
