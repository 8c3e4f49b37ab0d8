/// What sinew solve computes: between its command line and its output.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include "request.h"
#include "sinew/global.h"
#include "task_list.h"

/// All that belongs to one solve.
typedef struct cli_solve_work {
  sinew_solver *solver;
  cli_task_list list;
  sinew_network *network; ///< or NULL
  double *q;
  double *solutions; ///< --all: found rows
  int found;
  sinew_report report;
  double microseconds;
} cli_solve_work;

/// Prints the answer, or all of them, as tables or as JSON.
void cli_solve_print(const cli_request *wanted, const cli_figure *figure, cli_solve_work *work);

#endif
