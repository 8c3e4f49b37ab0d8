// Weighted damped least squares: x minimises |J x - e|^2 + mu x^T W x, W symmetric and positive
// definite.
#ifndef SINEW_STEP_WEIGHTED_H
#define SINEW_STEP_WEIGHTED_H

#include "step/step.h"

typedef struct sinew_weighted_scratch {
  double *L;             // f x f, lower triangle: W_FF = L L^T
  double *K;             // m x f: J_F L^-T
  double *matrix;        // K K^T or K^T K, the smaller
  double *factor;        // of it
  double *right;         // max(m, n)
  double *residual;      // m
  double *v;             // f: L^-1 W_FB x_B
  double *y;             // f: L^T x_F + v
  double *unconstrained; // n
  double *from;          // n
  int *inactive;         // f: the degrees of freedom in F
  signed char *held;     // n
  double mu;             // the damping used
} sinew_weighted_scratch;

void sinew_weighted_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// L of W = L L^T, in place of the lower triangle of W (n x n). Returns false where W is not
// positive definite, or only by rounding errors; W is then lost.
bool sinew_weighted_factor(int n, double *W);

// Reads e, mu, weights, filters, the gradient and bounds. Returns the number of systems solved.
int sinew_weighted_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
