// The fields of targets that a task reads: their numbers in a row, their column names, and whether
// their values can be used. Which fields each kind reads is in task.c.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "math/within.h"
#include "task/task.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

// A target's cookie includes its size, so that one comparison checks both.
void sinew_target_init(sinew_target *target, size_t size) {
  static const sinew_target defaults = {.cookie = SINEW_TARGET_COOKIE,
                                        .rotation = {1.0, 0.0, 0.0, 0.0},
                                        .direction = {0.0, 0.0, 1.0}};
  if (size == sizeof defaults) {
    *target = defaults;
    return;
  }
  memset(target, 0, size);
  if (size >= sizeof defaults.cookie) {
    target->cookie = SINEW_TARGET_COOKIE - sizeof defaults + size;
  }
}

// In the order of their values in a row.
typedef struct field {
  unsigned bit;
  size_t offset; // in sinew_target, in doubles
  int count;
  bool nonzero; // only its direction is used: length 0 is refused
  const char *columns[4];
  const char *name;
} field;

#define FIELD(name) offsetof(sinew_target, name) / sizeof(double)

static const field fields[] = {
    {SINEW_TARGET_POSITION, FIELD(position), 3, false, {"x", "y", "z"}, "position"},
    {SINEW_TARGET_ROTATION, FIELD(rotation), 4, true, {"qw", "qx", "qy", "qz"}, "rotation"},
    {SINEW_TARGET_DIRECTION, FIELD(direction), 3, true, {"dx", "dy", "dz"}, "direction"},
    {SINEW_TARGET_DISTANCE, FIELD(distance), 1, false, {"distance"}, "distance"},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

static const double *values_of(const sinew_target *target, const field *f) {
  return (const double *)(const void *)target + f->offset;
}

static bool all_zero(const double *values, int count) {
  bool zero = true;
  for (int i = 0; i < count; ++i) {
    zero &= values[i] == 0.0;
  }
  return zero;
}

// ---------------------------------------------------------------------- rows

int sinew_task_target_size(const sinew_task *task) {
  return sinew_target_fields_size(sinew_task_target_fields(task));
}

const char *sinew_task_target_column(const sinew_task *task, int i) {
  const unsigned read = sinew_task_target_fields(task);
  for (int f = 0; f < FIELDS && i >= 0; ++f) {
    if ((read & fields[f].bit) != 0) {
      if (i < fields[f].count) {
        return fields[f].columns[i];
      }
      i -= fields[f].count;
    }
  }
  return NULL;
}

void sinew_target_unpack(const sinew_task *task, const double *values, sinew_target *target) {
  const unsigned read = sinew_task_target_fields(task);
  for (int f = 0; f < FIELDS; ++f) {
    if ((read & fields[f].bit) != 0) {
      double *to = (double *)(void *)target + fields[f].offset;
      memcpy(to, values, (size_t)fields[f].count * sizeof(double));
      values += fields[f].count;
    }
  }
}

void sinew_target_pack(const sinew_task *task, const sinew_target *target, double *values) {
  const unsigned read = sinew_task_target_fields(task);
  for (int f = 0; f < FIELDS; ++f) {
    if ((read & fields[f].bit) != 0) {
      memcpy(values, values_of(target, &fields[f]), (size_t)fields[f].count * sizeof(double));
      values += fields[f].count;
    }
  }
}

bool sinew_target_row_has_zero(const sinew_task *task, const double *values) {
  const unsigned read = sinew_task_target_fields(task);
  bool zero = false;
  for (int f = 0; f < FIELDS; ++f) {
    if ((read & fields[f].bit) != 0) {
      zero |= fields[f].nonzero && all_zero(values, fields[f].count);
      values += fields[f].count;
    }
  }
  return zero;
}

// ------------------------------------------------------------------- targets

bool sinew_target_is_finite(const sinew_target *target, unsigned read) {
  bool finite = sinew_all_within(6, target->twist, DBL_MAX);
  for (int f = 0; f < FIELDS; ++f) {
    finite &= (read & fields[f].bit) == 0 ||
              sinew_all_within(fields[f].count, values_of(target, &fields[f]), DBL_MAX);
  }
  return finite;
}

// These run in each update. For speed they name each field, without the table.

void sinew_target_record(const sinew_target *target, unsigned read, sinew_target *recorded) {
  recorded->cookie = target->cookie;
  read |= sinew_target_goal_fields(target);
  if ((read & SINEW_TARGET_POSITION) != 0) {
    memcpy(recorded->position, target->position, sizeof target->position);
  }
  if ((read & SINEW_TARGET_ROTATION) != 0) {
    memcpy(recorded->rotation, target->rotation, sizeof target->rotation);
  }
  if ((read & SINEW_TARGET_DIRECTION) != 0) {
    memcpy(recorded->direction, target->direction, sizeof target->direction);
  }
  if ((read & SINEW_TARGET_DISTANCE) != 0) {
    recorded->distance = target->distance;
  }
}

static bool are_same(int count, const double *a, const double *b) {
  bool same = true;
  for (int i = 0; i < count; ++i) {
    same &= a[i] == b[i];
  }
  return same;
}

bool sinew_target_is_recorded(const sinew_target *target, unsigned read,
                              const sinew_target *recorded) {
  read |= sinew_target_goal_fields(target);
  return target->cookie == recorded->cookie &&
         ((read & SINEW_TARGET_POSITION) == 0 ||
          are_same(3, target->position, recorded->position)) &&
         ((read & SINEW_TARGET_ROTATION) == 0 ||
          are_same(4, target->rotation, recorded->rotation)) &&
         ((read & SINEW_TARGET_DIRECTION) == 0 ||
          are_same(3, target->direction, recorded->direction)) &&
         ((read & SINEW_TARGET_DISTANCE) == 0 || target->distance == recorded->distance);
}

// ------------------------------------------------------------------- refusals

static sinew_result explain_values(const double *values, int count, bool nonzero, const char *name,
                                   int index, sinew_error *error) {
  for (int i = 0; i < count; ++i) {
    if (!(fabs(values[i]) <= DBL_MAX)) {
      return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL, "target %d: %s[%d] is %g", index,
                             name, i, values[i]);
    }
  }
  return nonzero && all_zero(values, count) ? sinew_error_set(error, SINEW_ERROR_NOT_FINITE, NULL,
                                                              "target %d: %s is zero", index, name)
                                            : SINEW_OK;
}

bool sinew_target_row_is_resolved(unsigned read, double resolved, const double *values) {
  return (read & SINEW_TARGET_POSITION) == 0 || sinew_all_within(3, values, resolved);
}

sinew_result sinew_target_explain_distance(const double position[3], double resolved, int index,
                                           sinew_error *error) {
  for (int i = 0; i < 3; ++i) {
    if (!(fabs(position[i]) <= resolved)) {
      return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                             "target %d: position[%d] is %g, beyond %g: doubles are too far apart "
                             "there for the tolerance or the figure",
                             index, i, position[i], resolved);
    }
  }
  return SINEW_OK;
}

sinew_result sinew_target_explain(const sinew_target *target, unsigned read, int index,
                                  sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_TARGET, sizeof *target, "sinew_target",
                                              "sinew_default_target()", "target"};
  const sinew_definition_head head = {(uint32_t)(target->cookie >> 32), (uint32_t)target->cookie};
  sinew_result result = sinew_definition_check(&head, &definition, index, error);
  for (int f = 0; f < FIELDS && result == SINEW_OK; ++f) {
    if ((read & fields[f].bit) != 0) {
      result = explain_values(values_of(target, &fields[f]), fields[f].count, fields[f].nonzero,
                              fields[f].name, index, error);
    }
  }
  return result == SINEW_OK ? explain_values(target->twist, 6, false, "twist", index, error)
                            : result;
}
