// (A + mu I) y = e for the six rows of a pose, in registers.
//
// A + mu I = L D L^T without pivoting: the matrix is positive definite, and mu large enough that it
// remains so in spite of rounding. Loops are unrolled, so that arrays can be in registers.
#ifndef SINEW_KERNEL_SOLVE6_H
#define SINEW_KERNEL_SOLVE6_H

#include "simd/lanes.h"

// The lower triangle by rows: a00, a10, a11, a20, a21, a22, ...
typedef struct lane_matrix6 {
  lane a[21];
} lane_matrix6;

// A += v v^T in three parts: rows and columns 0 to 2, ...
LANE void matrix6_add_upper(lane_matrix6 *A, const lane v[6]) {
  A->a[0] = lane_fma(v[0], v[0], A->a[0]);
  A->a[1] = lane_fma(v[1], v[0], A->a[1]);
  A->a[2] = lane_fma(v[1], v[1], A->a[2]);
  A->a[3] = lane_fma(v[2], v[0], A->a[3]);
  A->a[4] = lane_fma(v[2], v[1], A->a[4]);
  A->a[5] = lane_fma(v[2], v[2], A->a[5]);
}

// ... rows 3 to 5 and columns 0 to 2, ...
LANE void matrix6_add_middle(lane_matrix6 *A, const lane v[6]) {
  A->a[6] = lane_fma(v[3], v[0], A->a[6]);
  A->a[7] = lane_fma(v[3], v[1], A->a[7]);
  A->a[8] = lane_fma(v[3], v[2], A->a[8]);
  A->a[10] = lane_fma(v[4], v[0], A->a[10]);
  A->a[11] = lane_fma(v[4], v[1], A->a[11]);
  A->a[12] = lane_fma(v[4], v[2], A->a[12]);
  A->a[15] = lane_fma(v[5], v[0], A->a[15]);
  A->a[16] = lane_fma(v[5], v[1], A->a[16]);
  A->a[17] = lane_fma(v[5], v[2], A->a[17]);
}

// ... and rows and columns 3 to 5.
LANE void matrix6_add_lower(lane_matrix6 *A, const lane v[6]) {
  A->a[9] = lane_fma(v[3], v[3], A->a[9]);
  A->a[13] = lane_fma(v[4], v[3], A->a[13]);
  A->a[14] = lane_fma(v[4], v[4], A->a[14]);
  A->a[18] = lane_fma(v[5], v[3], A->a[18]);
  A->a[19] = lane_fma(v[5], v[4], A->a[19]);
  A->a[20] = lane_fma(v[5], v[5], A->a[20]);
}

// y of (A + mu I) y = e. A: the lower triangle by rows. Right-looking: after each pivot,
//
//   c_ij <- c_ij - (c_ik c_jk) / d_k
//
// for all remaining entries, where the products do not depend on the division. The inverses of two
// pivots at a time are computed together: 1 / d_k and, with m = k + 1, d_k / (d_k c_mm - c_mk^2).
// So the chain of dependent operations is short.
LANE void matrix6_solve(const lane A[21], lane mu, const lane e[6], lane y[6]) {
  lane c[7][6], l[6][6], w[6], inverse[6]; // the seventh row is e
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      c[i][j] = i == j ? A[i * (i + 1) / 2 + j] + mu : A[i * (i + 1) / 2 + j];
    }
    c[6][i] = e[i];
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    if (k % 2 == 0) {
      const lane d = c[k][k], next = c[k + 1][k];
      inverse[k] = lane_of(1.0) / d;
      inverse[k + 1] = d / lane_fnma(next, next, d * c[k + 1][k + 1]);
    }
    const lane r = inverse[k];
#pragma GCC unroll 6
    for (int j = k + 1; j < 6; ++j) {
#pragma GCC unroll 6
      for (int i = j; i < 7; ++i) {
        c[i][j] = lane_fnma(c[i][k] * c[j][k], r, c[i][j]);
      }
      l[j][k] = c[j][k] * r;
    }
    w[k] = c[6][k] * r;
  }
#pragma GCC unroll 6
  for (int k = 5; k >= 0; --k) {
    y[k] = w[k];
#pragma GCC unroll 6
    for (int i = 5; i > k; --i) {
      y[k] = lane_fnma(l[i][k], y[i], y[k]);
    }
  }
}

#endif
