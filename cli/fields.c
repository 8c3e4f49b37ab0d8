// Reading the members of a JSON object into a struct, by a table with a row for each field.
#include "fields.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "number.h"
#include "scenes/expect.h"

// ---- Objects ----

static const char *type_of(const json_t *value) {
  static const char *const names[] = {
      [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a text",
      [JSON_INTEGER] = "a number", [JSON_REAL] = "a number",  [JSON_TRUE] = "true",
      [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
  return names[json_typeof(value)];
}

static int refuse_type(const cli_field_reader *reader, const char *wanted, const json_t *value) {
  return cli_json_place_refuse(&reader->place, "it takes %s, not %s", wanted, type_of(value));
}

static bool is_used(const cli_field_reader *reader, const cli_field *field) {
  return (field->uses == 0 || (field->uses & reader->uses) != 0) &&
         (!field->by_kind || sinew_task_kind_reads(reader->kind, field->name));
}

// The names of the fields that an object has.
typedef struct name_list {
  const char *names[64];
  int count;
} name_list;

static const char *field_name_at(const void *names, int index) {
  return ((const name_list *)names)->names[index];
}

static bool is_field(const name_list *list, const char *name) {
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->names[i], name) == 0)
      return true;
  return false;
}

// Names whose last words are those of a key: position_weight of weight.
static bool suggest_longer(const name_list *list, const char *key, char *text, size_t size) {
  size_t length = 0;
  const size_t key_length = strlen(key);
  for (int i = 0; i < list->count && length < size; ++i) {
    const char *name = list->names[i];
    const size_t name_length = strlen(name);
    if (name_length > key_length && name[name_length - key_length - 1] == '_' &&
        strcmp(name + name_length - key_length, key) == 0)
      length += (size_t)snprintf(text + length, size - length, "%s'%s'",
                                 length > 0 ? " or " : "; did you mean ", name);
  }
  if (length > 0 && length < size)
    snprintf(text + length, size - length, "?");
  return length > 0;
}

// What stands for a word of the options, of other programs, or of another object. The hint is for
// objects with the field.
static const char *hint_of(const name_list *list, const char *key) {
  static const char rotation[] = "'rotation' takes a quaternion w, x, y, z",
                    target[] = "it is a field of 'target'",
                    objective[] = "it is a kind of 'objectives'",
                    limits[] = "it is a field of 'limits'";
  static const struct {
    const char *key, *field, *hint;
  } hints[] = {{"rpy", "rotation", rotation},
               {"orientation", "rotation", rotation},
               {"quaternion", "rotation", rotation},
               {"position", "target", target},
               {"rotation", "target", target},
               {"orientation", "target", target},
               {"direction", "target", target},
               {"distance", "target", target},
               {"tool", "point_l", "'point_l' and 'rotation_l' are the tool in the link"},
               {"priority", "level", "'level' is the priority, 0 first"},
               {"freeze", "frozen", "'frozen' takes the joints that keep their values"},
               {"posture", "objectives", objective},
               {"damping", "objectives", objective},
               {"margin", "limits", limits},
               {"swing_twist", "limits", limits},
               {"velocity", "speeds", "'speeds' are the limits of speed"},
               {"acceleration", "accelerations", "'accelerations' are from joint to value"}};
  for (size_t i = 0; i < sizeof hints / sizeof hints[0]; ++i)
    if (strcmp(hints[i].key, key) == 0 && is_field(list, hints[i].field))
      return hints[i].hint;
  return NULL;
}

// All names; for objects without one that is similar.
static void list_names(const name_list *list, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "; there are ");
  for (int i = 0; i < list->count && length < size; ++i)
    if (i == 0 || strcmp(list->names[i], list->names[i - 1]) != 0)
      length +=
          (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", list->names[i]);
}

static int refuse_unknown(const cli_field_reader *reader, const cli_field_table *table,
                          const char *key) {
  char near[512];
  name_list list = {.count = 0};
  for (int i = 0; i < table->count; ++i) {
    if (strcmp(table->fields[i].name, key) == 0)
      return cli_json_place_refuse(&reader->place, "%s has no such field", reader->what);
    if (is_used(reader, &table->fields[i]) && list.count < 64)
      list.names[list.count++] = table->fields[i].name;
  }
  const char *hint = hint_of(&list, key);
  if (hint)
    snprintf(near, sizeof near, "; %s", hint);
  else if (!suggest_longer(&list, key, near, sizeof near))
    cli_names_suggest(key, field_name_at, &list, list.count, near, sizeof near);
  if (near[0] == '\0')
    list_names(&list, near, sizeof near);
  return cli_json_place_refuse(&reader->place, "there is no such field%s", near);
}

static int check_names(cli_field_reader *reader, const cli_field_table *table,
                       const json_t *object) {
  const char *key;
  json_t *value;
  int number = 0, exit_code = CLI_EXIT_DONE;
  json_object_foreach((json_t *)object, key, value) {
    bool known = false;
    for (int i = 0; i < table->count; ++i)
      known =
          known || (strcmp(table->fields[i].name, key) == 0 && is_used(reader, &table->fields[i]));
    cli_json_place_enter_member(&reader->place, number++, key);
    if (!known)
      exit_code = refuse_unknown(reader, table, key);
    cli_json_place_leave(&reader->place);
    if (exit_code != CLI_EXIT_DONE)
      break;
  }
  return exit_code;
}

int cli_fields_read_one(cli_field_reader *reader, const cli_field *field, const json_t *object,
                        void *out) {
  const char *key;
  json_t *value;
  int number = 0;
  if (!json_is_object(object))
    return refuse_type(reader, "an object", object);
  json_object_foreach((json_t *)object, key, value) {
    if (strcmp(key, field->name) == 0) {
      cli_json_place_enter_member(&reader->place, number, key);
      const int exit_code = field->read(reader, field, value, (char *)out + field->offset);
      cli_json_place_leave(&reader->place);
      return exit_code;
    }
    ++number;
  }
  return field->needed ? cli_json_place_refuse(&reader->place, "'%s' is missing", field->name)
                       : CLI_EXIT_DONE;
}

int cli_fields_read(cli_field_reader *reader, const cli_field_table *table, const json_t *object,
                    void *out) {
  if (!json_is_object(object))
    return refuse_type(reader, "an object", object);
  int exit_code = check_names(reader, table, object);
  for (int i = 0; i < table->count && exit_code == CLI_EXIT_DONE; ++i)
    if (is_used(reader, &table->fields[i]))
      exit_code = cli_fields_read_one(reader, &table->fields[i], object, out);
  return exit_code;
}

int cli_read_each(cli_field_reader *reader, const json_t *array,
                  int (*each)(cli_field_reader *reader, const json_t *element)) {
  int exit_code = CLI_EXIT_DONE;
  if (!json_is_array(array))
    return refuse_type(reader, "an array", array);
  for (size_t i = 0; i < json_array_size(array) && exit_code == CLI_EXIT_DONE; ++i) {
    cli_json_place_enter_element(&reader->place, (int)i);
    exit_code = each(reader, json_array_get(array, i));
    cli_json_place_leave(&reader->place);
  }
  return exit_code;
}

// ---- Numbers ----

int cli_read_value(cli_field_reader *reader, const cli_field *field, const json_t *value,
                   double *out) {
  char range[64], wanted[96];
  const double number = json_is_number(value)                       ? json_number_value(value)
                        : json_is_null(value) && field->none != 0.0 ? field->none
                                                                    : NAN;
  cli_number_range("a number", field->least, field->most, 1e100, range, sizeof range);
  if (isnan(number)) {
    snprintf(wanted, sizeof wanted, "%s%s", range, field->none != 0.0 ? ", or null" : "");
    return refuse_type(reader, wanted, value);
  }
  if (isfinite(number) && (number < field->least || number > field->most))
    return cli_json_place_refuse(&reader->place, "it takes %s, not %g", range, number);
  *out = number;
  return CLI_EXIT_DONE;
}

int cli_read_number(cli_field_reader *reader, const cli_field *field, const json_t *value,
                    void *out) {
  return cli_read_value(reader, field, value, out);
}

int cli_read_integer(cli_field_reader *reader, const cli_field *field, const json_t *value,
                     void *out) {
  double number = 0;
  if (cli_read_value(reader, field, value, &number) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  if (number != floor(number))
    return cli_json_place_refuse(&reader->place, "it takes a whole number, not %g", number);
  *(int *)out = (int)number;
  return CLI_EXIT_DONE;
}

// An array of count numbers, entered one by one.
static int read_array(cli_field_reader *reader, const cli_field *field, const json_t *array,
                      int count, double *out) {
  int exit_code = CLI_EXIT_DONE;
  if (!json_is_array(array) || json_array_size(array) != (size_t)count) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "an array of %d numbers", count);
    return json_is_array(array) ? cli_json_place_refuse(&reader->place, "it takes %s, not of %zu",
                                                        wanted, json_array_size(array))
                                : refuse_type(reader, wanted, array);
  }
  for (int i = 0; i < count && exit_code == CLI_EXIT_DONE; ++i) {
    cli_json_place_enter_element(&reader->place, i);
    exit_code = cli_read_value(reader, field, json_array_get(array, (size_t)i), &out[i]);
    cli_json_place_leave(&reader->place);
  }
  return exit_code;
}

int cli_read_values(cli_field_reader *reader, const cli_field *field, const json_t *value,
                    void *out) {
  return read_array(reader, field, value, field->count, out);
}

int cli_read_nonzero(cli_field_reader *reader, const cli_field *field, const json_t *value,
                     void *out) {
  const double *values = out;
  if (read_array(reader, field, value, field->count, out) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  for (int i = 0; i < field->count; ++i)
    if (values[i] != 0)
      return CLI_EXIT_DONE;
  return cli_json_place_refuse(&reader->place, "all its values are 0");
}

// ---- Texts ----

int cli_read_flag(cli_field_reader *reader, const cli_field *field, const json_t *value,
                  void *out) {
  (void)field;
  if (!json_is_boolean(value))
    return refuse_type(reader, "true or false", value);
  *(bool *)out = json_is_true(value);
  return CLI_EXIT_DONE;
}

int cli_read_text(cli_field_reader *reader, const cli_field *field, const json_t *value,
                  void *out) {
  (void)field;
  if (!json_is_string(value) || json_string_length(value) == 0)
    return json_is_string(value) ? cli_json_place_refuse(&reader->place, "the text is empty")
                                 : refuse_type(reader, "a text", value);
  *(const char **)out = cli_task_list_text(reader->list, "%s", json_string_value(value));
  return CLI_EXIT_DONE;
}

int cli_read_link(cli_field_reader *reader, const cli_field *field, const json_t *value,
                  void *out) {
  (void)field;
  if (!json_is_string(value))
    return refuse_type(reader, "the name of a link", value);
  const char *name = json_string_value(value);
  const int link = sinew_model_find_link(reader->figure->model, name);
  if (link < 0) {
    char near[1024];
    cli_figure_suggest_link(reader->figure, name, near, sizeof near);
    return cli_json_place_refuse(&reader->place, "there is no link '%s'%s", name, near);
  }
  *(int *)out = link;
  return CLI_EXIT_DONE;
}

// The number of a name; -1 after a message.
static int find_name(const cli_field_reader *reader, const cli_field *field, const json_t *value) {
  char near[256], all[512] = "";
  const char *text = json_is_string(value) ? json_string_value(value) : NULL, *name;
  int count = 0;
  size_t length = 0;
  for (; (name = field->names(NULL, count)) != NULL; ++count) {
    if (text && strcmp(name, text) == 0)
      return count;
    if (length < sizeof all)
      length +=
          (size_t)snprintf(all + length, sizeof all - length, "%s%s", count > 0 ? ", " : "", name);
  }
  if (!text)
    return refuse_type(reader, all, value), -1;
  const char *hint = field->hint ? field->hint(text) : NULL;
  if (hint)
    snprintf(near, sizeof near, "; %s", hint);
  else
    cli_names_suggest(text, field->names, NULL, count, near, sizeof near);
  cli_json_place_refuse(&reader->place, "it takes one of %s, not '%s'%s", all, text, near);
  return -1;
}

int cli_read_choice(cli_field_reader *reader, const cli_field *field, const json_t *value,
                    void *out) {
  const int number = find_name(reader, field, value);
  if (number < 0)
    return CLI_EXIT_REFUSED;
  *(int *)out = number;
  return CLI_EXIT_DONE;
}

int cli_read_set(cli_field_reader *reader, const cli_field *field, const json_t *value, void *out) {
  unsigned bits = 0;
  int number = 0;
  if (!json_is_array(value))
    return refuse_type(reader, "an array of names", value);
  for (size_t i = 0; i < json_array_size(value) && number >= 0; ++i) {
    cli_json_place_enter_element(&reader->place, (int)i);
    number = find_name(reader, field, json_array_get(value, i));
    cli_json_place_leave(&reader->place);
    bits |= number >= 0 ? 1u << number : 0;
  }
  *(unsigned *)out = bits;
  return number >= 0 ? CLI_EXIT_DONE : CLI_EXIT_REFUSED;
}

// ---- Joints ----

int cli_read_joint_name(cli_field_reader *reader, const char *name) {
  const int joint = sinew_model_find_joint(reader->figure->model, name);
  if (joint < 0) {
    char near[1024];
    cli_figure_suggest_joint_name(reader->figure, name, near, sizeof near);
    cli_json_place_refuse(&reader->place, "there is no joint '%s'%s", name, near);
  }
  return joint;
}

// A joint that takes no value: it is coupled to its driver, or fixed.
static int refuse_joint(const cli_field_reader *reader, const sinew_joint *joint) {
  const bool coupled = joint->driver >= 0;
  sinew_joint driver = {.name = ""};
  if (coupled)
    sinew_expect_ok(sinew_model_joint(reader->figure->model, joint->driver, &driver));
  return cli_json_place_refuse(&reader->place, "it has no degree of freedom of its own%s%s",
                               coupled ? ": it is coupled to " : "", driver.name);
}

// A joint's values, one for each of its degrees of freedom.
static int read_joint(cli_field_reader *reader, const cli_field *field, const char *name,
                      const json_t *value, double *values) {
  const int index = cli_read_joint_name(reader, name);
  if (index < 0)
    return CLI_EXIT_REFUSED;
  sinew_joint joint;
  sinew_expect_ok(sinew_model_joint(reader->figure->model, index, &joint));
  if (joint.driver >= 0 || joint.nv == 0)
    return refuse_joint(reader, &joint);
  return joint.nv == 1 ? cli_read_value(reader, field, value, values + joint.v_index)
                       : read_array(reader, field, value, joint.nv, values + joint.v_index);
}

int cli_read_joints(cli_field_reader *reader, const cli_field *field, const json_t *value,
                    void *out) {
  const char *key;
  json_t *each;
  int number = 0, exit_code = CLI_EXIT_DONE;
  const size_t nv = (size_t)sinew_model_nv(reader->figure->model);
  double **values = out, *made = cli_task_list_allocate(reader->list, nv, sizeof(double));
  if (!json_is_object(value))
    return refuse_type(reader, "an object from joints to numbers", value);
  for (size_t v = 0; v < nv; ++v)
    made[v] = NAN;
  *values = made;
  json_object_foreach((json_t *)value, key, each) {
    cli_json_place_enter_member(&reader->place, number++, key);
    exit_code = read_joint(reader, field, key, each, made);
    cli_json_place_leave(&reader->place);
    if (exit_code != CLI_EXIT_DONE)
      break;
  }
  return exit_code;
}

void cli_settle_joints(const cli_field_reader *reader, double *values, const double *defaults,
                       double number) {
  const int nv = sinew_model_nv(reader->figure->model);
  for (int v = 0; values && v < nv; ++v)
    if (isnan(values[v]))
      values[v] = defaults ? defaults[v] : number;
}
