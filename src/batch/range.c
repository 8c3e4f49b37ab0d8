// A range of a batch's problems: in lanes (batch/in_lanes.c), or one after another.
//
// The result of a problem depends on the problem alone, since a worker is reset before each one. So
// ranges, threads and shards all give the same bits.
#include "base/error.h"
#include "batch/batch.h"
#include "math/vector.h"
#include "model/model.h"
#include "solve/solver.h"

// The stride between problems; 0 stands for an array without gaps.
static size_t stride_of(size_t stride, int size) {
  return stride == 0 ? (size_t)size : stride;
}

static sinew_result check_stride(const char *name, size_t stride, int size, sinew_error *error) {
  return stride_of(stride, size) >= (size_t)size
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, name, "%zu is less than %d values",
                               stride, size);
}

static sinew_result check_arrays(const sinew_batch *batch, const sinew_batch_arrays *arrays,
                                 sinew_error *error) {
  const int nq = batch->model->nq;
  if (arrays == NULL || arrays->targets == NULL || arrays->q == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "arrays, targets or q is NULL");
  }
  sinew_result result =
      check_stride("target_stride", arrays->target_stride, batch->target_size, error);
  if (result == SINEW_OK) {
    result = check_stride("seed_stride", arrays->seed_stride, nq, error);
  }
  return result == SINEW_OK ? check_stride("q_stride", arrays->q_stride, nq, error) : result;
}

// Checks the arguments of sinew_batch_solve().
static sinew_result check_call(const sinew_batch *batch, const sinew_batch_worker *worker,
                               const sinew_batch_arrays *arrays, size_t first, size_t count,
                               sinew_error *error) {
  if (batch == NULL || worker->batch != batch) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "%s",
                           batch == NULL ? "batch is NULL" : "the worker belongs to another batch");
  }
  if (count > SIZE_MAX - first) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "first + count overflows");
  }
  return check_arrays(batch, arrays, error);
}

sinew_result sinew_batch_check(const sinew_batch *batch, const sinew_batch_arrays *arrays,
                               size_t problem, sinew_error *error) {
  SINEW_ASSERT(batch != NULL);
  const sinew_result result = check_arrays(batch, arrays, error);
  if (result != SINEW_OK) {
    return result;
  }
  const double *seeds = arrays->seeds;
  const size_t targets = stride_of(arrays->target_stride, batch->target_size);
  const size_t seed = stride_of(arrays->seed_stride, batch->model->nq);
  return sinew_batch_row_explain(batch, arrays->targets + problem * targets,
                                 seeds != NULL ? seeds + problem * seed : NULL, error);
}

static void set_start(const sinew_batch_worker *worker, int nq, const double *seed, double *q) {
  if (seed != q) {
    memcpy(q, seed != NULL ? seed : worker->middle, (size_t)nq * sizeof(double));
  }
}

// Why the solver has refused a problem: a joint's function has failed. The worker's error names the
// first of a call.
static void note_refusal(sinew_batch_worker *worker, size_t problem) {
  const sinew_error *why = &worker->solver->error;
  if (worker->error.code == SINEW_OK) {
    sinew_error_set(&worker->error, why->code, why->name, "problem %zu: %s", problem, why->message);
  }
}

// Returns false where the solver has refused it.
static bool solve_one(const sinew_batch *batch, sinew_batch_worker *worker, const double *values,
                      const double *seed, double *q, sinew_batch_row *row) {
  if (!sinew_batch_row_check(batch, values, seed)) {
    sinew_batch_row_refuse(batch, q, row);
    return true;
  }
  sinew_report report;
  sinew_global_def def = sinew_default_global_def();
  def.max_starts = batch->def.max_starts;
  def.bank = batch->def.bank;
  def.network = batch->def.network;
  sinew_batch_row_targets(batch, values, worker->targets);
  set_start(worker, batch->model->nq, seed, q);
  sinew_solver_reset(worker->solver);
  // After the check above the call is refused only where a joint's function fails.
  if (sinew_solver_search(worker->solver, &def, worker->targets, batch->count, q, &report) !=
      SINEW_OK) {
    sinew_batch_row_refuse(batch, q, row);
    return false;
  }
  if (row != NULL) {
    *row = sinew_batch_row_of(&report);
  }
  return true;
}

sinew_result sinew_batch_solve(const sinew_batch *batch, sinew_batch_worker *worker,
                               const sinew_batch_arrays *arrays, size_t first, size_t count) {
  if (worker == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  const sinew_result result = check_call(batch, worker, arrays, first, count, &worker->error);
  if (result != SINEW_OK) {
    return result;
  }
  worker->error = (sinew_error){.code = SINEW_OK};
  sinew_batch_arrays full = *arrays;
  full.target_stride = stride_of(arrays->target_stride, batch->target_size);
  full.seed_stride = stride_of(arrays->seed_stride, batch->model->nq);
  full.q_stride = stride_of(arrays->q_stride, batch->model->nq);
  if (sinew_solver_in_lanes(worker->solver)) {
    sinew_batch_solve_lanes(batch, worker, &full, first, count);
    return SINEW_OK;
  }
  for (size_t i = first; i < first + count; ++i) {
    const double *seed = full.seeds != NULL ? full.seeds + i * full.seed_stride : NULL;
    if (!solve_one(batch, worker, full.targets + i * full.target_stride, seed,
                   full.q + i * full.q_stride, full.rows != NULL ? &full.rows[i] : NULL)) {
      note_refusal(worker, i);
    }
  }
  return SINEW_OK;
}
