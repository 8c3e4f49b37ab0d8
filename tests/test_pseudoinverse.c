// The pseudoinverse against LAPACK and against its defining properties.
#include "step_scratch.h"

#include "inspect.h"

#include <float.h>
#include <lapacke.h>

// Any rank; m < n, m > n, m = n.
// req: D3 D4
static void pseudoinverse_agrees_with_lapack(void **state) {
  (void)state;
  random_stream random = random_stream_of(304);
  scratches w;
  scratches_make(&w, M, N);
  int deficient = 0, tall = 0, wide = 0;
  for (int round = 0; round < 1500; ++round) {
    static stack s;
    double sigma[M], x[N], spectral[N], expected[N];
    const int m = 1 + random_below(&random, 12), n = 1 + random_below(&random, 16);
    const int p = m < n ? m : n, kept = 1 + random_below(&random, p);
    for (int i = 0; i < p; ++i) {
      sigma[i] = round % 2 == 0 || i < kept ? random_between(&random, 0.05, 1.0) : 0.0;
      deficient += sigma[i] == 0.0;
    }
    stack_of_singular_values(&s, &random, m, n, 3, sigma);
    pseudoinverse_step(&w, &s, 1e-6, false, x);
    pseudoinverse_step(&w, &s, 1e-6, true, spectral);
    stack_lapack_least_squares(&s, 1e-6, expected);
    const double scale = 1.0 + stack_length(n, expected);
    assert_at_most(farthest(n, x, expected), 1e-11 * scale);
    assert_at_most(farthest(n, spectral, expected), 1e-11 * scale);
    tall += m > n;
    wide += m < n;
  }
  assert_true(deficient > 100 && tall > 100 && wide > 100);
  scratches_free(&w);
}

// Singular values below a fraction of the largest are dropped, though the other rows are far from
// singular; with a smaller fraction none is dropped. For J of any scale.
// req: D4
static void small_singular_values_are_cut_off(void **state) {
  (void)state;
  random_stream random = random_stream_of(314);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 300; ++round) {
    static stack s;
    double x[N], expected[N];
    const double size = pow(10.0, random_between(&random, -4.0, 4.0));
    const double sigma[4] = {size, 0.9 * size, 0.15 * size, 0.1 * size};
    const int longer = 4 + random_below(&random, 5);
    const double cut = (const double[]){0.05, 0.12, 0.5}[round % 3];
    stack_of_singular_values(&s, &random, round % 2 == 0 ? 4 : longer, round % 2 == 0 ? longer : 4,
                             3, sigma);
    pseudoinverse_step(&w, &s, cut, false, x);
    stack_lapack_least_squares(&s, cut, expected);
    assert_at_most(farthest(s.n, x, expected), 1e-12 * stack_length(s.n, expected));
  }
  scratches_free(&w);
}

// A matrix far from singular is solved by factoring the smaller product, wide or tall: no singular
// values are computed.
// req: D3
static void regular_matrices_are_factored(void **state) {
  (void)state;
  random_stream random = random_stream_of(315);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 100; ++round) {
    static stack s;
    double x[N];
    const double sigma[4] = {1.0, 0.9, 0.5, round % 4 < 2 ? 0.3 : 0.0};
    const int longer = 5 + random_below(&random, 5);
    stack_of_singular_values(&s, &random, round % 2 == 0 ? 4 : longer, round % 2 == 0 ? longer : 4,
                             3, sigma);
    w.pseudo.svd.count = -1;
    pseudoinverse_step(&w, &s, 1e-6, false, x);
    assert_int_equal(w.pseudo.svd.count, round % 4 < 2 ? -1 : 4);
  }
  scratches_free(&w);
}

// A^+ (n x m), a column for each unit error.
static void pseudoinverse_matrix(scratches *w, const stack *s, bool spectral, double *P) {
  static stack unit;
  unit = *s;
  for (int i = 0; i < s->m; ++i) {
    double x[N];
    for (int k = 0; k < s->m; ++k) {
      unit.e[k] = k == i;
    }
    stack_cut(&unit, 3);
    pseudoinverse_step(w, &unit, 1e-6, spectral, x);
    for (int j = 0; j < s->n; ++j) {
      P[j * s->m + i] = x[j];
    }
  }
}

// C (a x c) = A (a x b) B (b x c)
static void multiply(int a, int b, int c, const double *A, const double *B, double *C) {
  for (int i = 0; i < a; ++i) {
    for (int j = 0; j < c; ++j) {
      C[i * c + j] = 0.0;
      for (int k = 0; k < b; ++k) {
        C[i * c + j] += A[i * b + k] * B[k * c + j];
      }
    }
  }
}

static void assert_symmetric(int size, const double *A) {
  for (int i = 0; i < size * size; ++i) {
    assert_near(A[i], A[i % size * size + i / size], 1e-11);
  }
}

static void matrix_random(stack *s, random_stream *random, int round) {
  double sigma[M];
  const int m = 1 + random_below(random, 9), n = 1 + random_below(random, 9);
  const int p = m < n ? m : n, kept = 1 + random_below(random, p);
  for (int i = 0; i < p; ++i) {
    sigma[i] = round % 2 == 0 || i < kept ? random_between(random, 0.2, 1.0) : 0.0;
  }
  stack_of_singular_values(s, random, m, n, 3, sigma);
}

// A A+ A = A, A+ A A+ = A+, A A+ and A+ A symmetric.
// req: D3
static void penrose_axioms_hold(void **state) {
  (void)state;
  random_stream random = random_stream_of(305);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 300; ++round) {
    static stack s;
    static double P[M * N], AP[M * M], PA[N * N], A[M * N], Q[N * M];
    matrix_random(&s, &random, round / 2);
    pseudoinverse_matrix(&w, &s, round % 2 == 0, P);
    multiply(s.m, s.n, s.m, s.J, P, AP);
    multiply(s.n, s.m, s.n, P, s.J, PA);
    multiply(s.m, s.m, s.n, AP, s.J, A);
    multiply(s.n, s.n, s.m, PA, P, Q);
    assert_at_most(farthest(s.m * s.n, A, s.J), 1e-11);
    assert_at_most(farthest(s.m * s.n, Q, P), 1e-11);
    assert_symmetric(s.m, AP);
    assert_symmetric(s.n, PA);
  }
  scratches_free(&w);
}

// (A+)+ = A and (A+)^T = (A^T)+.
// req: D3
static void pseudoinverse_of_pseudoinverse_and_of_transpose(void **state) {
  (void)state;
  random_stream random = random_stream_of(306);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 300; ++round) {
    static stack s, other;
    static double P[M * N], PP[M * N], PT[M * N];
    matrix_random(&s, &random, round);
    pseudoinverse_matrix(&w, &s, false, P);
    other = (stack){.m = s.n, .n = s.m};
    memcpy(other.J, P, sizeof P);
    pseudoinverse_matrix(&w, &other, false, PP);
    assert_at_most(farthest(s.m * s.n, PP, s.J), 1e-10);
    for (int i = 0; i < s.m * s.n; ++i) {
      other.J[i] = s.J[i % s.m * s.n + i / s.m];
    }
    pseudoinverse_matrix(&w, &other, false, PT);
    for (int i = 0; i < s.m * s.n; ++i) {
      assert_near(PT[i], P[i % s.n * s.m + i / s.n], 1e-11);
    }
  }
  scratches_free(&w);
}

// A = [1 0], B = [1; 1]: (A B)+ = 1, B+ A+ = 1/2.
// req: D3
static void pseudoinverse_of_a_product_differs(void **state) {
  (void)state;
  scratches w;
  scratches_make(&w, M, N);
  static stack a, b, ab;
  double pa[2], pb[2], pab[1], product[1];
  a = (stack){.m = 1, .n = 2, .J = {1.0, 0.0}};
  b = (stack){.m = 2, .n = 1, .J = {1.0, 1.0}};
  ab = (stack){.m = 1, .n = 1, .J = {1.0}};
  pseudoinverse_matrix(&w, &a, false, pa);
  pseudoinverse_matrix(&w, &b, false, pb);
  pseudoinverse_matrix(&w, &ab, false, pab);
  multiply(1, 2, 1, pb, pa, product);
  assert_near(pab[0], 1.0, 1e-15);
  assert_near(product[0], 0.5, 1e-15);
  scratches_free(&w);
}

// 3 x 7: J^T J is singular, though a source uses it; J^T (J J^T)^-1 is right.
// req: D3
static void wide_rows_need_the_other_product(void **state) {
  (void)state;
  random_stream random = random_stream_of(307);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 50; ++round) {
    static stack s;
    double H[49], factor[49], x[N], moved[M], least = 1.0;
    int index[7] = {0, 1, 2, 3, 4, 5, 6};
    stack_random(&s, &random, 3, 7, 3, 0.0);
    sinew_rows_inner(&s.rows, index, 7, H);
    const bool definite = sinew_ldlt_factor(7, H, 0.0, factor);
    for (int i = 0; definite && i < 7; ++i) {
      least = fmin(least, 1.0 / factor[i * 7 + i]);
    }
    assert_true(!definite || least < 1e-13);
    pseudoinverse_step(&w, &s, 1e-6, false, x);
    stack_multiply(&s, x, moved);
    assert_at_most(farthest(3, moved, s.e), 1e-9 * (1.0 + stack_length(7, x)));
  }
  scratches_free(&w);
}

// Of all minimizers of the error the one of minimum norm: adding a vector of the null space makes
// it longer, any other change increases the error.
// req: D4
static void pseudoinverse_has_the_minimum_norm(void **state) {
  (void)state;
  random_stream random = random_stream_of(308);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 400; ++round) {
    static stack s;
    double x[N], aside[N], moved[M], residual[M], shift[M];
    matrix_random(&s, &random, round);
    pseudoinverse_step(&w, &s, 1e-6, false, x);
    stack_multiply(&s, x, moved);
    for (int i = 0; i < s.m; ++i) {
      residual[i] = s.e[i] - moved[i];
    }
    for (int j = 0; j < s.n; ++j) {
      aside[j] = random_between(&random, -1.0, 1.0);
    }
    stack_multiply(&s, aside, shift);
    // the residual is orthogonal to the range of J
    assert_near(dot(s.m, residual, shift), 0.0, 1e-11);
    // x is orthogonal to the null space
    static stack image;
    image = s;
    double seen[N];
    memcpy(image.e, shift, sizeof shift);
    stack_cut(&image, 3);
    stack_lapack_least_squares(&image, 1e-6, seen);
    for (int j = 0; j < s.n; ++j) {
      aside[j] -= seen[j];
    }
    assert_near(dot(s.n, x, aside), 0.0, 1e-10 * (1.0 + stack_length(s.n, x)));
  }
  scratches_free(&w);
}

// A straight arm pulled along its own line: no motion. An almost straight one: a large motion, as 1
// / bend, unless small singular values are cut off; clamping keeps its direction.
// req: D4 D12
static void singular_arm_stays_and_nearly_singular_arm_jumps(void **state) {
  (void)state;
  scratches w;
  scratches_make(&w, M, N);
  double before = 0.0;
  for (int k = 0; k <= 6; ++k) {
    const double bend = k == 0 ? 0.0 : pow(10.0, k - 7.0); // 0, 1e-6 .. 0.1
    static stack s;
    double x[3], cut_off[3];
    planar_chain(&s, 3, (const double[]){0.0, bend, -bend});
    s.e[0] = 0.1;
    s.e[1] = s.e[2] = 0.0;
    stack_cut(&s, 3);
    pseudoinverse_step(&w, &s, 1e-9, false, x);
    pseudoinverse_step(&w, &s, 0.2, false, cut_off);
    const double length = stack_length(3, x);
    if (k == 0) {
      assert_near(length, 0.0, 1e-15);
    } else {
      // x must be across (3, 2, 1) and along (b, b, 0): 0.1 / (b sqrt(2 - 25 / 14))
      assert_near(length * bend, 0.1 / sqrt(3.0 / 14.0), 0.005);
      assert_true(before == 0.0 || length < 0.2 * before);
      before = length;
      double clamped[3] = {x[0], x[1], x[2]};
      sinew_clamp_max_abs(3, 0.01, clamped);
      for (int j = 0; j < 3; ++j) {
        assert_true(fabs(clamped[j]) <= 0.01 * (1.0 + DBL_EPSILON));
        assert_near(clamped[j] * length, x[j] * stack_length(3, clamped), 1e-12 * length);
      }
    }
    assert_true(stack_length(3, cut_off) < 0.1);
  }
  scratches_free(&w);
}

// x from (J^T J) x = J^T e by elimination, as in the report's eq. 8.
static void normal_equations(const stack *s, double *x) {
  double H[N * N];
  lapack_int pivots[N];
  for (int i = 0; i < s->n; ++i) {
    for (int j = 0; j < s->n; ++j) {
      H[i * s->n + j] = 0.0;
      for (int k = 0; k < s->m; ++k) {
        H[i * s->n + j] += s->J[k * s->n + i] * s->J[k * s->n + j];
      }
    }
  }
  memcpy(x, s->gradient, (size_t)s->n * sizeof(double));
  assert_true(LAPACKE_dgesv(LAPACK_ROW_MAJOR, s->n, 1, H, s->n, pivots, x, 1) >= 0);
}

// Normal equations agree where J is far from singular, and lose the digits that they square where
// it is not; the library does not use them there.
// req: D5
static void normal_equations_fail_near_a_singularity(void **state) {
  (void)state;
  random_stream random = random_stream_of(309);
  scratches w;
  scratches_make(&w, M, N);
  double worst_normal = 0.0, worst_ours = 0.0;
  for (int round = 0; round < 200; ++round) {
    const bool near = round % 2 == 1;
    static stack s;
    double x[N], normal[N], meant[N], sigma[5] = {1.0, 0.8, 0.6, 0.5, near ? 1e-7 : 0.4};
    stack_of_singular_values(&s, &random, 8, 5, 3, sigma);
    for (int j = 0; j < 5; ++j) {
      meant[j] = random_between(&random, -1.0, 1.0);
    }
    stack_multiply(&s, meant, s.e);
    stack_cut(&s, 3);
    normal_equations(&s, normal);
    pseudoinverse_step(&w, &s, 1e-12, false, x);
    if (near) {
      worst_normal = fmax(worst_normal, farthest(5, normal, meant));
      worst_ours = fmax(worst_ours, farthest(5, x, meant));
    } else {
      assert_at_most(farthest(5, normal, meant), 1e-13);
      assert_at_most(farthest(5, x, meant), 1e-13);
    }
  }
  assert_true(worst_normal > 1e-4);
  assert_at_most(worst_ours, 1e-7);
  scratches_free(&w);
}

// The sum over singular values with damping equals the factored forms of DLS; without, the
// pseudoinverse.
// req: D8
static void sums_over_singular_values_agree_with_factors(void **state) {
  (void)state;
  random_stream random = random_stream_of(310);
  scratches w;
  scratches_make(&w, M, N);
  sinew_dls_scratch dls;
  void *memory;
  STACK_SCRATCH(
      memory, sinew_dls_layout(
                  &arena, &(sinew_step_size){.m = M, .n = N, .form = SINEW_SYSTEM_STACKED}, &dls));
  for (int round = 0; round < 600; ++round) {
    static stack s;
    double x[N], damped[N], plain[N], factored[N], work[2 * M];
    matrix_random(&s, &random, round);
    const double lambda = pow(10.0, random_between(&random, -3.0, 1.0));
    const sinew_step_problem problem = {
        .rows = &s.rows, .e = s.e, .mu = lambda * lambda, .form = SINEW_SYSTEM_STACKED};
    memset(dls.held, 0, N);
    sinew_dls_solve(&problem, &dls, x);
    sinew_svd_find(&s.rows, NULL, &w.pseudo.svd);
    sinew_pseudoinverse_apply(&w.pseudo.svd, s.e, 0.0, lambda * lambda, work, damped);
    // noise of J is amplified by 1 / lambda^2 at most
    assert_at_most(farthest(s.n, damped, x), 1e-12 + 1e-14 / (lambda * lambda));
    sinew_pseudoinverse_apply(&w.pseudo.svd, s.e, 1e-6, 0.0, work, plain);
    pseudoinverse_step(&w, &s, 1e-6, false, factored);
    assert_at_most(farthest(s.n, plain, factored), 1e-11 * (1.0 + stack_length(s.n, plain)));
  }
  free(memory);
  scratches_free(&w);
}

// The gain of one direction: 1 / sigma where sigma is large, sigma / lambda^2 where small, at most
// 1 / (2 lambda), at sigma = lambda; without damping 1 / sigma.
// req: D8
static void gain_peaks_at_lambda(void **state) {
  (void)state;
  scratches w;
  scratches_make(&w, M, N);
  const double lambda = 0.25;
  double peak = 0.0, peak_at = 0.0;
  for (int k = 1; k <= 4000; ++k) {
    static stack s;
    double x[2], work[4];
    const double sigma = k * 1e-3;
    s = (stack){.m = 1, .n = 2, .J = {0.6 * sigma, 0.8 * sigma}, .e = {1.0}};
    stack_cut(&s, 1);
    sinew_svd_find(&s.rows, NULL, &w.pseudo.svd);
    sinew_pseudoinverse_apply(&w.pseudo.svd, s.e, 0.0, lambda * lambda, work, x);
    const double gain = stack_length(2, x);
    assert_near(gain, sigma / (sigma * sigma + lambda * lambda), 1e-14);
    peak_at = gain > peak ? sigma : peak_at;
    peak = fmax(peak, gain);
    assert_true(k < 3900 || fabs(gain * sigma - 1.0) < 0.005);
    assert_true(k > 4 || fabs(gain * lambda * lambda / sigma - 1.0) < 0.005);
    sinew_pseudoinverse_apply(&w.pseudo.svd, s.e, 0.5, 0.0, work, x);
    assert_near(stack_length(2, x) * sigma, 1.0, 1e-14);
  }
  assert_near(peak, 1.0 / (2.0 * lambda), 1e-14);
  assert_near(peak_at, lambda, 1e-12);
  scratches_free(&w);
}

// min dq^T W dq under J dq = e is W^-1 J^T (J W^-1 J^T)^-1 e: rows J G with W^-1 = G G^T, x, and
// dq = G x. G diagonal (gains), and triangular: any W.
// req: D11
static void gains_weight_the_pseudoinverse(void **state) {
  (void)state;
  random_stream random = random_stream_of(311);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 300; ++round) {
    static stack s, scaled;
    double sigma[6], G[N * N], JV[M * N], K[M * M], y[M], x[N];
    const int m = 1 + random_below(&random, 6), n = m + random_below(&random, 6);
    lapack_int pivots[M];
    for (int i = 0; i < m; ++i) {
      sigma[i] = random_between(&random, 0.3, 1.0);
    }
    stack_of_singular_values(&s, &random, m, n, 3, sigma);
    for (int i = 0; i < n * n; ++i) {
      const bool below = i % n < i / n && round % 2 == 1;
      G[i] = i % n == i / n ? random_between(&random, 0.5, 2.0)
             : below        ? random_between(&random, -0.2, 0.2)
                            : 0.0;
    }
    scaled = s;
    multiply(m, n, n, s.J, G, scaled.J);
    stack_cut(&scaled, 3);
    pseudoinverse_step(&w, &scaled, 1e-9, false, x);
    // W^-1 = G G^T: K = J W^-1 J^T, y = K^-1 e
    double V[N * N];
    for (int i = 0; i < n * n; ++i) {
      V[i] = dot(n, G + i / n * n, G + i % n * n);
    }
    multiply(m, n, n, s.J, V, JV);
    for (int i = 0; i < m * m; ++i) {
      K[i] = dot(n, JV + i / m * n, s.J + i % m * n);
    }
    memcpy(y, s.e, sizeof y);
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, m, 1, K, m, pivots, y, 1), 0);
    for (int j = 0; j < n; ++j) {
      double expected = 0.0;
      for (int i = 0; i < m; ++i) {
        expected += JV[i * n + j] * y[i];
      }
      assert_near(dot(n, G + j * n, x), expected, 1e-10 * (1.0 + fabs(expected)));
    }
  }
  scratches_free(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pseudoinverse_agrees_with_lapack),
      cmocka_unit_test(small_singular_values_are_cut_off),
      cmocka_unit_test(regular_matrices_are_factored),
      cmocka_unit_test(penrose_axioms_hold),
      cmocka_unit_test(pseudoinverse_of_pseudoinverse_and_of_transpose),
      cmocka_unit_test(pseudoinverse_of_a_product_differs),
      cmocka_unit_test(wide_rows_need_the_other_product),
      cmocka_unit_test(pseudoinverse_has_the_minimum_norm),
      cmocka_unit_test(singular_arm_stays_and_nearly_singular_arm_jumps),
      cmocka_unit_test(normal_equations_fail_near_a_singularity),
      cmocka_unit_test(sums_over_singular_values_agree_with_factors),
      cmocka_unit_test(gain_peaks_at_lambda),
      cmocka_unit_test(gains_weight_the_pseudoinverse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
