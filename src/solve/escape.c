// See escape.h.
#include "solve/escape.h"
#include "math/vector.h"
#include "policy/rules.h"
#include "policy/tracking.h"
#include "solve/reach.h"
#include "solve/solver.h"

#include <string.h>

// The figure is stuck after this many updates with |e| above LEAST_ERROR, of which at least
// PREDICTED is predicted to remain, and E not below KEEP of the last.
#define STUCK_UPDATES 10
#define STUCK_ERROR 1e-3
#define STUCK_PREDICTED 0.97
#define STUCK_KEEP 0.9

// Candidates take STEPS steps in an update, one after the other. One that has met the targets in
// MET consecutive updates, by motions within its share of max_change, is tracked: targets that have
// come back within reach may be met without it.
#define CANDIDATE_STEPS 4
#define CANDIDATE_MET 20

// The share of max_change that the motion to another configuration may use.
#define MOTION_SHARE 0.5
#define MOST_UPDATES 1e6

// Places of a motion at which hard tasks are checked before it begins: one a few degrees, so that
// most that would leave a range are not begun.
#define PLACES 32

void sinew_escape_layout(sinew_arena *arena, const sinew_model *model, sinew_escape *escape) {
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  escape->candidate.q = sinew_arena_take(arena, nq, sizeof(double));
  escape->shown = sinew_arena_take(arena, nq, sizeof(double));
  escape->offset = sinew_arena_take(arena, nv, sizeof(double));
  escape->velocity = sinew_arena_take(arena, nv, sizeof(double));
  escape->last = sinew_arena_take(arena, nv, sizeof(double));
}

static void drop_candidate(sinew_escape *escape) {
  escape->begun = false;
  escape->met = 0;
}

static void end_motion(sinew_escape *escape) {
  drop_candidate(escape);
  escape->stuck = escape->length = 0;
}

void sinew_escape_reset(sinew_escape *escape) {
  end_motion(escape);
  escape->tried = 0;
  escape->E = 0.0;
}

// ------------------------------------------------------- active values of q

static int value_count(const sinew_column_group *group) {
  return group->spherical ? 4 : 1;
}

// to <- the active values of from; others stay.
static void copy_active(const sinew_problem *problem, const double *from, double *to) {
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    memcpy(to + group->q, from + group->q, (size_t)value_count(group) * sizeof *to);
  }
}

static bool same_active(const sinew_problem *problem, const double *a, const double *b) {
  bool same = true;
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    same = same && memcmp(a + group->q, b + group->q, (size_t)value_count(group) * sizeof *a) == 0;
  }
  return same;
}

// Gives a configuration the inactive values of q; q of the solver is overwritten.
static void take_inactive(sinew_solver *solver, const double *q, double *configuration) {
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  memcpy(solver->q, q, bytes);
  copy_active(&solver->problem, configuration, solver->q);
  memcpy(configuration, solver->q, bytes);
}

// ------------------------------------------------------------------ the motion

// The largest change of the motion from one update to the next that the motion may use.
static double change_of_motion(const sinew_solver *solver) {
  const sinew_tracking_def *def = &solver->def.tracking;
  const double rate = tracking_rate(solver->history.parts, def->time_step);
  return MOTION_SHARE *
         tracking_max_change(def->max_change, solver->problem.pattern.dof_count, rate);
}

// In units of columns: rad or sizes of the model.
static double length_of(const sinew_solver *solver, const double *v) {
  const sinew_problem *problem = &solver->problem;
  double sum = 0.0;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const double one = v[problem->dof_of_column[column]] / problem->unit[column];
    sum += one * one;
  }
  return sqrt(sum);
}

// The number of updates in which neither max_change nor a speed limit is exceeded: with a cubic
// polynomial over N updates, the change of a step is at most 6 |offset| / N^2 + 4 |velocity| / N,
// and a step at most 1.5 |offset| / N + |velocity|.
static int updates_of_motion(const sinew_solver *solver, const sinew_escape *escape) {
  const sinew_problem *problem = &solver->problem;
  const double most = change_of_motion(solver), time = solver->def.tracking.time_step;
  const double offset = length_of(solver, escape->offset);
  const double velocity = length_of(solver, escape->velocity);
  const double half = 2.0 * velocity / most;
  double updates = half + sqrt(half * half + 6.0 * offset / most);
  for (int column = 0; time > 0.0 && column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    updates = sinew_max(updates, 3.0 * fabs(escape->offset[v]) / (solver->motion.speed[v] * time));
  }
  return (int)sinew_min(updates, MOST_UPDATES) + 1;
}

// The offset of degree of freedom v after some updates.
static double offset_after(const sinew_escape *escape, double updates, int v) {
  const double N = escape->length, s = updates / N;
  return ((2.0 * s - 3.0) * s * s + 1.0) * escape->offset[v] +
         N * s * (s - 1.0) * (s - 1.0) * escape->velocity[v];
}

// The part of speed limits that a motion of degree of freedom v exceeds is left for later updates.
// Returns whether there was any.
static bool limit_speed(const sinew_solver *solver, double *motion) {
  const sinew_problem *problem = &solver->problem;
  const double time = solver->def.tracking.time_step;
  bool limited = false;
  for (int column = 0; time > 0.0 && column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double most = solver->motion.speed[v] * time;
    limited = limited || fabs(motion[v]) > most;
    motion[v] = sinew_clamp(motion[v], -most, most);
  }
  return limited;
}

// shown <- the tracked configuration plus the offset after some updates; motion: nv, scratch.
static void find_place(const sinew_solver *solver, double updates, double *motion) {
  const sinew_escape *escape = &solver->escape;
  const sinew_model *model = solver->model;
  for (int v = 0; v < model->nv; ++v) {
    motion[v] = offset_after(escape, updates, v);
  }
  sinew_configuration_integrate(model, escape->candidate.q, motion, escape->shown);
  sinew_problem_clamp(&solver->problem, escape->shown);
}

// shown <- the figure after this update, at most as far from q as speed limits allow. Returns
// whether it is where the offset has it.
static bool place_figure(sinew_solver *solver, const double *q) {
  sinew_escape *escape = &solver->escape;
  const sinew_model *model = solver->model;
  double *motion = escape->last;
  find_place(solver, escape->moved, motion);
  sinew_configuration_difference(model, q, escape->shown, motion);
  const bool limited = limit_speed(solver, motion);
  if (limited) {
    sinew_configuration_integrate(model, q, motion, escape->shown);
  }
  return !limited;
}

// ------------------------------------------- the motion, with limits of acceleration
//
// As ahead of targets (motion_aim.c): with u the tracked configuration's motion, d what is left to
// it, r = d - u and p the figure's last motion, each joint moves by u + s r, within the bounds of
// accelerations and p -+ b / sqrt(n). s is the share with which every joint can stop there.

// The largest change of the motion of a column that braking may use.
static double braking_change(const sinew_solver *solver, int column, double most) {
  const int v = solver->problem.dof_of_column[column];
  const double time = solver->def.tracking.time_step, unit = solver->problem.unit[column];
  const double change = MOTION_SHARE * most * unit;
  return sinew_motion_limits_accelerates(solver, v)
             ? sinew_min(change,
                         SINEW_BRAKING_RESERVE * solver->motion.acceleration[v] * time * time)
             : change;
}

// s. d of each degree of freedom, of which u is the motion.
static double share_of_way(const sinew_solver *solver, const double *d, const double *u,
                           double most) {
  const sinew_problem *problem = &solver->problem;
  double share = 1.0;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double change = braking_change(solver, column, most), way = fabs(d[v] - u[v]);
    const double longest = tracking_brake(way, sinew_max(change, TRACKING_LEAST_CHANGE));
    share = longest < way ? sinew_min(share, longest / way) : share;
  }
  return share;
}

// The motion of a column within its bounds.
static double bounded_motion(const sinew_solver *solver, int column, double wanted, double most) {
  const int v = solver->problem.dof_of_column[column];
  const double change = most * solver->problem.unit[column], last = solver->escape.last[v];
  const double fastest = sinew_motion_limits_most(solver, v);
  const double near = sinew_clamp(wanted, last - change, last + change);
  const double moved = sinew_clamp(near, -fastest, fastest);
  return solver->motion.q != NULL && sinew_motion_limits_accelerates(solver, v)
             ? sinew_clamp(moved, solver->motion.lower[v], solver->motion.upper[v])
             : moved;
}

// shown <- the figure after this update, from q; before: the tracked configuration before this
// update. Returns whether it is that now.
static bool brake_figure(sinew_solver *solver, const double *q, const double *before) {
  sinew_escape *escape = &solver->escape;
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  const double rate = tracking_rate(solver->history.parts, solver->def.tracking.time_step);
  const double most = tracking_max_change(solver->def.tracking.max_change, n, rate) / sqrt(n);
  double *u = escape->offset, *d = escape->velocity;
  sinew_configuration_difference(solver->model, before, escape->candidate.q, u);
  sinew_configuration_difference(solver->model, q, escape->candidate.q, d);
  const double share = share_of_way(solver, d, u, most);
  bool there = share == 1.0;
  for (int column = 0; column < n; ++column) {
    const int v = problem->dof_of_column[column];
    const double wanted = u[v] + share * (d[v] - u[v]);
    const double moved = bounded_motion(solver, column, wanted, most);
    there = there && moved == wanted;
    escape->last[v] = d[v] = moved;
  }
  sinew_configuration_integrate(solver->model, q, d, escape->shown);
  sinew_problem_clamp(problem, escape->shown);
  return there;
}

// ----------------------------------------------------------------------------- before a motion

// Whether degree of freedom v stays within its limits, if the tracked configuration does not move.
// The offset is a s^3 + b s^2 + c s + d, largest or smallest at an end or where its slope is 0.
static bool keeps_limits_of(const sinew_solver *solver, const sinew_escape *escape, int v) {
  const double at = escape->candidate.q[solver->model->q_of_v[v]];
  const double o = escape->offset[v], n = escape->length * escape->velocity[v];
  const double a = 2.0 * o + n, b = -3.0 * o - 2.0 * n, root = b * b - 3.0 * a * n;
  for (int i = -1; i <= 1 && root >= 0.0 && a != 0.0; i += 2) {
    const double s = (-b + i * sqrt(root)) / (3.0 * a);
    const double value = at + ((a * s + b) * s + n) * s + o;
    if (s > 0.0 && s < 1.0 &&
        (value < solver->problem.lower[v] || value > solver->problem.upper[v])) {
      return false;
    }
  }
  return true;
}

static bool keeps_limits(const sinew_solver *solver, const sinew_escape *escape) {
  const sinew_problem *problem = &solver->problem;
  bool keeps = true;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    keeps = keeps && (solver->model->quaternion_axis[v] >= 0 || keeps_limits_of(solver, escape, v));
  }
  return keeps;
}

// Whether the motion leaves no range of a hard task, if neither the targets nor the tracked
// configuration move. Overwrites shown.
static bool keeps_hard_tasks(sinew_solver *solver, const sinew_target *targets, const double *q) {
  const sinew_escape *escape = &solver->escape;
  bool keeps = true;
  for (int i = 1; keeps && solver->hard.total > 0 && i <= PLACES; ++i) {
    find_place(solver, (double)i / PLACES * escape->length, solver->hard.joint_lower);
    keeps = sinew_hard_is_kept(solver, targets, q, escape->shown);
  }
  return keeps;
}

// The motion of column v in an update, of which the history has that of a part.
static double last_motion(const sinew_solver *solver, int column) {
  const int v = solver->problem.dof_of_column[column];
  return solver->history.step[v] * solver->problem.unit[column] * solver->history.parts;
}

// From the figure at q, which has just moved by the history's step, to the candidate.
static void begin_motion(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_escape *escape = &solver->escape;
  const sinew_problem *problem = &solver->problem;
  sinew_problem_unwind_near(problem, q, escape->candidate.q);
  sinew_configuration_difference(solver->model, escape->candidate.q, q, escape->offset);
  memset(escape->velocity, 0, (size_t)solver->model->nv * sizeof *escape->velocity);
  escape->brakes = solver->motion.q != NULL;
  for (int column = 0; column < problem->pattern.dof_count && !escape->brakes; ++column) {
    const int v = problem->dof_of_column[column];
    escape->velocity[v] = last_motion(solver, column) - escape->last[v];
  }
  escape->length = escape->brakes ? 1 : updates_of_motion(solver, escape);
  escape->moved = 0;
  if (!escape->brakes && !keeps_limits(solver, escape)) { // later, with less velocity
    escape->length = 0;
    return;
  }
  if (!keeps_hard_tasks(solver, targets, q)) { // the next candidate
    escape->length = 0;
    drop_candidate(escape);
    return;
  }
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double last = last_motion(solver, column);
    solver->history.step[v] = escape->last[v] / (problem->unit[column] * solver->history.parts);
    escape->last[v] = last;
  }
  memcpy(escape->shown, q, (size_t)solver->model->nq * sizeof *q);
}

static bool is_moving(const sinew_solver *solver, const double *q) {
  const sinew_escape *escape = &solver->escape;
  return escape->length > 0 && same_active(&solver->problem, q, escape->shown);
}

// The figure's change counts from its own motion, escape.last, instead of the tracked
// configuration's.
static void keep_own_motion(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    solver->history.step[v] =
        solver->escape.last[v] / (problem->unit[column] * solver->history.parts);
  }
}

// The motion ends where the figure is, at q, which is followed from there. before: the history
// before this update, which is taken again.
static void leave_motion(sinew_solver *solver, const sinew_history *before,
                         const sinew_target *targets, double *q, sinew_report *report) {
  const int parts = solver->history.parts;
  solver->history = *before;
  solver->history.parts = parts;
  keep_own_motion(solver);
  end_motion(&solver->escape);
  solver->functions->evaluate(solver, targets, q);
  solver->functions->track(solver, targets, q, report);
}

// Tracks from the tracked configuration, and moves the figure nearer to it, unless that would leave
// a range of a hard task.
static void move_on(sinew_solver *solver, const sinew_target *targets, double *q,
                    sinew_report *report) {
  sinew_escape *escape = &solver->escape;
  const sinew_history before = solver->history;
  escape->brakes = escape->brakes || solver->motion.q != NULL; // to its end
  take_inactive(solver, q, escape->candidate.q);
  memcpy(escape->shown, escape->candidate.q, (size_t)solver->model->nq * sizeof *q);
  solver->functions->evaluate(solver, targets, escape->candidate.q);
  solver->track.share = 1.0 - MOTION_SHARE;
  solver->track.tentative = true;
  solver->functions->track(solver, targets, escape->candidate.q, NULL);
  solver->track.tentative = false;
  solver->track.share = 1.0;
  escape->moved = escape->moved < escape->length ? escape->moved + 1 : escape->moved;
  const bool there =
      escape->brakes ? brake_figure(solver, q, escape->shown) : place_figure(solver, q);
  if (!sinew_hard_is_kept(solver, targets, q, escape->shown)) {
    leave_motion(solver, &before, targets, q, report);
    return;
  }
  sinew_solver_record_targets(solver, targets);
  copy_active(&solver->problem, escape->shown, q);
  sinew_hard_measure(solver, targets, q);
  if (report != NULL) {
    report->steps = solver->track.steps;
  }
  if (there && escape->brakes) {
    keep_own_motion(solver);
    end_motion(escape);
  } else if (there && escape->moved == escape->length) {
    end_motion(escape);
  }
}

// --------------------------------------------------------------- the candidate

static void start_candidate(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_escape *escape = &solver->escape;
  sinew_seeds seeds = {.targets = targets, .caller = q, .caller_number = -1};
  sinew_seeds_begin(&seeds, &solver->problem, &solver->search.seeds);
  seeds.near = true;
  seeds.place = (uint64_t)escape->tried;
  sinew_seeds_next(&seeds, 1 + escape->tried, escape->candidate.q);
  ++escape->tried;
}

static bool meets(const sinew_escape *escape) {
  const double E = escape->candidate.E;
  return 2.0 * E < STUCK_ERROR * STUCK_ERROR && E < 0.01 * escape->E;
}

// The steps of an update; a candidate that is dropped is followed by the next one.
static void improve_candidate(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_escape *escape = &solver->escape;
  sinew_attempt *candidate = &escape->candidate;
  if (escape->begun) {
    take_inactive(solver, q, candidate->q);
  }
  for (int step = 0; step < CANDIDATE_STEPS; ++step) {
    if (!escape->begun) {
      start_candidate(solver, targets, q);
      sinew_attempt_begin(solver, targets, candidate);
      escape->begun = true;
      memcpy(solver->q, candidate->q, (size_t)solver->model->nq * sizeof *q);
    } else if (step == 0) { // targets have moved
      candidate->E = solver->functions->evaluate(solver, targets, candidate->q);
      memcpy(solver->q, candidate->q, (size_t)solver->model->nq * sizeof *q);
    }
    sinew_attempt_step(solver, targets, candidate);
    if (!meets(escape) && sinew_attempt_is_dropped(solver, candidate)) {
      drop_candidate(escape);
    }
  }
  sinew_configuration_difference(solver->model, solver->q, candidate->q, escape->last);
}

static void search(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_escape *escape = &solver->escape;
  improve_candidate(solver, targets, q);
  const bool follows = meets(escape) && length_of(solver, escape->last) <= change_of_motion(solver);
  escape->met = follows ? escape->met + 1 : 0;
  if (escape->met >= CANDIDATE_MET) {
    begin_motion(solver, targets, q);
  }
}

// ---------------------------------------------------------------------- update

static void watch(sinew_solver *solver, double E) {
  sinew_escape *escape = &solver->escape;
  // With limits of acceleration E falls slowly where the way to q* (motion_aim.c) has just begun.
  const bool begins = solver->motion.q != NULL && solver->motion.left <= STUCK_KEEP;
  const bool stuck = 2.0 * E > STUCK_ERROR * STUCK_ERROR && !begins &&
                     solver->history.predicted >= STUCK_PREDICTED && E > STUCK_KEEP * escape->E;
  escape->stuck = stuck ? escape->stuck + 1 : 0;
  escape->E = E;
  if (!stuck) {
    drop_candidate(escape);
  }
}

void sinew_escape_update(sinew_solver *solver, const sinew_target *targets, double *q,
                         sinew_report *report) {
  sinew_escape *escape = &solver->escape;
  if (is_moving(solver, q)) {
    move_on(solver, targets, q, report);
    return;
  }
  escape->length = 0;
  const double E = solver->evaluation.E;
  solver->functions->track(solver, targets, q, report);
  watch(solver, E);
  if (escape->stuck >= STUCK_UPDATES &&
      !sinew_reach_excludes(&solver->problem, &solver->def.tolerances, targets, q, NULL)) {
    search(solver, targets, q);
  }
}
