// The smallest singular values by inverse iteration.
//
//   y = (J J^T + beta^2 I)^-1 u,   sigma^2 = max(0, 1 / |y| - beta^2),   u <- y / |y|
//
// u is kept from step to step, so that one iteration follows a J that changes little. The second
// estimate is kept orthogonal to the first (Gram-Schmidt); where it is the smaller one, the two
// change places, so that the passage of one singular value below another is followed.
//
// Source: Maciejewski and Klein, Numerical filtering for the operation of robotic manipulators
// through kinematically singular configurations, 1988, with one estimate; Chiaverini, Estimate of
// the two smallest singular values of the Jacobian matrix: application to damped least-squares
// inverse kinematics, 1993. They reuse the factor of the damped system; here the factor is that of
// J J^T + beta^2 I, so that the damping of u does not turn u away.
#include "step/filter.h"
#include "math/ldlt.h"
#include "math/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Iterations without an earlier estimate, as in the source.
#define FIRST_ITERATIONS 5

void sinew_filter_layout(sinew_arena *arena, int m, sinew_filter *filter) {
  const size_t rows = (size_t)m;
  filter->u[0] = sinew_arena_take(arena, rows, sizeof(double));
  filter->u[1] = sinew_arena_take(arena, rows, sizeof(double));
  filter->matrix = sinew_arena_take(arena, rows * rows, sizeof(double));
  filter->factor = sinew_arena_take(arena, rows * rows, sizeof(double));
}

// Removes the component along the unit vector a.
static void remove_component(int m, const double *a, double *v) {
  double along = 0.0;
  for (int i = 0; i < m; ++i) {
    along += a[i] * v[i];
  }
  for (int i = 0; i < m; ++i) {
    v[i] -= along * a[i];
  }
}

// Vectors along no axis; the second is orthogonal to the first.
static void start(int m, sinew_filter *filter) {
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < m; ++i) {
      filter->u[k][i] = k == 0 ? 1.0 + 0.1 * (i % 7) : (i % 2 == 0 ? 1.0 : -1.0) - 0.05 * (i % 5);
    }
    if (k == 1) {
      remove_component(m, filter->u[0], filter->u[1]);
    }
    const double length = sinew_length(m, filter->u[k]);
    for (int i = 0; i < m; ++i) {
      filter->u[k][i] = length > 0.0 ? filter->u[k][i] / length : (i == k) ? 1.0 : 0.0;
    }
  }
}

static void iterate(int m, double shift, int k, sinew_filter *filter) {
  double *u = filter->u[k];
  sinew_ldlt_solve(m, filter->factor, u);
  if (k == 1) {
    remove_component(m, filter->u[0], u);
  }
  const double length = sinew_length(m, u);
  if (!(length > 0.0 && length <= DBL_MAX)) {
    start(m, filter);
    filter->sigma[k] = 0.0;
    return;
  }
  for (int i = 0; i < m; ++i) {
    u[i] /= length;
  }
  filter->sigma[k] = sqrt(sinew_max(0.0, 1.0 / length - shift));
}

static void swap(sinew_filter *filter) {
  double *u = filter->u[0];
  const double sigma = filter->sigma[0];
  filter->u[0] = filter->u[1];
  filter->sigma[0] = filter->sigma[1];
  filter->u[1] = u;
  filter->sigma[1] = sigma;
}

int sinew_filter_estimate(const sinew_rows *rows, int count, double shift, sinew_filter *filter) {
  const int m = rows->row_count, found = count < m ? count : m;
  sinew_rows_outer(rows, NULL, filter->matrix);
  if (!sinew_ldlt_factor(m, filter->matrix, shift, filter->factor)) {
    return 0;
  }
  if (!filter->started) {
    start(m, filter);
  }
  const int iterations = filter->started ? 1 : FIRST_ITERATIONS;
  for (int i = 0; i < iterations; ++i) {
    for (int k = 0; k < found; ++k) {
      iterate(m, shift, k, filter);
    }
    if (found == 2 && filter->sigma[1] < filter->sigma[0]) {
      swap(filter);
    }
  }
  filter->started = true;
  return found;
}
