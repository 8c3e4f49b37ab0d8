// See lu.h. Source: Golub and Van Loan, Matrix computations, 2013, algorithm 3.4.1.
#include "math/lu.h"

#include <math.h>

static void swap_rows(int n, double *a, double *b) {
  for (int j = 0; j < n; ++j) {
    const double kept = a[j];
    a[j] = b[j];
    b[j] = kept;
  }
}

static int pivot_of(int n, const double *A, int k) {
  int pivot = k;
  for (int i = k + 1; i < n; ++i) {
    pivot = fabs(A[n * i + k]) > fabs(A[n * pivot + k]) ? i : pivot;
  }
  return pivot;
}

int sinew_lu_factor(int n, double *A, int *rows) {
  int sign = 1;
  for (int i = 0; i < n; ++i) {
    rows[i] = i;
  }
  for (int k = 0; k < n; ++k) {
    const int pivot = pivot_of(n, A, k);
    if (pivot != k) {
      const int kept = rows[k];
      rows[k] = rows[pivot];
      rows[pivot] = kept;
      swap_rows(n, A + n * k, A + n * pivot);
      sign = -sign;
    }
    const double top = A[n * k + k];
    if (!(fabs(top) > 0.0)) {
      return 0;
    }
    sign = top < 0.0 ? -sign : sign;
    for (int i = k + 1; i < n; ++i) {
      const double factor = A[n * i + k] / top;
      A[n * i + k] = factor;
      for (int j = k + 1; j < n; ++j) {
        A[n * i + j] -= factor * A[n * k + j];
      }
    }
  }
  return sign;
}

void sinew_lu_solve(int n, const double *A, const int *rows, const double *b, double *x) {
  for (int i = 0; i < n; ++i) {
    x[i] = b[rows[i]];
    for (int j = 0; j < i; ++j) {
      x[i] -= A[n * i + j] * x[j];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) {
      x[i] -= A[n * i + j] * x[j];
    }
    x[i] /= A[n * i + i];
  }
}

// U^T L^T P x = b.
void sinew_lu_solve_transposed(int n, const double *A, const int *rows, double *b, double *x) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      b[i] -= A[n * j + i] * b[j];
    }
    b[i] /= A[n * i + i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) {
      b[i] -= A[n * j + i] * b[j];
    }
    x[rows[i]] = b[i];
  }
}
