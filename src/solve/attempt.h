// One attempt: steps of damped least squares from a start, kept whether they lower the error or
// not, until it is dropped. See attempts.c.
#ifndef SINEW_SOLVE_ATTEMPT_H
#define SINEW_SOLVE_ATTEMPT_H

#include "sinew/solver.h"

#include <stdbool.h>

typedef struct sinew_attempt {
  double *q;
  double E, least; // half the squared residual: at q, and the smallest so far
  int steps;
  int slow; // steps since the smallest E
} sinew_attempt;

// Evaluates a->q, the start.
void sinew_attempt_begin(sinew_solver *solver, const sinew_target *targets, sinew_attempt *a);

// The last evaluation must have been at a->q.
void sinew_attempt_step(sinew_solver *solver, const sinew_target *targets, sinew_attempt *a);

// Whether it has gained too little.
bool sinew_attempt_is_dropped(const sinew_solver *solver, const sinew_attempt *a);

#endif
