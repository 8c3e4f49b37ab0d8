/// The tasks of --tip and of the options that follow it.
#ifndef CLI_TIP_TASKS_H
#define CLI_TIP_TASKS_H

#include "request.h"
#include "task_list.h"

/// Adds the tasks of all --tip, then those of the tasks file, and what options say of limits.
/// @param figure its model may be made again: cli_task_file_read()
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_tip_tasks_add(const cli_request *wanted, cli_figure *figure, cli_task_list *list);

#endif
