// The motion of a target from one update to the next.
#include "math/rotation.h"
#include "math/vector.h"
#include "simd/elementary.h"
#include "simd/pair.h"
#include "sinew/math.h"
#include "task/task.h"

#include <string.h>

// The rotation vector from one direction to another, of any length but 0.
static void turn_between(const double a[3], const double b[3], double w[3]) {
  double from[3], to[3];
  sinew_unit(a, from);
  sinew_unit(b, to);
  sinew_direction_difference(from, to, w);
}

// The rotation vector from a to b, quaternions of any length but 0; exactly 0 where they are equal.
static void rotation_between(const double a[4], const double b[4], double w[3]) {
  if (memcmp(a, b, 4 * sizeof *a) == 0) {
    memset(w, 0, 3 * sizeof *w);
    return;
  }
  double from[4], to[4], turn[4];
  memcpy(from, a, sizeof from);
  memcpy(to, b, sizeof to);
  sinew_quaternion_normalize(from);
  sinew_quaternion_normalize(to);
  const double inverse[4] = {from[0], -from[1], -from[2], -from[3]};
  sinew_quaternion_multiply(to, inverse, turn);
  sinew_quaternion_log(turn, w);
}

// The angle of that rotation. With v and c the vector and the scalar part of b a^-1, times the
// lengths l of both,
//
//   sin(theta / 2) = |v| / l,   cos(theta / 2) = |c| / l,   theta = sin(theta) (theta /
//   sin(theta)),
//
// where theta is small and the lengths are near 1, as those of most targets.
static double angle_between(const double a[4], const double b[4]) {
  if (memcmp(a, b, 4 * sizeof *a) == 0) {
    return 0.0;
  }
  const double v[3] = {(a[0] * b[1] - a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]),
                       (a[0] * b[2] - a[2] * b[0]) + (a[3] * b[1] - a[1] * b[3]),
                       (a[0] * b[3] - a[3] * b[0]) + (a[1] * b[2] - a[2] * b[1])};
  const double c = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
  const double aa = (a[0] * a[0] + a[1] * a[1]) + (a[2] * a[2] + a[3] * a[3]);
  const double bb = (b[0] * b[0] + b[1] * b[1]) + (b[2] * b[2] + b[3] * b[3]);
  const double inverse = 1.0 / (aa * bb), vv = sinew_dot(v, v), w = 4.0 * vv * inverse;
  if (!SINEW_HAS_FAST_PATHS ||
      !(aa > 0.25 && aa < 4.0 && bb > 0.25 && bb < 4.0 && w <= LANE_LOG_SCALE_MOST)) {
    double r[3];
    rotation_between(a, b, r);
    return sinew_norm_safe(r);
  }
  return 4.0 * sqrt(vv) * fabs(c) * inverse * lane_log_scale(w);
}

// What a goal adds to a target: nothing to that of another.
static void rotation_of_goal(const sinew_target *target, double rotation[4], double *angle) {
  static const double same[4] = {1.0, 0.0, 0.0, 0.0};
  const bool is_goal = sinew_target_is_goal(target);
  memcpy(rotation, is_goal ? target->rotation : same, sizeof same);
  *angle = is_goal ? target->distance : 0.0;
}

// How far the goal of a LOOK_AT has moved beside its point [rad].
static double motion_of_goal(const sinew_target *from, const sinew_target *to) {
  double was[4], is[4], w[3], up_was, up_is;
  rotation_of_goal(from, was, &up_was);
  rotation_of_goal(to, is, &up_is);
  rotation_between(was, is, w);
  return sinew_norm_safe(w) + fabs(up_is - up_was);
}

void sinew_target_motion(const sinew_compiled_task *task, const sinew_target *from,
                         const sinew_target *to, double *linear, double *angular) {
  *linear = *angular = 0.0;
  if ((task->fields & SINEW_TARGET_POSITION) != 0) {
    const double moved[3] = {to->position[0] - from->position[0],
                             to->position[1] - from->position[1],
                             to->position[2] - from->position[2]};
    *linear = task->scale * sinew_norm_safe(moved);
  }
  if ((task->fields & SINEW_TARGET_ROTATION) != 0) {
    *angular = task->task.orientation_weight * angle_between(from->rotation, to->rotation);
  }
  if ((task->fields & SINEW_TARGET_DIRECTION) != 0) {
    double w[3];
    turn_between(from->direction, to->direction, w);
    *angular = task->task.orientation_weight * sinew_norm_safe(w);
  }
  if ((task->fields & SINEW_TARGET_DISTANCE) != 0) {
    *linear += task->scale * fabs(fabs(to->distance) - fabs(from->distance));
  }
  if (SINEW_UNLIKELY(sinew_target_is_goal(from) || sinew_target_is_goal(to))) {
    *angular += task->task.orientation_weight * motion_of_goal(from, to);
  }
}

void sinew_target_between(const sinew_target *from, const sinew_target *to, double share,
                          unsigned read, sinew_target *out) {
  *out = *to;
  for (int i = 0; (read & SINEW_TARGET_POSITION) != 0 && i < 3; ++i) {
    out->position[i] = from->position[i] + share * (to->position[i] - from->position[i]);
  }
  if ((read & SINEW_TARGET_ROTATION) != 0) {
    double w[3], turn[4];
    rotation_between(from->rotation, to->rotation, w);
    sinew_scale(share, w, w);
    sinew_quaternion_exp(w, turn);
    sinew_quaternion_multiply(turn, from->rotation, out->rotation);
  }
  if ((read & SINEW_TARGET_DIRECTION) != 0) {
    double w[3], turn[4];
    turn_between(from->direction, to->direction, w);
    sinew_scale(share, w, w);
    sinew_quaternion_exp(w, turn);
    sinew_unit(from->direction, out->direction);
    sinew_quaternion_rotate(turn, out->direction, out->direction);
  }
  if ((read & SINEW_TARGET_DISTANCE) != 0) {
    out->distance = from->distance + share * (to->distance - from->distance);
  }
  if (sinew_target_is_goal(from) || sinew_target_is_goal(to)) {
    double was[4], is[4], w[3], turn[4], up_was, up_is;
    rotation_of_goal(from, was, &up_was);
    rotation_of_goal(to, is, &up_is);
    rotation_between(was, is, w);
    sinew_scale(share, w, w);
    sinew_quaternion_exp(w, turn);
    sinew_quaternion_multiply(turn, was, out->rotation);
    out->distance = up_was + share * (up_is - up_was);
    out->cookie = SINEW_GOAL_COOKIE;
  }
}
