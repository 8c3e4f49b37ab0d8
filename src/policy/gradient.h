// The projected gradient: the part of g = J^T e that a step within the bounds can follow.
//
//   x_j is blocked where g_j > 0 and upper_j <= 0, or g_j < 0 and lower_j >= 0
//
// lower <= x <= upper are the bounds of the step. A joint pushed against its limit stays there, and
// its component of g never vanishes.
//
// The headers of src/policy/ are written for lanes of any width: simd/lanes.h.
#ifndef SINEW_POLICY_GRADIENT_H
#define SINEW_POLICY_GRADIENT_H

#include "simd/lanes.h"

LANE lane_mask gradient_is_blocked(lane g, lane lower, lane upper) {
  const lane zero = lane_of(0.0);
  return mask_or(mask_and(lane_less(zero, g), lane_less_equal(upper, zero)),
                 mask_and(lane_less(g, zero), lane_less_equal(zero, lower)));
}

// g_j, or 0 where it is blocked.
LANE lane gradient_free(lane g, lane lower, lane upper) {
  return lane_select(gradient_is_blocked(g, lower, upper), lane_of(0.0), g);
}

#endif
