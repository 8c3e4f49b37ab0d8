// D = L^T diag(d) L of the 3 x 3 diagonal block D_kl = w_k . v_l + mu delta_kl of three columns
// that are eliminated together, the last first:
//
//   d_2 = D_22,  d_1 = M / d_2,  d_0 = N / (M d_2),
//   M = D_22 D_11 - D_21^2,  C = D_22 D_10 - D_21 D_20,  N = (D_22 D_00 - D_20^2) M - C^2,
//   L21 = D_21 / d_2,  L20 = D_20 / d_2,  L10 = C / M.
//
// One column after another, each division waits for the one before. Here w_0, w_1 and w_2 are made
// of the same P, and the three divisions are independent. M and N suffer the same cancellation as
// the pivots.
#ifndef SINEW_STEP_THREE_H
#define SINEW_STEP_THREE_H

#include "simd/pair.h"

// D, with mu on its diagonal.
typedef struct sinew_three {
  double D00, D10, D11, D20, D21, D22;
} sinew_three;

// pivot_k = 1 / d_k. L is unit lower triangular.
typedef struct sinew_three_factor {
  double pivot0, pivot1, pivot2;
  double L10, L20, L21;
  int bad; // the last column whose pivot is not positive, or -1
} sinew_three_factor;

// Larger products might overflow in later operations.
#define SINEW_THREE_ORDINARY 1e300

// One column after the other: used where products overflow or a pivot is not positive.
static inline sinew_three_factor sinew_three_factor_apart(sinew_three D, double mu) {
  sinew_three_factor f = {.pivot2 = 1.0 / D.D22};
  f.L21 = D.D21 * f.pivot2;
  f.L20 = D.D20 * f.pivot2;
  const double d1 = D.D11 - f.L21 * D.D21, c = D.D10 - f.L20 * D.D21;
  f.pivot1 = 1.0 / d1;
  f.L10 = c * f.pivot1;
  const double d0 = D.D00 - f.L20 * D.D20 - f.L10 * c;
  f.pivot0 = 1.0 / d0;
  f.bad = !(D.D22 > 0.5 * mu) ? 2 : !(d1 > 0.5 * mu) ? 1 : !(d0 > 0.5 * mu) ? 0 : -1;
  return f;
}

// pivot_k of the column bad.
static inline double sinew_three_bad_pivot(const sinew_three_factor *f) {
  return f->bad == 2 ? f->pivot2 : f->bad == 1 ? f->pivot1 : f->pivot0;
}

// Arguments and result by value, so that they stay in registers.
SINEW_ALWAYS_INLINE sinew_three_factor sinew_three_factor_of(sinew_three D, double mu) {
  const double half = 0.5 * mu, M = D.D22 * D.D11 - D.D21 * D.D21, MD = M * D.D22;
  const double C = D.D22 * D.D10 - D.D21 * D.D20;
  const double N = (D.D22 * D.D00 - D.D20 * D.D20) * M - C * C;
  if (!(D.D22 > half && M > half * D.D22 && N > half * MD && MD < SINEW_THREE_ORDINARY &&
        N < SINEW_THREE_ORDINARY)) {
    return sinew_three_factor_apart(D, mu);
  }
  const double inverse_M = 1.0 / M, pivot2 = 1.0 / D.D22;
  return (sinew_three_factor){.pivot0 = MD / N,
                              .pivot1 = D.D22 * inverse_M,
                              .pivot2 = pivot2,
                              .L10 = C * inverse_M,
                              .L20 = D.D20 * pivot2,
                              .L21 = D.D21 * pivot2,
                              .bad = -1};
}

#endif
