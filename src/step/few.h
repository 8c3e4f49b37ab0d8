// Steps of one task of up to six rows over five to eight columns, as most arms have: their rows are
// read one after another, four columns at a time.
//
//   damped least squares   as a level of its rows alone, D = mu I: step/level.h
//   Newton                 H = U^T V formed and factored where no bound is active
#ifndef SINEW_STEP_FEW_H
#define SINEW_STEP_FEW_H

#include "simd/four.h"
#include "step/level.h"
#include "step/level_small.h"
#include "step/step.h"

#include <float.h>

// The damping in units of the rounding errors of J J^T above which its sum with these is positive
// definite.
#define SINEW_FEW_LEAST_DAMPING (1e4 * DBL_EPSILON)

enum { SINEW_FEW_STRIDE = SINEW_LEVEL_FEW_COLUMNS };

// Whether rows are these, with one path of all columns.
SINEW_ALWAYS_INLINE bool sinew_rows_are_few(const sinew_rows *rows) {
  const int n = rows->dof_count;
  return SINEW_HAS_FAST_PATHS && rows->block_count == 1 && n > 4 && n <= SINEW_LEVEL_FEW_COLUMNS &&
         rows->row_count > 0 && rows->row_count <= SINEW_LEVEL_FEW_ROWS &&
         rows->blocks->path_count == n;
}

// Four columns of a pose, from one on, as rows.
SINEW_ALWAYS_INLINE void sinew_few_take_four(const double *values, double *out) {
  sinew_four first[4], last[4], top[4], bottom[4];
  for (int k = 0; k < 4; ++k) {
    first[k] = sinew_four_load(values + 6 * k);
    last[k] = sinew_four_load(values + 6 * k + 2);
  }
  sinew_four_transpose(first, top);
  sinew_four_transpose(last, bottom);
  for (int r = 0; r < 4; ++r) {
    sinew_four_store(out + SINEW_FEW_STRIDE * r, top[r]);
  }
  for (int r = 4; r < 6; ++r) {
    sinew_four_store(out + SINEW_FEW_STRIDE * r, bottom[r - 2]);
  }
}

// out <- the rows of J or of its second columns, SINEW_FEW_STRIDE apart, 0 past the columns.
SINEW_ALWAYS_INLINE void sinew_few_take_rows(const sinew_rows *rows, const double *values,
                                             double *out) {
  const int m = rows->row_count, n = rows->dof_count;
  for (int r = 0; r < m; ++r) {
    sinew_four_store(out + SINEW_FEW_STRIDE * r + 4, SINEW_FOUR_OF(0.0));
  }
  if (m == 6) { // the last four again
    sinew_few_take_four(values, out);
    sinew_few_take_four(values + 6 * (n - 4), out + n - 4);
    return;
  }
  for (int k = 0; k < n; ++k) {
    for (int r = 0; r < m; ++r) {
      out[SINEW_FEW_STRIDE * r + k] = values[m * k + r];
    }
  }
}

// Whether the damping is one that few rows are solved with.
SINEW_ALWAYS_INLINE bool sinew_few_are_damped(const sinew_step_problem *problem) {
  return problem->mu > SINEW_FEW_LEAST_DAMPING * problem->rows->square && problem->mu > 1e-30;
}

// Damped least squares, where the working set held (n) is the minimum's; else returns false, and
// leaves x. residual (m) <- e - J x.
static inline bool sinew_few_least_squares(const sinew_step_problem *problem, signed char *held,
                                           double *residual, double *x) {
  const int m = problem->rows->row_count, n = problem->rows->dof_count;
  const sinew_four zero = SINEW_FOUR_OF(0.0), mu = SINEW_FOUR_OF(problem->mu);
  const bool bounded = sinew_step_is_bounded(problem);
  double J[6 * SINEW_FEW_STRIDE], D[8], g[8], found[8], systems[2][36], columns[3][8];
  uint64_t used[2];
  signed char active[8] = {0};
  sinew_level_scratch scratch; // what else it has is not read
  scratch.used = used;
  scratch.every = columns[0];
  scratch.inverse = columns[1];
  scratch.base = columns[2];
  scratch.matrix = systems[0];
  scratch.factor = systems[1];
  scratch.right = residual;
  scratch.held = active;
  const sinew_level_rows rows = {.n = n,
                                 .wanted = m,
                                 .J = J,
                                 .e = problem->e,
                                 .D = D,
                                 .g = g,
                                 .lower = bounded ? problem->lower : NULL,
                                 .upper = bounded ? problem->upper : NULL};
  sinew_few_take_rows(problem->rows, problem->rows->values, J);
  for (int j = 0; j < 8; j += 4) {
    sinew_four_store(D + j, mu);
    sinew_four_store(g + j, zero);
  }
  memcpy(active, held, (size_t)n);
  if (!sinew_level_solve_once(&rows, &scratch, found)) {
    return false;
  }
  memcpy(held, active, (size_t)n);
  memcpy(x, found, (size_t)n * sizeof *x);
  return true;
}

// Whether no bound of x is exceeded.
SINEW_ALWAYS_INLINE bool sinew_few_are_within(const sinew_step_problem *problem, const double *x) {
  const int n = problem->rows->dof_count;
  sinew_four_bits outside = {0, 0, 0, 0};
  for (int j = 0; sinew_step_is_bounded(problem) && j < n; j += 4) {
    const sinew_four at = sinew_four_load_some(x + j, n - j);
    outside |= (at < sinew_four_load_some(problem->lower + j, n - j)) |
               (at > sinew_four_load_some(problem->upper + j, n - j));
  }
  return !sinew_four_bits_any(outside);
}

// H, of which the lower triangle is right: row k is the sum of u_rk v_r over the rows r. What is
// past the columns is 0.
SINEW_ALWAYS_INLINE void sinew_few_form(int m, const double *U, const double *V, double *H) {
  for (int k = 0; k < SINEW_FEW_STRIDE; ++k) {
    sinew_four sum[2] = {SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0)};
    for (int r = 0; r < m; ++r) {
      const double *v = V + SINEW_FEW_STRIDE * r;
      const sinew_four u = SINEW_FOUR_OF(U[SINEW_FEW_STRIDE * r + k]);
      sum[0] += u * sinew_four_load(v);
      if (k >= 4) {
        sum[1] += u * sinew_four_load(v + 4);
      }
    }
    sinew_four_store(H + SINEW_FEW_STRIDE * k, sum[0]);
    sinew_four_store(H + SINEW_FEW_STRIDE * k + 4, sum[1]);
  }
}

// Row i of H, up to its diagonal, less a share of row k.
SINEW_ALWAYS_INLINE void sinew_few_subtract(double *H, int i, int k, double share) {
  double *to = H + SINEW_FEW_STRIDE * i;
  const double *row = H + SINEW_FEW_STRIDE * k;
  for (int j = 0; j <= i; j += 4) {
    sinew_four_store(to + j,
                     sinew_four_load(to + j) - SINEW_FOUR_OF(share) * sinew_four_load(row + j));
  }
}

// Solves (H + mu I) x = b in place of b, from the last column to the first; H <- the elimination's
// rows. Returns false if a pivot is not above mu / 2, as segment.c and formed.c have it. A fixed
// number of columns, of which those past the last are 0, is faster than the last ones' share.
static inline bool sinew_few_solve(double mu, double *H, double *b) {
  enum { n = SINEW_FEW_STRIDE };
  double inverse[SINEW_FEW_STRIDE];
#pragma GCC unroll 8
  for (int k = n - 1; k >= 0; --k) {
    const double *row = H + SINEW_FEW_STRIDE * k;
    const double pivot = row[k] + mu;
    if (!(pivot > 0.5 * mu)) {
      return false;
    }
    inverse[k] = 1.0 / pivot;
#pragma GCC unroll 8
    for (int i = 0; i < k; ++i) {
      const double share = row[i] * inverse[k];
      b[i] -= share * b[k];
      sinew_few_subtract(H, i, k, share);
    }
  }
#pragma GCC unroll 8
  for (int k = 0; k < n; ++k) {
    const double *row = H + SINEW_FEW_STRIDE * k;
    double rest = b[k];
#pragma GCC unroll 8
    for (int j = 0; j < k; ++j) {
      rest -= row[j] * b[j];
    }
    b[k] = rest * inverse[k];
  }
  return true;
}

// Newton's step with damping mu, which is at least the problem's. Returns false, and leaves x, if H
// + mu I is not positive definite, or x is not within the bounds.
static inline bool sinew_few_newton(const sinew_step_problem *problem, double mu, double *x) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count, n = rows->dof_count;
  double U[6 * SINEW_FEW_STRIDE], V[6 * SINEW_FEW_STRIDE], H[8 * SINEW_FEW_STRIDE], found[8];
  sinew_few_take_rows(rows, rows->values, U);
  sinew_few_take_rows(rows, rows->second, V);
  if (m == 6) {
    sinew_few_form(6, U, V, H);
  } else {
    sinew_few_form(m, U, V, H);
  }
  sinew_four_store(found + 4, SINEW_FOUR_OF(0.0));
  memcpy(found, problem->gradient, (size_t)n * sizeof *found);
  if (!sinew_few_solve(mu, H, found) || !sinew_few_are_within(problem, found)) {
    return false;
  }
  memcpy(x, found, (size_t)n * sizeof *x);
  return true;
}

#endif
