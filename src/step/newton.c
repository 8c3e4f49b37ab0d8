// Newton's step on a tree, without forming its matrix.
//
// H_jk = u_j . v_k for k at or nearer the root than j (rows.h), u and v having an
// entry for each row that incidences the degree of freedom. Such a matrix, with mu on
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
// A ball's three turn by one rotation vector, so that its own corner of H has no order: it is the
// symmetric part of u_j . v_k. The ball is eliminated at once, its w all made of the same P.
//
// Source of the elimination: quasiseparable matrices, Vandebril, Van Barel,
// Mastronardi, Matrix Computations and Semiseparable Matrices, 2008, chapter 4. Its
// use here, with the columns at the point and at its target as generators, is our
// derivation: problem/curvature.c.
#include "step/newton.h"
#include "math/vector.h"
#include "simd/four.h"
#include "step/box.h"
#include "step/ends.h"
#include "step/stretch.h"

#include <string.h>

// Damping where H is not positive definite grows by this, and doubles. H is made of
// squares of arms in sizes of the model, of order 1 at most.
#define RAISE 1e-4

void sinew_newton_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_newton_scratch *scratch = memory;
  const int capacity = (size->m + 5) / 6; // blocks
  const size_t m = (size_t)size->m, columns = (size_t)size->n;
  scratch->w = sinew_arena_take_aligned(arena, m * columns, sizeof(double), sizeof(sinew_four));
  // One block is never gathered, and of two none stands between.
  scratch->v = sinew_arena_take(arena, capacity > 1 ? m * columns : 0, sizeof(double));
  scratch->pivot = sinew_arena_take(arena, columns, sizeof(double));
  scratch->y = sinew_arena_take(arena, columns, sizeof(double));
  scratch->links = sinew_arena_take(arena, columns, sizeof(double));
  scratch->P = sinew_arena_take(arena, m * m, sizeof(double));
  scratch->z = sinew_arena_take(arena, m, sizeof(double));
  scratch->r = sinew_arena_take(arena, m, sizeof(double));
  scratch->corner = sinew_arena_take(arena, capacity > 2 ? m * m + m : 0, sizeof(double));
  scratch->index = sinew_arena_take(arena, capacity > 2 ? m : 0, sizeof(int));
  scratch->right = sinew_arena_take(arena, columns, sizeof(double));
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
  for (int t = rows->incidence_start[j]; t < rows->incidence_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const int r = block->row_count;
    const double *entry = values + block->value_start + rows->incidences[t].k * r;
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
  for (int t = rows->incidence_start[j]; t < rows->incidence_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const int r = block->row_count;
    const double *entry = values + block->value_start + rows->incidences[t].k * r;
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

// out += what the mean of u_j . v_k and u_k . v_j within a ball, which begins at column, is more
// than the first.
static void add_mean(const sinew_rows *rows, int column, const double *x, double *out) {
  for (int j = 1; j < 3; ++j) {
    for (int k = 0; k < j; ++k) {
      double more = 0.0;
      for (int t = rows->incidence_start[column]; t < rows->incidence_start[column + 1]; ++t) {
        const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
        const int r = block->row_count, at = block->value_start + rows->incidences[t].k * r;
        const double *u = rows->values + at, *v = rows->second + at;
        more += 0.5 * (dot_rows(r, u + k * r, v + j * r) - dot_rows(r, u + j * r, v + k * r));
      }
      out[column + j] += more * x[column + k];
      out[column + k] += more * x[column + j];
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
  for (int j = 0; rows->balls != NULL && j < n; j += rows->balls[j] != 0 ? 3 : 1) {
    if (rows->balls[j] != 0) {
      add_mean(rows, j, x, out);
    }
  }
}

// ------------------------------------------------------------------- segments

// count columns of n values each, from one place to another where columns are stride apart.
SINEW_ALWAYS_INLINE void copy_columns(int count, int n, const double *from, int stride,
                                      double *to) {
  for (int j = 0; j < count; ++j) {
    memcpy(to + j * stride, from + j * n, (size_t)n * sizeof(double));
  }
}

// The columns of several blocks, u to where w will be, v beside.
static void gather_columns(const sinew_rows *rows, const sinew_row_segment *of,
                           sinew_newton_scratch *scratch) {
  const int r = of->row_count, count = of->count;
  double *w = scratch->w + of->start, *v = scratch->v + of->start;
  for (int t = rows->incidence_start[of->first]; t < rows->incidence_start[of->first + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const int n = block->row_count, from = block->value_start + rows->incidences[t].k * n;
    if (n == 3) {
      copy_columns(count, 3, rows->values + from, r, w);
      copy_columns(count, 3, rows->second + from, r, v);
    } else {
      copy_columns(count, n, rows->values + from, r, w);
      copy_columns(count, n, rows->second + from, r, v);
    }
    w += n;
    v += n;
  }
}

// Where the rows of a stretch are in the stack.
static void find_index(const sinew_rows *rows, const sinew_row_segment *of, int *index) {
  for (int t = rows->incidence_start[of->first]; t < rows->incidence_start[of->first + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    for (int i = 0; i < block->row_count; ++i) {
      *index++ = block->row + i;
    }
  }
}

// What both ways through the tree need of a stretch.
static void fill_stretch(const sinew_rows *rows, const sinew_row_segment *of,
                         const signed char *held, const sinew_newton_scratch *scratch,
                         sinew_stretch *s) {
  s->r = of->row_count;
  s->count = of->count;
  s->w = scratch->w + of->start;
  s->top = of->top;
  s->tip = of->tip;
  s->mu = scratch->mu;
  s->held = held != NULL ? held + of->first : NULL;
  s->balls = rows->balls != NULL ? rows->balls + of->first : NULL;
  s->pivot = scratch->pivot + of->first;
  s->y = scratch->y + of->first;
  s->links = scratch->links + of->first;
  s->point = of->point;
  if (of->value_start >= 0) {
    s->u = rows->values + of->value_start;
    s->v = rows->second + of->value_start;
  } else {
    s->u = s->w;
    s->v = scratch->v + of->start;
  }
}

// Its P and z, in place or gathered.
static void place_corner(const sinew_rows *rows, const sinew_row_segment *of, sinew_stretch *s,
                         sinew_newton_scratch *scratch) {
  const int m = rows->row_count, r = of->row_count;
  if (of->row >= 0) {
    s->P = scratch->P + (size_t)of->row * (size_t)m + of->row;
    s->z = scratch->z + of->row;
    s->stride = m;
    return;
  }
  s->P = scratch->corner;
  s->z = scratch->corner + (size_t)r * (size_t)r;
  s->stride = r;
  find_index(rows, of, scratch->index);
  for (int a = 0; a < r; ++a) {
    s->z[a] = scratch->z[scratch->index[a]];
    for (int b = 0; b < r; ++b) {
      s->P[a * r + b] = scratch->P[scratch->index[a] * m + scratch->index[b]];
    }
  }
}

static void return_corner(const sinew_rows *rows, const sinew_row_segment *of,
                          const sinew_stretch *s, sinew_newton_scratch *scratch) {
  const int m = rows->row_count, r = of->row_count;
  for (int a = 0; of->row < 0 && a < r; ++a) {
    scratch->z[scratch->index[a]] = s->z[a];
    for (int b = 0; b < r; ++b) {
      scratch->P[scratch->index[a] * m + scratch->index[b]] = s->P[a * r + b];
    }
  }
}

// So many segments are kept from the way to the root for the way back; more are made again.
#define KEPT 8

// From the tips to the root. False where H + mu I is not positive definite.
static bool eliminate_all(const sinew_rows *rows, const double *right, const signed char *held,
                          sinew_newton_scratch *scratch, sinew_stretch kept[KEPT]) {
  const size_t m = (size_t)rows->row_count;
  memset(scratch->P, 0, m * m * sizeof(double));
  memset(scratch->z, 0, m * sizeof(double));
  for (int i = rows->segment_count; i-- > 0;) {
    const sinew_row_segment *of = &rows->segments[i];
    if (of->value_start < 0) {
      gather_columns(rows, of, scratch);
    }
    sinew_stretch made, *s = i < KEPT ? &kept[i] : &made;
    fill_stretch(rows, of, held, scratch, s);
    s->right = right + of->first;
    place_corner(rows, of, s, scratch);
    const int bad = sinew_stretch_eliminate(s);
    if (bad >= 0) {
      scratch->ridge = of->first + bad;
      return false;
    }
    return_corner(rows, of, s, scratch);
  }
  return true;
}

// ---------------------------------------------------------------- substitution

// From the root outward. What follows from x_j alone is a direction of the curvature d_j: where
// that is negative it leads off the ridge.
static void substitute(const sinew_rows *rows, const signed char *held, double ridge,
                       sinew_newton_scratch *scratch, const sinew_stretch kept[KEPT], double *x) {
  memset(scratch->r, 0, (size_t)rows->row_count * sizeof(double));
  for (int i = 0; i < rows->segment_count; ++i) {
    const sinew_row_segment *of = &rows->segments[i];
    const int bad = scratch->ridge - of->first; // negative where there was none
    const sinew_stretch *s = &kept[i < KEPT ? i : 0];
    sinew_stretch made;
    if (i >= KEPT) {
      fill_stretch(rows, of, held, scratch, &made);
      s = &made;
    }
    if (of->row >= 0) {
      sinew_stretch_substitute(s, bad, ridge, scratch->r + of->row, x + of->first);
      continue;
    }
    find_index(rows, of, scratch->index);
    for (int a = 0; a < s->r; ++a) {
      scratch->corner[a] = scratch->r[scratch->index[a]];
    }
    sinew_stretch_substitute(s, bad, ridge, scratch->corner, x + of->first);
    for (int a = 0; a < s->r; ++a) {
      scratch->r[scratch->index[a]] = scratch->corner[a];
    }
  }
}

// ----------------------------------------------------------------------- solve

// What a pivot must at least be: the rounding of the largest diagonal entry. Damping that is above
// that of their sum needs no look at them one by one.
static double least_damping(const sinew_rows *rows, double mu) {
  double most = 0.0;
  if (mu >= 1e-14 * rows->square && mu >= 1e-30) {
    return mu;
  }
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const double *u = rows->values + block->value_start;
    for (int k = 0; k < block->path_count; ++k, u += block->row_count) {
      most = sinew_max(most, dot_rows(block->row_count, u, u));
    }
  }
  return sinew_max(mu, sinew_max(1e-14 * most, 1e-30));
}

static bool any_held(const sinew_rows *rows, const signed char *held) {
  bool any = false;
  for (int j = 0; j < rows->dof_count; ++j) {
    any |= held[j] != 0;
  }
  return any;
}

// Wishes: x where free; where held, x_j moved by the gradient of the model there.
static void fill_wishes(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                        const double *x) {
  double *product = scratch->right;
  sinew_newton_multiply(problem->rows, scratch, x, product);
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    const double slope = problem->gradient[j] - product[j] - scratch->mu * x[j];
    scratch->wish[j] = scratch->held[j] == 0 ? x[j] : x[j] + slope;
  }
}

// Where all is one chain of free balls, none held.
static bool solve_from_both_ends(const sinew_rows *rows, const double *right,
                                 const signed char *held, sinew_newton_scratch *scratch,
                                 double *x) {
  sinew_stretch s;
  if (!rows->chain || held != NULL || rows->dof_count < 3 * SINEW_ENDS_LEAST) {
    return false;
  }
  fill_stretch(rows, rows->segments, held, scratch, &s);
  s.right = right;
  return sinew_ends_solve(&s, x);
}

// For those not held (NULL: none is).
static void solve_free(const sinew_step_problem *problem, const double *right,
                       const signed char *held, sinew_newton_scratch *scratch, double *x) {
  scratch->ridge = -1;
  scratch->mu = least_damping(problem->rows, problem->mu);
  if (solve_from_both_ends(problem->rows, right, held, scratch, x)) {
    return;
  }
  sinew_stretch kept[KEPT];
  while (!eliminate_all(problem->rows, right, held, scratch, kept)) {
    scratch->mu = 2.0 * scratch->mu + RAISE;
    if (!(scratch->mu < SINEW_HUGE)) { // long before, mu is all that there is: no numbers
      for (int j = 0; j < problem->rows->dof_count; ++j) {
        x[j] = held == NULL || held[j] == 0 ? 0.0 : x[j];
      }
      return;
    }
  }
  substitute(problem->rows, held, problem->negative_curvature_step, scratch, kept, x);
}

void sinew_newton_solve(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                        double *x) {
  const sinew_rows *rows = problem->rows;
  const int n = rows->dof_count;
  if (!any_held(rows, scratch->held)) {
    solve_free(problem, problem->gradient, NULL, scratch, x);
    memcpy(scratch->wish, x, (size_t)n * sizeof(double));
    return;
  }
  for (int j = 0; j < n; ++j) {
    x[j] = scratch->held[j] == 0 ? 0.0 : x[j];
  }
  sinew_newton_multiply(rows, scratch, x, scratch->right);
  for (int j = 0; j < n; ++j) {
    scratch->right[j] = problem->gradient[j] - scratch->right[j];
  }
  solve_free(problem, scratch->right, scratch->held, scratch, x);
  fill_wishes(problem, scratch, x);
}

// The step as the active set calls it.
typedef struct boxed {
  const sinew_step_problem *problem;
  sinew_newton_scratch *scratch;
} boxed;

static void solve_boxed(void *step, double *x) {
  const boxed *self = step;
  sinew_newton_solve(self->problem, self->scratch, x);
}

static int solve_box(const sinew_step_problem *problem, sinew_newton_scratch *scratch, double *x) {
  boxed self = {problem, scratch};
  const sinew_box box = {.n = problem->rows->dof_count,
                         .gradient = problem->gradient,
                         .lower = problem->lower,
                         .upper = problem->upper,
                         .held = scratch->held,
                         .wish = scratch->wish,
                         .from = scratch->from,
                         .solve = solve_boxed,
                         .step = &self};
  return sinew_box_solve(&box, x);
}

int sinew_newton_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_newton_scratch *scratch = memory;
  int rounds = 1;
  if (problem->lower == NULL ||
      problem->upper == NULL) { // nothing is held, and no wish is asked for
    memset(scratch->held, 0, (size_t)problem->rows->dof_count);
    solve_free(problem, problem->gradient, NULL, scratch, x);
  } else {
    rounds = solve_box(problem, scratch, x);
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = scratch->mu;
  }
  return rounds;
}
