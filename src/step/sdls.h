// Selectively damped least squares: each singular direction is damped by how far it would move
// the effectors.
#ifndef SINEW_STEP_SDLS_H
#define SINEW_STEP_SDLS_H

#include "base/memory.h"
#include "math/rows.h"
#include "math/svd.h"

typedef struct sinew_sdls_problem {
  const sinew_rows *rows;
  const double *e;             // m: what J x shall be, each effector's clamped (clamp.h)
  const int *split;            // a block each: how many of its rows, the first, make one effector,
                               // the rest making another (a position and a rotation); NULL: 3
  double largest;              // gamma_max, > 0: the most that any x_j may be
  double cut;                  // singular values up to this share of the largest count as 0
  const double *lower, *upper; // n: bounds of x, or NULL
} sinew_sdls_problem;

typedef struct sinew_sdls_scratch {
  sinew_svd svd;
  double *reach;     // n: how far each x_j moves all effectors
  double *residual;  // m: e - J x of those held
  double *solution;  // n
  double *spread;    // N, M and max |v| of each singular vector, a stride each, and u . e
  signed char *held; // n: -1 at its lower bound, 1 at its upper, 0 free
} sinew_sdls_scratch;

void sinew_sdls_layout(sinew_arena *arena, int m, int n, sinew_sdls_scratch *scratch);

// Solves for the degrees of freedom that are not held, the others keeping their values in x. No
// free x_j is above largest.
void sinew_sdls_solve(const sinew_sdls_problem *problem, sinew_sdls_scratch *scratch, double *x);

// The same with those held that would leave their bounds (hold.h). Returns how often it solved.
int sinew_sdls_solve_bounded(const sinew_sdls_problem *problem, sinew_sdls_scratch *scratch,
                             double *x);

#endif
