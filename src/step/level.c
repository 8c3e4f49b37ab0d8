// A level in the form of its rows. With multipliers y, one a row, and F the columns without an
// active bound, the optimum is
//
//   x_F = D^-1 (g + J^T y)_F,     J_f x = e_f,     J_w x + y_w = e_w
//
// and y solves a system of as many equations as rows:
//
//   (J_F D_F^-1 J_F^T + diag(rho)) y = e - J_F D_F^-1 g_F - J_B x_B
//
// with rho = 1 for the rows of this level and, since fixed rows may be dependent, a very small rho
// for those: it is the penalty |J_f x - e_f|^2 / (2 rho), which keeps the problem strictly convex.
// With singular values s of J_f D^-1/2 a step z of this level moves the fixed rows by at most rho s
// / (s^2 + rho) |z|, less than sqrt(rho) |z| / 2. So nothing has to decide which singular values
// count as 0, as a null-space basis must: no direction appears or vanishes from one update to the
// next. Bounds are kept by the active set of box.c, as Baerlocher and Boulic's loop does.
//
// Sources: Escande, Mansard, Wieber, Hierarchical quadratic programming, 2014; Baerlocher, Boulic,
// An inverse kinematics architecture enforcing an arbitrary number of strict priority levels, 2004.
#define SINEW_CALLS
#include "step/level.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "simd/four.h"
#include "step/box.h"

#include <string.h>

// rho of fixed rows, as a share of their mean square: above the rounding errors of the system.
#define FIXED_SHARE 1e-13
// rho where all fixed rows are 0.
#define SMALLEST 1e-30

void sinew_level_layout(sinew_arena *arena, int m, int n, sinew_level_scratch *scratch) {
  const size_t rows = (size_t)m, stride = (size_t)sinew_level_stride(n);
  scratch->scaled = sinew_arena_take(arena, rows * stride, sizeof(double));
  scratch->matrix = sinew_arena_take(arena, rows * rows, sizeof(double));
  scratch->factor = sinew_arena_take(arena, rows * rows, sizeof(double));
  scratch->used = sinew_arena_take(arena, (rows + 1) / 2, sizeof *scratch->used);
  scratch->right = sinew_arena_take(arena, rows, sizeof(double));
  double **const columns[] = {&scratch->inverse, &scratch->root,          &scratch->gradient,
                              &scratch->base,    &scratch->unconstrained, &scratch->from};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
    *columns[i] = sinew_arena_take(arena, stride, sizeof(double));
  }
  scratch->held = sinew_arena_take(arena, stride, 1);
}

SINEW_ALWAYS_INLINE double sum_of(sinew_four v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

SINEW_ALWAYS_INLINE double dot(int stride, const double *a, const double *b) {
  sinew_four sum = SINEW_FOUR_OF(0.0);
  for (int j = 0; j < stride; j += 4) {
    sum += sinew_four_load(a + j) * sinew_four_load(b + j);
  }
  return sum_of(sum);
}

// The four sums a, b, c, d.
SINEW_ALWAYS_INLINE sinew_four sums_of(sinew_four a, sinew_four b, sinew_four c, sinew_four d) {
  const sinew_four ab = SINEW_FOUR_PICK(a, b, 0, 4, 2, 6) + SINEW_FOUR_PICK(a, b, 1, 5, 3, 7);
  const sinew_four cd = SINEW_FOUR_PICK(c, d, 0, 4, 2, 6) + SINEW_FOUR_PICK(c, d, 1, 5, 3, 7);
  return SINEW_FOUR_PICK(ab, cd, 0, 1, 4, 5) + SINEW_FOUR_PICK(ab, cd, 2, 3, 6, 7);
}

// Bit LAST of an entry of used is for all fours from this one on.
#define LAST 63

// used <- for two rows at a time the fours of columns in which either is not 0: a task's are those
// of its path, few of a whole body's.
static void find_used(const sinew_level_rows *rows, uint64_t *used) {
  const int stride = sinew_level_stride(rows->n), m = rows->fixed + rows->wanted;
  for (int r = 0; r < m; r += 2) {
    const double *a = rows->J + r * stride, *b = r + 1 < m ? a + stride : a;
    uint64_t bits = 0;
    for (int j = 0; j < stride; j += 4) {
      const sinew_four v = sinew_four_load(a + j), w = sinew_four_load(b + j);
      const sinew_four_bits zero = (v == SINEW_FOUR_OF(0.0)) & (w == SINEW_FOUR_OF(0.0));
      const uint64_t some = ((zero[0] & zero[1]) & (zero[2] & zero[3])) == 0;
      bits |= some << (j / 4 < LAST ? j / 4 : LAST);
    }
    used[r / 2] = bits;
  }
}

// The products of two rows with two.
typedef struct corner {
  sinew_four s00, s01, s10, s11;
} corner;

SINEW_ALWAYS_INLINE void add_products(const double *a0, const double *a1, const double *b0,
                                      const double *b1, corner *sum) {
  const sinew_four u0 = sinew_four_load(a0), u1 = sinew_four_load(a1);
  const sinew_four v0 = sinew_four_load(b0), v1 = sinew_four_load(b1);
  sum->s00 += u0 * v0;
  sum->s01 += u0 * v1;
  sum->s10 += u1 * v0;
  sum->s11 += u1 * v1;
}

// matrix <- A A^T, its lower triangle, two rows with two at a time, over the columns that both use.
static void outer(int m, int stride, const double *A, const uint64_t *used, double *matrix) {
  for (int i = 0; i < m; i += 2) {
    const double *a0 = A + i * stride, *a1 = i + 1 < m ? a0 + stride : a0;
    double *to0 = matrix + i * m, *to1 = i + 1 < m ? to0 + m : to0;
    for (int k = 0; k <= i; k += 2) {
      const double *b0 = A + k * stride, *b1 = k + 1 < m ? b0 + stride : b0;
      const uint64_t both = used[i / 2] & used[k / 2];
      corner sum = {SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0)};
      for (uint64_t bits = both & ~(UINT64_C(1) << LAST); bits != 0; bits &= bits - 1) {
        const int j = 4 * __builtin_ctzll(bits);
        add_products(a0 + j, a1 + j, b0 + j, b1 + j, &sum);
      }
      for (int j = (both >> LAST) != 0 ? 4 * LAST : stride; j < stride; j += 4) {
        add_products(a0 + j, a1 + j, b0 + j, b1 + j, &sum);
      }
      const sinew_four sums = sums_of(sum.s00, sum.s01, sum.s10, sum.s11);
      to0[k] = sums[0];
      if (k + 1 <= i) {
        to0[k + 1] = sums[1];
      }
      if (i + 1 < m) {
        to1[k] = sums[2];
        to1[k + 1] = sums[3];
      }
    }
  }
}

// out (stride) <- in + J^T y
static void add_transposed(const sinew_level_rows *rows, int m, const double *y, const double *in,
                           double *out) {
  const int stride = sinew_level_stride(rows->n);
  for (int j = 0; j < stride; j += 4) {
    sinew_four sum = sinew_four_load(in + j);
    const double *column = rows->J + j;
    for (int r = 0; r < m; ++r, column += stride) {
      sum += SINEW_FOUR_OF(y[r]) * sinew_four_load(column);
    }
    sinew_four_store(out + j, sum);
  }
}

// rho: FIXED_SHARE times the mean square of the fixed rows of J D^-1/2, of all columns but slacks,
// so that it does not depend on the active bounds.
static double rho_of(const sinew_level_rows *rows, double *inverse) {
  const int stride = sinew_level_stride(rows->n);
  sinew_four sum = SINEW_FOUR_OF(0.0);
  for (int j = 0; j < rows->n; ++j) {
    inverse[j] = j < rows->n - rows->slacks ? 1.0 / rows->D[j] : 0.0;
  }
  for (int r = 0; r < rows->fixed; ++r) {
    for (int j = 0; j < stride; j += 4) {
      const sinew_four v = sinew_four_load(rows->J + r * stride + j);
      sum += v * v * sinew_four_load(inverse + j);
    }
  }
  return rows->fixed > 0 ? sinew_max(FIXED_SHARE * sum_of(sum) / rows->fixed, SMALLEST) : 0.0;
}

// Factors a matrix with rho on the diagonal of the first fixed rows. Where rounding errors make
// that indefinite, rho grows.
static bool factor(int m, int fixed, double rho, double *matrix, double *out) {
  double added = 0.0;
  bool good = false;
  for (double most = 1.0; !good && most < 1e9; most *= 100.0) {
    for (int r = 0; r < fixed; ++r) {
      matrix[r * m + r] += most * rho - added;
    }
    added = most * rho;
    good = sinew_ldlt_factor(m, matrix, 0.0, out);
  }
  return good;
}

// The problem for one working set.
typedef struct step {
  const sinew_level_rows *rows;
  sinew_level_scratch *scratch;
} step;

static void scale(const sinew_level_rows *rows, sinew_level_scratch *scratch, const double *x) {
  const int n = rows->n, stride = sinew_level_stride(n), m = rows->fixed + rows->wanted;
  for (int j = 0; j < n; ++j) {
    const bool held = scratch->held[j] != 0;
    scratch->inverse[j] = held ? 0.0 : 1.0 / rows->D[j];
    scratch->root[j] = sqrt(scratch->inverse[j]);
    scratch->base[j] = held ? x[j] : scratch->inverse[j] * rows->g[j];
  }
  for (int r = 0; r < m; ++r) {
    const double *from = rows->J + r * stride;
    double *to = scratch->scaled + r * stride;
    for (int j = 0; j < stride; j += 4) {
      sinew_four_store(to + j, sinew_four_load(from + j) * sinew_four_load(scratch->root + j));
    }
  }
}

// The system's matrix without rho of fixed rows.
static void fill_matrix(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int m = rows->fixed + rows->wanted;
  outer(m, sinew_level_stride(rows->n), scratch->scaled, scratch->used, scratch->matrix);
  for (int r = rows->fixed; r < m; ++r) {
    scratch->matrix[r * m + r] += 1.0;
  }
}

static int solve_free(void *context, bool steady, double *x) {
  const step *s = context;
  const sinew_level_rows *rows = s->rows;
  sinew_level_scratch *scratch = s->scratch;
  const int n = rows->n, stride = sinew_level_stride(n), m = rows->fixed + rows->wanted;
  (void)steady;
  scale(rows, scratch, x);
  fill_matrix(rows, scratch);
  for (int r = 0; r < m; ++r) {
    scratch->right[r] = rows->e[r] - dot(stride, rows->J + r * stride, scratch->base);
  }
  if (m > 0 && factor(m, rows->fixed, scratch->rho, scratch->matrix, scratch->factor)) {
    sinew_ldlt_solve(m, scratch->factor, scratch->right);
  } else {
    sinew_zero((size_t)m, scratch->right);
  }
  add_transposed(rows, m, scratch->right, rows->g, scratch->unconstrained);
  for (int j = 0; j < n; ++j) {
    scratch->unconstrained[j] /= rows->D[j];
    x[j] = scratch->held[j] != 0 ? x[j] : scratch->unconstrained[j];
  }
  return 1;
}

int sinew_level_solve(const sinew_level_rows *rows, bool begun, sinew_level_scratch *scratch,
                      double *x) {
  step s = {rows, scratch};
  scratch->rho = rho_of(rows, scratch->inverse);
  find_used(rows, scratch->used);
  if (rows->lower == NULL) {
    memset(scratch->held, 0, (size_t)rows->n);
    return solve_free(&s, true, x);
  }
  const int stride = sinew_level_stride(rows->n);
  add_transposed(&(sinew_level_rows){.n = rows->n, .J = rows->J + rows->fixed * stride},
                 rows->wanted, rows->e + rows->fixed, rows->g, scratch->gradient);
  const sinew_box box = {.n = rows->n,
                         .gradient = scratch->gradient,
                         .lower = rows->lower,
                         .upper = rows->upper,
                         .held = scratch->held,
                         .begun = begun,
                         .unconstrained = scratch->unconstrained,
                         .from = scratch->from,
                         .solve = solve_free,
                         .step = &s};
  return sinew_box_solve(&box, x);
}

double sinew_level_left(const sinew_level_rows *rows, int first, int count, const double *x) {
  const int stride = sinew_level_stride(rows->n);
  double square = 0.0;
  for (int r = first; r < first + count; ++r) {
    const double left = rows->e[r] - dot(stride, rows->J + r * stride, x);
    square += left * left;
  }
  return square;
}

bool sinew_level_begin_corrections(const sinew_level_rows *rows, sinew_level_scratch *scratch) {
  const int count = rows->fixed, m = rows->fixed + rows->wanted;
  if (count == m) { // the last factor is of the same system
    return true;
  }
  for (int r = 0; r < count; ++r) { // its first rows and columns, count apart
    memmove(scratch->matrix + r * count, scratch->matrix + r * m, (size_t)(r + 1) * sizeof(double));
  }
  return sinew_ldlt_factor(count, scratch->matrix, 0.0, scratch->factor);
}

void sinew_level_correct(const sinew_level_rows *rows, sinew_level_scratch *scratch, double *r,
                         double *x) {
  sinew_ldlt_solve(rows->fixed, scratch->factor, r);
  sinew_zero((size_t)sinew_level_stride(rows->n), scratch->unconstrained);
  add_transposed(rows, rows->fixed, r, scratch->unconstrained, scratch->unconstrained);
  for (int j = 0; j < rows->n; ++j) {
    x[j] = scratch->inverse[j] * scratch->unconstrained[j];
  }
}
