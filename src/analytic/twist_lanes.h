// The twist of a rotation about an axis, shared out to roll bones, for any number of lanes:
// include/sinew/limb.h.
//
// A rotation (w, v) is a swing, about an axis across a, after a twist about a by the angle t with
//
//   tan(t/2) = (v . a) / w,
//
// known but for whole turns, and unknown where both are 0: there the swing is half a turn.
#ifndef SINEW_ANALYTIC_TWIST_LANES_H
#define SINEW_ANALYTIC_TWIST_LANES_H

#include "analytic/swivel.h"
#include "sinew/limb.h"

// The cosine of half the swing below which the twist is unknown.
#define TWIST_UNKNOWN 1e-12
// Larger angles have lost their digits.
#define TWIST_MOST_ANGLE 1e5

// q of numbers up to a bound, usable as a rotation: normalized, or the identity.
LANE lane_mask twist_take_rotation(double most, lane q[4]) {
  lane_mask usable = mask_and(lane_within3(q, most), lane_within3(q + 1, most));
  lane largest = lane_max(lane_abs(q[0]), lane_abs(q[1]));
  largest = lane_max(largest, lane_max(lane_abs(q[2]), lane_abs(q[3])));
  usable = mask_and(usable, lane_less(lane_of(1e-100), largest));
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_select(usable, q[i], lane_of(i == 0 ? 1.0 : 0.0));
  }
  lane_quaternion_unit(q);
  return usable;
}

// The angle of the twist of the unit quaternion q about the unit vector a, the nearest to the last
// one.
LANE lane twist_angle(const lane q[4], const lane a[3], lane last) {
  const lane sine = lane_dot3(q + 1, a), cosine = q[0];
  const lane_mask known =
      lane_less(lane_of(TWIST_UNKNOWN), lane_max(lane_abs(sine), lane_abs(cosine)));
  const lane half = lane_atan2(lane_keep(known, sine), lane_select(known, cosine, lane_of(1.0)));
  const lane turns = (last - (half + half)) * lane_of(0.5 / SINEW_PI);
  // To the nearest integer: exact up to 2^51
  const lane shift = lane_of(SINEW_ROUND_SHIFT);
  const lane whole = (turns + shift) - shift;
  return lane_select(known, lane_fma(whole, lane_of(2.0 * SINEW_PI), half + half), last);
}

// The rotation by an angle about a unit vector.
LANE void twist_about(const lane a[3], lane angle, lane q[4]) {
  lane sine;
  lane_sincos(lane_of(0.5) * angle, &sine, &q[0]);
  for (int i = 0; i < 3; ++i) {
    q[1 + i] = sine * a[i];
  }
}

#endif
