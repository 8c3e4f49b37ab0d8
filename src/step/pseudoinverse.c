// The pseudoinverse, x = J^+ e, in its three forms.
//
//   rank m  (m <= n)  x = J^T (J J^T)^-1 e
//   rank n  (n < m)   x = (J^T J)^-1 J^T e
//   any               x = sum over sigma_i > cut sigma_1 of (u_i . e) / sigma_i v_i
//
// The factored forms take a quarter of the time. They are used where the factor proves that no
// singular value is cut off: with A = J J^T or J^T J,
//
//   sigma_1^2 <= tr A,   1 / sigma_min^2 <= tr A^-1,   so (sigma_1 / sigma_min)^2 <= tr A tr A^-1,
//
// and that this bound of A's condition, the square of J's, is below 1e8, so that half the digits
// remain. Then they agree with the sum over singular values.
// Source: Buss 2009, sections 4 and 6.
#include "step/pseudoinverse.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "step/hold.h"

#include <string.h>

// The largest condition of A for which its factor is used.
#define MOST_CONDITION 1e8
// For a trace outside of these, the singular values are used, which are scaled.
#define SMALL 1e-100
#define LARGE 1e100

void sinew_pseudoinverse_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_pseudoinverse_scratch *scratch = memory;
  const int m = size->m, n = size->n;
  const size_t rows = (size_t)m, columns = (size_t)n, least = m < n ? rows : columns;
  sinew_svd_layout(arena, m, n, &scratch->svd);
  scratch->matrix = sinew_arena_take(arena, least * least, sizeof(double));
  scratch->factor = sinew_arena_take(arena, least * least, sizeof(double));
  scratch->right = sinew_arena_take(arena, 2 * (least + 1), sizeof(double));
  scratch->residual = sinew_arena_take(arena, rows, sizeof(double));
  scratch->solution = sinew_arena_take(arena, columns, sizeof(double));
  scratch->index = sinew_arena_take(arena, columns, sizeof(int));
  scratch->held = sinew_arena_take(arena, columns, 1);
}

// tr (L D L^T)^-1 = sum of (L^-1)_ik^2 / d_i, a column of L^-1 at a time.
static double trace_of_inverse(int size, const double *factor, double *column) {
  double trace = 0.0;
  for (int k = 0; k < size; ++k) {
    column[k] = 1.0;
    trace += factor[k * size + k];
    for (int i = k + 1; i < size; ++i) {
      double sum = 0.0;
      for (int j = k; j < i; ++j) {
        sum -= factor[i * size + j] * column[j];
      }
      column[i] = sum;
      trace += sum * sum * factor[i * size + i];
    }
  }
  return trace;
}

// Factors scratch->matrix. Returns false if full rank with a good condition is not proven.
static bool factor_full_rank(int size, double cut, sinew_pseudoinverse_scratch *scratch) {
  double trace = 0.0;
  for (int i = 0; i < size; ++i) {
    trace += scratch->matrix[i * size + i];
  }
  if (!(trace > SMALL && trace < LARGE) ||
      !sinew_ldlt_factor(size, scratch->matrix, 0.0, scratch->factor)) {
    return false;
  }
  const double condition = trace * trace_of_inverse(size, scratch->factor, scratch->right);
  return condition < MOST_CONDITION && condition * cut * cut < 1.0;
}

// solution = J^T (J J^T)^-1 residual.
static bool solve_rows(const sinew_step_problem *problem, sinew_pseudoinverse_scratch *scratch) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count;
  sinew_rows_outer(rows, scratch->held, scratch->matrix);
  if (!factor_full_rank(m, problem->cut, scratch)) {
    return false;
  }
  memcpy(scratch->right, scratch->residual, (size_t)m * sizeof(double));
  sinew_ldlt_solve(m, scratch->factor, scratch->right);
  sinew_rows_gradient(rows, scratch->right, scratch->solution);
  return true;
}

// solution = (J^T J)^-1 J^T residual, over the f at no active bound.
static bool solve_columns(const sinew_step_problem *problem, int f,
                          sinew_pseudoinverse_scratch *scratch) {
  const sinew_rows *rows = problem->rows;
  sinew_rows_inner(rows, scratch->index, f, scratch->matrix);
  if (!factor_full_rank(f, problem->cut, scratch)) {
    return false;
  }
  sinew_rows_gradient(rows, scratch->residual, scratch->solution);
  for (int j = 0; j < rows->dof_count; ++j) {
    if (scratch->index[j] >= 0) {
      scratch->right[scratch->index[j]] = scratch->solution[j];
    }
  }
  sinew_ldlt_solve(f, scratch->factor, scratch->right);
  for (int j = 0; j < rows->dof_count; ++j) {
    scratch->solution[j] = scratch->index[j] >= 0 ? scratch->right[scratch->index[j]] : 0.0;
  }
  return true;
}

void sinew_pseudoinverse_apply(const sinew_svd *svd, const double *e, double cut, double mu,
                               double *work, double *x) {
  sinew_svd_project(svd, e, work);
  for (int i = 0; i < svd->stride; ++i) {
    const double sigma = svd->sigma[i];
    // sigma / (sigma^2 + mu) without a square that overflows; mu or sigma is not 0
    const double inverse = sigma > cut * svd->sigma[0] ? 1.0 / (sigma + mu / sigma) : 0.0;
    work[i] = sinew_clamp(work[i] * inverse, -SINEW_HUGE, SINEW_HUGE);
  }
  sinew_svd_combine(svd, work, x);
}

void sinew_pseudoinverse_solve(const sinew_step_problem *problem,
                               sinew_pseudoinverse_scratch *scratch, double *x) {
  const sinew_rows *rows = problem->rows;
  int f = 0;
  for (int j = 0; j < rows->dof_count; ++j) {
    scratch->index[j] = scratch->held[j] == 0 ? f++ : -1;
  }
  sinew_hold_residual(rows, problem->e, scratch->held, x, scratch->residual);
  const bool factored =
      !problem->singular_values &&
      (rows->row_count <= f ? solve_rows(problem, scratch) : solve_columns(problem, f, scratch));
  if (!factored) {
    sinew_svd_find(rows, scratch->held, &scratch->svd);
    sinew_pseudoinverse_apply(&scratch->svd, scratch->residual, problem->cut, 0.0, scratch->right,
                              scratch->solution);
  }
  for (int j = 0; j < rows->dof_count; ++j) {
    x[j] = scratch->held[j] == 0 ? scratch->solution[j] : x[j];
  }
}

int sinew_pseudoinverse_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_pseudoinverse_scratch *scratch = memory;
  const int n = problem->rows->dof_count;
  int rounds = 0;
  memset(scratch->held, 0, (size_t)n);
  do {
    sinew_pseudoinverse_solve(problem, scratch, x);
    ++rounds;
  } while (sinew_hold_outward(n, problem->lower, problem->upper, scratch->held, x));
  return rounds;
}
