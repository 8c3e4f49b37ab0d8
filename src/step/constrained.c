// Steps within inequality rows: see constrained.h.
#include "step/constrained.h"
#include "math/ldlt.h"
#include "math/vector.h"

#include <limits.h>
#include <string.h>

void sinew_constrained_layout(sinew_arena *arena, int n, int rows,
                              sinew_constrained_scratch *scratch) {
  const size_t variables = (size_t)n, general = variables + (size_t)rows;
  const size_t entries = variables + (size_t)rows * variables;
  sinew_qp_workspace_layout(arena, n, n + rows, &scratch->program);
  scratch->H = sinew_arena_take(arena, variables * variables, sizeof(double));
  scratch->factor = sinew_arena_take(arena, variables * variables, sizeof(double));
  scratch->unit = sinew_arena_take(arena, variables, sizeof(double));
  scratch->g = sinew_arena_take(arena, variables, sizeof(double));
  scratch->entries = sinew_arena_take(arena, entries, sizeof(double));
  scratch->row_lower = sinew_arena_take(arena, general, sizeof(double));
  scratch->row_upper = sinew_arena_take(arena, general, sizeof(double));
  scratch->index = sinew_arena_take(arena, entries, sizeof(int));
  scratch->start = sinew_arena_take(arena, general + 1, sizeof(int));
}

bool sinew_constrained_holds(const sinew_inequalities *of, int n, const double *x) {
  double square = 0.0;
  for (int j = 0; j < n; ++j) {
    square += x[j] * x[j];
  }
  for (int i = 0; i < of->count; ++i) {
    const double *a = of->entries + (size_t)i * (size_t)n;
    double value = 0.0, norm = 0.0;
    for (int j = 0; j < n; ++j) {
      value += a[j] * x[j];
      norm += a[j] * a[j];
    }
    const double slack = SINEW_QP_FEASIBLE * sqrt(norm * square);
    if (!(value <= of->upper[i] + slack && value >= of->lower[i] - slack)) {
      return false;
    }
  }
  return true;
}

// Newton's H, lower triangle.
static void find_second(const sinew_step_problem *problem, sinew_newton_scratch *newton,
                        sinew_constrained_scratch *scratch) {
  const int n = problem->rows->dof_count;
  double *H = scratch->H, *unit = scratch->unit, *column = scratch->g;
  if (n <= newton->formed.most) {
    sinew_formed_matrix(problem->rows, &newton->formed, H);
    return;
  }
  memset(unit, 0, (size_t)n * sizeof *unit);
  for (int k = 0; k < n; ++k) {
    unit[k] = 1.0;
    sinew_newton_multiply(problem->rows, newton, unit, column);
    unit[k] = 0.0;
    for (int j = k; j < n; ++j) {
      H[j * n + k] = column[j];
    }
  }
}

// H + K, lower triangle.
static void find_matrix(const sinew_step_problem *problem, const sinew_inequalities *of,
                        bool second, sinew_newton_scratch *newton,
                        sinew_constrained_scratch *scratch) {
  const int n = problem->rows->dof_count;
  double *H = scratch->H;
  if (second) {
    find_second(problem, newton, scratch);
  } else {
    for (int j = 0; j < n; ++j) {
      scratch->index[j] = j;
    }
    sinew_rows_inner(problem->rows, scratch->index, n, H);
  }
  for (int j = 0; of->curvature != NULL && j < n; ++j) {
    for (int k = 0; k <= j; ++k) {
      H[j * n + k] += of->curvature[j * n + k];
    }
  }
}

// Whether the matrix has pivots above mu / 2; the factor's diagonal are their inverses.
static bool factor_matrix(int n, double mu, sinew_constrained_scratch *scratch) {
  bool good = sinew_ldlt_factor(n, scratch->H, mu, scratch->factor);
  for (int j = 0; good && j < n; ++j) {
    good = 0.5 * mu * scratch->factor[j * n + j] < 1.0;
  }
  return good;
}

// The rows of the program after the outer bounds.
static void fill_rows(const sinew_inequalities *of, int n, sinew_constrained_scratch *scratch) {
  int at = 0;
  for (int j = 0; j < n; ++j) {
    scratch->start[j] = at;
    scratch->entries[at] = 1.0;
    scratch->index[at++] = j;
    scratch->row_lower[j] = of->narrow_lower != NULL ? of->narrow_lower[j] : -INFINITY;
    scratch->row_upper[j] = of->narrow_upper != NULL ? of->narrow_upper[j] : INFINITY;
  }
  for (int i = 0; i < of->count; ++i) {
    scratch->start[n + i] = at;
    scratch->row_lower[n + i] = of->lower[i];
    scratch->row_upper[n + i] = of->upper[i];
    for (int j = 0; j < n; ++j, ++at) {
      scratch->entries[at] = of->entries[(size_t)i * (size_t)n + (size_t)j];
      scratch->index[at] = j;
    }
  }
  scratch->start[n + of->count] = at;
}

// The rank of the row that yields last.
static int least_rank(const sinew_inequalities *of, int n) {
  int least = UCHAR_MAX;
  for (int i = 0; i < of->count; ++i) {
    const int rank = of->rank[2 * n + i];
    least = rank < least ? rank : least;
  }
  return least;
}

// x into the narrower bounds, but for what these yield to rows before them in the order: rounding
// errors may leave it beyond.
static void keep_narrow(const sinew_inequalities *of, int n, const double *yielded, double *x) {
  const int least = least_rank(of, n);
  for (int j = 0; of->narrow_lower != NULL && j < n; ++j) {
    const double beyond = least < of->rank[n + j] ? yielded[j] : 0.0;
    x[j] = sinew_clamp(x[j], of->narrow_lower[j] + sinew_min(beyond, 0.0),
                       of->narrow_upper[j] + sinew_max(beyond, 0.0));
  }
  for (int j = 0; of->outer_lower != NULL && j < n; ++j) {
    x[j] = sinew_clamp(x[j], of->outer_lower[j], of->outer_upper[j]);
  }
}

static int minimise(const sinew_inequalities *of, int n, const sinew_qp_matrix *H, const double *g,
                    sinew_constrained_scratch *scratch, double *x) {
  fill_rows(of, n, scratch);
  const sinew_qp_data data = {.n = n,
                              .row_count = n + of->count,
                              .H = *H,
                              .g = g,
                              .lower = of->outer_lower,
                              .upper = of->outer_upper,
                              .rows = scratch->entries,
                              .index = scratch->index,
                              .start = scratch->start,
                              .row_lower = scratch->row_lower,
                              .row_upper = scratch->row_upper,
                              .rank = of->rank};
  sinew_qp_minimise(&data, &scratch->program, x);
  keep_narrow(of, n, scratch->program.yielded + n, x);
  return scratch->program.solves;
}

int sinew_constrained_step(const sinew_step_problem *problem, const sinew_inequalities *of,
                           bool second, sinew_newton_scratch *newton,
                           sinew_constrained_scratch *scratch, double *x) {
  const int n = problem->rows->dof_count;
  const sinew_qp_dense dense = {n, scratch->factor};
  const sinew_qp_matrix H = {sinew_qp_solve_dense, &dense};
  double mu = sinew_max(problem->mu, 1e-30);
  int systems = 1;
  find_matrix(problem, of, second, newton, scratch);
  for (; !factor_matrix(n, mu, scratch); ++systems) {
    mu = 2.0 * mu + SINEW_NEWTON_RAISE;
    if (!(mu < SINEW_HUGE)) { // H has NaN or infinite entries
      memset(x, 0, (size_t)n * sizeof *x);
      return systems;
    }
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = sinew_max(*problem->mu_used, mu);
  }
  return systems + minimise(of, n, &H, problem->gradient, scratch, x);
}

// H = I.
static void keep(const void *factor, int first, double *b) {
  (void)factor;
  (void)first;
  (void)b;
}

int sinew_constrained_project(const sinew_inequalities *of, int n,
                              sinew_constrained_scratch *scratch, double *x) {
  const sinew_qp_matrix H = {keep, NULL};
  memcpy(scratch->g, x, (size_t)n * sizeof *x);
  return minimise(of, n, &H, scratch->g, scratch, x);
}
