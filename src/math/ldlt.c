// L D L^T, row by row. Source: Golub and Van Loan, Matrix Computations, 2013,
// section 4.1. Sizes 3 and 6, a point and a pose, are compiled apart so that
// their loops unroll.
#include "math/ldlt.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE bool factor(int n, const double *A, double mu, double *L) {
  for (int i = 0; i < n; ++i) {
    double *row = L + i * n;
    double pivot = A[i * n + i] + mu;
    // y = D L_i^T: y_j = A_ij - sum over k < j of L_jk y_k
    for (int j = 0; j < i; ++j) {
      double y = A[i * n + j];
      for (int k = 0; k < j; ++k) {
        y -= L[j * n + k] * row[k];
      }
      row[j] = y;
    }
    for (int j = 0; j < i; ++j) {
      const double y = row[j];
      row[j] = y * L[j * n + j];
      pivot -= y * row[j];
    }
    if (!(pivot > 0.0)) {
      return false;
    }
    row[i] = 1.0 / pivot;
  }
  return true;
}

ALWAYS_INLINE void solve(int n, const double *L, double *b) {
  // L y = b
  for (int i = 1; i < n; ++i) {
    double sum = b[i];
    for (int j = 0; j < i; ++j) {
      sum -= L[i * n + j] * b[j];
    }
    b[i] = sum;
  }
  // D L^T x = y
  for (int i = n - 1; i >= 0; --i) {
    double sum = b[i] * L[i * n + i];
    for (int j = i + 1; j < n; ++j) {
      sum -= L[j * n + i] * b[j];
    }
    b[i] = sum;
  }
}

bool sinew_ldlt_factor(int n, const double *A, double mu, double *L) {
  switch (n) {
  case 3:
    return factor(3, A, mu, L);
  case 6:
    return factor(6, A, mu, L);
  default:
    return factor(n, A, mu, L);
  }
}

void sinew_ldlt_solve(int n, const double *L, double *b) {
  switch (n) {
  case 3:
    solve(3, L, b);
    break;
  case 6:
    solve(6, L, b);
    break;
  default:
    solve(n, L, b);
  }
}
