// Newton's step by the factor of an earlier one, of a matrix that is formed (formed.c).
//
// To form and factor H is most of a step's work. Where H has changed little since, its old factor
// nearly solves the new system, and the residual of that, by the rows of the new H, corrects it
// (iterative refinement). With H_0 + mu_0 I = L^T D L, F the columns without an active bound and A
// the others,
//
//   x_0 = (H_0 + mu_0 I)_FF^-1 (g_F - H_0,FA x_A)
//   r   = g - (H + mu I) x_0
//   x   = x_0 + dx,   dx = (H_0 + mu_0 I)_FF^-1 r_F
//
// With M = (H_0 + mu_0 I)_FF^-1 (H + mu I - H_0 - mu_0 I)_FF the error of x_0 is dx less M dx, to
// first order in M, and that of x is M dx: where |dx| <= SHARE |x_0| about SHARE^2 |x_0|. Where dx
// is larger, or x is beyond an inactive bound, or the multiplier (r - H_0 dx)_A of an active one
// has the wrong sign, the step is not taken. Source of the refinement: Golub and Van Loan, Matrix
// Computations, 2013, section 3.5.3; of steps with an old matrix: Kelley, Iterative Methods for
// Linear and Nonlinear Equations, 1995, section 5.4.1 (chord method), here with the new matrix in
// the residual.
#include "step/kept_factor.h"

#ifndef SINEW_SMALL

#include "step/box.h"

#include <math.h>
#include <string.h>

// After each step that needs a new factor growth counts as this much less, so that figures which
// have been fast keep their factors again.
#define FASTER 0.9

void sinew_factor_keep(const sinew_rows *rows, sinew_formed *formed) {
  *formed->kept = (sinew_formed_kept){.values = rows != NULL ? rows->values : NULL,
                                      .n = formed->n,
                                      .count = formed->count,
                                      .growth = formed->kept->growth};
}

// Whether a factor of these rows has been kept.
static bool is_kept(const sinew_rows *rows, const sinew_formed *formed) {
  const sinew_formed_kept *kept = formed->kept;
  return kept->values == rows->values && kept->n == rows->dof_count && formed->n == kept->n &&
         formed->count == kept->count;
}

// Whether the correction would be too large again.
static bool is_too_old(sinew_formed_kept *kept) {
  const bool old = kept->growth * (kept->steps + 1) > SINEW_KEPT_FACTOR_SHARE;
  kept->growth *= old ? FASTER : 1.0;
  return old;
}

// Whether a correction is small, from |dx|^2 and |x_0|^2.
static bool is_small(double square, double whole, sinew_formed_kept *kept) {
  const double share = SINEW_KEPT_FACTOR_SHARE;
  ++kept->steps;
  kept->growth = whole > 0.0 ? sqrt(square / whole) / kept->steps : 0.0;
  return square <= share * share * whole;
}

// Whether the factor is that of the columns without an active bound.
static bool is_of_set(const sinew_formed *formed, const signed char *held) {
  int f = 0;
  for (int j = 0; j < formed->n; ++j) {
    if (held[j] == 0) {
      if (f == formed->count || formed->column[f] != j) {
        return false;
      }
      ++f;
    }
  }
  return f == formed->count;
}

// unconstrained <- r. Returns |x|^2.
static double find_residual(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                            const double *x) {
  double square = 0.0;
  sinew_newton_multiply(problem->rows, scratch, x, scratch->right);
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    scratch->unconstrained[j] = (problem->gradient[j] - scratch->right[j]) - scratch->mu * x[j];
    square += scratch->held[j] == 0 ? x[j] * x[j] : 0.0;
  }
  return square;
}

// x += dx; unconstrained <- the unconstrained values. Returns |dx|^2.
static double correct(sinew_newton_scratch *scratch, double *x) {
  const int n = scratch->system->n;
  double *dx = scratch->from, *r = scratch->unconstrained, square = 0.0;
  memset(dx, 0, (size_t)n * sizeof *dx);
  sinew_formed_substitute(r, dx, scratch->system);
  sinew_formed_solve(scratch->system, -1, 0.0, dx);
  for (int j = 0; j < n; ++j) {
    x[j] += dx[j];
    square += dx[j] * dx[j];
    r[j] = scratch->held[j] == 0 ? x[j]
                                 : x[j] + (r[j] - sinew_formed_times_row(scratch->system, j, dx));
  }
  return square;
}

bool sinew_factor_step(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                       double *x) {
  if (!problem->again || !is_kept(problem->rows, scratch->system) ||
      problem->rows->dof_count < SINEW_KEPT_FACTOR_COLUMNS) {
    return false;
  }
  const bool bounded = sinew_step_is_bounded(problem);
  sinew_box box = sinew_box_of(problem, scratch->held, scratch->unconstrained, scratch->from);
  if (bounded) {
    sinew_box_take_working_set(&box, x);
  } else {
    memset(scratch->held, 0, (size_t)problem->rows->dof_count);
  }
  if (!is_of_set(scratch->system, scratch->held) || is_too_old(scratch->system->kept)) {
    return false;
  }
  sinew_formed_substitute(problem->gradient, x, scratch->system);
  sinew_formed_solve(scratch->system, -1, 0.0, x);
  const double whole = find_residual(problem, scratch, x);
  return is_small(correct(scratch, x), whole, scratch->system->kept) &&
         (!bounded || !sinew_box_update_working_set(&box, x));
}

#endif
