/// What the columns of a batch's targets are for.
#ifndef CLI_PROBLEM_COLUMNS_H
#define CLI_PROBLEM_COLUMNS_H

#include <stdint.h>

#include "csv.h"
#include "task_list.h"

/// What a row of targets holds, as the library reads it: of each task all that it reads, one after
/// the other. Columns of the file fill some of it; the rest is the same in all rows.
typedef struct cli_target_row {
  cli_task_list *list;
  int *starts;       ///< of each task, where its values begin
  int *places;       ///< count x CLI_TARGET_VALUES: where a task has a value; -1: it does not
  int size;          ///< values of a row, once kinds are known
  double *constants; ///< size: the targets of the list
} cli_target_row;

void cli_target_row_destroy(cli_target_row *row);

/// The name of a row's value, "hand.qw" for example.
void cli_target_row_name(const cli_target_row *row, int value, char *text, size_t size);

/// What a column is for: the value of an entry's target, or of the seed.
typedef struct cli_use {
  enum { CLI_USE_NONE, CLI_USE_TARGET, CLI_USE_SEED } kind;
  int index; ///< of the seed's value; of a target its entry
  int value; ///< of a target: target_columns.h
} cli_use;

/// Writes a column's value to all places of a row that have it.
void cli_target_row_set(const cli_target_row *row, const cli_use *use, double number,
                        double *values);

/// Finds what the columns of a NPY are for: those of the entries without a target, one after the
/// other. Where columns decide kinds, three are positions, four rotations, seven poses.
/// @param uses receives a use a column; free() it
/// @return whether their number fits
bool cli_target_row_fit(cli_target_row *row, uint64_t columns, cli_use **uses);

/// Finds what each column of the current record, the header, is for, and sets kinds.
/// @param uses receives a use a column; free() it
/// @param seeded whether there are seeds
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_problem_columns_read(const cli_csv *csv, const cli_figure *figure, cli_target_row *row,
                             cli_use **uses, bool *seeded);

#endif
