// Objectives: their kinds, defaults, checks, and how a solver takes them. Their rows are in
// objective_rows.c.
#include "base/error.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

static const char *const kind_names[] = {
    [SINEW_OBJECTIVE_POSTURE] = "posture",
    [SINEW_OBJECTIVE_DAMPING] = "damping",
    [SINEW_OBJECTIVE_LOW_CHANGE] = "low_change",
};

const char *sinew_objective_kind_name(sinew_objective_kind kind) {
  return (int)kind >= 0 && kind < SINEW_OBJECTIVE_COUNT ? kind_names[kind] : NULL;
}

void sinew_objective_init(sinew_objective *objective, size_t size) {
  const sinew_objective defaults = {.cookie = SINEW_COOKIE_OBJECTIVE,
                                    .size = sizeof defaults,
                                    .level = 1,
                                    .weight = 1.0,
                                    .gain = 1.0};
  sinew_definition_init(objective, size, &defaults);
}

static sinew_result refuse(sinew_error *error, sinew_result code, int i, const char *what) {
  return sinew_error_set(error, code, NULL, "objective %d: %s", i, what);
}

sinew_result sinew_objective_check(const sinew_objective *objective, const sinew_model *model,
                                   int levels, int i, sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_OBJECTIVE, sizeof *objective,
                                              "sinew_objective", "sinew_default_objective()",
                                              "objective"};
  if (sinew_definition_check(objective, &definition, i, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (sinew_objective_kind_name(objective->kind) == NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "kind does not exist");
  }
  if (objective->level < 1) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "level is not 1 or more");
  }
  if (objective->level > levels) {
    return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                           "objective %d: level %d is more than lower.levels, %d", i,
                           objective->level, levels);
  }
  if (!(objective->weight >= 0.0 && objective->weight <= 1e6)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "weight is not within 0 and 1e6");
  }
  if (!(objective->gain > 0.0 && objective->gain <= 1.0)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, i, "gain is not above 0 and at most 1");
  }
  for (int v = 0; objective->weights != NULL && v < model->nv; ++v) {
    if (!(objective->weights[v] >= 0.0 && objective->weights[v] <= 1e6)) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "objective %d: weights[%d], %g, is not within 0 and 1e6", i, v,
                             objective->weights[v]);
    }
  }
  for (int k = 0; objective->posture != NULL && k < model->nq; ++k) {
    if (!sinew_is_usable(objective->posture[k])) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                             "objective %d: posture[%d] is not a finite number of size below 1e100",
                             i, k);
    }
  }
  return SINEW_OK;
}

static sinew_result check_objectives(sinew_solver *solver, const sinew_objective *objectives,
                                     int count) {
  sinew_error *error = &solver->error;
  if (count < 0 || (count > 0 && objectives == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "objectives is NULL or count negative");
  }
  if (count > solver->def.lower.objectives) {
    return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                           "%d objectives are more than lower.objectives, %d", count,
                           solver->def.lower.objectives);
  }
  sinew_result result = SINEW_OK;
  for (int i = 0; i < count && result == SINEW_OK; ++i) {
    result = sinew_objective_check(&objectives[i], solver->model, solver->levels->most, i, error);
  }
  return result;
}

// Copies objective i, and its arrays into the solver's.
static void take_objective(sinew_solver *solver, const sinew_objective *objective, int i) {
  sinew_levels *levels = solver->levels;
  const int nv = solver->model->nv, nq = solver->model->nq;
  double *weights = levels->weights + i * nv, *posture = levels->postures + i * nq;
  levels->objectives[i] = *objective;
  levels->objectives[i].weights = weights;
  levels->objectives[i].posture = posture;
  for (int v = 0; v < nv; ++v) {
    weights[v] = objective->weight * (objective->weights != NULL ? objective->weights[v] : 1.0);
  }
  if (objective->posture != NULL) {
    memcpy(posture, objective->posture, (size_t)nq * sizeof(double));
  } else {
    sinew_configuration_start(solver->model, posture);
  }
}

sinew_result sinew_solver_set_objectives(sinew_solver *solver, const sinew_objective *objectives,
                                         int count, sinew_error *error) {
  SINEW_ASSERT(solver != NULL);
  if (check_objectives(solver, objectives, count) != SINEW_OK) {
    if (error != NULL) {
      *error = solver->error;
    }
    return solver->error.code;
  }
  for (int i = 0; i < count; ++i) {
    take_objective(solver, &objectives[i], i);
  }
  if (solver->levels->most > 0) {
    solver->levels->objective_count = count;
    sinew_levels_take(solver);
  }
  sinew_result result = SINEW_OK;
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_objectives(solver->influence.solvers[s], objectives, count, error);
  }
  return result;
}
