// Damped least squares in its three forms.
//
// minimise |J x - e|^2 + mu |x|^2. With B the degrees of freedom whose bound is active, at x_B, F
// the others (f of them), and e' = e - J_B x_B:
//
//   columns (eq. 10)  (J_F^T J_F + mu I) x_F = J_F^T e'        f x f
//   rows    (eq. 11)  (J_F J_F^T + mu I) y = e', x_F = J_F^T y  m x m
//   stacked           [J_F; sqrt(mu) I] x_F = [e'; 0] by least squares
//
// y = (e - J x) / mu, and J_j^T y is the unconstrained value of x_j: x_j itself in F, x_j plus the
// multiplier over mu in B (step/box.c). The three forms have the same solution. The smaller system
// is the faster one, with several tasks that of rows until F is smaller by some; only the stacked
// form does not square the condition number.
// Source: Buss 2009, section 5.
#include "step/dls.h"
#include "math/ldlt.h"
#include "math/qr.h"
#include "math/vector.h"
#include "step/box.h"
#include "step/few.h"

#include <float.h>
#include <string.h>

// Of several tasks the products of rows share entries of each path, those of columns do not: the
// columns form is the faster one where f is less than this share of m.
#define SHARE_OF_SEVERAL 0.7

void sinew_dls_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_dls_scratch *scratch = memory;
  const sinew_dls_system form = size->form;
  const size_t rows = (size_t)size->m, columns = (size_t)size->n;
  const size_t smaller = rows < columns ? rows : columns;
  const size_t entries = form == SINEW_SYSTEM_COLUMNS   ? columns * columns
                         : form == SINEW_SYSTEM_STACKED ? (rows + columns) * columns
                         : form == SINEW_SYSTEM_ROWS    ? rows * rows
                                                        : smaller * smaller;
  scratch->matrix = sinew_arena_take(arena, entries, sizeof(double));
  scratch->factor = sinew_arena_take(arena, entries, sizeof(double));
  scratch->right = sinew_arena_take(arena, rows + columns, sizeof(double));
  scratch->residual = sinew_arena_take(arena, rows, sizeof(double));
  scratch->unconstrained = sinew_arena_take(arena, columns, sizeof(double));
  scratch->from = sinew_arena_take(arena, columns, sizeof(double));
  scratch->index = sinew_arena_take(arena, columns, sizeof(int));
  scratch->held = sinew_arena_take(arena, columns, 1);
}

// Factors matrix + mu I. The damping is at least the rounding error of the matrix, since less would
// have no effect. Where the sum is indefinite in spite of that, the damping is increased until the
// factorization succeeds, which takes far fewer attempts than the loop has.
double sinew_dls_factor(int size, double mu, const double *matrix, double *factor) {
  double trace = 0.0;
  for (int i = 0; i < size; ++i) {
    trace += matrix[i * size + i];
  }
  mu = sinew_max(mu, sinew_max(DBL_EPSILON * trace, 1e-30));
  for (int attempt = 0; attempt < 60; ++attempt) {
    if (sinew_ldlt_factor(size, matrix, mu, factor)) {
      return mu;
    }
    mu *= 10.0;
  }
  return mu;
}

static void factor_damped(int size, double mu, sinew_dls_scratch *scratch) {
  scratch->mu = sinew_dls_factor(size, mu, scratch->matrix, scratch->factor);
}

// Unconstrained values from the residual of all of x: J_j^T (e - J x) / mu where a bound is active;
// elsewhere x_j as solved for, which has more digits.
static void unconstrained_from_residual(const sinew_step_problem *problem,
                                        sinew_dls_scratch *scratch, const double *x) {
  const int m = problem->rows->row_count;
  memcpy(scratch->residual, problem->e, (size_t)m * sizeof(double));
  sinew_rows_subtract(problem->rows, x, scratch->residual);
  for (int i = 0; i < m; ++i) {
    scratch->residual[i] /= scratch->mu;
  }
  sinew_rows_gradient(problem->rows, scratch->residual, scratch->unconstrained);
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    scratch->unconstrained[j] = scratch->held[j] == 0 ? x[j] : scratch->unconstrained[j];
  }
}

// J J^T, with the damping of single directions.
static void find_outer(const sinew_step_problem *problem, const signed char *held, double *A) {
  const int m = problem->rows->row_count;
  sinew_rows_outer(problem->rows, held, A);
  for (int k = 0; k < problem->filter_count; ++k) {
    const double *f = problem->filters + k * m;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j <= i; ++j) {
        A[i * m + j] += f[i] * f[j];
      }
    }
  }
}

static void solve_rows(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                       bool some_active, double *x) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count;
  find_outer(problem, some_active ? scratch->held : NULL, scratch->matrix);
  factor_damped(m, problem->mu, scratch);
  memcpy(scratch->right, scratch->residual, (size_t)m * sizeof(double));
  sinew_ldlt_solve(m, scratch->factor, scratch->right);
  sinew_rows_gradient(rows, scratch->right, scratch->unconstrained);
  for (int j = 0; j < rows->dof_count; ++j) {
    x[j] = scratch->held[j] == 0 ? scratch->unconstrained[j] : x[j];
  }
}

// Copies the solution of a system over F to x and to the unconstrained values.
static void scatter(const double *solution, sinew_dls_scratch *scratch, int n, double *x) {
  for (int j = n; j-- > 0;) { // from the end: solution may be the same array
    if (scratch->index[j] >= 0) {
      scratch->unconstrained[j] = x[j] = solution[scratch->index[j]];
    }
  }
}

static void solve_columns(const sinew_step_problem *problem, sinew_dls_scratch *scratch, int f,
                          double *x) {
  const sinew_rows *rows = problem->rows;
  sinew_rows_inner(rows, scratch->index, f, scratch->matrix);
  factor_damped(f, problem->mu, scratch);
  sinew_rows_gradient(rows, scratch->residual, scratch->unconstrained);
  for (int j = 0; j < rows->dof_count; ++j) {
    if (scratch->index[j] >= 0) {
      scratch->right[scratch->index[j]] = scratch->unconstrained[j];
    }
  }
  sinew_ldlt_solve(f, scratch->factor, scratch->right);
  scatter(scratch->right, scratch, rows->dof_count, x);
}

static void solve_stacked(const sinew_step_problem *problem, sinew_dls_scratch *scratch, int f,
                          double *x) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count;
  scratch->mu = problem->mu;
  memset(scratch->matrix, 0, (size_t)(m + f) * (size_t)f * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int k = 0; k < block->path_count; ++k) {
      const int j = scratch->index[rows->path[block->path_start + k]];
      for (int i = 0; j >= 0 && i < block->row_count; ++i) {
        scratch->matrix[(block->row + i) * f + j] =
            rows->values[block->value_start + k * block->row_count + i];
      }
    }
  }
  for (int j = 0; j < f; ++j) {
    scratch->matrix[(m + j) * f + j] = sqrt(problem->mu);
    scratch->right[m + j] = 0.0;
  }
  memcpy(scratch->right, scratch->residual, (size_t)m * sizeof(double));
  sinew_qr_least_squares(m + f, f, scratch->matrix, scratch->right, scratch->unconstrained);
  scatter(scratch->unconstrained, scratch, rows->dof_count, x);
}

// Fills index, the numbering of F, and residual, e' = e - J_B x_B; x_F <- 0. Returns f.
static int prepare(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  const sinew_rows *rows = problem->rows;
  int f = 0;
  bool nonzero = false; // else x_B = 0 and e' = e
  for (int j = 0; j < rows->dof_count; ++j) {
    const bool inactive = scratch->held[j] == 0;
    scratch->index[j] = inactive ? f++ : -1;
    x[j] = inactive ? 0.0 : x[j];
    nonzero |= x[j] != 0.0;
  }
  memcpy(scratch->residual, problem->e, (size_t)rows->row_count * sizeof(double));
  if (nonzero) {
    sinew_rows_subtract(rows, x, scratch->residual);
  }
  return f;
}

// The faster one of two systems that fit in the scratch.
static sinew_dls_system smaller_form(const sinew_rows *rows, int f) {
  const int m = rows->row_count;
  const double share = rows->block_count > 1 && m <= rows->dof_count ? SHARE_OF_SEVERAL : 1.0;
  return f < share * m ? SINEW_SYSTEM_COLUMNS : SINEW_SYSTEM_ROWS;
}

void sinew_dls_solve(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  const int n = problem->rows->dof_count, f = prepare(problem, scratch, x);
  sinew_dls_system form = problem->form;
  if (form == SINEW_SYSTEM_SMALLER) {
    form = smaller_form(problem->rows, f);
  }
  if (form == SINEW_SYSTEM_ROWS) {
    solve_rows(problem, scratch, f < n, x);
    return;
  }
  if (form == SINEW_SYSTEM_COLUMNS) {
    solve_columns(problem, scratch, f, x);
  } else {
    solve_stacked(problem, scratch, f, x);
  }
  if (f < n) {
    unconstrained_from_residual(problem, scratch, x);
  }
}

// Whether the rows form is used where no bound is active; then its system fits in the scratch.
static bool uses_rows(const sinew_step_problem *problem) {
  return problem->form == SINEW_SYSTEM_ROWS ||
         (problem->form == SINEW_SYSTEM_SMALLER &&
          problem->rows->dof_count >= problem->rows->row_count);
}

// y of the rows form where no bound is active.
static void solve_unbounded_rows(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                                 double *y) {
  const int m = problem->rows->row_count;
  find_outer(problem, NULL, scratch->matrix);
  factor_damped(m, problem->mu, scratch);
  memcpy(y, problem->e, (size_t)m * sizeof(double));
  sinew_ldlt_solve(m, scratch->factor, y);
}

// Without bounds: no active set, and no unconstrained values.
static void solve_unbounded(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                            double *x) {
  memset(scratch->held, 0, (size_t)problem->rows->dof_count);
  if (uses_rows(problem)) {
    solve_unbounded_rows(problem, scratch, scratch->right);
    sinew_rows_gradient(problem->rows, scratch->right, x);
  } else {
    sinew_dls_solve(problem, scratch, x);
  }
}

void sinew_dls_predict_residual(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                                double *predicted) {
  const int m = problem->rows->row_count;
  if (uses_rows(problem)) {
    solve_unbounded_rows(problem, scratch, predicted);
    for (int i = 0; i < m; ++i) {
      predicted[i] *= scratch->mu;
    }
    return;
  }
  solve_unbounded(problem, scratch, scratch->from);
  memcpy(predicted, problem->e, (size_t)m * sizeof(double));
  sinew_rows_subtract(problem->rows, scratch->from, predicted);
}

// The step, for the callback of the active set.
typedef struct bounded_step {
  sinew_step_problem problem;
  sinew_dls_scratch *scratch;
  double largest; // damping so far
} bounded_step;

// Steady: the least damping that rounding allows depends on the working set, too.
static int solve_inactive(void *step, bool steady, double *x) {
  bounded_step *self = step;
  self->problem.mu = steady ? self->largest : self->problem.mu;
  sinew_dls_solve(&self->problem, self->scratch, x);
  self->largest = sinew_max(self->largest, self->scratch->mu);
  return 1;
}

static int solve_box(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  bounded_step self = {*problem, scratch, 0.0};
  sinew_box box = sinew_box_of(problem, scratch->held, scratch->unconstrained, scratch->from);
  box.solve = solve_inactive;
  box.step = &self;
  return sinew_box_solve(&box, x);
}

// The step of a problem that step/few.h solves with the working set to begin with. Returns whether
// it does.
static bool step_of_few(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  const bool bounded = sinew_step_is_bounded(problem);
  scratch->mu = problem->mu;
  return sinew_rows_are_few(problem->rows) && (problem->begun || !bounded) && uses_rows(problem) &&
         problem->filter_count == 0 && sinew_few_are_damped(problem) &&
         sinew_few_least_squares(problem, scratch->held, scratch->residual, x);
}

int sinew_dls_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_dls_scratch *scratch = memory;
  const bool bounded = sinew_step_is_bounded(problem);
  int rounds = 1;
  scratch->left = step_of_few(problem, scratch, x);
  if (!scratch->left) {
    if (bounded) {
      rounds = solve_box(problem, scratch, x);
    } else {
      solve_unbounded(problem, scratch, x);
    }
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = scratch->mu;
  }
  return rounds;
}
