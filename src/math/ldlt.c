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

// Column by column too.
static void solve(int n, const double *L, double *x) {
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

// Three unknowns at a time: x in registers.
ALWAYS_INLINE void lower3(const double *L, int n, double x[3]) {
  x[1] -= L[n] * x[0];
  x[2] -= L[2 * n] * x[0] + L[2 * n + 1] * x[1];
}

ALWAYS_INLINE void upper3(const double *L, int n, double x[3]) {
  x[1] -= L[2 * n + 1] * x[2];
  x[0] -= L[2 * n] * x[2] + L[n] * x[1];
}

static void solve3(const double *L, double *b) {
  double x[3] = {b[0], b[1], b[2]};
  lower3(L, 3, x);
  for (int i = 0; i < 3; ++i) {
    x[i] *= L[4 * i];
  }
  upper3(L, 3, x);
  for (int i = 0; i < 3; ++i) {
    b[i] = x[i];
  }
}

static void solve6(const double *L, double *b) {
  double x[3] = {b[0], b[1], b[2]}, y[3];
  lower3(L, 6, x);
  for (int i = 0; i < 3; ++i) {
    const double *row = L + 18 + 6 * i;
    y[i] = b[3 + i] - ((row[0] * x[0] + row[1] * x[1]) + row[2] * x[2]);
  }
  lower3(L + 21, 6, y);
  for (int i = 0; i < 3; ++i) {
    x[i] *= L[7 * i];
    y[i] *= L[21 + 7 * i];
  }
  upper3(L + 21, 6, y);
  for (int i = 0; i < 3; ++i) {
    const double *column = L + 18 + i;
    x[i] -= (column[0] * y[0] + column[6] * y[1]) + column[12] * y[2];
  }
  upper3(L, 6, x);
  for (int i = 0; i < 3; ++i) {
    b[i] = x[i];
    b[3 + i] = y[i];
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
    solve3(L, b);
    break;
  case 6:
    solve6(L, b);
    break;
  default:
    solve(n, L, b);
  }
}
