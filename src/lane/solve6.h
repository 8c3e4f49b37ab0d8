// (A + mu I) y = e for the six rows of a pose, in registers.
//
// A = L D L^T without a pivot: A + mu I is positive definite, and mu large enough that rounding
// leaves it so. Written out, for arrays would not stay in registers.
#ifndef SINEW_LANE_SOLVE6_H
#define SINEW_LANE_SOLVE6_H

#include "lane/vector.h"

// The lower triangle by rows: a00, a10, a11, a20, a21, a22, ...
typedef struct lane_matrix6 {
  lane a[21];
} lane_matrix6;

// A += v v^T
LANE void matrix6_add(lane_matrix6 *A, const lane v[6]) {
  A->a[0] = lane_fma(v[0], v[0], A->a[0]);
  A->a[1] = lane_fma(v[1], v[0], A->a[1]);
  A->a[2] = lane_fma(v[1], v[1], A->a[2]);
  A->a[3] = lane_fma(v[2], v[0], A->a[3]);
  A->a[4] = lane_fma(v[2], v[1], A->a[4]);
  A->a[5] = lane_fma(v[2], v[2], A->a[5]);
  A->a[6] = lane_fma(v[3], v[0], A->a[6]);
  A->a[7] = lane_fma(v[3], v[1], A->a[7]);
  A->a[8] = lane_fma(v[3], v[2], A->a[8]);
  A->a[9] = lane_fma(v[3], v[3], A->a[9]);
  A->a[10] = lane_fma(v[4], v[0], A->a[10]);
  A->a[11] = lane_fma(v[4], v[1], A->a[11]);
  A->a[12] = lane_fma(v[4], v[2], A->a[12]);
  A->a[13] = lane_fma(v[4], v[3], A->a[13]);
  A->a[14] = lane_fma(v[4], v[4], A->a[14]);
  A->a[15] = lane_fma(v[5], v[0], A->a[15]);
  A->a[16] = lane_fma(v[5], v[1], A->a[16]);
  A->a[17] = lane_fma(v[5], v[2], A->a[17]);
  A->a[18] = lane_fma(v[5], v[3], A->a[18]);
  A->a[19] = lane_fma(v[5], v[4], A->a[19]);
  A->a[20] = lane_fma(v[5], v[5], A->a[20]);
}

// y of (A + mu I) y = e. c_ij is what is left of a_ij when the columns before j are
// eliminated, l_ij = c_ij / d_j.
LANE void matrix6_solve(const lane_matrix6 *A, lane mu, const lane e[6], lane y[6]) {
  const lane *a = A->a, one = lane_of(1.0);
  const lane d0 = a[0] + mu, r0 = one / d0;
  const lane c10 = a[1], l10 = c10 * r0;
  const lane c20 = a[3], l20 = c20 * r0;
  const lane c30 = a[6], l30 = c30 * r0;
  const lane c40 = a[10], l40 = c40 * r0;
  const lane c50 = a[15], l50 = c50 * r0;
  const lane d1 = lane_fnma(l10, c10, a[2] + mu), r1 = one / d1;
  const lane c21 = lane_fnma(l20, c10, a[4]), l21 = c21 * r1;
  const lane c31 = lane_fnma(l30, c10, a[7]), l31 = c31 * r1;
  const lane c41 = lane_fnma(l40, c10, a[11]), l41 = c41 * r1;
  const lane c51 = lane_fnma(l50, c10, a[16]), l51 = c51 * r1;
  const lane d2 = lane_fnma(l21, c21, lane_fnma(l20, c20, a[5] + mu)), r2 = one / d2;
  const lane c32 = lane_fnma(l31, c21, lane_fnma(l30, c20, a[8])), l32 = c32 * r2;
  const lane c42 = lane_fnma(l41, c21, lane_fnma(l40, c20, a[12])), l42 = c42 * r2;
  const lane c52 = lane_fnma(l51, c21, lane_fnma(l50, c20, a[17])), l52 = c52 * r2;
  const lane d3 = lane_fnma(l32, c32, lane_fnma(l31, c31, lane_fnma(l30, c30, a[9] + mu))),
             r3 = one / d3;
  const lane c43 = lane_fnma(l42, c32, lane_fnma(l41, c31, lane_fnma(l40, c30, a[13]))),
             l43 = c43 * r3;
  const lane c53 = lane_fnma(l52, c32, lane_fnma(l51, c31, lane_fnma(l50, c30, a[18]))),
             l53 = c53 * r3;
  const lane d4 = lane_fnma(
                 l43, c43,
                 lane_fnma(l42, c42, lane_fnma(l41, c41, lane_fnma(l40, c40, a[14] + mu)))),
             r4 = one / d4;
  const lane c54 = lane_fnma(l53, c43,
                             lane_fnma(l52, c42, lane_fnma(l51, c41, lane_fnma(l50, c40, a[19])))),
             l54 = c54 * r4;
  const lane d5 = lane_fnma(
                 l54, c54,
                 lane_fnma(
                     l53, c53,
                     lane_fnma(l52, c52, lane_fnma(l51, c51, lane_fnma(l50, c50, a[20] + mu))))),
             r5 = one / d5;

  // L z = e, then L^T y = D^-1 z.
  const lane z0 = e[0];
  const lane z1 = lane_fnma(l10, z0, e[1]);
  const lane z2 = lane_fnma(l21, z1, lane_fnma(l20, z0, e[2]));
  const lane z3 = lane_fnma(l32, z2, lane_fnma(l31, z1, lane_fnma(l30, z0, e[3])));
  const lane z4 =
      lane_fnma(l43, z3, lane_fnma(l42, z2, lane_fnma(l41, z1, lane_fnma(l40, z0, e[4]))));
  const lane z5 = lane_fnma(
      l54, z4,
      lane_fnma(l53, z3, lane_fnma(l52, z2, lane_fnma(l51, z1, lane_fnma(l50, z0, e[5])))));
  y[5] = z5 * r5;
  y[4] = lane_fnma(l54, y[5], z4 * r4);
  y[3] = lane_fnma(l43, y[4], lane_fnma(l53, y[5], z3 * r3));
  y[2] = lane_fnma(l32, y[3], lane_fnma(l42, y[4], lane_fnma(l52, y[5], z2 * r2)));
  y[1] = lane_fnma(l21, y[2],
                   lane_fnma(l31, y[3], lane_fnma(l41, y[4], lane_fnma(l51, y[5], z1 * r1))));
  y[0] = lane_fnma(
      l10, y[1],
      lane_fnma(l20, y[2],
                lane_fnma(l30, y[3], lane_fnma(l40, y[4], lane_fnma(l50, y[5], z0 * r0)))));
}

#if SINEW_LANES == 1
// The same, for one problem that waits for it: as soon as a pivot is known all that is left
// gives up its share, c_ij - (c_ik c_jk) / d_k, the products taken while the processor
// divides. So from pivot to pivot there are a division and one operation, not three.
// A: the lower triangle by rows.
LANE void matrix6_solve_soon(const double A[21], double mu, const double e[6], double y[6]) {
  double c[7][6], l[6][6], w[6]; // the seventh row is e
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      c[i][j] = A[i * (i + 1) / 2 + j] + (i == j ? mu : 0.0);
    }
    c[6][i] = e[i];
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    const double r = 1.0 / c[k][k];
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

#endif
