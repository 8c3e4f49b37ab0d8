// JSON as the commands print it, by jansson.
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "columns.h"
#include "command.h"
#include "message.h"
#include "scenes/expect.h"

static json_t *made(json_t *value) {
  if (!value)
    exit(cli_refuse("out of memory"));
  return value;
}

json_t *cli_json_text(const char *text) {
  char *escaped = cli_text_escaped(text, SINEW_TEXT_NAME);
  json_t *value = made(json_string(escaped));
  free(escaped);
  return value;
}

json_t *cli_json_number(double value) {
  return made(isfinite(value) ? json_real(value) : json_null());
}

json_t *cli_json_numbers(const double *values, int count) {
  json_t *array = made(json_array());
  for (int i = 0; i < count; ++i)
    json_array_append_new(array, cli_json_number(values[i]));
  return array;
}

void cli_json_set(json_t *object, const char *name, json_t *value) {
  json_t *key = cli_json_text(name);
  if (json_object_set_new(object, json_string_value(key), value) != 0)
    exit(cli_refuse("out of memory"));
  json_decref(key);
}

json_t *cli_json_configuration(const sinew_model *model, const double *q) {
  int count = sinew_model_joint_values(model, q, NULL);
  double *values = cli_allocate((size_t)count, sizeof(double));
  sinew_model_joint_values(model, q, values);

  json_t *object = made(json_object());
  const double *next = values;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    sinew_expect_ok(sinew_model_joint(model, j, &joint));
    int size = cli_joint_value_count(&joint);
    if (size == 1)
      cli_json_set(object, joint.name, cli_json_number(next[0]));
    else if (size > 1)
      cli_json_set(object, joint.name, cli_json_numbers(next, size));
    next += size;
  }
  free(values);
  return object;
}

char *cli_json_dump(const json_t *value, size_t flags) {
  char *text = json_dumps(value, flags);
  if (!text)
    exit(cli_refuse("out of memory"));
  char *escaped = cli_text_escaped(text, SINEW_TEXT_JSON);
  free(text);
  return escaped;
}

void cli_json_print(json_t *value) {
  char *text = cli_json_dump(value, 0);
  puts(text);
  free(text);
  json_decref(value);
}
