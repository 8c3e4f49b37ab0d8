// See escape.h.
#include "solve/escape.h"
#include "math/vector.h"
#include "policy/rules.h"
#include "solve/reach.h"
#include "solve/solver.h"

#include <string.h>

// The figure is stuck after this many updates with |e| above LEAST_ERROR, of which at least
// PREDICTED is predicted to remain, and E not below KEEP of the last.
#define STUCK_UPDATES 10
#define STUCK_ERROR 1e-3
#define STUCK_PREDICTED 0.97
#define STUCK_KEEP 0.9

// Candidates take STEPS steps in an update, one after the other. One that has met the targets in MET
// consecutive updates, by motions within its share of max_change, is tracked: targets that have come
// back within reach may be met without it.
#define CANDIDATE_STEPS 4
#define CANDIDATE_MET 20

// The share of max_change that the motion to another configuration may use.
#define MOTION_SHARE 0.5

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

void sinew_escape_reset(sinew_escape *escape) {
  drop_candidate(escape);
  escape->stuck = escape->length = 0;
}

// ------------------------------------------------------------------ the motion

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
  const double most = MOTION_SHARE * solver->def.tracking.max_change;
  const double time = solver->def.tracking.time_step;
  const double offset = length_of(solver, escape->offset);
  const double velocity = length_of(solver, escape->velocity);
  const double half = 2.0 * velocity / most;
  double updates = half + sqrt(half * half + 6.0 * offset / most);
  for (int column = 0; time > 0.0 && column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    updates =
        sinew_max(updates, 3.0 * fabs(escape->offset[v]) / (solver->model->velocity[v] * time));
  }
  return (int)sinew_min(updates, 1e6) + 1;
}

// The offset of degree of freedom v after some updates.
static double offset_after(const sinew_escape *escape, int updates, int v) {
  const double N = escape->length, s = updates / N;
  return ((2.0 * s - 3.0) * s * s + 1.0) * escape->offset[v] +
         N * s * (s - 1.0) * (s - 1.0) * escape->velocity[v];
}

// q <- the tracked configuration plus the offset of this update.
static void place_figure(const sinew_solver *solver, const sinew_escape *escape, double *q) {
  double *offset = solver->escape.last;
  for (int v = 0; v < solver->model->nv; ++v) {
    offset[v] = offset_after(escape, escape->moved, v);
  }
  sinew_configuration_integrate(solver->model, escape->candidate.q, offset, q);
  sinew_problem_clamp(&solver->problem, q);
}

// Whether the motion stays within limits, if the tracked configuration does not move.
static bool keeps_limits(const sinew_solver *solver, const sinew_escape *escape) {
  const sinew_problem *problem = &solver->problem;
  const sinew_model *model = solver->model;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const bool limited = model->quaternion_axis[v] < 0 &&
                         (problem->lower[v] > -INFINITY || problem->upper[v] < INFINITY);
    for (int i = 1; limited && i < escape->length; ++i) {
      const double at = escape->candidate.q[model->q_of_v[v]] + offset_after(escape, i, v);
      if (at < problem->lower[v] || at > problem->upper[v]) {
        return false;
      }
    }
  }
  return true;
}

// From the figure at q, which has just moved by the history's step, to the candidate.
static void begin_motion(sinew_solver *solver, const double *q) {
  sinew_escape *escape = &solver->escape;
  const sinew_problem *problem = &solver->problem;
  sinew_problem_unwind_near(problem, q, escape->candidate.q);
  sinew_configuration_difference(solver->model, escape->candidate.q, q, escape->offset);
  memset(escape->velocity, 0, (size_t)solver->model->nv * sizeof *escape->velocity);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    escape->velocity[v] = solver->history.step[v] * problem->unit[column] - escape->last[v];
  }
  escape->length = updates_of_motion(solver, escape);
  escape->moved = 0;
  if (!keeps_limits(solver, escape)) { // later, with less velocity
    escape->length = 0;
    return;
  }
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    solver->history.step[v] = escape->last[v] / problem->unit[column];
  }
  memcpy(escape->shown, q, (size_t)solver->model->nq * sizeof *q);
}

static bool is_moving(const sinew_solver *solver, const double *q) {
  const sinew_escape *escape = &solver->escape;
  return escape->length > 0 && memcmp(q, escape->shown, (size_t)solver->model->nq * sizeof *q) == 0;
}

// Tracks from the tracked configuration, and moves the figure nearer to it.
static void move_on(sinew_solver *solver, const sinew_target *targets, double *q) {
  sinew_escape *escape = &solver->escape;
  solver->functions->evaluate(solver, targets, escape->candidate.q);
  solver->track.change = 1.0 - MOTION_SHARE;
  solver->functions->track(solver, targets, escape->candidate.q, NULL);
  solver->track.change = 1.0;
  ++escape->moved;
  place_figure(solver, escape, q);
  memcpy(escape->shown, q, (size_t)solver->model->nq * sizeof *q);
  if (escape->moved >= escape->length) {
    sinew_escape_reset(escape);
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
  const double most = MOTION_SHARE * solver->def.tracking.max_change;
  const bool follows = meets(escape) && length_of(solver, escape->last) <= most;
  escape->met = follows ? escape->met + 1 : 0;
  if (escape->met >= CANDIDATE_MET) {
    begin_motion(solver, q);
  }
}

// ---------------------------------------------------------------------- update

static void watch(sinew_solver *solver, double E) {
  sinew_escape *escape = &solver->escape;
  const bool stuck = 2.0 * E > STUCK_ERROR * STUCK_ERROR &&
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
    move_on(solver, targets, q);
    return;
  }
  escape->length = 0;
  const double E = solver->evaluation.E;
  solver->functions->track(solver, targets, q, report);
  watch(solver, E);
  if (escape->stuck >= STUCK_UPDATES && !sinew_reach_excludes(&solver->problem, targets, q)) {
    search(solver, targets, q);
  }
}
