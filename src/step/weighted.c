// The weighted pseudoinverse, damped, within bounds.
//
//   x = W^-1 J^T (J W^-1 J^T + mu I)^-1 e      minimises |J x - e|^2 + mu x^T W x
//
// With B the degrees of freedom whose bound is active, at x_B, F the others, W_FF = L L^T,
// v = L^-1 W_FB x_B, K = J_F L^-T and y = L^T x_F + v it is plain damped least squares:
//
//   minimise |K y - e'|^2 + mu |y|^2,   e' = e - J_B x_B + K v
//
// in the smaller of its forms (step/dls.h). With the multipliers z = (e - J x) / mu a bound of B is
// released where x_j should move inwards: its unconstrained value is x_j + (J_j^T z - (W x)_j) /
// W_jj. J is treated as dense.
//
// Source: Whitney, Resolved motion rate control of manipulators and human prostheses, 1969.
#include "step/weighted.h"
#include "base/error.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "step/box.h"
#include "step/dls.h"

#include <string.h>

// The least share of its diagonal entry that a pivot of W may have: with less, rounding errors
// decide.
#define LEAST_PIVOT 1e-10

void sinew_weighted_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_weighted_scratch *scratch = memory;
  const size_t m = (size_t)size->m, n = (size_t)size->n;
  const bool by_rows = size->form == SINEW_SYSTEM_ROWS; // as damping laws with filters need
  const size_t smaller = m < n || by_rows ? m : n, larger = m < n ? n : m;
  scratch->L = sinew_arena_take(arena, n * n, sizeof(double));
  scratch->K = sinew_arena_take(arena, m * n, sizeof(double));
  scratch->matrix = sinew_arena_take(arena, smaller * smaller, sizeof(double));
  scratch->factor = sinew_arena_take(arena, smaller * smaller, sizeof(double));
  scratch->right = sinew_arena_take(arena, larger, sizeof(double));
  scratch->residual = sinew_arena_take(arena, m, sizeof(double));
  scratch->v = sinew_arena_take(arena, n, sizeof(double));
  scratch->y = sinew_arena_take(arena, n, sizeof(double));
  scratch->unconstrained = sinew_arena_take(arena, n, sizeof(double));
  scratch->from = sinew_arena_take(arena, n, sizeof(double));
  scratch->inactive = sinew_arena_take(arena, n, sizeof(int));
  scratch->held = sinew_arena_take(arena, n, 1);
}

static double product(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// W of two degrees of freedom.
static double weight(const sinew_step_problem *problem, int i, int j) {
  const int a = problem->weight_index[i], b = problem->weight_index[j];
  return problem->weights[(size_t)a * (size_t)problem->weight_stride + (size_t)b];
}

// (W x)_j of those in B, or of all.
static double weighted_sum(const sinew_step_problem *problem, const signed char *held, int j,
                           const double *x) {
  double sum = 0.0;
  for (int k = 0; k < problem->rows->dof_count; ++k) {
    sum += held == NULL || held[k] != 0 ? weight(problem, j, k) * x[k] : 0.0;
  }
  return sum;
}

bool sinew_weighted_factor(int n, double *W) {
  for (int i = 0; i < n; ++i) {
    double *row = W + i * n;
    for (int j = 0; j < i; ++j) {
      row[j] = (row[j] - product(j, row, W + j * n)) / W[j * n + j];
    }
    const double pivot = row[i] - product(i, row, row);
    if (!(pivot > LEAST_PIVOT * row[i])) {
      return false;
    }
    row[i] = sqrt(pivot);
  }
  return true;
}

// L of W_FF. Its pivots are at least those of W, which has been checked.
static void factor_weights(const sinew_step_problem *problem, int f,
                           sinew_weighted_scratch *scratch) {
  for (int i = 0; i < f; ++i) {
    for (int j = 0; j <= i; ++j) {
      scratch->L[i * f + j] = weight(problem, scratch->inactive[i], scratch->inactive[j]);
    }
  }
  const bool positive = sinew_weighted_factor(f, scratch->L);
  SINEW_ASSERT(positive);
  (void)positive;
}

// b <- L^-1 b, b <- L^-T b.
static void solve_lower(int f, const double *L, double *b) {
  for (int i = 0; i < f; ++i) {
    b[i] = (b[i] - product(i, L + i * f, b)) / L[i * f + i];
  }
}

static void solve_upper(int f, const double *L, double *b) {
  for (int i = f; i-- > 0;) {
    for (int k = i + 1; k < f; ++k) {
      b[i] -= L[k * f + i] * b[k];
    }
    b[i] /= L[i * f + i];
  }
}

// K: each row of J_F, then solved with L. right is scratch of n.
static void fill_K(const sinew_step_problem *problem, int f, sinew_weighted_scratch *scratch) {
  const sinew_rows *rows = problem->rows;
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int r = 0; r < block->row_count; ++r) {
      double *row = scratch->K + (block->row + r) * f;
      sinew_zero((size_t)rows->dof_count, scratch->right);
      for (int k = 0; k < block->path_count; ++k) {
        scratch->right[rows->path[block->path_start + k]] =
            rows->values[block->value_start + k * block->row_count + r];
      }
      for (int i = 0; i < f; ++i) {
        row[i] = scratch->right[scratch->inactive[i]];
      }
      solve_lower(f, scratch->L, row);
    }
  }
}

// matrix <- K K^T and the filters, or K^T K; lower triangle.
static void fill_matrix(const sinew_step_problem *problem, bool by_rows, int f,
                        sinew_weighted_scratch *scratch) {
  const int m = problem->rows->row_count, size = by_rows ? m : f;
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      if (by_rows) {
        sum = product(f, scratch->K + i * f, scratch->K + j * f);
      }
      for (int k = 0; by_rows && k < problem->filter_count; ++k) {
        sum += problem->filters[k * m + i] * problem->filters[k * m + j];
      }
      for (int r = 0; !by_rows && r < m; ++r) {
        sum += scratch->K[r * f + i] * scratch->K[r * f + j];
      }
      scratch->matrix[i * size + j] = sum;
    }
  }
}

// y, and in the form by rows the multipliers in right.
static void solve_whitened(const sinew_step_problem *problem, bool by_rows, int f,
                           sinew_weighted_scratch *scratch) {
  const int m = problem->rows->row_count;
  fill_matrix(problem, by_rows, f, scratch);
  scratch->mu = sinew_dls_factor(by_rows ? m : f, problem->mu, scratch->matrix, scratch->factor);
  if (by_rows) {
    memcpy(scratch->right, scratch->residual, (size_t)m * sizeof(double));
    sinew_ldlt_solve(m, scratch->factor, scratch->right);
  }
  for (int i = 0; i < f; ++i) {
    scratch->y[i] = 0.0;
    for (int r = 0; r < m; ++r) {
      scratch->y[i] += scratch->K[r * f + i] * (by_rows ? scratch->right[r] : scratch->residual[r]);
    }
  }
  if (!by_rows) {
    sinew_ldlt_solve(f, scratch->factor, scratch->y);
  }
}

// Unconstrained values: x_j in F, and where multipliers would move those in B.
static void fill_unconstrained(const sinew_step_problem *problem, bool by_rows,
                               sinew_weighted_scratch *scratch, const double *x) {
  const int m = problem->rows->row_count, n = problem->rows->dof_count;
  if (!by_rows) { // z = (e - J x) / mu
    memcpy(scratch->right, problem->e, (size_t)m * sizeof(double));
    sinew_rows_subtract(problem->rows, x, scratch->right);
    for (int r = 0; r < m; ++r) {
      scratch->right[r] /= scratch->mu;
    }
  }
  sinew_rows_gradient(problem->rows, scratch->right, scratch->unconstrained);
  for (int j = 0; j < n; ++j) {
    const double pull = scratch->unconstrained[j] - weighted_sum(problem, NULL, j, x);
    scratch->unconstrained[j] = scratch->held[j] == 0 ? x[j] : x[j] + pull / weight(problem, j, j);
  }
}

// x_F, given x_B.
static void solve_inactive(const sinew_step_problem *problem, sinew_weighted_scratch *scratch,
                           double *x) {
  const int m = problem->rows->row_count, n = problem->rows->dof_count;
  int f = 0;
  for (int j = 0; j < n; ++j) {
    if (scratch->held[j] == 0) {
      scratch->inactive[f++] = j;
      x[j] = 0.0;
    }
  }
  memcpy(scratch->residual, problem->e, (size_t)m * sizeof(double));
  if (f < n) {
    sinew_rows_subtract(problem->rows, x, scratch->residual);
  }
  factor_weights(problem, f, scratch);
  fill_K(problem, f, scratch);
  for (int i = 0; i < f; ++i) {
    scratch->v[i] = f < n ? weighted_sum(problem, scratch->held, scratch->inactive[i], x) : 0.0;
  }
  solve_lower(f, scratch->L, scratch->v);
  for (int r = 0; r < m; ++r) {
    scratch->residual[r] += product(f, scratch->K + r * f, scratch->v);
  }
  const bool by_rows = m <= f || problem->filter_count > 0;
  solve_whitened(problem, by_rows, f, scratch);
  for (int i = 0; i < f; ++i) {
    scratch->y[i] -= scratch->v[i];
  }
  solve_upper(f, scratch->L, scratch->y);
  for (int i = 0; i < f; ++i) {
    x[scratch->inactive[i]] = scratch->y[i];
  }
  fill_unconstrained(problem, by_rows, scratch, x);
}

// The step, for the callback of the active set.
typedef struct bounded_step {
  sinew_step_problem problem;
  sinew_weighted_scratch *scratch;
  double largest; // damping so far
} bounded_step;

static int solve_bounded(void *step, bool steady, double *x) {
  bounded_step *self = step;
  self->problem.mu = steady ? self->largest : self->problem.mu;
  solve_inactive(&self->problem, self->scratch, x);
  self->largest = sinew_max(self->largest, self->scratch->mu);
  return 1;
}

int sinew_weighted_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_weighted_scratch *scratch = memory;
  int systems = 1;
  if (problem->lower == NULL || problem->upper == NULL) {
    memset(scratch->held, 0, (size_t)problem->rows->dof_count);
    solve_inactive(problem, scratch, x);
  } else {
    bounded_step self = {*problem, scratch, 0.0};
    const sinew_box box = {.n = problem->rows->dof_count,
                           .gradient = problem->gradient,
                           .lower = problem->lower,
                           .upper = problem->upper,
                           .held = scratch->held,
                           .unconstrained = scratch->unconstrained,
                           .from = scratch->from,
                           .solve = solve_bounded,
                           .step = &self};
    systems = sinew_box_solve(&box, x);
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = scratch->mu;
  }
  return systems;
}
