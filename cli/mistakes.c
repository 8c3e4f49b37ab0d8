// Inputs that are valid but probably not meant.
#include "mistakes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"
#include "scenes/expect.h"

#define PI 3.14159265358979323846

// By how much a value may exceed its limit, relative to the limit or 1: limits are often copied
// with few digits.
#define SLACK 1e-3

// Limits of more turns stand for none [rad].
#define NO_LIMIT 100.0

// By how much the norm of a quaternion may differ from 1: so do those with two digits.
#define NORM_SLACK 0.01

// Distances larger than this, in their limits, and targets farther than this, in the farthest
// distance that the link could have if all joints were straight and all slides extended, are
// probably in another unit: in millimetres they are a thousand times too far, in centimetres a
// hundred.
#define FAR 20.0
#define FAR_IN_MILLIMETRES 100.0
#define FARTHEST_IN_MILLIMETRES 2000.0

cli_mistakes cli_mistakes_begin(const cli_figure *figure) {
  return (cli_mistakes){.figure = figure,
                        .columns = cli_columns_create(figure->model, &figure->document->model),
                        .q = cli_allocate((size_t)sinew_model_nq(figure->model), sizeof(double))};
}

void cli_mistakes_end(cli_mistakes *mistakes) {
  cli_columns_destroy(&mistakes->columns);
  free(mistakes->q);
}

// ---- Values ----

static bool is_within(double value, double lower, double upper) {
  return !(value < lower - SLACK * fmax(1, fabs(lower))) &&
         !(value > upper + SLACK * fmax(1, fabs(upper)));
}

typedef enum value_source {
  SOURCE_FILE,
  SOURCE_TYPED, // by a person
  SOURCE_LIMIT, // of a tasks file: it is a limit itself
} value_source;

// The limits that a value of a column's degree of freedom should be within: those in force; for a
// limit, which replaces one of the model, those of the model.
static void limits_of(const cli_mistakes *mistakes, const cli_column *column, value_source source,
                      double *lower, double *upper) {
  const cli_figure *figure = mistakes->figure;
  const sinew_model *model = figure->model;
  const bool replaced = source != SOURCE_LIMIT;
  sinew_joint joint;
  sinew_expect_ok(sinew_model_joint(model, column->joint, &joint));
  const int v = joint.v_index + column->q_index - joint.q_index;
  *lower = replaced && figure->lower ? figure->lower[v] : sinew_model_lower(model)[v];
  *upper = replaced && figure->upper ? figure->upper[v] : sinew_model_upper(model)[v];
}

static bool is_value_mistaken(const cli_mistakes *mistakes, const cli_column *column, double value,
                              value_source source, char *text, size_t size) {
  // The place of a limit names its joint.
  const char *name = source == SOURCE_LIMIT ? "it" : column->name;
  const bool angle = column->unit == CLI_UNIT_ANGLE;
  const char *unit = angle ? "rad" : mistakes->figure->length_unit;
  const bool large = angle && fabs(value) > 2 * PI;
  double lower, upper;
  limits_of(mistakes, column, source, &lower, &upper);
  if (is_within(value, lower, upper)) {
    const bool unlimited = !(fabs(value < 0 ? lower : upper) < NO_LIMIT);
    const bool mistaken = source != SOURCE_FILE && large && unlimited;
    if (mistaken)
      snprintf(text, size, "%s is %g rad, more than a whole turn: are these degrees?", name, value);
    return mistaken;
  }
  const double scale = angle ? PI / 180 : 1e-3;
  const bool far = angle ? large : fabs(value) > FAR * fmax(fabs(lower), fabs(upper));
  const bool other_unit = far && is_within(scale * value, lower, upper);
  const bool below = value < lower;
  snprintf(text, size, "%s is %g %s, %s %s %s limit of %g%s", name, value, unit,
           below ? "below" : "above", source == SOURCE_LIMIT ? "the model's" : "its",
           below ? "lower" : "upper", below ? lower : upper,
           !other_unit ? ""
           : angle     ? ": are these degrees?"
                       : ": are these millimetres?");
  return true;
}

static double norm_of(const double *values, int count) {
  double norm = 0;
  for (int i = 0; i < count; ++i)
    norm = hypot(norm, values[i]);
  return norm;
}

// A quaternion of length 0 is refused elsewhere.
static bool is_norm_mistaken(const double quaternion[4], const char *name, char *text,
                             size_t size) {
  const double norm = norm_of(quaternion, 4);
  if (!(fabs(norm - 1) > NORM_SLACK) || !(norm > 0))
    return false;
  snprintf(text, size,
           "the quaternion%s%s has the norm %g and is scaled to 1; its order is w,x,y,z",
           name[0] != '\0' ? " of " : "", name, norm);
  return true;
}

// Of spherical joints alone, since the values of others have been checked.
static bool is_rotation_mistaken(const cli_mistakes *mistakes, const double *q, char *text,
                                 size_t size) {
  const sinew_model *model = mistakes->figure->model;
  int index = -1;
  sinew_joint joint;
  memcpy(mistakes->q, q, (size_t)sinew_model_nq(model) * sizeof(double));
  sinew_configuration_normalize(model, mistakes->q);
  const double excess = sinew_configuration_excess(model, mistakes->q, &index);
  if (!(excess > SLACK) || sinew_model_joint(model, index, &joint) != SINEW_OK ||
      joint.kind != SINEW_JOINT_SPHERICAL)
    return false;
  snprintf(text, size, "%s is %.3g rad outside its limits of swing and twist", joint.name, excess);
  return true;
}

bool cli_mistakes_in_values(cli_mistakes *mistakes, const double *q, bool typed, char *text,
                            size_t size) {
  const cli_columns *columns = &mistakes->columns;
  for (int i = 0; i < columns->count; ++i) {
    const cli_column *column = &columns->columns[i];
    if (column->q_index < 0)
      continue;
    if (column->unit == CLI_UNIT_NONE) {
      sinew_joint joint;
      sinew_expect_ok(sinew_model_joint(mistakes->figure->model, column->joint, &joint));
      if (!mistakes->norm_found && is_norm_mistaken(q + column->q_index, joint.name, text, size))
        return mistakes->norm_found = true;
      i += 3;
    } else if (!mistakes->values_found &&
               is_value_mistaken(mistakes, column, q[column->q_index],
                                 typed ? SOURCE_TYPED : SOURCE_FILE, text, size)) {
      return mistakes->values_found = true;
    }
  }
  return !mistakes->values_found &&
         (mistakes->values_found = is_rotation_mistaken(mistakes, q, text, size));
}

bool cli_mistakes_in_limits(cli_mistakes *mistakes, const double *limits, const char **name,
                            char *text, size_t size) {
  const cli_columns *columns = &mistakes->columns;
  for (int i = 0; limits && i < columns->count && !mistakes->values_found; ++i) {
    const cli_column *column = &columns->columns[i];
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(mistakes->figure->model, column->joint, &joint));
    if (column->q_index < 0 || column->unit != CLI_UNIT_ANGLE || joint.nq != joint.nv)
      continue;
    const double value = limits[joint.v_index + column->q_index - joint.q_index];
    if (isfinite(value) && fabs(value) > 2 * PI &&
        is_value_mistaken(mistakes, column, value, SOURCE_LIMIT, text, size)) {
      *name = joint.name;
      return mistakes->values_found = true;
    }
  }
  return false;
}

void cli_mistakes_warn_turns(const double *angles, int count, const char *where) {
  for (int i = 0; i < count; ++i)
    if (fabs(angles[i]) > 2 * PI) {
      cli_warn("%s: %g rad is more than a whole turn: are these degrees?", where, angles[i]);
      return;
    }
}

// ---- Targets ----

// The farthest that a degree of freedom shifts what it carries; 0 for an angle.
static double longest_shift(const sinew_joint_def *joint, const sinew_model *model, int i, int v) {
  cli_unit unit = CLI_UNIT_NONE;
  if (!cli_column_suffix(joint, i, &unit) || unit != CLI_UNIT_LENGTH)
    return 0;
  return fmax(fabs(sinew_model_lower(model)[v]), fabs(sinew_model_upper(model)[v]));
}

// The farthest that a link could be from the root link.
static double farthest(const cli_figure *figure, int link) {
  const sinew_model *model = figure->model;
  double distance = sinew_model_size(model);
  for (int j; (j = sinew_model_link_joint(model, link)) >= 0;) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int i = 0; i < joint.nv; ++i)
      distance += longest_shift(&figure->document->model.joints[j], model, i, joint.v_index + i);
    link = joint.parent;
  }
  return distance;
}

static bool is_distance_mistaken(const cli_figure *figure, int link, const double position[3],
                                 char *text, size_t size) {
  // The size is a lower bound that costs nothing.
  const double distance = norm_of(position, 3), model_size = sinew_model_size(figure->model);
  if (!(distance > FAR * model_size) || !(distance > FAR * farthest(figure, link)))
    return false;
  const double share = distance / model_size;
  snprintf(text, size, "the target is %g %s from the root link, %.3g times the size of the model%s",
           distance, figure->length_unit, share,
           share < FAR_IN_MILLIMETRES         ? ": are these centimetres?"
           : share <= FARTHEST_IN_MILLIMETRES ? ": are these millimetres?"
                                              : "");
  return true;
}

bool cli_mistakes_in_target(cli_mistakes *mistakes, const sinew_task *task,
                            const sinew_target *target, char *text, size_t size) {
  const unsigned fields = sinew_task_target_fields(task);
  if (!mistakes->norm_found && (fields & SINEW_TARGET_ROTATION) != 0 &&
      is_norm_mistaken(target->rotation, "", text, size))
    return mistakes->norm_found = true;
  if (!mistakes->distance_found && (fields & SINEW_TARGET_POSITION) != 0 &&
      is_distance_mistaken(mistakes->figure, task->link, target->position, text, size))
    return mistakes->distance_found = true;
  return false;
}

// ---- Tasks and limits ----

// Whether a joint between a link and another above it, or the root (-1), can move.
static bool is_moved(const sinew_model *model, int link, int above) {
  for (int j; link != above && (j = sinew_model_link_joint(model, link)) >= 0;) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    if (joint.nv > 0 || (joint.driver >= 0 && joint.ratio != 0))
      return true;
    link = joint.parent;
  }
  return false;
}

static bool is_still(const sinew_model *model, const sinew_task *task) {
  return !task->center_of_mass && !is_moved(model, task->link, task->chain_root) &&
         (task->frame_link < 0 || !is_moved(model, task->frame_link, task->chain_root));
}

static void warn_of_still(const sinew_model *model, const cli_task_list *list, const char *where) {
  const sinew_task *tasks = list->tasks;
  for (int t = 0; t < list->count; ++t) {
    bool told = false;
    for (int before = 0; before < t; ++before)
      told = told || (tasks[before].link == tasks[t].link && is_still(model, &tasks[before]));
    if (!told && is_still(model, &tasks[t]))
      cli_warn("%s: no joint moves %s, so that it stays where it is", where,
               sinew_model_link_name(model, tasks[t].link));
  }
}

// Whether a task's position and rotation are wanted whole, as fields of a target: 0 where an axis
// is free, or where the task is to be met in part only.
static unsigned pose_fields(const sinew_task *task) {
  const bool frames = task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_ORIENTATION ||
                      task->kind == SINEW_TASK_POSE;
  bool whole = frames && task->free_axes == 0 && !task->hard && task->influence == 1 &&
               cli_task_is_required(task);
  for (int i = 0; i < 6; ++i)
    whole = whole && task->axis_weights[i] > 0 && task->range_lower[i] == 0 &&
            task->range_upper[i] == 0;
  const bool position = task->kind != SINEW_TASK_ORIENTATION && task->position_weight > 0;
  const bool rotation = task->kind != SINEW_TASK_POSITION && task->orientation_weight > 0;
  return whole ? (position ? SINEW_TARGET_POSITION : 0u) | (rotation ? SINEW_TARGET_ROTATION : 0u)
               : 0;
}

static bool is_same_point(const sinew_task *a, const sinew_task *b) {
  bool same = a->center_of_mass == b->center_of_mass && (a->center_of_mass || a->link == b->link) &&
              a->frame_link == b->frame_link;
  for (int i = 0; i < 3; ++i)
    same = same && (a->center_of_mass || a->point_l[i] == b->point_l[i]);
  return same;
}

static bool is_same_target(const cli_task_list *list, int a, int b) {
  const bool known =
      !list->entries[list->entry_of[a]].moving && !list->entries[list->entry_of[b]].moving;
  return known && memcmp(&list->targets[a], &list->targets[b], sizeof *list->targets) == 0;
}

// "'hand' (tasks.json:2: tasks[0])", or "the columns of link 'flange'".
static void describe_entry(const cli_task_list *list, int task, char *text, size_t size) {
  const cli_entry *entry = &list->entries[list->entry_of[task]];
  if (entry->by_columns)
    snprintf(text, size, "the columns of link '%s'", entry->name);
  else
    snprintf(text, size, "'%s' (%s)", entry->name, entry->where);
}

static void warn_of_twice(const cli_task_list *list, const char *where) {
  for (int a = 0; a < list->count; ++a)
    for (int b = a + 1; b < list->count; ++b) {
      const sinew_task *one = &list->tasks[a], *two = &list->tasks[b];
      const unsigned fields = pose_fields(one) & pose_fields(two);
      if (fields == 0 || one->level != two->level || !is_same_point(one, two) ||
          is_same_target(list, a, b))
        continue;
      char first[512], second[512];
      describe_entry(list, a, first, sizeof first);
      describe_entry(list, b, second, sizeof second);
      cli_warn("%s: %s and %s give one point two %s: where these differ neither is met", where,
               first, second, (fields & SINEW_TARGET_POSITION) != 0 ? "positions" : "orientations");
    }
}

void cli_mistakes_warn_tasks(const sinew_model *model, const cli_task_list *list,
                             const char *where) {
  warn_of_still(model, list, where);
  warn_of_twice(list, where);
}

void cli_mistakes_warn_tool(const cli_figure *figure, const sinew_task *task, const char *where) {
  const double distance = norm_of(task->point_l, 3), size = sinew_model_size(figure->model);
  if (!task->center_of_mass && distance > FAR * size)
    cli_warn("%s: the tool is %g %s from the link, %.3g times the size of the model: are these "
             "millimetres?",
             where, distance, figure->length_unit, distance / size);
}

static bool has_finite(const sinew_model *model, const double *values) {
  bool found = false;
  for (int v = 0; v < sinew_model_nv(model); ++v)
    found = found || isfinite(values[v]);
  return found;
}

static bool has_swing_twist(const sinew_model *model) {
  bool found = false;
  for (int j = 0; j < sinew_model_joint_count(model); ++j)
    found = found || sinew_model_swing_twist(model, j, NULL, NULL);
  return found;
}

// Of the first angle that is left no range. One whose limits are equal has none without the margin
// either: they are the usual way to lock a joint, the margin changes nothing there, and to name it
// would hide the first joint where it does.
static void warn_margin(const sinew_model *model, double margin,
                        const cli_limits_in_force *in_force, const char *where) {
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    const bool angle = joint.kind == SINEW_JOINT_REVOLUTE || joint.kind == SINEW_JOINT_EULER ||
                       joint.kind == SINEW_JOINT_UNIVERSAL;
    for (int v = joint.v_index; angle && v < joint.v_index + joint.nv; ++v) {
      const double range = in_force->upper[v] - in_force->lower[v];
      if (range > 0 && margin > 0.5 * range) {
        cli_warn("%s: a margin of %g leaves %s no range: its limits are %g rad apart%s", where,
                 margin, joint.name, range,
                 margin * PI / 180 < 0.5 * range ? ": are these degrees?" : "");
        return;
      }
    }
  }
}

void cli_mistakes_warn_limits(const sinew_model *model, const cli_motion_limits *limits, bool speed,
                              const char *where) {
  const cli_limits_in_force in_force = cli_motion_limits_in_force(limits, model);
  if (speed && limits->speed_scale > 0 && !has_finite(model, in_force.speeds))
    cli_warn("%s: a scale of speed limits has no effect: there are no speed limits", where);
  if (limits->margin > 0 && !has_finite(model, in_force.lower) &&
      !has_finite(model, in_force.upper) && !has_swing_twist(model))
    cli_warn("%s: a margin of limits has no effect: no joint has limits that it narrows", where);
  else if (limits->margin > 0)
    warn_margin(model, limits->margin, &in_force, where);
}
