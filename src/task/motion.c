// The motion of a target from one update to the next.
#include "math/vector.h"
#include "sinew/math.h"
#include "task/task.h"

#include <string.h>

// The angle between two vectors of any length but 0.
static double angle_between(const double a[3], const double b[3]) {
  double normal[3];
  sinew_cross(a, b, normal);
  return atan2(sinew_norm_safe(normal), sinew_dot(a, b));
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
    double w[3];
    rotation_between(from->rotation, to->rotation, w);
    *angular = task->task.orientation_weight * sinew_norm_safe(w);
  }
  if ((task->fields & SINEW_TARGET_DIRECTION) != 0) {
    *angular = task->task.orientation_weight * angle_between(from->direction, to->direction);
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
  for (int i = 0; (read & SINEW_TARGET_DIRECTION) != 0 && i < 3; ++i) {
    out->direction[i] = from->direction[i] + share * (to->direction[i] - from->direction[i]);
  }
}
