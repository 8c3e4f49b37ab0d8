/// The columns of a target in a CSV: x, y, z and qw, qx, qy, qz.
#ifndef CLI_TARGET_COLUMNS_H
#define CLI_TARGET_COLUMNS_H

#include "sinew/task.h"

enum { CLI_TARGET_VALUES = 7 };

/// Which of the seven values a column's suffix names, from 0; -1: none.
int cli_target_value(const char *suffix);

/// "x" to "qz".
const char *cli_target_suffix(int value);

/// Where one of the seven values stands in a row of what a task reads; -1: it does not read it.
int cli_target_place(const sinew_task *task, int value);

/// Finds the kind of a task from the values that have a column: a position needs three and a
/// rotation four.
/// @param values a bit each
/// @param kind left as it is where no value has a column
/// @return -1, or the first value that is missing
int cli_target_kind(unsigned values, sinew_task_kind *kind);

#endif
