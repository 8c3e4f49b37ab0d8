// Orientation: a tool's axes R rotate onto the target's axes R_d.
//
//   r = log(R_d R^T),   dr/dt = -J_r(r)^-1 w,   w the link's angular velocity
//
// r is the rotation vector, in world axes, from the link's orientation to the target's. Its rows,
// in world axes or in the target's, are in frame_rows.c. Source: Murray, Li, Sastry, A mathematical
// introduction to robotic manipulation, 1994, chapter 2.
#include "math/rotation.h"
#include "math/vector.h"
#include "task/kinds.h"

#include <string.h>

void sinew_orientation_residual(const sinew_compiled_task *task, const double R[9],
                                sinew_task_evaluation *at, double *row) {
  if (task->angular_rows == 0) {
    return;
  }
  double rotation[9], r[3];
  sinew_matrix_multiply_transposed(at->target_R, R, rotation);
  sinew_rotation_log(rotation, at->turn);
  memcpy(r, at->turn, sizeof r);
  if (task->target_axes) {
    sinew_rotate_back(at->target_R, r, r);
  }
  at->orientation_error = sinew_frame_length(r, task->selected + 3);
  sinew_frame_push(row, r, task->selected + 3, task->task.orientation_weight);
}

// ---------------------------------------------------------------- features

enum { NO_AXIS = -1, MORE_AXES = 3 };

// The axis about which rotation is free, if there is exactly one; else NO_AXIS or MORE_AXES.
static int free_axis(const sinew_task *task) {
  switch (task->free_axes >> 3) {
  case 0:
    return NO_AXIS;
  case 1:
    return 0;
  case 2:
    return 1;
  case 4:
    return 2;
  default:
    return MORE_AXES;
  }
}

unsigned sinew_orientation_features(const sinew_task *task) {
  const int axis = free_axis(task);
  if (!(task->orientation_weight > 0.0) || axis == MORE_AXES) {
    return 0;
  }
  return axis == NO_AXIS ? SINEW_POSTURE_ORIENTATION : SINEW_POSTURE_AXIS;
}

void sinew_orientation_axis_of_tool(const sinew_task *task, double axis[3]) {
  axis[0] = axis[1] = axis[2] = 0.0;
  axis[free_axis(task)] = 1.0;
}

void sinew_orientation_axis_of_target(const sinew_task *task, const double rotation[4],
                                      double axis[3]) {
  double q[4], R[9];
  memcpy(q, rotation, sizeof q);
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, R);
  for (int i = 0; i < 3; ++i) {
    axis[i] = R[3 * i + free_axis(task)];
  }
}
