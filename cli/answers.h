/// The answers of a batch as bytes of a CSV or a NPY.
#ifndef CLI_ANSWERS_H
#define CLI_ANSWERS_H

#include "columns.h"
#include "figure.h"

typedef struct cli_answers {
  const sinew_model *model;
  cli_columns columns;
  bool is_npy;
  bool for_people; ///< to a terminal
  int after;       ///< columns after the joint values
  double *values;  ///< a row's
  char *bytes;     ///< what was added since cli_answers_clear()
  size_t size, capacity;
} cli_answers;

/// @param path ends in .npy: a NPY; else a CSV
/// @param reach whether there are columns of the reach
void cli_answers_open(const char *path, const cli_figure *figure, bool reach, cli_answers *answers);
void cli_answers_close(cli_answers *answers);

void cli_answers_clear(cli_answers *answers);

/// Adds what stands before the rows.
/// @param rows how many will follow; only a NPY says so
void cli_answers_add_head(cli_answers *answers, uint64_t rows);

/// Adds rows, as they come out of a batch.
void cli_answers_add(cli_answers *answers, size_t count, const double *q,
                     const sinew_batch_row *rows);

#endif
