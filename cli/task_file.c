// Tasks files: a table for each kind of object in them, with a row for each field.
// docs/task_files.schema.json describes the same fields for other programs; a test compares them.
#include "task_file.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "mistakes.h"
#include "request.h"
#include "scenes/expect.h"
#include "task_limits.h"

#define PI 3.14159265358979323846
#define MOST_WEIGHT 1e6
#define LARGEST 1e100
#define COUPLED_ROUNDING 1e-6 // of values that were printed with six digits

#define ANY .least = -LARGEST, .most = LARGEST
#define RANGE(low, high) .least = (low), .most = (high)
#define TABLE(rows)                                                                                \
  { rows, (int)(sizeof(rows) / sizeof(rows)[0]) }

// ---- Targets ----

#define TARGET(member) .offset = offsetof(sinew_target, member)

// The axes of weights, ranges and free axes, where the kind itself reads no rotation: those in
// which the target is given, unless they are said.
#define TARGET_AXES (1u << 8)

// Which of them a target has are sinew_target_fields.
static const cli_field target_rows[] = {
    {"position", cli_read_values, TARGET(position), .count = 3, ANY, .uses = SINEW_TARGET_POSITION,
     .needed = true},
    {"rotation", cli_read_nonzero, TARGET(rotation), .count = 4, ANY, .uses = SINEW_TARGET_ROTATION,
     .needed = true},
    {"rotation", cli_read_nonzero, TARGET(rotation), .count = 4, ANY, .uses = TARGET_AXES},
    {"direction", cli_read_nonzero, TARGET(direction), .count = 3, ANY,
     .uses = SINEW_TARGET_DIRECTION, .needed = true},
    {"distance", cli_read_number, TARGET(distance), ANY, .uses = SINEW_TARGET_DISTANCE,
     .needed = true},
    {"twist", cli_read_values, TARGET(twist), .count = 6, ANY},
};
static const cli_field_table target_table = TABLE(target_rows);

// ---- Tasks ----

typedef struct task_entry {
  int kind; // a sinew_task_kind, or the support polygon
  const char *name;
  sinew_task task;
  bool has_target;
  sinew_target target;
  double *contacts;
  sinew_support_def support;
} task_entry;

// The number of the kind that stands for the tasks of sinew_support_polygon().
static int polygon_kind(void) {
  return sinew_task_kind_count();
}

static const char *kind_at(const void *names, int index) {
  (void)names;
  return index == polygon_kind() ? "support_polygon" : sinew_task_kind_name((sinew_task_kind)index);
}

static const char *objective_at(const void *names, int index);

static bool is_named(cli_name_at *names, const char *name) {
  bool found = false;
  const char *each;
  for (int i = 0; (each = names(NULL, i)) != NULL; ++i)
    found = found || strcmp(each, name) == 0;
  return found;
}

static const char *hint_of_kind(const char *name) {
  return is_named(objective_at, name) ? "it is a kind of 'objectives'"
         : strcmp(name, "center_of_mass") == 0 || strcmp(name, "com") == 0
             ? "a 'position' takes \"center_of_mass\": true"
             : NULL;
}

static const char *hint_of_objective(const char *name) {
  return is_named(kind_at, name) ? "it is a kind of 'tasks'" : NULL;
}

static const char *free_axis_at(const void *names, int index) {
  static const char *const axes[] = {"x", "y", "z", "rx", "ry", "rz"};
  (void)names;
  return index < 6 ? axes[index] : NULL;
}

static const char *weight_axes_at(const void *names, int index) {
  static const char *const axes[] = {
      [SINEW_AXES_TARGET] = "target", [SINEW_AXES_TOOL] = "tool", [SINEW_AXES_FRAME] = "frame"};
  (void)names;
  return index < 3 ? axes[index] : NULL;
}

static int read_required(cli_field_reader *reader, const cli_field *field, const json_t *value,
                         void *out) {
  bool required = false;
  if (cli_read_flag(reader, field, value, &required) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  *(sinew_requirement *)out = required ? SINEW_REQUIRED : SINEW_NOT_REQUIRED;
  return CLI_EXIT_DONE;
}

// Names of joints, as many as there is room for.
static int read_excluded(cli_field_reader *reader, const cli_field *field, const json_t *value,
                         void *out) {
  (void)field;
  int *joints = out, exit_code = CLI_EXIT_DONE;
  if (!json_is_array(value) || json_array_size(value) > SINEW_TASK_MOST_EXCLUDED)
    return cli_json_place_refuse(&reader->place, "it takes an array of at most %d names of joints",
                                 SINEW_TASK_MOST_EXCLUDED);
  for (int i = 0; i < (int)json_array_size(value) && exit_code == CLI_EXIT_DONE; ++i) {
    const char *name = json_string_value(json_array_get(value, (size_t)i));
    cli_json_place_enter_element(&reader->place, i);
    joints[i] = name ? cli_read_joint_name(reader, name) : -1;
    if (!name)
      exit_code = cli_json_place_refuse(&reader->place, "it takes the name of a joint");
    else if (joints[i] < 0)
      exit_code = CLI_EXIT_REFUSED;
    cli_json_place_leave(&reader->place);
  }
  return exit_code;
}

// After all fields on which it depends what a target has.
static int read_target(cli_field_reader *reader, const cli_field *field, const json_t *value,
                       void *out) {
  (void)field;
  task_entry *entry = out;
  const unsigned uses = reader->uses, fields = sinew_task_target_fields(&entry->task);
  sinew_task plain = sinew_default_task();
  plain.kind = entry->task.kind;
  reader->uses = fields;
  if ((fields & ~sinew_task_target_fields(&plain) & SINEW_TARGET_ROTATION) != 0)
    reader->uses = (fields & ~(unsigned)SINEW_TARGET_ROTATION) | TARGET_AXES;
  const int exit_code = cli_fields_read(reader, &target_table, value, &entry->target);
  reader->uses = uses;
  entry->has_target = true;
  return exit_code;
}

static int read_contacts(cli_field_reader *reader, const cli_field *field, const json_t *value,
                         void *out) {
  sinew_support_def *support = out;
  int exit_code = CLI_EXIT_DONE;
  if (!json_is_array(value))
    return cli_json_place_refuse(&reader->place, "it takes an array of points");
  support->count = (int)json_array_size(value);
  double *contacts =
      cli_task_list_allocate(reader->list, 3 * (size_t)support->count, sizeof(double));
  support->contacts = contacts;
  for (int i = 0; i < support->count && exit_code == CLI_EXIT_DONE; ++i) {
    cli_json_place_enter_element(&reader->place, i);
    exit_code = cli_read_values(reader, field, json_array_get(value, (size_t)i), contacts + 3 * i);
    cli_json_place_leave(&reader->place);
  }
  return exit_code;
}

// A task of the centre of mass has the bit of its kind MASS places further up.
#define MASS 15
#define BIT(kind) (1u << SINEW_TASK_##kind | 1u << SINEW_TASK_##kind << MASS)
#define POLYGON (1u << 31)
#define LINKS (~POLYGON)
#define POINTS_OF_LINKS ((1u << MASS) - 1)
#define POINTS (BIT(POSITION) | BIT(PLANE) | BIT(LINE) | BIT(DISTANCE))
#define FRAMES (BIT(POSITION) | BIT(ORIENTATION) | BIT(POSE))
#define ENTRY(member) .offset = offsetof(task_entry, member)

// Axes that the kind does not control would be ignored: a position has x, y, z alone, an
// orientation rx, ry, rz.
static int read_free_axes(cli_field_reader *reader, const cli_field *field, const json_t *value,
                          void *out) {
  int exit_code = cli_read_set(reader, field, value, out);
  for (size_t i = 0; i < json_array_size(value) && exit_code == CLI_EXIT_DONE; ++i) {
    const char *axis = json_string_value(json_array_get(value, i));
    const bool angular = axis[0] == 'r';
    if ((reader->uses & (angular ? BIT(POSITION) : BIT(ORIENTATION))) == 0)
      continue;
    cli_json_place_enter_element(&reader->place, (int)i);
    exit_code = cli_json_place_refuse(&reader->place, "%s has the axes %s, not '%s'", reader->what,
                                      angular ? "x, y, z" : "rx, ry, rz", axis);
    cli_json_place_leave(&reader->place);
  }
  return exit_code;
}

// The first two say which others there are.
static const cli_field task_rows[] = {
    {"kind", cli_read_choice, ENTRY(kind), .names = kind_at, .hint = hint_of_kind, .needed = true},
    {"center_of_mass", cli_read_flag, ENTRY(task.center_of_mass), .uses = POINTS},
    {"name", cli_read_text, ENTRY(name)},
    {"link", cli_read_link, ENTRY(task.link), .uses = POINTS_OF_LINKS},
    {"frame_link", cli_read_link, ENTRY(task.frame_link)},
    {"chain_root", cli_read_link, ENTRY(task.chain_root)},
    {"excluded_joints", read_excluded, ENTRY(task.excluded_joints)},
    {"point_l", cli_read_values, ENTRY(task.point_l), .count = 3, ANY, .uses = POINTS_OF_LINKS},
    {"rotation_l", cli_read_nonzero, ENTRY(task.rotation_l), .count = 4, ANY,
     .uses = POINTS_OF_LINKS},
    {"axis_l", cli_read_nonzero, ENTRY(task.axis_l), .count = 3, ANY, .uses = LINKS,
     .by_kind = true},
    {"up_axis", cli_read_values, ENTRY(task.up_axis), .count = 3, ANY, .uses = LINKS,
     .by_kind = true},
    {"cone_angle", cli_read_number, ENTRY(task.cone_angle), RANGE(0, PI), .uses = LINKS,
     .by_kind = true},
    {"hard", cli_read_flag, ENTRY(task.hard)},
    {"position_weight", cli_read_number, ENTRY(task.position_weight), RANGE(0, MOST_WEIGHT)},
    {"orientation_weight", cli_read_number, ENTRY(task.orientation_weight), RANGE(0, MOST_WEIGHT),
     .uses = LINKS},
    {"free_axes", read_free_axes, ENTRY(task.free_axes), .names = free_axis_at, .uses = LINKS,
     .by_kind = true},
    {"axis_weights", cli_read_values, ENTRY(task.axis_weights), .count = 6, RANGE(0, MOST_WEIGHT),
     .uses = LINKS, .by_kind = true},
    {"weight_axes", cli_read_choice, ENTRY(task.weight_axes), .names = weight_axes_at,
     .uses = LINKS, .by_kind = true},
    {"range_lower", cli_read_values, ENTRY(task.range_lower), .count = 6, ANY, .none = -INFINITY,
     .uses = FRAMES},
    {"range_upper", cli_read_values, ENTRY(task.range_upper), .count = 6, ANY, .none = INFINITY,
     .uses = FRAMES},
    {"range_lower", cli_read_number, ENTRY(task.range_lower), ANY, .none = -INFINITY,
     .uses = BIT(PLANE) | BIT(DISTANCE)},
    {"range_upper", cli_read_number, ENTRY(task.range_upper), ANY, .none = INFINITY,
     .uses = BIT(PLANE) | BIT(DISTANCE)},
    {"level", cli_read_integer, ENTRY(task.level), RANGE(0, CLI_MOST_LEVEL)},
    {"required", read_required, ENTRY(task.required)},
    {"influence", cli_read_number, ENTRY(task.influence), RANGE(0, 1)},
    {"gain", cli_read_number, ENTRY(task.gain), RANGE(DBL_MIN, 1)},
    {"contacts", read_contacts, ENTRY(support), .count = 3, ANY, .uses = POLYGON, .needed = true},
    {"up", cli_read_nonzero, ENTRY(support.up), .count = 3, ANY, .uses = POLYGON},
    {"margin", cli_read_number, ENTRY(support.margin), RANGE(0, LARGEST), .uses = POLYGON},
    {"target", read_target, .uses = LINKS},
};
static const cli_field_table task_table = TABLE(task_rows);

static const char *where(const cli_field_reader *reader) {
  return cli_task_list_text(reader->list, "%s:%d: %s", reader->place.path,
                            cli_json_place_line(&reader->place), reader->place.name);
}

// Of the object at which the reader stands, with the line of each of its fields.
static cli_entry entry_of(const cli_field_reader *reader, const json_t *object) {
  const cli_json_place *place = &reader->place;
  const size_t count = json_object_size(object);
  cli_entry_field *fields = cli_task_list_allocate(reader->list, count + 1, sizeof *fields);
  int *lines = cli_allocate(count, sizeof *lines), i = 0;
  const int line = cli_json_place_member_lines(place, lines);
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)object, key, value) {
    fields[i].name = cli_task_list_text(reader->list, "%s", key);
    fields[i].where =
        cli_task_list_text(reader->list, "%s:%d: %s.%s", place->path, lines[i], place->name, key);
    ++i;
  }
  free(lines);
  return (cli_entry){
      .where = cli_task_list_text(reader->list, "%s:%d: %s", place->path, line, place->name),
      .fields = fields};
}

static int add_polygon(cli_field_reader *reader, const json_t *element, task_entry *entry) {
  const size_t count = (size_t)entry->support.count;
  sinew_task *tasks = cli_task_list_allocate(reader->list, count, sizeof *tasks);
  sinew_target *targets = cli_task_list_allocate(reader->list, count, sizeof *targets);
  sinew_error error = {0};
  int edges = 0;
  entry->support.task = entry->task;
  if (sinew_support_polygon(&entry->support, tasks, targets, &edges, &error) != SINEW_OK)
    return cli_json_place_refuse_name(&reader->place, element, error.name, error.message);
  for (int i = 0; i < edges; ++i)
    cli_task_list_add_task(reader->list, &tasks[i], &targets[i]);
  return CLI_EXIT_DONE;
}

static int read_task(cli_field_reader *reader, const json_t *element) {
  task_entry entry = {.task = sinew_default_task(),
                      .target = sinew_default_target(),
                      .support = sinew_default_support_def()};
  char what[64];
  entry.task.link = -1;
  // Which fields there are depends on the kind, and on whose point it is.
  if (cli_fields_read_one(reader, &task_rows[0], element, &entry) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  const bool polygon = entry.kind == polygon_kind();
  reader->uses = polygon ? POLYGON : 1u << entry.kind;
  if ((reader->uses & POINTS) != 0 &&
      cli_fields_read_one(reader, &task_rows[1], element, &entry) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  entry.task.kind = reader->kind = polygon ? SINEW_TASK_PLANE : (sinew_task_kind)entry.kind;
  snprintf(what, sizeof what, "the kind %s%s", kind_at(NULL, entry.kind),
           entry.task.center_of_mass ? " of the centre of mass" : "");
  reader->what = what;
  if (entry.task.center_of_mass)
    reader->uses <<= MASS;
  if (cli_fields_read(reader, &task_table, element, &entry) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;

  const bool linked = !polygon && !entry.task.center_of_mass;
  if (linked && entry.task.link < 0)
    return cli_json_place_refuse(&reader->place, "'link' is missing");
  if (!linked)
    entry.task.link = sinew_model_root(reader->figure->model);
  if (!entry.name)
    entry.name = linked    ? sinew_model_link_name(reader->figure->model, entry.task.link)
                 : polygon ? kind_at(NULL, entry.kind)
                           : "center_of_mass";
  cli_entry made = entry_of(reader, element);
  made.name = entry.name;
  made.moving = !polygon && !entry.has_target;
  made.fixed = polygon;
  made.has_level =
      json_object_get(element, "level") != NULL || json_object_get(element, "required") != NULL;
  cli_task_list_add_entry(reader->list, made);
  if (polygon)
    return add_polygon(reader, element, &entry);
  cli_task_list_add_task(reader->list, &entry.task, &entry.target);
  return CLI_EXIT_DONE;
}

static int read_tasks(cli_field_reader *reader, const cli_field *field, const json_t *value,
                      void *out) {
  (void)field, (void)out;
  return cli_read_each(reader, value, read_task);
}

// ---- Objectives ----

typedef struct objective_entry {
  int kind;
  sinew_objective objective;
  double *weights, *posture, *coefficients;
  sinew_task task;
  bool from_start;
} objective_entry;

// A callback is of a program, not of a file.
static sinew_objective_kind objective_kind(int index) {
  return (sinew_objective_kind)(index < SINEW_OBJECTIVE_CALLBACK ? index : index + 1);
}

static const char *objective_at(const void *names, int index) {
  (void)names;
  return sinew_objective_kind_name(objective_kind(index));
}

// A limb's root, middle and end.
static int read_links(cli_field_reader *reader, const cli_field *field, const json_t *value,
                      void *out) {
  int *links = out, exit_code = CLI_EXIT_DONE;
  if (!json_is_array(value) || json_array_size(value) != 3)
    return cli_json_place_refuse(&reader->place,
                                 "it takes an array of three links: of a limb's root, middle and "
                                 "end");
  for (int i = 0; i < 3 && exit_code == CLI_EXIT_DONE; ++i) {
    cli_json_place_enter_element(&reader->place, i);
    exit_code = cli_read_link(reader, field, json_array_get(value, (size_t)i), &links[i]);
    cli_json_place_leave(&reader->place);
  }
  return exit_code;
}

static const char *moved_kind_at(const void *names, int index) {
  (void)names;
  return index <= SINEW_TASK_POSE ? sinew_task_kind_name((sinew_task_kind)index) : NULL;
}

// The point whose manipulability it is.
static const cli_field moved_rows[] = {
    {"kind", cli_read_choice, .offset = offsetof(sinew_task, kind), .names = moved_kind_at,
     .needed = true},
    {"link", cli_read_link, .offset = offsetof(sinew_task, link), .needed = true},
    {"point_l", cli_read_values, .offset = offsetof(sinew_task, point_l), .count = 3, ANY},
};
static const cli_field_table moved_table = TABLE(moved_rows);

static int read_moved(cli_field_reader *reader, const cli_field *field, const json_t *value,
                      void *out) {
  (void)field;
  reader->what = "the task of a manipulability";
  return cli_fields_read(reader, &moved_table, value, out);
}

// A coupled joint follows another, and a posture has no value of its own for it: one that stands
// there, as in the output of 'sinew solve --json', must be the one that follows.
static int check_coupled(cli_field_reader *reader, const json_t *object, const double *posture) {
  const sinew_model *model = reader->figure->model;
  const char *key;
  json_t *each;
  int number = 0;
  json_object_foreach((json_t *)object, key, each) {
    sinew_joint joint, driver;
    sinew_expect_ok(sinew_model_joint(model, sinew_model_find_joint(model, key), &joint));
    cli_json_place_enter_member(&reader->place, number++, key);
    if (joint.driver >= 0) {
      sinew_expect_ok(sinew_model_joint(model, joint.driver, &driver));
      const double follows = joint.ratio * posture[driver.q_index] + joint.offset;
      const double value = json_number_value(each);
      if (!(fabs(value - follows) <= COUPLED_ROUNDING * (1.0 + fabs(follows))))
        return cli_json_place_refuse(&reader->place,
                                     "it is coupled to %s, at whose value %g it is at %g, not %g",
                                     driver.name, posture[driver.q_index], follows, value);
    }
    cli_json_place_leave(&reader->place);
  }
  return CLI_EXIT_DONE;
}

// A joint's values as they stand in q and in the output of 'sinew solve --json'.
static int read_posture_of(cli_field_reader *reader, const cli_field *field, const char *name,
                           const json_t *value, double *posture) {
  const int index = cli_read_joint_name(reader, name);
  sinew_joint joint;
  if (index < 0 || sinew_model_joint(reader->figure->model, index, &joint) != SINEW_OK)
    return CLI_EXIT_REFUSED;
  if (joint.driver >= 0 && json_is_number(value))
    return CLI_EXIT_DONE;
  if (joint.nq == 0)
    return cli_json_place_refuse(&reader->place, "it has no value of its own");
  if (joint.nq == 1)
    return cli_read_value(reader, field, value, posture + joint.q_index);
  const cli_field values = {.count = joint.nq, ANY};
  return cli_read_values(reader, &values, value, posture + joint.q_index);
}

static int read_posture(cli_field_reader *reader, const cli_field *field, const json_t *value,
                        void *out) {
  objective_entry *entry = out;
  const sinew_model *model = reader->figure->model;
  const char *key, *text = json_is_string(value) ? json_string_value(value) : "";
  json_t *each;
  int number = 0, exit_code = CLI_EXIT_DONE;
  entry->from_start = strcmp(text, "start") == 0;
  if (entry->from_start || strcmp(text, "zero") == 0)
    return CLI_EXIT_DONE;
  entry->posture =
      cli_task_list_allocate(reader->list, (size_t)sinew_model_nq(model), sizeof(double));
  if (strcmp(text, "middle") == 0) {
    sinew_configuration_middle(model, entry->posture);
    return CLI_EXIT_DONE;
  }
  if (!json_is_object(value))
    return cli_json_place_refuse(
        &reader->place,
        "it takes 'zero', 'middle', 'start', or an object from joints to their values");
  sinew_configuration_start(model, entry->posture);
  json_object_foreach((json_t *)value, key, each) {
    cli_json_place_enter_member(&reader->place, number++, key);
    exit_code = read_posture_of(reader, field, key, each, entry->posture);
    cli_json_place_leave(&reader->place);
    if (exit_code != CLI_EXIT_DONE)
      return exit_code;
  }
  if (check_coupled(reader, value, entry->posture) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  char mistake[512];
  cli_mistakes mistakes = cli_mistakes_begin(reader->figure);
  while (cli_mistakes_in_values(&mistakes, entry->posture, true, mistake, sizeof mistake))
    cli_warn("%s: %s", where(reader), mistake);
  cli_mistakes_end(&mistakes);
  sinew_configuration_normalize(model, entry->posture);
  return CLI_EXIT_DONE;
}

#define OBJECTIVE(member) .offset = offsetof(objective_entry, member)
#define OF(kind) (1u << SINEW_OBJECTIVE_##kind)

static const cli_field objective_rows[] = {
    {"kind", cli_read_choice, OBJECTIVE(kind), .names = objective_at, .hint = hint_of_objective,
     .needed = true},
    {"level", cli_read_integer, OBJECTIVE(objective.level), RANGE(1, CLI_MOST_LEVEL)},
    {"weight", cli_read_number, OBJECTIVE(objective.weight), RANGE(0, MOST_WEIGHT)},
    {"weights", cli_read_joints, OBJECTIVE(weights), RANGE(0, MOST_WEIGHT),
     .uses = OF(POSTURE) | OF(DAMPING) | OF(LOW_CHANGE) | OF(LIMITS)},
    {"gain", cli_read_number, OBJECTIVE(objective.gain), RANGE(DBL_MIN, 1),
     .uses = ~(OF(DAMPING) | OF(LOW_CHANGE))},
    {"posture", read_posture, ANY, .uses = OF(POSTURE) | OF(POLE)},
    {"coefficients", cli_read_joints, OBJECTIVE(coefficients), ANY, .uses = OF(COUPLING),
     .needed = true},
    {"value", cli_read_number, OBJECTIVE(objective.value), ANY, .uses = OF(COUPLING)},
    {"task", read_moved, OBJECTIVE(task), .uses = OF(MANIPULABILITY), .needed = true},
    {"links", read_links, OBJECTIVE(objective.links), .uses = OF(POLE), .needed = true},
    {"pole", cli_read_values, OBJECTIVE(objective.pole), .count = 3, ANY, .uses = OF(POLE)},
    {"pole_is_direction", cli_read_flag, OBJECTIVE(objective.pole_is_direction), .uses = OF(POLE)},
};
static const cli_field_table objective_table = TABLE(objective_rows);

static int read_objective(cli_field_reader *reader, const json_t *element) {
  objective_entry entry = {.objective = sinew_default_objective(), .task = sinew_default_task()};
  char what[64];
  if (cli_fields_read_one(reader, &objective_rows[0], element, &entry) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  entry.objective.kind = objective_kind(entry.kind);
  snprintf(what, sizeof what, "the kind %s", objective_at(NULL, entry.kind));
  reader->what = what;
  reader->uses = 1u << entry.objective.kind;
  if (cli_fields_read(reader, &objective_table, element, &entry) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  cli_settle_joints(reader, entry.weights, NULL, 1);
  cli_settle_joints(reader, entry.coefficients, NULL, 0);
  if (entry.objective.kind == SINEW_OBJECTIVE_MANIPULABILITY) {
    sinew_task *task = cli_task_list_allocate(reader->list, 1, sizeof *task);
    *task = entry.task;
    entry.objective.task = task;
  }
  entry.objective.weights = entry.weights;
  entry.objective.coefficients = entry.coefficients;
  entry.objective.posture = entry.posture;
  cli_task_list_add_objective(reader->list, &entry.objective, entry_of(reader, element),
                              entry.from_start);
  return CLI_EXIT_DONE;
}

static int read_objectives(cli_field_reader *reader, const cli_field *field, const json_t *value,
                           void *out) {
  (void)field, (void)out;
  return cli_read_each(reader, value, read_objective);
}

// ---- Joints ----

static int freeze(cli_field_reader *reader, const json_t *element) {
  if (!json_is_string(element))
    return cli_json_place_refuse(&reader->place, "it takes the name of a joint");
  const int joint = cli_read_joint_name(reader, json_string_value(element));
  if (joint < 0)
    return CLI_EXIT_REFUSED;
  const char *fault = cli_task_list_freeze(reader->list, reader->figure, joint);
  return fault ? cli_json_place_refuse(&reader->place, "%s", fault) : CLI_EXIT_DONE;
}

static int read_frozen(cli_field_reader *reader, const cli_field *field, const json_t *value,
                       void *out) {
  (void)field, (void)out;
  return cli_read_each(reader, value, freeze);
}

// ---- The file ----

static int read_ignored(cli_field_reader *reader, const cli_field *field, const json_t *value,
                        void *out) {
  (void)out;
  const char *text;
  return cli_read_text(reader, field, value, &text);
}

static int read_gains(cli_field_reader *reader, const cli_field *field, const json_t *value,
                      void *out) {
  const int exit_code = cli_read_joints(reader, field, value, out);
  cli_settle_joints(reader, *(double **)out, NULL, 1);
  return exit_code;
}

#define LIST(member) .offset = offsetof(cli_task_list, member)

static const cli_field file_rows[] = {
    {"$schema", read_ignored, .offset = 0},
    {"description", read_ignored, .offset = 0},
    {"limits", cli_task_limits_read, LIST(limits)}, // first: they may replace the model
    {"tasks", read_tasks, .offset = 0},
    {"objectives", read_objectives, .offset = 0},
    {"frozen", read_frozen, .offset = 0},
    {"gains", read_gains, LIST(limits.gains), RANGE(0, MOST_WEIGHT)},
};
static const cli_field_table file_table = TABLE(file_rows);

const cli_task_file_object *cli_task_file_object_at(int index) {
  static const cli_task_file_object objects[] = {{"", &file_table},
                                                 {"task", &task_table},
                                                 {"target", &target_table},
                                                 {"objective", &objective_table},
                                                 {"moved", &moved_table},
                                                 {"limits", &cli_task_limits_table},
                                                 {"swing_twist", &cli_swing_twist_table}};
  return index >= 0 && index < (int)(sizeof objects / sizeof objects[0]) ? &objects[index] : NULL;
}

int cli_task_file_read(const char *path, cli_figure *figure, cli_task_list *list) {
  cli_field_reader reader = {.figure = figure, .list = list, .what = "a tasks file"};
  int exit_code = cli_json_place_open(path, &reader.place);
  if (exit_code == CLI_EXIT_DONE)
    exit_code = cli_fields_read(&reader, &file_table, reader.place.root, list);
  cli_json_place_close(&reader.place);
  return exit_code;
}
