// The system of a level of few rows and columns, without slacks, for the working set with which a
// solution begins (level.c has the equations): its columns are in registers, in fours.
//
// It is what solve_free() forms for that set. Where the solution is beyond no bound, and no active
// bound is to be released, it is the optimum, as in most updates, and box.c has nothing to do.
#ifndef SINEW_STEP_LEVEL_SMALL_H
#define SINEW_STEP_LEVEL_SMALL_H

#include "simd/four.h"
#include "step/level.h"

#include <math.h>

enum { SINEW_LEVEL_FEW_ROWS = 6, SINEW_LEVEL_FEW_COLUMNS = 8 };

// Fours of columns; what is past n is 0 in inverse, every and base, and not in inside.
typedef struct sinew_level_small {
  int m, fours;                            // rows, fours of columns
  const double *row[SINEW_LEVEL_FEW_ROWS]; // past m a row of 0
  sinew_four every[2], inverse[2];         // 1 / D; the same, 0 with an active bound
  sinew_four base[2];                      // x without multipliers
  sinew_four lower[2], upper[2];
  sinew_four_bits inside[2], at_lower[2], at_upper[2]; // masks: columns, active bounds
  sinew_four_bits active;                              // in either four
} sinew_level_small;

SINEW_ALWAYS_INLINE bool sinew_level_is_small(const sinew_level_rows *rows) {
  const int m = rows->fixed + rows->wanted;
  return SINEW_HAS_FAST_PATHS && rows->slacks == 0 && rows->soft == NULL &&
         rows->n <= SINEW_LEVEL_FEW_COLUMNS && m > 0 && m <= SINEW_LEVEL_FEW_ROWS;
}

// The working set that step/box.c begins with, and x without multipliers.
SINEW_ALWAYS_INLINE void sinew_level_small_take_columns(const sinew_level_rows *rows, int g,
                                                        sinew_level_scratch *scratch,
                                                        sinew_level_small *s) {
  const int j = 4 * g;
  const sinew_four_bits none = {0, 0, 0, 0}, inside = sinew_four_inside(rows->n - j);
  const sinew_four weight = sinew_four_load(rows->D + j);
  s->inside[g] = inside;
  s->every[g] = sinew_four_masked(inside, SINEW_FOUR_OF(1.0) / weight);
  s->at_lower[g] = s->at_upper[g] = none;
  s->inverse[g] = s->every[g];
  s->lower[g] = SINEW_FOUR_OF(-INFINITY);
  s->upper[g] = SINEW_FOUR_OF(INFINITY);
  s->base[g] = s->every[g] * sinew_four_load(rows->g + j);
  if (rows->lower != NULL) {
    const signed char *held = scratch->held + j;
    const sinew_four_bits active = {held[0], held[1], held[2], held[3]};
    const sinew_four lower = sinew_four_load(rows->lower + j),
                     upper = sinew_four_load(rows->upper + j);
    s->at_lower[g] =
        inside & ((lower == upper) | ((active < none) & (lower > SINEW_FOUR_OF(-INFINITY))));
    s->at_upper[g] = inside & ~s->at_lower[g] & (active > none) & (upper < SINEW_FOUR_OF(INFINITY));
    const sinew_four_bits either = s->at_lower[g] | s->at_upper[g];
    s->inverse[g] = sinew_four_masked(~either, s->every[g]);
    s->active |= either;
    s->base[g] =
        sinew_four_where(either, sinew_four_where(s->at_lower[g], lower, upper), s->base[g]);
    s->lower[g] = lower;
    s->upper[g] = upper;
  }
  sinew_four_store(scratch->every + j, s->every[g]);
  sinew_four_store(scratch->inverse + j, s->inverse[g]);
}

// Rows of a small level, and zeros past them.
SINEW_ALWAYS_INLINE void sinew_level_small_rows(const sinew_level_rows *rows, int m, int fours,
                                                const double *row[SINEW_LEVEL_FEW_ROWS]) {
  static const double zero[SINEW_LEVEL_FEW_COLUMNS];
  for (int r = 0; r < SINEW_LEVEL_FEW_ROWS; ++r) {
    row[r] = r < m ? rows->J + 4 * fours * r : zero;
  }
}

// Products of a scaled row with four rows.
SINEW_ALWAYS_INLINE sinew_four sinew_level_small_products(const sinew_level_small *s, int fours,
                                                          const sinew_four scaled[2],
                                                          const int of[4]) {
  sinew_four product[4];
  for (int k = 0; k < 4; ++k) {
    product[k] = scaled[0] * sinew_four_load(s->row[of[k]]);
    if (fours == 2) {
      product[k] += scaled[1] * sinew_four_load(s->row[of[k]] + 4);
    }
  }
  return sinew_four_sums(product[0], product[1], product[2], product[3]);
}

// S (6 x 6) <- J D^-1 J^T: its lower triangle, and some of what is above.
SINEW_ALWAYS_INLINE void sinew_level_small_outer(const sinew_level_small *s, int fours, double *S) {
  static const int first[4] = {0, 1, 2, 3};
  sinew_four scaled[2] = {SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0)}, last[2];
#pragma GCC unroll 6
  for (int i = 0; i < SINEW_LEVEL_FEW_ROWS; ++i) {
    last[0] = scaled[0];
    last[1] = scaled[1];
    for (int g = 0; g < fours; ++g) {
      scaled[g] = sinew_four_load(s->row[i] + 4 * g) * s->inverse[g];
    }
    sinew_four_store(S + 6 * i, sinew_level_small_products(s, fours, scaled, first));
  }
  sinew_four p[3];
  for (int k = 0; k < 3; ++k) { // (4, 4), (5, 4), (5, 5)
    const sinew_four *of = k == 0 ? last : scaled;
    const double *row = s->row[k < 2 ? 4 : 5];
    p[k] = of[0] * sinew_four_load(row);
    if (fours == 2) {
      p[k] += of[1] * sinew_four_load(row + 4);
    }
  }
  const sinew_four sums = sinew_four_sums(p[0], p[1], p[2], SINEW_FOUR_OF(0.0));
  S[28] = sums[0];
  S[34] = sums[1];
  S[35] = sums[2];
}

// The sum of J^2 / D over the fixed rows, of all columns: without active bounds the trace of S.
SINEW_ALWAYS_INLINE double sinew_level_small_square(const sinew_level_small *s, int fours, int m,
                                                    int fixed, const double *S) {
  sinew_four sum = SINEW_FOUR_OF(0.0);
  if (!sinew_four_bits_any(s->active)) {
    double trace = 0.0;
    for (int r = 0; r < fixed; ++r) {
      trace += S[r * m + r];
    }
    return trace;
  }
  for (int g = 0; g < fours; ++g) {
    sinew_four square = SINEW_FOUR_OF(0.0);
    for (int r = 0; r < fixed; ++r) {
      const sinew_four v = sinew_four_load(s->row[r] + 4 * g);
      square += v * v;
    }
    sum += square * s->every[g];
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// right <- e - J base
SINEW_ALWAYS_INLINE void sinew_level_small_residual(const sinew_level_small *s, int fours,
                                                    const double *e, double *right) {
  static const int first[4] = {0, 1, 2, 3}, last[4] = {4, 5, 5, 5};
  double products[8];
  sinew_four_store(products, sinew_level_small_products(s, fours, s->base, first));
  sinew_four_store(products + 4, sinew_level_small_products(s, fours, s->base, last));
  for (int r = 0; r < s->m; ++r) {
    right[r] = e[r] - products[r];
  }
}

// The system's matrix without rho of fixed rows, and its right side.
SINEW_ALWAYS_INLINE void sinew_level_small_form(const sinew_level_rows *rows, int m, int fours,
                                                sinew_level_scratch *scratch,
                                                sinew_level_small *s) {
  double own[36], *S = m == SINEW_LEVEL_FEW_ROWS ? scratch->matrix : own;
  s->m = m;
  s->active = (sinew_four_bits){0, 0, 0, 0};
  sinew_level_small_rows(rows, m, fours, s->row);
  for (int g = 0; g < fours; ++g) {
    sinew_level_small_take_columns(rows, g, scratch, s);
    sinew_four_store(scratch->base + 4 * g, s->base[g]);
  }
  sinew_level_small_outer(s, fours, S);
  for (int r = 0; S == own && r < m; ++r) {
    memcpy(scratch->matrix + r * m, S + 6 * r, (size_t)(r + 1) * sizeof(double));
  }
  for (int r = rows->fixed; r < m; ++r) {
    scratch->matrix[r * m + r] += 1.0;
  }
  for (int r = 0; r < m; r += 3) { // all columns
    scratch->used[r / 3] = fours == 2 ? 3 : 1;
  }
  sinew_level_small_residual(s, fours, rows->e, scratch->right);
}

// Four columns from j on of J^T y over the first m rows.
SINEW_ALWAYS_INLINE sinew_four sinew_level_small_transposed(const double *const *row, int m,
                                                            const double *y, int j) {
  sinew_four sum[2] = {SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0)};
#pragma GCC unroll 6
  for (int r = 0; r < SINEW_LEVEL_FEW_ROWS; ++r) {
    if (r < m) {
      sum[r % 2] += SINEW_FOUR_OF(y[r]) * sinew_four_load(row[r] + j);
    }
  }
  return sum[0] + sum[1];
}

// out <- e - J x, over the first count rows. Returns its square.
SINEW_ALWAYS_INLINE double sinew_level_small_left(const sinew_level_rows *rows, int count,
                                                  int fours, const double *x, double *out) {
  static const int first[4] = {0, 1, 2, 3}, last[4] = {4, 5, 5, 5};
  sinew_level_small s;
  double left[8], square = 0.0;
  sinew_level_small_rows(rows, count, fours, s.row);
  const sinew_four part[2] = {sinew_four_load_some(x, rows->n),
                              fours == 2 ? sinew_four_load_some(x + 4, rows->n - 4)
                                         : SINEW_FOUR_OF(0.0)};
  sinew_four_store(left, sinew_level_small_products(&s, fours, part, first));
  sinew_four_store(left + 4, sinew_level_small_products(&s, fours, part, last));
  for (int r = 0; r < count; ++r) {
    left[r] = rows->e[r] - left[r];
    square += left[r] * left[r];
    if (out != NULL) {
      out[r] = left[r];
    }
  }
  return square;
}

// x from multipliers y, scratch.right. Returns whether the working set stands; it is in
// scratch.held.
SINEW_ALWAYS_INLINE bool sinew_level_small_finish(const sinew_level_small *s, int fours,
                                                  const sinew_level_rows *rows,
                                                  sinew_level_scratch *scratch, double *x) {
  const sinew_four_bits none = {0, 0, 0, 0};
  sinew_four_bits changed = none, held[2] = {none, none};
  for (int g = 0; g < fours; ++g) {
    const sinew_four_bits either = s->at_lower[g] | s->at_upper[g];
    const sinew_four pull = sinew_four_load(rows->g + 4 * g) +
                            sinew_level_small_transposed(s->row, s->m, scratch->right, 4 * g);
    const sinew_four u = pull * s->every[g];
    sinew_four_store(x + 4 * g, sinew_four_where(either, s->base[g], u));
    // Each side as step/box.c has it; where both bounds are one it stays.
    const sinew_four_bits below = u<s->lower[g], above = u> s->upper[g];
    changed |= s->inside[g] & (s->lower[g] < s->upper[g]) &
               ((below ^ s->at_lower[g]) | (above ^ s->at_upper[g]));
    held[g] = s->at_lower[g] - s->at_upper[g]; // -1, 1
  }
  memset(scratch->held, 0, (size_t)(4 * fours));
  for (int j = 0; sinew_four_bits_any(s->active) && j < rows->n; ++j) {
    scratch->held[j] = (signed char)held[j / 4][j % 4];
  }
  return !sinew_four_bits_any(changed);
}

#endif
