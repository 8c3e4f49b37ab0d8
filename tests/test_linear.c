// The small dense solvers against LAPACK (Debian's liblapacke-dev): L D L^T against
// dposv, Householder's QR against dgels.
#include "near.h"
#include "random_tree.h"

#include "inspect.h"

#include <float.h>
#include <lapacke.h>
#include <stdbool.h>

enum { MOST = 40 };

static void random_fill(random_stream *stream, int count, double *values) {
  for (int i = 0; i < count; ++i) {
    values[i] = random_between(stream, -1.0, 1.0);
  }
}

// A = G G^T + mu I, condition about (size / mu).
static void make_definite(random_stream *stream, int n, double mu, double *A) {
  static double G[MOST * MOST];
  random_fill(stream, n * n, G);
  for (int i = 0; i < n * n; ++i) {
    double sum = i % n == i / n ? mu : 0.0;
    for (int k = 0; k < n; ++k) {
      sum += G[i / n * n + k] * G[i % n * n + k];
    }
    A[i] = sum;
  }
}

// |A x - b| / (|A| |x|): of the order of rounding for a backward stable solver, whatever the
// condition.
static double backward_error(int n, const double *A, const double *x, const double *b) {
  double residual = 0.0, largest_A = 0.0, largest_x = 0.0;
  for (int i = 0; i < n; ++i) {
    long double sum = -(long double)b[i];
    for (int j = 0; j < n; ++j) {
      sum += (long double)A[i * n + j] * x[j];
      largest_A = fmax(largest_A, fabs(A[i * n + j]));
    }
    residual = fmax(residual, (double)fabsl(sum));
    largest_x = fmax(largest_x, fabs(x[i]));
  }
  return residual / (n * largest_A * largest_x);
}

// Every size that occurs in a step: 3 and 6 are compiled apart. Well and badly conditioned; mu is
// added to the diagonal during the factorization.
static void ldlt_agrees_with_lapack(void **unused) {
  (void)unused;
  static double A[MOST * MOST], lower[MOST * MOST], factor[MOST * MOST], other[MOST * MOST];
  double b[MOST], x[MOST], y[MOST];
  random_stream stream = random_stream_of(1);
  for (int trial = 0; trial < 600; ++trial) {
    const int n = trial % MOST + 1;
    const double mu = trial < 300 ? 1.0 : pow(10.0, -trial / 60.0);
    make_definite(&stream, n, 0.0, A);
    random_fill(&stream, n, b);
    for (int i = 0; i < n * n; ++i) { // only the lower triangle may be read
      lower[i] = i % n > i / n ? (double)NAN : A[i];
    }
    for (int i = 0; i < n; ++i) {
      A[i * n + i] += mu;
    }
    memcpy(other, A, sizeof A);
    memcpy(x, b, sizeof b);
    memcpy(y, b, sizeof b);
    assert_true(sinew_ldlt_factor(n, lower, mu, factor));
    sinew_ldlt_solve(n, factor, x);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, other, n, y, 1), 0);
    assert_at_most(backward_error(n, A, x, b), 10 * DBL_EPSILON);
    if (mu == 1.0) { // condition below 1e3
      assert_at_most(farthest(n, x, y), 1e-12);
    }
  }
}

// P A = L U: solutions with A and its transpose, and the sign of det A, against LAPACK's factors.
static void lu_agrees_with_lapack(void **state) {
  (void)state;
  static double A[MOST * MOST], LU[MOST * MOST], other[MOST * MOST];
  double b[MOST], x[MOST], y[MOST];
  int rows[MOST];
  lapack_int pivots[MOST];
  random_stream stream = random_stream_of(5);
  for (int trial = 0; trial < 600; ++trial) {
    const int n = trial % 12 + 1;
    random_fill(&stream, n * n, A);
    if (n > 1 && trial % 3 == 0) { // nearly singular
      for (int j = 0; j < n; ++j) {
        A[n + j] = A[j] + 1e-7 * A[n + j];
      }
    }
    memcpy(LU, A, sizeof A);
    memcpy(other, A, sizeof A);
    const int sign = sinew_lu_factor(n, LU, rows);
    assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, other, n, pivots), 0);
    int expected = 1;
    for (int i = 0; i < n; ++i) {
      expected *= (other[(n + 1) * i] < 0.0) != (pivots[i] != i + 1) ? -1 : 1;
    }
    assert_int_equal(sign, expected);
    for (int transposed = 0; transposed < 2; ++transposed) {
      random_fill(&stream, n, b);
      memcpy(y, b, sizeof b);
      assert_int_equal(
          LAPACKE_dgetrs(LAPACK_ROW_MAJOR, transposed ? 'T' : 'N', n, 1, other, n, pivots, y, 1),
          0);
      double kept[MOST], largest = 0.0;
      memcpy(kept, b, sizeof b);
      if (transposed) {
        sinew_lu_solve_transposed(n, LU, rows, kept, x);
      } else {
        sinew_lu_solve(n, LU, rows, kept, x);
      }
      for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(y[i]));
      }
      assert_at_most(farthest(n, x, y), 1e-11 * fmax(1.0, largest * largest));
    }
  }
  memset(A, 0, sizeof A);
  assert_int_equal(sinew_lu_factor(3, A, rows), 0);
}

// A matrix that is not positive definite is refused; one with a NaN too.
static void ldlt_refuses_indefinite_matrices(void **unused) {
  (void)unused;
  for (int n = 1; n < 17; ++n) {
    for (int bad = 0; bad < n; ++bad) {
      const double values[] = {-1.0, 0.0, -1e-9, NAN};
      for (int i = 0; i < 4; ++i) {
        double A[256] = {0}, factor[256];
        for (int k = 0; k < n; ++k) {
          A[k * n + k] = k == bad ? values[i] : 2.0;
        }
        assert_false(sinew_ldlt_factor(n, A, 0.0, factor));
      }
    }
  }
  const double singular[4] = {1, 0, 1, 1}; // rank 1
  double factor[4];
  assert_false(sinew_ldlt_factor(2, singular, 0.0, factor));
  const double fine[4] = {3, 0, 2, 2}; // [4 2; 2 3] with mu = 1
  double b[2] = {8, 7};
  assert_true(sinew_ldlt_factor(2, fine, 1.0, factor));
  sinew_ldlt_solve(2, factor, b);
  assert_near(b[0], 1.25, 1e-15);
  assert_near(b[1], 1.5, 1e-15);
}

// Tall, square, and with columns of very different lengths.
static void qr_agrees_with_lapack(void **unused) {
  (void)unused;
  static double A[2 * MOST * MOST], other[2 * MOST * MOST];
  double b[2 * MOST], c[2 * MOST], x[MOST];
  random_stream stream = random_stream_of(2);
  for (int trial = 0; trial < 500; ++trial) {
    const int n = trial % 20 + 1, m = n + random_below(&stream, 20) + (n > 5 ? 3 : 0);
    random_fill(&stream, m * n, A);
    random_fill(&stream, m, b);
    for (int j = 0; j < n && trial % 3 == 0; ++j) {
      const double scale = pow(10.0, random_between(&stream, -6, 6));
      for (int i = 0; i < m; ++i) {
        A[i * n + j] *= scale;
      }
    }
    memcpy(other, A, (size_t)(m * n) * sizeof(double));
    memcpy(c, b, sizeof b);
    assert_int_equal(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', m, n, 1, other, n, c, 1), 0);
    static double kept[2 * MOST * MOST];
    memcpy(kept, A, sizeof kept);
    sinew_qr_least_squares(m, n, A, b, x);
    // columns scaled back, so that each value has the same weight; the condition of such random
    // matrices is at most about 1e4
    for (int j = 0; j < n; ++j) {
      double length = 0.0;
      for (int i = 0; i < m; ++i) {
        length = fmax(length, fabs(kept[i * n + j]));
      }
      assert_near(length * x[j], length * c[j], 1e-10);
    }
  }
}

// Nearly dependent columns: normal equations would lose all digits (condition squared is 1e16), QR
// keeps half of them.
static void qr_does_not_square_the_condition(void **unused) {
  (void)unused;
  const double d = 1e-8;
  double A[6] = {1, 1, d, 0, 0, d}, b[3] = {2, d, d}, x[2]; // solved by (1, 1)
  sinew_qr_least_squares(3, 2, A, b, x);
  assert_near(x[0], 1.0, 1e-7);
  assert_near(x[1], 1.0, 1e-7);
}

// A zero column gives the value 0, not NaN.
static void qr_accepts_a_zero_column(void **unused) {
  (void)unused;
  double A[9] = {2, 0, 0, 0, 0, 3, 0, 0, 0}, b[3] = {4, 9, 1}, x[3];
  sinew_qr_least_squares(3, 3, A, b, x);
  for (int i = 0; i < 3; ++i) {
    assert_true(isfinite(x[i]));
  }
  assert_near(x[0], 2.0, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ldlt_agrees_with_lapack),
      cmocka_unit_test(lu_agrees_with_lapack),
      cmocka_unit_test(ldlt_refuses_indefinite_matrices),
      cmocka_unit_test(qr_agrees_with_lapack),
      cmocka_unit_test(qr_does_not_square_the_condition),
      cmocka_unit_test(qr_accepts_a_zero_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
