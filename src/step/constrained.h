// A step within inequality rows besides its bounds:
//
//   minimise   x^T (H + K + mu I) x / 2 - g^T x   over   lower <= x <= upper,  row_lower <= A x <=
//   row_upper
//
// H is that of damped least squares, J^T J, or of Newton's step, and K the curvature of the rows.
// The bounds are of two kinds: outer ones, of limits and speeds, to which rows yield, and narrower
// ones, of accelerations and braking, which yield to some rows (step/qp.h).
#ifndef SINEW_STEP_CONSTRAINED_H
#define SINEW_STEP_CONSTRAINED_H

#include "step/newton.h"
#include "step/qp.h"
#include "step/step.h"

typedef struct sinew_inequalities {
  int count;                   // rows
  const double *entries;       // count x n
  const double *lower, *upper; // count
  const double *outer_lower;   // n: outer bounds, NULL: none
  const double *outer_upper;   //
  const double *narrow_lower;  // n: the others, NULL: none
  const double *narrow_upper;  //
  const unsigned char *rank;   // of the outer bounds, the others, the rows: n + n + count
  const double *curvature;     // K, n x n, lower triangle; NULL: 0
} sinew_inequalities;

typedef struct sinew_constrained_scratch {
  sinew_qp_workspace program; // rows: bounds, the narrower ones, general rows
  double *H, *factor;         // n x n each
  double *unit, *g;           // n each
  double *entries;            // rows of the program: those of the narrower bounds have one entry
  int *index, *start;
  double *row_lower, *row_upper;
} sinew_constrained_scratch;

// Room for up to n degrees of freedom and so many rows.
void sinew_constrained_layout(sinew_arena *arena, int n, int rows,
                              sinew_constrained_scratch *scratch);

// Whether x is within the rows, but for rounding errors.
bool sinew_constrained_holds(const sinew_inequalities *of, int n, const double *x);

// The minimum; bounds are those of the inequalities. second: whether H is Newton's. Reads the
// problem's rows, gradient and mu, which is raised until the matrix is positive definite. Returns
// the number of systems solved.
int sinew_constrained_step(const sinew_step_problem *problem, const sinew_inequalities *of,
                           bool second, sinew_newton_scratch *newton,
                           sinew_constrained_scratch *scratch, double *x);

// x <- the nearest point within bounds and rows. Returns the number of systems solved.
int sinew_constrained_project(const sinew_inequalities *of, int n,
                              sinew_constrained_scratch *scratch, double *x);

#endif
