// The axes and limits of a step of a joint with limits of swing and twist, for lanes of any width:
// sinew_cone_step in cone.h. Symbols as in cone_lanes.h.
//
// Along the path q exp(h w) v' = phi' x cross v, and so
//
//   theta'' = b (b cot(theta) - p),   psi'' = a (p - 2 b cot(theta)) / sin(theta),
//   phi'' = t a phi',   f'' = theta'' g + (2 a psi' + theta psi'') g' + theta psi'^2 g''
#ifndef SINEW_MATH_CONE_STEP_H
#define SINEW_MATH_CONE_STEP_H

#include "math/cone_lanes.h"

// A limit nearer than this [rad] is reached: joints are held a little inside theirs.
#define CONE_REACHED 1e-10
// While a figure comes to rest, a joint may move by so much [rad] more than in the last part,
#define CONE_FASTER 0.02
// and slow down by so much from part to part [rad].
#define CONE_BRAKES 0.01
// The largest |c| by which axes of a step are sheared: a_3 is then at most 45 degrees from another.
#define CONE_MOST_SHEAR 1.0
// A limit of a smaller curvature [1/rad] is straight: rounding errors do not decide c.
#define CONE_STRAIGHT 1e-3
// The least f at which a motion to the limit of swing is made to end there, and the share of the
// motion by which it may be changed for that: the smallest motions would else be to and fro.
#define CONE_LEAST_LEVEL 0.5
#define CONE_ENDS_SHARE 0.1
// Within this sine of an angle of an axis of the ellipse its quarters pass into each other.
#define CONE_BLEND 1e-3

// ------------------------------------------------------------ second derivatives

// A second derivative as a quadratic form of the components a, b and p of a step.
typedef struct cone_form {
  lane bb, ab, bp, ap;
} cone_form;

// p, a, b of a step in the moved axes.
LANE void cone_components(const lane_cone *cone, const cone_place *at, const lane w[3],
                          lane out[3]) {
  const lane x = cone_along(cone->axes[1], w), y = cone_along(cone->axes[2], w);
  const lane v[2] = {lane_fnma(at->sine, y, at->cosine * x), lane_fma(at->sine, x, at->cosine * y)};
  out[0] = cone_along(cone->axes[0], w);
  out[1] = lane_fma(at->u[0], v[0], at->u[1] * v[1]);
  out[2] = lane_fnma(at->u[1], v[0], at->u[0] * v[1]);
}

// 1 over the semi-axis for the second derivative, by u. At u = 0, where quarters of the ellipse
// meet, the second derivative of g jumps; a joint there would be damped by one and the other in
// turn. So the squares, which it is linear in there, pass from one to the other within CONE_BLEND.
LANE lane cone_blended_square(const lane_cone *cone, int i, lane u) {
  const lane upper = cone_lane(cone->inverse_upper[i] * cone->inverse_upper[i]);
  const lane lower = cone_lane(cone->inverse_lower[i] * cone->inverse_lower[i]);
  const lane half = lane_of(0.5), most = lane_of(1.0);
  const lane along = lane_fma(lane_of(0.5 / CONE_BLEND), u, half);
  const lane share = lane_min(lane_max(along, lane_of(0.0)), most);
  return lane_fma(share, upper - lower, lower);
}

LANE cone_form cone_form_of(const lane_cone *cone, const cone_place *at, int i) {
  const lane zero = lane_of(0.0), two = lane_of(2.0), one = lane_of(1.0);
  if (i == 1) {
    return (cone_form){zero, at->t * at->t, zero, at->t};
  }
  const lane across =
      cone_blended_square(cone, 1, at->u[1]) - cone_blended_square(cone, 0, at->u[0]);
  const lane cosine = lane_fnma(at->u[1], at->u[1], at->u[0] * at->u[0]); // of 2 psi
  const lane second = lane_fnma(at->slope, at->slope, across * cosine) / at->g;
  const lane ratio = at->theta * at->inverse_sine;
  const lane cot = lane_fnma(at->t, at->t, one) / cone_divisor(two * at->t);
  return (cone_form){
      lane_fma(at->g, cot, ratio * at->inverse_sine * second),
      two * at->slope *
          lane_fnma(ratio, lane_fnma(at->t, at->t, one) / lane_fma(at->t, at->t, one), one) *
          at->inverse_sine,
      -at->g, ratio * at->slope};
}

LANE lane cone_form_at(const cone_form *of, const lane x[3], const lane y[3]) {
  const lane half = lane_of(0.5);
  const lane ab = lane_fma(x[1], y[2], y[1] * x[2]), bp = lane_fma(x[2], y[0], y[2] * x[0]),
             ap = lane_fma(x[1], y[0], y[1] * x[0]);
  return lane_fma(of->bb, x[2] * y[2],
                  half * lane_fma(of->ab, ab, lane_fma(of->bp, bp, of->ap * ap)));
}

// The curvature of limit i along the axes a_2 or a_1, and a_3, in units of its slope.
LANE_APART void cone_curvature(const lane_cone *cone, const cone_place *at,
                               const lane_cone_step *step, int i, const lane first[3],
                               const lane second[3], lane k[3]) {
  const cone_form form = cone_form_of(cone, at, i);
  const lane inverse = lane_of(1.0) / step->unit[i];
  lane x[3], y[3];
  cone_components(cone, at, first, x);
  cone_components(cone, at, second, y);
  k[0] = inverse * cone_form_at(&form, x, x);
  k[1] = inverse * cone_form_at(&form, y, y);
  k[2] = inverse * cone_form_at(&form, x, y);
}

// ------------------------------------------------------------- axes of a step

// r_3 and the dual axes.
LANE void cone_complete(lane_cone_step *step) {
  lane(*r)[3] = step->row, (*a)[3] = step->axis;
  lane_cross3(r[0], r[1], r[2]);
  const lane inverse = lane_of(1.0) / lane_norm3(r[2]);
  cone_scale(inverse, r[2]);
  lane_cross3(r[1], r[2], a[0]);
  lane_cross3(r[2], r[0], a[1]);
  cone_scale(inverse, a[0]);
  cone_scale(inverse, a[1]);
  lanes_copy(3, r[2], a[2]);
}

LANE lane_mask lane_cone_is_near(const lane_cone_step *step, int i, lane far) {
  return i == 0 ? lane_less(step->most, far)
                : mask_or(lane_less(step->up, far), lane_less(-far, step->down));
}

LANE void cone_put(lane_mask where, const lane from[3], lane to[3]) {
  for (int i = 0; i < 3; ++i) {
    to[i] = lane_select(where, from[i], to[i]);
  }
}

// Orthogonal axes of which one is r_i, the others rotated about it by the angle at which the mixed
// derivative is 0; without the other limit. Where so.
LANE_APART void cone_make_orthogonal(const lane_cone *cone, const cone_place *at, int i,
                                     lane_mask where, lane_cone_step *step) {
  const lane far = lane_of(INFINITY), zero = lane_of(0.0), two = lane_of(2.0);
  lane first[3], k[3], a[3], b[3], sine, cosine;
  lane_cross3(step->row[2], step->row[i], first);
  cone_curvature(cone, at, step, i, first, step->row[2], k);
  lane_sincos(lane_of(0.5) * lane_atan2(two * k[2], k[0] - k[1]), &sine, &cosine);
  for (int j = 0; j < 3; ++j) {
    a[j] = lane_fma(cosine, first[j], sine * step->row[2][j]);
    b[j] = lane_fnma(sine, first[j], cosine * step->row[2][j]);
  }
  const lane along =
      lane_fma(cosine * cosine, k[0], lane_fma(two * cosine * sine, k[2], sine * sine * k[1]));
  const lane bent[3] = {along, k[0] + k[1] - along, zero};
  cone_put(where, bent, step->curvature[i]);
  cone_put(where, a, step->row[1 - i]);
  cone_put(where, b, step->row[2]);
  for (int j = 0; j < 3; ++j) {
    cone_put(where, step->row[j], step->axis[j]);
  }
  if (i == 0) {
    step->up = lane_select(where, far, step->up);
    step->down = lane_select(where, -far, step->down);
  } else {
    step->most = lane_select(where, far, step->most);
  }
}

// Where both limits are near, each has an axis, a_1 and a_2. Along a_2 and a_3 the curvature of
// limit 0 has a mixed derivative, which is removed by
//
//   a_2 <- a_2 + c a_3,  r_3 <- r_3 - c r_2,  c = -k_23 / k_33
//
// and so for limit 1 along a_1 and a_3. Else |k_23| would be added to both dampings, the most that
// it may add. Near the narrow end of an ellipse k_22 k_33 = k_23^2 nearly: along one direction the
// limit is straight, and that one would be damped by twice the curvature of the ellipse, so that a
// figure came to rest in hundreds of updates. Where so.
LANE void cone_remove_mixed(int i, lane_mask where, lane_cone_step *step, lane k[3]) {
  const lane most = lane_of(CONE_MOST_SHEAR), two = lane_of(2.0);
  const lane square = lane_fma(k[1], k[1], lane_of(CONE_STRAIGHT * CONE_STRAIGHT));
  const lane ratio = lane_min(lane_max(k[1] * k[2] / square, -most), most);
  const lane c = lane_keep(where, -ratio);
  for (int j = 0; j < 3; ++j) {
    step->axis[1 - i][j] = lane_fma(c, step->axis[2][j], step->axis[1 - i][j]);
    step->row[2][j] = lane_fnma(c, step->row[1 - i][j], step->row[2][j]);
  }
  k[0] = lane_fma(c, lane_fma(c, k[1], two * k[2]), k[0]);
  k[2] = lane_fma(c, k[1], k[2]);
}

LANE lane cone_reached(lane distance) {
  return lane_select(lane_less(lane_abs(distance), lane_of(CONE_REACHED)), lane_of(0.0), distance);
}

// sinew_cone_step_set()
LANE_APART void lane_cone_step_set(lane_cone_step *step, const lane_cone *cone, const lane q[4],
                                   lane far) {
  cone_place at;
  cone_place_of(cone, q, &at);
  cone_rows(cone, &at, step);
  step->most = cone_reached(step->most);
  step->down = cone_reached(step->down);
  step->up = cone_reached(step->up);
  for (int i = 0; i < 3; ++i) {
    step->curvature[0][i] = step->curvature[1][i] = lane_of(0.0);
  }
  step->slides = lane_of(0.0);
  cone_complete(step);
  const lane pressed = lane_of(SINEW_CONE_PRESSED);
  const lane_mask near[2] = {lane_cone_is_near(step, 0, pressed),
                             lane_cone_is_near(step, 1, pressed)};
  const lane_mask apart[2] = {mask_not(lane_cone_is_near(step, 0, far)),
                              mask_not(lane_cone_is_near(step, 1, far))};
  // Where only one limit is near, it alone has an axis.
  const lane_mask only[2] = {mask_and(near[0], apart[1]), mask_and(near[1], apart[0])};
  for (int i = 0; i < 2; ++i) {
    const lane_mask both = mask_and(near[i], mask_not(only[i]));
    if (mask_bits(both) != 0) {
      lane k[3];
      cone_curvature(cone, &at, step, i, step->axis[1 - i], step->axis[2], k);
      cone_remove_mixed(i, both, step, k);
      cone_put(both, k, step->curvature[i]);
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (mask_bits(only[i]) != 0) {
      cone_make_orthogonal(cone, &at, i, only[i], step);
    }
  }
}

// Further than this [rad] the limits of a joint that comes to rest have no effect on a step: they
// are beyond where it would brake. last: the length of its last motion.
LANE lane lane_cone_far(lane last) {
  const lane most = last + lane_of(CONE_FASTER);
  return lane_of(0.5) * most * (most / lane_of(CONE_BRAKES) + lane_of(1.0));
}

// From y to w.
LANE void lane_cone_step_combine(const lane_cone_step *step, const lane y[3], lane w[3]) {
  for (int k = 0; k < 3; ++k) {
    w[k] =
        lane_fma(y[0], step->axis[0][k], lane_fma(y[1], step->axis[1][k], y[2] * step->axis[2][k]));
  }
}

// Where a motion w leads to the limit of swing, or along it.
LANE lane_mask cone_ends_at_limit(const lane_cone_step *step, const lane w[3]) {
  const lane way = (lane_of(CONE_INSIDE) - step->value[0]) / step->unit[0];
  const lane distance = lane_abs(way - lane_dot3(step->row[0], w));
  const lane near = lane_min(lane_of(CONE_REACHED), lane_of(CONE_ENDS_SHARE) * lane_norm3(w));
  return mask_and(lane_less(lane_of(CONE_LEAST_LEVEL), step->value[0]),
                  lane_less_equal(distance, near));
}

// Whether a step w is along the limit of swing, where the joint is.
LANE void lane_cone_step_note(lane_cone_step *step, const lane w[3]) {
  const lane_mask reached = lane_less_equal(lane_abs(step->most), lane_of(CONE_REACHED));
  step->slides = mask_bits(reached) == 0
                     ? lane_of(0.0)
                     : lane_keep(mask_and(reached, cone_ends_at_limit(step, w)), lane_of(1.0));
}

// sinew_cone_step_damp()
LANE void lane_cone_step_damp(const lane_cone_step *step, const lane_mask blocked[2],
                              const lane multiplier[2], lane damping[3]) {
  const lane zero = lane_of(0.0);
  lane third = zero;
  for (int i = 0; i < 2; ++i) {
    const lane *k = step->curvature[i], l = multiplier[i];
    const lane beside = lane_keep(mask_not(blocked[1 - i]), lane_abs(l * k[2]));
    damping[1 - i] =
        damping[1 - i] + lane_keep(blocked[i], lane_max(lane_fma(l, k[0], beside), zero));
    third = third + lane_keep(blocked[i], lane_fma(l, k[1], beside));
  }
  damping[2] = damping[2] + lane_max(third, zero);
}

#endif
