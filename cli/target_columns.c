// The columns of a target in a CSV.
#include "target_columns.h"

#include <string.h>

static const char *const suffixes[CLI_TARGET_VALUES] = {"x", "y", "z", "qw", "qx", "qy", "qz"};

int cli_target_value(const char *suffix) {
  for (int i = 0; i < CLI_TARGET_VALUES; ++i)
    if (strcmp(suffix, suffixes[i]) == 0)
      return i;
  return -1;
}

const char *cli_target_suffix(int value) {
  return suffixes[value];
}

int cli_target_kind(unsigned values, sinew_task_kind *kind) {
  const unsigned position = 0x07, rotation = 0x78;
  unsigned wanted = (values & position ? position : 0) | (values & rotation ? rotation : 0);
  for (int i = 0; i < CLI_TARGET_VALUES; ++i)
    if (wanted & ~values & 1u << i)
      return i;
  *kind = wanted == position   ? SINEW_TASK_POSITION
          : wanted == rotation ? SINEW_TASK_ORIENTATION
                               : SINEW_TASK_POSE;
  return -1;
}
