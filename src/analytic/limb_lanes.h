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
// A is the shortest rotation from u0 to u followed by a rotation about u, which is all that the
// rules for the bend axis differ in: for a pole p from the shoulder it is the angle of
// (p . (a x u), p . a), a the bend axis before it.
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
  const double length = limb->length[0] + limb->length[1], z = limb->zone;
  const double least = fabs(limb->length[0] - limb->length[1]);
  lane reach = d;
  if (z > 0.0) {
    const lane begin = lane_of(length - z);
    const lane soft =
        lane_fnma(lane_of(z), lane_exp(lane_min((begin - d) * lane_of(1.0 / z), lane_of(0.0))),
                  lane_of(length));
    reach = lane_select(lane_less(begin, d), soft, d);
  }
  return lane_max(lane_min(reach, lane_of(length)),
                  lane_of(least > LIMB_NO_DIRECTION * length ? least : LIMB_NO_DIRECTION * length));
}

// Cosine and sine of (alpha - alpha0) / 2 and of (gamma0 - gamma) / 2, times a number each.
LANE void limb_half_angles(const sinew_limb *limb, lane reach, lane at_shoulder[2],
                           lane at_wrist[2]) {
  // Lengths as shares of the limb's, so that no product is too large
  const double by = 1.0 / (limb->length[0] + limb->length[1]);
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
  at_wrist[0] = lane_fma(c2, rc2, s2 * rs2);
  at_wrist[1] = lane_fnma(s2, rc2, c2 * rs2);
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

LANE void limb_solve_lanes(const sinew_limb *limb, bool has_pole, bool has_swivel, limb_lanes *x) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const double length = limb->length[0] + limb->length[1];
  lane u0[3], n0[3], upper0[3], u[3], A[4], axis[3], c = one, s = zero;
  limb_constant3(limb->direction, u0);
  limb_constant3(limb->bend_axis, n0);
  limb_constant3(limb->upper, upper0);

  // The direction of the target
  const lane d = lane_norm3(x->target);
  const lane_mask known = lane_less(lane_of(LIMB_NO_DIRECTION * length), d);
  const lane by = one / lane_select(known, d, one);
  for (int i = 0; i < 3; ++i) {
    u[i] = lane_select(known, x->target[i] * by, u0[i]);
  }
  if (limb->bend == SINEW_LIMB_BEND_MEMORY) {
    const lane_mask any =
        mask_and(mask_not(known), lane_less(zero, lane_dot3(x->direction, x->direction)));
    for (int i = 0; i < 3; ++i) {
      u[i] = lane_select(any, x->direction[i], u[i]);
    }
  }
  // and the angle about it
  lane_shortest_arc(u0, u, n0, A);
  if (limb->bend == SINEW_LIMB_BEND_MEMORY) {
    lane_quaternion_normalize(A);
    lane_quaternion_rotate(A, n0, axis);
    limb_remember(limb, has_pole, u, axis, x, &c, &s);
  } else if (limb->bend == SINEW_LIMB_BEND_POLE) {
    lane at_x, at_y;
    lane_rotate_scaled(A, lane_quaternion_square(A), n0, axis);
    const lane_mask found = limb_pole_angle(x->pole, u, axis, &at_x, &at_y);
    lane_half_turn(at_x, at_y, found, &c, &s);
  }
  if (limb->bend != SINEW_LIMB_BEND_REST) {
    lane_swivel(u, c, s, A);
  }
  if (has_swivel) {
    lane_sincos(lane_of(0.5) * x->swivel, &s, &c);
    lane_swivel(u, c, s, A);
  }

  // The triangle
  const lane reach = limb_reach(limb, d);
  lane at_shoulder[2], at_wrist[2];
  limb_half_angles(limb, reach, at_shoulder, at_wrist);
  const lane bend[4] = {at_shoulder[0], at_shoulder[1] * n0[0], at_shoulder[1] * n0[1],
                        at_shoulder[1] * n0[2]};
  const lane bend_back[4] = {at_wrist[0], at_wrist[1] * n0[0], at_wrist[1] * n0[1],
                             at_wrist[1] * n0[2]};
  lane_quaternion_multiply(A, bend, x->upper);
  lane_quaternion_multiply(A, bend_back, x->lower);
  lane_quaternion_normalize(x->upper);
  lane_quaternion_normalize(x->lower);

  // Stretched towards a target out of reach, it is the same triangle, larger.
  x->scale = one;
  if (limb->stretch > 0.0) {
    x->scale = lane_fma(lane_of(limb->stretch), lane_max(zero, d / reach - one), one);
  }
  const lane at = x->scale * reach;
  lane_quaternion_rotate(x->upper, upper0, x->elbow);
  for (int i = 0; i < 3; ++i) {
    x->elbow[i] = x->scale * x->elbow[i];
    x->wrist[i] = at * u[i];
  }
  x->miss = lane_abs(d - at);
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

LANE void aim_solve_lanes(const sinew_aim *aim, bool has_up, aim_lanes *x) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), tiny = lane_of(1e-150);
  lane o[3], f[3], up[3], rest[4], m[3], t[3], axis[3], side[3], arc[4];
  limb_constant3(aim->eye, o);
  limb_constant3(aim->forward, f);
  limb_constant3(aim->up, up);
  for (int i = 0; i < 4; ++i) {
    rest[i] = lane_of(aim->rest[i]);
  }

  // The ray's point at the target's distance d. Where there is none in front of the eye, the
  // nearest one: the eye, or the point of the ray that is nearest to the joint.
  const double nearest = aim->square - aim->along * aim->along;
  const lane d = lane_norm3(x->target), along = lane_of(aim->along);
  const lane root = lane_fma(d, d, lane_of(-nearest));
  const lane from_eye = lane_sqrt(lane_max(zero, root)) - along;
  const lane_mask inside = lane_less(root, zero), behind = lane_less(from_eye, zero);
  const lane from = lane_max(zero, from_eye);
  lane far = lane_select(inside, lane_of(sqrt(nearest > 0.0 ? nearest : 0.0)), d);
  far = lane_select(behind, lane_of(sqrt(aim->square)), far);
  const lane_mask known = mask_and(lane_less(tiny, d), lane_less(tiny, far));
  const lane by_d = one / lane_select(known, d, one);
  lane by = by_d;
  if (mask_bits(mask_or(inside, behind)) != 0) {
    by = one / lane_select(known, far, one);
  }
  for (int i = 0; i < 3; ++i) {
    m[i] = lane_select(known, lane_fma(from, f[i], o[i]) * by, f[i]);
    t[i] = lane_select(known, x->target[i] * by_d, m[i]);
  }
  // Where they are opposite, about the part of up that is normal to m, or any normal.
  const lane_mask steep = lane_less(lane_of(0.5), lane_abs(m[0]));
  const lane other[3] = {lane_keep(mask_not(steep), one), lane_keep(steep, one), zero};
  lane_cross3(m, other, side);
  lane_cross3(m, up, axis);
  lane_cross3(axis, m, axis);
  const lane_mask usable = lane_less(lane_of(1e-12), lane_dot3(axis, axis));
  for (int i = 0; i < 3; ++i) {
    axis[i] = lane_select(usable, axis[i], side[i]);
  }
  lane_shortest_arc(m, t, axis, arc);

  // About the line to the target: the largest R(q) up . up_wanted.
  if (has_up) {
    lane a[3], across[3], c, s;
    lane_rotate_scaled(arc, lane_quaternion_square(arc), up, a);
    lane_cross3(a, x->up, across);
    const lane at_x = lane_fnma(lane_dot3(a, t), lane_dot3(x->up, t), lane_dot3(a, x->up));
    const lane at_y = lane_dot3(t, across), square = lane_dot3(x->up, x->up);
    const lane least = square * lane_dot3(a, a) * lane_of(LIMB_NO_BEND * LIMB_NO_BEND);
    const lane_mask found = mask_and(lane_less(lane_of(LIMB_NO_POLE * LIMB_NO_POLE), square),
                                     lane_less(least, lane_fma(at_x, at_x, at_y * at_y)));
    lane_half_turn(at_x, at_y, found, &c, &s);
    lane_swivel(t, c, s, arc);
  }
  lane_quaternion_multiply(arc, rest, x->rotation);
  lane_quaternion_normalize(x->rotation);
  x->miss = lane_abs(far - d);
}

#endif
