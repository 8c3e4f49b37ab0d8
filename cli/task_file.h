/// Tasks files: docs/task_files.md.
#ifndef CLI_TASK_FILE_H
#define CLI_TASK_FILE_H

#include "fields.h"

/// Adds what a tasks file says to a list.
/// @param figure its model is made again where the file has limits of swing and twist, so that what
///   depends on them, the middle of the limits for example, is asked for afterwards; links, joints,
///   q and v keep their order
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message that names the line and the field;
///   the list is then not used
int cli_task_file_read(const char *path, cli_figure *figure, cli_task_list *list);

/// The tables by which a file is read, under the names that its schema has for their objects:
/// "task", "target", "objective", "moved", "limits", "swing_twist", and "" for the whole file.
typedef struct cli_task_file_object {
  const char *name;
  const cli_field_table *table;
} cli_task_file_object;

/// NULL past the last.
const cli_task_file_object *cli_task_file_object_at(int index);

#endif
