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
#include "simd/rows.h"
#include "sinew/limb.h"

// The cosine of half the swing below which the twist is unknown.
#define TWIST_UNKNOWN 1e-12
// Larger angles have lost their digits.
#define TWIST_MOST_ANGLE 1e5

// q usable as a rotation: normalized, or the identity.
LANE lane_mask twist_take_rotation(lane q[4]) {
  lane_mask usable = mask_and(lane_usable3(q), lane_usable3(q + 1));
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

LANE bool twist_group(const sinew_twist *twist, const sinew_twist_arrays *arrays, row_range rows) {
  lane q[4], a[3], back[4], D[4], angle = lane_of(0.0), one[4];
  const size_t stride = 4 * (size_t)twist->bones;
  rows_read(arrays->joints, 4, 4, rows, q);
  lane_mask usable = twist_take_rotation(q);
  if (arrays->angles != NULL) {
    rows_read(arrays->angles, 1, 1, rows, &angle);
    usable = mask_and(usable, lane_less_equal(lane_abs(angle), lane_of(TWIST_MOST_ANGLE)));
  }
  const lane before = angle, last = lane_keep(usable, angle);
  for (int i = 0; i < 4; ++i) {
    back[i] = lane_of(twist->back[i]);
    a[i % 3] = lane_of(twist->axis[i % 3]);
  }
  lane_quaternion_multiply(q, back, D);
  for (int i = 0; i < 4; ++i) {
    D[i] = lane_select(usable, D[i], lane_of(i == 0 ? 1.0 : 0.0));
  }
  angle = lane_keep(usable, twist_angle(D, a, last));
  for (int bone = 0; bone < twist->bones; ++bone) {
    twist_about(a, lane_of(twist->shares[bone]) * angle, one);
    rows_write(one, 4, stride, rows, arrays->rotations + 4 * bone);
  }
  if (arrays->swings != NULL) {
    twist_about(a, -angle, one);
    lane_quaternion_multiply(D, one, q);
    lane_quaternion_normalize(q);
    rows_write(q, 4, 4, rows, arrays->swings);
  }
  if (arrays->angles != NULL) {
    angle = lane_select(usable, angle, before);
    rows_write(&angle, 1, 1, rows, arrays->angles);
  }
  return mask_bits(mask_not(usable)) == 0;
}

#endif
