// Products of the rows of a level (step/level.h) with each other and with vectors, over the columns
// in which they have entries.
#ifndef SINEW_STEP_LEVEL_PRODUCTS_H
#define SINEW_STEP_LEVEL_PRODUCTS_H

#include "simd/four.h"
#include "step/level.h"

#include <string.h>

#define THREE SINEW_LEVEL_ROWS

SINEW_ALWAYS_INLINE double sum_of(sinew_four v) {
  return (v[0] + v[1]) + (v[2] + v[3]);
}

// Three rows from one of m on: past the last, the last again.
typedef struct three_rows {
  const double *row[THREE];
} three_rows;

SINEW_ALWAYS_INLINE three_rows rows_from(int first, int m, int stride, const double *A) {
  three_rows rows;
  for (int i = 0; i < THREE; ++i) {
    rows.row[i] = A + (first + i < m ? first + i : m - 1) * stride;
  }
  return rows;
}

#define LAST SINEW_LEVEL_LAST_FOUR

// The fours of columns in which one of three rows from one on is not 0.
SINEW_ALWAYS_INLINE uint64_t fours_of(const sinew_level_rows *rows, int r) {
  const int stride = sinew_level_stride(rows->n), m = rows->fixed + rows->wanted;
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  const three_rows three = rows_from(r, m, stride, rows->J);
  sinew_four_bits bits = {0, 0, 0, 0};
  for (int j = 0; j < stride; j += 4) {
    sinew_four_bits some = (sinew_four_bits)sinew_four_load(three.row[0] + j);
    for (int i = 1; i < THREE; ++i) {
      some |= (sinew_four_bits)sinew_four_load(three.row[i] + j);
    }
    const long long one = (long long)(UINT64_C(1) << (j / 4 < LAST ? j / 4 : LAST));
    bits |= ((sinew_four)some != zero) & (sinew_four_bits){one, one, one, one};
  }
  return (uint64_t)((bits[0] | bits[1]) | (bits[2] | bits[3]));
}

// used <- those of every three rows: a task's are those of its path, few of a whole body's, and
// none where its range has no row.
static void find_used(const sinew_level_rows *rows, const uint64_t *known, uint64_t *used) {
  const int m = rows->fixed + rows->wanted;
  for (int r = 0; r < m; r += THREE) {
    const bool is_known = r + THREE <= rows->known || m <= rows->known;
    used[r / THREE] =
        is_known && known[r / THREE] != SINEW_LEVEL_UNKNOWN ? known[r / THREE] : fours_of(rows, r);
  }
}

// The next four of columns in used, which is left with those after it. j: the last one, or anything
// at first.
SINEW_ALWAYS_INLINE int next_four(uint64_t *used, int j, int stride) {
  if (*used != UINT64_C(1) << LAST) {
    const int next = 4 * __builtin_ctzll(*used);
    *used &= *used - 1;
    return next;
  }
  const int next = j + 4 > 4 * LAST ? j + 4 : 4 * LAST;
  *used = next + 4 < stride ? *used : 0;
  return next;
}

#ifdef SINEW_SMALL

static double product_of(const double *a, const double *b, int stride, uint64_t used) {
  sinew_four sum = SINEW_FOUR_OF(0.0);
  for (int j = 0; used != 0;) {
    j = next_four(&used, j, stride);
    sum += sinew_four_load(a + j) * sinew_four_load(b + j);
  }
  return sum_of(sum);
}

// matrix <- share A B^T, which is symmetric: its lower triangle.
static void outer(int m, int stride, double share, const double *A, const double *B,
                  const uint64_t *used, double *matrix) {
  for (int i = 0; i < m; ++i) {
    for (int k = 0; k <= i; ++k) {
      matrix[i * m + k] =
          share * product_of(A + i * stride, B + k * stride, stride, used[i] & used[k]);
    }
  }
}

// out <- e - J x, of a row.
static void residual_of_three(const sinew_level_rows *rows, const uint64_t *used, int r,
                              const double *x, double out[THREE]) {
  const int stride = sinew_level_stride(rows->n);
  out[0] = rows->e[r] - product_of(rows->J + r * stride, x, stride, used[r]);
}

#else

// The sums of a, b and c, and 0.
SINEW_ALWAYS_INLINE sinew_four sums_of(sinew_four a, sinew_four b, sinew_four c) {
  return sinew_four_sums(a, b, c, SINEW_FOUR_OF(0.0));
}

// The products of three rows with three: of row r of the first and row c of the others.
typedef struct tile {
  sinew_four sum[3][3];
} tile;

SINEW_ALWAYS_INLINE void add_products(const three_rows *a, const three_rows *b, int j, tile *to) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      to->sum[r][c] += sinew_four_load(a->row[r] + j) * sinew_four_load(b->row[c] + j);
    }
  }
}

// The products over the fours of columns in used.
SINEW_ALWAYS_INLINE tile products_of(const three_rows *a, const three_rows *b, int stride,
                                     uint64_t used) {
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  tile sum = {{{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}};
  for (uint64_t bits = used & ~(UINT64_C(1) << LAST); bits != 0; bits &= bits - 1) {
    add_products(a, b, 4 * __builtin_ctzll(bits), &sum);
  }
  for (int j = (used >> LAST) != 0 ? 4 * LAST : stride; j < stride; j += 4) {
    add_products(a, b, j, &sum);
  }
  return sum;
}

// The products of three rows with the same three, scaled, on and below the diagonal: s00, s10, s11,
// 0, s20, s21, s22, 0.
SINEW_ALWAYS_INLINE void square(const three_rows *a, const three_rows *b, int stride, uint64_t used,
                                sinew_four out[2]) {
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  sinew_four sum[6] = {zero, zero, zero, zero, zero, zero};
  for (int j = 0; used != 0;) {
    j = next_four(&used, j, stride);
    for (int r = 0, at = 0; r < 3; ++r) {
      for (int c = 0; c <= r; ++c, ++at) {
        sum[at] += sinew_four_load(a->row[r] + j) * sinew_four_load(b->row[c] + j);
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    out[i] = sums_of(sum[3 * i], sum[3 * i + 1], sum[3 * i + 2]);
  }
}

// matrix <- share A B^T, which is symmetric: its lower triangle, and some of what is above. Three
// rows with three at a time, over the columns that both use. A row of three products is stored with
// a 0 after it, which those that follow overwrite.
static void outer(int m, int stride, double share, const double *A, const double *B,
                  const uint64_t *used, double *matrix) {
  const sinew_four factor = SINEW_FOUR_OF(share);
  for (int i = 0; i < m; i += 3) {
    const three_rows a = rows_from(i, m, stride, A), same = rows_from(i, m, stride, B);
    const int left = m - i < 3 ? m - i : 3;
    double *rows[3];
    for (int r = 0; r < 3; ++r) {
      rows[r] = matrix + (r < left ? i + r : i) * m;
    }
    const double *column = B;
    for (int k = 0; k < i; k += 3, column += 3 * stride) {
      const three_rows b = {{column, column + stride, column + 2 * stride}};
      const tile products = products_of(&a, &b, stride, used[i / 3] & used[k / 3]);
      for (int r = 2; r >= 0; --r) { // the first is right where rows are missing
        sinew_four_store(rows[r] + k, factor * sums_of(products.sum[r][0], products.sum[r][1],
                                                       products.sum[r][2]));
      }
    }
    sinew_four sums[2];
    square(&a, &same, stride, used[i / 3], sums);
    sums[0] *= factor;
    sums[1] *= factor;
    if (left > 2) {
      sinew_four_store3(rows[2] + i, sums[1]);
    }
    if (left > 1) {
      rows[1][i] = sums[0][1];
      rows[1][i + 1] = sums[0][2];
    }
    rows[0][i] = sums[0][0];
  }
}

// out <- e - J x, of three rows from one on.
SINEW_ALWAYS_INLINE void residual_of_three(const sinew_level_rows *rows, const uint64_t *used,
                                           int r, const double *x, double out[3]) {
  const int stride = sinew_level_stride(rows->n), m = rows->fixed + rows->wanted;
  const three_rows three = rows_from(r, m, stride, rows->J);
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  sinew_four product[3] = {zero, zero, zero};
  uint64_t left = used[r / THREE];
  for (int j = 0; left != 0;) {
    j = next_four(&left, j, stride);
    for (int i = 0; i < 3; ++i) {
      product[i] += sinew_four_load(x + j) * sinew_four_load(three.row[i] + j);
    }
  }
  const sinew_four sums = sums_of(product[0], product[1], product[2]);
  for (int i = 0; i < 3 && r + i < m; ++i) {
    out[i] = rows->e[r + i] - sums[i];
  }
}

#endif

// out (stride) <- in + J^T y, y of count rows from the first on. out may be in.
static void add_transposed(const sinew_level_rows *rows, const uint64_t *used, int first, int count,
                           const double *y, const double *in, double *out) {
  const int stride = sinew_level_stride(rows->n), m = rows->fixed + rows->wanted;
  memmove(out, in, (size_t)stride * sizeof *out);
  for (int r = first / THREE * THREE; r < first + count; r += THREE) {
    const three_rows three = rows_from(r, m, stride, rows->J);
    sinew_four z[THREE];
    for (int i = 0; i < THREE; ++i) {
      const bool counts = r + i >= first && r + i < first + count;
      z[i] = SINEW_FOUR_OF(counts ? y[r + i - first] : 0.0);
    }
    uint64_t left = used[r / THREE];
    for (int j = 0; left != 0;) {
      j = next_four(&left, j, stride);
      sinew_four sum = sinew_four_load(out + j);
      for (int i = 0; i < THREE; ++i) {
        sum += z[i] * sinew_four_load(three.row[i] + j);
      }
      sinew_four_store(out + j, sum);
    }
  }
}

#endif
