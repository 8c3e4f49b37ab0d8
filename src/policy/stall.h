// Stop tests: when a descent or an attempt of a search ends without success.
//
// Descents (solve/descent.c) measure each step by its scaled gain, E before it and E_new after:
//
//   gain        (E - E_new) / E, or by distance (E - E_new) / E_s,  E_s = E       where E <= 1/2
//                                                                       = sqrt(E / 2) beyond
//   stalled     gain < the rule's gain in as many consecutive steps as the rule has
//   stationary  gain < SLOW and cos^2 < STATIONARY,  cos^2 = |g|^2 / (2 E |J|^2), over joints that
//               are not blocked by limits
//
// E_s: for errors beyond one size of the figure, coming closer by a share of the size counts the
// same however far the target is. cos is that of the angle between the error and the range of J.
//
// An attempt of a search measures progress from a mark, E at its last gain:
//
//   gains       E < keep mark; then mark = E
//   slow        updates since
//   dropped     slow > most slow, or steps >= most steps, or E > far
#ifndef SINEW_POLICY_STALL_H
#define SINEW_POLICY_STALL_H

#include "policy/rules.h"
#include "simd/lanes.h"

// E_s, the divisor of a gain in E.
LANE lane stall_scale(bool by_distance, lane E) {
  const lane half = lane_of(0.5);
  return by_distance ? lane_select(lane_less_equal(E, half), E, lane_sqrt(half * E)) : E;
}

LANE lane stall_gain(bool by_distance, lane E, lane E_new) {
  return (E - E_new) / stall_scale(by_distance, E);
}

// The number of consecutive slow steps, after one more step.
LANE lane stall_count(lane_mask gains, lane slow) {
  return lane_select(gains, lane_of(0.0), slow + lane_of(1.0));
}

// cos^2; gradient, jacobian: |g|^2 and |J|^2.
LANE lane stall_cosine(lane E, lane gradient, lane jacobian) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane_mask some = lane_less(zero, gradient);
  const lane whole = lane_select(some, lane_of(2.0) * E * jacobian, one);
  return lane_select(some, gradient / whole, zero);
}

// Whether an attempt's E has fallen below keep times its mark.
LANE lane_mask stall_gains(double keep, lane E, lane mark) {
  return lane_less(E, lane_of(keep) * mark);
}

LANE lane_mask stall_is_dropped(lane most_slow, lane most_steps, double far, lane slow, lane steps,
                                lane E) {
  return mask_or(mask_or(lane_less(most_slow, slow), lane_less_equal(most_steps, steps)),
                 lane_less(lane_of(far), E));
}

#endif
