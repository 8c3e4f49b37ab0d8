// Damped least squares in its three forms.
//
// Source: Buss 2009, section 5. With F the degrees of freedom that are free and
// B those held at x_B, and e' = e - J_B x_B:
//
//   columns (eq. 10)  (J_F^T J_F + mu I) x_F = J_F^T e'        f x f
//   rows    (eq. 11)  (J_F J_F^T + mu I) y = e', x_F = J_F^T y  m x m
//   stacked           [J_F; sqrt(mu) I] x_F = [e'; 0] by least squares
//
// y is also (e - J x) / mu, so J_j^T y tells for each held j where it would go.
// The forms are equal; the smaller system is the faster, the stacked one alone
// does not square the condition number.
#include "step/dls.h"
#include "math/ldlt.h"
#include "math/qr.h"
#include "math/vector.h"
#include "step/box.h"

#include <float.h>
#include <string.h>

void sinew_dls_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_dls_scratch *scratch = memory;
  const sinew_dls_system form = size->form;
  const size_t rows = (size_t)size->m, columns = (size_t)size->n;
  // SMALLER takes columns only where they are fewer than rows.
  const size_t entries = form == SINEW_SYSTEM_COLUMNS   ? columns * columns
                         : form == SINEW_SYSTEM_STACKED ? (rows + columns) * columns
                                                        : rows * rows;
  scratch->matrix = sinew_arena_take(arena, entries, sizeof(double));
  scratch->factor = sinew_arena_take(arena, entries, sizeof(double));
  scratch->right = sinew_arena_take(arena, rows + columns, sizeof(double));
  scratch->residual = sinew_arena_take(arena, rows, sizeof(double));
  scratch->unconstrained = sinew_arena_take(arena, columns, sizeof(double));
  scratch->from = sinew_arena_take(arena, columns, sizeof(double));
  scratch->index = sinew_arena_take(arena, columns, sizeof(int));
  scratch->held = sinew_arena_take(arena, columns, 1);
}

// Factors matrix + mu I. Damping below the rounding of the matrix would be
// lost in it; where rounding leaves the sum indefinite all the same, the damping
// is raised until it is not, which it is long before the loop ends.
static void factor_damped(int size, double mu, sinew_dls_scratch *scratch) {
  double trace = 0.0;
  for (int i = 0; i < size; ++i) {
    trace += scratch->matrix[i * size + i];
  }
  scratch->mu = sinew_max(mu, sinew_max(DBL_EPSILON * trace, 1e-30));
  for (int attempt = 0; attempt < 60; ++attempt) {
    if (sinew_ldlt_factor(size, scratch->matrix, scratch->mu, scratch->factor)) {
      return;
    }
    scratch->mu *= 10.0;
  }
}

// The wishes of those held need the residual of the whole of x; those free keep
// the x that was solved for, which has more digits.
static void wish_from_residual(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                               const double *x) {
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

static void solve_rows(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                       bool some_held, double *x) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count;
  sinew_rows_outer(rows, some_held ? scratch->held : NULL, scratch->matrix);
  factor_damped(m, problem->mu, scratch);
  memcpy(scratch->right, scratch->residual, (size_t)m * sizeof(double));
  sinew_ldlt_solve(m, scratch->factor, scratch->right);
  sinew_rows_gradient(rows, scratch->right, scratch->unconstrained);
  for (int j = 0; j < rows->dof_count; ++j) {
    x[j] = scratch->held[j] == 0 ? scratch->unconstrained[j] : x[j];
  }
}

// x and unconstrained of the inactive columns from the solution of a system over them.
static void scatter(const double *solution, sinew_dls_scratch *scratch, int n, double *x) {
  for (int j = n; j-- > 0;) { // from the end: solution may be unconstrained itself
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

// Numbers the free degrees of freedom; e' = e - J_B x_B. Returns how many.
static int prepare(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  const sinew_rows *rows = problem->rows;
  int f = 0;
  bool moved = false; // what is held where it is takes nothing off e
  for (int j = 0; j < rows->dof_count; ++j) {
    const bool is_free = scratch->held[j] == 0;
    scratch->index[j] = is_free ? f++ : -1;
    x[j] = is_free ? 0.0 : x[j];
    moved |= x[j] != 0.0;
  }
  memcpy(scratch->residual, problem->e, (size_t)rows->row_count * sizeof(double));
  if (moved) {
    sinew_rows_subtract(rows, x, scratch->residual);
  }
  return f;
}

void sinew_dls_solve(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  const int m = problem->rows->row_count, n = problem->rows->dof_count;
  const int f = prepare(problem, scratch, x);
  sinew_dls_system form = problem->form;
  if (form == SINEW_SYSTEM_SMALLER) {
    form = f < m ? SINEW_SYSTEM_COLUMNS : SINEW_SYSTEM_ROWS;
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
    wish_from_residual(problem, scratch, x);
  }
}

// Whether rows serve best where nothing is held; their system has a place in the scratch.
static bool takes_rows(const sinew_step_problem *problem) {
  return problem->form == SINEW_SYSTEM_ROWS ||
         (problem->form == SINEW_SYSTEM_SMALLER &&
          problem->rows->dof_count >= problem->rows->row_count);
}

// y of the rows' system where nothing is held.
static void solve_open_rows(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                            double *y) {
  const int m = problem->rows->row_count;
  sinew_rows_outer(problem->rows, NULL, scratch->matrix);
  factor_damped(m, problem->mu, scratch);
  memcpy(y, problem->e, (size_t)m * sizeof(double));
  sinew_ldlt_solve(m, scratch->factor, y);
}

// Without bounds nothing is held, and unconstrained is not needed.
static void solve_open(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  memset(scratch->held, 0, (size_t)problem->rows->dof_count);
  if (takes_rows(problem)) {
    solve_open_rows(problem, scratch, scratch->right);
    sinew_rows_gradient(problem->rows, scratch->right, x);
  } else {
    sinew_dls_solve(problem, scratch, x);
  }
}

void sinew_dls_predict_residual(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                                double *left) {
  const int m = problem->rows->row_count;
  if (takes_rows(problem)) {
    solve_open_rows(problem, scratch, left);
    for (int i = 0; i < m; ++i) {
      left[i] *= scratch->mu;
    }
    return;
  }
  solve_open(problem, scratch, scratch->from);
  memcpy(left, problem->e, (size_t)m * sizeof(double));
  sinew_rows_subtract(problem->rows, scratch->from, left);
}

// The step as the active set calls it.
typedef struct boxed {
  const sinew_step_problem *problem;
  sinew_dls_scratch *scratch;
} boxed;

static void solve_boxed(void *step, double *x) {
  const boxed *self = step;
  sinew_dls_solve(self->problem, self->scratch, x);
}

static int solve_box(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x) {
  boxed self = {problem, scratch};
  const sinew_box box = {.n = problem->rows->dof_count,
                         .gradient = problem->gradient,
                         .lower = problem->lower,
                         .upper = problem->upper,
                         .held = scratch->held,
                         .unconstrained = scratch->unconstrained,
                         .from = scratch->from,
                         .solve = solve_boxed,
                         .step = &self};
  return sinew_box_solve(&box, x);
}

int sinew_dls_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_dls_scratch *scratch = memory;
  int rounds = 1;
  if (problem->lower == NULL || problem->upper == NULL) {
    solve_open(problem, scratch, x);
  } else {
    rounds = solve_box(problem, scratch, x);
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = scratch->mu;
  }
  return rounds;
}
