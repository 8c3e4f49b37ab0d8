// Quasi-Newton steps within bounds: BFGS, and with a limited memory, L-BFGS.
#ifndef SINEW_STEP_QUASI_H
#define SINEW_STEP_QUASI_H

#include "step/step.h"

// Pairs that L-BFGS keeps.
#define SINEW_QUASI_PAIRS 8

typedef struct sinew_quasi_scratch {
  double *B;             // n x n: the approximate Hessian of half the squared residual
  double *matrix;        // n x n: B over the inactive x_j
  double *factor;        // n x n
  double *right;         // n
  double *gradient;      // n: of the last step
  double *s, *y;         // pairs x n: changes of x and of minus the gradient, oldest first
  double *image;         // max(m, n): B s, - J g
  double *unconstrained; // n
  double *from;          // n
  int *index;            // n
  signed char *held;     // n
  int pairs;             // known
} sinew_quasi_scratch;

void sinew_quasi_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Both read the gradient, bounds and moved; the first step also the rows. x minimises
// x^T B x / 2 - g^T x within the bounds. Return the number of systems solved.
int sinew_bfgs_step(const sinew_step_problem *problem, void *scratch, double *x);
int sinew_lbfgs_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
