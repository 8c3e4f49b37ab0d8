// Eigenvalues and singular values against LAPACK (Debian's liblapacke-dev): dsyev and dgesvd.
#include "stack.h"

#include "inspect.h"

#include <float.h>
#include <lapacke.h>

enum { MOST = STACK_MOST_M };

// ------------------------------------------------------------- eigenvalues

static int compare_values(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Symmetric matrices of every kind that products of rows can be, and indefinite ones.
static void make_symmetric(random_stream *random, int kind, int n, double *A) {
  double left[MOST * MOST], weight[MOST];
  for (int i = 0; i < n * n; ++i) {
    left[i] = random_between(random, -1.0, 1.0);
  }
  for (int k = 0; k < n; ++k) {
    weight[k] = kind == 0   ? 1.0                       // definite
                : kind == 1 ? (k % 2 == 0 ? 1.0 : -1.0) // indefinite
                : kind == 2 ? (k < n / 2 ? 1.0 : 0.0)   // half its rank
                            : pow(10.0, -k);            // graded
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (int k = 0; k < n; ++k) {
        sum += left[i * n + k] * weight[k] * left[j * n + k];
      }
      A[i * n + j] = A[j * n + i] = kind == 4   ? (i == j) * (1.0 + i / 3) // diagonal, repeated
                                    : kind == 5 ? 1.0                      // of rank 1
                                    : kind == 6 ? (i - j == 1)             // zero diagonal
                                                : sum;
    }
  }
}

// |A z - value z| and |Z Z^T - I| at rounding of the largest; the values are LAPACK's.
static void eigenvalues_agree_with_lapack(void **state) {
  (void)state;
  random_stream random = random_stream_of(201);
  static double A[MOST * MOST], kept[MOST * MOST], padded[MOST * MOST], Z[MOST * MOST];
  double values[MOST], expected[MOST], work[2 * MOST];
  for (int round = 0; round < 900; ++round) {
    const int n = 1 + round % 30, stride = sinew_pair_stride(n), kind = round / 30 % 7;
    make_symmetric(&random, kind, n, A);
    memset(padded, 0, sizeof padded);
    memset(Z, 0xff, sizeof Z);
    for (int i = 0; i < n; ++i) {
      memcpy(padded + i * stride, A + i * n, (size_t)n * sizeof(double));
    }
    memcpy(kept, A, sizeof A);
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, A, n, expected), 0);
    sinew_eigen_symmetric(n, padded, values, Z, work);
    const double largest = fmax(fabs(expected[0]), fabs(expected[n - 1]));
    const double rounding = 10.0 * n * DBL_EPSILON * fmax(largest, 1e-300);
    for (int k = 0; k < n; ++k) {
      const double *z = Z + k * stride;
      for (int i = 0; i < n; ++i) {
        double sum = -values[k] * z[i], angle = k == i ? -1.0 : 0.0;
        for (int j = 0; j < n; ++j) {
          sum += kept[i * n + j] * z[j];
          angle += z[j] * Z[i * stride + j];
        }
        assert_near(sum, 0.0, rounding);
        assert_near(angle, 0.0, 10.0 * n * DBL_EPSILON);
      }
      assert_true(stride == n || z[n] == 0.0);
    }
    qsort(values, (size_t)n, sizeof(double), compare_values);
    assert_at_most(farthest(n, values, expected), rounding);
  }
}

// --------------------------------------------------------- singular values

static int least_of(int a, int b) {
  return a < b ? a : b;
}

// Orthonormal vectors, except those that belong to no singular value.
static void check_vectors(int size, int stride, int count, const double *sigma, bool whole,
                          const double *vectors) {
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b <= a; ++b) {
      double sum = 0.0;
      for (int r = 0; r < size; ++r) {
        sum += vectors[r * stride + a] * vectors[r * stride + b];
      }
      const bool present = whole || (sigma[a] > 0.0 && sigma[b] > 0.0);
      assert_near(sum, a == b && present ? 1.0 : 0.0, 5e-13);
    }
  }
}

// All properties that svd.h states of the singular values of s; columns with an active bound are 0
// in s->J.
static void check_svd(const stack *s, const signed char *held, int free_count, sinew_svd *svd) {
  static double U[MOST * MOST], VT[MOST * MOST], expected[MOST];
  sinew_svd_find(&s->rows, held, svd);
  const int p = least_of(s->m, free_count), stride = svd->stride;
  assert_int_equal(svd->count, p);
  assert_true(stride >= p && stride <= p + 1 && stride % 2 == 0);
  stack_lapack_svd(s, expected, U, VT);
  const double rounding = 8.0 * (s->m + s->n) * DBL_EPSILON * expected[0];
  for (int i = 0; i < p; ++i) {
    assert_near(svd->sigma[i], expected[i], rounding);
    assert_true(svd->sigma[i] >= 0.0 && (i == 0 || svd->sigma[i] <= svd->sigma[i - 1]));
  }
  assert_true(stride == p || svd->sigma[p] == 0.0);
  const bool by_rows = p == s->m;
  check_vectors(s->m, stride, p, svd->sigma, by_rows, svd->left);
  check_vectors(s->n, stride, p, svd->sigma, !by_rows, svd->right);
  for (int i = 0; i < s->m; ++i) {
    for (int j = 0; j < s->n; ++j) {
      double sum = 0.0;
      for (int k = 0; k < stride; ++k) {
        sum += svd->left[i * stride + k] * svd->sigma[k] * svd->right[j * stride + k];
      }
      assert_near(sum, s->J[i * s->n + j], rounding);
      assert_true(held == NULL || held[j] == 0 || p == 0 || svd->right[j * stride] == 0.0);
    }
  }
}

// Wide, tall and square; one block, points, poses, and blocks of other sizes, sparse and full.
// req: D3 D8
static void singular_values_agree_with_lapack(void **state) {
  (void)state;
  static const int cuts[] = {1, 2, 3, 4, 6, MOST};
  random_stream random = random_stream_of(202);
  sinew_svd svd;
  void *memory;
  STACK_SCRATCH(memory, sinew_svd_layout(&arena, MOST, MOST, &svd));
  for (int round = 0; round < 1500; ++round) {
    static stack s;
    const int m = 1 + random_below(&random, MOST - 1), n = 1 + random_below(&random, MOST - 1);
    stack_random(&s, &random, m, n, cuts[round % 6], round % 4 == 0 ? 0.6 : 0.0);
    check_svd(&s, NULL, n, &svd);
  }
  free(memory);
}

// The documented sizes of scratch are enough.
static void scratch_of_the_documented_size_is_enough(void **state) {
  (void)state;
  random_stream random = random_stream_of(203);
  for (int round = 0; round < 200; ++round) {
    static stack s;
    const int m = 1 + random_below(&random, 12), n = 1 + random_below(&random, 12);
    stack_random(&s, &random, m, n, 3, 0.0);
    sinew_svd svd;
    void *memory;
    STACK_SCRATCH(memory, sinew_svd_layout(&arena, m, n, &svd));
    check_svd(&s, NULL, n, &svd);
    for (int i = 0; i < m * n; ++i) { // squares overflow or underflow
      s.J[i] *= 1e-180;
    }
    stack_cut(&s, 3);
    check_svd(&s, NULL, n, &svd);
    free(memory);
  }
}

// Rank lost exactly, lost to rounding, spread over twelve decades, in clusters.
// req: D3 D4
static void small_singular_values_keep_their_digits(void **state) {
  (void)state;
  random_stream random = random_stream_of(204);
  sinew_svd svd;
  void *memory;
  STACK_SCRATCH(memory, sinew_svd_layout(&arena, MOST, MOST, &svd));
  for (int round = 0; round < 1000; ++round) {
    static stack s;
    double sigma[MOST];
    const int m = 1 + random_below(&random, 16), n = 1 + random_below(&random, 16);
    const int kept = 1 + random_below(&random, least_of(m, n));
    for (int i = 0; i < least_of(m, n); ++i) {
      const int kind = round % 5;
      sigma[i] = kind == 0   ? (i < kept ? 1.0 : 0.0)
                 : kind == 1 ? pow(10.0, -12.0 * i / least_of(m, n))
                 : kind == 2 ? (i < kept ? 1.0 + i * 1e-12 : 1e-7)
                 : kind == 3 ? (i == 0 ? 1.0 : 1e-5 * random_between(&random, 0.0, 1.0))
                             : pow(10.0, random_between(&random, -18.0, 0.0));
    }
    stack_of_singular_values(&s, &random, m, n, 3, sigma);
    check_svd(&s, NULL, n, &svd);
  }
  free(memory);
}

// Rows or columns of very different lengths, equal rows, rows of 0.
static void graded_and_repeated_rows(void **state) {
  (void)state;
  random_stream random = random_stream_of(205);
  sinew_svd svd;
  void *memory;
  STACK_SCRATCH(memory, sinew_svd_layout(&arena, MOST, MOST, &svd));
  for (int round = 0; round < 800; ++round) {
    static stack s;
    const int m = 2 + random_below(&random, 12), n = 2 + random_below(&random, 12);
    stack_random(&s, &random, m, n, 3, 0.0);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double *value = &s.J[i * n + j];
        *value = round % 4 == 0   ? *value * pow(10.0, -i)
                 : round % 4 == 1 ? *value * pow(10.0, -j)
                 : round % 4 == 2 ? s.J[i % 2 * n + j]
                                  : (i % 2 == 0 ? 0.0 : *value);
      }
    }
    stack_cut(&s, 3);
    check_svd(&s, NULL, n, &svd);
  }
  free(memory);
}

// Numbers whose squares overflow or underflow.
static void squares_may_overflow(void **state) {
  (void)state;
  static const double scales[] = {1e-290, 1e-160, 1e-60, 1e-40, 1e40, 1e60, 1e150, 1e290};
  random_stream random = random_stream_of(206);
  sinew_svd svd;
  void *memory;
  STACK_SCRATCH(memory, sinew_svd_layout(&arena, MOST, MOST, &svd));
  for (int round = 0; round < 400; ++round) {
    static stack s;
    const int m = 1 + random_below(&random, 8), n = 1 + random_below(&random, 8);
    stack_random(&s, &random, m, n, 1 + random_below(&random, 6), 0.2);
    for (int i = 0; i < m * n; ++i) {
      s.J[i] *= scales[round % 8];
    }
    stack_cut(&s, 3);
    check_svd(&s, NULL, n, &svd);
  }
  free(memory);
}

// Columns with an active bound count as 0, and leave fewer values where there are few.
// req: B14
static void bounded_columns_count_as_zero(void **state) {
  (void)state;
  random_stream random = random_stream_of(207);
  sinew_svd svd;
  void *memory;
  STACK_SCRATCH(memory, sinew_svd_layout(&arena, MOST, MOST, &svd));
  for (int round = 0; round < 600; ++round) {
    static stack s, zeroed;
    signed char held[MOST];
    int free_count = 0;
    const int m = 1 + random_below(&random, 9), n = 1 + random_below(&random, 14);
    stack_random(&s, &random, m, n, 3, 0.2);
    zeroed = s;
    for (int j = 0; j < n; ++j) {
      held[j] = (signed char)(random_below(&random, 3) - 1);
      free_count += held[j] == 0;
      for (int i = 0; i < m && held[j] != 0; ++i) {
        zeroed.J[i * n + j] = 0.0;
      }
    }
    s = (stack){.m = m, .n = n};
    memcpy(s.J, zeroed.J, sizeof s.J);
    stack_cut(&zeroed, 3);
    // the rows still have those columns' values
    static stack with;
    with = zeroed;
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < m && held[j] != 0; ++i) {
        with.J[i * n + j] = 7.0 + i;
      }
    }
    stack_cut(&with, 3);
    memcpy(with.J, zeroed.J, sizeof with.J);
    check_svd(&with, held, free_count, &svd);
  }
  free(memory);
}

// No rows, no columns, no values.
static void empty_matrices(void **state) {
  (void)state;
  sinew_svd svd;
  void *memory;
  STACK_SCRATCH(memory, sinew_svd_layout(&arena, 6, 6, &svd));
  for (int m = 0; m < 4; m += 3) {
    for (int n = 0; n < 4; n += 3) {
      static stack s;
      double a[6] = {0.0}, x[6] = {1.0, 1.0, 1.0};
      s = (stack){.m = m, .n = n};
      stack_cut(&s, 3);
      sinew_svd_find(&s.rows, NULL, &svd);
      assert_int_equal(svd.count, least_of(m, n));
      for (int i = 0; i < svd.count; ++i) {
        assert_true(svd.sigma[i] == 0.0);
      }
      sinew_svd_project(&svd, s.e, a);
      sinew_svd_combine(&svd, a, x);
      for (int j = 0; j < n; ++j) {
        assert_true(x[j] == 0.0);
      }
    }
  }
  free(memory);
}

// The earlier contents of scratch do not change any bit.
static void same_rows_give_the_same_bits(void **state) {
  (void)state;
  random_stream random = random_stream_of(208);
  sinew_svd one, two;
  void *first, *second;
  STACK_SCRATCH(first, sinew_svd_layout(&arena, MOST, MOST, &one));
  STACK_SCRATCH(second, sinew_svd_layout(&arena, MOST, MOST, &two));
  for (int round = 0; round < 100; ++round) {
    static stack s, other;
    stack_random(&s, &random, 6, 7, 3, 0.3);
    stack_random(&other, &random, 12, 11, 3, 0.0);
    sinew_svd_find(&other.rows, NULL, &two);
    sinew_svd_find(&s.rows, NULL, &one);
    sinew_svd_find(&s.rows, NULL, &two);
    assert_memory_equal(one.sigma, two.sigma, 6 * sizeof(double));
    assert_memory_equal(one.left, two.left, 36 * sizeof(double));
    assert_memory_equal(one.right, two.right, 42 * sizeof(double));
  }
  free(first);
  free(second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eigenvalues_agree_with_lapack),
      cmocka_unit_test(singular_values_agree_with_lapack),
      cmocka_unit_test(scratch_of_the_documented_size_is_enough),
      cmocka_unit_test(small_singular_values_keep_their_digits),
      cmocka_unit_test(graded_and_repeated_rows),
      cmocka_unit_test(squares_may_overflow),
      cmocka_unit_test(bounded_columns_count_as_zero),
      cmocka_unit_test(empty_matrices),
      cmocka_unit_test(same_rows_give_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
