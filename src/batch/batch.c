// Creation of batches, the common part of many problems of one model, and of a thread's worker.
#include "batch/batch.h"
#include "base/definition.h"
#include "base/error.h"
#include "kernel/dispatch.h"
#include "math/vector.h"
#include "model/model.h"
#include "seed/bank.h"
#include "seed/network.h"
#include "solve/descent.h"
#include "solve/levels.h"
#include "task/task.h"

#include <limits.h>

// Steps of a worker's solver for each attempt at a problem.
#define STEPS_AN_ATTEMPT 30

void sinew_batch_def_init(sinew_batch_def *def, size_t size) {
  const sinew_batch_def defaults = {.cookie = SINEW_COOKIE_BATCH,
                                    .size = sizeof defaults,
                                    .tolerances.position = 1e-6,
                                    .tolerances.orientation = 1e-6,
                                    .max_starts = 1000};
  sinew_definition_init(def, size, &defaults);
}

// ---------------------------------------------------------------- creation

static sinew_result check_def(const sinew_batch_def *def, const sinew_model *model,
                              sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_BATCH, sizeof *def, "sinew_batch_def",
                                              "sinew_default_batch_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (def->max_starts < 1) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "max_starts", "%d is not at least 1",
                           def->max_starts);
  }
  if (def->objective_count < 0 || (def->objective_count > 0 && def->objectives == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "objective_count",
                           "is negative, or objectives is NULL");
  }
  for (int i = 0; i < def->objective_count; ++i) {
    const sinew_result result =
        sinew_objective_check(&def->objectives[i], model, SINEW_MOST_LEVELS, i, error);
    if (result != SINEW_OK) {
      return result;
    }
  }
  const double margins[2] = {def->margin_linear, def->margin_angular};
  for (int i = 0; i < 2; ++i) {
    if (!(margins[i] >= 0.0 && margins[i] <= SINEW_HUGE)) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT,
                             i == 0 ? "margin_linear" : "margin_angular",
                             "%g is not within 0 and 1e100", margins[i]);
    }
  }
  if (sinew_lane_kernel_find(def->lanes) == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "lanes",
                           "this processor or this build does not have %d", def->lanes);
  }
  return sinew_tolerances_check(&def->tolerances, model, error);
}

// The number of different influences between 0 and 1, as far as there is room for them; else more.
static int count_influences(const sinew_task *tasks, int count) {
  int different = 0;
  for (int t = 0; t < count && different <= SINEW_MOST_INFLUENCES; ++t) {
    bool is_new = tasks[t].influence > 0.0 && tasks[t].influence < 1.0;
    for (int u = 0; is_new && u < t; ++u) {
      is_new = tasks[u].influence != tasks[t].influence;
    }
    different += is_new;
  }
  return different;
}

static sinew_result check_tasks(const sinew_model *model, const sinew_task *tasks, int count,
                                sinew_error *error) {
  if (count < 0 || (count > 0 && tasks == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "tasks is NULL or count negative");
  }
  sinew_result result = SINEW_OK;
  for (int t = 0; t < count && result == SINEW_OK; ++t) {
    result = sinew_task_check(&tasks[t], model, t, error);
  }
  if (result == SINEW_OK) {
    result = sinew_task_check_frames(tasks, count, model, error);
  }
  return result == SINEW_OK && count_influences(tasks, count) > SINEW_MOST_INFLUENCES
             ? sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                               "tasks have more than %d different influences between 0 and 1",
                               SINEW_MOST_INFLUENCES)
             : result;
}

static sinew_result check_bank(const sinew_bank *bank, const sinew_model *model,
                               const sinew_task *tasks, int count, sinew_error *error) {
  bool fits = bank == NULL || bank->model == model;
  int hard = 0; // tasks that the bank is made for
  for (int t = 0; bank != NULL && fits && t < count; ++t) {
    if (sinew_task_is_searched(&tasks[t]) && tasks[t].influence > 0.0) {
      fits = hard < bank->task_count && sinew_bank_task_fits(&bank->tasks[hard], &tasks[t]);
      ++hard;
    }
  }
  return fits && (bank == NULL || hard == bank->task_count)
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, "bank",
                               "it was made for another model or for other tasks");
}

// Memory for a copy of nv values, none if values is NULL.
static void *room_for(sinew_arena *arena, const sinew_batch *batch, const void *values,
                      size_t size) {
  return sinew_arena_take(arena, values != NULL ? (size_t)batch->model->nv : 0, size);
}

// The copies of a definition's arrays.
typedef struct copies {
  void *frozen, *gains, *lower, *upper;
} copies;

static copies batch_layout(sinew_arena *arena, sinew_batch *batch) {
  batch->tasks = sinew_arena_take(arena, (size_t)batch->count, sizeof *batch->tasks);
  batch->resolved = sinew_arena_take(arena, (size_t)batch->count, sizeof *batch->resolved);
  batch->number = sinew_arena_take(arena, (size_t)batch->count, sizeof(int));
  batch->at = sinew_arena_take(arena, (size_t)batch->count, sizeof(int));
  const size_t objectives = (size_t)batch->def.objective_count;
  batch->objectives = sinew_arena_take(arena, objectives, sizeof *batch->objectives);
  batch->weights = sinew_arena_take(arena, objectives * (size_t)batch->model->nv, sizeof(double));
  batch->postures = sinew_arena_take(arena, objectives * (size_t)batch->model->nq, sizeof(double));
  batch->coefficients =
      sinew_arena_take(arena, objectives * (size_t)batch->model->nv, sizeof(double));
  batch->measured = sinew_arena_take(arena, objectives, sizeof *batch->measured);
  return (copies){.gains = room_for(arena, batch, batch->def.gains, sizeof(double)),
                  .lower = room_for(arena, batch, batch->def.lower, sizeof(double)),
                  .upper = room_for(arena, batch, batch->def.upper, sizeof(double)),
                  .frozen = room_for(arena, batch, batch->def.frozen, 1)};
}

// Copies count values of a size; NULL if values is NULL.
static const void *copied(const void *values, int count, size_t size, void *to) {
  return values == NULL ? NULL : memcpy(to, values, (size_t)count * size);
}

static void copy_objectives(sinew_batch *batch) {
  const int nv = batch->model->nv, nq = batch->model->nq;
  for (int i = 0; i < batch->def.objective_count; ++i) {
    sinew_objective *objective = &batch->objectives[i];
    *objective = batch->def.objectives[i];
    objective->weights =
        copied(objective->weights, nv, sizeof(double), batch->weights + (size_t)i * (size_t)nv);
    objective->posture =
        copied(objective->posture, nq, sizeof(double), batch->postures + (size_t)i * (size_t)nq);
    objective->coefficients = copied(objective->coefficients, nv, sizeof(double),
                                     batch->coefficients + (size_t)i * (size_t)nv);
    objective->task = copied(objective->task, 1, sizeof *objective->task, &batch->measured[i]);
  }
  batch->def.objectives = batch->objectives;
}

static void copy_arrays(sinew_batch *batch, const copies *to) {
  sinew_batch_def *def = &batch->def;
  const int nv = batch->model->nv;
  copy_objectives(batch);
  def->frozen = copied(def->frozen, nv, 1, to->frozen);
  def->gains = copied(def->gains, nv, sizeof(double), to->gains);
  def->lower = copied(def->lower, nv, sizeof(double), to->lower);
  def->upper = copied(def->upper, nv, sizeof(double), to->upper);
}

// Which positions of targets are refused, as the workers' solvers do; with margins, which make
// slides shorter, perhaps a few more.
static void measure_tasks(sinew_batch *batch) {
  const sinew_model *model = batch->model;
  const sinew_batch_def *def = &batch->def;
  const sinew_extent extent = {.model = model,
                               .lower = def->lower != NULL ? def->lower : model->lower,
                               .upper = def->upper != NULL ? def->upper : model->upper,
                               .size = sinew_tasks_size(model, batch->tasks, batch->count),
                               .tolerance = def->tolerances.position};
  for (int t = 0; t < batch->count; ++t) {
    sinew_compiled_task task;
    sinew_task_compile(&batch->tasks[t], model, extent.size, &task);
    sinew_task_measure(&extent, &task);
    batch->resolved[t] = task.resolved;
  }
}

static int count_tasks(const sinew_task *tasks, int count) {
  int with_influence = 0;
  for (int t = 0; t < count; ++t) {
    with_influence += tasks[t].influence > 0.0;
  }
  return with_influence;
}

// Copies the tasks whose influence is not 0.
static void take_tasks(sinew_batch *batch, const sinew_task *tasks, int count) {
  for (int t = 0, i = 0; t < count; ++t) {
    if (tasks[t].influence > 0.0) {
      batch->tasks[i] = tasks[t];
      batch->number[i] = t;
      batch->at[i++] = batch->target_size;
    }
    batch->target_size += sinew_task_target_size(&tasks[t]);
  }
}

static sinew_result check_network(const sinew_network *network, const sinew_model *model,
                                  const sinew_task *tasks, int count, sinew_error *error) {
  bool fits = network == NULL || network->model == model;
  int hard = 0; // tasks that the network is made for
  for (int t = 0; network != NULL && fits && t < count; ++t) {
    if (sinew_task_is_searched(&tasks[t]) && tasks[t].influence > 0.0) {
      fits = hard < network->task_count && sinew_network_fits_task(network, hard, &tasks[t]);
      ++hard;
    }
  }
  return fits && (network == NULL || hard == network->task_count)
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, "network",
                               "it was made for another model or for other tasks");
}

sinew_result sinew_batch_create(const sinew_batch_def *def, const sinew_model *model,
                                const sinew_task *tasks, int count, sinew_batch **batch,
                                sinew_error *error) {
  if (model == NULL || batch == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model or batch is NULL");
  }
  *batch = NULL;
  sinew_result result = check_def(def, model, error);
  if (result == SINEW_OK) {
    result = check_tasks(model, tasks, count, error);
  }
  if (result == SINEW_OK) {
    result = sinew_gains_check(model, def->gains, error);
  }
  if (result == SINEW_OK) {
    result = sinew_limits_check(model, def->lower, def->upper, error);
  }
  if (result == SINEW_OK) {
    result = check_bank(def->bank, model, tasks, count, error);
  }
  if (result == SINEW_OK) {
    result = check_network(def->network, model, tasks, count, error);
  }
  if (result != SINEW_OK) {
    return result;
  }
  sinew_batch head = {.def = *def, .model = model, .count = count_tasks(tasks, count)};
  head.lanes = sinew_lane_kernel_find(def->lanes)->lanes;
  head.allocator = sinew_allocator_complete(&def->allocator);
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  batch_layout(&arena, &head);
  sinew_batch *made = sinew_allocate(&head.allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the batch (%zu bytes)",
                           arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  const copies to = batch_layout(&arena, made);
  copy_arrays(made, &to);
  take_tasks(made, tasks, count);
  measure_tasks(made);
  *batch = made;
  return SINEW_OK;
}

void sinew_batch_destroy(sinew_batch *batch) {
  if (batch != NULL) {
    const sinew_allocator allocator = batch->allocator;
    sinew_release(&allocator, batch);
  }
}

int sinew_batch_lanes(const sinew_batch *batch) {
  SINEW_ASSERT(batch != NULL);
  return batch->lanes;
}

int sinew_batch_target_size(const sinew_batch *batch) {
  SINEW_ASSERT(batch != NULL);
  return batch->target_size;
}

// ----------------------------------------------------------------- workers

// Room for the levels of a batch.
static sinew_lower_def lower_of(const sinew_batch *batch) {
  sinew_lower_def lower = {.objectives = batch->def.objective_count};
  for (int t = 0; t < batch->count; ++t) {
    const sinew_task *task = &batch->tasks[t];
    const int least = sinew_task_is_searched(task) ? 0 : 1; // one that is not required needs room
    const int level = task->level > least ? task->level : least;
    lower.levels = level > lower.levels ? level : lower.levels;
  }
  for (int i = 0; i < lower.objectives; ++i) {
    const int level = batch->objectives[i].level;
    lower.rows += sinew_objective_rows(&batch->objectives[i]);
    lower.levels = level > lower.levels ? level : lower.levels;
  }
  return lower;
}

static sinew_solver_def solver_def_of(const sinew_batch *batch) {
  sinew_solver_def def = sinew_default_solver_def();
  def.lower = lower_of(batch);
  def.influences = count_influences(batch->tasks, batch->count);
  const int most = INT_MAX / STEPS_AN_ATTEMPT;
  const int attempts = batch->def.max_starts < most ? batch->def.max_starts : most;
  def.task_capacity = batch->count;
  def.hard_rows = sinew_task_hard_rows(batch->tasks, batch->count);
  def.tolerances.position = batch->def.tolerances.position;
  def.tolerances.orientation = batch->def.tolerances.orientation;
  def.budget.max_starts = attempts;
  def.budget.max_steps = attempts * STEPS_AN_ATTEMPT > def.budget.max_steps
                             ? attempts * STEPS_AN_ATTEMPT
                             : def.budget.max_steps;
  def.lanes = batch->lanes;
  def.allocator = batch->allocator;
  return def;
}

static void worker_layout(sinew_arena *arena, const sinew_batch *batch,
                          sinew_batch_worker *worker) {
  const size_t count = (size_t)batch->count, nq = (size_t)batch->model->nq;
  worker->targets = sinew_arena_take(arena, count, sizeof(sinew_target));
  worker->ahead.targets = sinew_arena_take(arena, SINEW_BATCH_AHEAD * count, sizeof(sinew_target));
  worker->q = sinew_arena_take(arena, nq, sizeof(double));
  worker->middle = sinew_arena_take(arena, nq, sizeof(double));
  worker->lanes = sinew_arena_take(arena, (size_t)batch->lanes, sizeof *worker->lanes);
  worker->refused = sinew_arena_take(arena, count > 1 ? SINEW_BATCH_CHUNK : 0, 1);
  for (int l = 0; l < batch->lanes; ++l) {
    sinew_target *all = sinew_arena_take(arena, count, sizeof(sinew_target));
    sinew_target *own = sinew_arena_take(arena, count, sizeof(sinew_target));
    double *kept = sinew_arena_take(arena, nq, sizeof(double));
    double *kept_errors = sinew_arena_take(arena, count, sizeof(double));
    double *best = sinew_arena_take(arena, nq, sizeof(double));
    double *seed = sinew_arena_take(arena, nq, sizeof(double));
    if (worker->lanes != NULL) {
      worker->lanes[l].all = all;
      worker->lanes[l].own = own;
      worker->lanes[l].kept = kept;
      worker->lanes[l].kept_errors = kept_errors;
      worker->lanes[l].best = best;
      worker->lanes[l].seed = seed;
    }
  }
}

static sinew_result set_problem(const sinew_batch *batch, sinew_solver *solver,
                                sinew_error *error) {
  sinew_result result = sinew_solver_set_frozen(solver, batch->def.frozen);
  if (result == SINEW_OK) {
    result = sinew_solver_set_gains(solver, batch->def.gains);
  }
  if (result == SINEW_OK) {
    result = sinew_solver_set_limits(solver, batch->def.lower, batch->def.upper);
  }
  if (result == SINEW_OK) {
    result = sinew_solver_set_margins(solver, batch->def.margin_linear, batch->def.margin_angular);
  }
  if (result != SINEW_OK && error != NULL) { // no more than a precaution: all have been checked
    *error = solver->error;
  }
  if (result == SINEW_OK) {
    result = sinew_solver_set_tasks(solver, batch->tasks, batch->count, error);
  }
  return result == SINEW_OK && batch->def.objective_count > 0
             ? sinew_solver_set_objectives(solver, batch->objectives, batch->def.objective_count,
                                           error)
             : result;
}

sinew_result sinew_batch_worker_create(const sinew_batch *batch, sinew_batch_worker **worker,
                                       sinew_error *error) {
  SINEW_ASSERT(batch != NULL && worker != NULL);
  *worker = NULL;
  sinew_batch_worker head = {.allocator = batch->allocator, .batch = batch};
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  worker_layout(&arena, batch, &head);
  sinew_batch_worker *made = sinew_allocate(&batch->allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL,
                           "no memory for the batch's worker (%zu bytes)", arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  sinew_arena_take(&arena, 1, sizeof *made);
  worker_layout(&arena, batch, made);
  sinew_configuration_middle(batch->model, made->middle);
  const sinew_solver_def def = solver_def_of(batch);
  sinew_result result = sinew_solver_create(&def, batch->model, &made->solver, error);
  if (result == SINEW_OK) {
    result = set_problem(batch, made->solver, error);
  }
  if (result != SINEW_OK) {
    sinew_batch_worker_destroy(made);
    return result;
  }
  sinew_problem_clamp(&made->solver->problem, made->middle);
  *worker = made;
  return SINEW_OK;
}

const sinew_error *sinew_batch_worker_last_error(const sinew_batch_worker *worker) {
  SINEW_ASSERT(worker != NULL);
  return &worker->error;
}

void sinew_batch_worker_destroy(sinew_batch_worker *worker) {
  if (worker != NULL) {
    const sinew_allocator allocator = worker->allocator;
    sinew_solver_destroy(worker->solver);
    sinew_release(&allocator, worker);
  }
}
