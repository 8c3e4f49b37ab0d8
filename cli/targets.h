/// Targets of end effectors, frame by frame: a CSV.
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include "task_list.h"

/// All targets of a motion.
typedef struct cli_targets {
  cli_task_list *list;
  int frame_count;
  double *time;          ///< frame_count values [s], increasing
  sinew_target *targets; ///< frame_count x list->count
} cli_targets;

/// Reads a CSV with the header time,NAME.x,NAME.y,NAME.z,NAME.qw,NAME.qx,NAME.qy,NAME.qz
/// and so on, columns in any order; one row per frame. NAME is that of an entry of the list: its
/// columns, all that its tasks read, replace its target. Another link gets an entry of its own: a
/// position, an orientation, a pose or a direction, by its columns.
/// @param list must live as long as the targets
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message that names line and column
int cli_targets_read(const char *path, const cli_figure *figure, cli_task_list *list,
                     cli_targets *out);

void cli_targets_destroy(cli_targets *targets);

#endif
