// Rows of a link's frame, which positions, orientations and poses use: the three of a point, the
// three of the link's orientation, or some of them.
//
// If no axis is free, rows are in world axes: with the column (v, w) of a degree of freedom, the
// linear velocity of the point and the angular velocity of the link,
//
//   J_linear = scale * v,   J_angular = orientation_weight * w
//
// If some axes are free, rows are in the target's axes R_d, and those along or about free axes are
// left out. The residual of an orientation is r, the rotation vector to the target (orientation.c),
// and its derivative is dr/dt = -J_r(r)^-1 w, J_r the right Jacobian of SO(3):
//
//   J_linear = scale * R_d^T v,   J_angular = orientation_weight * R_d^T J_r(r)^-1 w
//
// Without free axes J_r is left out: since J_r(r) r = r, rows of equal weight still have the exact
// gradient, and an undamped step still removes r.
//
// Source: Barfoot, State Estimation for Robotics, 2017, section 7.1 (J_r and its inverse).
#include "math/rotation.h"
#include "math/vector.h"
#include "task/kinds.h"

#include <string.h>

void sinew_frame_select(sinew_compiled_task *compiled, bool linear, bool angular) {
  const sinew_task *task = &compiled->task;
  const unsigned free_axes = task->free_axes;
  linear = linear && task->position_weight > 0.0;
  angular = angular && task->orientation_weight > 0.0;
  for (int i = 0; i < 3; ++i) {
    compiled->selected[i] = linear && (free_axes >> i & 1u) == 0 && task->axis_weights[i] > 0.0;
    compiled->selected[3 + i] =
        angular && (free_axes >> (3 + i) & 1u) == 0 && task->axis_weights[3 + i] > 0.0;
    compiled->linear_rows += compiled->selected[i];
    compiled->angular_rows += compiled->selected[3 + i];
  }
  compiled->target_axes = free_axes != 0;
  compiled->whole = !compiled->target_axes && compiled->linear_rows == 3 &&
                    (compiled->angular_rows == 0 || compiled->angular_rows == 3);
  compiled->rows = compiled->whole && !angular ? SINEW_ROWS_POINT : SINEW_ROWS_FRAME;
}

sinew_row_axes sinew_task_row_axes(const sinew_compiled_task *task,
                                   const sinew_task_evaluation *at) {
  sinew_row_axes axes = {.turned = task->target_axes};
  if (axes.turned) {
    double inverse[9];
    const double backward[3] = {-at->turn[0], -at->turn[1], -at->turn[2]};
    sinew_rotation_left_jacobian_inverse(backward, inverse); // = J_r(r)^-1
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        axes.linear[3 * i + j] = at->target_R[3 * j + i];
      }
    }
    sinew_matrix_multiply(axes.linear, inverse, axes.angular);
  }
  return axes;
}

void sinew_frame_add_column(const sinew_compiled_task *task, const sinew_row_axes *axes,
                            const double linear[3], const double angular[3], double position,
                            double orientation, double *out) {
  double column[6];
  memcpy(column, linear, 3 * sizeof(double));
  memcpy(column + 3, angular, 3 * sizeof(double));
  if (axes->turned) {
    sinew_rotate(axes->linear, column, column);
    sinew_rotate(axes->angular, column + 3, column + 3);
  }
  for (int i = 0; i < 6; ++i) {
    if (task->selected[i]) {
      *out++ += (i < 3 ? position : orientation) * column[i];
    }
  }
}
