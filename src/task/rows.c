// Residuals and Jacobians of tasks.
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
#include "kinematics/jacobian.h"
#include "math/four.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/columns.h"

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

static double *residual_position(sinew_task_plan *plan, const sinew_model *model,
                                 const double target[3], double *row) {
  double nearer[3], shown[3], full[3];
  near_target(model, target, nearer);
  for (int i = 0; i < 3; ++i) {
    plan->error[i] = shown[i] = nearer[i] - plan->s[i];
    full[i] = 0.25 * target[i] - 0.25 * plan->s[i]; // sums of three are finite
  }
  if (plan->task.free_axes != 0) {
    sinew_rotate_back(plan->target_R, shown, shown);
    sinew_rotate_back(plan->target_R, full, full);
  }
  plan->position_error = sinew_min(4.0 * length_selected(full, plan->selected), DBL_MAX);
  return push_rows(row, shown, plan->selected, plan->scale);
}

static void residual_rotation(sinew_task_plan *plan, const double R[9], double *row) {
  double turn[9], shown[3];
  sinew_matrix_multiply_transposed(plan->target_R, R, turn);
  sinew_rotation_log(turn, plan->turn);
  memcpy(shown, plan->turn, sizeof shown);
  if (plan->task.free_axes != 0) {
    sinew_rotate_back(plan->target_R, shown, shown);
  }
  plan->orientation_error = length_selected(shown, plan->selected + 3);
  push_rows(row, shown, plan->selected + 3, plan->task.orientation_weight);
}

static void residual_direction(sinew_task_plan *plan, const double R[9], const double direction[3],
                               double *row) {
  double axis[3], goal[3], across[3];
  sinew_rotate(R, plan->task.axis_l, axis);
  sinew_unit(direction, goal);
  sinew_cross(axis, goal, across);
  sinew_basis_across(axis, plan->basis, plan->basis + 3);
  const double s = sinew_norm(across), c = sinew_dot(axis, goal), angle = atan2(s, c);
  if (s > 1e-9) {
    sinew_scale(angle / s, across, plan->turn);
  } else if (c > 0.0) {
    memcpy(plan->turn, across, sizeof plan->turn);
  } else { // opposite: any way round serves
    sinew_scale(angle, plan->basis, plan->turn);
  }
  plan->orientation_error = angle;
  row[0] = plan->task.orientation_weight * sinew_dot(plan->basis, plan->turn);
  row[1] = plan->task.orientation_weight * sinew_dot(plan->basis + 3, plan->turn);
}

// Whether a point's numbers are of usual size: where its target is, and how far from it, squared.
SINEW_ALWAYS_INLINE bool is_usual(const sinew_model *model, double far, double square) {
  const double most = SINEW_FARTHEST * model->size;
  return far < most * most && square > 1e-200 && square < 1e200;
}

// Whole points, in world axes: their rows and the sum of these squared. Whether the numbers of all
// are of usual size.
SINEW_ALWAYS_INLINE void see_points_plain(sinew_task_set *set, const sinew_state *state,
                                          const sinew_target *targets, double *sum, bool *usual) {
  sinew_four squares = SINEW_FOUR_OF(0.0);
  *usual = true;
  for (int t = 0; t < set->count; ++t) {
    sinew_task_plan *plan = &set->plans[t];
    if (!plan->point) {
      continue;
    }
    const sinew_four target = sinew_four_load3(targets[t].position);
    const sinew_four s = sinew_columns_point(sinew_frame_load(&state->frames[plan->node]),
                                             sinew_four_load(plan->tip.column[3]));
    const sinew_four error = target - s;
    const double far = sinew_four_sum3(target * target), square = sinew_four_sum3(error * error);
    sinew_four_store3(plan->s, s);
    sinew_four_store3(plan->error, error);
    const sinew_four row = SINEW_FOUR_OF(plan->scale) * error;
    sinew_four_store3(set->rows.residual + set->rows.blocks[t].row, row);
    squares += row * row;
    plan->position_error = sqrt(square);
    plan->orientation_error = 0.0;
    *usual &= is_usual(state->model, far, square);
  }
  *sum = sinew_four_sum3(squares);
}

SINEW_TWICE(see_points,
            (sinew_task_set * set, const sinew_state *state, const sinew_target *targets,
             double *sum, bool *usual),
            (set, state, targets, sum, usual))

static void target_axes(sinew_task_plan *plan, const sinew_target *target) {
  double q[4];
  memcpy(q, target->rotation, sizeof q);
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, plan->target_R);
}

// Any task.
static void see_task(sinew_task_plan *plan, const sinew_state *state, const sinew_target *target,
                     double *row) {
  const sinew_task_kind kind = plan->task.kind;
  sinew_frame tip;
  double R[9];
  sinew_state_fixed_frame(state, plan->node, &plan->tip, &tip);
  sinew_frame_get(&tip, R, plan->s);
  plan->position_error = plan->orientation_error = 0.0;
  if (kind == SINEW_TASK_DIRECTION) {
    if (plan->row_count > 0) {
      residual_direction(plan, R, target->direction, row);
    }
    return;
  }
  if (kind != SINEW_TASK_POSITION || plan->task.free_axes != 0) {
    target_axes(plan, target);
  }
  if (plan->linear_rows > 0) {
    row = residual_position(plan, state->model, target->position, row);
  }
  if (plan->angular_rows > 0) {
    residual_rotation(plan, R, row);
  }
}

// What see_points() has not seen, or where its squares say nothing.
static void see_rest(sinew_task_set *set, const sinew_state *state, const sinew_target *targets) {
  for (int t = 0; t < set->count; ++t) {
    sinew_task_plan *plan = &set->plans[t];
    const double *at = targets[t].position;
    if (!plan->point ||
        !is_usual(state->model, sinew_dot(at, at), sinew_dot(plan->error, plan->error))) {
      see_task(plan, state, &targets[t], set->rows.residual + set->rows.blocks[t].row);
    }
  }
}

double sinew_task_set_residual(sinew_task_set *set, const sinew_state *state,
                               const sinew_target *targets) {
  bool usual;
  double sum;
  see_points(state->wide, set, state, targets, &sum, &usual);
  if (!usual || !set->points) {
    see_rest(set, state, targets);
    sum = sinew_square_sum(set->rows.row_count, set->rows.residual);
  }
  return 0.5 * sum;
}

// ---------------------------------------------------------------- Jacobian

// The 3 x 3 factors that bring linear and angular columns to the rows' frame.
typedef struct row_axes {
  bool turned;
  double linear[9], angular[9];
} row_axes;

static row_axes axes_of(const sinew_task_plan *plan) {
  row_axes axes = {.turned = plan->task.free_axes != 0};
  if (axes.turned) {
    double inverse[9];
    const double backward[3] = {-plan->turn[0], -plan->turn[1], -plan->turn[2]};
    sinew_rotation_left_jacobian_inverse(backward, inverse); // = J_r(r)^-1
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        axes.linear[3 * i + j] = plan->target_R[3 * j + i];
      }
    }
    sinew_matrix_multiply(axes.linear, inverse, axes.angular);
  }
  return axes;
}

// Adds a column, scaled, of the rows that a task has.
static void add_column(const sinew_task_plan *plan, const row_axes *axes, const double linear[3],
                       const double angular[3], double position, double orientation, double *out) {
  if (plan->task.kind == SINEW_TASK_DIRECTION) {
    out[0] += orientation * sinew_dot(plan->basis, angular);
    out[1] += orientation * sinew_dot(plan->basis + 3, angular);
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
    if (plan->selected[i]) {
      *out++ += (i < 3 ? position : orientation) * shown[i];
    }
  }
}

// Where position columns are taken: at the point, or at its target (Buss 2009,
// section 2, the alternate Jacobian).
static void column_point(const sinew_task_set *set, const sinew_task_plan *plan, double at[3]) {
  for (int i = 0; i < 3; ++i) {
    at[i] = plan->s[i] + (set->at_target && plan->linear_rows > 0 ? plan->error[i] : 0.0);
  }
}

// Column i of a span, world axes.
static void span_column(const sinew_state *state, const sinew_task_span *span, int i,
                        const double at[3], double linear[3], double angular[3]) {
  if (span->kind != SINEW_SPAN_FREE) {
    sinew_node_column(state, span->node, span->i + i, at, linear, angular);
    return;
  }
  double arm[3];
  sinew_frame_arm(&state->frames[span->node], at, arm);
  for (int k = 0; k < 3; ++k) {
    angular[k] = k == i ? 1.0 : 0.0;
  }
  sinew_cross(angular, arm, linear);
}

// Any choice of rows.
static void fill_chosen(const sinew_task_set *set, const sinew_state *state,
                        const sinew_task_plan *plan, double *values) {
  const row_axes axes = axes_of(plan);
  double at[3];
  column_point(set, plan, at);
  for (int c = 0; c < plan->span_count; ++c) {
    const sinew_task_span *span = &set->spans[plan->span_start + c];
    for (int i = 0; i < sinew_span_columns(span); ++i) {
      const double scale = set->scale[span->slot + i];
      double linear[3], angular[3];
      span_column(state, span, i, at, linear, angular);
      add_column(plan, &axes, linear, angular, scale * plan->scale,
                 scale * plan->task.orientation_weight, values + (span->k + i) * plan->row_count);
    }
  }
}

// Columns of other kinds, of a whole task, added: coupled joints share their driver's.
static void add_others(const sinew_task_set *set, const sinew_state *state,
                       const sinew_task_plan *plan, double *values) {
  const double position = plan->scale, orientation = plan->task.orientation_weight;
  double at[3];
  column_point(set, plan, at);
  for (int c = 0; c < plan->span_count; ++c) {
    const sinew_task_span *span = &set->spans[plan->span_start + c];
    double linear[3], angular[3], *out = values + span->k * plan->row_count;
    if (span->kind != SINEW_SPAN_OTHER) {
      continue;
    }
    const double scale = set->scale[span->slot];
    sinew_node_column(state, span->node, span->i, at, linear, angular);
    for (int i = 0; i < 3; ++i) {
      out[i] += scale * position * linear[i];
      if (plan->row_count == 6) {
        out[3 + i] += scale * orientation * angular[i];
      }
    }
  }
}

// The columns that are not those of whole points and poses, of turns and balls.
static void fill_rest(const sinew_task_set *set, const sinew_state *state) {
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    double *values = set->rows.values + set->rows.blocks[t].value_start;
    if (plan->whole && plan->added) {
      add_others(set, state, plan, values);
    } else if (!plan->whole && plan->row_count > 0) {
      fill_chosen(set, state, plan, values);
    }
  }
}

void sinew_task_set_jacobian(sinew_task_set *set, const sinew_state *state, bool curved,
                             double *gradient) {
  sinew_rows *rows = &set->rows;
  rows->square = 0.0;
  for (int j = 0; j < rows->dof_count; ++j) {
    gradient[j] = 0.0;
  }
  if (set->plain) {
    sinew_task_columns(set, state, curved, gradient);
    return;
  }
  sinew_zero((size_t)rows->value_count, rows->values);
  sinew_task_columns(set, state, false, gradient);
  fill_rest(set, state);
  sinew_rows_gradient(rows, rows->residual, gradient);
  rows->square = sinew_rows_square(rows);
  if (curved) {
    sinew_task_set_expect(set, state, NULL, 1.0);
  }
}

// v dt, brought down to a length where it is out of all proportion.
static void move_of(const double v[3], double dt, double most, double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = dt * sinew_clamp(v[i], -SINEW_HUGE, SINEW_HUGE);
  }
  const double length = sinew_norm_safe(out);
  sinew_scale(length > most ? most / length : 1.0, out, out);
}

void sinew_task_set_feed_forward(sinew_task_set *set, const sinew_model *model,
                                 const sinew_target *targets, double gain, double dt) {
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    double *row = set->rows.residual + set->rows.blocks[t].row;
    for (int i = 0; i < plan->row_count; ++i) {
      row[i] *= gain;
    }
    if (dt > 0.0 && plan->row_count > 0) {
      const row_axes axes = axes_of(plan);
      double linear[3], angular[3];
      move_of(targets[t].twist, dt, SINEW_FARTHEST * model->size, linear);
      move_of(targets[t].twist + 3, dt, SINEW_FARTHEST, angular);
      add_column(plan, &axes, linear, angular, plan->scale, plan->task.orientation_weight, row);
    }
  }
}

double sinew_task_plan_length(const sinew_task_plan *plan, const double v[3]) {
  double shown[3];
  memcpy(shown, v, sizeof shown);
  if (plan->task.free_axes != 0) {
    sinew_rotate_back(plan->target_R, v, shown);
  }
  return length_selected(shown, plan->selected);
}

double sinew_task_set_first_order(const sinew_task_set *set, const double *v) {
  double sum = 0.0;
  for (int t = 0; t < set->count; ++t) {
    const sinew_row_block *block = &set->rows.blocks[t];
    for (int i = 0; set->plans[t].first_order && i < block->row_count; ++i) {
      sum += v[block->row + i] * v[block->row + i];
    }
  }
  return 0.5 * sum;
}
