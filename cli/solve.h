/// What sinew solve is asked for and finds: between its command line and its output.
#ifndef CLI_SOLVE_H
#define CLI_SOLVE_H

#include <stdbool.h>

#include "figure.h"
#include "sinew/global.h"

/// What one --tip shall do: up to three tasks.
typedef struct cli_solve_effector {
  const char *name;
  int link;
  bool posed, positioned, oriented, directed, has_axis;
  sinew_target target;
  double axis_l[3];
} cli_solve_effector;

typedef struct cli_solve_request {
  const char *model;
  cli_solve_effector *effectors;
  int effector_count;
  const char *seed;
  sinew_solver_def solver;
  sinew_global_def global;
  bool local; ///< descends from the seed by a method, and does not look everywhere
  int all;    ///< solutions at most; 0: one is wanted
  int kinds;  ///< how many of --nearest, --best and --all were given
  bool floating_base;
  bool as_json;
  bool help;
} cli_solve_request;

/// All that belongs to one solve.
typedef struct cli_solve_work {
  sinew_solver *solver;
  sinew_target *targets;
  int task_count;
  int *task_effector; ///< the effector that each task is of
  double *q;
  double *solutions; ///< --all: found rows
  int found;
  sinew_report report;
  double microseconds;
} cli_solve_work;

/// Prints the answer, or all of them, as tables or as JSON.
void cli_solve_print(const cli_solve_request *wanted, const cli_figure *figure,
                     cli_solve_work *work);

#endif
