/// The columns of a target in a CSV: x, y, z, qw, qx, qy, qz, dx, dy, dz and distance.
#ifndef CLI_TARGET_COLUMNS_H
#define CLI_TARGET_COLUMNS_H

#include "task_list.h"

enum { CLI_TARGET_VALUES = 11 };

/// Which of these values a column's suffix names, from 0; -1: none.
int cli_target_value(const char *suffix);

/// "x" to "distance".
const char *cli_target_suffix(int value);

/// Where a value stands in a target.
double *cli_target_at(sinew_target *target, int value);

/// Where a value stands in a row of what a task reads; -1: it does not read it.
int cli_target_place(const sinew_task *task, int value);

/// The values that an entry's tasks read by their kinds, a bit each.
unsigned cli_target_values(const cli_task_list *list, const cli_entry *entry);

/// Sets the kind of an entry by its columns, where they decide it. Columns are needed for all
/// values that its kinds read; a rotation or a direction that is read besides, for weights, ranges,
/// free axes and up axes, may be left out and is then that of the list's target.
/// Columns of a position and a rotation that an option gave, or the other way round, make a pose.
/// @param values that have a column, a bit each
/// @return -1, or the first value that is missing, that the entry's tasks do not read, or that an
///   option gave
int cli_target_settle(cli_task_list *list, cli_entry *entry, unsigned values);

/// What is wrong with a value that cli_target_settle() returned, after "the column x".
const char *cli_target_fault(const cli_entry *entry, unsigned values, int value);

#endif
