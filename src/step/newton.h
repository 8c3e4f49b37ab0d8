// Newton's step: x minimises the second-order model of half the squared residual,
// -g.x + x.(H + mu I).x / 2.
#ifndef SINEW_STEP_NEWTON_H
#define SINEW_STEP_NEWTON_H

#include "base/memory.h"
#include "math/rows.h"

#include <stdbool.h>

typedef struct sinew_newton_scratch {
  double *bent;    // as rows.values: columns u after elimination of what is below
  double *pivot;   // n: inverse pivots
  double *y;       // n
  double *P;       // m x m: what has been eliminated, as seen from above
  double *z, *r;   // m each
  double *column;  // m, a gathered column
  int *rows;       // m, the rows of it
  double *product; // n: H x of those held
  double mu;       // the damping that was needed in the end, >= the problem's
} sinew_newton_scratch;

void sinew_newton_layout(sinew_arena *arena, int capacity, int n, sinew_newton_scratch *scratch);

// Solves for the degrees of freedom that are not held (held[j] == 0), the others
// keeping their values in x. wish (n) is x where free; where held it is on the side
// of x_j to which the model would have it go. Damping is raised until H + mu I is
// positive definite.
void sinew_newton_solve(const sinew_rows *rows, const double *gradient, double mu,
                        const signed char *held, sinew_newton_scratch *scratch, double *x,
                        double *wish);

// out = H x (n).
void sinew_newton_multiply(const sinew_rows *rows, sinew_newton_scratch *scratch, const double *x,
                           double *out);

#endif
