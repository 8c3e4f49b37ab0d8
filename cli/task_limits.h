/// The limits of a tasks file: docs/task_files.md#limits.
#ifndef CLI_TASK_LIMITS_H
#define CLI_TASK_LIMITS_H

#include "fields.h"

/// Reads the object of limits into a cli_motion_limits, and those of swing and twist into the
/// figure: cli_figure_set_joints().
cli_field_read cli_task_limits_read;

/// Its fields, and those of the limits of swing and twist of one joint.
extern const cli_field_table cli_task_limits_table, cli_swing_twist_table;

#endif
