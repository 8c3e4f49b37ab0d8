// The fields of tasks that not all kinds read. Those that a kind does not read are to keep their
// defaults: a limit that is set for a kind without it would be no limit.
#include "task/kinds.h"
#include "task/task.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

// What a kind has, beyond what all have.
enum { AXIS = 1, UP = 2, CONE = 4, AXES = 8, RANGES = 16 };

static unsigned properties_of(sinew_task_kind kind) {
  const sinew_kind_info *info = sinew_task_kind_info(kind);
  const bool up = kind == SINEW_TASK_LOOK_AT || kind == SINEW_TASK_YAW;
  const bool cone = kind == SINEW_TASK_DIRECTION || kind == SINEW_TASK_LOOK_AT;
  const bool ranges = info->axes || kind == SINEW_TASK_PLANE || kind == SINEW_TASK_DISTANCE;
  return (info->axis ? AXIS : 0u) | (up ? UP : 0u) | (cone ? CONE : 0u) | (info->axes ? AXES : 0u) |
         (ranges ? RANGES : 0u);
}

typedef struct task_field {
  const char *name;
  unsigned needs; // a property
  size_t offset;
  int count; // of doubles; 0: an int
} task_field;

#define FIELD(member) #member, .offset = offsetof(sinew_task, member)

static const task_field fields[] = {
    {FIELD(axis_l), .needs = AXIS, .count = 3},
    {FIELD(up_axis), .needs = UP, .count = 3},
    {FIELD(cone_angle), .needs = CONE, .count = 1},
    {FIELD(free_axes), .needs = AXES},
    {FIELD(axis_weights), .needs = AXES, .count = 6},
    {FIELD(weight_axes), .needs = AXES},
    {FIELD(range_lower), .needs = RANGES, .count = 6},
    {FIELD(range_upper), .needs = RANGES, .count = 6},
};

enum { FIELDS = sizeof fields / sizeof fields[0] };

bool sinew_task_kind_reads(sinew_task_kind kind, const char *field) {
  SINEW_ASSERT(field != NULL);
  bool reads = sinew_task_kind_info(kind) != NULL;
  for (int i = 0; i < FIELDS && reads; ++i) {
    reads = strcmp(fields[i].name, field) != 0 || (fields[i].needs & properties_of(kind)) != 0;
  }
  return reads;
}

static bool is_same(const task_field *field, const sinew_task *task, const sinew_task *other) {
  const char *one = (const char *)task + field->offset;
  const char *two = (const char *)other + field->offset;
  bool same = field->count > 0 || memcmp(one, two, sizeof(int)) == 0;
  for (int i = 0; i < field->count; ++i) {
    double x, y; // 0 and -0 are the same
    memcpy(&x, one + (size_t)i * sizeof x, sizeof x);
    memcpy(&y, two + (size_t)i * sizeof y, sizeof y);
    same &= x == y;
  }
  return same;
}

const char *sinew_task_unread_field(const sinew_task *task) {
  const sinew_task defaults = sinew_default_task();
  const unsigned properties = properties_of(task->kind);
  for (int i = 0; i < FIELDS; ++i) {
    if ((fields[i].needs & properties) == 0 && !is_same(&fields[i], task, &defaults)) {
      return fields[i].name;
    }
  }
  return NULL;
}

static bool is_end(double value) {
  return value != 0.0 && fabs(value) < INFINITY; // false for NaN, which others refuse
}

int sinew_task_unread_range(const sinew_task *task) {
  const sinew_kind_info *info = sinew_task_kind_info(task->kind);
  int found = -1;
  for (int i = 5; i >= 0; --i) {
    const unsigned field = i < 3 ? SINEW_TARGET_POSITION : SINEW_TARGET_ROTATION;
    const bool free = (task->free_axes >> i & 1u) != 0;
    const bool controlled = info->axes ? (info->fields & field) != 0 && !free : i == 0;
    if (!controlled && (is_end(task->range_lower[i]) || is_end(task->range_upper[i]))) {
      found = i;
    }
  }
  return found;
}
