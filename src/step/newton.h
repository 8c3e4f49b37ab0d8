// Newton's step: x minimises the second-order model of half the squared residual,
//
//   -g . x + x . (H + mu I) x / 2,  that is  (H + mu I) x = g,
//
// within lower <= x <= upper.
#ifndef SINEW_STEP_NEWTON_H
#define SINEW_STEP_NEWTON_H

#include "step/formed.h"
#include "step/step.h"
#include "step/trunk.h"

// Where H + mu I is not positive definite: mu <- 2 mu + RAISE. The entries of H are squared lever
// arms in units of the model's size, of order 1 at most.
#define SINEW_NEWTON_RAISE 1e-4

typedef struct sinew_newton_scratch {
  double *w;             // columns w, segment by segment (rows.h)
  double *v;             // columns v, likewise, of segments with rows of several blocks
  double *pivot;         // n: 1 / d
  double *y;             // n
  double *off_diagonal;  // n: L10, L20, L21 of three columns that are eliminated together
  double *P;             // m x m: sum of w w^T / d of the eliminated columns
  double *z, *r;         // m each
  double *corner;        // m x m and m: the rows of one segment of P and of z or r, gathered
  int *index;            // m: which rows these are
  double *right;         // n: where H is formed, g less the columns of active bounds times x
  double *unconstrained; // n: see sinew_newton_solve()
  double *from;          // n: scratch of sinew_box_solve()
  signed char *initial;  // n: likewise
  signed char *held;     // n: not 0 where a bound is active
  sinew_formed formed;   // where H is formed, or the trunk's system
  sinew_formed first;    // where J^T J is formed, the same; not in small builds
  sinew_formed *system;  // that of the step
  sinew_trunk trunk;
  int negative_pivot; // the last column whose pivot was not positive, or -1
  double mu;          // the damping that was used, >= the problem's
} sinew_newton_scratch;

void sinew_newton_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// The same in two parts: without what stays from step to step, and that.
void sinew_newton_layout_step(sinew_arena *arena, const sinew_step_size *size,
                              sinew_newton_scratch *scratch);
void sinew_newton_layout_kept(sinew_arena *arena, const sinew_step_size *size,
                              sinew_newton_scratch *scratch);

// Solves for the columns without an active bound; the others keep their values in x. Writes
// unconstrained: x_j where no bound is active, else x_j moved by the model's negative gradient
// there, (g - (H + mu I) x)_j. mu is raised until H + mu I is positive definite. Returns
// the number of factorizations that this took.
int sinew_newton_solve(const sinew_step_problem *problem, sinew_newton_scratch *scratch, double *x);

// The minimiser within the bounds. Reads rows with second, gradient (the right-hand side g), mu,
// negative_curvature_step and bounds. Returns the number of systems solved.
int sinew_newton_step(const sinew_step_problem *problem, void *scratch, double *x);

// out = H x (n).
void sinew_newton_multiply(const sinew_rows *rows, sinew_newton_scratch *scratch, const double *x,
                           double *out);

#endif
