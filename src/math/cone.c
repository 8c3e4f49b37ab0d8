// Limits of swing and twist: see cone.h.
//
// In the cone's axes, q = (w, x, y, z), n = sqrt(w^2 + x^2):
//
//   phi = 2 atan2(x, w),  q_s = (n, 0, y', z'),  (y', z') = ((w y - x z) / n, (x y + w z) / n)
//   s = theta (y', z') / |(y', z')|,  theta = 2 atan2(|(y', z')|, n)
//
// With u = s / theta, c = x cross u and v = R(phi) w for a step w in the moved axes,
//
//   ds = u (u . v) + theta / sin(theta) c (c . v),   dphi = x . w + tan(theta / 2) (c . v)
//
// from q' = q w / 2. Source of the swing as a rotation vector: Grassia, Practical parameterization
// of rotations using the exponential map, 1998, section 5; the ellipse in four quarters is ours.
#include "math/cone.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "sinew/math.h"

#include <string.h>

// Results are inside by this share, so that rounding errors do not move them out.
#define INSIDE (1.0 - 1e-12)
// How often a step of a joint with inactive axes is halved before it is left out.
#define SHORTER 30
// Beyond this swing the rates are those at it: at pi they are infinite.
#define MOST_RATE (SINEW_PI - 0.02)

void sinew_cone_set(sinew_cone *cone, const double axis[3], const double axis2[3],
                    const double lower[3], const double upper[3]) {
  sinew_scale(1.0 / sinew_norm_safe(axis), axis, cone->axes[0]);
  sinew_scale(1.0 / sinew_norm_safe(axis2), axis2, cone->axes[1]);
  sinew_cross(cone->axes[0], cone->axes[1], cone->axes[2]);
  sinew_scale(1.0 / sinew_norm(cone->axes[2]), cone->axes[2], cone->axes[2]);
  sinew_cross(cone->axes[2], cone->axes[0], cone->axes[1]);
  for (int i = 0; i < 3; ++i) {
    cone->lower[i] = i == 0 ? sinew_max(lower[i], -SINEW_PI) : lower[i];
    cone->upper[i] = i == 0 ? sinew_min(upper[i], SINEW_PI) : upper[i];
  }
}

static bool limits_twist(const sinew_cone *cone) {
  return cone->lower[0] > -SINEW_PI || cone->upper[0] < SINEW_PI;
}

void sinew_swing_twist_of(const sinew_cone *cone, const double q[4], sinew_swing_twist *out) {
  const double w = q[0], x = sinew_dot(cone->axes[0], q + 1), y = sinew_dot(cone->axes[1], q + 1),
               z = sinew_dot(cone->axes[2], q + 1);
  const double n = sqrt(w * w + x * x);
  const double c = n > 0.0 ? w / n : 1.0, s = n > 0.0 ? x / n : 0.0;
  const double across[2] = {c * y - s * z, s * y + c * z};
  const double half = sqrt(across[0] * across[0] + across[1] * across[1]);
  const double angle = 2.0 * atan2(half, n), scale = half > 1e-8 ? angle / half : 2.0;
  double twist = 2.0 * atan2(s, c);
  twist = twist > SINEW_PI ? twist - 2.0 * SINEW_PI : twist;
  twist = twist <= -SINEW_PI ? twist + 2.0 * SINEW_PI : twist;
  *out = (sinew_swing_twist){twist, {scale * across[0], scale * across[1]}};
}

void sinew_swing_twist_to(const sinew_cone *cone, const sinew_swing_twist *of, double q[4]) {
  double swing[3], twist[3], a[4], b[4];
  for (int i = 0; i < 3; ++i) {
    swing[i] = of->swing[0] * cone->axes[1][i] + of->swing[1] * cone->axes[2][i];
    twist[i] = of->twist * cone->axes[0][i];
  }
  sinew_quaternion_exp(swing, a);
  sinew_quaternion_exp(twist, b);
  sinew_quaternion_multiply(a, b, q);
  sinew_quaternion_normalize(q);
}

// The semi-axis on the side of s.
static double semi_axis(const sinew_cone *cone, int i, double s) {
  return s > 0.0 ? cone->upper[1 + i] : -cone->lower[1 + i];
}

double sinew_cone_level(const sinew_cone *cone, const double swing[2]) {
  const double a = swing[0] / semi_axis(cone, 0, swing[0]);
  const double b = swing[1] / semi_axis(cone, 1, swing[1]);
  return sqrt(a * a + b * b);
}

// By how much an angle is outside a range, the shorter way round: > 0 above, < 0 below.
static double twist_excess(double lower, double upper, double twist) {
  if (twist >= lower && twist <= upper) {
    return 0.0;
  }
  const double above = twist > upper ? twist - upper : twist + 2.0 * SINEW_PI - upper;
  const double below = twist < lower ? lower - twist : lower + 2.0 * SINEW_PI - twist;
  return above <= below ? above : -below;
}

double sinew_cone_excess(const sinew_cone *cone, const double q[4]) {
  sinew_swing_twist at;
  sinew_swing_twist_of(cone, q, &at);
  const double f = sinew_cone_level(cone, at.swing);
  const double length = sqrt(at.swing[0] * at.swing[0] + at.swing[1] * at.swing[1]);
  const double swing = f > 1.0 ? length * (1.0 - 1.0 / f) : 0.0;
  return sinew_max(swing, fabs(twist_excess(cone->lower[0], cone->upper[0], at.twist)));
}

bool sinew_cone_hold(const sinew_cone *cone, const double *from, double q[4]) {
  sinew_swing_twist at;
  double most = 1.0, lower = cone->lower[0], upper = cone->upper[0];
  sinew_swing_twist_of(cone, q, &at);
  const double f = sinew_cone_level(cone, at.swing);
  bool inside = f <= most && at.twist >= lower && at.twist <= upper;
  if (!inside && from != NULL) {
    sinew_swing_twist before;
    sinew_swing_twist_of(cone, from, &before);
    most = sinew_max(most, sinew_cone_level(cone, before.swing));
    const double out = twist_excess(lower, upper, before.twist);
    lower -= sinew_max(-out, 0.0);
    upper += sinew_max(out, 0.0);
    inside = f <= most && twist_excess(lower, upper, at.twist) == 0.0;
  }
  if (inside) {
    return false;
  }
  const double share = f > most ? most / f * INSIDE : 1.0;
  const double out = twist_excess(lower, upper, at.twist);
  at.swing[0] *= share;
  at.swing[1] *= share;
  at.twist = out > 0.0 ? upper : out < 0.0 ? lower : at.twist;
  sinew_swing_twist_to(cone, &at, q);
  return true;
}

void sinew_cone_reach(const sinew_cone *cone, double q[4]) {
  sinew_swing_twist at;
  sinew_swing_twist_of(cone, q, &at);
  const double share = INSIDE / sinew_cone_level(cone, at.swing);
  at.swing[0] *= share;
  at.swing[1] *= share;
  sinew_swing_twist_to(cone, &at, q);
}

void sinew_cone_move(const sinew_cone *cone, bool whole, const double w[3], double q[4]) {
  double from[4], part[3];
  memcpy(from, q, sizeof from);
  sinew_quaternion_apply(q, w);
  if (whole) {
    sinew_cone_hold(cone, from, q);
    return;
  }
  const double before = sinew_cone_excess(cone, from);
  double share = 1.0;
  for (int i = 0; i <= SHORTER && sinew_cone_excess(cone, q) > before; ++i, share *= 0.5) {
    sinew_scale(i < SHORTER ? 0.5 * share : 0.0, w, part);
    memcpy(q, from, sizeof from);
    sinew_quaternion_apply(q, part);
  }
}

void sinew_cone_of_uniform(const sinew_cone *cone, const double u[3], double q[4]) {
  const double radius = sqrt(u[1]) * INSIDE;
  double left = u[0], side[2]; // signed semi-axes; what is left of u[0] is uniform in its quarter
  for (int i = 0; i < 2; ++i) {
    const double upper = cone->upper[1 + i], lower = cone->lower[1 + i];
    const double share = upper / (upper - lower);
    side[i] = left < share ? upper : lower;
    left = left < share ? left / share : (left - share) / (1.0 - share);
  }
  const double angle = 0.5 * SINEW_PI * left;
  const sinew_swing_twist at = {cone->lower[0] + u[2] * (cone->upper[0] - cone->lower[0]),
                                {radius * side[0] * cos(angle), radius * side[1] * sin(angle)}};
  sinew_swing_twist_to(cone, &at, q);
}

void sinew_cone_middle(const sinew_cone *cone, double q[4]) {
  const sinew_swing_twist at = {
      0.5 * (cone->lower[0] + cone->upper[0]),
      {0.5 * (cone->lower[1] + cone->upper[1]), 0.5 * (cone->lower[2] + cone->upper[2])}};
  sinew_swing_twist_to(cone, &at, q);
}

// From the cone's axes to the joint's, twisted back by phi: R(phi)^T, then the axes.
static void to_moved_axes(const sinew_cone *cone, double twist, const double v[3], double out[3]) {
  const double c = cos(twist), s = sin(twist);
  const double back[3] = {v[0], c * v[1] + s * v[2], c * v[2] - s * v[1]};
  for (int i = 0; i < 3; ++i) {
    out[i] = back[0] * cone->axes[0][i] + back[1] * cone->axes[1][i] + back[2] * cone->axes[2][i];
  }
}

void sinew_cone_linearize(const sinew_cone *cone, const double q[4], sinew_cone_rows *rows) {
  sinew_swing_twist at;
  sinew_swing_twist_of(cone, q, &at);
  const double f = sinew_cone_level(cone, at.swing);
  const double length = sqrt(at.swing[0] * at.swing[0] + at.swing[1] * at.swing[1]);
  const bool small = length < 1e-8;
  const double theta = sinew_min(length, MOST_RATE);
  const double u[2] = {small ? 1.0 : at.swing[0] / length, small ? 0.0 : at.swing[1] / length};
  const double c[2] = {-u[1], u[0]};
  const double slower = small ? 1.0 : theta / sin(theta),
               skew = sin(0.5 * theta) / cos(0.5 * theta);
  double slope[2]; // the gradient of f
  for (int i = 0; i < 2; ++i) {
    const double a = semi_axis(cone, i, u[i]);
    slope[i] = small ? u[i] / a : at.swing[i] / (a * a * f);
  }
  const double along = slope[0] * u[0] + slope[1] * u[1],
               across = slower * (slope[0] * c[0] + slope[1] * c[1]);
  const double swing[3] = {0.0, along * u[0] + across * c[0], along * u[1] + across * c[1]};
  const double twist[3] = {1.0, skew * c[0], skew * c[1]};
  rows->level = f;
  rows->angle = at.twist;
  rows->swing_unit = sinew_norm(swing);
  rows->twist_unit = sinew_norm(twist);
  to_moved_axes(cone, at.twist, swing, rows->swing);
  to_moved_axes(cone, at.twist, twist, rows->twist);
  sinew_scale(1.0 / rows->swing_unit, rows->swing, rows->swing);
  sinew_scale(1.0 / rows->twist_unit, rows->twist, rows->twist);
  rows->most = (1.0 - f) / rows->swing_unit;
  rows->down = -INFINITY;
  rows->up = INFINITY;
  if (limits_twist(cone)) {
    const double out = twist_excess(cone->lower[0], cone->upper[0], at.twist);
    rows->up = (out > 0.0 ? -out : cone->upper[0] - at.twist) / rows->twist_unit;
    rows->down = (out < 0.0 ? -out : cone->lower[0] - at.twist) / rows->twist_unit;
    // Outside one end, the other is on the far side.
    rows->up = out < 0.0 ? sinew_max(rows->up, rows->down) : rows->up;
    rows->down = out > 0.0 ? sinew_min(rows->down, rows->up) : rows->down;
  }
}
