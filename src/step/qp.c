// The dual method of Goldfarb and Idnani, on the factor of H that a step already has.
//
//   minimise   x^T H x / 2 - g^T x   over   l_i <= a_i^T x <= u_i
//
// With the active rows A at their ends b, and S = A H^-1 A^T,
//
//   S mu = A H^-1 g - b          x = H^-1 (g - A^T mu)
//
// mu_i >= 0 at an upper end, mu_i <= 0 at a lower end, of any sign where l_i = u_i. A turn takes a
// row p that x violates by w > 0, at the upper end say (s = 1, at the lower s = -1). With
//
//   y = H^-1 a_p     r = S^-1 A y     z = y - (H^-1 A^T) r     q = a_p . z >= 0
//
// x - s t z and mu - s t r solve the program for the active rows and a multiplier s t of row p. It
// becomes active at t = w / q. Where a multiplier would change its sign before that, its row leaves
// the list there, and r, z and q are found again. S = L D L^T is updated with the list.
//
// The method ends. The value of the dual program rises by t q (t / 2 + |mu_p|) > 0 when a row
// becomes active, and never falls; a row leaves the list at most k times in between. So no list
// occurs twice when a row has become active, and there are finitely many. Only the order of the
// rows that leave depends on ties: the earliest of the list leaves.
//
// Contradictions. Where q = 0, a_p is a sum of active rows, and where no multiplier approaches 0
// the rows with r_i <> 0 and p have no common point: each of them is beyond its end by w / |r_i| at
// least (p by w) wherever the others hold. The rows are then taken again in their order, the last
// to yield first: by rank, and within a rank by index. With R the rows up to one in that order and
// x the minimum over R, the next row that x violates is added to R. If that contradicts the others
// it is this row, the last of R, that yields: its end moves by as much. So a row yields by the
// least amount that the rows before it in the order allow, and not at all if they allow that; these
// amounts do not depend on g, H or the list to start from. Each R is a program without
// contradictions for which the method ends, and there are at most as many as rows.
//
// Rounding errors may break these arguments; MOST_CHANGES() is a limit that ends it all the same.
// Most of all where a_p is nearly a sum of active rows: q is then a small difference of large
// numbers, and one without a correct digit lets a row in that depends on the others, after which x
// is anything. So where q is small z and r are corrected once by the residual A z, and q is found
// again.
//
// Sources: Goldfarb, Idnani, A numerically stable dual method for solving strictly convex quadratic
// programs, 1983; with S = L D L^T as Arnstrom, Bemporad, Axehill, A dual active-set solver for
// embedded quadratic programming using recursive LDL^T updates, 2022; the change of L for a row
// that leaves: Gill, Golub, Murray, Saunders, Methods for modifying matrix factorizations, 1974,
// C1. That rows yield in an order is ours.
#define SINEW_CALLS
#include "step/qp.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "simd/four.h"

#include <string.h>

// A row is a sum of the active ones where q is this share of a . y.
#define DEPENDENT 1e-13
// Below this share of a . y the digits that q has lost are found again.
#define NEARLY_DEPENDENT 1e-2
// a^T H^-1 a of a row that numbers can tell from 0: its inverse, and products with that, are
// finite.
#define LEAST_SQUARE 1e-200

// Entries of r, in units of |a_p| / |a_i|, that count as 0: where t is found, and where a_p is a
// sum of active rows.
#define NO_EFFECT 1e-13
#define NO_PART 1e-8

#define MOST_CHANGES(rows) (100 + 20 * (rows))

void sinew_qp_workspace_layout(sinew_arena *arena, int n, int row_count,
                               sinew_qp_workspace *workspace) {
  const size_t variables = (size_t)n, rows = variables + (size_t)row_count;
  workspace->yielded = sinew_arena_take(arena, rows, sizeof(double));
  workspace->multiplier = sinew_arena_take(arena, rows, sizeof(double));
  workspace->Y = sinew_arena_take(arena, variables * variables, sizeof(double));
  workspace->L = sinew_arena_take(arena, variables * variables, sizeof(double));
  workspace->d = sinew_arena_take(arena, variables, sizeof(double));
  workspace->mu = sinew_arena_take(arena, variables, sizeof(double));
  workspace->x0 = sinew_arena_take(arena, variables, sizeof(double));
  workspace->norm = sinew_arena_take(arena, (size_t)row_count, sizeof(double));
  workspace->c = sinew_arena_take(arena, variables, sizeof(double));
  workspace->v = sinew_arena_take(arena, variables, sizeof(double));
  workspace->r = sinew_arena_take(arena, variables, sizeof(double));
  workspace->y = sinew_arena_take(arena, variables, sizeof(double));
  workspace->z = sinew_arena_take(arena, variables, sizeof(double));
  workspace->e = sinew_arena_take(arena, variables, sizeof(double));
  workspace->list = sinew_arena_take(arena, variables, sizeof(int));
  workspace->place = sinew_arena_take(arena, rows, sizeof(int));
  workspace->active = sinew_arena_take(arena, rows, 1);
}

// --------------------------------------------------------------- dense vectors

SINEW_ALWAYS_INLINE double dot(int n, const double *a, const double *b) {
  sinew_four one = {0.0, 0.0, 0.0, 0.0}, two = one;
  double rest = 0.0;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    one += sinew_four_load(a + i) * sinew_four_load(b + i);
    two += sinew_four_load(a + i + 4) * sinew_four_load(b + i + 4);
  }
  if (i + 4 <= n) {
    one += sinew_four_load(a + i) * sinew_four_load(b + i);
    i += 4;
  }
  for (; i < n; ++i) {
    rest += a[i] * b[i];
  }
  one += two;
  return ((one[0] + one[1]) + (one[2] + one[3])) + rest;
}

// b -= s a
SINEW_ALWAYS_INLINE void subtract(int n, double s, const double *a, double *b) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    sinew_four_store(b + i, sinew_four_load(b + i) - SINEW_FOUR_OF(s) * sinew_four_load(a + i));
  }
  for (; i < n; ++i) {
    b[i] -= s * a[i];
  }
}

void sinew_qp_solve_dense(const void *dense, int first, double *b) {
  const sinew_qp_dense *self = dense;
  const int n = self->n;
  const double *L = self->factor;
  for (int i = first + 1; i < n; ++i) {
    b[i] -= dot(i - first, L + i * n + first, b + first);
  }
  for (int i = first; i < n; ++i) {
    b[i] *= L[i * n + i];
  }
  for (int i = n - 1; i > 0; --i) {
    subtract(i, b[i], L + i * n, b);
  }
}

// ------------------------------------------------------------------------ rows

static double norm_of(const sinew_qp_data *data, const sinew_qp_workspace *work, int i) {
  return i < data->n ? 1.0 : work->norm[i - data->n];
}

// a_i . x
SINEW_ALWAYS_INLINE double value_of(const sinew_qp_data *data, int i, const double *x) {
  const int row = i - data->n;
  if (row < 0) {
    return x[i];
  }
  if (data->index == NULL) {
    return dot(data->n, data->rows + (size_t)row * (size_t)data->n, x);
  }
  double sum = 0.0;
  for (int k = data->start[row]; k < data->start[row + 1]; ++k) {
    sum += data->rows[k] * x[data->index[k]];
  }
  return sum;
}

// y <- H^-1 a_i
static void solve_row(const sinew_qp_data *data, sinew_qp_workspace *work, int i, double *y) {
  const int n = data->n, row = i - n;
  int first = 0;
  if (row < 0) {
    memset(y, 0, (size_t)n * sizeof *y);
    y[i] = 1.0;
    first = i;
  } else if (data->index == NULL) {
    memcpy(y, data->rows + (size_t)row * (size_t)n, (size_t)n * sizeof *y);
  } else {
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = data->start[row]; k < data->start[row + 1]; ++k) {
      y[data->index[k]] += data->rows[k];
    }
  }
  data->H.solve(data->H.factor, first, y);
  ++work->solves;
}

static double lower_of(const sinew_qp_data *data, const sinew_qp_workspace *work, int i) {
  const double end = i >= data->n          ? data->row_lower[i - data->n]
                     : data->lower == NULL ? -INFINITY
                                           : data->lower[i];
  return end + sinew_min(work->yielded[i], 0.0);
}

static double upper_of(const sinew_qp_data *data, const sinew_qp_workspace *work, int i) {
  const double end = i >= data->n          ? data->row_upper[i - data->n]
                     : data->upper == NULL ? INFINITY
                                           : data->upper[i];
  return end + sinew_max(work->yielded[i], 0.0);
}

static double end_of(const sinew_qp_data *data, const sinew_qp_workspace *work, int i) {
  return work->active[i] < 0 ? lower_of(data, work, i) : upper_of(data, work, i);
}

static bool is_equality(const sinew_qp_data *data, const sinew_qp_workspace *work, int i) {
  return lower_of(data, work, i) == upper_of(data, work, i);
}

// ------------------------------------------------------------------- S = L D L^T

// c <- A y, v <- L^-1 c, r <- S^-1 c for a row's y.
static void solve_shares(const sinew_qp_data *data, sinew_qp_workspace *work, const double *y) {
  for (int k = 0; k < work->count; ++k) {
    work->c[k] = value_of(data, work->list[k], y);
  }
}

// out <- S^-1 b; v <- L^-1 b. They may be the same vector.
static void solve_list(const sinew_qp_data *data, const sinew_qp_workspace *work, const double *b,
                       double *v, double *out) {
  const int count = work->count, n = data->n;
  for (int k = 0; k < count; ++k) {
    v[k] = b[k] - dot(k, work->L + k * n, v);
  }
  for (int k = 0; k < count; ++k) {
    out[k] = v[k] * work->d[k];
  }
  for (int k = count - 1; k > 0; --k) {
    subtract(k, out[k], work->L + k * n, out);
  }
}

// Row i becomes active; v is that of solve_list() for its y, and q > 0.
static void append(const sinew_qp_data *data, sinew_qp_workspace *work, int i, int side,
                   const double *y, double q, double mu) {
  const int k = work->count++, n = data->n;
  for (int j = 0; j < k; ++j) {
    work->L[k * n + j] = work->v[j] * work->d[j];
  }
  memcpy(work->Y + k * n, y, (size_t)n * sizeof *y);
  work->d[k] = 1.0 / q;
  work->mu[k] = mu;
  work->list[k] = i;
  work->active[i] = (signed char)side;
}

// L D L^T + d_k l l^T for the rows after k, l their entries in column k.
static void update_factor(sinew_qp_workspace *work, int n, int k) {
  double *l = work->v, alpha = 1.0 / work->d[k];
  const int count = work->count;
  for (int i = k + 1; i < count; ++i) {
    l[i] = work->L[i * n + k];
  }
  for (int j = k + 1; j < count; ++j) {
    const double d = 1.0 / work->d[j], p = l[j], sum = d + alpha * p * p;
    const double beta = p * alpha / sum;
    alpha *= d / sum;
    work->d[j] = 1.0 / sum;
    for (int i = j + 1; i < count; ++i) {
      l[i] -= p * work->L[i * n + j];
      work->L[i * n + j] += beta * l[i];
    }
  }
}

// The row at k leaves the list.
static void drop(const sinew_qp_data *data, sinew_qp_workspace *work, int k) {
  const int n = data->n, after = work->count - k - 1;
  update_factor(work, n, k);
  for (int i = k + 1; i < work->count; ++i) {
    const double *from = work->L + i * n;
    double *to = work->L + (i - 1) * n;
    memcpy(to, from, (size_t)k * sizeof *to);
    memmove(to + k, from + k + 1, (size_t)(i - k - 1) * sizeof *to);
  }
  const size_t size = (size_t)after * sizeof(double);
  work->active[work->list[k]] = 0;
  memmove(work->Y + k * n, work->Y + (k + 1) * n, (size_t)n * size);
  memmove(work->d + k, work->d + k + 1, size);
  memmove(work->mu + k, work->mu + k + 1, size);
  memmove(work->c + k, work->c + k + 1, size);
  memmove(work->list + k, work->list + k + 1, (size_t)after * sizeof(int));
  --work->count;
  ++work->changes;
}

// -------------------------------------------------------------------- the list

// z and r without what rounding errors have left of A z, which is 0.
static void refine_direction(const sinew_qp_data *data, sinew_qp_workspace *work) {
  for (int k = 0; k < work->count; ++k) {
    work->e[k] = value_of(data, work->list[k], work->z);
  }
  solve_list(data, work, work->e, work->e, work->e);
  for (int k = 0; k < work->count; ++k) {
    work->r[k] += work->e[k];
    subtract(data->n, work->e[k], work->Y + k * data->n, work->z);
  }
}

// Whether a_i is independent of the active rows: q > 0. Fills c, v, r, z from y.
static bool find_direction(const sinew_qp_data *data, sinew_qp_workspace *work, int i, double *q) {
  const int n = data->n;
  const double square = value_of(data, i, work->y);
  solve_list(data, work, work->c, work->v, work->r);
  memcpy(work->z, work->y, (size_t)n * sizeof(double));
  for (int k = 0; k < work->count; ++k) {
    subtract(n, work->r[k], work->Y + k * n, work->z);
  }
  *q = value_of(data, i, work->z);
  if (*q < NEARLY_DEPENDENT * square) {
    refine_direction(data, work);
    *q = value_of(data, i, work->z);
  }
  return *q > sinew_max(DEPENDENT * square, LEAST_SQUARE) && work->count < n;
}

// Y and S from the rows that are said to be active; those that depend on the ones before them are
// left out.
static void build_list(const sinew_qp_data *data, sinew_qp_workspace *work) {
  const int count = data->n + data->row_count;
  work->count = 0;
  for (int i = 0; i < count; ++i) {
    const int side = work->active[i];
    double q;
    if (side == 0) {
      continue;
    }
    work->active[i] = 0;
    solve_row(data, work, i, work->y);
    solve_shares(data, work, work->y);
    if (find_direction(data, work, i, &q)) {
      append(data, work, i, side, work->y, q, 0.0);
    }
  }
}

static void find_norms(const sinew_qp_data *data, sinew_qp_workspace *work) {
  for (int row = 0; row < data->row_count; ++row) {
    const int begin = data->index != NULL ? data->start[row] : row * data->n;
    const int count = data->index != NULL ? data->start[row + 1] - begin : data->n;
    const double norm = sqrt(dot(count, data->rows + begin, data->rows + begin));
    work->norm[row] = norm > 0.0 ? norm : 1.0;
  }
}

// The row of the list whose multiplier has the wrong sign, the most of all; -1: none.
static int wrong_sign(const sinew_qp_data *data, const sinew_qp_workspace *work) {
  double most = 0.0;
  int found = -1;
  for (int k = 0; k < work->count; ++k) {
    const int i = work->list[k];
    const double wrong = -work->active[i] * work->mu[k] * norm_of(data, work, i);
    if (wrong > most && !is_equality(data, work, i)) {
      most = wrong;
      found = k;
    }
  }
  return found;
}

// x <- the solution for the list, from which rows leave until all multipliers have their sign.
static void begin(const sinew_qp_data *data, sinew_qp_workspace *work, double *x) {
  const int n = data->n;
  for (int k = 0; k < work->count;) { // a bound may be gone
    if (fabs(end_of(data, work, work->list[k])) < INFINITY) {
      ++k;
    } else {
      drop(data, work, k);
    }
  }
  for (int wrong = 0; wrong >= 0;) {
    for (int k = 0; k < work->count; ++k) {
      work->c[k] = value_of(data, work->list[k], work->x0) - end_of(data, work, work->list[k]);
    }
    solve_list(data, work, work->c, work->v, work->mu);
    wrong = wrong_sign(data, work);
    if (wrong >= 0) {
      drop(data, work, wrong);
    }
  }
  memcpy(x, work->x0, (size_t)n * sizeof *x);
  for (int k = 0; k < work->count; ++k) {
    subtract(n, work->mu[k], work->Y + k * n, x);
  }
}

// ----------------------------------------------------------------------- turns

// A row beyond one of its ends.
typedef struct violation {
  int row;         // -1: none
  int side;        // 1: beyond the upper end, -1: the lower
  double size;     // by how much
  double relative; // over |a|
} violation;

// The end of a row that has yielded is a sum: its rounding error is in proportion to what it has
// yielded by.
SINEW_ALWAYS_INLINE void compare(const sinew_qp_data *data, const sinew_qp_workspace *work, int i,
                                 double value, violation *most) {
  const double above = value - upper_of(data, work, i), below = lower_of(data, work, i) - value;
  const double size = above > below ? above : below;
  const double relative = size / norm_of(data, work, i);
  if (relative > most->relative && work->active[i] == 0 &&
      (!work->in_order ||
       (work->place[i] <= work->last && size > SINEW_QP_FEASIBLE * fabs(work->yielded[i])))) {
    *most = (violation){i, above > below ? 1 : -1, size, relative};
  }
}

static double largest_of(int n, const double *x) {
  double most = 0.0;
  for (int j = 0; j < n; ++j) {
    most = sinew_max(most, fabs(x[j]));
  }
  return most;
}

// The row that is violated most, relative to |a|.
static violation most_violated(const sinew_qp_data *data, const sinew_qp_workspace *work,
                               double least, const double *x) {
  const int n = data->n, count = n + data->row_count;
  violation most = {.row = -1, .relative = least};
  for (int i = 0; data->lower != NULL && i < n; ++i) {
    compare(data, work, i, x[i], &most);
  }
  for (int i = n; i < count; ++i) {
    compare(data, work, i, value_of(data, i, x), &most);
  }
  return most;
}

// The first row in the order that is violated.
static violation first_violated(const sinew_qp_data *data, sinew_qp_workspace *work, double least,
                                const double *x) {
  const int count = data->n + data->row_count;
  violation first = {.row = -1};
  work->last = count;
  for (int i = data->lower != NULL ? 0 : data->n; i < count; ++i) {
    violation at = {.row = -1, .relative = least};
    if (first.row < 0 || work->place[i] < work->place[first.row]) {
      compare(data, work, i, value_of(data, i, x), &at);
      first = at.row >= 0 ? at : first;
    }
  }
  return first;
}

// The first multiplier that becomes 0: its place in the list, -1 for none; t <- the length.
static int first_zero(const sinew_qp_data *data, const sinew_qp_workspace *work,
                      const violation *of, double least, double *t) {
  const double norm = norm_of(data, work, of->row);
  int first = -1;
  *t = INFINITY;
  for (int k = 0; k < work->count; ++k) {
    const int i = work->list[k];
    const double fall = of->side * work->active[i] * work->r[k];
    if (fall * norm_of(data, work, i) > least * norm && !is_equality(data, work, i)) {
      const double length = sinew_max(work->active[i] * work->mu[k], 0.0) / fall;
      first = length < *t ? k : first;
      *t = sinew_min(*t, length);
    }
  }
  return first;
}

// Sorts all rows by rank and index.
static void find_order(const sinew_qp_data *data, sinew_qp_workspace *work) {
  const int count = data->n + data->row_count;
  int at[257] = {0};
  for (int i = 0; i < count; ++i) {
    ++at[(data->rank != NULL ? data->rank[i] : 0) + 1];
  }
  for (int rank = 0; rank < 256; ++rank) {
    at[rank + 1] += at[rank];
  }
  for (int i = 0; i < count; ++i) {
    work->place[i] = at[data->rank != NULL ? data->rank[i] : 0]++;
  }
}

// The row p and those active that it is a sum of have no common point: the last of them in the
// order yields.
static void yield(const sinew_qp_data *data, sinew_qp_workspace *work, const violation *of,
                  double slack) {
  const double norm = norm_of(data, work, of->row);
  int row = of->row, side = of->side;
  const double beyond = of->size + slack * norm + SINEW_QP_FEASIBLE * fabs(work->yielded[row]);
  double amount = beyond;
  for (int k = 0; k < work->count; ++k) {
    const int i = work->list[k];
    const double share = work->r[k];
    if (fabs(share) * norm_of(data, work, i) > NO_PART * norm &&
        work->place[i] > work->place[row]) {
      row = i;
      // a_p = sum of r_i a_i: x beyond the end of p on that side wants a_i x on the other side.
      side = of->side * share > 0.0 ? -1 : 1;
      amount = beyond / fabs(share);
    }
  }
  // Less would be lost by rounding where it has yielded before.
  work->yielded[row] += side * sinew_max(amount, SINEW_QP_FEASIBLE * fabs(work->yielded[row]));
  if (work->active[row] != 0) {
    work->active[row] = (signed char)side;
  }
}

// Makes a violated row active. Returns false where it contradicts the active ones.
static bool activate(const sinew_qp_data *data, sinew_qp_workspace *work, const violation *beyond,
                     double *x) {
  violation of = *beyond;
  const int n = data->n;
  double q, mu = 0.0;
  solve_row(data, work, of.row, work->y);
  solve_shares(data, work, work->y);
  for (;;) {
    const bool independent = find_direction(data, work, of.row, &q);
    double zero;
    const int first = first_zero(data, work, &of, independent ? NO_EFFECT : NO_PART, &zero);
    if (!independent && first < 0) {
      return false;
    }
    const double full = independent ? of.size / q : INFINITY, t = sinew_min(full, zero);
    for (int k = 0; k < work->count; ++k) {
      work->mu[k] -= of.side * t * work->r[k];
    }
    mu += of.side * t;
    if (independent) {
      subtract(n, of.side * t, work->z, x);
    }
    if (full <= zero) {
      append(data, work, of.row, of.side, work->y, q, mu);
      ++work->changes;
      return true;
    }
    of.size -= independent ? t * q : 0.0;
    drop(data, work, first);
  }
}

// Removes what rounding errors have left of the active rows' residuals.
static void correct(const sinew_qp_data *data, sinew_qp_workspace *work, double *x) {
  for (int k = 0; k < work->count; ++k) {
    work->c[k] = value_of(data, work->list[k], x) - end_of(data, work, work->list[k]);
  }
  solve_list(data, work, work->c, work->v, work->r);
  for (int k = 0; k < work->count; ++k) {
    work->mu[k] += work->r[k];
    subtract(data->n, work->r[k], work->Y + k * data->n, x);
  }
}

// Multipliers of all rows; x into its bounds, which it may be beyond by rounding errors.
static void finish(const sinew_qp_data *data, sinew_qp_workspace *work, double *x) {
  const int n = data->n, count = n + data->row_count;
  memset(work->multiplier, 0, (size_t)count * sizeof(double));
  for (int k = 0; k < work->count; ++k) {
    work->multiplier[work->list[k]] = work->mu[k];
  }
  work->yielded_count = 0;
  for (int i = 0; i < count; ++i) {
    work->yielded_count += work->yielded[i] != 0.0;
  }
  for (int j = 0; data->lower != NULL && j < n; ++j) {
    x[j] = sinew_clamp(x[j], lower_of(data, work, j), upper_of(data, work, j));
  }
}

// The rows are taken in their order from here on, none of them yet.
static void begin_in_order(const sinew_qp_data *data, sinew_qp_workspace *work, double *x) {
  while (work->count > 0) {
    drop(data, work, work->count - 1);
  }
  find_order(data, work);
  work->in_order = true;
  work->last = -1;
  begin(data, work, x);
}

// The next violated row: of those taken the one violated most, else the first of the others.
static violation next_violated(const sinew_qp_data *data, sinew_qp_workspace *work, double least,
                               const double *x) {
  const violation most = most_violated(data, work, least, x);
  if (most.row >= 0 || !work->in_order) {
    return most;
  }
  const violation first = first_violated(data, work, least, x);
  work->last = first.row >= 0 ? work->place[first.row] : work->last;
  return first;
}

// Turns until no row is violated.
static void minimise(const sinew_qp_data *data, sinew_qp_workspace *work, double *x) {
  const int n = data->n, most = MOST_CHANGES(n + data->row_count);
  const double start = largest_of(n, work->x0);
  bool corrected = true;
  while (work->changes < most) {
    const double least = SINEW_QP_FEASIBLE * sinew_max(start, largest_of(n, x));
    const violation next = next_violated(data, work, least, x);
    if (next.row < 0 && corrected) {
      work->finished = true;
      return;
    }
    corrected = next.row < 0;
    if (corrected) {
      correct(data, work, x);
    } else if (!activate(data, work, &next, x)) {
      ++work->changes;
      if (work->in_order) {
        yield(data, work, &next, least);
        begin(data, work, x);
      } else {
        begin_in_order(data, work, x);
      }
    }
  }
}

void sinew_qp_minimise(const sinew_qp_data *data, sinew_qp_workspace *work, double *x) {
  const int n = data->n, count = n + data->row_count;
  work->changes = 0;
  work->solves = 1;
  work->finished = work->in_order = false;
  memset(work->yielded, 0, (size_t)count * sizeof(double));
  memcpy(work->x0, data->g, (size_t)n * sizeof(double));
  data->H.solve(data->H.factor, 0, work->x0);
  if (!data->same) {
    find_norms(data, work);
    build_list(data, work);
  }
  begin(data, work, x);
  minimise(data, work, x);
  finish(data, work, x);
}

const sinew_qp_functions sinew_qp_functions_of_set = {
    .factor = sinew_ldlt_factor,
    .solve_dense = sinew_qp_solve_dense,
    .minimise = sinew_qp_minimise,
};
