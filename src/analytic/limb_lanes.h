// A limb of two segments and an aimed link, for any number of lanes: include/sinew/limb.h.
//
// Limb. With l1, l2 the lengths, d the distance of the target and d' the distance that the wrist
// gets, alpha and gamma are the angles of the triangle l1, l2, d' at the shoulder and at the wrist:
// with p = l1 + l2 - d', q = d' + l2 - l1, r = d' + l1 - l2, t = d' + l1 + l2
//
//   tan(alpha/2) = sqrt(p q / (r t)) = K / (r t) = p q / K,   K = sqrt(p q r t),
//   tan(gamma/2) = sqrt(p r / (q t)) = K / (q t) = p r / K:
//
// no inverse function, one root, and no cancellation but in the factors themselves. With u the
// direction of the target, u0 and n0 the direction and the bend axis at rest, and A the rotation
// that maps u0 to u and n0 to the bend axis n,
//
//   upper = A rot(n0, alpha - alpha0),   lower = A rot(n0, gamma0 - gamma).
//
// A is the shortest rotation S from u0 to u followed by a rotation about u by an angle phi, which
// is all that the rules for the bend axis differ in. In the axes u0, n0, u0 x n0 of the rest pose,
// with (x, y, z) of length e along u, w = e + x and f = 1, or where x < 0, w = y y + z z and
// f = e - x, which is the same direction without cancellation,
//
//   S ~ (w, 0, -f z, f y),   |S|^2 = 2 e w f,
//   S n0 ~ (-y w, e w - f y y, -f y z), of length e w,
//   A ~ (w c, w s, f (s y - c z), f (c y + s z)),   c = cos(phi/2), s = sin(phi/2).
//
// For a pole p from the shoulder phi is the angle of (p . (a x u), p . a), a = S n0 the bend axis
// before it. No length is 1 but that of the last product, which is known before it: nothing waits
// for a division but the last factor.
//
// Soft reach (A. Nicholas, 2009), zone z, L = l1 + l2: d' = L - z exp((L - z - d) / z) for d > L -
// z, where d' has the slope 1.
//
// Aim. With o the eye and f the ray, the ray's point at the target's distance is m = o + s f,
// s = -o . f + sqrt((o . f)^2 + |t|^2 - |o|^2). The shortest rotation from m to t puts the ray
// through t, and rotations about t keep it there; one of them brings the up vector nearest.
#ifndef SINEW_ANALYTIC_LIMB_LANES_H
#define SINEW_ANALYTIC_LIMB_LANES_H

#include "analytic/swivel.h"
#include "sinew/limb.h"

// Directions of shorter vectors are not defined, as a share of the limb's length.
#define LIMB_NO_DIRECTION 1e-12
// Vectors to nearer and farther targets and poles are made unit vectors, so that no product of
// lengths is too small or too large [m].
#define LIMB_NEAR 1e-6
#define LIMB_FAR 1e6
// Larger angles have lost their digits.
#define LIMB_MOST_SWIVEL 1e5
// A pole nearer than this to the line through shoulder and target, as a share of its distance.
#define LIMB_NO_BEND 1e-12
// A pole nearer than this to the shoulder is none [m].
#define LIMB_NO_POLE 1e-60

typedef struct limb_lanes {
  lane target[3], pole[3], swivel;             // from the shoulder
  lane direction[3], bend_axis[3];             // of the memory; 0: none. Changed
  lane upper[4], lower[4], elbow[3], wrist[3]; // out, from the shoulder
  lane scale, miss;
} limb_lanes;

LANE void limb_constant3(const double values[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_of(values[i]);
  }
}

// d'
LANE lane limb_reach(const sinew_limb *limb, lane d) {
  const double length = limb->length_sum, z = limb->zone;
  const double least = fabs(limb->length[0] - limb->length[1]);
  const lane begin = lane_of(length - z);
  const lane_mask beyond = lane_less(begin, d);
  lane reach = d;
  if (z > 0.0 && mask_bits(beyond) != 0) {
    const lane late = lane_exp(lane_min((begin - d) * lane_of(limb->per_zone), lane_of(0.0)));
    reach = lane_select(beyond, lane_fnma(lane_of(z), late, lane_of(length)), d);
  }
  return lane_max(lane_min(reach, lane_of(length)),
                  lane_of(least > LIMB_NO_DIRECTION * length ? least : LIMB_NO_DIRECTION * length));
}

// Cosine and sine of (alpha - alpha0) / 2 and of (gamma0 - gamma) / 2, times a number each, and the
// squares of these numbers.
LANE void limb_half_angles(const sinew_limb *limb, lane reach, lane at_shoulder[3],
                           lane at_wrist[3]) {
  // Lengths as shares of the limb's, so that no product is too large
  const double by = limb->per_length;
  const double more = (limb->length[1] - limb->length[0]) * by;
  const lane zero = lane_of(0.0), one = lane_of(1.0), d = reach * lane_of(by);
  const lane p = lane_max(one - d, zero), q = lane_max(d + lane_of(more), zero);
  const lane r = lane_max(d - lane_of(more), zero), t = d + one;
  const lane pq = p * q, rt = r * t, pr = p * r, qt = q * t, K = lane_sqrt(pq * rt);
  // The larger of cosine and sine is not computed from the root.
  const lane_mask acute = lane_less_equal(pq, rt), acute_wrist = lane_less_equal(pr, qt);
  const lane c1 = lane_select(acute, rt, K), s1 = lane_select(acute, K, pq);
  const lane c2 = lane_select(acute_wrist, qt, K), s2 = lane_select(acute_wrist, K, pr);
  const lane rc1 = lane_of(limb->rest[0]), rs1 = lane_of(limb->rest[1]);
  const lane rc2 = lane_of(limb->rest[2]), rs2 = lane_of(limb->rest[3]);
  at_shoulder[0] = lane_fma(c1, rc1, s1 * rs1);
  at_shoulder[1] = lane_fnma(c1, rs1, s1 * rc1);
  at_shoulder[2] = (rt + pq) * lane_max(rt, pq);
  at_wrist[0] = lane_fma(c2, rc2, s2 * rs2);
  at_wrist[1] = lane_fnma(s2, rc2, c2 * rs2);
  at_wrist[2] = (qt + pr) * lane_max(qt, pr);
}

// In the axes of the rest pose
LANE void limb_to_rest(const sinew_limb *limb, const lane v[3], lane out[3]) {
  lane axis[3];
  limb_constant3(limb->direction, axis);
  out[0] = lane_dot3(axis, v);
  limb_constant3(limb->bend_axis, axis);
  out[1] = lane_dot3(axis, v);
  limb_constant3(limb->side, axis);
  out[2] = lane_dot3(axis, v);
}

LANE void limb_from_rest(const sinew_limb *limb, const lane v[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(lane_of(limb->direction[i]), v[0],
                      lane_fma(lane_of(limb->bend_axis[i]), v[1], lane_of(limb->side[i]) * v[2]));
  }
}

// The angle about u from the bend axis a, of any length, to that of the pole: x and y of it, and
// whether it is known.
LANE lane_mask limb_pole_angle(const lane pole[3], const lane u[3], const lane a[3], lane *x,
                               lane *y) {
  lane b[3];
  lane_cross3(a, u, b);
  *x = lane_dot3(pole, b);
  *y = lane_dot3(pole, a);
  const lane square = lane_dot3(pole, pole);
  const lane least = square * lane_dot3(a, a) * lane_of(LIMB_NO_BEND * LIMB_NO_BEND);
  return mask_and(lane_less(lane_of(LIMB_NO_POLE * LIMB_NO_POLE), square),
                  lane_less(least, lane_fma(*x, *x, *y * *y)));
}

// The rule with memory: the last bend axis is carried from the last direction to u, and rotated
// towards the wanted angle by at most max_rate times the sine squared of the angle between u and
// the pole, which makes the pole count less where its bend axis changes fast.
LANE void limb_remember(const sinew_limb *limb, bool has_pole, const lane u[3], const lane axis[3],
                        limb_lanes *x, lane *cosine, lane *sine) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), half = lane_of(0.5);
  const lane_mask any = lane_less(zero, lane_dot3(x->direction, x->direction));
  lane last[3], carried[3], arc[4], n[3], wanted_n[3], c, s;
  for (int i = 0; i < 3; ++i) {
    last[i] = lane_select(any, x->direction[i], u[i]);
    carried[i] = lane_select(any, x->bend_axis[i], axis[i]);
  }
  lane_shortest_arc(last, u, carried, arc);
  lane_quaternion_normalize(arc);
  lane_quaternion_rotate(arc, carried, n);
  const lane along = lane_dot3(n, u);
  for (int i = 0; i < 3; ++i) {
    n[i] = lane_fnma(along, u[i], n[i]);
  }
  const lane by = one / lane_sqrt(lane_max(lane_dot3(n, n), lane_of(SWIVEL_LEAST_SQUARE)));
  for (int i = 0; i < 3; ++i) {
    n[i] = n[i] * by;
  }

  // The wanted angle about u from n, and how much it counts.
  lane weight = one, at_x, at_y;
  if (has_pole) {
    const lane_mask known = limb_pole_angle(x->pole, u, n, &at_x, &at_y);
    const lane square = lane_dot3(x->pole, x->pole), height = lane_dot3(x->pole, u);
    weight = lane_max(zero, lane_fnma(height, height / lane_max(square, lane_of(1e-200)), one));
    at_x = lane_keep(known, at_x);
    at_y = lane_keep(known, at_y);
  } else {
    lane_cross3(n, axis, wanted_n);
    at_x = lane_dot3(n, axis);
    at_y = lane_dot3(u, wanted_n);
  }
  lane_half_angle(at_x, at_y, &c, &s);
  lane most_s, most_c;
  lane_sincos(half * weight * lane_of(limb->max_rate), &most_s, &most_c);
  const lane_mask within = mask_or(lane_less_equal(lane_abs(s), most_s), mask_not(any));
  c = lane_select(within, c, most_c);
  s = lane_select(within, s, lane_with_sign(most_s, s));

  lane turn[4] = {c, s * u[0], s * u[1], s * u[2]};
  lane_quaternion_rotate(turn, n, x->bend_axis);
  for (int i = 0; i < 3; ++i) {
    x->direction[i] = u[i];
  }
  // From the bend axis of the rest pose to it.
  lane_cross3(axis, x->bend_axis, wanted_n);
  lane_half_angle(lane_dot3(axis, x->bend_axis), lane_dot3(u, wanted_n), cosine, sine);
}

// w and f of a vector v of length e; v is given another direction, less than rounding away, where
// it is opposite to that at rest: S is then the rotation by pi about n0.
LANE void limb_arc(lane v[3], lane e, lane *w, lane *f) {
  const lane_mask behind = lane_less(v[0], lane_of(0.0));
  const lane least = e * lane_of(SWIVEL_LEAST);
  lane square = lane_fma(v[1], v[1], v[2] * v[2]);
  const lane_mask opposite = mask_and(behind, lane_less(square, least * least));
  if (mask_bits(opposite) != 0) {
    v[1] = lane_keep(mask_not(opposite), v[1]);
    v[2] = lane_select(opposite, -least, v[2]);
    square = lane_select(opposite, least * least, square);
  }
  *w = lane_select(behind, square, e + v[0]);
  *f = lane_select(behind, e - v[0], lane_of(1.0));
}

// The length of (x, y), which is w sqrt(square), too, and whether it is more than w sqrt(least).
// One figure waits for the root, and that of square begins early; many do not wait, and x and y are
// there without another cross product.
LANE lane limb_length(lane x, lane y, lane w, lane square, lane least, lane_mask *more) {
  if (SINEW_LANES == 1) {
    *more = lane_less(least, square);
    return w * lane_sqrt(square);
  }
  const lane size = lane_fma(x, x, y * y);
  *more = lane_less(least * (w * w), size);
  return lane_sqrt(size);
}

// Makes a vector to a pole that is near or far one of length 1. Returns its length squared.
LANE lane limb_usual_pole(lane p[3]) {
  const lane one = lane_of(1.0), square = lane_dot3(p, p);
  const lane_mask usual = mask_and(lane_less(lane_of(LIMB_NEAR * LIMB_NEAR), square),
                                   lane_less(square, lane_of(LIMB_FAR * LIMB_FAR)));
  if (mask_bits(mask_not(usual)) == 0) {
    return square;
  }
  const lane_mask other =
      mask_and(mask_not(usual), lane_less(lane_of(LIMB_NO_POLE * LIMB_NO_POLE), square));
  const lane by = one / lane_sqrt(lane_select(other, square, one));
  for (int i = 0; i < 3; ++i) {
    p[i] = by * p[i];
  }
  return lane_select(other, one, square);
}

// Cosine and sine of phi / 2 for the pole p, both times a number; 1 and 0 if p gives no direction.
LANE void limb_pole_half(lane p[3], const lane v[3], lane e, lane w, lane f, lane *c, lane *s) {
  const lane square = limb_usual_pole(p);
  const lane across = lane_fma(v[1], p[1], v[2] * p[2]), along = lane_fma(w, p[0], f * across);
  const lane ew = e * w;
  const lane x = lane_fnma(ew, p[2], v[2] * along), y = lane_fnma(v[1], along, ew * p[1]);
  lane normal[3];
  lane_cross3(p, v, normal);
  lane_mask bent;
  const lane least = square * (e * e) * lane_of(LIMB_NO_BEND * LIMB_NO_BEND);
  const lane length = limb_length(x, y, w, lane_dot3(normal, normal), least, &bent);
  const lane_mask found = mask_and(lane_less(lane_of(LIMB_NO_POLE * LIMB_NO_POLE), square), bent);
  lane_half_turn(x, y, length, found, c, s);
}

// The rotation of a segment: A rot(n0, .) with cosine and sine of half that angle, times a number.
LANE void limb_segment(const sinew_limb *limb, const lane A[4], const lane half[2], lane by,
                       lane out[4]) {
  const lane c = half[0], s = half[1];
  const lane v[3] = {lane_fnma(A[3], s, A[1] * c), lane_fma(A[0], s, A[2] * c),
                     lane_fma(A[1], s, A[3] * c)};
  out[0] = lane_fnma(A[2], s, A[0] * c);
  limb_from_rest(limb, v, out + 1);
  for (int i = 0; i < 4; ++i) { // last: the number waits for roots
    out[i] = by * out[i];
  }
}

// A vector along u in the axes of the rest pose, and its length e: the target, or of length 1.
// Returns whether the target has a direction.
LANE lane_mask limb_direction(const sinew_limb *limb, lane d, const limb_lanes *x, lane v[3],
                              lane *e) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const double least = LIMB_NO_DIRECTION * limb->length_sum;
  const lane_mask known = lane_less(lane_of(least), d);
  const lane_mask usual = mask_and(lane_less(lane_of(least > LIMB_NEAR ? least : LIMB_NEAR), d),
                                   lane_less(d, lane_of(LIMB_FAR)));
  limb_to_rest(limb, x->target, v);
  *e = d;
  if (mask_bits(mask_not(usual)) == 0) {
    return known;
  }
  lane other[3] = {one, zero, zero};
  if (limb->bend == SINEW_LIMB_BEND_MEMORY) {
    lane last[3];
    const lane_mask any = lane_less(zero, lane_dot3(x->direction, x->direction));
    limb_to_rest(limb, x->direction, last);
    for (int i = 0; i < 3; ++i) {
      other[i] = lane_select(any, last[i], other[i]);
    }
  }
  const lane by = one / lane_select(known, d, one);
  for (int i = 0; i < 3; ++i) {
    v[i] = lane_select(usual, v[i], lane_select(known, by * v[i], other[i]));
  }
  *e = lane_select(usual, d, one);
  return known;
}

// u in the axes of the parent
LANE void limb_unit_direction(const sinew_limb *limb, lane d, lane_mask known, const limb_lanes *x,
                              lane u[3]) {
  const lane by = lane_of(1.0) / lane_select(known, d, lane_of(1.0));
  for (int i = 0; i < 3; ++i) {
    u[i] = by * x->target[i];
  }
  if (mask_bits(mask_not(known)) == 0) {
    return;
  }
  const lane_mask any = lane_less(lane_of(0.0), lane_dot3(x->direction, x->direction));
  for (int i = 0; i < 3; ++i) {
    const lane other = lane_select(any, x->direction[i], lane_of(limb->direction[i]));
    u[i] = lane_select(known, u[i], other);
  }
}

// Cosine and sine of phi / 2, both times a number.
LANE void limb_angle(const sinew_limb *limb, bool has_pole, bool has_swivel, const lane v[3],
                     const lane u_w[3], lane e, lane w, lane f, limb_lanes *x, lane *c, lane *s) {
  *c = lane_of(1.0);
  *s = lane_of(0.0);
  if (limb->bend == SINEW_LIMB_BEND_MEMORY) {
    const lane by = lane_of(1.0) / (e * w), fy = by * (f * v[1]);
    const lane a[3] = {-v[1] / e, lane_fnma(fy, v[1], lane_of(1.0)), -(fy * v[2])};
    lane axis[3];
    limb_from_rest(limb, a, axis);
    limb_remember(limb, has_pole, u_w, axis, x, c, s);
  } else if (limb->bend == SINEW_LIMB_BEND_POLE) {
    lane pole[3];
    limb_to_rest(limb, x->pole, pole);
    limb_pole_half(pole, v, e, w, f, c, s);
  }
  if (has_swivel) {
    const lane last_c = *c, last_s = *s;
    lane more_c, more_s;
    lane_sincos(lane_of(0.5) * x->swivel, &more_s, &more_c);
    *c = lane_fnma(last_s, more_s, last_c * more_c);
    *s = lane_fma(last_s, more_c, last_c * more_s);
  }
}

LANE void limb_solve_lanes(const sinew_limb *limb, bool has_pole, bool has_swivel, limb_lanes *x) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), d = lane_norm3(x->target);
  lane v[3], u_w[3], e, w, f, c, s;
  const lane_mask known = limb_direction(limb, d, x, v, &e);
  limb_unit_direction(limb, d, known, x, u_w);
  limb_arc(v, e, &w, &f);
  limb_angle(limb, has_pole, has_swivel, v, u_w, e, w, f, x, &c, &s);
  const lane A[4] = {w * c, w * s, f * lane_fnma(c, v[2], s * v[1]),
                     f * lane_fma(c, v[1], s * v[2])};

  // The triangle, and one division for both lengths
  const lane reach = limb_reach(limb, d);
  lane at_shoulder[3], at_wrist[3];
  limb_half_angles(limb, reach, at_shoulder, at_wrist);
  const lane square = (lane_of(2.0) * e * w * f) * lane_fma(c, c, s * s);
  const lane by_shoulder = lane_inverse_sqrt(square * at_shoulder[2]);
  const lane by_wrist = lane_inverse_sqrt(square * at_wrist[2]);
  limb_segment(limb, A, at_shoulder, by_shoulder, x->upper);
  limb_segment(limb, A, at_wrist, by_wrist, x->lower);

  // Stretched towards a target out of reach, it is the same triangle, larger.
  x->scale = one;
  if (limb->stretch > 0.0) {
    x->scale = lane_fma(lane_of(limb->stretch), lane_max(zero, d / reach - one), one);
  }
  const lane at = x->scale * reach;
  for (int i = 0; i < 3; ++i) {
    x->wrist[i] = at * u_w[i];
  }
  x->miss = lane_abs(d - at);
}

LANE void limb_find_elbow(const sinew_limb *limb, limb_lanes *x) {
  lane upper0[3];
  limb_constant3(limb->upper, upper0);
  lane_quaternion_rotate(x->upper, upper0, x->elbow);
  for (int i = 0; i < 3 && limb->stretch > 0.0; ++i) {
    x->elbow[i] = x->scale * x->elbow[i];
  }
}

LANE void limb_select3(lane_mask usable, const double fallback[3], lane v[3]) {
  for (int i = 0; i < 3; ++i) {
    v[i] = lane_select(usable, v[i], lane_of(fallback[i]));
  }
}

// What a row that is not usable gets: the rest pose.
LANE void limb_refuse(const sinew_limb *limb, lane_mask usable, limb_lanes *x) {
  for (int i = 0; i < 4; ++i) {
    const lane identity = lane_of(i == 0 ? 1.0 : 0.0);
    x->upper[i] = lane_select(usable, x->upper[i], identity);
    x->lower[i] = lane_select(usable, x->lower[i], identity);
  }
  const double wrist[3] = {limb->distance * limb->direction[0], limb->distance * limb->direction[1],
                           limb->distance * limb->direction[2]};
  limb_select3(usable, limb->upper, x->elbow);
  limb_select3(usable, wrist, x->wrist);
  x->scale = lane_select(usable, x->scale, lane_of(1.0));
  x->miss = lane_select(usable, x->miss, lane_of(-1.0));
}

LANE void limb_shift3(const double by[3], double sign, lane v[3]) {
  for (int i = 0; i < 3; ++i) {
    v[i] = v[i] + lane_of(sign * by[i]);
  }
}

typedef struct aim_lanes {
  lane target[3], up[3];  // the target from the joint
  lane rotation[4], miss; // out
} aim_lanes;

// A vector normal to the unit vector m, of length SWIVEL_LEAST: the part of up, or any.
LANE void aim_any_normal(const lane m[3], const lane up[3], lane out[3]) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane_mask steep = lane_less(lane_of(0.5), lane_abs(m[0]));
  const lane other[3] = {lane_keep(mask_not(steep), one), lane_keep(steep, one), zero};
  lane across[3], side[3];
  lane_cross3(m, up, across);
  lane_cross3(across, m, out);
  lane_cross3(m, other, side);
  const lane_mask usable = lane_less(lane_of(1e-12), lane_dot3(out, out));
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_select(usable, out[i], side[i]);
  }
  const lane by = lane_of(SWIVEL_LEAST) / lane_norm3(out);
  for (int i = 0; i < 3; ++i) {
    out[i] = by * out[i];
  }
}

// The shortest rotation S ~ (w, f v) from the unit vector m to the unit vector t, and h = w m + f v
// x m with S m ~ (0, h). Where m and t are opposite, about the part of up that is normal to m.
// Returns |S|^2.
LANE lane aim_arc(const lane m[3], const lane t[3], const lane up[3], lane S[4], lane v[3],
                  lane h[3]) {
  const lane one = lane_of(1.0), c = lane_dot3(m, t);
  lane z[3];
  lane_cross3(m, t, v);
  // Normal to m beyond the rounding of the cross product, so that S maps m to t wherever t is
  const lane along = lane_dot3(v, m);
  for (int i = 0; i < 3; ++i) {
    v[i] = lane_fnma(along, m[i], v[i]);
  }
  lane square = lane_dot3(v, v);
  const lane_mask behind = lane_less(c, lane_of(0.0));
  const lane_mask opposite = mask_and(behind, lane_less(square, lane_of(SWIVEL_LEAST_SQUARE)));
  if (mask_bits(opposite) != 0) {
    lane normal[3];
    aim_any_normal(m, up, normal);
    for (int i = 0; i < 3; ++i) {
      v[i] = lane_select(opposite, normal[i], v[i]);
    }
    square = lane_select(opposite, lane_of(SWIVEL_LEAST_SQUARE), square);
  }
  const lane f = lane_select(behind, one - c, one);
  S[0] = lane_select(behind, square, one + c);
  lane_cross3(v, m, z);
  for (int i = 0; i < 3; ++i) {
    S[1 + i] = f * v[i];
    h[i] = lane_fma(S[0], m[i], f * z[i]);
  }
  return lane_of(2.0) * S[0] * f;
}

LANE void aim_solve_lanes(const sinew_aim *aim, bool has_up, aim_lanes *x) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), tiny = lane_of(1e-150);
  lane o[3], f[3], up[3], rest[4], m[3], t[3], S[4], v[3], h[3];
  limb_constant3(aim->eye, o);
  limb_constant3(aim->forward, f);
  limb_constant3(aim->up, up);

  // The ray's point at the target's distance d. Where there is none in front of the eye, the
  // nearest one: the eye, or the point of the ray that is nearest to the joint.
  const double nearest = aim->square - aim->along * aim->along;
  const lane distance_square = lane_dot3(x->target, x->target);
  const lane d = lane_sqrt(distance_square), along = lane_of(aim->along);
  const lane root = distance_square - lane_of(nearest);
  const lane from_eye = lane_sqrt(lane_max(zero, root)) - along;
  const lane_mask inside = lane_less(root, zero), behind = lane_less(from_eye, zero);
  const lane from = lane_max(zero, from_eye);
  lane far = d;
  lane_mask known = lane_less(tiny, d);
  const lane by_d = one / lane_select(known, d, one);
  lane by = by_d;
  if (mask_bits(mask_or(inside, behind)) != 0) {
    far = lane_select(inside, lane_of(sqrt(nearest > 0.0 ? nearest : 0.0)), far);
    far = lane_select(behind, lane_of(sqrt(aim->square)), far);
    known = mask_and(known, lane_less(tiny, far));
    by = one / lane_select(known, far, one);
  }
  for (int i = 0; i < 3; ++i) {
    m[i] = lane_select(known, lane_fma(from, f[i], o[i]) * by, f[i]);
    t[i] = lane_select(known, x->target[i] * by_d, m[i]);
  }
  lane length = aim_arc(m, t, up, S, v, h); // squared

  // About the line to the target, by the angle phi of (x, y), x = a . g, y = t . (a x g) with the
  // wanted up vector g and a ~ S b, b the up vector less what it has along m: the largest R(q) up .
  // g. With n = v x m and A = S + tan(phi/2) (0, h),
  //   S b ~ w b - (b . n) h,   S (m x b) ~ w (m x b) + (b . v) h, of length w.
  if (has_up) {
    lane across[3], c, s;
    lane_cross3(m, up, across);
    const lane turned = lane_dot3(h, x->up), b_m = lane_dot3(up, m);
    const lane b_g = lane_fnma(b_m, lane_dot3(m, x->up), lane_dot3(up, x->up));
    const lane b_v = lane_dot3(up, v), b_n = lane_dot3(across, v);
    const lane at_x = lane_fnma(b_n, turned, S[0] * b_g);
    const lane at_y = lane_fma(b_v, turned, S[0] * lane_dot3(across, x->up));
    lane aside[3];
    lane_cross3(t, x->up, aside);
    const lane square = lane_dot3(x->up, x->up);
    lane_mask turned_up;
    const lane least = square * lane_of(LIMB_NO_BEND * LIMB_NO_BEND);
    const lane turn = limb_length(
        at_x, at_y, S[0], lane_dot3(across, across) * lane_dot3(aside, aside), least, &turned_up);
    const lane_mask found =
        mask_and(lane_less(lane_of(LIMB_NO_POLE * LIMB_NO_POLE), square), turned_up);
    lane_half_turn(at_x, at_y, turn, found, &c, &s);
    length = length * lane_fma(c, c, s * s);
    S[0] = c * S[0];
    for (int i = 0; i < 3; ++i) {
      S[1 + i] = lane_fma(s, h[i], c * S[1 + i]);
    }
  }
  const lane by_length = one / lane_sqrt(length);
  for (int i = 0; i < 4; ++i) {
    rest[i] = lane_of(aim->rest[i]);
  }
  lane_quaternion_multiply(S, rest, x->rotation);
  for (int i = 0; i < 4; ++i) { // last: the number waits for roots
    x->rotation[i] = by_length * x->rotation[i];
  }
  x->miss = lane_abs(far - d);
}

#endif
