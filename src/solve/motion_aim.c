// Braking ahead of targets, in updates with limits of acceleration. With q* the configuration in
// which the targets are met, c the largest change of a joint's motion from one update to the next
// (motion_limits.c), and per update
//
//   d = q* - q      the way that is left
//   u               the motion of q* with the targets, within 0 and d
//   r = d - u       the way to where the targets would be if they rested
//
// a joint moves by a motion between 0 and u + s r, with one share s for all joints that tasks
// connect, so that they arrive together,
//
//   s = min over these joints of min(1, brake(|r|, reserve c) / |r|)
//
// and brake() the longest motion after which it can stop within a distance (policy/tracking.h). It
// may move by SLACK c reserve more to both sides: what q* leaves out, as the curvature out of
// reach, still moves it. What accelerations allow is never left: a joint that is too fast brakes as
// much as it may.
//
// Lower levels then have the same bounds over the whole motion, by the steps that they would take
// without accelerations. Targets of theirs that move count as at rest: with accelerations alone as
// bounds a lower level would move the figure so fast that level 0 could not be kept.
//
// q* is found from q by damped least squares within the limits, of DEFAULT by steps with curvature
// where these lower the error slowly; u by one step of damped least squares from q* to the targets
// of the last update, or by their twist where that is given: the mean of this update's and the last
// one's, so that targets that move in every second update are not lost. Other methods than DEFAULT
// do not keep the targets of the last update: without a twist accelerations alone bound them.
//
// At a saddle of E, where q* is q, accelerations alone bound the motion, so that the figure can
// leave it.
#include "math/vector.h"
#include "policy/tracking.h"
#include "solve/lower_step.h"
#include "solve/solver.h"

#include <string.h>

// Steps to q*. One step leaves a fifth of the targets overshot by 2 %.
#define STEPS 6
// Their damping, a factor on E, and the factor on it after a step that has not lowered E.
#define DAMPING 0.1
#define FLOOR 1e-6
#define MORE_DAMPING 10.0
// Steps after one that leaves more than this share of E have curvature: out of reach, steps without
// it go a share of the way only, and q* would be too near.
#define CURVED 0.5
// Of the step for u: near singular configurations u would be large and random.
#define SHIFT_DAMPING 1e-3
// E of rounding errors.
#define MET (0.5 * TRACKING_ROUNDING * TRACKING_ROUNDING)
// By how much more a joint may move to both sides.
#define SLACK 0.2

// E at q, of the residual with the targets' twist.
static double evaluate(sinew_solver *solver, const sinew_target *targets, const double *q) {
  const sinew_rows *rows = &solver->evaluation.rows;
  solver->functions->evaluate(solver, targets, q);
  sinew_evaluation_feed_forward(&solver->problem, targets, 1.0, solver->def.tracking.time_step,
                                &solver->evaluation);
  const double length = sinew_length(rows->row_count, rows->residual);
  return 0.5 * length * length;
}

// solver.q <- q, which has been evaluated, moved by a step.
static void step_from(sinew_solver *solver, double mu, const double *q) {
  solver->functions->linearize(solver, q, 0.0, false);
  solver->functions->find_damped_step(solver, mu);
  solver->functions->apply_step(solver, q, solver->q);
}

// The same by a step with curvature, as of the method NEWTON.
static void curved_step_from(sinew_solver *solver, double more, const double *q) {
  solver->functions->linearize(solver, q, 0.0, true);
  solver->functions->find_step(solver, SINEW_METHOD_NEWTON, more);
  solver->functions->apply_step(solver, q, solver->q);
}

// motion.aim <- q*, motion.left <- the share of E there. Returns E there.
static double find_aim(sinew_solver *solver, const sinew_target *targets, const double *q) {
  const size_t size = (size_t)solver->model->nq * sizeof *q;
  const double begin = evaluate(solver, targets, q);
  double *aim = solver->motion.aim, E = begin, more = 1.0;
  memcpy(aim, q, size);
  bool curved = false;
  for (int step = 0; step < STEPS && E > MET; ++step) {
    if (curved) {
      curved_step_from(solver, more, aim);
    } else {
      step_from(solver, more * (DAMPING * sinew_min(E, DAMPING_MAX_ERROR) + FLOOR), aim);
    }
    const double next = evaluate(solver, targets, solver->q);
    curved = solver->def.step.method == SINEW_METHOD_DEFAULT && next > CURVED * E;
    if (next < E) {
      memcpy(aim, solver->q, size);
      E = next;
      more = sinew_max(more / MORE_DAMPING, 1.0);
    } else {
      more *= MORE_DAMPING;
      evaluate(solver, targets, aim);
    }
  }
  solver->motion.left = begin > 0.0 ? E / begin : 0.0;
  return E;
}

static bool have_twist(const sinew_solver *solver, const sinew_target *targets) {
  bool have = false;
  for (int t = 0; t < solver->problem.count; ++t) {
    for (int i = 0; i < 6; ++i) {
      have |= targets[t].twist[i] != 0.0;
    }
  }
  return have;
}

// solver.q <- q* before the motion of the targets in this update.
static void find_aim_before(sinew_solver *solver, const sinew_target *targets) {
  const double *aim = solver->motion.aim;
  const bool known = solver->history.updates_at_rest >= 0.0, twist = have_twist(solver, targets);
  memcpy(solver->q, aim, (size_t)solver->model->nq * sizeof *aim);
  if (twist) {
    solver->functions->evaluate(solver, targets, aim);
  } else if (!known || solver->functions->evaluate(solver, targets, aim) ==
                           solver->functions->evaluate(solver, solver->history.targets, aim)) {
    return; // at rest
  }
  step_from(solver, SHIFT_DAMPING, aim);
}

// The motion of one joint; v: its degree of freedom.
typedef struct approach {
  double shift, left; // u, r
  double change;      // reserve c
} approach;

static double change_of(const sinew_solver *solver, int v) {
  const double time = solver->def.tracking.time_step;
  const double change = SINEW_BRAKING_RESERVE * solver->motion.acceleration[v] * time * time;
  return sinew_max(change, TRACKING_LEAST_CHANGE);
}

// The share of the way after which it can stop at its end.
static double share_of(const approach *at) {
  const double way = fabs(at->left), most = tracking_brake(way, at->change);
  return most < way ? most / way : 1.0;
}

// d: the way that is left; shift: the motion of q*.
static approach approach_over(const sinew_solver *solver, double d, int v, double shift) {
  const double u = sinew_clamp(shift, sinew_min(d, 0.0), sinew_max(d, 0.0));
  return (approach){u, d - u, change_of(solver, v)};
}

// The motion that a share of the way allows: between 0 and u + s r, and a little more.
static void bounds_of(const approach *at, double share, double *lower, double *upper) {
  const double wanted = at->shift + share * at->left, slack = SLACK * at->change;
  *lower = sinew_min(wanted, 0.0) - slack;
  *upper = sinew_max(wanted, 0.0) + slack;
}

static approach approach_of(const sinew_solver *solver, int v, double shift) {
  return approach_over(solver, solver->motion.way[v], v, shift);
}

static bool has_aim(const sinew_solver *solver, int v) {
  return solver->problem.column_of_dof[v] >= 0 && sinew_motion_limits_accelerates(solver, v);
}

// aim_upper <- the mean of this update's and the last one's shift; shift <- this one's. The last
// one's counts as 0 where it is of other targets, and as this one's where it is not known.
static void take_shift(sinew_solver *solver) {
  sinew_motion_limits *motion = &solver->motion;
  const bool same = solver->history.updates_at_rest >= 0.0;
  double *moved = motion->aim_lower; // of q*
  sinew_configuration_difference(solver->model, solver->q, motion->aim, moved);
  for (int v = 0; v < solver->model->nv; ++v) {
    const double shift = has_aim(solver, v) ? moved[v] : 0.0;
    const double last = !same ? 0.0 : motion->aimed ? motion->shift[v] : shift;
    motion->aim_upper[v] = 0.5 * (shift + last);
    motion->shift[v] = shift;
  }
}

// Whether the joint of v has an aim, and its tasks are those of a component of the problem.
static bool is_of(const sinew_solver *solver, int v, int component) {
  const sinew_problem *problem = &solver->problem;
  return has_aim(solver, v) && problem->component_of_column[problem->column_of_dof[v]] == component;
}

// Narrows the bounds of the joints of one component.
static void aim_component(sinew_solver *solver, int component) {
  sinew_motion_limits *motion = &solver->motion;
  const int nv = solver->model->nv;
  double share = 1.0;
  for (int v = 0; v < nv; ++v) {
    if (is_of(solver, v, component)) {
      const approach at = approach_of(solver, v, motion->aim_upper[v]);
      share = sinew_min(share, share_of(&at));
    }
  }
  for (int v = 0; v < nv; ++v) {
    if (is_of(solver, v, component)) {
      const approach at = approach_of(solver, v, motion->aim_upper[v]);
      double lower, upper;
      bounds_of(&at, share, &lower, &upper);
      motion->aim_lower[v] = sinew_clamp(lower, motion->lower[v], motion->upper[v]);
      motion->aim_upper[v] = sinew_clamp(upper, motion->lower[v], motion->upper[v]);
    }
  }
}

// Whether q* is q, to what is moved anyway.
static bool is_at_aim(const sinew_solver *solver) {
  bool at = true;
  for (int v = 0; v < solver->model->nv; ++v) {
    const double d = has_aim(solver, v) ? solver->motion.way[v] : 0.0;
    at &= fabs(d) <= SLACK * change_of(solver, v);
  }
  return at;
}

void sinew_motion_aim(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_motion_limits *motion = &solver->motion;
  const bool moved = solver->def.step.method == SINEW_METHOD_DEFAULT || have_twist(solver, targets);
  const double left = find_aim(solver, targets, q);
  sinew_configuration_difference(solver->model, q, motion->aim, motion->way);
  const bool stays = left > MET && is_at_aim(solver);
  find_aim_before(solver, targets);
  take_shift(solver);
  for (int k = 0; moved && !stays && k < solver->problem.component_count; ++k) {
    aim_component(solver, k);
  }
  for (int v = 0; v < solver->model->nv; ++v) {
    if (!moved || stays || !has_aim(solver, v)) {
      motion->aim_lower[v] = motion->lower[v];
      motion->aim_upper[v] = motion->upper[v];
    }
  }
}

// ---------------------------------------------------------------- lower levels
//
// d is the way over all levels so far and x, the step of the level within limits of values alone.

// What has been moved of a column in the update.
static double moved_of(const sinew_solver *solver, int c) {
  const sinew_levels *levels = solver->levels;
  const int v = levels->dof_of_column[c], i = solver->model->q_of_v[v];
  return solver->model->quaternion_axis[v] < 0 ? levels->top[i] - levels->start[i]
                                               : levels->moved[v];
}

// The way that is left to column c of a level: what has been moved in the update, or the way to q*
// where that is not near, and x.
static approach approach_of_column(const sinew_solver *solver, int c, bool near) {
  const sinew_levels *levels = solver->levels;
  const int v = levels->dof_of_column[c], i = solver->model->q_of_v[v];
  const double far = solver->model->quaternion_axis[v] < 0
                         ? solver->motion.aim[i] - levels->start[i]
                         : solver->motion.way[v];
  const double first = near || solver->problem.column_of_dof[v] < 0 ? moved_of(solver, c) : far;
  return approach_over(solver, first + levels->x[c] * levels->scale[c], v, solver->motion.shift[v]);
}

// lower_x and upper_x <- those of limits alone.
static void open_column(const sinew_solver *solver, int c) {
  sinew_levels *levels = solver->levels;
  const int v = levels->dof_of_column[c];
  const double at = levels->top[solver->model->q_of_v[v]];
  levels->lower_x[c] = sinew_min(solver->problem.lower[v] - at, 0.0) / levels->scale[c];
  levels->upper_x[c] = sinew_max(solver->problem.upper[v] - at, 0.0) / levels->scale[c];
}

// Whether column c brakes ahead of targets: those along axes of limits of swing and twist do not.
static bool is_braked(const sinew_solver *solver, int c) {
  return sinew_motion_limits_accelerates(solver, solver->levels->dof_of_column[c]) &&
         !sinew_level_cones_have(solver->levels, c);
}

// The component of level 0 that a column belongs to, or -1.
static int component_of(const sinew_solver *solver, int c) {
  const int column = solver->problem.column_of_dof[solver->levels->dof_of_column[c]];
  return column >= 0 ? solver->problem.component_of_column[column] : -1;
}

// Narrows lower and upper, the columns of one component.
static void aim_columns(const sinew_solver *solver, int component, bool near, double *lower,
                        double *upper) {
  const sinew_levels *levels = solver->levels;
  double share = 1.0;
  for (int c = 0; c < levels->n; ++c) {
    if (is_braked(solver, c) && component_of(solver, c) == component) {
      const approach at = approach_of_column(solver, c, near);
      share = sinew_min(share, share_of(&at));
    }
  }
  for (int c = 0; c < levels->n; ++c) {
    if (is_braked(solver, c) && component_of(solver, c) == component) {
      const approach at = approach_of_column(solver, c, near);
      const double moved = moved_of(solver, c);
      double least, most;
      bounds_of(&at, share, &least, &most);
      lower[c] = sinew_min(sinew_max(lower[c], (least - moved) / levels->scale[c]), 0.0);
      upper[c] = sinew_max(sinew_min(upper[c], (most - moved) / levels->scale[c]), 0.0);
    }
  }
}

void sinew_lower_aim(sinew_solver *solver, const sinew_level_rows *rows, bool near) {
  sinew_levels *levels = solver->levels;
  double *lower = levels->part, *upper = levels->aim;
  memcpy(lower, levels->lower_x, (size_t)levels->n * sizeof *lower);
  memcpy(upper, levels->upper_x, (size_t)levels->n * sizeof *upper);
  for (int c = 0; c < levels->n; ++c) {
    if (is_braked(solver, c)) {
      open_column(solver, c);
    }
  }
  solver->step.systems += sinew_level_solve(rows, false, &levels->scratch, levels->x);
  for (int k = -1; k < solver->problem.component_count; ++k) {
    aim_columns(solver, k, near, lower, upper);
  }
  memcpy(levels->lower_x, lower, (size_t)levels->n * sizeof *lower);
  memcpy(levels->upper_x, upper, (size_t)levels->n * sizeof *upper);
}
