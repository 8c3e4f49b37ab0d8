/// Targets of end effectors, frame by frame: a CSV.
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "figure.h"

/// All targets of a motion. Each link that the header names has one task: its position,
/// its orientation, or both.
typedef struct cli_targets {
  sinew_task *tasks;
  int task_count;
  int frame_count;
  double *time;          ///< frame_count values [s], increasing
  sinew_target *targets; ///< frame_count x task_count
} cli_targets;

/// Reads a CSV with the header time,LINK.x,LINK.y,LINK.z,LINK.qw,LINK.qx,LINK.qy,LINK.qz
/// and so on, columns in any order, of a link all three or all four or both; one row per
/// frame.
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message that names line and column
int cli_targets_read(const char *path, const cli_figure *figure, cli_targets *out);

void cli_targets_destroy(cli_targets *targets);

#endif
