// A problem of a batch as a row of numbers: conversion to targets, and checks.
#include "batch/batch.h"
#include "base/error.h"
#include "math/vector.h"
#include "model/model.h"
#include "task/task.h"

void sinew_batch_row_targets(const sinew_batch *batch, const double *values,
                             sinew_target *targets) {
  for (int t = 0; t < batch->count; ++t) {
    const sinew_task *task = &batch->tasks[t];
    targets[t] = sinew_default_target();
    sinew_target_unpack(task, values + batch->at[t], &targets[t]);
  }
}

static bool all_zero(const double *values, int count) {
  bool zero = true;
  for (int i = 0; i < count; ++i) {
    zero &= values[i] == 0.0;
  }
  return zero;
}

// Whether all can be used: few values, in one pass.
static bool all_usable(const double *values, int count) {
  bool usable = true;
  for (int i = 0; i < count; ++i) {
    usable &= fabs(values[i]) <= SINEW_HUGE;
  }
  return usable;
}

// Whether a quaternion is 0 in a seed.
static bool has_zero_quaternion(const sinew_model *model, const double *seed) {
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    if (joint->nq > joint->nv && all_zero(seed + joint->q_index + joint->nq - 4, 4)) {
      return true;
    }
  }
  return false;
}

bool sinew_batch_row_check(const sinew_batch *batch, const double *values, const double *seed) {
  if (!all_usable(values, batch->target_size)) {
    return false;
  }
  for (int t = 0; t < batch->count; ++t) {
    const sinew_task *task = &batch->tasks[t];
    const double *own = values + batch->at[t];
    if (sinew_target_row_has_zero(task, own) ||
        !sinew_target_row_is_resolved(sinew_task_target_fields(task), batch->resolved[t], own)) {
      return false;
    }
  }
  return seed == NULL ||
         (all_usable(seed, batch->model->nq) && !has_zero_quaternion(batch->model, seed));
}

// The first value that cannot be used, or -1.
static int find_unusable(const double *values, int count) {
  for (int i = 0; i < count; ++i) {
    if (!sinew_is_usable(values[i])) {
      return i;
    }
  }
  return -1;
}

sinew_result sinew_batch_explain_seed(const sinew_model *model, const double *seed,
                                      sinew_error *error) {
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    const double *values = seed + joint->q_index;
    const int bad = find_unusable(values, joint->nq);
    if (bad >= 0) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, joint->name,
                             "value %d of the joint in the seed is %g", bad, values[bad]);
    }
    if (joint->nq > joint->nv && all_zero(values + joint->nq - 4, 4)) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, joint->name,
                             "the joint's quaternion in the seed is zero");
    }
  }
  return SINEW_OK;
}

sinew_result sinew_batch_explain_target(const sinew_task *task, double resolved, int t,
                                        const double *values, sinew_error *error) {
  const int bad = find_unusable(values, sinew_task_target_size(task));
  if (bad >= 0) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s is %g", t,
                           sinew_task_target_column(task, bad), values[bad]);
  }
  if (sinew_target_row_has_zero(task, values)) {
    return sinew_error_set(
        error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s is zero", t,
        (sinew_task_target_fields(task) & SINEW_TARGET_ROTATION) != 0 ? "rotation" : "direction");
  }
  return sinew_target_row_is_resolved(sinew_task_target_fields(task), resolved, values)
             ? SINEW_OK
             : sinew_target_explain_distance(values, resolved, t, error);
}

sinew_result sinew_batch_row_explain(const sinew_batch *batch, const double *values,
                                     const double *seed, sinew_error *error) {
  for (int t = 0; t < batch->count; ++t) {
    const sinew_result result = sinew_batch_explain_target(
        &batch->tasks[t], batch->resolved[t], batch->number[t], values + batch->at[t], error);
    if (result != SINEW_OK) {
      return result;
    }
  }
  const int bad = find_unusable(values, batch->target_size); // of a task with influence 0
  if (bad >= 0) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "targets[%d] is %g", bad,
                           values[bad]);
  }
  return seed != NULL ? sinew_batch_explain_seed(batch->model, seed, error) : SINEW_OK;
}

sinew_batch_row sinew_batch_row_make(sinew_outcome outcome, int steps, double position_error,
                                     double orientation_error) {
  return (sinew_batch_row){.outcome = outcome,
                           .steps = steps,
                           .position_error = position_error,
                           .orientation_error = orientation_error,
                           .reach_task = -1,
                           .reach = -1.0,
                           .target_distance = -1.0};
}

sinew_batch_row sinew_batch_row_of(const sinew_report *report) {
  sinew_batch_row row = sinew_batch_row_make(report->outcome, report->steps, report->position_error,
                                             report->orientation_error);
  row.reach_task = report->reach_task;
  row.reach = report->reach;
  row.target_distance = report->target_distance;
  return row;
}

void sinew_batch_row_refuse(const sinew_batch *batch, double *q, sinew_batch_row *row) {
  sinew_configuration_start(batch->model, q);
  if (row != NULL) {
    *row = sinew_batch_row_make(SINEW_OUTCOME_BAD_INPUT, 0, -1.0, -1.0);
  }
}
