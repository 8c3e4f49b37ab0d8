// Attempts at one problem: descents from many starts, in any number at once.
#ifndef SINEW_SOLVE_ATTEMPTS_H
#define SINEW_SOLVE_ATTEMPTS_H

#include "solve/solver.h"

// Where the first solution is wanted, a seed that is this far away (half the squared residual)
// is less likely to lead to one than the nearest posture of a bank.
#define SINEW_SEED_IS_FAR 0.1

// How many starts are worth their time where a goal is proven to be out of reach.
#define SINEW_ATTEMPTS_OUT_OF_REACH 3

// How many times as long as others an attempt may go on. Most targets need few attempts, and
// those are best dropped soon. One that has seen many fail may lie where steps gain little,
// near the edge of what can be reached: every so often an attempt is waited for.
int sinew_attempt_limit_factor(int attempt);

typedef struct sinew_attempts {
  const sinew_target *targets;
  double deadline; // of the solver's clock, or INFINITY
  // Fills the start of an attempt (q, nq values), within limits; false: there is no more.
  // Attempts are numbered from 0 and started in that order.
  bool (*start)(void *context, int attempt, double *q);
  // Told every solution (within tolerance and limits) in a fixed order; false: enough. The
  // solver may be used meanwhile.
  bool (*solution)(void *context, int attempt, const double *q);
  // Told the end of an attempt that was dropped, and half the squared residual there.
  void (*dropped)(void *context, int attempt, const double *q, double E);
  void *context;
  bool one;       // one solution is all that is wanted
  bool by_method; // descents by the solver's method, within its max_steps in all
  double far;     // half the squared residual of a first start beyond which others are tried first
  bool evaluated; // out: whether the solver's last evaluation is of the q that is told
  int steps;      // out: of all attempts
  bool late;      // out: the time was up
} sinew_attempts;

// Starts attempts until start() or solution() says that there are enough, or time is up.
void sinew_attempts_run(sinew_solver *solver, sinew_attempts *attempts);

#endif
