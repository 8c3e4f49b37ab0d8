// Rotations that closed forms are put together from, for any number of lanes: the shortest rotation
// between two directions, and rotations about a direction by half angles. Quaternions here have any
// length, and are normalized once, after the last product.
#ifndef SINEW_ANALYTIC_SWIVEL_H
#define SINEW_ANALYTIC_SWIVEL_H

#include "simd/elementary.h"

// The sine of angles that are treated as 0, and its square: far below rounding.
#define SWIVEL_LEAST 1e-20
#define SWIVEL_LEAST_SQUARE 1e-40

// out = R(q) v = v + 2 (w a + b x a) with q = (w, b) and a = b x v. out may be v.
LANE void lane_quaternion_rotate(const lane q[4], const lane v[3], lane out[3]) {
  lane a[3], c[3];
  lane_cross3(q + 1, v, a);
  lane_cross3(q + 1, a, c);
  for (int i = 0; i < 3; ++i) {
    const lane change = lane_fma(q[0], a[i], c[i]);
    out[i] = v[i] + (change + change);
  }
}

// The shortest rotation from the unit vector `from` to the unit vector `to`: q ~ (1 + c, v) with c
// = from . to and v = from x to. If they are opposite, by pi about `axis`, a vector normal to
// `from` of about unit length. Close to that, 1 + c and the component of v along `from` are
// rounding errors: 1 + c is then |v|^2 / (1 - c), and v is made normal to `from`, so that R(q) from
// = to holds to rounding everywhere. |q|^2 is at least about SWIVEL_LEAST_SQUARE.
LANE void lane_shortest_arc(const lane from[3], const lane to[3], const lane axis[3], lane q[4]) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), c = lane_dot3(from, to);
  lane v[3];
  lane_cross3(from, to, v);
  const lane along = lane_dot3(v, from);
  for (int i = 0; i < 3; ++i) {
    v[i] = lane_fnma(along, from[i], v[i]);
  }
  const lane square = lane_dot3(v, v);
  const lane_mask behind = lane_less(c, zero);
  const lane_mask opposite = mask_and(behind, lane_less(square, lane_of(SWIVEL_LEAST_SQUARE)));
  const lane scale = lane_select(behind, one - c, one);
  q[0] = lane_keep(mask_not(opposite), lane_select(behind, square, one + c));
  for (int i = 0; i < 3; ++i) {
    q[1 + i] = lane_select(opposite, axis[i], v[i] * scale);
  }
}

// Cosine and sine of half the angle of (x, y), in [-pi, pi], both times a number: (r + x, y), or
// (|y|, r - x with the sign of y) where x < 0, r = |(x, y)|. 1 and 0 where not known.
LANE void lane_half_turn(lane x, lane y, lane r, lane_mask known, lane *cosine, lane *sine) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane_mask right = lane_less_equal(zero, x);
  const lane sum = r + lane_abs(x);
  *cosine = lane_select(known, lane_select(right, sum, lane_abs(y)), one);
  *sine = lane_keep(known, lane_select(right, y, lane_with_sign(sum, y)));
}

// The cosine and the sine themselves; 1 and 0 at (0, 0).
LANE void lane_half_angle(lane x, lane y, lane *cosine, lane *sine) {
  const lane square = lane_fma(x, x, y * y);
  lane_half_turn(x, y, lane_sqrt(square), lane_less(lane_of(0.0), square), cosine, sine);
  const lane by = lane_of(1.0) / lane_sqrt(lane_fma(*cosine, *cosine, *sine * *sine));
  *cosine = *cosine * by;
  *sine = *sine * by;
}

// Whether three numbers are at most a bound. False for NaN.
LANE lane_mask lane_within3(const lane v[3], double most) {
  const lane bound = lane_of(most);
  return mask_and(
      lane_less_equal(lane_abs(v[0]), bound),
      mask_and(lane_less_equal(lane_abs(v[1]), bound), lane_less_equal(lane_abs(v[2]), bound)));
}

#endif
