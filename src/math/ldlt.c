// L D L^T, row by row. Source: Golub and Van Loan, Matrix Computations, 2013,
// section 4.1. Sizes 3 and 6, a point and a pose, are compiled apart so that
// their loops unroll.
#include "math/ldlt.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE bool factor(int n, double *A, double least) {
  for (int i = 0; i < n; ++i) {
    double *row = A + i * n;
    double pivot = row[i];
    for (int j = 0; j < i; ++j) {
      // y_j = A_ij - sum_k L_jk y_k, y = D L_i^T
      double y = row[j];
      for (int k = 0; k < j; ++k) {
        y -= A[j * n + k] * row[k];
      }
      row[j] = y;
    }
    for (int j = 0; j < i; ++j) {
      const double y = row[j];
      row[j] = y * A[j * n + j];
      pivot -= y * row[j];
    }
    if (!(pivot > least)) {
      return false;
    }
    row[i] = 1.0 / pivot;
  }
  return true;
}

ALWAYS_INLINE void solve(int n, const double *A, double *b) {
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      b[i] -= A[i * n + j] * b[j];
    }
  }
  for (int i = 0; i < n; ++i) {
    b[i] *= A[i * n + i];
  }
  for (int i = n - 1; i > 0; --i) {
    for (int j = 0; j < i; ++j) {
      b[j] -= A[i * n + j] * b[i];
    }
  }
}

bool sinew_ldlt_factor(int n, double *A, double least) {
  switch (n) {
  case 3:
    return factor(3, A, least);
  case 6:
    return factor(6, A, least);
  default:
    return factor(n, A, least);
  }
}

void sinew_ldlt_solve(int n, const double *A, double *b) {
  switch (n) {
  case 3:
    solve(3, A, b);
    break;
  case 6:
    solve(6, A, b);
    break;
  default:
    solve(n, A, b);
  }
}
