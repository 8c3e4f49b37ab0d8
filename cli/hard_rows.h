/// Inequalities of hard tasks in reports: which hold the figure, and which yield by how much.
#ifndef CLI_HARD_ROWS_H
#define CLI_HARD_ROWS_H

#include <jansson.h>

#include "task_list.h"

/// What is counted of one inequality over the frames of sinew track.
typedef struct cli_hard_count {
  int at_lower, at_upper; ///< updates in which an end held the figure
  int yielding;           ///< updates in which it yielded
  double worst;           ///< the most that it yielded by [m or rad]: its sign is the end's
  int frame;              ///< where that was
} cli_hard_count;

/// The inequalities after a solve: an array of objects with name, axis, part, rank, side, yielded.
json_t *cli_hard_rows_json(const cli_task_list *list, const sinew_solver *solver);

/// A table of those that are at an end; nothing where no task is hard.
void cli_hard_rows_print(const cli_task_list *list, const sinew_solver *solver,
                         const char *length_unit);

/// Counts the inequalities after an update.
/// @param counts one for each inequality of the solver
void cli_hard_rows_count(const sinew_solver *solver, int frame, cli_hard_count *counts);

/// The same as an array of objects with name, axis, part, rank, at_lower, at_upper, yielding, and
/// where it yielded worst and frame.
json_t *cli_hard_counts_json(const cli_task_list *list, const sinew_solver *solver,
                             const cli_hard_count *counts);

/// A line on standard error for each that held the figure or yielded.
void cli_hard_counts_print(const cli_task_list *list, const sinew_solver *solver,
                           const char *length_unit, const cli_hard_count *counts);

#endif
