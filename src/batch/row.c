// A problem of a batch as a row of numbers: what it means, and whether it can be used.
#include "batch/batch.h"
#include "base/error.h"
#include "math/vector.h"
#include "model/model.h"

static bool has_position(const sinew_task *task) {
  return task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_POSE;
}

// A frame in which axes are free belongs to a position too.
static bool has_rotation(const sinew_task *task) {
  return task->kind == SINEW_TASK_POSE || task->kind == SINEW_TASK_ORIENTATION ||
         (task->kind == SINEW_TASK_POSITION && task->free_axes != 0);
}

static bool has_direction(const sinew_task *task) {
  return task->kind == SINEW_TASK_DIRECTION;
}

int sinew_batch_task_size(const sinew_task *task) {
  return (has_position(task) ? 3 : 0) + (has_rotation(task) ? 4 : 0) +
         (has_direction(task) ? 3 : 0);
}

void sinew_batch_row_targets(const sinew_batch *batch, const double *values,
                             sinew_target *targets) {
  for (int t = 0; t < batch->count; ++t) {
    const sinew_task *task = &batch->tasks[t];
    targets[t] = sinew_default_target();
    if (has_position(task)) {
      memcpy(targets[t].position, values, 3 * sizeof(double));
      values += 3;
    }
    if (has_rotation(task)) {
      memcpy(targets[t].rotation, values, 4 * sizeof(double));
      values += 4;
    }
    if (has_direction(task)) {
      memcpy(targets[t].direction, values, 3 * sizeof(double));
      values += 3;
    }
  }
}

static bool all_usable(const double *values, int count) {
  bool usable = true;
  for (int i = 0; i < count; ++i) {
    usable &= sinew_is_usable(values[i]);
  }
  return usable;
}

static bool all_zero(const double *values, int count) {
  bool zero = true;
  for (int i = 0; i < count; ++i) {
    zero &= values[i] == 0.0;
  }
  return zero;
}

// Whether a ball's quaternion is 0 in a seed.
static bool has_no_turn(const sinew_model *model, const double *seed) {
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
    const int size = sinew_batch_task_size(task);
    // What must not be 0 stands last: a quaternion or a direction.
    const int last = has_rotation(task) ? 4 : has_direction(task) ? 3 : 0;
    if (last > 0 && all_zero(values + size - last, last)) {
      return false;
    }
    values += size;
  }
  return seed == NULL || (all_usable(seed, batch->model->nq) && !has_no_turn(batch->model, seed));
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

// A field of a target: its values, and whether it may be 0.
static sinew_result explain_field(const double *values, int count, bool zero_allowed, int task,
                                  const char *field, sinew_error *error) {
  const int bad = find_unusable(values, count);
  if (bad >= 0) {
    return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s[%d] is %g", task,
                           field, bad, values[bad]);
  }
  return zero_allowed || !all_zero(values, count)
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s is zero", task,
                               field);
}

static sinew_result explain_seed(const sinew_model *model, const double *seed, sinew_error *error) {
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

sinew_result sinew_batch_row_explain(const sinew_batch *batch, const double *values,
                                     const double *seed, sinew_error *error) {
  sinew_result result = SINEW_OK;
  for (int t = 0; t < batch->count && result == SINEW_OK; ++t) {
    const sinew_task *task = &batch->tasks[t];
    if (has_position(task)) {
      result = explain_field(values, 3, true, t, "position", error);
      values += 3;
    }
    if (result == SINEW_OK && has_rotation(task)) {
      result = explain_field(values, 4, false, t, "rotation", error);
      values += 4;
    }
    if (result == SINEW_OK && has_direction(task)) {
      result = explain_field(values, 3, false, t, "direction", error);
      values += 3;
    }
  }
  return result == SINEW_OK && seed != NULL ? explain_seed(batch->model, seed, error) : result;
}

void sinew_batch_row_refuse(const sinew_batch *batch, double *q, sinew_batch_row *row) {
  sinew_configuration_start(batch->model, q);
  if (row != NULL) {
    *row = (sinew_batch_row){
        .outcome = SINEW_OUTCOME_BAD_INPUT, .position_error = -1.0, .orientation_error = -1.0};
  }
}
