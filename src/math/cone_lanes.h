// Limits of swing and twist for lanes of any width: cone.h and solve/cones.h say what they are.
//
// In the cone's axes, q = (w, x, y, z), n = sqrt(w^2 + x^2):
//
//   phi = 2 atan2(x, w),  q_s = (n, 0, y', z'),  (y', z') = ((w y - x z) / n, (x y + w z) / n)
//   s = theta (y', z') / |(y', z')|,  theta = 2 atan2(|(y', z')|, n)
//
// With u = s / theta = (cos psi, sin psi), c = x cross u, and for a step w in the moved axes v =
// R(phi) w, a = u . v, b = c . v, p = x . v, t = tan(theta / 2),
//
//   theta' = a,   psi' = b / sin(theta),   phi' = p + t b,   f = theta g(psi)
//
// from q' = q w / 2.
//
// Source of the swing as a rotation vector: Grassia, Practical parameterization of rotations using
// the exponential map, 1998, section 5; the ellipse in four quarters is ours.
#ifndef SINEW_MATH_CONE_LANES_H
#define SINEW_MATH_CONE_LANES_H

#include "math/cone.h"
#include "simd/elementary.h"

// Results are inside by this share, so that rounding errors do not move them out.
#define CONE_INSIDE (1.0 - 1e-12)
// Beyond this swing the rates are those at it: at pi they are infinite.
#define CONE_MOST_RATE (SINEW_PI - 0.02)
#define CONE_MOST_TANGENT 99.996666644444233      // of half that angle
#define CONE_MOST_INVERSE_SINE 50.003333488895450 // 1 / its sine
// A rotation is inside its limits for certain if it is by this much, more than rounding errors.
#define CONE_CERTAIN 1e-9
// asin(x) / x <= 1 + x^2 / 6 + ASIN_REST x^4 for x <= 1: its series has positive terms.
#define CONE_ASIN_REST 0.4041296602
// Below this swing [rad] its direction is not defined.
#define CONE_LEAST_SWING 1e-8
// How often a motion that may only be shortened is halved before it is left out. A smaller excess
// than CONE_ROUNDING [rad], of a joint at a limit or of a motion at a bound, is a rounding error.
#define CONE_SHORTER 30
#define CONE_ROUNDING 1e-12
// Rounds of Newton's method for the way to the limit of swing, from near to it.
#define CONE_REACH_ROUNDS 3

// A cone's numbers: of one cone, the same in all lanes, or, with SINEW_CONES_DIFFER, of another
// cone in each lane.
#ifdef SINEW_CONES_DIFFER
typedef lane cone_value;
typedef struct lane_cone { // as sinew_cone, whose comments hold
  lane axes[3][3], lower[3], upper[3];
  lane inverse_lower[2], inverse_upper[2], tan_lower, tan_upper;
} lane_cone;

LANE lane cone_lane(cone_value value) {
  return value;
}
#else
typedef double cone_value;
typedef sinew_cone lane_cone;

LANE lane cone_lane(cone_value value) {
  return lane_of(value);
}
#endif

// As sinew_swing_twist and sinew_cone_step, whose comments hold.
#if SINEW_LANES == 1
typedef sinew_swing_twist lane_swing_twist;
typedef sinew_cone_step lane_cone_step;
#else
typedef struct lane_swing_twist {
  lane twist;
  lane swing[2];
} lane_swing_twist;

typedef struct lane_cone_step {
  lane row[3][3], axis[3][3];
  lane most, down, up;
  lane value[2], unit[2];
  lane curvature[2][3];
  lane slides;
} lane_cone_step;
#endif

LANE void cone_scale(lane s, lane v[3]) {
  for (int i = 0; i < 3; ++i) {
    v[i] = s * v[i];
  }
}

// A fixed axis of the cone times v.
LANE lane cone_along(const cone_value axis[3], const lane v[3]) {
  return lane_fma(cone_lane(axis[0]), v[0],
                  lane_fma(cone_lane(axis[1]), v[1], cone_lane(axis[2]) * v[2]));
}

// a where |a| > 0, else 1.
LANE lane cone_divisor(lane a) {
  return lane_select(lane_less(lane_of(0.0), lane_abs(a)), a, lane_of(1.0));
}

// ------------------------------------------------------------- swing and twist

// What swing and twist are made of. c, s: half the twist's cosine and sine.
typedef struct cone_parts {
  lane n, inverse;   // and 1 / n
  lane c, s;         // of half the twist
  lane across[2];    // (y', z')
  lane half;         // |(y', z')|, the sine of half the swing
  lane inverse_half; // 1 / half where there is some swing, else 0
  lane angle;        // theta
  lane_mask some;    // where the swing has a direction
} cone_parts;

LANE void cone_parts_of(const lane_cone *cone, const lane q[4], cone_parts *out) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane w = q[0], x = cone_along(cone->axes[0], q + 1), y = cone_along(cone->axes[1], q + 1),
             z = cone_along(cone->axes[2], q + 1);
  out->n = lane_sqrt(lane_fma(w, w, x * x));
  const lane_mask defined = lane_less(zero, out->n);
  out->inverse = one / lane_select(defined, out->n, one);
  out->c = lane_select(defined, out->inverse * w, one);
  out->s = out->inverse * x;
  out->across[0] = lane_fnma(out->s, z, out->c * y);
  out->across[1] = lane_fma(out->s, y, out->c * z);
  out->half = lane_sqrt(lane_fma(out->across[0], out->across[0], out->across[1] * out->across[1]));
  out->some = lane_less(lane_of(CONE_LEAST_SWING), out->half);
  out->inverse_half = lane_keep(out->some, one / lane_select(out->some, out->half, one));
  out->angle = lane_of(2.0) * lane_angle(out->half, out->n);
}

LANE void cone_angles(const cone_parts *of, lane_swing_twist *out) {
  const lane zero = lane_of(0.0), two = lane_of(2.0), pi = lane_of(SINEW_PI);
  const lane scale = lane_select(of->some, of->angle * of->inverse_half, two);
  // 2 atan2(s, c), less 2 pi where that is beyond pi
  const lane_mask far = lane_less(of->c, zero);
  const lane twist = two * lane_atan2(lane_select(far, -of->s, of->s), lane_abs(of->c));
  out->twist = lane_select(lane_less(-pi, twist), twist, pi);
  out->swing[0] = scale * of->across[0];
  out->swing[1] = scale * of->across[1];
}

LANE_APART void lane_swing_twist_of(const lane_cone *cone, const lane q[4], lane_swing_twist *out) {
  cone_parts parts;
  cone_parts_of(cone, q, &parts);
  cone_angles(&parts, out);
}

LANE_APART void lane_swing_twist_to(const lane_cone *cone, const lane_swing_twist *of, lane q[4]) {
  lane swing[3], twist[3], a[4], b[4];
  for (int i = 0; i < 3; ++i) {
    swing[i] = lane_fma(of->swing[0], cone_lane(cone->axes[1][i]),
                        of->swing[1] * cone_lane(cone->axes[2][i]));
    twist[i] = of->twist * cone_lane(cone->axes[0][i]);
  }
  lane_quaternion_exp(swing, a);
  lane_quaternion_exp(twist, b);
  lane_quaternion_multiply(a, b, q);
  lane_quaternion_normalize(q);
}

// 1 over the semi-axis on the side of s.
LANE lane cone_inverse_axis(const lane_cone *cone, int i, lane s) {
  return lane_select(lane_less(lane_of(0.0), s), cone_lane(cone->inverse_upper[i]),
                     cone_lane(-cone->inverse_lower[i]));
}

// f(s)
LANE lane lane_cone_level(const lane_cone *cone, const lane swing[2]) {
  const lane a = swing[0] * cone_inverse_axis(cone, 0, swing[0]);
  const lane b = swing[1] * cone_inverse_axis(cone, 1, swing[1]);
  return lane_sqrt(lane_fma(a, a, b * b));
}

// An angle within 2 pi of [-pi, pi], in it.
LANE lane lane_wrapped(lane angle) {
  const lane pi = lane_of(SINEW_PI), round = lane_of(2.0 * SINEW_PI);
  const lane less = lane_select(lane_less(pi, angle), angle - round, angle);
  return lane_select(lane_less(less, -pi), less + round, less);
}

// By how much an angle is outside a range of at most 2 pi, the shorter way round: > 0 above, < 0
// below. An end of the range may be beyond pi.
LANE lane lane_twist_excess(lane lower, lane upper, lane twist) {
  const lane zero = lane_of(0.0), round = lane_of(2.0 * SINEW_PI);
  const lane over = twist - upper, under = lower - twist;
  const lane above = lane_select(lane_less(zero, over), over, over + round);
  const lane below = lane_select(lane_less(zero, under), under, under + round);
  // Beyond an end by less than nothing: within the range, once round.
  const lane_mask inside =
      mask_or(mask_and(lane_less_equal(lower, twist), lane_less_equal(twist, upper)),
              mask_or(lane_less_equal(above, zero), lane_less_equal(below, zero)));
  return lane_select(inside, zero, lane_select(lane_less_equal(above, below), above, -below));
}

// Where a rotation is inside its limits for certain, without an angle: sin(theta / 2)^2 = y^2 +
// z^2, theta / sin(theta / 2) <= 2 (1 + ..), n (y', z') = (w y - x z, x y + w z), tan(phi / 2) = x
// / w.
LANE lane_mask cone_is_inside(const lane_cone *cone, const lane q[4]) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), certain = lane_of(CONE_CERTAIN);
  const lane w = q[0], x = cone_along(cone->axes[0], q + 1), y = cone_along(cone->axes[1], q + 1),
             z = cone_along(cone->axes[2], q + 1);
  const lane sine = lane_fma(y, y, z * z);
  const lane a = lane_fnma(x, z, w * y), b = lane_fma(x, y, w * z);
  const lane p = a * cone_inverse_axis(cone, 0, a), r = b * cone_inverse_axis(cone, 1, b);
  const lane h = lane_fma(sine, lane_fma(sine, lane_of(CONE_ASIN_REST), lane_of(1.0 / 6.0)), one);
  const lane swing = lane_of(4.0) * h * h * lane_fma(p, p, r * r);
  const lane_mask in_swing = lane_less(swing, (one - certain) * lane_fma(w, w, x * x));
  const lane c = lane_abs(w), s = lane_select(lane_less(w, zero), -x, x);
  const lane_mask in_twist = mask_and(lane_less(s + certain, cone_lane(cone->tan_upper) * c),
                                      lane_less(cone_lane(cone->tan_lower) * c, s - certain));
  return mask_and(in_swing, in_twist);
}

LANE_APART lane lane_cone_excess(const lane_cone *cone, const lane q[4]) {
  lane_swing_twist at;
  lane_swing_twist_of(cone, q, &at);
  const lane zero = lane_of(0.0), one = lane_of(1.0), f = lane_cone_level(cone, at.swing);
  const lane length = lane_sqrt(lane_fma(at.swing[0], at.swing[0], at.swing[1] * at.swing[1]));
  const lane swing = lane_select(lane_less(one, f), length * (one - one / lane_max(f, one)), zero);
  const lane twist =
      lane_twist_excess(cone_lane(cone->lower[0]), cone_lane(cone->upper[0]), at.twist);
  return lane_max(swing, lane_abs(twist));
}

// The limits of a rotation that was at from: those of the cone, or as far out as from is.
LANE void cone_limits_from(const lane_cone *cone, const lane from[4], lane *most, lane *lower,
                           lane *upper) {
  lane_swing_twist before;
  lane_swing_twist_of(cone, from, &before);
  const lane out = lane_twist_excess(*lower, *upper, before.twist), zero = lane_of(0.0);
  *most = lane_max(*most, lane_cone_level(cone, before.swing));
  *lower = *lower - lane_max(-out, zero);
  *upper = *upper + lane_max(out, zero);
}

// Moves q into the limits: sinew_cone_hold(). Returns where q was changed; elsewhere it has its
// bits.
LANE_APART lane_mask lane_cone_hold(const lane_cone *cone, const lane *from, lane q[4]) {
  lane_swing_twist at;
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  lane most = one, lower = cone_lane(cone->lower[0]), upper = cone_lane(cone->upper[0]);
  if (mask_bits(mask_not(cone_is_inside(cone, q))) == 0) {
    return mask_of_bits(0);
  }
  lane_swing_twist_of(cone, q, &at);
  const lane f = lane_cone_level(cone, at.swing);
  lane out = lane_twist_excess(lower, upper, at.twist);
  lane_mask outside = mask_or(lane_less(most, f), lane_less(zero, lane_abs(out)));
  if (SINEW_LIKELY(mask_bits(outside) == 0)) {
    return outside;
  }
  if (from != NULL) {
    cone_limits_from(cone, from, &most, &lower, &upper);
    out = lane_twist_excess(lower, upper, at.twist);
    outside = mask_and(outside, mask_or(lane_less(most, f), lane_less(zero, lane_abs(out))));
    if (mask_bits(outside) == 0) {
      return outside;
    }
  }
  const lane share =
      lane_select(lane_less(most, f), most / cone_divisor(f) * lane_of(CONE_INSIDE), one);
  lane held[4];
  at.swing[0] = share * at.swing[0];
  at.swing[1] = share * at.swing[1];
  at.twist =
      lane_select(lane_less(zero, out), upper, lane_select(lane_less(out, zero), lower, at.twist));
  at.twist = lane_wrapped(at.twist);
  lane_swing_twist_to(cone, &at, held);
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_select(outside, held[i], q[i]);
  }
  return outside;
}

// Moves q to the border of its swing, along the normal of its level: by Newton's method for f^2 =
// 1, the rest along its direction. q is not at swing 0. Where so.
LANE_APART void lane_cone_reach(const lane_cone *cone, lane_mask where, lane q[4]) {
  const lane half = lane_of(0.5), one = lane_of(1.0);
  lane_swing_twist at;
  lane reached[4];
  if (mask_bits(where) == 0) {
    return;
  }
  lane_swing_twist_of(cone, q, &at);
  for (int round = 0; round < CONE_REACH_ROUNDS; ++round) {
    const lane f = lane_cone_level(cone, at.swing);
    lane n[2]; // half the gradient of f^2
    for (int i = 0; i < 2; ++i) {
      const lane inverse = cone_inverse_axis(cone, i, at.swing[i]);
      n[i] = inverse * inverse * at.swing[i];
    }
    const lane square = lane_fma(n[0], n[0], n[1] * n[1]);
    const lane way = half * lane_fnma(f, f, one) / cone_divisor(square);
    at.swing[0] = lane_fma(way, n[0], at.swing[0]);
    at.swing[1] = lane_fma(way, n[1], at.swing[1]);
  }
  const lane share = lane_of(CONE_INSIDE) / cone_divisor(lane_cone_level(cone, at.swing));
  at.swing[0] = share * at.swing[0];
  at.swing[1] = share * at.swing[1];
  lane_swing_twist_to(cone, &at, reached);
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_select(where, reached[i], q[i]);
  }
}

// ------------------------------------------------------------- first derivatives

// Where a rotation is, and g with its derivatives.
typedef struct cone_place {
  lane_swing_twist at;
  lane u[2], theta, f;
  lane sine, cosine; // of the twist
  lane t;            // tan(theta / 2)
  lane inverse_sine; // of theta
  lane g, slope;     // g and g'
} cone_place;

LANE_APART void cone_place_of(const lane_cone *cone, const lane q[4], cone_place *out) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), half = lane_of(0.5);
  cone_parts of;
  cone_parts_of(cone, q, &of);
  cone_angles(&of, &out->at);
  out->u[0] = lane_select(of.some, of.across[0] * of.inverse_half, one);
  out->u[1] = of.across[1] * of.inverse_half;
  out->theta = lane_keep(of.some, lane_min(of.angle, lane_of(CONE_MOST_RATE)));
  out->sine = lane_of(2.0) * of.c * of.s;
  out->cosine = lane_fnma(of.s, of.s, of.c * of.c);
  const lane_mask most = lane_less(lane_of(CONE_MOST_RATE), of.angle);
  out->t = lane_select(most, lane_of(CONE_MOST_TANGENT), of.half * of.inverse);
  out->inverse_sine =
      lane_select(most, lane_of(CONE_MOST_INVERSE_SINE), half * of.inverse_half * of.inverse);
  const lane p = cone_inverse_axis(cone, 0, out->u[0]), r = cone_inverse_axis(cone, 1, out->u[1]);
  const lane a = out->u[0] * p, b = out->u[1] * r;
  out->g = lane_sqrt(lane_fma(a, a, b * b));
  out->f = lane_select(of.some, of.angle, zero) * out->g;
  // (1 / a_2^2 - 1 / a_1^2) sin(psi) cos(psi) / g
  out->slope = (r * r - p * p) * out->u[0] * out->u[1] / out->g;
}

// From the cone's axes to the joint's, twisted back by phi: R(phi)^T, then the axes.
LANE void cone_to_moved(const lane_cone *cone, const cone_place *at, const lane v[3], lane out[3]) {
  const lane c = at->cosine, s = at->sine;
  const lane back[2] = {lane_fma(c, v[1], s * v[2]), lane_fnma(s, v[1], c * v[2])};
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(
        v[0], cone_lane(cone->axes[0][i]),
        lane_fma(back[0], cone_lane(cone->axes[1][i]), back[1] * cone_lane(cone->axes[2][i])));
  }
}

// The rows of both limits, unit, with f, phi and their derivatives along them, and the distances.
LANE void cone_rows(const lane_cone *cone, const cone_place *at, lane_cone_step *step) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), far = lane_of(INFINITY);
  const lane *u = at->u, c[2] = {-u[1], u[0]};
  // At swing 0 theta / sin(theta) is 1, and the row that of u.
  const lane ratio = lane_select(lane_less(zero, at->theta), at->theta * at->inverse_sine, one);
  const lane across = ratio * at->slope;
  const lane swing[3] = {zero, lane_fma(at->g, u[0], across * c[0]),
                         lane_fma(at->g, u[1], across * c[1])};
  const lane twist[3] = {one, at->t * c[0], at->t * c[1]};
  step->value[0] = at->f;
  step->value[1] = at->at.twist;
  step->unit[0] = lane_norm3(swing);
  step->unit[1] = lane_norm3(twist);
  cone_to_moved(cone, at, swing, step->row[0]);
  cone_to_moved(cone, at, twist, step->row[1]);
  const lane inverse[2] = {one / step->unit[0], one / step->unit[1]};
  cone_scale(inverse[0], step->row[0]);
  cone_scale(inverse[1], step->row[1]);
  step->most = (one - at->f) * inverse[0];
  step->down = -far;
  step->up = far;
  const lane lower = cone_lane(cone->lower[0]), upper = cone_lane(cone->upper[0]);
  const lane_mask limited =
      mask_or(lane_less(lane_of(-SINEW_PI), lower), lane_less(upper, lane_of(SINEW_PI)));
  if (mask_bits(limited) != 0) {
    const lane out = lane_twist_excess(lower, upper, at->at.twist);
    const lane_mask above = lane_less(zero, out), below = lane_less(out, zero);
    const lane up = lane_select(above, -out, upper - at->at.twist) * inverse[1];
    const lane down = lane_select(below, -out, lower - at->at.twist) * inverse[1];
    // Outside one end, the other is on the far side.
    step->up = lane_select(limited, lane_select(below, lane_max(up, down), up), far);
    step->down = lane_select(limited, lane_select(above, lane_min(down, up), down), -far);
  }
}

#endif
