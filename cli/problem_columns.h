/// What the columns of a batch's targets are for.
#ifndef CLI_PROBLEM_COLUMNS_H
#define CLI_PROBLEM_COLUMNS_H

#include "csv.h"
#include "figure.h"
#include "request.h"

/// The links that the targets are for, a task each.
typedef struct cli_tips {
  const char **names;
  sinew_task *tasks;
  int *starts; ///< of each, where its values begin in a row of targets
  int count;
  int size; ///< values of a row, once kinds are known
} cli_tips;

/// Finds the links; each may be named once.
/// @param wanted count of them; their names live as long as the tips
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message; destroy them in either case
int cli_tips_create(const cli_figure *figure, const cli_tip *wanted, int count, cli_tips *tips);
void cli_tips_destroy(cli_tips *tips);

/// The same kind for all, by the columns of a table: 3 a tip are positions, 4 orientations,
/// 7 poses.
/// @return whether it is one of these
bool cli_tips_fit(cli_tips *tips, uint64_t columns);

/// The name of a row's value, "hand.qw" for example.
void cli_tips_value_name(const cli_tips *tips, int value, char *text, size_t size);

/// What a column of a CSV is for.
typedef struct cli_use {
  enum { CLI_USE_NONE, CLI_USE_TARGET, CLI_USE_SEED } kind;
  int index; ///< of the value in the row's targets or seed
} cli_use;

/// Finds what each column of the current record, the header, is for, and sets the tips' kinds.
/// @param uses receives a use a column; free() it
/// @param seeded whether there are seeds
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_problem_columns_read(const cli_csv *csv, const cli_figure *figure, cli_tips *tips,
                             cli_use **uses, bool *seeded);

#endif
