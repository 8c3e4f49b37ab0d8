// Figures of a crowd that kernels cannot run: see plain.h.
//
// A history is a row of values, those of a lane as far apart as there are lanes:
//
//   whether components are updated by themselves
//   of the whole, then of each component: FIELDS numbers
//   X of the last part and the active bounds (nv each), and of each task its last target (TARGET),
//   with DLS what the adaptive clamp reads (BEFORE)
#include "batch/plain.h"
#include "base/error.h"
#include "solve/components.h"
#include "solve/solver.h"

#include <string.h>

enum { FIELDS = 12, TARGET = 7, BEFORE = 13 };

int sinew_crowd_plain_values(const sinew_problem *problem) {
  return 1 + FIELDS * (1 + problem->component_count) + 2 * problem->model->nv +
         BEFORE * problem->count;
}

// Reads or writes values one after another.
typedef struct cursor {
  double *at;
  int lanes;
  bool writes;
} cursor;

static void pass(cursor *c, double *value) {
  if (c->writes) {
    *c->at = *value;
  } else {
    *value = *c->at;
  }
  c->at += c->lanes;
}

static void pass_fields(cursor *c, sinew_history *history) {
  double parts = history->parts, cut = history->cut, before = history->has_before;
  pass(c, &history->updates_at_rest);
  pass(c, &history->recent);
  pass(c, &history->motion);
  pass(c, &history->predicted);
  pass(c, &history->gradient);
  pass(c, &history->E);
  pass(c, &history->caution);
  pass(c, &history->place);
  pass(c, &history->spread);
  pass(c, &parts);
  pass(c, &cut);
  pass(c, &before);
  history->parts = (int)parts;
  history->cut = cut != 0.0;
  history->has_before = before != 0.0;
}

static void pass_arrays(cursor *c, sinew_solver *solver) {
  for (int v = 0; v < solver->model->nv; ++v) {
    double active = solver->history.active[v];
    pass(c, &solver->history.step[v]);
    pass(c, &active);
    solver->history.active[v] = (signed char)active;
  }
  const bool tracking = solver->def.step.method == SINEW_METHOD_DEFAULT;
  for (int t = 0; tracking && t < solver->problem.count; ++t) {
    sinew_target *target = &solver->history.targets[t];
    for (int i = 0; i < TARGET; ++i) {
      pass(c, i < 3 ? &target->position[i] : &target->rotation[i - 3]);
    }
  }
  for (int t = 0; !tracking && t < solver->problem.count; ++t) {
    sinew_last_update *before = &solver->history.before[t];
    for (int i = 0; i < BEFORE; ++i) {
      pass(c, i < 3 ? &before->target[i] : i < 12 ? &before->target_R[i - 3] : &before->error);
    }
  }
}

// A history into the solver, or back.
static void pass_history(cursor *c, sinew_solver *solver) {
  double tracked = solver->components.tracked;
  pass(c, &tracked);
  if (tracked != 0.0 && !c->writes) { // gives components their arrays
    sinew_components_count(solver);
    solver->components.tracked = false;
    sinew_components_track(solver);
  }
  solver->components.tracked = tracked != 0.0;
  pass_fields(c, &solver->history);
  for (int k = 0; k < solver->problem.component_count; ++k) {
    sinew_history none = {0};
    pass_fields(c, tracked != 0.0 ? &solver->components.solvers[k].history : &none);
  }
  pass_arrays(c, solver);
}

void sinew_crowd_plain_clear(const sinew_crowd *crowd, int lane, double *history) {
  const int lanes = crowd->kernel->lanes;
  for (int i = 0; i < crowd->history_values; ++i) {
    history[i * lanes + lane] = 0.0;
  }
  cursor c = {history + lanes + lane, lanes, true};
  sinew_history cleared = {.updates_at_rest = -1.0, .recent = -1.0, .motion = -1.0, .cut = true};
  pass_fields(&c, &cleared);
}

sinew_result sinew_crowd_plain_create(const sinew_crowd *crowd, sinew_solver **solver,
                                      sinew_error *error) {
  const sinew_problem *problem = &crowd->problem;
  sinew_solver_def def = crowd->solver;
  def.task_capacity = problem->count;
  def.lower = sinew_default_solver_def().lower;
  def.lanes = -1;
  def.influences = 0;
  const sinew_result result = sinew_solver_create(&def, crowd->model, solver, error);
  if (result != SINEW_OK) {
    return result;
  }
  // What has been checked, and compiled, for the crowd.
  sinew_solver *made = *solver;
  sinew_expect_ok(sinew_solver_set_frozen(made, problem->frozen));
  sinew_expect_ok(sinew_solver_set_gains(made, problem->strength));
  sinew_expect_ok(sinew_solver_set_limits(made, problem->lower, problem->upper));
  sinew_solver_take_tasks(made, crowd->tasks, problem->count, false);
  return SINEW_OK;
}

// Whether an update has found the figure at a stationary point of the error.
static bool is_stationary(sinew_outcome outcome) {
  return outcome == SINEW_OUTCOME_STALLED || outcome == SINEW_OUTCOME_BLOCKED_BY_LIMITS ||
         outcome == SINEW_OUTCOME_OUT_OF_REACH;
}

// Updates the figure of a lane. One that the solver refuses gets an error that no figure has.
static void update_lane(const sinew_crowd_group *group, int lane) {
  const sinew_crowd_block *block = &group->worker->block;
  const int lanes = group->crowd->kernel->lanes, count = group->crowd->problem.count;
  sinew_solver *solver = group->worker->plain;
  double *q = group->worker->plain_q;
  sinew_report report;
  cursor in = {group->history + lane, lanes, false}, out = {group->history + lane, lanes, true};
  pass_history(&in, solver);
  sinew_crowd_read_lane(group, lane);
  const bool moved =
      sinew_solver_update(solver, group->worker->plain_targets, count, q, &report) == SINEW_OK;
  block->position_error[lane] = moved ? sinew_max(report.position_error, 0.0) : INFINITY;
  block->orientation_error[lane] = moved ? sinew_max(report.orientation_error, 0.0) : INFINITY;
  block->stationary[lane] = moved && is_stationary(report.outcome) ? 1.0 : 0.0;
  sinew_crowd_write_lane(group, lane);
  pass_history(&out, solver);
}

void sinew_crowd_plain_update(const sinew_crowd_group *group) {
  for (int l = 0; l < group->crowd->kernel->lanes; ++l) {
    if ((group->usable >> l & 1u) != 0) {
      update_lane(group, l);
    }
  }
}
