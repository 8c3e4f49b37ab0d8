// A descent: steps from one place down to a goal or to rest, and why it ended.
#ifndef SINEW_SOLVE_DESCENT_H
#define SINEW_SOLVE_DESCENT_H

#include "policy/rules.h"
#include "solve/solver.h"

// Steps that the best that was found may take to come to rest.
#define SINEW_STEPS_TO_REST 300

// A solve under way.
typedef struct sinew_descent {
  const sinew_target *targets;
  double *q;      // where it is
  double E;       // there
  int steps;      // of all descents so far
  int most_steps; // of them
  bool converged;
  double deadline; // of the clock, or INFINITY
  bool late;
} sinew_descent;

// The moment at which a solve that begins now must end.
double sinew_solver_deadline(const sinew_solver *solver);

// Whether it has come; the clock is only asked where there is one.
bool sinew_solver_is_late(const sinew_solver *solver, double deadline);

// Steps from d->q until a goal, a stationary point, a stall (policy/stall.h) or the end of the
// budget.
void sinew_descend(sinew_solver *solver, sinew_method method, sinew_stall_rule rule,
                   sinew_descent *d);

// The last descent of a solve, by what comes to rest where the goal cannot be met.
void sinew_descend_to_rest(sinew_solver *solver, sinew_descent *d);

// Whether it is proven that no configuration meets all targets.
bool sinew_descent_is_excluded(const sinew_solver *solver, const sinew_descent *d);

// Why a descent ended short of its goal. The last evaluation is then at its q.
sinew_outcome sinew_descent_explain(sinew_solver *solver, const sinew_descent *d,
                                    int *limiting_joint);

#endif
