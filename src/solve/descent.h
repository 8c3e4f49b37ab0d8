// A descent: steps from one configuration to the targets or a local minimum, and why it ended.
#ifndef SINEW_SOLVE_DESCENT_H
#define SINEW_SOLVE_DESCENT_H

#include "policy/rules.h"
#include "solve/solver.h"

// The limit on the steps of a search's last descent.
#define SINEW_LAST_DESCENT_STEPS 300

// A solve in progress.
typedef struct sinew_descent {
  const sinew_target *targets;
  double *q;      // the present configuration
  double E;       // half the squared residual there
  int steps;      // of all descents so far
  int most_steps; // the limit on steps
  double wanted;  // a descent ends where its E is not expected to become smaller than this; 0: none
  double expected; // out: that E, after the last accepted step
  bool converged;
  double deadline; // of the clock, or INFINITY
  bool late;
  bool unproven; // the full proof that the targets are out of reach failed
} sinew_descent;

// The time, on the solver's clock, at which a solve that begins now must end.
double sinew_solver_deadline(const sinew_solver *solver);

// Whether the deadline has passed; the clock is called only if there is a deadline.
bool sinew_solver_is_late(const sinew_solver *solver, double deadline);

// Steps from d->q until convergence, a stationary point, a stall (policy/stall.h) or the end of the
// budget.
void sinew_descend(sinew_solver *solver, sinew_method method, sinew_stall_rule rule,
                   sinew_descent *d);

// The last descent of a solve, by a method that converges also if the targets are out of reach.
void sinew_descend_last(sinew_solver *solver, sinew_descent *d);

// Whether it is proven, by the lengths of the chains alone, that no configuration meets all
// targets.
bool sinew_descent_is_excluded(const sinew_solver *solver, const sinew_descent *d);

// The same with the limits of all joints: sinew_reach_prove().
bool sinew_descent_is_disproved(sinew_solver *solver, const sinew_descent *d);

// Why a descent ended without convergence. Afterwards the last evaluation is at its q.
sinew_outcome sinew_descent_explain(sinew_solver *solver, const sinew_descent *d,
                                    int *limiting_joint);

// After SINEW_OUTCOME_OUT_OF_REACH: how far the chains reach, for the report.
void sinew_descent_measure_reach(sinew_solver *solver);

#endif
