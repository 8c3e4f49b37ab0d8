// The Jacobian transpose: x = alpha K J^T e, alpha such that J x is as near to e as this
// direction allows.
#ifndef SINEW_STEP_TRANSPOSE_H
#define SINEW_STEP_TRANSPOSE_H

#include "base/memory.h"
#include "math/rows.h"

typedef struct sinew_transpose_problem {
  const sinew_rows *rows;
  const double *e;             // m: what J x shall be
  const double *gradient;      // n: J^T e
  const double *gains;         // n: K's diagonal, >= 0; NULL: all 1
  const double *lower, *upper; // n: bounds of x, or NULL
} sinew_transpose_problem;

typedef struct sinew_transpose_scratch {
  double *residual;  // m: e - J x of those held
  double *image;     // m
  double *gradient;  // n
  double *direction; // n
  signed char *held; // n: -1 at its lower bound, 1 at its upper, 0 free
} sinew_transpose_scratch;

void sinew_transpose_layout(sinew_arena *arena, int m, int n, sinew_transpose_scratch *scratch);

// x within its bounds: those that would leave them stay there (hold.h), and the others are solved
// for again. x is 0 where J^T e is, to its rounding. Not clamped. Returns how often it solved.
int sinew_transpose_solve_bounded(const sinew_transpose_problem *problem,
                                  sinew_transpose_scratch *scratch, double *x);

#endif
