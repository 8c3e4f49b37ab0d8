// The columns of a target in a CSV.
#include "target_columns.h"

#include <stddef.h>
#include <string.h>

// The values of a position and a rotation, of a direction, of a distance: the names are the
// library's.
enum { POSE_VALUES = 7, DIRECTION_VALUES = 3 };

#define POSITION 0x007u
#define ROTATION 0x078u
#define DIRECTION 0x380u

const char *cli_target_suffix(int value) {
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  if (value >= POSE_VALUES) {
    value -= POSE_VALUES;
    task.kind = value < DIRECTION_VALUES ? SINEW_TASK_DIRECTION : SINEW_TASK_DISTANCE;
  }
  return sinew_task_target_column(&task, value);
}

int cli_target_value(const char *suffix) {
  for (int i = 0; i < CLI_TARGET_VALUES; ++i)
    if (strcmp(suffix, cli_target_suffix(i)) == 0)
      return i;
  return -1;
}

double *cli_target_at(sinew_target *target, int value) {
  return value < 3                                ? &target->position[value]
         : value < POSE_VALUES                    ? &target->rotation[value - 3]
         : value < POSE_VALUES + DIRECTION_VALUES ? &target->direction[value - POSE_VALUES]
                                                  : &target->distance;
}

int cli_target_place(const sinew_task *task, int value) {
  const int size = sinew_task_target_size(task);
  for (int i = 0; i < size; ++i)
    if (strcmp(sinew_task_target_column(task, i), cli_target_suffix(value)) == 0)
      return i;
  return -1;
}

// The values that an entry's tasks read, a bit each.
// @param plain whether those alone that their kinds read
static unsigned values_of(const cli_task_list *list, const cli_entry *entry, bool plain) {
  unsigned values = 0;
  for (int t = entry->first; t < entry->first + entry->count; ++t) {
    sinew_task task = sinew_default_task();
    task.kind = list->tasks[t].kind;
    for (int i = 0; i < CLI_TARGET_VALUES; ++i)
      if (cli_target_place(plain ? &task : &list->tasks[t], i) >= 0)
        values |= 1u << i;
  }
  return values;
}

unsigned cli_target_values(const cli_task_list *list, const cli_entry *entry) {
  return values_of(list, entry, true);
}

// The first of some values; -1: there is none.
static int first_of(unsigned values) {
  int value = 0;
  while (value < CLI_TARGET_VALUES && (values >> value & 1u) == 0)
    ++value;
  return value < CLI_TARGET_VALUES ? value : -1;
}

// What an option gave and columns of the rest make a pose.
static void join(cli_task_list *list, const cli_entry *entry, unsigned values) {
  for (int t = entry->first; t < entry->first + entry->count && entry->given != 0; ++t) {
    sinew_task_kind *kind = &list->tasks[t].kind;
    if ((*kind == SINEW_TASK_ORIENTATION && (values & POSITION) != 0) ||
        (*kind == SINEW_TASK_POSITION && (values & ROTATION) != 0))
      *kind = SINEW_TASK_POSE;
  }
}

const char *cli_target_fault(const cli_entry *entry, unsigned values, int value) {
  return (values >> value & 1u) == 0 ? "is missing"
         : (entry->given >> value & 1u) != 0
             ? "is there, but an option gives the value already: leave out one of them"
             : "is of no use to this task; a tasks file can name several tasks of a link";
}

int cli_target_settle(cli_task_list *list, cli_entry *entry, unsigned values) {
  if (entry->by_columns) {
    sinew_task *task = &list->tasks[entry->first];
    const bool position = (values & POSITION) != 0, rotation = (values & ROTATION) != 0;
    task->kind = position && rotation ? SINEW_TASK_POSE
                 : position           ? SINEW_TASK_POSITION
                 : rotation           ? SINEW_TASK_ORIENTATION
                                      : SINEW_TASK_DIRECTION;
  }
  if ((values & entry->given) != 0)
    return first_of(values & entry->given);
  join(list, entry, values);
  const unsigned plain = values_of(list, entry, true);
  unsigned read = values_of(list, entry, false);
  read &= (values & ROTATION) != 0 ? ~0u : ~(ROTATION & ~plain);
  read &= (values & DIRECTION) != 0 ? ~0u : ~(DIRECTION & ~plain);
  entry->moving = false;
  return first_of((read & ~entry->given) ^ values);
}
