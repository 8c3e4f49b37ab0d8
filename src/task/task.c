// Tasks: properties of each kind, checks, and the selection of a kind's functions.
//
// A new kind needs a file like position.c, its functions in kinds.h, a row of kinds[], and a case
// in each switch of this file.
#include "task/task.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "task/kinds.h"

#include <string.h>

void sinew_task_init(sinew_task *task, size_t size) {
  const sinew_task defaults = {.cookie = SINEW_COOKIE_TASK,
                               .size = sizeof defaults,
                               .axis_l = {0.0, 0.0, 1.0},
                               .position_weight = 1.0,
                               .orientation_weight = 1.0,
                               .chain_root = -1};
  sinew_definition_init(task, size, &defaults);
}

// --------------------------------------------------------------------- kinds

typedef struct kind_info {
  const char *name;
  unsigned fields; // sinew_target_fields that it reads
  bool free_axes;  // axes may be free; if some are, it reads the target's rotation
  bool axis;       // reads axis_l
} kind_info;

static const kind_info kinds[] = {
    [SINEW_TASK_POSITION] = {"position", SINEW_TARGET_POSITION, .free_axes = true},
    [SINEW_TASK_ORIENTATION] = {"orientation", SINEW_TARGET_ROTATION, .free_axes = true},
    [SINEW_TASK_POSE] = {"pose", SINEW_TARGET_POSITION | SINEW_TARGET_ROTATION, .free_axes = true},
    [SINEW_TASK_DIRECTION] = {"direction", SINEW_TARGET_DIRECTION, .axis = true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool exists(sinew_task_kind kind) {
  return (int)kind >= 0 && (int)kind < KINDS;
}

int sinew_task_kind_count(void) {
  return KINDS;
}

const char *sinew_task_kind_name(sinew_task_kind kind) {
  return exists(kind) ? kinds[kind].name : NULL;
}

unsigned sinew_task_target_fields(const sinew_task *task) {
  if (!exists(task->kind)) {
    return 0;
  }
  const kind_info *kind = &kinds[task->kind];
  return kind->fields | (kind->free_axes && task->free_axes != 0 ? SINEW_TARGET_ROTATION : 0);
}

bool sinew_task_reads_axis(const sinew_task *task) {
  return kinds[task->kind].axis;
}

// -------------------------------------------------------------------- checks

static sinew_result refuse(sinew_error *error, sinew_result code, int index, const char *what) {
  return sinew_error_set(error, code, NULL, "task %d: %s", index, what);
}

// Whether above is the link itself or lies on its path to the root.
static bool is_above(const sinew_model *model, int above, int link) {
  while (link != above && model->link_joint[link] >= 0) {
    link = model->joints[model->link_joint[link]].parent;
  }
  return link == above;
}

// A message that says what the kind refuses, or NULL.
static const char *check_kind(const sinew_task *task) {
  switch (task->kind) {
  case SINEW_TASK_POSITION:
  case SINEW_TASK_ORIENTATION:
  case SINEW_TASK_POSE:
    return NULL;
  case SINEW_TASK_DIRECTION:
    return sinew_direction_check(task);
  }
  return NULL;
}

// Whether a task controls an axis that is not free.
static bool has_rows(const sinew_task *task) {
  const unsigned fields = kinds[task->kind].fields;
  return (fields & SINEW_TARGET_DIRECTION) != 0 ||
         ((fields & SINEW_TARGET_POSITION) != 0 && (task->free_axes & 7u) != 7u) ||
         ((fields & SINEW_TARGET_ROTATION) != 0 && (task->free_axes & 56u) != 56u);
}

sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_TASK, sizeof *task, "sinew_task",
                                              "sinew_default_task()", "task"};
  if (sinew_definition_check(task, &definition, index, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (!exists(task->kind)) {
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
  if (!sinew_is_usable3(task->point_l) || !sinew_is_usable3(task->axis_l)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, index, "point_l or axis_l is not finite");
  }
  const char *fault = check_kind(task);
  if (fault != NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, fault);
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

// ----------------------------------------------------------------- compiling

static void compile_kind(sinew_compiled_task *task) {
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
    sinew_frame_select(task, true, false);
    break;
  case SINEW_TASK_ORIENTATION:
    sinew_frame_select(task, false, true);
    break;
  case SINEW_TASK_POSE:
    sinew_frame_select(task, true, true);
    break;
  case SINEW_TASK_DIRECTION:
    sinew_direction_compile(task);
    break;
  }
}

static void set_tip(sinew_compiled_task *compiled, const sinew_model *model) {
  double R[9], p[3];
  const sinew_frame *offset = &model->link_offsets[compiled->task.link];
  compiled->node = model->link_node[compiled->task.link];
  sinew_frame_get(offset, R, NULL);
  sinew_frame_transform(offset, compiled->task.point_l, p);
  sinew_frame_set(&compiled->tip, R, p);
}

// A weight so small that its square is lost in rounding counts as 0.
#define LEAST_WEIGHT 1e-12

static sinew_task without_small_weights(const sinew_task *task) {
  sinew_task same = *task;
  same.position_weight = task->position_weight < LEAST_WEIGHT ? 0.0 : task->position_weight;
  same.orientation_weight =
      task->orientation_weight < LEAST_WEIGHT ? 0.0 : task->orientation_weight;
  return same;
}

void sinew_task_compile(const sinew_task *task, const sinew_model *model, double size,
                        sinew_compiled_task *out) {
  *out = (sinew_compiled_task){.task = without_small_weights(task), .rows = SINEW_ROWS_GENERAL};
  out->fields = sinew_task_target_fields(task);
  compile_kind(out);
  set_tip(out, model);
  out->row_count = out->linear_rows + out->angular_rows;
  out->scale = task->position_weight / size;
  out->point = out->rows == SINEW_ROWS_POINT && out->node >= 0;
}

int sinew_task_last_node(const sinew_compiled_task *task, const sinew_model *model) {
  return task->task.chain_root >= 0 ? model->link_node[task->task.chain_root] : -1;
}

// ---------------------------------------------------------------- evaluation

static void take_target_axes(const sinew_target *target, sinew_task_evaluation *at) {
  double q[4];
  memcpy(q, target->rotation, sizeof q);
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, at->target_R);
}

void sinew_task_residual(const sinew_compiled_task *task, const sinew_state *state,
                         const sinew_target *target, sinew_task_evaluation *at, double *row) {
  sinew_frame tip;
  double R[9];
  sinew_state_fixed_frame(state, task->node, &task->tip, &tip);
  sinew_frame_get(&tip, R, at->s);
  at->position_error = at->orientation_error = 0.0;
  if ((task->fields & SINEW_TARGET_ROTATION) != 0) {
    take_target_axes(target, at);
  }
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
    sinew_position_residual(task, target->position, at, row);
    break;
  case SINEW_TASK_ORIENTATION:
    sinew_orientation_residual(task, R, at, row);
    break;
  case SINEW_TASK_POSE:
    sinew_pose_residual(task, target->position, R, at, row);
    break;
  case SINEW_TASK_DIRECTION:
    sinew_direction_residual(task, R, target->direction, at, row);
    break;
  }
}

void sinew_task_add_column(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const sinew_row_axes *axes, const double linear[3],
                           const double angular[3], double position, double orientation,
                           double *out) {
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
  case SINEW_TASK_ORIENTATION:
  case SINEW_TASK_POSE:
    sinew_frame_add_column(task, axes, linear, angular, position, orientation, out);
    break;
  case SINEW_TASK_DIRECTION:
    sinew_direction_add_column(at, angular, orientation, out);
    break;
  }
}

double sinew_task_length(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                         const double v[3]) {
  const sinew_row_axes axes = sinew_task_row_axes(task, at);
  const double none[3] = {0.0, 0.0, 0.0};
  double rows[6] = {0.0};
  sinew_task_add_column(task, at, &axes, v, none, 1.0, 0.0, rows);
  return sinew_norm_safe(rows);
}

// ------------------------------------------------------------------ features

unsigned sinew_task_posture_features(const sinew_task *task) {
  switch (task->kind) {
  case SINEW_TASK_POSITION:
    return sinew_position_features(task);
  case SINEW_TASK_ORIENTATION:
    return sinew_orientation_features(task);
  case SINEW_TASK_POSE:
    return sinew_pose_features(task);
  case SINEW_TASK_DIRECTION:
    return sinew_direction_features(task);
  }
  return 0;
}

void sinew_task_axis_of_link(const sinew_task *task, double axis_l[3]) {
  if (kinds[task->kind].axis) {
    sinew_unit(task->axis_l, axis_l);
  } else {
    sinew_orientation_axis_of_link(task, axis_l);
  }
}

void sinew_task_axis_of_target(const sinew_task *task, const sinew_target *target, double axis[3]) {
  if (kinds[task->kind].axis) {
    sinew_unit(target->direction, axis);
  } else {
    sinew_orientation_axis_of_target(task, target->rotation, axis);
  }
}
