// The bounds of a step along the limits of a joint's swing and twist, narrowed by braking, for
// lanes of any width: solve/cones.h.
#ifndef SINEW_KERNEL_CONE_BRAKES_H
#define SINEW_KERNEL_CONE_BRAKES_H

#include "math/cone_lanes.h"
#include "policy/tracking.h"

// moved: the joint's motion so far in this part; last: in the last part; inverse: from an angle
// along r_1 and r_2 to y; lower, upper: the bounds of y_1 and y_2.
LANE void cone_brake(const lane_cone_step *step, const tracking_brakes *by, const lane moved[3],
                     const lane last[3], const lane inverse[2], lane lower[2], lane upper[2]) {
  const lane zero = lane_of(0.0), far = lane_of(INFINITY), limit[2] = {step->most, step->up};
  for (int i = 0; i < 2; ++i) {
    const lane along = lane_dot3(step->row[i], moved), before = lane_dot3(step->row[i], last);
    const lane_mask ahead = mask_and(lane_less_equal(zero, limit[i]), lane_less(limit[i], far));
    const lane most = (tracking_longest(by, limit[i] + along, before) - along) * inverse[i];
    const lane high = lane_max(lower[i], lane_min(upper[i], lane_max(most, zero)));
    upper[i] = lane_select(ahead, high, upper[i]);
    if (i == 1) {
      const lane_mask behind =
          mask_and(lane_less_equal(step->down, zero), lane_less(-far, step->down));
      const lane least = (tracking_longest(by, along - step->down, -before) + along) * inverse[i];
      const lane low = lane_min(upper[i], lane_max(lower[i], -lane_max(least, zero)));
      lower[i] = lane_select(behind, low, lower[i]);
    }
  }
}

#endif
