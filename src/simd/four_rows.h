// Up to four rows of numbers, of one joint each, as numbers of four lanes, and back.
#ifndef SINEW_SIMD_FOUR_ROWS_H
#define SINEW_SIMD_FOUR_ROWS_H

#include "simd/four.h"

// Value k of `size` values of each row becomes lane k. Lanes from count on are those of row 0.
SINEW_ALWAYS_INLINE void fours_read(int count, int size, const double *const row[], void *lanes) {
  double *to = lanes;
  const double *from[4];
  for (int i = 0; i < 4; ++i) {
    from[i] = row[i < count ? i : 0];
  }
  const int whole = size / 4 * 4;
  for (int k = 0; k < whole; k += 4) {
    const sinew_four in[4] = {sinew_four_load(from[0] + k), sinew_four_load(from[1] + k),
                              sinew_four_load(from[2] + k), sinew_four_load(from[3] + k)};
    sinew_four out[4];
    sinew_four_transpose(in, out);
    for (int i = 0; i < 4; ++i) {
      sinew_four_store(to + 4 * (k + i), out[i]);
    }
  }
  for (int k = whole; k < size; ++k) {
    for (int i = 0; i < 4; ++i) {
      to[4 * k + i] = from[i][k];
    }
  }
}

// The reverse, of the first count lanes.
SINEW_ALWAYS_INLINE void fours_write(int count, int size, const void *lanes, double *const row[]) {
  const double *from = lanes;
  const int whole = size / 4 * 4;
  for (int k = 0; k < whole; k += 4) {
    const sinew_four in[4] = {sinew_four_load(from + 4 * k), sinew_four_load(from + 4 * k + 4),
                              sinew_four_load(from + 4 * k + 8),
                              sinew_four_load(from + 4 * k + 12)};
    sinew_four out[4];
    sinew_four_transpose(in, out);
    for (int i = 0; i < count; ++i) {
      sinew_four_store(row[i] + k, out[i]);
    }
  }
  for (int k = whole; k < size; ++k) {
    for (int i = 0; i < count; ++i) {
      row[i][k] = from[4 * k + i];
    }
  }
}

#endif
