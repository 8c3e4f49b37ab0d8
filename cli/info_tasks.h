/// What the tasks of a file are for a model: 'sinew info --tasks'.
#ifndef CLI_INFO_TASKS_H
#define CLI_INFO_TASKS_H

#include "figure.h"
#include "json.h"

typedef struct cli_info_tasks cli_info_tasks;

/// Reads a tasks file and finds of each task its rows, the joints that move it, and whether it runs
/// in SIMD lanes; and the singular values of level 0.
/// @param q as the option gives it, or NULL
/// @return NULL after a message
cli_info_tasks *cli_info_tasks_read(cli_figure *figure, const char *path, const char *q);
void cli_info_tasks_destroy(cli_info_tasks *tasks); ///< NULL is allowed

void cli_info_tasks_print(const cli_info_tasks *tasks);

/// The same as members of an object.
void cli_info_tasks_set(const cli_info_tasks *tasks, json_t *object);

#endif
