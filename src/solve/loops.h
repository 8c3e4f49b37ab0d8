// Closed loops in updates: tasks of level 0 that hold two links together.
#ifndef SINEW_SOLVE_LOOPS_H
#define SINEW_SOLVE_LOOPS_H

#include "base/memory.h"
#include "sinew/solver.h"

#include <stdbool.h>

struct sinew_solver;

typedef struct sinew_loops {
  int count;      // tasks that close loops
  int *tasks;     // their numbers in the solver's problem, rising
  double *errors; // 2 for each task: those that an update reports
  double *motion; // nv: of the update so far
  double *whole;  // nv: as its steps have left it
  double *last;   // nq: before a correction
  double *best;   // nq: the update's end before it is shortened
} sinew_loops;

void sinew_loops_layout(sinew_arena *arena, const sinew_solver_def *def, const sinew_model *model,
                        sinew_loops *loops);

// Finds the loops among the tasks of a compiled problem.
void sinew_loops_set_tasks(struct sinew_solver *solver);

// Closes the loops at q, the end of an update; targets: those of the solver's problem; cut: it is
// the first one after a reset.
void sinew_loops_close(struct sinew_solver *solver, const sinew_target *targets, bool cut,
                       double *q);

#endif
