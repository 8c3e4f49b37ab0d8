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
// half of its motion X, a quarter and so on, or none, with which they can be closed: where steps
// leave terms of second order, a share s of X opens loops by s^2 of what X does.
//
// Source of mu: Yamashita, Fukushima, On the rate of convergence of the Levenberg-Marquardt method,
// 2001.
#include "solve/loops.h"
#include "math/rotation.h"
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
  loops->hard = sinew_arena_take(arena, (size_t)def->hard_rows, sizeof *loops->hard);
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

// The larger of distance and angle [sizes, rad].
static double gap_of(const sinew_solver *solver, double distance, double angle) {
  return sinew_max(distance / solver->problem.size, angle);
}

// The largest gap before the update.
static double gap_before(const sinew_solver *solver) {
  const double *errors = solver->track.errors;
  double most = 0.0;
  for (int t = 0; t < solver->problem.count; ++t) {
    if (is_loop(&solver->problem.tasks[t])) {
      most = sinew_max(most, gap_of(solver, errors[2 * t], errors[2 * t + 1]));
    }
  }
  return most;
}

// By how much a hard task's quantity is beyond an end [sizes, rad].
static double beyond(const sinew_task_side *side, double size) {
  return sinew_hard_beyond(side) / sinew_hard_unit(side, size);
}

// By how much one is further out at q, evaluated, than where the steps have ended.
static double find_leaving(const sinew_solver *solver, const sinew_target *targets) {
  const sinew_hard *hard = &solver->hard;
  double most = 0.0;
  if (hard->total > 0) {
    sinew_hard_find_sides(solver, targets, hard->ended);
  }
  for (int i = 0; i < hard->total; ++i) {
    const double now = beyond(&hard->ended[i], solver->problem.size);
    most = sinew_max(most, fabs(now) - fabs(solver->loops.hard[i].beyond));
  }
  return most;
}

// The largest gap at q; at least by how much hard tasks are further out there.
static double find_gap(sinew_solver *solver, const sinew_target *targets, const double *q) {
  solver->functions->evaluate(solver, targets, q);
  solver->track.evaluated = true;
  double most = find_leaving(solver, targets);
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_task_evaluation *at = &solver->evaluation.tasks[t];
    if (is_loop(&solver->problem.tasks[t])) {
      most = sinew_max(most, gap_of(solver, at->position_error, at->orientation_error));
    }
  }
  return most;
}

// Puts q back to another configuration than the one last evaluated.
static void put_back(sinew_solver *solver, const double *from, double *q) {
  memcpy(q, from, (size_t)solver->model->nq * sizeof *q);
  solver->track.evaluated = false;
}

// How far hard tasks are outside of their ranges at q, where the steps have ended, and what
// sinew_solver_hard_row() reads of them, which corrections overwrite.
static void save_hard_rows(sinew_solver *solver, const sinew_target *targets, const double *q) {
  const sinew_hard *hard = &solver->hard;
  if (hard->total > 0) {
    solver->functions->evaluate(solver, targets, q);
    sinew_hard_find_sides(solver, targets, hard->ended);
  }
  for (int i = 0; i < hard->total; ++i) {
    solver->loops.hard[i] =
        (sinew_loop_row){.multiplier = hard->multiplier[i],
                         .yielded = hard->yielded[i],
                         .at = hard->at[i],
                         .beyond = beyond(&hard->ended[i], solver->problem.size)};
  }
}

static void restore_hard_rows(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  for (int i = 0; i < hard->total; ++i) {
    hard->multiplier[i] = solver->loops.hard[i].multiplier;
    hard->yielded[i] = solver->loops.hard[i].yielded;
    hard->at[i] = solver->loops.hard[i].at;
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
  if (solver->model->cone_count > 0) {
    sinew_cones_open(solver);
  }
}

// The hard rows of a correction: as far as to an end, or to where the steps have left it, and back.
static void begin_hard(sinew_solver *solver, const sinew_target *targets) {
  sinew_hard *hard = &solver->hard;
  sinew_hard_begin(solver, targets);
  for (int i = 0; i < hard->count; ++i) {
    const double unit = sinew_hard_unit(&hard->sides[i], solver->problem.size);
    const double ended = solver->loops.hard[i].beyond;
    hard->lower[i] = hard->sides[i].lower / unit + sinew_min(ended, 0.0);
    hard->upper[i] = hard->sides[i].upper / unit + sinew_max(ended, 0.0);
  }
}

// Moves q, the configuration last evaluated, by a correction.
static void correct(sinew_solver *solver, const sinew_target *targets, double *q) {
  const double time = solver->def.tracking.time_step;
  solver->functions->linearize(solver, q, time, false);
  const double mu = keep_loops(solver);
  bound_correction(solver, q);
  if (solver->hard.total > 0) {
    begin_hard(solver, targets);
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
  double *last = solver->q, gap = find_gap(solver, targets, q), reduced = 0.0;
  for (int round = 0; gap > CLOSED && reduced <= 0.5 && round < CORRECTIONS; ++round) {
    memcpy(last, q, (size_t)solver->model->nq * sizeof *q);
    correct(solver, targets, q);
    const double now = find_gap(solver, targets, q);
    reduced = now / gap;
    if (reduced < 1.0) {
      gap = now;
    } else {
      put_back(solver, last, q);
    }
  }
  return gap;
}

// ----------------------------------------------------------------------- update

// The motion of an update.
typedef struct loop_motion {
  const sinew_target *targets;
  double *end;   // nq: where its steps have left the figure
  double *whole; // nv: and its motion
  double *part;  // nv, scratch
  double *best;  // nq, scratch
  double most;   // the longest sum of corrections
} loop_motion;

// Whether q is near enough to the end of a share of the motion.
static bool is_near(const sinew_solver *solver, const loop_motion *motion, double share,
                    const double *q) {
  const sinew_problem *problem = &solver->problem;
  double square = 0.0;
  sinew_configuration_difference(solver->model, solver->motion.before, q, motion->part);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double change = (motion->part[v] - share * motion->whole[v]) / problem->unit[column];
    square += change * change;
  }
  return square <= motion->most * motion->most;
}

// Whether loops can be closed near q, the end of a share of the motion. Moves q.
static bool close_from(sinew_solver *solver, const loop_motion *motion, double share, double *q) {
  return correct_all(solver, motion->targets, q) <= CLOSED && is_near(solver, motion, share, q);
}

// A rotation of a spherical joint: a share of its motion from q on, within its limits.
static void rotate_part(const sinew_solver *solver, const sinew_column_group *group,
                        const loop_motion *motion, double share, double q[4]) {
  const int cone = solver->model->nodes[group->node].cone;
  double w[3] = {0.0, 0.0, 0.0};
  for (int i = 0; i < group->count; ++i) {
    const int v = solver->problem.dof_of_column[group->column + i];
    w[solver->model->quaternion_axis[v]] = share * motion->whole[v];
  }
  if (cone >= 0) {
    sinew_cone_move(&solver->model->cones[cone], false, w, q);
  } else {
    sinew_quaternion_apply(q, w);
  }
}

// q <- the end of a share of the motion, no joint further outside of its limits than after the
// whole.
static void place_part(const sinew_solver *solver, const loop_motion *motion, double share,
                       double *q) {
  const sinew_problem *problem = &solver->problem;
  memcpy(q, motion->end, (size_t)solver->model->nq * sizeof *q);
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    const int v = problem->dof_of_column[group->column];
    const double *from = solver->motion.before + group->q;
    if (group->spherical) {
      memcpy(q + group->q, from, 4 * sizeof *q);
      rotate_part(solver, group, motion, share, q + group->q);
    } else {
      const double end = q[group->q];
      q[group->q] = sinew_clamp(*from + share * motion->whole[v], sinew_min(problem->lower[v], end),
                                sinew_max(problem->upper[v], end));
    }
  }
}

// q <- the end of a shorter motion, at which loops are closed. Where even the shortest does not
// close them q remains; returns false.
static bool shorten(sinew_solver *solver, const loop_motion *motion, double *q) {
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  memcpy(motion->best, q, bytes);
  place_part(solver, motion, 0.0, q);
  if (!close_from(solver, motion, 0.0, q)) {
    put_back(solver, motion->best, q);
    return false;
  }
  memcpy(motion->best, q, bytes);
  bool closed = false;
  double share = 0.5;
  for (int round = 0; !closed && round < HALVINGS; ++round, share *= 0.5) {
    place_part(solver, motion, share, q);
    closed = close_from(solver, motion, share, q);
  }
  if (!closed) {
    put_back(solver, motion->best, q);
  }
  return true;
}

void sinew_loops_close(sinew_solver *solver, const sinew_target *targets, bool cut, double *q) {
  const loop_motion motion = {.targets = targets,
                              .end = solver->search.attempt,
                              .whole = solver->search.lower,
                              .part = solver->search.upper,
                              .best = solver->search.spare,
                              .most = cut ? INFINITY : solver->def.tracking.max_change};
  if (solver->escape.length > 0 || gap_before(solver) > NEARLY_CLOSED) {
    return;
  }
  memcpy(motion.end, q, (size_t)solver->model->nq * sizeof *q);
  sinew_configuration_difference(solver->model, solver->motion.before, q, motion.whole);
  save_hard_rows(solver, targets, q);
  // Limits of acceleration may forbid less motion.
  bool closed = close_from(solver, &motion, 1.0, q);
  closed = closed || (solver->motion.q == NULL && shorten(solver, &motion, q));
  if (!closed && (solver->hard.total > 0 || !is_near(solver, &motion, 1.0, q))) {
    put_back(solver, motion.end, q);
  }
  restore_hard_rows(solver);
}
