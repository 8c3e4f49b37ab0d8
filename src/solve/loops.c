// Closed loops in updates. A task of a link relative to another one closes a loop of the tree. The
// steps of an update leave it open by terms of second order, and where other tasks of level 0
// cannot be met, by what these weigh. So after the steps Newton's method closes the loops that were
// closed before the update:
//
//   c = J_l^T (J_l J_l^T + mu I)^-1 e_l,   q <- q + c      rows l of the loops alone
//
// within the limits of joints, speeds and accelerations, of the update as a whole. With mu =
// |e_l|^2 it converges quadratically, and where J_l is almost singular c remains short. If loops
// remain open, the motion of the update is halved, down to none, where they can be closed: to the
// largest share of it with which they are. Source of mu: Yamashita, Fukushima, On the rate of
// convergence of the Levenberg-Marquardt method, 2001.
#include "solve/loops.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

// A gap of a loop [sizes of the figure, rad]: of one that is closed, and the most that an update
// closes.
#define CLOSED 1e-11
#define NEARLY_CLOSED 1e-3
// Corrections, each of which at least halves the gap; and how often a motion is halved.
#define CORRECTIONS 8
#define HALVINGS 6
// The least mu as a share of the mean square of a row.
#define LEAST_DAMPING 1e-13

void sinew_loops_layout(sinew_arena *arena, const sinew_solver_def *def, const sinew_model *model,
                        sinew_loops *loops) {
  const size_t capacity = (size_t)def->task_capacity;
  if (def->step.method != SINEW_METHOD_DEFAULT) {
    return;
  }
  loops->tasks = sinew_arena_take(arena, capacity, sizeof(int));
  loops->errors = sinew_arena_take(arena, 2 * capacity, sizeof(double));
  loops->motion = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  loops->whole = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  loops->last = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  loops->best = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
}

// Whether a task of a kind can be a joint that closes a loop.
static bool is_joint(sinew_task_kind kind) {
  return kind == SINEW_TASK_POSITION || kind == SINEW_TASK_ORIENTATION || kind == SINEW_TASK_POSE ||
         kind == SINEW_TASK_DIRECTION || kind == SINEW_TASK_PLANE || kind == SINEW_TASK_LINE ||
         kind == SINEW_TASK_DISTANCE;
}

static bool closes_loop(const sinew_compiled_task *compiled) {
  const sinew_task *task = &compiled->task;
  return compiled->relative && compiled->row_count > 0 && is_joint(task->kind) &&
         !task->center_of_mass && sinew_task_side_count(task) == 0 &&
         sinew_task_is_searched(task) && task->influence == 1.0 && task->gain == 1.0;
}

void sinew_loops_set_tasks(sinew_solver *solver) {
  sinew_loops *loops = &solver->loops;
  loops->count = 0;
  for (int t = 0; solver->def.step.method == SINEW_METHOD_DEFAULT && t < solver->problem.count;
       ++t) {
    if (closes_loop(&solver->problem.tasks[t])) {
      loops->tasks[loops->count++] = t;
    }
  }
}

// ------------------------------------------------------------------- evaluation

static double gap_of(const sinew_solver *solver, double position_error, double orientation_error) {
  return sinew_max(position_error / solver->problem.size, orientation_error);
}

// The largest gap at q.
static double gap_at(sinew_solver *solver, const sinew_target *targets, const double *q) {
  double most = 0.0;
  solver->functions->evaluate(solver, targets, q);
  for (int i = 0; i < solver->loops.count; ++i) {
    const sinew_task_evaluation *at = &solver->evaluation.tasks[solver->loops.tasks[i]];
    most = sinew_max(most, gap_of(solver, at->position_error, at->orientation_error));
  }
  return most;
}

// The largest gap before the update.
static double gap_before(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  double most = 0.0;
  for (int i = 0; i < solver->loops.count; ++i) {
    const int t = solver->loops.tasks[i];
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    const sinew_leveled_task *task = levels->used ? &levels->tasks[levels->order[t]] : NULL;
    const double position = task != NULL ? task->position_error : at->position_error;
    const double orientation = task != NULL ? task->orientation_error : at->orientation_error;
    most = sinew_max(most, gap_of(solver, position, orientation));
  }
  return most;
}

static void copy_errors(const sinew_solver *solver, double *errors) {
  for (int t = 0; t < solver->problem.count; ++t) {
    errors[2 * t] = solver->evaluation.tasks[t].position_error;
    errors[2 * t + 1] = solver->evaluation.tasks[t].orientation_error;
  }
}

static void restore_errors(sinew_solver *solver, const double *errors) {
  for (int t = 0; t < solver->problem.count; ++t) {
    solver->evaluation.tasks[t].position_error = errors[2 * t];
    solver->evaluation.tasks[t].orientation_error = errors[2 * t + 1];
  }
}

// ------------------------------------------------------------------- correction

// The rows of tasks that are no loops become 0. Returns mu.
static double keep_loop_rows(sinew_solver *solver) {
  const sinew_loops *loops = &solver->loops;
  sinew_rows *rows = &solver->evaluation.rows;
  double square = 0.0;
  for (int t = 0, i = 0; t < rows->block_count; ++t) {
    const sinew_row_block *block = &rows->blocks[t];
    double *e = solver->linear.e + block->row;
    if (i < loops->count && loops->tasks[i] == t) {
      ++i;
      square += sinew_square_sum(block->row_count, e);
      continue;
    }
    sinew_zero((size_t)block->row_count, e);
    sinew_zero((size_t)(block->row_count * block->path_count), rows->values + block->value_start);
  }
  rows->square = sinew_rows_square_norm(rows);
  sinew_rows_gradient(rows, solver->linear.e, solver->linear.gradient);
  return square + LEAST_DAMPING * rows->square / rows->row_count;
}

// Bounds of a correction at q: x = 0 is within them, and the whole motion of the update within
// speeds and accelerations.
static void bound_correction(sinew_solver *solver, const double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_motion_limits *motion = &solver->motion;
  const double time = solver->def.tracking.time_step;
  double *lower = solver->linear.lower, *upper = solver->linear.upper;
  if (solver->linear.open) {
    return;
  }
  sinew_configuration_difference(solver->model, motion->before, q, solver->loops.motion);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double most = sinew_motion_limits_most(solver, v), moved = solver->loops.motion[v];
    double low = -most - moved, high = most - moved;
    if (motion->q != NULL) {
      low = sinew_max(low, motion->lower[v] - moved);
      high = sinew_min(high, motion->upper[v] - moved);
    }
    const double inverse = problem->inverse_scale[column];
    if (time > 0.0) {
      lower[column] = sinew_max(lower[column], low * inverse);
      upper[column] = sinew_min(upper[column], high * inverse);
    }
    lower[column] = sinew_min(lower[column], 0.0);
    upper[column] = sinew_max(upper[column], 0.0);
  }
  sinew_cones_open(solver);
}

// Moves q, the configuration last evaluated, by a correction.
static void correct(sinew_solver *solver, double *q) {
  const double time = solver->def.tracking.time_step;
  solver->functions->linearize(solver, q, time, false);
  const double mu = keep_loop_rows(solver);
  bound_correction(solver, q);
  solver->functions->find_damped_step(solver, mu);
  solver->functions->apply_step(solver, q, q);
  if (time > 0.0 && (solver->problem.has_speeds || solver->motion.has_speeds)) {
    sinew_solver_keep_speeds(solver, time, solver->motion.before, q);
  }
}

// Moves q until the loops are closed. Returns the largest gap.
static double close_loops(sinew_solver *solver, const sinew_target *targets, double *q) {
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  double *last = solver->loops.last, gap = gap_at(solver, targets, q);
  for (int round = 0; gap > CLOSED && round < CORRECTIONS; ++round) {
    memcpy(last, q, bytes);
    correct(solver, q);
    const double now = gap_at(solver, targets, q);
    if (!(now < gap)) {
      memcpy(q, last, bytes);
      break;
    }
    const bool ends = now > 0.5 * gap;
    gap = now;
    if (ends) {
      break;
    }
  }
  return gap;
}

// ---------------------------------------------------------------------- update

// Whether loops can be closed at the end of a share of the update's motion, without a correction of
// more than most; q <- that configuration.
static bool close_after(sinew_solver *solver, const sinew_target *targets, double share,
                        double most, double *q) {
  const sinew_model *model = solver->model;
  sinew_loops *loops = &solver->loops;
  const double inverse = 1.0 / solver->problem.size;
  double square = 0.0;
  if (close_loops(solver, targets, q) > CLOSED) {
    return false;
  }
  sinew_configuration_difference(model, solver->motion.before, q, loops->motion);
  for (int v = 0; v < model->nv; ++v) {
    const double change = loops->motion[v] - share * loops->whole[v];
    const double scaled = model->angular[v] ? change : inverse * change;
    square += scaled * scaled;
  }
  return square <= most * most;
}

// q <- the end of the largest share of the update's motion with which loops can be closed. Where
// there is none, q remains as it is.
static void shorten(sinew_solver *solver, const sinew_target *targets, double most, double *q) {
  sinew_loops *loops = &solver->loops;
  const sinew_model *model = solver->model;
  const size_t bytes = (size_t)model->nq * sizeof *q;
  const double *before = solver->motion.before;
  memcpy(loops->best, q, bytes);
  memcpy(q, before, bytes);
  if (!close_after(solver, targets, 0.0, most, q)) { // they cannot be closed
    memcpy(q, loops->best, bytes);
    return;
  }
  memcpy(loops->best, q, bytes);
  double share = 1.0;
  for (int round = 0; round < HALVINGS; ++round) {
    share *= 0.5;
    for (int v = 0; v < model->nv; ++v) {
      loops->motion[v] = share * loops->whole[v];
    }
    sinew_configuration_integrate(model, before, loops->motion, q);
    if (close_after(solver, targets, share, most, q)) {
      return;
    }
  }
  memcpy(q, loops->best, bytes);
}

// Whether the update may end with less motion than its steps have left it: not where limits of
// acceleration may forbid that, or where hard tasks are kept by these steps.
static bool may_shorten(const sinew_solver *solver) {
  return solver->motion.q == NULL && solver->hard.total == 0;
}

void sinew_loops_close(sinew_solver *solver, const sinew_target *targets, bool cut, double *q) {
  sinew_loops *loops = &solver->loops;
  const double most = cut ? INFINITY : solver->def.tracking.max_change;
  if (loops->count == 0 || solver->escape.length > 0 || gap_before(solver) > NEARLY_CLOSED) {
    return;
  }
  copy_errors(solver, loops->errors);
  sinew_configuration_difference(solver->model, solver->motion.before, q, loops->whole);
  if (!close_after(solver, targets, 1.0, most, q) && may_shorten(solver)) {
    shorten(solver, targets, most, q);
  }
  restore_errors(solver, loops->errors);
}
