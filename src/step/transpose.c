// The Jacobian transpose.
//
//   g = J^T e,   p = K g,   f = J p
//   x = alpha p,   alpha = <e, f> / <f, f> = <g, p> / <f, f>
//
// K is the diagonal matrix of the gains. alpha minimises |e - alpha f|, so the end effectors move
// by alpha f, the part of e along f. <e, f> = <e, J K J^T e> = <g, K g> >= 0, so alpha is never
// negative; the form <g, p> has no cancellation.
//
// Where g consists of rounding errors alone (no error, or a target along a straight chain) its
// direction is noise, J p can be nearly zero, and alpha has no upper bound. The step is 0 then.
// Extreme directions are scaled, so that no square over- or underflows.
// Sources: Buss 2009, section 3 (its "close to -e" is +e); K: Wolovich and Elliott, A computational
// technique for inverse kinematics, 1984.
#include "step/transpose.h"
#include "math/vector.h"
#include "step/hold.h"

#include <float.h>

void sinew_transpose_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_transpose_scratch *scratch = memory;
  const size_t rows = (size_t)size->m, columns = (size_t)size->n;
  scratch->residual = sinew_arena_take(arena, rows, sizeof(double));
  scratch->image = sinew_arena_take(arena, rows, sizeof(double));
  scratch->gradient = sinew_arena_take(arena, columns, sizeof(double));
  scratch->direction = sinew_arena_take(arena, columns, sizeof(double));
  scratch->held = sinew_arena_take(arena, columns, 1);
}

// Squares outside of these have underflowed, overflowed or lost digits, or may in later products.
#define ORDINARY_LEAST 1e-180
#define ORDINARY_MOST 1e180

// The number to divide by before squaring: 1 for numbers of usual size, else the largest.
static double unit_of(double largest) {
  return largest > 1e-100 && largest < 1e100 ? 1.0 : largest;
}

// direction = K g over the x_j at no active bound, scaled where its squares would over- or
// underflow. Returns false if g is below the rounding error of its sums.
static bool find_direction(const sinew_step_problem *problem, const double *g,
                           sinew_transpose_scratch *scratch) {
  const sinew_rows *rows = problem->rows;
  const double e = sinew_largest(rows->row_count, scratch->residual);
  const double rounding = 8.0 * DBL_EPSILON * rows->row_count * sqrt(rows->square) * e;
  double *p = scratch->direction, largest_slope = 0.0, largest = 0.0;
  for (int j = 0; j < rows->dof_count; ++j) {
    const double slope = scratch->held[j] != 0 ? 0.0 : g[j];
    p[j] = problem->gains != NULL ? problem->gains[j] * slope : slope;
    largest_slope = sinew_max(largest_slope, fabs(slope));
    largest = sinew_max(largest, fabs(p[j]));
  }
  const double unit = unit_of(largest);
  for (int j = 0; j < rows->dof_count && unit != 1.0 && largest > 0.0; ++j) {
    p[j] /= unit;
  }
  return largest_slope > rounding && largest > 0.0;
}

// Solves for the degrees of freedom at no active bound, given the others in x.
static void solve_inactive(const sinew_step_problem *problem, sinew_transpose_scratch *scratch,
                           double *x) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count, n = rows->dof_count;
  const double *g = problem->gradient, *p = scratch->direction;
  if (sinew_hold_residual(rows, problem->e, scratch->held, x, scratch->residual)) {
    sinew_rows_gradient(rows, scratch->residual, scratch->gradient);
    g = scratch->gradient;
  }
  if (!find_direction(problem, g, scratch)) {
    return;
  }
  double *f = scratch->image; // -J p
  memset(f, 0, (size_t)m * sizeof(double));
  sinew_rows_subtract(rows, p, f);
  const double unit = unit_of(sinew_largest(m, f));
  double descent = 0.0;
  for (int j = 0; j < n; ++j) {
    descent += g[j] * p[j];
  }
  for (int i = 0; i < m && unit != 1.0 && unit > 0.0; ++i) {
    f[i] /= unit;
  }
  const double square = sinew_square_sum(m, f);
  const double quotient = square > 0.0 ? descent / unit / (unit * square) : 0.0;
  const double alpha = sinew_min(quotient, SINEW_HUGE); // finite: infinity times 0 is NaN
  for (int j = 0; j < n; ++j) {
    x[j] = scratch->held[j] == 0 ? alpha * p[j] : x[j];
  }
}

// The step without bounds, for a gradient above rounding and squares of usual size. Returns false
// if that is not the case.
static bool solve_unbounded(const sinew_step_problem *problem, sinew_transpose_scratch *scratch,
                            double *x) {
  const sinew_rows *rows = problem->rows;
  const int m = rows->row_count, n = rows->dof_count;
  const double *g = problem->gradient, rounding = 8.0 * DBL_EPSILON * m;
  double *f = scratch->image, descent = 0.0;
  for (int j = 0; j < n; ++j) {
    x[j] = problem->gains != NULL ? problem->gains[j] * g[j] : g[j];
    descent += g[j] * x[j];
  }
  memset(f, 0, (size_t)m * sizeof(double));
  sinew_rows_subtract(rows, x, f);
  const double square = sinew_square_sum(m, f), slope = sinew_square_sum(n, g);
  const double all = n * (rounding * rounding) * rows->square * sinew_square_sum(m, problem->e);
  if (!(slope > all && slope > ORDINARY_LEAST && slope < ORDINARY_MOST &&
        descent > ORDINARY_LEAST && square > ORDINARY_LEAST && square < ORDINARY_MOST)) {
    return false;
  }
  const double alpha = sinew_min(descent / square, SINEW_HUGE);
  for (int j = 0; j < n; ++j) {
    x[j] *= alpha;
  }
  return true;
}

int sinew_transpose_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_transpose_scratch *scratch = memory;
  const int n = problem->rows->dof_count;
  int rounds = 0;
  if (problem->lower == NULL && solve_unbounded(problem, scratch, x)) {
    return 1;
  }
  memset(scratch->held, 0, (size_t)n);
  do {
    solve_inactive(problem, scratch, x);
    ++rounds;
  } while (sinew_hold_outward(n, problem->lower, problem->upper, scratch->held, x));
  return rounds;
}
