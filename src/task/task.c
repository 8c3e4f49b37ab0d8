// Tasks and targets: defaults, checks, and a task compiled for a model.
#include "task/task.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "math/within.h"

#include <float.h>
#include <string.h>

void sinew_task_init(sinew_task *task, size_t size) {
  const sinew_task usual = {.cookie = SINEW_COOKIE_TASK,
                            .size = sizeof usual,
                            .axis_l = {0.0, 0.0, 1.0},
                            .position_weight = 1.0,
                            .orientation_weight = 1.0,
                            .chain_root = -1};
  sinew_definition_init(task, size, &usual);
}

// A target's cookie has its size within, so that one comparison serves both.
void sinew_target_init(sinew_target *target, size_t size) {
  static const sinew_target usual = {.cookie = SINEW_TARGET_COOKIE,
                                     .rotation = {1.0, 0.0, 0.0, 0.0},
                                     .direction = {0.0, 0.0, 1.0}};
  if (size == sizeof usual) {
    *target = usual;
    return;
  }
  memset(target, 0, size);
  if (size >= sizeof usual.cookie) {
    target->cookie = SINEW_TARGET_COOKIE - sizeof usual + size;
  }
}

static bool has_position(sinew_task_kind kind) {
  return kind == SINEW_TASK_POSITION || kind == SINEW_TASK_POSE;
}

static bool has_rotation(sinew_task_kind kind) {
  return kind == SINEW_TASK_ORIENTATION || kind == SINEW_TASK_POSE;
}

// ------------------------------------------------------------------ checks

static sinew_result refuse(sinew_error *error, sinew_result code, int index, const char *what) {
  return sinew_error_set(error, code, NULL, "task %d: %s", index, what);
}

static bool finite_values(int count, const double *values) {
  return sinew_all_within(count, values, DBL_MAX);
}

static bool usable3(const double v[3]) {
  return sinew_is_usable(v[0]) && sinew_is_usable(v[1]) && sinew_is_usable(v[2]);
}

// Whether a link is another or lies on its way to the root.
static bool is_above(const sinew_model *model, int above, int link) {
  while (link != above && model->link_joint[link] >= 0) {
    link = model->joints[model->link_joint[link]].parent;
  }
  return link == above;
}

// Whether a kind controls an axis that is not free.
static bool has_rows(const sinew_task *task) {
  return task->kind == SINEW_TASK_DIRECTION ||
         (has_position(task->kind) && (task->free_axes & 7u) != 7u) ||
         (has_rotation(task->kind) && (task->free_axes & 56u) != 56u);
}

sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_TASK, sizeof *task, "sinew_task",
                                              "sinew_default_task()", "task"};
  if (sinew_definition_check(task, &definition, index, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if ((int)task->kind < SINEW_TASK_POSITION || (int)task->kind > SINEW_TASK_DIRECTION) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "kind does not exist");
  }
  if (task->link < 0 || task->link >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "link is out of range");
  }
  if (task->chain_root < -1 || task->chain_root >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "chain_root is out of range");
  }
  if (task->chain_root >= 0 && !is_above(model, task->chain_root, task->link)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "chain_root is not above the link");
  }
  if (!usable3(task->point_l) || !usable3(task->axis_l)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, index, "point_l or axis_l is not finite");
  }
  if (task->kind == SINEW_TASK_DIRECTION && !(sinew_norm_safe(task->axis_l) > 1e-100)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "axis_l is zero");
  }
  if (!(task->position_weight >= 0.0 && task->position_weight <= 1e6) ||
      !(task->orientation_weight >= 0.0 && task->orientation_weight <= 1e6)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "a weight is not within 0 and 1e6");
  }
  if (task->free_axes > 63u) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "free_axes has unknown bits");
  }
  if (!has_rows(task)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index,
                  "free_axes leaves free all that the kind controls");
  }
  return SINEW_OK;
}

bool sinew_target_usable(const sinew_target *target, const sinew_task *task) {
  if (!finite_values(6, target->twist) ||
      (has_position(task->kind) && !finite_values(3, target->position))) {
    return false;
  }
  if (has_rotation(task->kind) || (task->free_axes != 0 && has_position(task->kind))) {
    const double *r = target->rotation;
    return finite_values(4, r) && (r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0 || r[3] != 0.0);
  }
  return task->kind != SINEW_TASK_DIRECTION ||
         (finite_values(3, target->direction) && sinew_norm_safe(target->direction) > 0.0);
}

static sinew_result explain_values(const double *values, int count, const char *field, int index,
                                   sinew_error *error) {
  bool zero = true;
  for (int i = 0; i < count; ++i) {
    zero = zero && values[i] == 0.0;
    if (!(fabs(values[i]) <= DBL_MAX)) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s[%d] is %g", index,
                             field, i, values[i]);
    }
  }
  return zero ? sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s is zero", index,
                                field)
              : SINEW_OK;
}

// A fault of a field; a position or a twist may be zero.
static sinew_result explain_field(const double *values, int count, bool zero_allowed,
                                  const char *field, int index, sinew_error *error) {
  if (zero_allowed && sinew_all_within(count, values, DBL_MAX)) {
    return SINEW_OK;
  }
  return explain_values(values, count, field, index, error);
}

sinew_result sinew_target_explain(const sinew_target *target, const sinew_task *task, int index,
                                  sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_TARGET, sizeof *target, "sinew_target",
                                              "sinew_default_target()", "target"};
  const sinew_definition_head head = {(uint32_t)(target->cookie >> 32), (uint32_t)target->cookie};
  sinew_result result = sinew_definition_check(&head, &definition, index, error);
  if (result == SINEW_OK && has_position(task->kind)) {
    result = explain_field(target->position, 3, true, "position", index, error);
  }
  if (result == SINEW_OK &&
      (has_rotation(task->kind) || (task->free_axes != 0 && has_position(task->kind)))) {
    result = explain_field(target->rotation, 4, false, "rotation", index, error);
  }
  if (result == SINEW_OK && task->kind == SINEW_TASK_DIRECTION) {
    result = explain_field(target->direction, 3, false, "direction", index, error);
  }
  if (result == SINEW_OK) {
    result = explain_field(target->twist, 6, true, "twist", index, error);
  }
  return result;
}

// ---------------------------------------------------------------- compiling

// Which of the six rows a task has; a part of no weight has none.
static void select_rows(sinew_compiled_task *compiled) {
  const sinew_task *task = &compiled->task;
  memset(compiled->selected, 0, sizeof compiled->selected);
  for (int i = 0; i < 3; ++i) {
    compiled->selected[i] =
        has_position(task->kind) && task->position_weight > 0.0 && (task->free_axes >> i & 1u) == 0;
    compiled->selected[3 + i] = has_rotation(task->kind) && task->orientation_weight > 0.0 &&
                                (task->free_axes >> (3 + i) & 1u) == 0;
  }
  compiled->linear_rows = compiled->selected[0] + compiled->selected[1] + compiled->selected[2];
  compiled->angular_rows =
      task->kind == SINEW_TASK_DIRECTION && task->orientation_weight > 0.0
          ? 2
          : compiled->selected[3] + compiled->selected[4] + compiled->selected[5];
  compiled->row_count = compiled->linear_rows + compiled->angular_rows;
}

// Whether the rows are those of a whole pose, or of a whole point, in world axes.
static bool is_whole(const sinew_compiled_task *compiled) {
  return compiled->task.free_axes == 0 && compiled->linear_rows == 3 &&
         (compiled->angular_rows == 0 || compiled->angular_rows == 3);
}

static void set_tip(sinew_compiled_task *compiled, const sinew_model *model) {
  double R[9], p[3];
  const sinew_frame *offset = &model->link_offsets[compiled->task.link];
  compiled->node = model->link_node[compiled->task.link];
  sinew_frame_get(offset, R, NULL);
  sinew_frame_transform(offset, compiled->task.point_l, p);
  sinew_frame_set(&compiled->tip, R, p);
  if (compiled->task.kind == SINEW_TASK_DIRECTION) {
    sinew_scale(1.0 / sinew_norm_safe(compiled->task.axis_l), compiled->task.axis_l,
                compiled->task.axis_l);
  }
}

// A weight so small that squares of it are lost is none.
#define LEAST_WEIGHT 1e-12

static sinew_task counted(const sinew_task *task) {
  sinew_task same = *task;
  same.position_weight = task->position_weight < LEAST_WEIGHT ? 0.0 : task->position_weight;
  same.orientation_weight =
      task->orientation_weight < LEAST_WEIGHT ? 0.0 : task->orientation_weight;
  return same;
}

void sinew_task_compile(const sinew_task *task, const sinew_model *model,
                        sinew_compiled_task *out) {
  *out = (sinew_compiled_task){.task = counted(task)};
  select_rows(out);
  out->whole = is_whole(out);
  out->scale = task->position_weight / model->size;
  set_tip(out, model);
  out->point = out->whole && out->row_count == 3 && out->node >= 0;
}

int sinew_task_last_node(const sinew_compiled_task *task, const sinew_model *model) {
  return task->task.chain_root >= 0 ? model->link_node[task->task.chain_root] : -1;
}

// ------------------------------------------------------------------ targets

static bool is_same(int n, const double *a, const double *b) {
  bool same = true;
  for (int i = 0; i < n; ++i) {
    same = same && a[i] == b[i];
  }
  return same;
}

bool sinew_task_record_target(const sinew_task *task, const sinew_target *target,
                              sinew_target *recorded) {
  bool same = true;
  if (task->kind == SINEW_TASK_DIRECTION) {
    same = is_same(3, recorded->direction, target->direction);
    memcpy(recorded->direction, target->direction, sizeof recorded->direction);
    return same;
  }
  if (task->kind != SINEW_TASK_ORIENTATION) {
    same = is_same(3, recorded->position, target->position);
    memcpy(recorded->position, target->position, sizeof recorded->position);
  }
  if (task->kind != SINEW_TASK_POSITION || task->free_axes != 0) {
    same = is_same(4, recorded->rotation, target->rotation) && same;
    memcpy(recorded->rotation, target->rotation, sizeof recorded->rotation);
  }
  return same;
}
