// The columns of a target in a CSV.
#include "target_columns.h"

#include <string.h>

const char *cli_target_suffix(int value) {
  sinew_task all_columns = sinew_default_task();
  all_columns.kind = SINEW_TASK_POSE;
  return sinew_task_target_column(&all_columns, value);
}

int cli_target_value(const char *suffix) {
  for (int i = 0; i < CLI_TARGET_VALUES; ++i)
    if (strcmp(suffix, cli_target_suffix(i)) == 0)
      return i;
  return -1;
}

int cli_target_place(const sinew_task *task, int value) {
  const int size = sinew_task_target_size(task);
  for (int i = 0; i < size; ++i)
    if (strcmp(sinew_task_target_column(task, i), cli_target_suffix(value)) == 0)
      return i;
  return -1;
}

// The kind that reads these fields and no others.
static sinew_task_kind kind_of(unsigned fields) {
  sinew_task task = sinew_default_task();
  while (sinew_task_target_fields(&task) != fields)
    ++task.kind;
  return task.kind;
}

int cli_target_kind(unsigned values, sinew_task_kind *kind) {
  const unsigned position = 0x07, rotation = 0x78;
  unsigned wanted = (values & position ? position : 0) | (values & rotation ? rotation : 0);
  for (int i = 0; i < CLI_TARGET_VALUES; ++i)
    if (wanted & ~values & 1u << i)
      return i;
  if (wanted != 0)
    *kind = kind_of((wanted & position ? SINEW_TARGET_POSITION : 0u) |
                    (wanted & rotation ? SINEW_TARGET_ROTATION : 0u));
  return -1;
}
