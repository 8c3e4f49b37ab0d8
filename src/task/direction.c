// Direction: a unit axis a of a tool points along the target's unit direction g.
//
//   r = theta (a x g) / |a x g|,   theta = atan2(|a x g|, a . g)
//
// is the vector of the smallest rotation of a onto g. A rotation about a has no effect, so there
// are two rows, along unit vectors b1, b2 perpendicular to a:
//
//   e_i = orientation_weight * b_i . r,   J_i = orientation_weight * b_i . w
//
// w the link's angular velocity. Along r, dr/dt = -w, so that J^T e is the exact gradient of half
// the squared residual. Perpendicular to r the rows leave out terms of first order in theta.
// Directions within an angle are in aim.c.
#include "math/vector.h"
#include "task/kinds.h"

#include <string.h>

void sinew_direction_compile(sinew_compiled_task *task) {
  double *axis_l = task->task.axis_l;
  sinew_scale(1.0 / sinew_norm_safe(axis_l), axis_l, axis_l);
  task->rows = SINEW_ROWS_DIRECTION;
  task->angular_rows = task->task.orientation_weight > 0.0 ? 2 : 0;
}

void sinew_direction_residual(const sinew_compiled_task *task, const double R[9],
                              const double direction[3], sinew_task_evaluation *at, double *row) {
  if (task->angular_rows == 0) {
    return;
  }
  double a[3], g[3], across[3];
  sinew_rotate(R, task->task.axis_l, a);
  sinew_unit(direction, g);
  sinew_cross(a, g, across);
  sinew_basis_perpendicular(a, at->basis, at->basis + 3);
  const double s = sinew_norm(across), c = sinew_dot(a, g), theta = atan2(s, c);
  if (s > 1e-9) {
    sinew_scale(theta / s, across, at->turn);
  } else if (c > 0.0) {
    memcpy(at->turn, across, sizeof at->turn);
  } else { // opposite directions: a rotation about any axis perpendicular to a is a smallest one
    sinew_scale(theta, at->basis, at->turn);
  }
  at->orientation_error = theta;
  row[0] = task->task.orientation_weight * sinew_dot(at->basis, at->turn);
  row[1] = task->task.orientation_weight * sinew_dot(at->basis + 3, at->turn);
}

void sinew_direction_add_column(const sinew_task_evaluation *at, const double angular[3],
                                double orientation, double *out) {
  out[0] += orientation * sinew_dot(at->basis, angular);
  out[1] += orientation * sinew_dot(at->basis + 3, angular);
}

unsigned sinew_direction_features(const sinew_task *task) {
  return task->orientation_weight > 0.0 ? SINEW_POSTURE_AXIS : 0;
}
