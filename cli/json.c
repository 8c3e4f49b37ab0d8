// JSON as the commands print it, by jansson.
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "command.h"
#include "message.h"
#include "scenes/expect.h"

static const char replacement[] = "\xEF\xBF\xBD";

static json_t *made(json_t *value) {
  if (!value)
    exit(cli_refuse("out of memory"));
  return value;
}

// A copy in which each byte that is part of no UTF-8 letter is replaced.
static char *valid_utf8(const char *text) {
  size_t length = strlen(text), used = 0;
  char *out = cli_allocate(length * (sizeof replacement - 1) + 1, 1);
  for (size_t i = 0; i < length;) {
    size_t take = 0;
    for (size_t size = 1; size <= 4 && i + size <= length && take == 0; ++size) {
      json_t *letter = json_stringn(text + i, size);
      take = letter ? size : 0;
      json_decref(letter);
    }
    const char *from = take > 0 ? text + i : replacement;
    size_t size = take > 0 ? take : sizeof replacement - 1;
    memcpy(out + used, from, size);
    used += size;
    i += take > 0 ? take : 1;
  }
  return out;
}

json_t *cli_json_text(const char *text) {
  json_t *value = json_string(text);
  if (value)
    return value;
  char *valid = valid_utf8(text);
  value = made(json_string(valid));
  free(valid);
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

void cli_json_print(json_t *value) {
  json_dumpf(value, stdout, 0);
  putchar('\n');
  json_decref(value);
}
