// Crowds.
#include "module.h"

#include <stdlib.h>

// A crowd with its worker and the arrays that JavaScript reads and writes in place.
typedef struct web_crowd {
  sinew_crowd *crowd;
  sinew_crowd_worker *worker;
  sinew_crowd_arrays arrays;
  double *targets;
} web_crowd;

EXPORT(crowd_destroy) void web_crowd_destroy(web_crowd *c) {
  if (c == NULL)
    return;
  sinew_crowd_worker_destroy(c->worker);
  sinew_crowd_destroy(c->crowd);
  free(c->targets);
  free(c->arrays.q);
  free(c->arrays.rows);
  free(c);
}

static sinew_result create(web_crowd *c, const sinew_crowd_def *def, const sinew_model *model,
                           const sinew_task *tasks, int count) {
  sinew_result result = sinew_crowd_create(def, model, tasks, count, &c->crowd, &web_error);
  if (result == SINEW_OK)
    result = sinew_crowd_worker_create(c->crowd, &c->worker, &web_error);
  if (result != SINEW_OK)
    return result;
  const size_t nq = (size_t)sinew_model_nq(model), figures = def->figures,
               size = (size_t)sinew_crowd_target_size(c->crowd);
  c->arrays.targets = c->targets = calloc(figures * size + 1, sizeof(double));
  c->arrays.q = calloc(figures * nq + 1, sizeof(double));
  c->arrays.rows = calloc(figures, sizeof *c->arrays.rows);
  if (c->targets == NULL || c->arrays.q == NULL || c->arrays.rows == NULL)
    return web_fail_with(SINEW_ERROR_MEMORY, "there is no memory for the arrays of a crowd");
  for (size_t i = 0; i < figures; ++i)
    sinew_configuration_middle(model, c->arrays.q + i * nq);
  return SINEW_OK;
}

EXPORT(crowd_create)
int web_crowd_create(const sinew_model *model, const double *rows, int count,
                     const double *settings, int figures, web_crowd **out) {
  *out = NULL;
  sinew_crowd_def def = sinew_default_crowd_def();
  def.solver = web_solver_def(settings, count);
  def.lanes = def.solver.lanes;
  def.figures = (size_t)figures;
  sinew_task *tasks = calloc((size_t)count + 1, sizeof *tasks);
  web_crowd *c = calloc(1, sizeof *c);
  sinew_result result = SINEW_ERROR_MEMORY;
  if (tasks == NULL || c == NULL)
    web_fail_with(result, "there is no memory for a crowd");
  else {
    for (int i = 0; i < count; ++i)
      tasks[i] = web_task(rows + WEB_TASK_VALUES * i);
    def.solver.hard_rows = sinew_task_hard_rows(tasks, count);
    result = create(c, &def, model, tasks, count);
  }
  free(tasks);
  if (result == SINEW_OK)
    *out = c;
  else
    web_crowd_destroy(c);
  return result;
}

// The addresses of q, targets and rows, the number of values of a figure's targets, and lanes.
EXPORT(crowd_arrays) void web_crowd_arrays(const web_crowd *c, size_t addresses[5]) {
  addresses[0] = (size_t)c->arrays.q;
  addresses[1] = (size_t)c->arrays.targets;
  addresses[2] = (size_t)c->arrays.rows;
  addresses[3] = (size_t)sinew_crowd_target_size(c->crowd);
  addresses[4] = (size_t)sinew_crowd_lanes(c->crowd);
}

// @param report whether rows are filled: outcome, steps (32-bit), position and orientation error
EXPORT(crowd_update) int web_crowd_update(web_crowd *c, int first, int count, int report) {
  sinew_crowd_arrays arrays = c->arrays;
  if (!report)
    arrays.rows = NULL;
  const sinew_result result =
      sinew_crowd_update(c->crowd, c->worker, &arrays, (size_t)first, (size_t)count);
  return result == SINEW_OK ? result : web_fail(sinew_crowd_worker_last_error(c->worker));
}

EXPORT(crowd_reset) void web_crowd_reset(web_crowd *c, int first, int count) {
  sinew_crowd_reset(c->crowd, (size_t)first, (size_t)count);
}
