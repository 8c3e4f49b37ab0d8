// Residuals and Jacobians of all tasks of a problem. See evaluation.h.
//
//   position      e = t - s                  t the target, s the point of the link
//   orientation   r = log(R_d R_e^T)         the rotation vector, world axes, from link to target
//
//   E = |W [e; r]|^2 / 2,   J = W d[s; rotation] / dx,   g = J^T W [e; r]      W the weights
//
// Source: Buss 2009, section 2. Tasks with other rows than a whole point or pose are evaluated one
// by one: task/task.h.
#include "problem/evaluation.h"
#include "kinematics/jacobian.h"
#include "kinematics/mass.h"
#include "math/vector.h"
#include "math/within.h"
#include "problem/columns.h"
#include "problem/pose_residual.h"
#include "simd/four.h"

#include <float.h>
#include <string.h>

void sinew_evaluation_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                             bool second, sinew_evaluation *evaluation) {
  const size_t tasks = (size_t)capacity, values = 6 * tasks * (size_t)model->nv;
  sinew_rows *rows = &evaluation->rows;
  evaluation->tasks = sinew_arena_take(arena, tasks, sizeof *evaluation->tasks);
  rows->values = sinew_arena_take_aligned(arena, values, sizeof(double), sizeof(sinew_four));
  rows->second =
      second ? sinew_arena_take_aligned(arena, values, sizeof(double), sizeof(sinew_four)) : NULL;
  rows->residual = sinew_arena_take(arena, 6 * tasks + 3, sizeof(double)); // read in fours
  const size_t nodes = model->mass > 0.0 ? (size_t)model->node_count : 0;
  evaluation->cones = sinew_arena_take_aligned(arena, (size_t)model->cone_count,
                                               sizeof *evaluation->cones, sizeof(sinew_four));
  evaluation->centres = sinew_arena_take(arena, 4 * nodes, sizeof(double));
}

void sinew_evaluation_begin(sinew_evaluation *evaluation, const sinew_problem *problem,
                            bool tasks) {
  const sinew_rows was = evaluation->rows;
  evaluation->rows = problem->pattern;
  evaluation->rows.values = was.values;
  evaluation->rows.second = was.second;
  evaluation->rows.residual = was.residual;
  evaluation->rows.square = was.square;
  for (int t = 0; tasks && t < problem->count; ++t) {
    evaluation->tasks[t] = (sinew_task_evaluation){.position_error = 0.0};
  }
}

// ------------------------------------------------------------------ targets

_Static_assert(sizeof(sinew_target) == 18 * sizeof(double), "a target is read as doubles");

// Whether no position is beyond what its task refuses.
static bool all_resolved(const sinew_problem *problem, const sinew_target *targets) {
  bool resolved = true;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    const bool reads = (task->fields & SINEW_TARGET_POSITION) != 0;
    resolved &= !reads || sinew_all_within(3, targets[t].position, task->resolved);
  }
  return resolved;
}

bool sinew_problem_accepts(const sinew_problem *problem, const sinew_target *targets) {
  const int numbers = (int)(sizeof *targets / sizeof(double));
  for (int t = 0; t < problem->count; ++t) {
    const sinew_target *target = &targets[t];
    unsigned read = problem->tasks[t].fields;
    if (SINEW_UNLIKELY(target->cookie != SINEW_TARGET_COOKIE)) {
      if (!sinew_target_is_goal(target)) {
        return false;
      }
      read |= sinew_target_goal_fields(target);
    }
    // Mostly all numbers are finite, those that are not read as well.
    const bool finite = sinew_all_finite(numbers, (const double *)(const void *)target) ||
                        sinew_target_is_finite(target, read);
    if (!finite || !sinew_target_has_lengths(target, read)) {
      return false;
    }
  }
  return !problem->refuses || all_resolved(problem, targets);
}

// ---------------------------------------------------------------- residual

// Whole points, in world axes: rows, sum <- the sum of their squares, usual <- whether the numbers
// of all are of usual size.
static void evaluate_points(const sinew_problem *problem, const sinew_state *state,
                            const sinew_target *targets, sinew_evaluation *out, double *sum,
                            bool *usual) {
  sinew_four squares = SINEW_FOUR_OF(0.0);
  *usual = true;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    sinew_task_evaluation *at = &out->tasks[t];
    if (!task->point) {
      continue;
    }
    const sinew_four target = sinew_four_load3(targets[t].position);
    const sinew_four s = sinew_columns_point(sinew_frame_load(&state->frames[task->node]),
                                             sinew_four_load(task->tip.column[3]));
    const sinew_four error = target - s;
    const double far = sinew_four_sum3(target * target), square = sinew_four_sum3(error * error);
    sinew_four_store3(at->s, s);
    sinew_four_store3(at->error, error);
    const sinew_four row = SINEW_FOUR_OF(task->scale) * error;
    sinew_four_store3(out->rows.residual + out->rows.blocks[t].row, row);
    squares += row * row;
    at->position_error = sqrt(square);
    at->orientation_error = 0.0;
    *usual &= sinew_is_usual_distance(task, far, square);
  }
  *sum = sinew_four_sum3(squares);
}

// The point of tasks of the centre of mass.
static void evaluate_mass(const sinew_problem *problem, const sinew_state *state,
                          sinew_evaluation *out) {
  double centre[3];
  sinew_state_centres(state, out->centres, centre);
  for (int t = 0; t < problem->count; ++t) {
    if (problem->tasks[t].task.center_of_mass) {
      memcpy(out->tasks[t].s, centre, sizeof centre);
    }
  }
}

// Whether a whole pose is evaluated here.
static bool evaluate_pose(const sinew_compiled_task *task, const sinew_state *state,
                          const sinew_target *target, sinew_task_evaluation *at, double *row) {
  if (!sinew_task_is_whole_pose(task)) {
    return false;
  }
  sinew_task_take_axes(task, target, at);
  return sinew_pose_residual_near(task, &state->frames[task->node], target->position, at, row);
}

// The tasks that are no whole points, and points with squares not of usual size.
static void evaluate_others(const sinew_problem *problem, const sinew_state *state,
                            const sinew_target *targets, sinew_evaluation *out) {
  if (SINEW_UNLIKELY(problem->mass)) {
    evaluate_mass(problem, state, out);
  }
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    sinew_task_evaluation *at = &out->tasks[t];
    const double *goal = targets[t].position;
    double *row = out->rows.residual + out->rows.blocks[t].row;
    const bool usual = task->point && sinew_is_usual_distance(task, sinew_dot(goal, goal),
                                                              sinew_dot(at->error, at->error));
    if (!usual && !evaluate_pose(task, state, &targets[t], at, row)) {
      sinew_task_residual(task, state, &targets[t], at, row);
    }
  }
}

double sinew_evaluate_residual(const sinew_problem *problem, const sinew_state *state,
                               const sinew_target *targets, sinew_evaluation *out) {
  bool usual = true;
  double sum = 0.0;
  if (problem->some_points) {
    evaluate_points(problem, state, targets, out, &sum, &usual);
  }
  if (!usual || !problem->points) {
    evaluate_others(problem, state, targets, out);
    sum = sinew_square_sum(out->rows.row_count, out->rows.residual);
  }
  out->E = 0.5 * sum;
  return out->E;
}

// ---------------------------------------------------------------- Jacobian

// The point of the position columns: the task's point, or its target (the alternate Jacobian of
// Buss 2009, section 2). General rows are taken at the point.
static void column_point(const sinew_evaluation *out, const sinew_compiled_task *task,
                         const sinew_task_evaluation *at, double point[3]) {
  const bool at_target =
      out->at_target && task->linear_rows > 0 && task->rows != SINEW_ROWS_GENERAL;
  for (int i = 0; i < 3; ++i) {
    point[i] = at->s[i] + (at_target ? at->error[i] : 0.0);
  }
}

// Column i of a span, world axes.
static void span_column(const sinew_state *state, const sinew_evaluation *evaluation,
                        const sinew_task_span *span, int i, const double at[3], double linear[3],
                        double angular[3]) {
  if (span->kind == SINEW_SPAN_CONE && evaluation->in_cones) {
    double arm[3];
    sinew_frame_arm(&state->frames[span->node], at, arm);
    sinew_frame_column(&evaluation->cones[span->i], i, angular);
    sinew_cross(angular, arm, linear);
    return;
  }
  if (span->kind != SINEW_SPAN_ROOT_FRAME) {
    sinew_node_column(state, span->node, span->kind == SINEW_SPAN_CONE ? i : span->i + i, at,
                      linear, angular);
    return;
  }
  double arm[3];
  sinew_frame_arm(&state->frames[span->node], at, arm);
  for (int k = 0; k < 3; ++k) {
    angular[k] = k == i ? 1.0 : 0.0;
  }
  sinew_cross(angular, arm, linear);
}

// Column i of a span for the centre of mass:
//
//   M_n / M * w x (c_n - p)     M_n, c_n of what the node moves, M of the whole figure
//
// less, where the node moves the task's frame link, its column at the centre.
static void mass_column(const sinew_state *state, const sinew_evaluation *evaluation,
                        const sinew_task_span *span, int i, const double at[3], double linear[3],
                        double angular[3]) {
  const sinew_model *model = state->model;
  const double carried = model->carried[span->node];
  double frame_linear[3];
  linear[0] = linear[1] = linear[2] = 0.0;
  if (carried > 0.0) {
    span_column(state, evaluation, span, i, evaluation->centres + 4 * span->node, linear, angular);
    sinew_scale(carried / model->mass, linear, linear);
  }
  if (span->reversed) {
    span_column(state, evaluation, span, i, at, frame_linear, angular);
    for (int k = 0; k < 3; ++k) {
      linear[k] -= frame_linear[k];
    }
  }
  angular[0] = angular[1] = angular[2] = 0.0; // no row of the centre depends on rotations
}

// Column i of a span in any task, without the sign of reversed spans.
static void chosen_column(const sinew_state *state, const sinew_evaluation *evaluation,
                          const sinew_compiled_task *task, const sinew_task_span *span, int i,
                          const double at[3], double linear[3], double angular[3]) {
  if (task->task.center_of_mass) {
    mass_column(state, evaluation, span, i, at, linear, angular);
  } else {
    span_column(state, evaluation, span, i, at, linear, angular);
  }
}

void sinew_evaluation_column(const sinew_problem *problem, const sinew_state *state,
                             const sinew_evaluation *evaluation, int t, const sinew_task_span *span,
                             int i, double twist[6]) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const bool negative = span->reversed && !task->task.center_of_mass;
  const double column = problem->scale[span->column + i], scale = negative ? -column : column;
  chosen_column(state, evaluation, task, span, i, evaluation->tasks[t].s, twist, twist + 3);
  if (task->task.center_of_mass) {
    double linear[3];
    span_column(state, evaluation, span, i, evaluation->tasks[t].s, linear, twist + 3);
  }
  for (int k = 0; k < 6; ++k) {
    twist[k] *= scale;
  }
}

// The linear part of a task's map, by columns, times the task's scale.
static sinew_columns mass_map(const sinew_compiled_task *task, const sinew_task_evaluation *at) {
  double M[3][4] = {{0.0}};
  for (int i = 0; i < task->row_count; ++i) {
    for (int k = 0; k < 3; ++k) {
      M[k][i] = task->scale * at->map[6 * i + k];
    }
  }
  return (sinew_columns){
      .x = sinew_four_load(M[0]), .y = sinew_four_load(M[1]), .z = sinew_four_load(M[2])};
}

// Adds the column of a revolute joint to rows of the centre of mass, as mass_column() and
// sinew_task_add_column() do for any; none of the rows depends on rotations.
static void add_mass_column(const sinew_state *state, const sinew_evaluation *evaluation,
                            const sinew_compiled_task *task, const sinew_columns *map,
                            const sinew_task_span *span, double scale, double *out) {
  const sinew_model *model = state->model;
  const sinew_columns frame = sinew_frame_load(&state->frames[span->node]);
  const sinew_four arm = sinew_four_load(evaluation->centres + 4 * span->node) - frame.p;
  const double share = scale * (model->carried[span->node] / model->mass);
  const sinew_four linear = SINEW_FOUR_OF(share) * sinew_four_cross(frame.z, arm);
  const sinew_four column = sinew_columns_rotate(*map, linear);
  if (task->row_count == 3) {
    sinew_four_store3(out, sinew_four_load3(out) + column);
    return;
  }
  for (int i = 0; i < task->row_count; ++i) {
    out[i] += column[i];
  }
}

// Any choice of rows.
static void fill_chosen(const sinew_problem *problem, const sinew_state *state,
                        const sinew_evaluation *evaluation, int t, double *values) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const sinew_task_evaluation *at = &evaluation->tasks[t];
  const sinew_row_axes axes = sinew_task_row_axes(task, at);
  const bool mass = SINEW_HAS_FAST_PATHS && task->task.center_of_mass &&
                    task->rows == SINEW_ROWS_GENERAL && task->linear_rows == task->row_count;
  const sinew_columns map = mass ? mass_map(task, at) : (sinew_columns){.x = {0.0}};
  double point[3];
  column_point(evaluation, task, at, point);
  for (int c = 0; c < task->span_count; ++c) {
    const sinew_task_span *span = &problem->spans[task->span_start + c];
    if (mass && span->kind == SINEW_SPAN_REVOLUTE && !span->reversed) {
      add_mass_column(state, evaluation, task, &map, span, problem->scale[span->column],
                      values + span->k * task->row_count);
      continue;
    }
    for (int i = 0; i < sinew_span_columns(span); ++i) {
      const double column = problem->scale[span->column + i];
      const bool negative = span->reversed && !task->task.center_of_mass;
      const double scale = negative ? -column : column;
      double linear[3], angular[3];
      chosen_column(state, evaluation, task, span, i, point, linear, angular);
      sinew_task_add_column(task, at, &axes, linear, angular, scale * task->scale,
                            scale * task->task.orientation_weight,
                            values + (span->k + i) * task->row_count);
    }
  }
}

// Adds the other kinds of columns of a whole task: coupled joints share the column of their driver.
static void add_others(const sinew_problem *problem, const sinew_state *state,
                       const sinew_evaluation *evaluation, int t, double *values) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const sinew_task_evaluation *at = &evaluation->tasks[t];
  const double position = task->scale, orientation = task->task.orientation_weight;
  double point[3];
  column_point(evaluation, task, at, point);
  for (int c = 0; c < task->span_count; ++c) {
    const sinew_task_span *span = &problem->spans[task->span_start + c];
    double linear[3], angular[3], *out = values + span->k * task->row_count;
    if (span->kind != SINEW_SPAN_OTHER) {
      continue;
    }
    const double scale = problem->scale[span->column];
    sinew_node_column(state, span->node, span->i, point, linear, angular);
    for (int i = 0; i < 3; ++i) {
      out[i] += scale * position * linear[i];
      if (task->row_count == 6) {
        out[3 + i] += scale * orientation * angular[i];
      }
    }
  }
}

// All columns except those of revolute and spherical joints in whole points and poses.
static void fill_rest(const sinew_problem *problem, const sinew_state *state,
                      sinew_evaluation *out) {
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    double *values = out->rows.values + out->rows.blocks[t].value_start;
    if (task->whole && task->added) {
      add_others(problem, state, out, t, values);
    } else if (!task->whole && task->row_count > 0) {
      fill_chosen(problem, state, out, t, values);
    }
  }
}

void sinew_evaluate_rows(const sinew_problem *problem, const sinew_state *state, double *gradient,
                         sinew_evaluation *out) {
  sinew_rows *rows = &out->rows;
  rows->square = 0.0;
  if (gradient != NULL) {
    sinew_zero((size_t)rows->dof_count, gradient);
  }
  for (int t = 0; !problem->plain && t < problem->count; ++t) {
    const sinew_row_block *block = &rows->blocks[t];
    // Columns that are sums, and paths with columns that no span writes
    if (problem->closed || !problem->tasks[t].whole || problem->tasks[t].added) {
      sinew_zero((size_t)(block->row_count * block->path_count), rows->values + block->value_start);
    }
  }
  sinew_fill_columns(problem, state, gradient, out);
  if (!problem->plain) {
    fill_rest(problem, state, out);
  }
}

void sinew_evaluate_jacobian(const sinew_problem *problem, const sinew_state *state, bool curved,
                             double *gradient, sinew_evaluation *out) {
  sinew_rows *rows = &out->rows;
  if (problem->plain && curved) {
    rows->square = 0.0;
    sinew_zero((size_t)rows->dof_count, gradient);
    sinew_fill_columns_curved(problem, state, gradient, out);
    return;
  }
  sinew_evaluate_rows(problem, state, gradient, out);
  if (problem->plain) {
    return;
  }
  sinew_rows_gradient(rows, rows->residual, gradient);
  rows->square = sinew_rows_square_norm(rows);
  if (curved) {
    sinew_evaluate_curvature(problem, state, NULL, 1.0, out);
  }
}

// ------------------------------------------------------------- feed-forward

// The longest motion of a target that is fed forward, in sizes of the figure, and rotation [rad].
#define MOST_MOTION 1e3

// v dt, scaled to the length most if it is longer; finite for extreme v.
static void move_of(const double v[3], double dt, double most, double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = dt * sinew_clamp(v[i], -SINEW_HUGE, SINEW_HUGE);
  }
  const double length = sinew_norm_safe(out);
  sinew_scale(length > most ? most / length : 1.0, out, out);
}

void sinew_evaluation_feed_forward(const sinew_problem *problem, const sinew_target *targets,
                                   double gain, double dt, sinew_evaluation *out) {
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    double *row = out->rows.residual + out->rows.blocks[t].row;
    for (int i = 0; i < task->row_count; ++i) {
      row[i] *= gain;
    }
    if (dt > 0.0 && task->row_count > 0) {
      double linear[3], angular[3];
      move_of(targets[t].twist, dt, MOST_MOTION * problem->size, linear);
      move_of(targets[t].twist + 3, dt, MOST_MOTION, angular);
      sinew_task_add_motion(task, &out->tasks[t], linear, angular, row);
    }
  }
}

double sinew_evaluation_first_order(const sinew_problem *problem, const double *v) {
  double sum = 0.0;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_row_block *block = &problem->pattern.blocks[t];
    for (int i = 0; problem->tasks[t].first_order && i < block->row_count; ++i) {
      sum += v[block->row + i] * v[block->row + i];
    }
  }
  return 0.5 * sum;
}
