// The limits of a tasks file: those that a solver has, and those of swing and twist, which belong
// to the model.
#include "task_limits.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "mistakes.h"
#include "scenes/expect.h"

#define LARGEST 1e100

#define ANY .least = -LARGEST, .most = LARGEST
#define RANGE(low, high) .least = (low), .most = (high)
#define TABLE(rows)                                                                                \
  { rows, (int)(sizeof(rows) / sizeof(rows)[0]) }

// ---- Swing and twist ----

#define JOINT(member) .offset = offsetof(sinew_joint_def, member), .count = 3, ANY

static const cli_field swing_twist_rows[] = {
    {"axis", cli_read_nonzero, JOINT(axis)},
    {"axis2", cli_read_nonzero, JOINT(axis2)},
    {"lower", cli_read_values, JOINT(lower), .none = -INFINITY},
    {"upper", cli_read_values, JOINT(upper), .none = INFINITY}};
const cli_field_table cli_swing_twist_table = TABLE(swing_twist_rows);

// Those of one joint; what is not named stays as the model's definition has it, and null is none.
static int read_joint(cli_field_reader *reader, const char *name, const json_t *value,
                      sinew_joint_def *joints) {
  const int index = cli_read_joint_name(reader, name);
  if (index < 0)
    return CLI_EXIT_REFUSED;
  sinew_joint_def *joint = &joints[index];
  if (joint->kind != SINEW_JOINT_SPHERICAL)
    return cli_json_place_refuse(&reader->place,
                                 "only spherical joints have limits of swing and twist; those of "
                                 "other joints are 'lower' and 'upper' of 'limits'");
  if (!json_is_null(value)) {
    reader->what = "an object of limits of swing and twist";
    return cli_fields_read(reader, &cli_swing_twist_table, value, joint);
  }
  for (int i = 0; i < 3; ++i) {
    joint->lower[i] = -INFINITY;
    joint->upper[i] = INFINITY;
  }
  return CLI_EXIT_DONE;
}

static int read_each_joint(cli_field_reader *reader, const json_t *object,
                           sinew_joint_def *joints) {
  const char *key;
  json_t *each;
  int number = 0, exit_code = CLI_EXIT_DONE;
  json_object_foreach((json_t *)object, key, each) {
    cli_json_place_enter_member(&reader->place, number++, key);
    exit_code = read_joint(reader, key, each, joints);
    cli_json_place_leave(&reader->place);
    if (exit_code != CLI_EXIT_DONE)
      break;
  }
  return exit_code;
}

// The rules of ::sinew_joint_def are checked by the model.
static int read_swing_twist(cli_field_reader *reader, const cli_field *field, const json_t *value,
                            void *out) {
  (void)field, (void)out;
  if (!json_is_object(value))
    return cli_json_place_refuse(&reader->place, "it takes an object from joints to their limits");
  const sinew_model_def *def = &reader->figure->document->model;
  const size_t count = (size_t)def->joint_count;
  sinew_joint_def *joints = cli_allocate(count, sizeof *joints);
  sinew_error error = {0};
  if (count > 0)
    memcpy(joints, def->joints, count * sizeof *joints);
  int exit_code = read_each_joint(reader, value, joints);
  if (exit_code == CLI_EXIT_DONE &&
      cli_figure_set_joints(reader->figure, joints, &error) != SINEW_OK)
    exit_code = cli_json_place_refuse_name(&reader->place, value, error.name, error.message);
  free(joints);
  return exit_code;
}

// ---- Limits of a solver ----

// Of joints' values but those of spherical rotations, which have limits of swing and twist instead.
static int read_single(cli_field_reader *reader, const cli_field *field, const json_t *value,
                       void *out) {
  const sinew_model *model = reader->figure->model;
  if (cli_read_joints(reader, field, value, out) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  const double *values = *(double **)out;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int i = joint.nv - 3; joint.nq > joint.nv && i < joint.nv; ++i)
      if (isfinite(values[joint.v_index + i]))
        return cli_json_place_refuse(
            &reader->place,
            "joint '%s': there are none of spherical rotations, but those of 'swing_twist'",
            joint.name);
  }
  return CLI_EXIT_DONE;
}

#define LIMIT(member) .offset = offsetof(cli_motion_limits, member)

static const cli_field limit_rows[] = {
    {"swing_twist", read_swing_twist, .offset = 0}, // first: it replaces the model
    {"margin", cli_read_number, LIMIT(margin), RANGE(0, LARGEST)},
    {"lower", read_single, LIMIT(lower), ANY, .none = -INFINITY},
    {"upper", read_single, LIMIT(upper), ANY, .none = INFINITY},
    {"speed_scale", cli_read_number, LIMIT(speed_scale), RANGE(DBL_MIN, 1)},
    {"speeds", cli_read_joints, LIMIT(speeds), RANGE(DBL_MIN, LARGEST), .none = INFINITY},
    {"accelerations", cli_read_joints, LIMIT(accelerations), RANGE(DBL_MIN, LARGEST),
     .none = INFINITY},
};
const cli_field_table cli_task_limits_table = TABLE(limit_rows);

static void settle(const cli_field_reader *reader, cli_motion_limits *limits) {
  const sinew_model *model = reader->figure->model;
  cli_settle_joints(reader, limits->lower, sinew_model_lower(model), 0);
  cli_settle_joints(reader, limits->upper, sinew_model_upper(model), 0);
  cli_settle_joints(reader, limits->speeds, sinew_model_velocity(model), 0);
  cli_settle_joints(reader, limits->accelerations, NULL, INFINITY);
}

// Goes to a limit of a joint; where the file has none, it stays.
static void enter_limit(cli_json_place *place, const json_t *object, const char *side,
                        const char *joint) {
  if (cli_json_place_enter_name(place, object, side) &&
      !cli_json_place_enter_name(place, json_object_get(object, side), joint))
    cli_json_place_leave(place);
}

// Of one limit at most.
static void warn(cli_field_reader *reader, const json_t *object, const cli_motion_limits *limits) {
  cli_json_place *place = &reader->place;
  const int start = place->depth;
  const char *joint, *side = NULL;
  char text[512];
  cli_mistakes mistakes = cli_mistakes_begin(reader->figure);
  if (cli_mistakes_in_limits(&mistakes, limits->lower, &joint, text, sizeof text))
    side = "lower";
  else if (cli_mistakes_in_limits(&mistakes, limits->upper, &joint, text, sizeof text))
    side = "upper";
  if (side) {
    enter_limit(place, object, side, joint);
    cli_warn("%s:%d: %s: %s", place->path, cli_json_place_line(place), place->name, text);
  }
  while (place->depth > start)
    cli_json_place_leave(place);
  cli_mistakes_end(&mistakes);
}

// A joint whose lower limit is above the upper one, at the place of the one that the file has.
static int refuse_reversed(cli_field_reader *reader, const json_t *object, const char *joint,
                           double lower, double upper) {
  cli_json_place *place = &reader->place;
  const char *const sides[] = {"upper", "lower"};
  const int start = place->depth;
  for (int i = 0; i < 2 && place->depth == start; ++i)
    enter_limit(place, object, sides[i], joint);
  const int exit_code =
      cli_json_place_refuse(place, "its lower limit %g is above its upper limit %g", lower, upper);
  while (place->depth > start)
    cli_json_place_leave(place);
  return exit_code;
}

static int check(cli_field_reader *reader, const json_t *object, const cli_motion_limits *limits) {
  const sinew_model *model = reader->figure->model;
  const cli_limits_in_force in_force = cli_motion_limits_in_force(limits, model);
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    for (int v = joint.v_index; v < joint.v_index + joint.nv; ++v)
      if (!(in_force.lower[v] <= in_force.upper[v]))
        return refuse_reversed(reader, object, joint.name, in_force.lower[v], in_force.upper[v]);
  }
  return CLI_EXIT_DONE;
}

int cli_task_limits_read(cli_field_reader *reader, const cli_field *field, const json_t *value,
                         void *out) {
  (void)field;
  cli_motion_limits *limits = out;
  reader->what = "an object of limits";
  if (cli_fields_read(reader, &cli_task_limits_table, value, limits) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  settle(reader, limits);
  warn(reader, value, limits);
  reader->figure->lower = limits->lower;
  reader->figure->upper = limits->upper;
  return check(reader, value, limits);
}
