// Newton's step on a tree, without forming its matrix.
//
// H_jk = u_j . v_k for k at or nearer the root than j (rows.h), u and v having an
// entry for each row that touches the degree of freedom. Such a matrix, with mu on
// its diagonal, is eliminated from the tips to the root as fast as it is read: what
// has been eliminated below k changes H_kk' by -v_k . P v_k', so that
//
//   w_k = u_k - P v_k          d_k = w_k . v_k + mu
//   y_k = g_k - v_k . z        P <- P + w_k w_k^T / d_k,  z <- z + w_k y_k / d_k
//
// and from the root outward x_k = (y_k - w_k . r) / d_k, r <- r + v_k x_k. The work
// is the square of the rows that touch each k, linear in the length of a chain. P,
// z and r are kept for all rows; on a tree a degree of freedom meets only its own.
//
// Source of the elimination: quasiseparable matrices, Vandebril, Van Barel,
// Mastronardi, Matrix Computations and Semiseparable Matrices, 2008, chapter 4. Its
// use here, with the columns at the point and at its target as generators, is our
// derivation: task/expect.c.
#include "step/newton.h"
#include "math/pair.h"
#include "math/vector.h"
#include "step/box.h"

#include <string.h>

// Damping where H is not positive definite grows by this, and doubles. H is made of
// squares of arms in sizes of the model, of order 1 at most.
#define RAISE 1e-4

void sinew_newton_layout(sinew_arena *arena, int capacity, int n, sinew_newton_scratch *scratch) {
  const size_t m = 6 * (size_t)capacity, columns = (size_t)n;
  scratch->bent = sinew_arena_take(arena, m * columns, sizeof(double));
  scratch->pivot = sinew_arena_take(arena, columns, sizeof(double));
  scratch->y = sinew_arena_take(arena, columns, sizeof(double));
  scratch->P = sinew_arena_take(arena, m * m, sizeof(double));
  scratch->z = sinew_arena_take(arena, m, sizeof(double));
  scratch->r = sinew_arena_take(arena, m, sizeof(double));
  scratch->column = sinew_arena_take(arena, 2 * m, sizeof(double));
  scratch->rows = sinew_arena_take(arena, m, sizeof(int));
  scratch->product = sinew_arena_take(arena, columns, sizeof(double));
  scratch->wish = sinew_arena_take(arena, columns, sizeof(double));
  scratch->from = sinew_arena_take(arena, columns, sizeof(double));
  scratch->held = sinew_arena_take(arena, columns, 1);
}

// ----------------------------------------------------------- sums over columns

// The loop over a block's rows, their number known where it is that of a point or a pose.
SINEW_ALWAYS_INLINE double dot_rows(int r, const double *entry, const double *a) {
  double sum = 0.0;
  for (int i = 0; i < r; ++i) {
    sum += entry[i] * a[i];
  }
  return sum;
}

SINEW_ALWAYS_INLINE void add_rows(int r, const double *entry, double s, double *a) {
  for (int i = 0; i < r; ++i) {
    a[i] += s * entry[i];
  }
}

// column_j of values . a, a over all rows.
static inline double dot_column(const sinew_rows *rows, const double *values, int j,
                                const double *a) {
  double sum = 0.0;
  for (int t = rows->touch_start[j]; t < rows->touch_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->touches[t].block];
    const int r = block->row_count;
    const double *entry = values + block->value_start + rows->touches[t].k * r;
    const double *from = a + block->row;
    sum += r == 3   ? dot_rows(3, entry, from)
           : r == 6 ? dot_rows(6, entry, from)
                    : dot_rows(r, entry, from);
  }
  return sum;
}

// a += s * column_j of values.
static inline void add_column(const sinew_rows *rows, const double *values, int j, double s,
                              double *a) {
  for (int t = rows->touch_start[j]; t < rows->touch_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->touches[t].block];
    const int r = block->row_count;
    const double *entry = values + block->value_start + rows->touches[t].k * r;
    double *to = a + block->row;
    if (r == 3) {
      add_rows(3, entry, s, to);
    } else if (r == 6) {
      add_rows(6, entry, s, to);
    } else {
      add_rows(r, entry, s, to);
    }
  }
}

void sinew_newton_multiply(const sinew_rows *rows, sinew_newton_scratch *scratch, const double *x,
                           double *out) {
  const int n = rows->dof_count;
  const size_t bytes = (size_t)rows->row_count * sizeof(double);
  memset(scratch->r, 0, bytes);
  for (int j = 0; j < n; ++j) { // what is nearer the root, and itself
    add_column(rows, rows->second, j, x[j], scratch->r);
    out[j] = dot_column(rows, rows->values, j, scratch->r);
  }
  memset(scratch->z, 0, bytes);
  for (int j = n; j-- > 0;) { // what is further out
    out[j] += dot_column(rows, rows->second, j, scratch->z);
    add_column(rows, rows->values, j, x[j], scratch->z);
  }
}

// ----------------------------------------------------------------- elimination

// One degree of freedom, rows of a single block of r contiguous rows: a chain.
SINEW_ALWAYS_INLINE bool eliminate_block(int r, const double *u, const double *v, int m, double mu,
                                         double gradient, double *P, double *z, double *bent,
                                         double *pivot, double *y) {
  double d = mu, rest = gradient;
  for (int a = 0; a < r; ++a) {
    double sum = u[a];
    for (int b = 0; b < r; ++b) {
      sum -= P[a * m + b] * v[b];
    }
    bent[a] = sum;
    d += sum * v[a];
    rest -= v[a] * z[a];
  }
  if (!(d > 0.5 * mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  for (int a = 0; a < r; ++a) {
    const double w = bent[a] * inverse;
    for (int b = 0; b < r; ++b) {
      P[a * m + b] += w * bent[b];
    }
    z[a] += w * rest;
  }
  *pivot = inverse;
  *y = rest;
  return true;
}

// The same for rows of several blocks, gathered.
static bool eliminate_gathered(const sinew_rows *rows, int j, double mu, double gradient,
                               sinew_newton_scratch *scratch) {
  const int m = rows->row_count;
  double *v = scratch->column, *w = scratch->column + m, *P = scratch->P;
  int count = 0;
  for (int t = rows->touch_start[j]; t < rows->touch_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->touches[t].block];
    const int at = block->value_start + rows->touches[t].k * block->row_count;
    for (int i = 0; i < block->row_count; ++i, ++count) {
      scratch->rows[count] = block->row + i;
      v[count] = rows->second[at + i];
      w[count] = rows->values[at + i];
    }
  }
  double d = mu, rest = gradient;
  for (int a = 0; a < count; ++a) {
    const double *row = P + scratch->rows[a] * m;
    double sum = w[a];
    for (int b = 0; b < count; ++b) {
      sum -= row[scratch->rows[b]] * v[b];
    }
    w[a] = sum;
    d += sum * v[a];
    rest -= v[a] * scratch->z[scratch->rows[a]];
  }
  if (!(d > 0.5 * mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  for (int a = 0; a < count; ++a) {
    double *row = P + scratch->rows[a] * m;
    for (int b = 0; b < count; ++b) {
      row[scratch->rows[b]] += w[a] * inverse * w[b];
    }
    scratch->z[scratch->rows[a]] += w[a] * inverse * rest;
  }
  count = 0;
  for (int t = rows->touch_start[j]; t < rows->touch_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->touches[t].block];
    const int at = block->value_start + rows->touches[t].k * block->row_count;
    for (int i = 0; i < block->row_count; ++i, ++count) {
      scratch->bent[at + i] = w[count];
    }
  }
  scratch->pivot[j] = inverse;
  scratch->y[j] = rest;
  return true;
}

static bool eliminate(const sinew_rows *rows, int j, double mu, double gradient,
                      sinew_newton_scratch *scratch) {
  const int first = rows->touch_start[j], m = rows->row_count;
  if (rows->touch_start[j + 1] != first + 1) {
    return eliminate_gathered(rows, j, mu, gradient, scratch);
  }
  const sinew_row_block *block = &rows->blocks[rows->touches[first].block];
  const int at = block->value_start + rows->touches[first].k * block->row_count;
  const double *u = rows->values + at, *v = rows->second + at;
  double *P = scratch->P + block->row * m + block->row, *z = scratch->z + block->row;
  double *bent = scratch->bent + at, *pivot = scratch->pivot + j, *y = scratch->y + j;
  switch (block->row_count) {
  case 3:
    return eliminate_block(3, u, v, m, mu, gradient, P, z, bent, pivot, y);
  case 6:
    return eliminate_block(6, u, v, m, mu, gradient, P, z, bent, pivot, y);
  default:
    return eliminate_block(block->row_count, u, v, m, mu, gradient, P, z, bent, pivot, y);
  }
}

// From the tips to the root. False where H + mu I is not positive definite.
static bool eliminate_all(const sinew_rows *rows, const double *gradient, const double *product,
                          double mu, const signed char *held, sinew_newton_scratch *scratch) {
  const size_t m = (size_t)rows->row_count;
  memset(scratch->P, 0, m * m * sizeof(double));
  memset(scratch->z, 0, m * sizeof(double));
  for (int j = rows->dof_count; j-- > 0;) {
    if (held[j] != 0) {
      continue;
    }
    const double right = gradient[j] - (product != NULL ? product[j] : 0.0);
    if (!eliminate(rows, j, mu, right, scratch)) {
      scratch->ridge = j;
      return false;
    }
  }
  return true;
}

// From the root outward. What follows from x_j alone is a direction of the curvature
// d_j: where that is negative it leads off the ridge.
static void substitute(const sinew_rows *rows, const signed char *held, double ridge,
                       sinew_newton_scratch *scratch, double *x) {
  memset(scratch->r, 0, (size_t)rows->row_count * sizeof(double));
  for (int j = 0; j < rows->dof_count; ++j) {
    if (held[j] == 0) {
      x[j] = (scratch->y[j] - dot_column(rows, scratch->bent, j, scratch->r)) * scratch->pivot[j];
      if (j == scratch->ridge && fabs(x[j]) < ridge) {
        x[j] = copysign(ridge, x[j]);
      }
      add_column(rows, rows->second, j, x[j], scratch->r);
    }
  }
}

// ----------------------------------------------------------------------- solve

// What a pivot must at least be: the rounding of the largest diagonal entry.
static double rounding(const sinew_rows *rows) {
  double most = 0.0;
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int k = 0; k < block->path_count; ++k) {
      double sum = 0.0;
      for (int i = 0; i < block->row_count; ++i) {
        const double u = rows->values[block->value_start + k * block->row_count + i];
        sum += u * u;
      }
      most = sinew_max(most, sum);
    }
  }
  return sinew_max(1e-14 * most, 1e-30);
}

static bool any_held(const sinew_rows *rows, const signed char *held) {
  bool any = false;
  for (int j = 0; j < rows->dof_count; ++j) {
    any |= held[j] != 0;
  }
  return any;
}

// Wishes: x where free; where held, x_j moved by the gradient of the model there.
static void fill_wishes(const sinew_newton_problem *problem, sinew_newton_scratch *scratch,
                        const double *x) {
  sinew_newton_multiply(problem->rows, scratch, x, scratch->product);
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    const double slope = problem->gradient[j] - scratch->product[j] - scratch->mu * x[j];
    scratch->wish[j] = scratch->held[j] == 0 ? x[j] : x[j] + slope;
  }
}

// For those not held; product is H x of the others, or NULL where nothing is held.
static void solve_free(const sinew_newton_problem *problem, const double *product,
                       sinew_newton_scratch *scratch, double *x) {
  const sinew_rows *rows = problem->rows;
  scratch->ridge = -1;
  scratch->mu = sinew_max(problem->mu, rounding(rows));
  for (int attempt = 0; attempt < 200; ++attempt) {
    if (eliminate_all(rows, problem->gradient, product, scratch->mu, scratch->held, scratch)) {
      break;
    }
    scratch->mu = 2.0 * scratch->mu + RAISE;
  }
  substitute(rows, scratch->held, problem->ridge, scratch, x);
}

void sinew_newton_solve(const sinew_newton_problem *problem, sinew_newton_scratch *scratch,
                        double *x) {
  const sinew_rows *rows = problem->rows;
  const bool some_held = any_held(rows, scratch->held);
  for (int j = 0; j < rows->dof_count; ++j) {
    x[j] = scratch->held[j] == 0 ? 0.0 : x[j];
  }
  if (some_held) {
    sinew_newton_multiply(rows, scratch, x, scratch->product);
  }
  solve_free(problem, some_held ? scratch->product : NULL, scratch, x);
  if (some_held) {
    fill_wishes(problem, scratch, x);
  } else {
    memcpy(scratch->wish, x, (size_t)rows->dof_count * sizeof(double));
  }
}

// The step as the active set calls it.
typedef struct boxed {
  const sinew_newton_problem *problem;
  sinew_newton_scratch *scratch;
} boxed;

static void solve_boxed(void *step, double *x) {
  const boxed *self = step;
  sinew_newton_solve(self->problem, self->scratch, x);
}

int sinew_newton_solve_box(const sinew_newton_problem *problem, const double *lower,
                           const double *upper, sinew_newton_scratch *scratch, double *x) {
  if (lower == NULL || upper == NULL) { // nothing is held, and no wish is asked for
    memset(scratch->held, 0, (size_t)problem->rows->dof_count);
    solve_free(problem, NULL, scratch, x);
    return 1;
  }
  boxed self = {problem, scratch};
  const sinew_box box = {.n = problem->rows->dof_count,
                         .gradient = problem->gradient,
                         .lower = lower,
                         .upper = upper,
                         .held = scratch->held,
                         .wish = scratch->wish,
                         .from = scratch->from,
                         .solve = solve_boxed,
                         .step = &self};
  return sinew_box_solve(&box, x);
}
