// Newton's step on a tree: (H + mu I) x = g, mostly without forming the matrix.
//
// H_jk = u_j . v_k for k at or nearer the root than j (rows.h), where u_j and v_j have an entry for
// each row that depends on column j. The columns are eliminated from the tips to the root. Those
// further out than k change H_kk' by -v_k . P v_k', so that
//
//   w_k = u_k - P v_k          d_k = w_k . v_k + mu
//   y_k = g_k - v_k . z        P <- P + w_k w_k^T / d_k,  z <- z + w_k y_k / d_k
//
// and x is substituted from the root to the tips:
//
//   x_k = (y_k - w_k . r) / d_k    r <- r + v_k x_k
//
// Rows here are those that a column touches in the end: a column that touches some of the rows that
// one further out has touched comes to touch them all. Paths are closed under this when a problem
// is compiled (problem/pattern.c); those from links to the root are so from the beginning.
//
// The work for a column is the square of the number of its rows, and linear in the length of a
// chain. P, z and r are stored for all rows; a column reads and updates only its own rows. Where
// columns come to touch so many rows that this is more work than to form and factor H
// (problem/pattern.c), as for the centre of mass of a whole body, that is done instead: formed.c.
//
// The three angular coordinates of a spherical joint form one rotation vector, so that none of them
// is nearer the root: the 3 x 3 diagonal block of H is the symmetric part of u_j . v_k. The three
// columns are eliminated together, with w made of the same P.
//
// Source of the elimination: quasiseparable matrices, Vandebril, Van Barel, Mastronardi, Matrix
// Computations and Semiseparable Matrices, 2008, chapter 4. That the columns at the point and at
// its target are generators of H is derived in problem/curvature.c.
#include "step/newton.h"
#include "math/vector.h"
#include "simd/four.h"
#include "step/box.h"
#include "step/ends.h"
#include "step/few.h"
#include "step/kept_factor.h"
#include "step/newton_segment.h"
#include "step/segment.h"

#include <string.h>

#define SECANT_SHARE 0.99

void sinew_newton_layout_step(sinew_arena *arena, const sinew_step_size *size,
                              sinew_newton_scratch *scratch) {
  const int capacity = (size->m + 5) / 6; // blocks
  const size_t m = (size_t)size->m, columns = (size_t)size->n;
  const int most = size->n > SINEW_ROWS_ELIMINATED ? size->n : SINEW_ROWS_ELIMINATED;
  const size_t corner = (size_t)(size->m < most ? size->m : most);
  scratch->w = sinew_arena_take_aligned(arena, m * columns, sizeof(double), sizeof(sinew_four));
  // With one block no segment is gathered, and with two P, z and r of a gathered segment are
  // contiguous.
  scratch->v = sinew_arena_take(arena, capacity > 1 ? m * columns : 0, sizeof(double));
  scratch->pivot = sinew_arena_take(arena, columns, sizeof(double));
  scratch->y = sinew_arena_take(arena, columns, sizeof(double));
  scratch->off_diagonal = sinew_arena_take(arena, columns, sizeof(double));
  scratch->P = sinew_arena_take(arena, corner * corner, sizeof(double));
  scratch->z = sinew_arena_take(arena, m, sizeof(double));
  scratch->r = sinew_arena_take(arena, m, sizeof(double));
  scratch->corner =
      sinew_arena_take(arena, capacity > 2 ? corner * corner + corner : 0, sizeof(double));
  scratch->index = sinew_arena_take(arena, capacity > 2 ? m : 0, sizeof(int));
  scratch->right = sinew_arena_take(arena, columns, sizeof(double));
  scratch->unconstrained = sinew_arena_take(arena, columns, sizeof(double));
  scratch->from = sinew_arena_take(arena, columns, sizeof(double));
  scratch->initial = sinew_arena_take(arena, columns, 1);
  scratch->held = sinew_arena_take(arena, columns, 1);
  sinew_trunk_layout(arena, size->m, size->n, &scratch->trunk);
}

void sinew_newton_layout(sinew_arena *arena, const sinew_step_size *size, void *memory) {
  sinew_newton_scratch *scratch = memory;
  sinew_newton_layout_step(arena, size, scratch);
  sinew_newton_layout_kept(arena, size, scratch);
}

void sinew_newton_layout_kept(sinew_arena *arena, const sinew_step_size *size,
                              sinew_newton_scratch *scratch) {
  sinew_formed_layout(arena, size->m, size->n, &scratch->formed);
  if (SINEW_HAS_FAST_PATHS) {
    sinew_formed_layout(arena, size->m, size->n, &scratch->first);
  }
  scratch->system = &scratch->formed;
}

// ------------------------------------------------------------------- segments

// Copies count columns of n values each to columns that are stride apart.
SINEW_ALWAYS_INLINE void copy_columns(int count, int n, const double *from, int stride,
                                      double *to) {
  for (int j = 0; j < count; ++j) {
    memcpy(to + j * stride, from + j * n, (size_t)n * sizeof(double));
  }
}

// Gathers the columns of several blocks: u into w, v into scratch->v.
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

// The indices of a segment's rows among all rows.
static void find_index(const sinew_rows *rows, const sinew_row_segment *of, int *index) {
  for (int t = rows->incidence_start[of->first]; t < rows->incidence_start[of->first + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    for (int i = 0; i < block->row_count; ++i) {
      *index++ = block->row + i;
    }
  }
}

// P and z of a segment: in place where its rows are contiguous, else gathered.
static void place_corner(const sinew_rows *rows, const sinew_row_segment *of, sinew_segment *s,
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
                          const sinew_segment *s, sinew_newton_scratch *scratch) {
  const int m = rows->row_count, r = of->row_count;
  for (int a = 0; of->row < 0 && a < r; ++a) {
    scratch->z[scratch->index[a]] = s->z[a];
    for (int b = 0; b < r; ++b) {
      scratch->P[scratch->index[a] * m + scratch->index[b]] = s->P[a * r + b];
    }
  }
}

// The first KEPT segments are kept from elimination for substitution; the others are filled again.
#define KEPT 8

// From the tips to the root. Returns false where H + mu I is not positive definite.
static bool eliminate_all(const sinew_rows *rows, const double *right, const signed char *active,
                          const double *x, sinew_newton_scratch *scratch,
                          sinew_segment kept[KEPT]) {
  const size_t m = (size_t)rows->row_count;
  memset(scratch->P, 0, m * m * sizeof(double));
  memset(scratch->z, 0, m * sizeof(double));
  for (int i = rows->segment_count; i-- > 0;) {
    const sinew_row_segment *of = &rows->segments[i];
    if (of->value_start < 0) {
      gather_columns(rows, of, scratch);
    }
    sinew_segment made, *s = i < KEPT ? &kept[i] : &made;
    sinew_newton_fill_segment(rows, of, active, x, scratch, s);
    s->right = right + of->first;
    place_corner(rows, of, s, scratch);
    const int bad = sinew_segment_eliminate(s);
    if (bad >= 0) {
      scratch->negative_pivot = of->first + bad;
      return false;
    }
    return_corner(rows, of, s, scratch);
  }
  return true;
}

// ---------------------------------------------------------------- substitution

// From the root to the tips. A change of x_j, with the changes of the columns further out that
// follow from it, is a direction of curvature d_j. Where d_j is not positive, |x_j| is at least
// negative_curvature_step.
static void substitute(const sinew_rows *rows, const signed char *active, double least,
                       sinew_newton_scratch *scratch, const sinew_segment kept[KEPT], double *x) {
  memset(scratch->r, 0, (size_t)rows->row_count * sizeof(double));
  for (int i = 0; i < rows->segment_count; ++i) {
    const sinew_row_segment *of = &rows->segments[i];
    const int bad = scratch->negative_pivot - of->first; // negative: none
    const sinew_segment *s = &kept[i < KEPT ? i : 0];
    sinew_segment made;
    if (i >= KEPT) {
      sinew_newton_fill_segment(rows, of, active, x, scratch, &made);
      s = &made;
    }
    if (of->row >= 0) {
      sinew_segment_substitute(s, bad, least, scratch->r + of->row, x + of->first);
      continue;
    }
    find_index(rows, of, scratch->index);
    for (int a = 0; a < s->r; ++a) {
      scratch->corner[a] = scratch->r[scratch->index[a]];
    }
    sinew_segment_substitute(s, bad, least, scratch->corner, x + of->first);
    for (int a = 0; a < s->r; ++a) {
      scratch->r[scratch->index[a]] = scratch->corner[a];
    }
  }
}

// ----------------------------------------------------------------------- solve

// mu, raised to the rounding error of the largest diagonal entry. A mu above the rounding error of
// the sum of all diagonal entries needs no maximum.
static double least_damping(const sinew_rows *rows, double mu) {
  double most = 0.0;
  if (mu >= 1e-14 * rows->square && mu >= 1e-30) {
    return mu;
  }
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const double *u = rows->values + block->value_start;
    for (int k = 0; k < block->path_count; ++k, u += block->row_count) {
      double square = 0.0;
      for (int i = 0; i < block->row_count; ++i) {
        square += u[i] * u[i];
      }
      most = sinew_max(most, square);
    }
  }
  return sinew_max(mu, sinew_max(1e-14 * most, 1e-30));
}

static bool any_active(const sinew_rows *rows, const signed char *active) {
  bool any = false;
  for (int j = 0; j < rows->dof_count; ++j) {
    any |= active[j] != 0;
  }
  return any;
}

// One chain of spherical joints in root-frame coordinates, with no active bound.
static bool solve_from_both_ends(const sinew_rows *rows, const double *right,
                                 const signed char *active, sinew_newton_scratch *scratch,
                                 double *x) {
  sinew_segment s;
  if (!rows->chain || active != NULL || rows->dof_count < 3 * SINEW_ENDS_LEAST) {
    return false;
  }
  sinew_newton_fill_segment(rows, rows->segments, active, x, scratch, &s);
  s.right = right;
  return sinew_ends_solve(&s, x);
}

// The last failure at a column: its pivot d, less the mu / 2 that it must exceed.
typedef struct failure {
  int column; // -1: none
  double mu, excess;
} failure;

// The next damping after a failure: the first of mu <- 2 mu + SINEW_NEWTON_RAISE that may succeed.
// d(mu) is concave, a minimum over x of functions that are linear in mu: d = min (1, x)^T (H + mu
// I) (1, x) over the columns further out. So after two failures at one column it also fails where
// their secant is still below mu / 2; SECANT_SHARE of that is for rounding errors.
static double raise_damping(const sinew_newton_scratch *scratch, failure *last) {
  const failure now = {scratch->negative_pivot, scratch->mu,
                       1.0 / scratch->pivot[scratch->negative_pivot] - 0.5 * scratch->mu};
  double least = 0.0, mu = 2.0 * now.mu + SINEW_NEWTON_RAISE;
  if (now.column == last->column) {
    const double slope = (now.excess - last->excess) / (now.mu - last->mu); // at least 1 / 2
    least = now.mu - SECANT_SHARE * now.excess / sinew_max(slope, 0.5);
  }
  while (mu < least && mu < SINEW_HUGE) {
    mu = 2.0 * mu + SINEW_NEWTON_RAISE;
  }
  *last = now;
  return mu;
}

// Which matrix the step is for, and what is known of it.
static void begin_system(const sinew_step_problem *problem, sinew_newton_scratch *scratch) {
  const bool first = SINEW_HAS_FAST_PATHS && problem->rows->second == problem->rows->values;
  scratch->system = first ? &scratch->first : &scratch->formed;
  if (!problem->known) {
    scratch->formed.state = scratch->first.state = SINEW_FORMED_NONE;
  }
}

// Returns false where H + mu I is not positive definite.
static bool factor(const sinew_rows *rows, const double *right, const signed char *active,
                   const double *x, sinew_newton_scratch *scratch, sinew_segment kept[KEPT]) {
  double pivot;
  if (sinew_trunk_is_used(rows)) {
    const int bad = sinew_trunk_factor(rows, right, active, x, scratch);
    scratch->negative_pivot = bad >= 0 ? bad : scratch->negative_pivot;
    return bad < 0;
  }
  if (!rows->formed) {
    return eliminate_all(rows, right, active, x, scratch, kept);
  }
  if (SINEW_HAS_FAST_PATHS && scratch->system == &scratch->formed &&
      scratch->first.state == SINEW_FORMED_FIRST) {
    sinew_formed_copy(&scratch->first, &scratch->formed);
  }
  sinew_formed_form(rows, scratch->system);
  const int bad = sinew_formed_factor(right, active, x, scratch->mu, scratch->system, &pivot);
  if (bad >= 0) {
    scratch->negative_pivot = bad;
    scratch->pivot[bad] = pivot;
  }
  return bad < 0;
}

// Whether the last failure is negative curvature. Where a share of the damping is in fact curvature
// that H leaves out, a pivot d below mu / 2 may be positive with it.
static bool is_negative(const sinew_step_problem *problem, const sinew_newton_scratch *scratch) {
  const double pivot = 1.0 / scratch->pivot[scratch->negative_pivot];
  return !(pivot > 0.5 * (1.0 - problem->curvature_share) * scratch->mu);
}

// Solves for the columns without an active bound; active is NULL where no bound is active. Returns
// the number of factorizations.
static int solve_inactive(const sinew_step_problem *problem, const double *right,
                          const signed char *active, sinew_newton_scratch *scratch, double *x) {
  scratch->negative_pivot = -1;
  scratch->mu = least_damping(problem->rows, problem->mu);
  if (solve_from_both_ends(problem->rows, right, active, scratch, x)) {
    return 1;
  }
  sinew_segment kept[KEPT];
  failure last = {.column = -1};
  int systems = 1, negative = -1;
  for (; !factor(problem->rows, right, active, x, scratch, kept); ++systems) {
    negative = is_negative(problem, scratch) ? scratch->negative_pivot : negative;
    scratch->mu = raise_damping(scratch, &last);
    if (!(scratch->mu < SINEW_HUGE)) { // H has NaN or infinite entries
      for (int j = 0; j < problem->rows->dof_count; ++j) {
        x[j] = active == NULL || active[j] == 0 ? 0.0 : x[j];
        scratch->unconstrained[j] = 0.0;
      }
      return systems;
    }
  }
  scratch->negative_pivot = negative;
  if (sinew_trunk_is_used(problem->rows)) {
    sinew_trunk_solve(problem->rows, active, problem->negative_curvature_step, scratch, x);
  } else if (problem->rows->formed) {
    sinew_factor_keep(systems == 1 ? problem->rows : NULL, scratch->system);
    sinew_formed_solve(scratch->system, scratch->negative_pivot, problem->negative_curvature_step,
                       x);
  } else {
    substitute(problem->rows, active, problem->negative_curvature_step, scratch, kept, x);
  }
  return systems;
}

// scratch.unconstrained <- g - (H + mu I) x. A step along negative curvature leaves a gradient at a
// column without an active bound, which those of active ones at or nearer the root depend on.
static void find_rest(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                      const double *x) {
  sinew_newton_multiply(problem->rows, scratch, x, scratch->right);
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    scratch->unconstrained[j] = problem->gradient[j] - scratch->right[j] - scratch->mu * x[j];
  }
}

// The same as sinew_newton_solve(), where H may have been formed for the working set before.
static int solve_set(const sinew_step_problem *problem, sinew_newton_scratch *scratch, double *x) {
  const sinew_rows *rows = problem->rows;
  const int n = rows->dof_count;
  if (!any_active(rows, scratch->held)) {
    const int systems = solve_inactive(problem, problem->gradient, NULL, scratch, x);
    memcpy(scratch->unconstrained, x, (size_t)n * sizeof(double));
    return systems;
  }
  if (rows->formed) {
    const int systems = solve_inactive(problem, problem->gradient, scratch->held, scratch, x);
    sinew_formed_unconstrained(scratch->system, problem->gradient, scratch->held, scratch->mu, x,
                               scratch->unconstrained);
    return systems;
  }
  for (int j = 0; j < n; ++j) {
    x[j] = scratch->held[j] == 0 ? 0.0 : x[j];
  }
  const int systems = solve_inactive(problem, problem->gradient, scratch->held, scratch, x);
  if (scratch->negative_pivot >= 0 && problem->negative_curvature_step > 0.0) {
    find_rest(problem, scratch, x);
  }
  for (int j = 0; j < n; ++j) {
    scratch->unconstrained[j] = scratch->held[j] == 0 ? x[j] : x[j] + scratch->unconstrained[j];
  }
  return systems;
}

int sinew_newton_solve(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                       double *x) {
  begin_system(problem, scratch);
  sinew_trunk_begin(problem->rows, scratch);
  return solve_set(problem, scratch, x);
}

// The argument of sinew_box.solve.
typedef struct boxed {
  sinew_step_problem problem;
  sinew_newton_scratch *scratch;
  double largest; // damping so far
} boxed;

// With a steady H there is no step along negative curvature, since it does not end at the minimum.
static int solve_boxed(void *step, bool steady, double *x) {
  boxed *self = step;
  if (steady) {
    self->problem.mu = self->largest;
    self->problem.negative_curvature_step = 0.0;
  }
  const int systems = solve_set(&self->problem, self->scratch, x);
  self->largest = sinew_max(self->largest, self->scratch->mu);
  return systems;
}

static double value_boxed(void *step, const double *x) {
  const boxed *self = step;
  const int n = self->problem.rows->dof_count;
  double *product = self->scratch->unconstrained, value = 0.0;
  sinew_newton_multiply(self->problem.rows, self->scratch, x, product);
  for (int j = 0; j < n; ++j) {
    value += x[j] * (0.5 * (product[j] + self->largest * x[j]) - self->problem.gradient[j]);
  }
  return value;
}

static int solve_box(const sinew_step_problem *problem, sinew_newton_scratch *scratch, double *x) {
  boxed self = {*problem, scratch, 0.0};
  sinew_box box = sinew_box_of(problem, scratch->held, scratch->unconstrained, scratch->from);
  box.initial = scratch->initial;
  box.solve = solve_boxed;
  box.value = value_boxed;
  box.step = &self;
  return sinew_box_solve(&box, x);
}

// The step where no bound is active, of a problem that step/few.h solves. Returns whether it is.
static bool step_of_few(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                        double *x) {
  const sinew_rows *rows = problem->rows;
  const bool bounded = sinew_step_is_bounded(problem);
  if (!sinew_rows_are_few(rows) || rows->spherical != NULL || rows->formed ||
      (bounded && (!problem->begun || any_active(rows, scratch->held)))) {
    return false;
  }
  scratch->negative_pivot = -1;
  scratch->mu = least_damping(rows, problem->mu);
  if (!sinew_few_newton(problem, scratch->mu, x)) {
    return false;
  }
  memset(scratch->held, 0, (size_t)rows->dof_count);
  return true;
}

int sinew_newton_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_newton_scratch *scratch = memory;
  int systems;
  begin_system(problem, scratch);
  sinew_trunk_begin(problem->rows, scratch);
  scratch->mu = least_damping(problem->rows, problem->mu);
  if (sinew_factor_step(problem, scratch, x) || step_of_few(problem, scratch, x)) {
    systems = 1;
  } else if (!sinew_step_is_bounded(problem)) { // unconstrained is not needed
    memset(scratch->held, 0, (size_t)problem->rows->dof_count);
    systems = solve_inactive(problem, problem->gradient, NULL, scratch, x);
  } else {
    systems = solve_box(problem, scratch, x);
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = scratch->mu;
  }
  return systems;
}
