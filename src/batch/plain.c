// Figures of a crowd that kernels cannot run: see plain.h.
#include "batch/plain.h"
#include "base/error.h"
#include "batch/history.h"
#include "solve/solver.h"

sinew_result sinew_crowd_plain_begin(sinew_crowd *crowd, sinew_error *error) {
  sinew_solver *solver = NULL;
  const sinew_result result = sinew_crowd_plain_create(crowd, &solver, error);
  if (result != SINEW_OK) {
    return result;
  }
  crowd->history_values = sinew_solver_history_size(solver);
  crowd->cleared =
      sinew_allocate(&crowd->allocator, (size_t)crowd->history_values * sizeof(double));
  if (crowd->cleared != NULL) {
    sinew_solver_store_history(solver, crowd->cleared, 1);
  }
  sinew_solver_destroy(solver);
  return crowd->cleared != NULL ? SINEW_OK
                                : sinew_error_set(error, SINEW_ERROR_MEMORY, NULL,
                                                  "no memory for %zu figures", crowd->figures);
}

void sinew_crowd_plain_clear(const sinew_crowd *crowd, int lane, double *history) {
  const int lanes = crowd->kernel->lanes;
  for (int i = 0; i < crowd->history_values; ++i) {
    history[i * lanes + lane] = crowd->cleared[i];
  }
}

// The crowd's definition as that of a solver, with room for its tasks and its posture.
static sinew_solver_def def_of(const sinew_crowd *crowd) {
  sinew_solver_def def = crowd->solver;
  def.task_capacity = crowd->problem.count;
  def.hard_rows = sinew_task_hard_rows(crowd->tasks, crowd->problem.count);
  def.lower = sinew_default_solver_def().lower;
  def.lower.levels = def.lower.objectives = crowd->posed;
  def.lanes = -1;
  def.influences = 0;
  return def;
}

sinew_result sinew_crowd_plain_create(const sinew_crowd *crowd, sinew_solver **solver,
                                      sinew_error *error) {
  const sinew_problem *problem = &crowd->problem;
  const sinew_solver_def def = def_of(crowd);
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
  sinew_expect_ok(sinew_solver_set_objectives(made, &crowd->posture, crowd->posed, NULL));
  sinew_solver_reset(made);
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
  sinew_solver_load_history(solver, group->history + lane, lanes);
  sinew_crowd_read_lane(group, lane);
  const bool moved =
      sinew_solver_update(solver, group->worker->plain_targets, count, q, &report) == SINEW_OK;
  block->position_error[lane] = moved ? sinew_max(report.position_error, 0.0) : INFINITY;
  block->orientation_error[lane] = moved ? sinew_max(report.orientation_error, 0.0) : INFINITY;
  block->stationary[lane] = moved && is_stationary(report.outcome) ? 1.0 : 0.0;
  sinew_crowd_write_lane(group, lane);
  sinew_solver_store_history(solver, group->history + lane, lanes);
}

void sinew_crowd_plain_update(const sinew_crowd_group *group) {
  for (int l = 0; l < group->crowd->kernel->lanes; ++l) {
    if ((group->usable >> l & 1u) != 0) {
      update_lane(group, l);
    }
  }
}
