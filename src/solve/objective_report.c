// How far objectives are from being met at a configuration: sinew_solver_objective().
#include "base/error.h"
#include "math/vector.h"
#include "solve/objective_values.h"
#include "solve/pole.h"

#include <math.h>

// The largest |way_v| of the joints with a weight that rotate, and of those that translate.
static void find_largest(const sinew_model *model, const double *weights, const double *way,
                         sinew_objective_report *report) {
  for (int v = 0; v < model->nv; ++v) {
    double *most = model->angular[v] ? &report->angle : &report->distance;
    if (weights[v] > 0.0) {
      *most = sinew_max(*most, fabs(way[v]));
    }
  }
}

// The way to the middle of the limits of joints that have both; of others the weight is 0.
static void find_middle(const sinew_solver *solver, const sinew_objective *objective,
                        const double *q, double *weights, double *way) {
  for (int v = 0; v < solver->model->nv; ++v) {
    const bool counts = sinew_objective_half_range(solver, v) > 0.0;
    weights[v] = counts ? objective->weights[v] : 0.0;
    way[v] = counts ? sinew_objective_way_to_middle(solver, q, v) : 0.0;
  }
}

static double callback_error(const sinew_solver *solver, const sinew_objective *objective,
                             const double *q) {
  double *residual = solver->levels->rates;
  objective->function(objective->context, q, residual, NULL);
  const double length = sinew_length(objective->rows, residual);
  return length <= SINEW_HUGE ? length : INFINITY;
}

// w of the task's point, where the state is placed.
static double manipulability(sinew_solver *solver, const sinew_task *task) {
  const sinew_manipulability_query query = sinew_objective_query(solver, task);
  return sinew_state_manipulability_value(&solver->state, &query, solver->levels->rates);
}

static void measure(sinew_solver *solver, const sinew_objective *objective, const double *q,
                    sinew_objective_report *report) {
  sinew_levels *levels = solver->levels;
  switch (objective->kind) {
  case SINEW_OBJECTIVE_POSTURE:
    sinew_configuration_difference(solver->model, q, objective->posture, levels->aim);
    find_largest(solver->model, objective->weights, levels->aim, report);
    break;
  case SINEW_OBJECTIVE_LIMITS:
    find_middle(solver, objective, q, levels->rates, levels->aim);
    find_largest(solver->model, levels->rates, levels->aim, report);
    break;
  case SINEW_OBJECTIVE_COUPLING:
    report->value = fabs(sinew_objective_coupling_error(solver, objective, q));
    break;
  case SINEW_OBJECTIVE_MANIPULABILITY:
    report->value = manipulability(solver, objective->task);
    break;
  case SINEW_OBJECTIVE_CALLBACK:
    report->value = callback_error(solver, objective, q);
    break;
  case SINEW_OBJECTIVE_POLE:
    if (!objective->pole_is_direction || sinew_norm(objective->pole) > 0.0) {
      report->angle = fabs(sinew_pole_row(&solver->state, objective, levels->rates));
    }
    break;
  default: // DAMPING, LOW_CHANGE
    break;
  }
}

sinew_result sinew_solver_objective(sinew_solver *solver, int objective, const double *q,
                                    sinew_objective_report *report) {
  SINEW_ASSERT(solver != NULL && q != NULL && report != NULL);
  const sinew_objective_report none = {-1.0, -1.0, -1.0};
  const sinew_levels *levels = solver->levels;
  *report = none;
  if (levels->most == 0 || objective < 0 || objective >= levels->objective_count) {
    return sinew_error_set(&solver->error, SINEW_ERROR_INDEX, NULL, "objective %d does not exist",
                           objective);
  }
  const sinew_result usable = sinew_configuration_explain(solver->model, q, &solver->error);
  if (usable != SINEW_OK) {
    return usable;
  }
  sinew_solver_begin_call(solver, NULL);
  sinew_result result = sinew_state_forward(&solver->state, q);
  if (result == SINEW_OK) {
    measure(solver, &levels->objectives[objective], q, report);
  }
  result = sinew_solver_end_call(solver, result, NULL, NULL);
  if (result != SINEW_OK) {
    *report = none;
  }
  return result;
}
