// Positions, orientations and poses with weights or ranges for each axis.
//
// F are the axes of the weights: the target's R_d, the tool's R or the root link's. Along axis i
//
//   y_i = F_i . (s - t),   e_i = clamp(y_i, lower_i, upper_i) - y_i
//
// and about it y_i = -F_i . r, r = log(R_d R^T) the rotation vector from the tool to the target.
// The rows are e_i times weights, and de/dt = -M (v; w), for axes i outside of their range
//
//   linear    M_i = (F_i; 0), and where F rotates with the tool M_i = (F_i; e x F_i), e = t - s
//   angular   M_i = (0; J_r(r)^-T F_i), of the target's axes also for the tool's: R^T r = R_d^T r
//
// and M_i = 0 within it. J_r is the right Jacobian of SO(3): frame_rows.c.
#include "math/rotation.h"
#include "math/vector.h"
#include "task/kinds.h"

#include <float.h>
#include <string.h>

// From y to the range, with a sign.
static double to_range(double y, double lower, double upper) {
  return sinew_clamp(y, lower, upper) - y;
}

static void column_of(const double axes[9], int i, double out[3]) {
  for (int k = 0; k < 3; ++k) {
    out[k] = axes[3 * k + i];
  }
}

// The axis weight, or 0 within a range.
static double weight_of(const sinew_task *task, int i, double e) {
  const bool within = e == 0.0 && task->range_lower[i] < task->range_upper[i];
  return within ? 0.0 : task->axis_weights[i];
}

static void push_side(sinew_row_writer *out, int i, double y, double lower, double upper,
                      const double linear[3], const double angular[3]) {
  sinew_task_side side = {.axis = i, .angle = i >= 3};
  memcpy(side.linear, linear, sizeof side.linear);
  memcpy(side.angular, angular, sizeof side.angular);
  sinew_side_push(out, &side, y, lower, upper);
}

static void push_linear(const sinew_compiled_task *task, const double axes[9],
                        const double target[3], sinew_task_evaluation *at, sinew_row_writer *out) {
  const sinew_task *wanted = &task->task;
  double nearer[3], quarter[3], left[3] = {0.0, 0.0, 0.0};
  sinew_position_draw_inward(task->farthest, target, nearer);
  for (int i = 0; i < 3; ++i) {
    at->error[i] = nearer[i] - at->s[i];
    quarter[i] = 0.25 * at->s[i] - 0.25 * target[i]; // a quarter, so that sums of three are finite
  }
  for (int i = 0; i < 3; ++i) {
    const double lower = wanted->range_lower[i], upper = wanted->range_upper[i];
    double axis[3], across[3] = {0.0, 0.0, 0.0};
    if (!task->selected[i]) {
      continue;
    }
    column_of(axes, i, axis);
    const double e = to_range(-sinew_dot(axis, at->error), lower, upper);
    left[i] = to_range(sinew_dot(axis, quarter), 0.25 * lower, 0.25 * upper);
    if (wanted->weight_axes == SINEW_AXES_TOOL) {
      sinew_cross(at->error, axis, across);
    }
    sinew_row_push(out, task->scale, weight_of(wanted, i, e), e, axis, across);
    push_side(out, i, -sinew_dot(axis, at->error), lower, upper, axis, across);
  }
  at->position_error = sinew_min(4.0 * sinew_norm_safe(left), DBL_MAX);
}

static void push_angular(const sinew_compiled_task *task, const double R[9], const double axes[9],
                         sinew_task_evaluation *at, sinew_row_writer *out) {
  const sinew_task *wanted = &task->task;
  const double none[3] = {0.0, 0.0, 0.0};
  double rotation[9], inverse[9], left[3] = {0.0, 0.0, 0.0};
  sinew_matrix_multiply_transposed(at->target_R, R, rotation);
  sinew_rotation_log(rotation, at->turn);
  const double backward[3] = {-at->turn[0], -at->turn[1], -at->turn[2]};
  sinew_rotation_left_jacobian_inverse(backward, inverse); // = J_r(r)^-1
  for (int i = 0; i < 3; ++i) {
    double axis[3], moved[3];
    if (!task->selected[3 + i]) {
      continue;
    }
    column_of(axes, i, axis);
    left[i] = to_range(-sinew_dot(axis, at->turn), wanted->range_lower[3 + i],
                       wanted->range_upper[3 + i]);
    sinew_rotate_back(inverse, axis, moved);
    sinew_row_push(out, wanted->orientation_weight, weight_of(wanted, 3 + i, left[i]), left[i],
                   none, moved);
    push_side(out, 3 + i, -sinew_dot(axis, at->turn), wanted->range_lower[3 + i],
              wanted->range_upper[3 + i], none, moved);
  }
  at->orientation_error = sinew_norm_safe(left);
}

void sinew_weighted_residual(const sinew_compiled_task *task, const sinew_task_frames *frames,
                             const sinew_target *target, sinew_task_evaluation *at,
                             sinew_row_writer *out) {
  const sinew_task_axes axes = task->task.weight_axes;
  const bool rotated = axes != SINEW_AXES_FRAME && (task->fields & SINEW_TARGET_ROTATION) != 0;
  const double *target_axes = rotated ? at->target_R : frames->F;
  if (task->linear_rows > 0) {
    push_linear(task, axes == SINEW_AXES_TOOL ? frames->R : target_axes, target->position, at, out);
  }
  if (task->angular_rows > 0) {
    push_angular(task, frames->R, target_axes, at, out);
  }
}
