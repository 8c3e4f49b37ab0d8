// A task's residual, and the frame of its rows.
//
// Position: e = t - s. Orientation: r = log(R_d R_e^T), the rotation vector in
// world axes that turns the link onto its target. Direction: r = a x g
// (theta / sin theta), the shortest turn of the axis a onto g; a turn about a
// changes nothing, so its rows are two vectors across a.
//
// With w the link's angular velocity, dr/dt = -J_r(r)^-1 w. Since J_r(r) r = r,
// full rows of equal weight may use w itself: the gradient is exact, and so is
// an undamped step. Where axes are free, rows are in the target's frame and
// carry the factor R_d^T J_r(r)^-1.
#include "math/rotation.h"
#include "math/vector.h"
#include "task/task.h"

#include <float.h>
#include <string.h>

// ---------------------------------------------------------------- residual

// A target out of all proportion, brought nearer.
static void near_target(const sinew_model *model, const double target[3], double out[3]) {
  const double distance = sinew_norm_safe(target), most = SINEW_FARTHEST * model->size;
  const double scale = distance > most ? most / distance : 1.0;
  sinew_scale(scale, target, out);
}

static double length_selected(const double v[3], const unsigned char selected[3]) {
  const double kept[3] = {selected[0] ? v[0] : 0.0, selected[1] ? v[1] : 0.0,
                          selected[2] ? v[2] : 0.0};
  return sinew_norm_safe(kept);
}

// Rows of v that are selected, times weight; returns the place after them.
static double *push_rows(double *row, const double v[3], const unsigned char selected[3],
                         double weight) {
  for (int i = 0; i < 3; ++i) {
    if (selected[i]) {
      *row++ = weight * v[i];
    }
  }
  return row;
}

static double *residual_position(const sinew_compiled_task *task, const sinew_model *model,
                                 const double target[3], sinew_task_evaluation *at, double *row) {
  double nearer[3], shown[3], full[3];
  near_target(model, target, nearer);
  for (int i = 0; i < 3; ++i) {
    at->error[i] = shown[i] = nearer[i] - at->s[i];
    full[i] = 0.25 * target[i] - 0.25 * at->s[i]; // sums of three are finite
  }
  if (task->task.free_axes != 0) {
    sinew_rotate_back(at->target_R, shown, shown);
    sinew_rotate_back(at->target_R, full, full);
  }
  at->position_error = sinew_min(4.0 * length_selected(full, task->selected), DBL_MAX);
  return push_rows(row, shown, task->selected, task->scale);
}

static void residual_rotation(const sinew_compiled_task *task, const double R[9],
                              sinew_task_evaluation *at, double *row) {
  double turn[9], shown[3];
  sinew_matrix_multiply_transposed(at->target_R, R, turn);
  sinew_rotation_log(turn, at->turn);
  memcpy(shown, at->turn, sizeof shown);
  if (task->task.free_axes != 0) {
    sinew_rotate_back(at->target_R, shown, shown);
  }
  at->orientation_error = length_selected(shown, task->selected + 3);
  push_rows(row, shown, task->selected + 3, task->task.orientation_weight);
}

static void residual_direction(const sinew_compiled_task *task, const double R[9],
                               const double direction[3], sinew_task_evaluation *at, double *row) {
  double axis[3], goal[3], across[3];
  sinew_rotate(R, task->task.axis_l, axis);
  sinew_unit(direction, goal);
  sinew_cross(axis, goal, across);
  sinew_basis_across(axis, at->basis, at->basis + 3);
  const double s = sinew_norm(across), c = sinew_dot(axis, goal), angle = atan2(s, c);
  if (s > 1e-9) {
    sinew_scale(angle / s, across, at->turn);
  } else if (c > 0.0) {
    memcpy(at->turn, across, sizeof at->turn);
  } else { // opposite: any way round serves
    sinew_scale(angle, at->basis, at->turn);
  }
  at->orientation_error = angle;
  row[0] = task->task.orientation_weight * sinew_dot(at->basis, at->turn);
  row[1] = task->task.orientation_weight * sinew_dot(at->basis + 3, at->turn);
}

static void target_axes(const sinew_target *target, sinew_task_evaluation *at) {
  double q[4];
  memcpy(q, target->rotation, sizeof q);
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, at->target_R);
}

void sinew_task_residual(const sinew_compiled_task *task, const sinew_state *state,
                         const sinew_target *target, sinew_task_evaluation *at, double *row) {
  const sinew_task_kind kind = task->task.kind;
  sinew_frame tip;
  double R[9];
  sinew_state_fixed_frame(state, task->node, &task->tip, &tip);
  sinew_frame_get(&tip, R, at->s);
  at->position_error = at->orientation_error = 0.0;
  if (kind == SINEW_TASK_DIRECTION) {
    if (task->row_count > 0) {
      residual_direction(task, R, target->direction, at, row);
    }
    return;
  }
  if (kind != SINEW_TASK_POSITION || task->task.free_axes != 0) {
    target_axes(target, at);
  }
  if (task->linear_rows > 0) {
    row = residual_position(task, state->model, target->position, at, row);
  }
  if (task->angular_rows > 0) {
    residual_rotation(task, R, at, row);
  }
}

// ---------------------------------------------------------------- columns

sinew_row_axes sinew_task_row_axes(const sinew_compiled_task *task,
                                   const sinew_task_evaluation *at) {
  sinew_row_axes axes = {.turned = task->task.free_axes != 0};
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

void sinew_task_add_column(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const sinew_row_axes *axes, const double linear[3],
                           const double angular[3], double position, double orientation,
                           double *out) {
  if (task->task.kind == SINEW_TASK_DIRECTION) {
    out[0] += orientation * sinew_dot(at->basis, angular);
    out[1] += orientation * sinew_dot(at->basis + 3, angular);
    return;
  }
  double shown[6];
  memcpy(shown, linear, 3 * sizeof(double));
  memcpy(shown + 3, angular, 3 * sizeof(double));
  if (axes->turned) {
    sinew_rotate(axes->linear, shown, shown);
    sinew_rotate(axes->angular, shown + 3, shown + 3);
  }
  for (int i = 0; i < 6; ++i) {
    if (task->selected[i]) {
      *out++ += (i < 3 ? position : orientation) * shown[i];
    }
  }
}

double sinew_task_length(const sinew_compiled_task *task, const double target_R[9],
                         const double v[3]) {
  double shown[3];
  memcpy(shown, v, sizeof shown);
  if (task->task.free_axes != 0) {
    sinew_rotate_back(target_R, v, shown);
  }
  return length_selected(shown, task->selected);
}
