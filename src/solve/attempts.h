// Attempts at one problem: short descents from many starts, several at once.
#ifndef SINEW_SOLVE_ATTEMPTS_H
#define SINEW_SOLVE_ATTEMPTS_H

#include "solve/attempt.h"
#include "solve/solver.h"

// If the first solution is wanted, a seed with more than this half squared residual is less likely
// to lead to one than the nearest posture of a bank.
#define SINEW_SEED_IS_FAR 0.5

// How many starts are tried if the targets are proven to be out of reach.
#define SINEW_ATTEMPTS_OUT_OF_REACH 3

// The factor on the limits of an attempt. Most targets need few attempts, and short limits are best
// for them. A target for which many attempts have failed may lie near the boundary of the
// workspace, where steps gain little: some later attempts get more steps.
int sinew_attempt_limit_factor(int attempt);

typedef struct sinew_attempts {
  const sinew_target *targets;
  double deadline; // of the solver's clock, or INFINITY
  // Fills the start of an attempt (q, nq values), within limits; false: there are no more starts.
  // Attempts are numbered from 0 and started in that order.
  bool (*start)(void *context, int attempt, double *q);
  // Called for every solution (within tolerance and limits) in a fixed order; false: stop. It may
  // use the solver.
  bool (*solution)(void *context, int attempt, const double *q);
  // Called for every attempt that was dropped, with its last q and half the squared residual there.
  void (*dropped)(void *context, int attempt, const double *q, double E);
  void *context;
  bool one;       // only one solution is wanted
  bool by_method; // descents by the solver's method, within its max_steps in all
  double far;     // half the squared residual of a first start beyond which others are tried first
  bool evaluated; // out: whether the solver's last evaluation was at the q that is reported
  int steps;      // out: steps of all attempts
  bool late;      // out: whether time was up
} sinew_attempts;

// Gives a search's starts an attempt that was dropped, with half the squared residual there. May
// evaluate it.
void sinew_attempts_keep(sinew_solver *solver, const sinew_target *targets, const double *q,
                         double E, sinew_seeds *seeds);

// Runs attempts until start() or solution() returns false, or time is up.
void sinew_attempts_run(sinew_solver *solver, sinew_attempts *attempts);

#endif
