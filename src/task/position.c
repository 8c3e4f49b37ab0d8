// Position: a point s of a link reaches the target's position t.
//
//   e = t - s,   de/dt = -v,   v the point's velocity
//
// in world axes or, if some axes are free, in the target's axes (frame_rows.c). Source: Buss,
// Introduction to inverse kinematics, 2009, section 2.
#include "math/vector.h"
#include "task/kinds.h"

#include <float.h>

void sinew_position_draw_inward(double farthest, const double target[3], double out[3]) {
  const double distance = sinew_norm_safe(target);
  const double scale = distance > farthest ? farthest / distance : 1.0;
  sinew_scale(scale, target, out);
}

double *sinew_position_residual(const sinew_compiled_task *task, const double target[3],
                                sinew_task_evaluation *at, double *row) {
  if (task->linear_rows == 0) {
    return row;
  }
  double nearer[3], e[3], full[3];
  sinew_position_draw_inward(task->farthest, target, nearer);
  for (int i = 0; i < 3; ++i) {
    at->error[i] = e[i] = nearer[i] - at->s[i];
    full[i] = 0.25 * target[i] - 0.25 * at->s[i]; // a quarter, so that sums of three are finite
  }
  if (task->target_axes) {
    sinew_rotate_back(at->target_R, e, e);
    sinew_rotate_back(at->target_R, full, full);
  }
  at->position_error = sinew_min(4.0 * sinew_frame_length(full, task->selected), DBL_MAX);
  return sinew_frame_push(row, e, task->selected, task->scale);
}

unsigned sinew_position_features(const sinew_task *task) {
  const unsigned free_axes = SINEW_FREE_X | SINEW_FREE_Y | SINEW_FREE_Z;
  return task->position_weight > 0.0 && (task->free_axes & free_axes) == 0 ? SINEW_POSTURE_POINT
                                                                           : 0;
}
