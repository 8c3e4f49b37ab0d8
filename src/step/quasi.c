// Quasi-Newton steps.
//
//   s = the last change of x,  y = g_last - g     (g = J^T e is minus the gradient of E)
//   B <- B - B s s^T B / (s^T B s) + y y^T / (y^T s)      where y^T s > 1e-10 |s| |y|
//   B_0 = y^T y / (y^T s) I, before the first pair |J g|^2 / |g|^2 I
//
// BFGS keeps B. L-BFGS builds it at each step from its last pairs, with B_0 of the last one; the
// matrix is formed as it stands, which for figures of some dozens of joints costs little. Both then
// minimise x^T B x / 2 - g^T x within the bounds of the step exactly (step/box.h), in place of the
// generalised Cauchy point and the subspace step of the source.
//
// Sources: Nocedal and Wright, Numerical Optimization, 2006, chapters 6 and 7; Byrd, Lu, Nocedal
// and Zhu, A limited memory algorithm for bound constrained optimization, 1995; for figures: Zhao
// and Badler, Inverse kinematics positioning using nonlinear programming for highly articulated
// figures, 1994.
#include "step/quasi.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "step/box.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The least cosine of s and y of a pair that is used.
#define LEAST_COSINE 1e-10

void sinew_quasi_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_quasi_scratch *scratch = memory;
  const size_t n = (size_t)size->n, m = (size_t)size->m;
  scratch->B = sinew_arena_take(arena, n * n, sizeof(double));
  scratch->matrix = sinew_arena_take(arena, n * n, sizeof(double));
  scratch->factor = sinew_arena_take(arena, n * n, sizeof(double));
  scratch->right = sinew_arena_take(arena, n, sizeof(double));
  scratch->gradient = sinew_arena_take(arena, n, sizeof(double));
  scratch->s = sinew_arena_take(arena, SINEW_QUASI_PAIRS * n, sizeof(double));
  scratch->y = sinew_arena_take(arena, SINEW_QUASI_PAIRS * n, sizeof(double));
  scratch->image = sinew_arena_take(arena, m > n ? m : n, sizeof(double));
  scratch->unconstrained = sinew_arena_take(arena, n, sizeof(double));
  scratch->from = sinew_arena_take(arena, n, sizeof(double));
  scratch->index = sinew_arena_take(arena, n, sizeof(int));
  scratch->held = sinew_arena_take(arena, n, 1);
}

static double product(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int j = 0; j < n; ++j) {
    sum += a[j] * b[j];
  }
  return sum;
}

static void fill_diagonal(int n, double value, double *B) {
  memset(B, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int j = 0; j < n; ++j) {
    B[j * n + j] = value;
  }
}

// The curvature of the linearised error along its gradient.
static double first_curvature(const sinew_step_problem *problem, sinew_quasi_scratch *scratch) {
  const int m = problem->rows->row_count, n = problem->rows->dof_count;
  memset(scratch->image, 0, (size_t)m * sizeof(double));
  sinew_rows_subtract(problem->rows, problem->gradient, scratch->image);
  const double g2 = product(n, problem->gradient, problem->gradient);
  const double curvature = g2 > 0.0 ? sinew_square_sum(m, scratch->image) / g2 : 0.0;
  return curvature > DBL_MIN && curvature < SINEW_HUGE ? curvature : 1.0;
}

static bool is_useful(int n, const double *s, const double *y) {
  const double sy = product(n, s, y);
  return sy > DBL_MIN && sy > LEAST_COSINE * sinew_length(n, s) * sinew_length(n, y);
}

static double scale_of(int n, const double *s, const double *y) {
  return product(n, y, y) / product(n, s, y);
}

static void update(int n, const double *s, const double *y, double *image, double *B) {
  for (int i = 0; i < n; ++i) {
    image[i] = product(n, B + i * n, s);
  }
  const double curvature = product(n, s, image), sy = product(n, s, y);
  if (!(curvature > DBL_MIN)) {
    return;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      B[i * n + j] += y[i] * y[j] / sy - image[i] * image[j] / curvature;
    }
  }
}

// Whether the last pair can be used; it is at the place of the next one.
static bool take_pair(const sinew_step_problem *problem, sinew_quasi_scratch *scratch) {
  const int n = problem->rows->dof_count;
  const size_t bytes = (size_t)n * sizeof(double);
  if (problem->moved == NULL) {
    scratch->pairs = 0;
    return false;
  }
  if (scratch->pairs == SINEW_QUASI_PAIRS) { // the oldest goes
    memmove(scratch->s, scratch->s + n, (SINEW_QUASI_PAIRS - 1) * bytes);
    memmove(scratch->y, scratch->y + n, (SINEW_QUASI_PAIRS - 1) * bytes);
    --scratch->pairs;
  }
  double *s = scratch->s + scratch->pairs * n, *y = scratch->y + scratch->pairs * n;
  memcpy(s, problem->moved, bytes);
  for (int j = 0; j < n; ++j) {
    y[j] = scratch->gradient[j] - problem->gradient[j];
  }
  if (!is_useful(n, s, y)) {
    return false;
  }
  ++scratch->pairs;
  return true;
}

// The quadratic, for the callback of the active set.
typedef struct quadratic {
  const sinew_step_problem *problem;
  sinew_quasi_scratch *scratch;
} quadratic;

// B_FF x_F = g_F - B_FA x_A; unconstrained values: x_j + (g - B x)_j
static int solve_inactive(void *step, bool steady, double *x) {
  const quadratic *self = step;
  sinew_quasi_scratch *scratch = self->scratch;
  const double *g = self->problem->gradient, *B = scratch->B;
  const int n = self->problem->rows->dof_count;
  int f = 0;
  (void)steady;
  for (int j = 0; j < n; ++j) {
    if (scratch->held[j] == 0) {
      scratch->index[f++] = j;
      x[j] = 0.0;
    }
  }
  double trace = 0.0;
  for (int a = 0; a < f; ++a) {
    const int i = scratch->index[a];
    scratch->right[a] = g[i] - product(n, B + i * n, x);
    trace += B[i * n + i];
    for (int b = 0; b <= a; ++b) {
      scratch->matrix[a * f + b] = B[i * n + scratch->index[b]];
    }
  }
  double mu = DBL_EPSILON * trace;
  for (int tries = 0; tries < 40 && !sinew_ldlt_factor(f, scratch->matrix, mu, scratch->factor);
       ++tries) {
    mu = 10.0 * mu + DBL_MIN;
  }
  sinew_ldlt_solve(f, scratch->factor, scratch->right);
  for (int a = 0; a < f; ++a) {
    x[scratch->index[a]] = scratch->right[a];
  }
  for (int j = 0; j < n; ++j) {
    scratch->unconstrained[j] =
        scratch->held[j] == 0 ? x[j] : x[j] + (g[j] - product(n, B + j * n, x));
  }
  return 1;
}

static int minimise(const sinew_step_problem *problem, sinew_quasi_scratch *scratch, double *x) {
  quadratic self = {problem, scratch};
  const int n = problem->rows->dof_count;
  memcpy(scratch->gradient, problem->gradient, (size_t)n * sizeof(double));
  if (problem->lower == NULL || problem->upper == NULL) {
    memset(scratch->held, 0, (size_t)n);
    return solve_inactive(&self, true, x);
  }
  sinew_box box = sinew_box_of(problem, scratch->held, scratch->unconstrained, scratch->from);
  box.solve = solve_inactive;
  box.step = &self;
  return sinew_box_solve(&box, x);
}

// Whether this is the same configuration as before: the last step was rejected.
static bool is_repeated(const sinew_step_problem *problem, const sinew_quasi_scratch *scratch) {
  return problem->moved != NULL && memcmp(problem->gradient, scratch->gradient,
                                          (size_t)problem->rows->dof_count * sizeof(double)) == 0;
}

int sinew_bfgs_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_quasi_scratch *scratch = memory;
  const int n = problem->rows->dof_count;
  if (!is_repeated(problem, scratch)) {
    const bool useful = take_pair(problem, scratch);
    if (problem->moved == NULL) {
      fill_diagonal(n, first_curvature(problem, scratch), scratch->B);
    } else if (useful) {
      const double *s = scratch->s, *y = scratch->y;
      if (scratch->pairs == 1) {
        fill_diagonal(n, scale_of(n, s, y), scratch->B);
      }
      s += (scratch->pairs - 1) * n;
      y += (scratch->pairs - 1) * n;
      update(n, s, y, scratch->image, scratch->B);
    }
  }
  return minimise(problem, scratch, x);
}

int sinew_lbfgs_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_quasi_scratch *scratch = memory;
  const int n = problem->rows->dof_count;
  if (!is_repeated(problem, scratch)) {
    take_pair(problem, scratch);
    const int last = scratch->pairs - 1;
    fill_diagonal(n,
                  last < 0 ? first_curvature(problem, scratch)
                           : scale_of(n, scratch->s + last * n, scratch->y + last * n),
                  scratch->B);
    for (int k = 0; k <= last; ++k) {
      update(n, scratch->s + k * n, scratch->y + k * n, scratch->image, scratch->B);
    }
  }
  return minimise(problem, scratch, x);
}
