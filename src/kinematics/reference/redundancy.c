// The pseudoinverse, the projection on its null space, and levels of priority, as published.
//
//   x_k = x_(k-1) + (J_k P_k)^+ (e_k - J_k x_(k-1))     recursive: Siciliano, Slotine 1991
//   x_k = x_(k-1) + P_k J_k^+ e_k                       robust: Chiaverini 1997
//   P_(k+1) = P_k - (J_k P_k)^+ (J_k P_k),   P_0 = I, and 0 on the diagonal of values held
//
// P is made without damping, so that it stays a projector; x is damped. See step/level.c for how
// the solver computes the same without a decision about rank.
//
// Bounds, by Baerlocher and Boulic 2004: values outside are
// held at their bound, and the levels solved again for the others. We hold one at a time, the
// farthest outside. The release of a held value j: with the motion d = 1 of j and that of the
// others which keeps higher levels, J_i d = 0 for i < k, the error of level k falls at the rate
// (J_k d) . r_k, r_k = e_k - J_k x. The first level where that is not 0 decides.
#include "kinematics/reference/redundancy.h"
#include "kinematics/reference/decomposition.h"
#include "base/error.h"
#include "math/vector.h"

// Rates and errors up to this share of the figures that they are made of count as 0: rounding
// errors of a few dozen products.
#define ROUNDING 1e-9

// ---------------------------------------------------------------- in common

bool sinew_reference_usable(int count, const double *values) {
  for (int i = 0; i < count; ++i) {
    if (!sinew_is_usable(values[i])) {
      return false;
    }
  }
  return true;
}

sinew_result sinew_reference_check(int n, const sinew_reference_level *rows, double cut,
                                   double lambda) {
  if (n < 1 || rows->m < 0 || !(cut > 0.0 && cut < 1.0) || !(lambda >= 0.0)) {
    return SINEW_ERROR_ARGUMENT;
  }
  const bool usable = sinew_is_usable(lambda) && sinew_reference_usable(rows->m * n, rows->J);
  return usable && sinew_reference_usable(rows->m, rows->e) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}

sinew_result sinew_reference_finish(int n, const double *from, double *x) {
  for (int i = 0; i < n; ++i) {
    if (!isfinite(from[i])) {
      return SINEW_ERROR_NOT_FINITE;
    }
  }
  memcpy(x, from, (size_t)n * sizeof(double));
  return SINEW_OK;
}

void sinew_reference_identity(int n, double *P) {
  sinew_zero((size_t)n * (size_t)n, P);
  for (int i = 0; i < n; ++i) {
    P[i * n + i] = 1.0;
  }
}

void sinew_reference_multiply(int m, int n, const double *A, const double *x, double *out) {
  for (int r = 0; r < m; ++r) {
    out[r] = 0.0;
    for (int j = 0; j < n; ++j) {
      out[r] += A[r * n + j] * x[j];
    }
  }
}

size_t sinew_reference_work(int n, int m) {
  const size_t columns = n > 0 ? (size_t)n : 0, rows = m > 0 ? (size_t)m : 0;
  const size_t all = columns + rows;
  // Four matrices of n columns and at most n + m rows, one of them a decomposition's with its U,
  // and vectors: what the extended Jacobian takes.
  return 4 * all * columns + all * all + 8 * all;
}

// ---------------------------------------------------------------- one level

sinew_result sinew_reference_pseudoinverse(int n, const sinew_reference_level *rows, double cut,
                                           double *work, double *P, int *rank) {
  SINEW_ASSERT(rows != NULL && work != NULL && P != NULL);
  const int m = rows->m;
  const sinew_reference_level J = {m, rows->J, rows->J}; // e is not used
  sinew_result result = sinew_reference_check(n, &J, cut, 0.0);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_decomposition d;
  sinew_decomposition_find(m, n, rows->J, work, &d);
  double *x = work + sinew_decomposition_size(m, n), *unit = x + n;
  const double bound = cut * d.largest * d.scale;
  for (int pass = 0; pass < 2; ++pass) { // P is written when all of it is known to be finite
    for (int r = 0; r < m && result == SINEW_OK; ++r) {
      sinew_zero((size_t)m, unit);
      sinew_zero((size_t)n, x);
      unit[r] = 1.0;
      sinew_decomposition_solve(&d, bound, 0.0, unit, x);
      result = sinew_reference_finish(n, x, x);
      for (int j = 0; pass == 1 && j < n; ++j) {
        P[j * m + r] = x[j];
      }
    }
  }
  int count = 0;
  for (int i = 0; i < m; ++i) {
    count += sinew_decomposition_counts(&d, i, bound);
  }
  if (rank != NULL && result == SINEW_OK) {
    *rank = count;
  }
  return result;
}

// ------------------------------------------------------------------- levels

// Where a computation keeps its parts in the caller's work.
typedef struct parts {
  double *P;        // n x n
  double *x;        // n
  double *rows;     // (m + n) x n: J_k P_k, or all higher levels
  double *errors;   // m + n
  double *values;   // 2 n
  double *side;     // n: -1 and 1: held at the lower and upper bound
  double *released; // n: 1: has been
  double *scratch;  // a decomposition
} parts;

static int row_count(const sinew_reference_levels *levels) {
  int m = 0;
  for (int k = 0; k < levels->count; ++k) {
    m += levels->levels[k].m;
  }
  return m;
}

static parts parts_of(const sinew_reference_levels *levels, double *work) {
  const int n = levels->n, m = row_count(levels);
  parts p = {.P = work, .x = work + n * n};
  p.rows = p.x + n;
  p.errors = p.rows + (m + n) * n;
  p.values = p.errors + m + n;
  p.side = p.values + 2 * n;
  p.released = p.side + n;
  p.scratch = p.released + n;
  return p;
}

static sinew_result check_levels(const sinew_reference_levels *levels) {
  if (levels->n < 1 || levels->count < 0 || (levels->lower == NULL) != (levels->upper == NULL)) {
    return SINEW_ERROR_ARGUMENT;
  }
  for (int k = 0; k < levels->count; ++k) {
    const sinew_result result =
        sinew_reference_check(levels->n, &levels->levels[k], levels->cut, levels->lambda);
    if (result != SINEW_OK) {
      return result;
    }
  }
  for (int j = 0; levels->lower != NULL && j < levels->n; ++j) {
    if (isnan(levels->lower[j]) || isnan(levels->upper[j])) {
      return SINEW_ERROR_NOT_FINITE;
    }
    const bool empty = levels->lower[j] > SINEW_HUGE || levels->upper[j] < -SINEW_HUGE;
    if (empty || levels->lower[j] > levels->upper[j]) {
      return SINEW_ERROR_ARGUMENT;
    }
  }
  return SINEW_OK;
}

// The bound below which singular values count as 0: a share of the largest of A.
static double bound_of(double cut, int m, int n, const double *A, double *scratch) {
  sinew_decomposition d;
  sinew_decomposition_find(m, n, A, scratch, &d);
  return cut * d.largest * d.scale;
}

// rows <- A P, A m x n.
static void multiply_projector(int m, int n, const double *A, const double *P, double *rows) {
  for (int r = 0; r < m; ++r) {
    for (int j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int i = 0; i < n; ++i) {
        sum += A[r * n + i] * P[i * n + j];
      }
      rows[r * n + j] = sum;
    }
  }
}

// Adds level k to x, and removes its directions from P.
static void add_level(const sinew_reference_levels *levels, int k, bool robust, const parts *p) {
  const sinew_reference_level *level = &levels->levels[k];
  const int n = levels->n, m = level->m;
  const double bound = bound_of(levels->cut, m, n, level->J, p->scratch);
  double *part = p->values, *projected = p->values + n;
  sinew_decomposition d;
  sinew_zero((size_t)n, part);
  if (robust) { // P J^+ e
    sinew_decomposition_find(m, n, level->J, p->scratch, &d);
    sinew_decomposition_solve(&d, bound, levels->lambda, level->e, part);
    sinew_reference_multiply(n, n, p->P, part, projected);
  }
  multiply_projector(m, n, level->J, p->P, p->rows);
  sinew_decomposition_find(m, n, p->rows, p->scratch, &d);
  if (!robust) { // (J P)^+ (e - J x), which P does not change
    sinew_reference_multiply(m, n, level->J, p->x, p->errors);
    for (int r = 0; r < m; ++r) {
      p->errors[r] = level->e[r] - p->errors[r];
    }
    sinew_decomposition_solve(&d, bound, levels->lambda, p->errors, part);
    memcpy(projected, part, (size_t)n * sizeof(double));
  }
  for (int j = 0; j < n; ++j) {
    p->x[j] += projected[j];
  }
  sinew_decomposition_project(&d, bound, p->P);
}

// The parts of the work with P = I and x = 0.
static parts begin(const sinew_reference_levels *levels, double *work) {
  const parts p = parts_of(levels, work);
  sinew_reference_identity(levels->n, p.P);
  sinew_zero((size_t)levels->n, p.x);
  return p;
}

static sinew_result solve_levels(const sinew_reference_levels *levels, bool robust, double *work,
                                 double *x) {
  SINEW_ASSERT(levels != NULL && work != NULL && x != NULL);
  const sinew_result result = check_levels(levels);
  if (result != SINEW_OK) {
    return result;
  }
  const parts p = begin(levels, work);
  for (int k = 0; k < levels->count; ++k) {
    add_level(levels, k, robust, &p);
  }
  return sinew_reference_finish(levels->n, p.x, x);
}

sinew_result sinew_reference_recursive(const sinew_reference_levels *levels, double *work,
                                       double *x) {
  return solve_levels(levels, false, work, x);
}

sinew_result sinew_reference_robust(const sinew_reference_levels *levels, double *work, double *x) {
  return solve_levels(levels, true, work, x);
}

sinew_result sinew_reference_projection(const sinew_reference_levels *levels, const double *phi,
                                        double *work, double *x) {
  SINEW_ASSERT(levels != NULL && work != NULL && x != NULL);
  const sinew_result result = check_levels(levels);
  if (result != SINEW_OK || levels->count < 1) {
    return result != SINEW_OK ? result : SINEW_ERROR_ARGUMENT;
  }
  const int n = levels->n;
  if (phi != NULL && !sinew_reference_usable(n, phi)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  const parts p = begin(levels, work);
  add_level(levels, 0, false, &p);
  for (int j = 0; j < n && phi != NULL; ++j) {
    for (int i = 0; i < n; ++i) {
      p.x[j] += p.P[j * n + i] * phi[i];
    }
  }
  return sinew_reference_finish(n, p.x, x);
}

// ------------------------------------------------------------------- bounds

// The levels with the values at a side held at their bounds.
static void solve_held(const sinew_reference_levels *levels, const parts *p) {
  const int n = levels->n;
  sinew_reference_identity(n, p->P);
  for (int j = 0; j < n; ++j) {
    const double side = p->side[j];
    p->P[j * n + j] = side == 0.0;
    p->x[j] = side == 0.0 ? 0.0 : (side < 0.0 ? levels->lower[j] : levels->upper[j]);
  }
  for (int k = 0; k < levels->count; ++k) {
    add_level(levels, k, false, p);
  }
}

// Holds the value that is farthest outside. Returns false where all are within.
static bool hold_worst(const sinew_reference_levels *levels, const parts *p) {
  int worst = -1;
  double farthest = 0.0;
  for (int j = 0; j < levels->n; ++j) {
    const double outside = sinew_max(levels->lower[j] - p->x[j], p->x[j] - levels->upper[j]);
    if (p->side[j] == 0.0 && outside > farthest) {
      farthest = outside;
      worst = j;
    }
  }
  if (worst >= 0) {
    p->side[worst] = p->x[worst] < levels->lower[worst] ? -1.0 : 1.0;
  }
  return worst >= 0;
}

// The motion d of the values that are not held which keeps the levels above k while value j moves
// by 1. Returns false where they cannot be kept.
static bool keeps_higher(const sinew_reference_levels *levels, int k, int j, const parts *p,
                         double *d) {
  const int n = levels->n;
  int m = 0;
  double size = 0.0, bound = 0.0;
  for (int i = 0; i < k; ++i) {
    const sinew_reference_level *level = &levels->levels[i];
    bound = sinew_max(bound, bound_of(levels->cut, level->m, n, level->J, p->scratch));
    size = sinew_max(size, sinew_largest(level->m * n, level->J));
    for (int r = 0; r < level->m; ++r, ++m) {
      for (int c = 0; c < n; ++c) {
        p->rows[m * n + c] = p->side[c] == 0.0 ? level->J[r * n + c] : 0.0;
      }
      p->errors[m] = -level->J[r * n + j];
    }
  }
  sinew_decomposition decomposition;
  sinew_decomposition_find(m, n, p->rows, p->scratch, &decomposition);
  sinew_zero((size_t)n, d);
  sinew_decomposition_solve(&decomposition, bound, 0.0, p->errors, d);
  double most = 0.0;
  for (int r = 0; r < m; ++r) {
    double sum = -p->errors[r];
    for (int c = 0; c < n; ++c) {
      sum += p->rows[r * n + c] * d[c];
    }
    most = sinew_max(most, fabs(sum));
  }
  d[j] = 1.0;
  return most <= ROUNDING * size * sinew_length(n, d);
}

// Whether errors fall, in order of priority, where the held value j leaves its bound.
static bool should_release(const sinew_reference_levels *levels, int j, const parts *p) {
  const int n = levels->n;
  double *d = p->values;
  for (int k = 0; k < levels->count && keeps_higher(levels, k, j, p, d); ++k) {
    const sinew_reference_level *level = &levels->levels[k];
    double rate = 0.0, size = 0.0;
    for (int r = 0; r < level->m; ++r) {
      const double *row = level->J + r * n;
      double moved = 0.0, residual = level->e[r], largest = fabs(level->e[r]), path = 0.0;
      for (int c = 0; c < n; ++c) {
        moved += row[c] * d[c];
        residual -= row[c] * p->x[c];
        path += fabs(row[c] * d[c]);
        largest += fabs(row[c] * p->x[c]);
      }
      rate += moved * residual;
      size += path * largest;
    }
    if (fabs(rate) > ROUNDING * size) {
      return (rate > 0.0) == (p->side[j] < 0.0);
    }
  }
  return false;
}

static bool release(const sinew_reference_levels *levels, const parts *p) {
  for (int j = 0; j < levels->n; ++j) {
    if (p->side[j] != 0.0 && p->released[j] == 0.0 && should_release(levels, j, p)) {
      p->side[j] = 0.0;
      p->released[j] = 1.0;
      return true;
    }
  }
  return false;
}

sinew_result sinew_reference_limited(const sinew_reference_levels *levels, double *work,
                                     signed char *held, double *x) {
  SINEW_ASSERT(levels != NULL && work != NULL && x != NULL);
  sinew_result result = check_levels(levels);
  if (result != SINEW_OK) {
    return result;
  }
  const int n = levels->n;
  const parts p = parts_of(levels, work);
  sinew_zero((size_t)n, p.side);
  sinew_zero((size_t)n, p.released);
  do { // at most n values are held, and n released: 3 n turns
    solve_held(levels, &p);
  } while (levels->lower != NULL && (hold_worst(levels, &p) || release(levels, &p)));
  result = sinew_reference_finish(n, p.x, x);
  for (int j = 0; result == SINEW_OK && held != NULL && j < n; ++j) {
    held[j] = (signed char)p.side[j];
  }
  return result;
}

sinew_result sinew_reference_limit_rows(const sinew_reference_levels *levels, double weight,
                                        double *work, double *x) {
  SINEW_ASSERT(levels != NULL && work != NULL && x != NULL);
  const sinew_result result = check_levels(levels);
  if (result != SINEW_OK || levels->count < 1 || !(weight > 0.0)) {
    return result != SINEW_OK ? result : SINEW_ERROR_ARGUMENT;
  }
  if (!sinew_is_usable(weight)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  const int n = levels->n;
  const sinew_reference_level *task = &levels->levels[0];
  double *step = work, *rows = work + n, *errors = rows + (task->m + n) * n;
  int m = task->m;
  if (m > 0) {
    memcpy(rows, task->J, (size_t)(m * n) * sizeof(double));
    memcpy(errors, task->e, (size_t)m * sizeof(double));
  }
  for (int j = 0; j < n && levels->lower != NULL; ++j) {
    const double bound =
        levels->lower[j] > 0.0 ? levels->lower[j] : sinew_min(levels->upper[j], 0.0);
    if (bound != 0.0) {
      sinew_zero((size_t)n, rows + m * n);
      rows[m * n + j] = weight;
      errors[m++] = weight * bound;
    }
  }
  sinew_decomposition d;
  sinew_decomposition_find(m, n, rows, errors + task->m + n, &d);
  sinew_zero((size_t)n, step);
  sinew_decomposition_solve(&d, levels->cut * d.largest * d.scale, levels->lambda, errors, step);
  return sinew_reference_finish(n, step, x);
}
