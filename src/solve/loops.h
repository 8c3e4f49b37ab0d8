// Closed loops in updates: tasks of level 0 that hold two links together.
#ifndef SINEW_SOLVE_LOOPS_H
#define SINEW_SOLVE_LOOPS_H

#include "base/memory.h"
#include "sinew/solver.h"

#include <stdbool.h>

struct sinew_solver;

// A hard row.
typedef struct sinew_loop_row {
  double multiplier, yielded; // what sinew_solver_hard_row() reports of an update
  signed char at;
  double beyond; // how far it is outside after the steps, < 0 at the lower end
} sinew_loop_row;

typedef struct sinew_loops {
  int count;            // tasks that close loops
  sinew_loop_row *hard; // room for each hard row
} sinew_loops;

void sinew_loops_layout(sinew_arena *arena, const sinew_solver_def *def, sinew_loops *loops);

// Counts the loops among the tasks of a compiled problem.
void sinew_loops_set_tasks(struct sinew_solver *solver);

// Closes loops at q, the end of an update of the solver's problem, where there are any.
// track.errors are those before the update; track.evaluated afterwards: whether the evaluation is
// that of q. cut: it is the first update after a reset.
void sinew_loops_close(struct sinew_solver *solver, const sinew_target *targets, bool cut,
                       double *q);

#endif
