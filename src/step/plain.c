// The gradient as a step, and nonlinear conjugate gradients.
//
//   plain      x = g
//   conjugate  d = g + beta d_last,  beta = max(0, g . (g - g_last) / |g_last|^2)   Polak, Ribiere
//              x = alpha d,          alpha = (g . d) / |J d|^2
//
// alpha minimises the linearised error along d, as in the transpose. d is the gradient again after
// n steps, where g . d <= 0, and where nothing is known of an earlier step. Joints that a bound
// blocks take no part.
// Sources: the step without alpha is that of lecture notes of the University of British Columbia,
// as a contrast to Buss 2009, section 3; Polak and Ribiere, Note sur la convergence de methodes de
// directions conjuguees, 1969; its use for figures: Zhao and Badler, Inverse kinematics positioning
// using nonlinear programming for highly articulated figures, 1994.
#include "step/plain.h"
#include "math/vector.h"

#include <string.h>

void sinew_plain_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_plain_scratch *scratch = memory;
  scratch->gradient = sinew_arena_take(arena, (size_t)size->n, sizeof(double));
  scratch->direction = sinew_arena_take(arena, (size_t)size->n, sizeof(double));
  scratch->image = sinew_arena_take(arena, (size_t)size->m, sizeof(double));
}

// g_j, or 0 where a bound of the step blocks it.
static double unblocked(const sinew_step_problem *problem, int j) {
  const double g = problem->gradient[j];
  const bool blocked = problem->lower != NULL && ((g > 0.0 && problem->upper[j] <= 0.0) ||
                                                  (g < 0.0 && problem->lower[j] >= 0.0));
  return blocked ? 0.0 : g;
}

int sinew_plain_step(const sinew_step_problem *problem, void *memory, double *x) {
  (void)memory;
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    x[j] = unblocked(problem, j);
  }
  return 0;
}

// beta of the direction to come; x is the gradient.
static double share_of_last(const sinew_step_problem *problem, const sinew_plain_scratch *scratch,
                            const double *g) {
  const int n = problem->rows->dof_count;
  double change = 0.0, last = 0.0;
  if (problem->moved == NULL || scratch->since >= n) {
    return 0.0;
  }
  for (int j = 0; j < n; ++j) {
    change += g[j] * (g[j] - scratch->gradient[j]);
    last += scratch->gradient[j] * scratch->gradient[j];
  }
  return last > 0.0 ? sinew_max(0.0, change / last) : 0.0;
}

static double product(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int j = 0; j < n; ++j) {
    sum += a[j] * b[j];
  }
  return sum;
}

// The step that minimises |e - alpha J d|.
static double length_along(const sinew_step_problem *problem, const sinew_plain_scratch *scratch,
                           double slope) {
  const int m = problem->rows->row_count;
  memset(scratch->image, 0, (size_t)m * sizeof(double));
  sinew_rows_subtract(problem->rows, scratch->direction, scratch->image);
  const double square = sinew_square_sum(m, scratch->image);
  return square > 0.0 ? sinew_min(slope / square, SINEW_HUGE) : 0.0;
}

int sinew_conjugate_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_plain_scratch *scratch = memory;
  const int n = problem->rows->dof_count;
  double *d = scratch->direction;
  sinew_plain_step(problem, memory, x);
  const bool again =
      problem->moved != NULL && memcmp(x, scratch->gradient, (size_t)n * sizeof(double)) == 0;
  const double beta = again ? 0.0 : share_of_last(problem, scratch, x);
  scratch->since = beta > 0.0 ? scratch->since + 1 : 0;
  for (int j = 0; j < n; ++j) {
    d[j] = x[j] + (beta > 0.0 && x[j] != 0.0 ? beta * d[j] : 0.0);
  }
  double slope = product(n, x, d);
  if (!(slope > 0.0)) {
    memcpy(d, x, (size_t)n * sizeof(double));
    slope = product(n, x, x);
    scratch->since = 0;
  }
  memcpy(scratch->gradient, x, (size_t)n * sizeof(double));
  const double alpha = length_along(problem, scratch, slope);
  for (int j = 0; j < n; ++j) {
    x[j] = alpha * d[j];
  }
  return 0;
}
