// Closed loops in updates. A task of a link relative to another one closes a loop of the tree. The
// steps of an update leave it open by terms of second order, and where other tasks of level 0
// cannot be met, by what these weigh. So after the steps Newton's method closes the loops, if they
// were closed before the update:
//
//   c = J_l^T (J_l J_l^T + mu I)^-1 e_l,   q <- q + c      rows l of the loops alone
//
// within the limits of joints, and of speeds and accelerations of the whole update. With
// mu = |e_l|^2 it converges quadratically, and c remains short where J_l is almost singular.
//
// If loops remain open, or the sum of corrections is longer than max_change, the update takes a
// half of its motion X, a quarter and so on, or none, with which they can be closed: from where
// they were closed, a share s of X opens them by s^2 of what X does.
//
// Source of mu: Yamashita, Fukushima, On the rate of convergence of the Levenberg-Marquardt method,
// 2001.
#include "solve/loops.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

// Gaps of loops [sizes of the figure, rad]: of closed ones, and the largest that an update closes.
#define CLOSED 1e-11
#define NEARLY_CLOSED 1e-3
// Corrections, each of which must halve the gap, and how often a motion is halved.
#define CORRECTIONS 8
#define HALVINGS 6
// The least mu, a share of the mean square of a row.
#define LEAST_DAMPING 1e-13

void sinew_loops_layout(sinew_arena *arena, const sinew_solver_def *def, sinew_loops *loops) {
  const size_t rows = (size_t)def->hard_rows;
  loops->multiplier = sinew_arena_take(arena, rows, sizeof(double));
  loops->yielded = sinew_arena_take(arena, rows, sizeof(double));
  loops->at = sinew_arena_take(arena, rows, 1);
}

// Whether a task of a kind can be a joint of a mechanism.
static bool is_joint(sinew_task_kind kind) {
  return kind == SINEW_TASK_POSITION || kind == SINEW_TASK_ORIENTATION || kind == SINEW_TASK_POSE ||
         kind == SINEW_TASK_DIRECTION || kind == SINEW_TASK_PLANE || kind == SINEW_TASK_LINE ||
         kind == SINEW_TASK_DISTANCE;
}

static bool is_loop(const sinew_compiled_task *compiled) {
  const sinew_task *task = &compiled->task;
  return compiled->relative && compiled->row_count > 0 && is_joint(task->kind) &&
         !task->center_of_mass && sinew_task_side_count(task) == 0 &&
         sinew_task_is_searched(task) && task->influence == 1.0 && task->gain == 1.0;
}

void sinew_loops_set_tasks(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  int count = 0;
  for (int t = 0; t < problem->count; ++t) {
    count += is_loop(&problem->tasks[t]);
  }
  solver->loops.count = solver->def.step.method == SINEW_METHOD_DEFAULT ? count : 0;
}

// ------------------------------------------------------------------- evaluation

static double gap_of(const sinew_solver *solver, double position_error, double orientation_error) {
  return sinew_max(position_error / solver->problem.size, orientation_error);
}

// The largest gap at q.
static double find_gap(sinew_solver *solver, const sinew_target *targets, const double *q) {
  double most = 0.0;
  solver->functions->evaluate(solver, targets, q);
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    if (is_loop(&solver->problem.tasks[t])) {
      most = sinew_max(most, gap_of(solver, at->position_error, at->orientation_error));
    }
  }
  return most;
}

// The largest gap before the update.
static double gap_before(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  double most = 0.0;
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    const sinew_leveled_task *task = levels->used ? &levels->tasks[levels->order[t]] : NULL;
    const double position = task != NULL ? task->position_error : at->position_error;
    const double orientation = task != NULL ? task->orientation_error : at->orientation_error;
    if (is_loop(&solver->problem.tasks[t])) {
      most = sinew_max(most, gap_of(solver, position, orientation));
    }
  }
  return most;
}

// What calls after an update read of it, which corrections overwrite.
static void save_reports(sinew_solver *solver) {
  const size_t rows = (size_t)solver->hard.total;
  double *errors = solver->track.errors;
  for (int t = 0; t < solver->problem.count; ++t) {
    errors[2 * t] = solver->evaluation.tasks[t].position_error;
    errors[2 * t + 1] = solver->evaluation.tasks[t].orientation_error;
  }
  if (rows > 0) {
    memcpy(solver->loops.multiplier, solver->hard.multiplier, rows * sizeof(double));
    memcpy(solver->loops.yielded, solver->hard.yielded, rows * sizeof(double));
    memcpy(solver->loops.at, solver->hard.at, rows);
  }
}

static void restore_reports(sinew_solver *solver) {
  const size_t rows = (size_t)solver->hard.total;
  const double *errors = solver->track.errors;
  for (int t = 0; t < solver->problem.count; ++t) {
    solver->evaluation.tasks[t].position_error = errors[2 * t];
    solver->evaluation.tasks[t].orientation_error = errors[2 * t + 1];
  }
  if (rows > 0) {
    memcpy(solver->hard.multiplier, solver->loops.multiplier, rows * sizeof(double));
    memcpy(solver->hard.yielded, solver->loops.yielded, rows * sizeof(double));
    memcpy(solver->hard.at, solver->loops.at, rows);
  }
}

// ------------------------------------------------------------------- correction

// The rows of other tasks become 0. Returns mu.
static double keep_loops(sinew_solver *solver) {
  sinew_rows *rows = &solver->evaluation.rows;
  double square = 0.0;
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_row_block *block = &rows->blocks[t];
    double *e = solver->linear.e + block->row;
    if (is_loop(&solver->problem.tasks[t])) {
      square += sinew_square_sum(block->row_count, e);
    } else {
      sinew_zero((size_t)block->row_count, e);
      sinew_zero((size_t)(block->row_count * block->path_count), rows->values + block->value_start);
    }
  }
  rows->square = sinew_rows_square_norm(rows);
  sinew_rows_gradient(rows, solver->linear.e, solver->linear.gradient);
  return square + LEAST_DAMPING * rows->square / rows->row_count;
}

// Narrows the bounds of a step from q, 0 within them, to what speeds and accelerations leave of the
// whole update.
static void bound_correction(sinew_solver *solver, const double *q) {
  const sinew_problem *problem = &solver->problem;
  const sinew_motion_limits *motion = &solver->motion;
  const bool timed = solver->def.tracking.time_step > 0.0;
  double *lower = solver->linear.lower, *upper = solver->linear.upper;
  double *moved = solver->track.moved; // nv
  if (solver->linear.open) {
    return;
  }
  sinew_configuration_difference(solver->model, motion->before, q, moved);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double inverse = problem->inverse_scale[column];
    const double most = sinew_motion_limits_most(solver, v);
    double low = -most, high = most;
    if (motion->q != NULL) {
      low = sinew_max(low, motion->lower[v]);
      high = sinew_min(high, motion->upper[v]);
    }
    if (timed) {
      lower[column] = sinew_max(lower[column], (low - moved[v]) * inverse);
      upper[column] = sinew_min(upper[column], (high - moved[v]) * inverse);
    }
    lower[column] = sinew_min(lower[column], 0.0);
    upper[column] = sinew_max(upper[column], 0.0);
  }
  sinew_cones_open(solver);
}

// Moves q, the configuration last evaluated, by a correction.
static void correct(sinew_solver *solver, const sinew_target *targets, double *q) {
  const double time = solver->def.tracking.time_step;
  solver->functions->linearize(solver, q, time, false);
  const double mu = keep_loops(solver);
  bound_correction(solver, q);
  if (solver->hard.total > 0) {
    sinew_hard_begin(solver, targets);
  }
  solver->functions->find_damped_step(solver, mu);
  solver->hard.count = 0;
  solver->functions->apply_step(solver, q, q);
  if (time > 0.0 && (solver->problem.has_speeds || solver->motion.has_speeds)) {
    sinew_solver_keep_speeds(solver, time, solver->motion.before, q);
  }
}

// Corrects q until loops are closed, or a correction does not halve their gap. Returns it.
static double correct_all(sinew_solver *solver, const sinew_target *targets, double *q) {
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  double *last = solver->q, gap = find_gap(solver, targets, q), reduced = 0.0;
  for (int round = 0; gap > CLOSED && reduced <= 0.5 && round < CORRECTIONS; ++round) {
    memcpy(last, q, bytes);
    correct(solver, targets, q);
    const double now = find_gap(solver, targets, q);
    reduced = now / gap;
    if (reduced < 1.0) {
      gap = now;
    } else {
      memcpy(q, last, bytes);
    }
  }
  return gap;
}

// ----------------------------------------------------------------------- update

// The motion of an update, its scratch, and how long the sum of corrections may be.
typedef struct loop_motion {
  double *whole; // nv: as its steps have left it
  double *part;  // nv
  double *best;  // nq
  double most;
} loop_motion;

// Whether loops can be closed from q on, the end of a share of the motion, by corrections that are
// short enough. Moves q.
static bool close_from(sinew_solver *solver, const loop_motion *motion, double share,
                       const sinew_target *targets, double *q) {
  const sinew_model *model = solver->model;
  const double inverse = 1.0 / solver->problem.size;
  double square = 0.0;
  if (correct_all(solver, targets, q) > CLOSED) {
    return false;
  }
  sinew_configuration_difference(model, solver->motion.before, q, motion->part);
  for (int v = 0; v < model->nv; ++v) {
    const double change = motion->part[v] - share * motion->whole[v];
    const double scaled = model->angular[v] ? change : inverse * change;
    square += scaled * scaled;
  }
  return square <= motion->most * motion->most;
}

// q <- the end of a share of the motion: motion.part. Rotations of joints with limits of swing and
// twist end within these.
static void place_part(const sinew_solver *solver, const loop_motion *motion, double share,
                       double *q) {
  const sinew_model *model = solver->model;
  const double *before = solver->motion.before;
  for (int v = 0; v < model->nv; ++v) {
    motion->part[v] = share * motion->whole[v];
  }
  sinew_configuration_integrate(model, before, motion->part, q);
  for (int g = 0; model->cone_count > 0 && g < solver->problem.group_count; ++g) {
    const sinew_column_group *group = &solver->problem.groups[g];
    const int v = solver->problem.dof_of_column[group->column];
    const int cone = model->nodes[group->node].cone;
    if (group->spherical && cone >= 0) {
      memcpy(q + group->q, before + group->q, 4 * sizeof *q);
      sinew_cone_move(&model->cones[cone], false, motion->part + v - model->quaternion_axis[v],
                      q + group->q);
    }
  }
}

// q <- the end of a shorter motion, at which loops are closed. Where even none closes them q
// remains.
static void shorten(sinew_solver *solver, const loop_motion *motion, const sinew_target *targets,
                    double *q) {
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  memcpy(motion->best, q, bytes);
  memcpy(q, solver->motion.before, bytes);
  bool closed = close_from(solver, motion, 0.0, targets, q);
  if (!closed) {
    memcpy(q, motion->best, bytes);
    return;
  }
  memcpy(motion->best, q, bytes);
  double share = 1.0;
  closed = false;
  for (int round = 0; !closed && round < HALVINGS; ++round) {
    share *= 0.5;
    place_part(solver, motion, share, q);
    closed = close_from(solver, motion, share, targets, q);
  }
  if (!closed) {
    memcpy(q, motion->best, bytes);
  }
}

// Whether the update may end with less motion than its steps have left it. Limits of acceleration
// may forbid that, and hard tasks are kept by these steps alone.
static bool may_shorten(const sinew_solver *solver) {
  return solver->motion.q == NULL && solver->hard.total == 0;
}

void sinew_loops_close(sinew_solver *solver, const sinew_target *targets, bool cut, double *q) {
  const loop_motion motion = {.whole = solver->search.lower,
                              .part = solver->search.upper,
                              .best = solver->search.spare,
                              .most = cut ? INFINITY : solver->def.tracking.max_change};
  if (solver->loops.count == 0 || solver->escape.length > 0 || gap_before(solver) > NEARLY_CLOSED) {
    return;
  }
  save_reports(solver);
  sinew_configuration_difference(solver->model, solver->motion.before, q, motion.whole);
  memcpy(motion.best, q, (size_t)solver->model->nq * sizeof *q);
  const bool closed = close_from(solver, &motion, 1.0, targets, q);
  if (!closed && may_shorten(solver)) {
    shorten(solver, &motion, targets, q);
  } else if (!sinew_hard_is_kept(solver, targets, motion.best, q)) {
    memcpy(q, motion.best, (size_t)solver->model->nq * sizeof *q);
  }
  restore_reports(solver);
}
