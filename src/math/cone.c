// Limits of swing and twist of one joint: see cone.h; the mathematics is in cone_lanes.h,
// cone_step.h and cone_motion.h.
#define SINEW_CALLS
#include "math/cone.h"
#include "math/cone_motion.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "sinew/math.h"

#include <string.h>

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
  for (int i = 0; i < 2; ++i) {
    cone->inverse_lower[i] = 1.0 / cone->lower[1 + i];
    cone->inverse_upper[i] = 1.0 / cone->upper[1 + i];
  }
  cone->tan_lower = sin(0.5 * cone->lower[0]) / cos(0.5 * cone->lower[0]);
  cone->tan_upper = sin(0.5 * cone->upper[0]) / cos(0.5 * cone->upper[0]);
}

void sinew_swing_twist_of(const sinew_cone *cone, const double q[4], sinew_swing_twist *out) {
  lane_swing_twist_of(cone, q, out);
}

void sinew_swing_twist_to(const sinew_cone *cone, const sinew_swing_twist *of, double q[4]) {
  lane_swing_twist_to(cone, of, q);
}

double sinew_cone_level(const sinew_cone *cone, const double swing[2]) {
  return lane_cone_level(cone, swing);
}

double sinew_cone_excess(const sinew_cone *cone, const double q[4]) {
  return lane_cone_excess(cone, q);
}

bool sinew_cone_hold(const sinew_cone *cone, const double *from, double q[4]) {
  return mask_bits(lane_cone_hold(cone, from, q)) != 0;
}

void sinew_cone_reach(const sinew_cone *cone, double q[4]) {
  lane_cone_reach(cone, mask_of_bits(1), q);
}

void sinew_cone_move(const sinew_cone *cone, bool whole, const double w[3], double q[4]) {
  double from[4], part[3];
  memcpy(from, q, sizeof from);
  sinew_quaternion_apply(q, w);
  if (whole) {
    sinew_cone_hold(cone, from, q);
    return;
  }
  const double before = sinew_max(sinew_cone_excess(cone, from), CONE_ROUNDING);
  double share = 1.0;
  for (int i = 0; i <= CONE_SHORTER && sinew_cone_excess(cone, q) > before; ++i, share *= 0.5) {
    sinew_scale(i < CONE_SHORTER ? 0.5 * share : 0.0, w, part);
    memcpy(q, from, sizeof from);
    sinew_quaternion_apply(q, part);
  }
}

void sinew_cone_move_within(const sinew_cone *cone, const double most[3], const double w[3],
                            double q[4]) {
  double to[4];
  if (mask_bits(lane_cone_move_within(cone, q, w, most, to)) != 0) {
    memcpy(q, to, sizeof to);
  } else {
    sinew_cone_move(cone, false, w, q);
  }
}

void sinew_cone_of_uniform(const sinew_cone *cone, const double u[3], double q[4]) {
  const double radius = sqrt(u[1]) * CONE_INSIDE;
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

void sinew_cone_linearize(const sinew_cone *cone, const double q[4], sinew_cone_rows *rows) {
  cone_place at;
  lane_cone_step step;
  cone_place_of(cone, q, &at);
  cone_rows(cone, &at, &step);
  memcpy(rows->swing, step.row[0], sizeof rows->swing);
  memcpy(rows->twist, step.row[1], sizeof rows->twist);
  rows->level = step.value[0];
  rows->angle = step.value[1];
  rows->swing_unit = step.unit[0];
  rows->twist_unit = step.unit[1];
  rows->most = step.most;
  rows->down = step.down;
  rows->up = step.up;
}

void sinew_cone_step_set(sinew_cone_step *step, const sinew_cone *cone, const double q[4],
                         double far) {
  lane_cone_step_set(step, cone, q, far);
}

void sinew_cone_step_damp(const sinew_cone_step *step, const bool blocked[2],
                          const double multiplier[2], double damping[3]) {
  const lane_mask where[2] = {mask_of_bits(blocked[0]), mask_of_bits(blocked[1])};
  lane_cone_step_damp(step, where, multiplier, damping);
}

void sinew_cone_limit_motion(const sinew_cone_motion *of, double x[3]) {
  lane_cone_limit_motion(of, mask_of_bits(1), x);
}
