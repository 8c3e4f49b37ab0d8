// Householder QR: min |A x - b| from Q^T A = [R; 0], R x = (Q^T b)_1..n, with the reflections
//
//   Q_k = I - beta v v^T,  v = a_k - alpha e_k,  alpha = -sign(a_kk) |a_k|,  beta = 2 / v^T v
//
// Source: Golub and Van Loan, Matrix Computations, 2013, sections 5.1 to 5.3.
#include "math/qr.h"

#include <math.h>

// Reflects rows k.. of one column c (values stride apart) by I - beta v v^T. v is in column k of A,
// except for v_k = head.
static void reflect(int m, int n, const double *A, int k, double head, double beta, double *c,
                    int stride) {
  double sum = head * c[k * stride];
  for (int i = k + 1; i < m; ++i) {
    sum += A[i * n + k] * c[i * stride];
  }
  sum *= beta;
  c[k * stride] -= sum * head;
  for (int i = k + 1; i < m; ++i) {
    c[i * stride] -= sum * A[i * n + k];
  }
}

void sinew_qr_least_squares(int m, int n, double *A, double *b, double *x) {
  for (int k = 0; k < n; ++k) {
    double below = 0.0;
    for (int i = k + 1; i < m; ++i) {
      below += A[i * n + k] * A[i * n + k];
    }
    const double diagonal = A[k * n + k];
    const double length = sqrt(diagonal * diagonal + below);
    if (!(length > 0.0)) {
      continue;
    }
    // alpha has the opposite sign of a_kk, so that their difference has no cancellation
    const double alpha = diagonal > 0.0 ? -length : length;
    const double head = diagonal - alpha;
    const double beta = 2.0 / (head * head + below);
    for (int j = k + 1; j < n; ++j) {
      reflect(m, n, A, k, head, beta, A + j, n);
    }
    reflect(m, n, A, k, head, beta, b, 1);
    A[k * n + k] = alpha;
  }
  for (int k = n - 1; k >= 0; --k) {
    double value = b[k];
    for (int j = k + 1; j < n; ++j) {
      value -= A[k * n + j] * x[j];
    }
    x[k] = A[k * n + k] != 0.0 ? value / A[k * n + k] : 0.0;
  }
}
