// L D L^T. Source: Golub and Van Loan, Matrix Computations, 2013,
// section 4.1. Sizes 3 and 6, a point and a pose, are compiled apart so that
// their loops unroll.
#include "math/ldlt.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Column by column: what a pivot takes off the rest does not wait for itself, so
// that only the pivots stand in a row.
ALWAYS_INLINE bool factor(int n, const double *A, double mu, double *L) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      L[i * n + j] = A[i * n + j];
    }
    L[i * n + i] = A[i * n + i] + mu;
  }
  for (int k = 0; k < n; ++k) {
    if (!(L[k * n + k] > 0.0)) {
      return false;
    }
    const double inverse = 1.0 / L[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const double l = L[i * n + k] * inverse;
      // Row i takes off l times column k, down to its diagonal; above, rows have
      // their l in place of the entry, and j runs over rows that still have it.
      for (int j = i; j < n; ++j) {
        L[j * n + i] -= l * L[j * n + k];
      }
      L[i * n + k] = l;
    }
    L[k * n + k] = inverse;
  }
  return true;
}

// Column by column too, in x: n values, registers where n is known.
ALWAYS_INLINE void solve(int n, const double *L, double *x) {
  for (int j = 0; j < n; ++j) { // L y = b
    for (int i = j + 1; i < n; ++i) {
      x[i] -= L[i * n + j] * x[j];
    }
  }
  for (int i = 0; i < n; ++i) { // D z = y
    x[i] *= L[i * n + i];
  }
  for (int j = n - 1; j > 0; --j) { // L^T x = z
    for (int i = 0; i < j; ++i) {
      x[i] -= L[j * n + i] * x[j];
    }
  }
}

ALWAYS_INLINE void solve_small(int n, const double *L, double *b) {
  double x[6];
  for (int i = 0; i < n; ++i) {
    x[i] = b[i];
  }
  solve(n, L, x);
  for (int i = 0; i < n; ++i) {
    b[i] = x[i];
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
    solve_small(3, L, b);
    break;
  case 6:
    solve_small(6, L, b);
    break;
  default:
    solve(n, L, b);
  }
}
