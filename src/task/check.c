// Checks of tasks as a caller fills them: messages name the field.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "task/kinds.h"
#include "task/task.h"

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
  return sinew_task_reads_axis(task) ? sinew_aim_check(task) : NULL;
}

// Whether a task controls an axis that is neither free nor of weight 0.
static bool has_rows(const sinew_task *task) {
  const sinew_kind_info *kind = sinew_task_kind_info(task->kind);
  bool rows = !kind->axes;
  for (int i = 0; i < 6; ++i) {
    const unsigned field = i < 3 ? SINEW_TARGET_POSITION : SINEW_TARGET_ROTATION;
    rows |= (kind->fields & field) != 0 && (task->free_axes >> i & 1u) == 0 &&
            task->axis_weights[i] > 0.0;
  }
  return rows;
}

static sinew_result check_links(const sinew_task *task, const sinew_model *model, int index,
                                sinew_error *error) {
  if (task->link < 0 || task->link >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "link is out of range");
  }
  if (task->chain_root < -1 || task->chain_root >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "chain_root is out of range");
  }
  if (task->chain_root >= 0 && !task->center_of_mass &&
      !is_above(model, task->chain_root, task->link)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "chain_root is not above the link");
  }
  if (task->frame_link < -1 || task->frame_link >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "frame_link is out of range");
  }
  if (task->frame_link == task->link && !task->center_of_mass) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "frame_link is the link itself");
  }
  return SINEW_OK;
}

// What the centre of mass as a task's point does not go with, or NULL.
static const char *check_mass(const sinew_task *task, const sinew_model *model) {
  const unsigned fields = sinew_task_kind_info(task->kind)->fields;
  if (!task->center_of_mass) {
    return NULL;
  }
  if (sinew_task_reads_axis(task) || (fields & SINEW_TARGET_ROTATION) != 0) {
    return "center_of_mass: this kind reads a link";
  }
  if (task->weight_axes == SINEW_AXES_TOOL) {
    return "center_of_mass has no axes of a tool: weight_axes";
  }
  return model->mass > 0.0 ? NULL : "center_of_mass: the figure has no mass";
}

// What is wrong with an excluded joint, or NULL.
static const char *check_excluded(const sinew_task *task, const sinew_model *model) {
  for (int i = 0; i < SINEW_TASK_MOST_EXCLUDED; ++i) {
    const int j = task->excluded_joints[i];
    if (j < -1 || j >= model->joint_count) {
      return "excluded_joints has an index out of range";
    }
    if (j >= 0 && model->joints[j].driver >= 0) {
      return "excluded_joints has a coupled joint: exclude the one that drives it";
    }
    if (j >= 0 && model->joints[j].nv == 0) {
      return "excluded_joints has a fixed joint";
    }
  }
  return NULL;
}

static bool is_within(double x, double lower, double upper) {
  return x >= lower && x <= upper; // false for NaN
}

// A message that names an axis's weight or range that is invalid, or NULL.
static const char *check_axes(const sinew_task *task) {
  for (int i = 0; i < 6; ++i) {
    if (!is_within(task->axis_weights[i], 0.0, 1e6)) {
      return "axis_weights has a value not within 0 and 1e6";
    }
    if (!(task->range_lower[i] <= task->range_upper[i]) || task->range_lower[i] > SINEW_HUGE ||
        task->range_upper[i] < -SINEW_HUGE) {
      return "range_lower is above range_upper, or they leave no value within 1e100";
    }
  }
  if ((int)task->weight_axes < 0 || task->weight_axes > SINEW_AXES_FRAME) {
    return "weight_axes does not exist";
  }
  if (task->free_axes > 63u) {
    return "free_axes has unknown bits";
  }
  if (sinew_task_kind_info(task->kind)->axes && task->free_axes != 0 &&
      task->weight_axes != SINEW_AXES_TARGET) {
    return "free_axes are the target's: weight_axes must be so too";
  }
  return has_rows(task) ? NULL : "free_axes and axis_weights leave nothing that the kind controls";
}

// Refuses what is set for the task but not for its kind.
static sinew_result check_unread(const sinew_task *task, int index, sinew_error *error) {
  static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
  const char *kind = sinew_task_kind_name(task->kind), *unread = sinew_task_unread_field(task);
  if (unread != NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "task %d: %s: the kind %s does not read it", index, unread, kind);
  }
  const int axis = sinew_task_unread_range(task);
  if (axis < 0) {
    return SINEW_OK;
  }
  const double lower = task->range_lower[axis];
  const char *field = lower != 0.0 && fabs(lower) < INFINITY ? "range_lower" : "range_upper";
  const bool by_kind = (sinew_task_kind_info(task->kind)->fields &
                        (axis < 3 ? SINEW_TARGET_POSITION : SINEW_TARGET_ROTATION)) == 0;
  return by_kind || !sinew_task_kind_info(task->kind)->axes
             ? sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                               "task %d: %s has a value for %s, which the kind %s does not control",
                               index, field, axes[axis], kind)
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                               "task %d: %s has a value for %s, which free_axes leaves free", index,
                               field, axes[axis]);
}

// A message that says why a task cannot be hard, or NULL.
static const char *check_hard(const sinew_task *task) {
  if (sinew_task_side_count(task) == 0) {
    return "hard: it has no range and no cone_angle that updates could keep";
  }
  return task->level == 0 ? NULL : "hard: its level is not 0";
}

static bool is_quaternion(const double q[4]) {
  return sinew_is_usable3(q) && sinew_is_usable(q[3]) &&
         fabs(q[0]) + fabs(q[1]) + fabs(q[2]) + fabs(q[3]) > 1e-100;
}

sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_TASK, sizeof *task, "sinew_task",
                                              "sinew_default_task()", "task"};
  if (sinew_definition_check(task, &definition, index, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (sinew_task_kind_info(task->kind) == NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "kind does not exist");
  }
  const sinew_result links = check_links(task, model, index, error);
  if (links != SINEW_OK) {
    return links;
  }
  if (!sinew_is_usable3(task->point_l) || !sinew_is_usable3(task->axis_l)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, index, "point_l or axis_l is not finite");
  }
  if (!sinew_is_usable3(task->up_axis)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, index, "up_axis is not finite");
  }
  if (!is_quaternion(task->rotation_l)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, index, "rotation_l is zero or not finite");
  }
  const char *fault = check_kind(task);
  fault = fault == NULL ? check_mass(task, model) : fault;
  fault = fault == NULL ? check_excluded(task, model) : fault;
  if (fault != NULL) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, fault);
  }
  if (!is_within(task->position_weight, 0.0, 1e6) ||
      !is_within(task->orientation_weight, 0.0, 1e6)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "a weight is not within 0 and 1e6");
  }
  if (!is_within(task->influence, 0.0, 1.0)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "influence is not within 0 and 1");
  }
  if (!(task->gain > 0.0 && task->gain <= 1.0)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "gain is not above 0 and at most 1");
  }
  if (task->level < 0 || task->level > SINEW_MOST_LEVELS) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "level is not within 0 and 100");
  }
  if ((int)task->required < 0 || task->required > SINEW_NOT_REQUIRED) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "required does not exist");
  }
  if (check_unread(task, index, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  fault = check_axes(task);
  fault = fault == NULL && task->hard ? check_hard(task) : fault;
  return fault != NULL ? refuse(error, SINEW_ERROR_ARGUMENT, index, fault) : SINEW_OK;
}
