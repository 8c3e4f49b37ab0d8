// Three columns eliminated at once: the corner of the matrix that is theirs, by itself.
//
// A column waits for the pivot before it, and a pivot's division for its column. Here all three w
// are made of the same P, the 3 x 3 matrix D_kl = w_k . v_l is eliminated by itself, the last
// first, and its pivots
//
//   d_2 = D_22,  d_1 = M / d_2,  d_0 = N / (M d_2),
//   M = D_22 D_11 - D_21^2,  C = D_22 D_10 - D_21 D_20,  N = (D_22 D_00 - D_20^2) M - C^2
//
// are divided by side by side. What cancels in M and N is what cancels in the pivots.
#ifndef SINEW_STEP_THREE_H
#define SINEW_STEP_THREE_H

#include "simd/pair.h"

// The corner, with damping on its diagonal.
typedef struct sinew_three {
  double D00, D10, D11, D20, D21, D22;
} sinew_three;

// D = L^T diag(1 / pivot) L, L having 1 on its diagonal and below it L10, L20, L21.
typedef struct sinew_three_factor {
  double pivot0, pivot1, pivot2;
  double L10, L20, L21;
  int bad; // the last whose pivot is not positive, or -1
} sinew_three_factor;

// Products beyond this might overflow further on.
#define SINEW_THREE_ORDINARY 1e300

// One after the other: where products overflow, or a pivot is not positive.
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

// By value, as all of it is to stay in registers.
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
