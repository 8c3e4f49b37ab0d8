// Rows of arrays, one a lane: read into a lane for each column, and written back.
#ifndef SINEW_SIMD_ROWS_H
#define SINEW_SIMD_ROWS_H

#include "simd/lanes.h"

#include <float.h>
#include <stddef.h>

// Some rows of an array of doubles: as many as there are lanes from the row `first` on, none after
// `last`. Lanes beyond that read the last row, and write nothing.
typedef struct row_range {
  size_t first, last;
} row_range;

LANE bool rows_full(row_range rows) {
  return rows.first + SINEW_LANES - 1 <= rows.last;
}

// A value from each row, `stride` values apart.
LANE lane rows_gather(const double *values, size_t stride) {
#if SINEW_LANES == 1
  (void)stride;
  return values[0];
#elif SINEW_LANES == 2
  return (lane){values[0], values[stride]};
#elif SINEW_LANES == 4
  return (lane){values[0], values[stride], values[2 * stride], values[3 * stride]};
#else
  return (lane){values[0],          values[stride],     values[2 * stride], values[3 * stride],
                values[4 * stride], values[5 * stride], values[6 * stride], values[7 * stride]};
#endif
}

#if SINEW_LANES == 8

// Rows of three without gaps.
LANE void rows_read_packed3(const double *values, lane out[3]) {
  const __m512d a = _mm512_loadu_pd(values), b = _mm512_loadu_pd(values + 8);
  const __m512d c = _mm512_loadu_pd(values + 16);
  const __m512i x1 = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 0, 0);
  const __m512i y1 = _mm512_setr_epi64(1, 4, 7, 10, 13, 0, 0, 0);
  const __m512i z1 = _mm512_setr_epi64(2, 5, 8, 11, 14, 0, 0, 0);
  const __m512i x2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 10, 13);
  const __m512i y2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 8, 11, 14);
  const __m512i z2 = _mm512_setr_epi64(0, 1, 2, 3, 4, 9, 12, 15);
  out[0] = (lane)_mm512_permutex2var_pd(_mm512_permutex2var_pd(a, x1, b), x2, c);
  out[1] = (lane)_mm512_permutex2var_pd(_mm512_permutex2var_pd(a, y1, b), y2, c);
  out[2] = (lane)_mm512_permutex2var_pd(_mm512_permutex2var_pd(a, z1, b), z2, c);
}

// Columns a and b of even and of odd rows are together in ab and AB, c and d in cd and CD; then all
// four of two rows.
LANE void rows_write4(const lane values[4], size_t stride, double *out) {
  const __m512d a = (__m512d)values[0], b = (__m512d)values[1];
  const __m512d c = (__m512d)values[2], d = (__m512d)values[3];
  const __m512d ab = _mm512_unpacklo_pd(a, b), AB = _mm512_unpackhi_pd(a, b);
  const __m512d cd = _mm512_unpacklo_pd(c, d), CD = _mm512_unpackhi_pd(c, d);
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  const __m512d pairs[4] = {
      _mm512_permutex2var_pd(ab, low, cd), _mm512_permutex2var_pd(AB, low, CD),
      _mm512_permutex2var_pd(ab, high, cd), _mm512_permutex2var_pd(AB, high, CD)};
  for (int i = 0; i < 4; ++i) { // rows i and i + 2 of the first or the last four
    double *row = out + (size_t)(i % 2 + 4 * (i / 2)) * stride;
    _mm256_storeu_pd(row, _mm512_castpd512_pd256(pairs[i]));
    _mm256_storeu_pd(row + 2 * stride, _mm512_extractf64x4_pd(pairs[i], 1));
  }
}

#endif

// `width` columns, at most 4, of rows that are `stride` doubles apart.
LANE void rows_read(const double *values, int width, size_t stride, row_range rows, lane *out) {
  const double *begin = values + rows.first * stride;
  if (rows_full(rows)) {
#if SINEW_LANES == 8
    if (width == 3 && stride == 3) {
      rows_read_packed3(begin, out);
      return;
    }
#endif
    for (int i = 0; i < width; ++i) {
      out[i] = rows_gather(begin + i, stride);
    }
    return;
  }
  double columns[4][SINEW_LANES];
  for (int l = 0; l < SINEW_LANES; ++l) {
    const size_t row = rows.first + (size_t)l <= rows.last ? (size_t)l : rows.last - rows.first;
    for (int i = 0; i < width; ++i) {
      columns[i][l] = begin[row * stride + (size_t)i];
    }
  }
  for (int i = 0; i < width; ++i) {
    out[i] = lane_load(columns[i]);
  }
}

LANE void rows_write(const lane *values, int width, size_t stride, row_range rows, double *out) {
  double *begin = out + rows.first * stride;
#if SINEW_LANES == 8
  if (width == 4 && rows_full(rows)) {
    rows_write4(values, stride, begin);
    return;
  }
#endif
  double columns[4][SINEW_LANES];
  for (int i = 0; i < width; ++i) {
    lane_store(columns[i], values[i]);
  }
  const size_t count = rows_full(rows) ? SINEW_LANES : rows.last - rows.first + 1;
  for (size_t l = 0; l < count; ++l) {
    for (int i = 0; i < width; ++i) {
      begin[l * stride + (size_t)i] = columns[i][l];
    }
  }
}

// ---------------------------------------------------------------- float arrays

LANE void rows_read_float(const float *values, int width, size_t stride, row_range rows,
                          lane *out) {
  double columns[4][SINEW_LANES];
  for (int l = 0; l < SINEW_LANES; ++l) {
    const size_t row = rows.first + (size_t)l <= rows.last ? rows.first + (size_t)l : rows.last;
    for (int i = 0; i < width; ++i) {
      columns[i][l] = (double)values[row * stride + (size_t)i];
    }
  }
  for (int i = 0; i < width; ++i) {
    out[i] = lane_load(columns[i]);
  }
}

// Numbers beyond the largest float become that.
LANE void rows_write_float(const lane *values, int width, size_t stride, row_range rows,
                           float *out) {
  const lane most = lane_of((double)FLT_MAX);
  double columns[4][SINEW_LANES];
  for (int i = 0; i < width; ++i) {
    lane_store(columns[i], lane_max(-most, lane_min(values[i], most)));
  }
  const size_t count = rows_full(rows) ? SINEW_LANES : rows.last - rows.first + 1;
  for (size_t l = 0; l < count; ++l) {
    for (int i = 0; i < width; ++i) {
      out[(rows.first + l) * stride + (size_t)i] = (float)columns[i][l];
    }
  }
}

#endif
