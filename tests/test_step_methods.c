// The transpose; bounds, clamps and extreme numbers for all steps of Buss 2009: against their
// definitions, and where other programs are wrong. The pseudoinverse and SDLS have tests of their
// own.
#include "step_scratch.h"

#include "inspect.h"

// ---------------------------------------------------------------- transpose

// The formula in long double; J x does not move away from e, and no other length of this step
// leaves a smaller error.
// req: D1 D2
static void transpose_matches_its_formula(void **state) {
  (void)state;
  random_stream random = random_stream_of(301);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 1000; ++round) {
    static stack s;
    double gains[N], x[N], moved[M];
    stack_random(&s, &random, 1 + random_below(&random, 12), 1 + random_below(&random, 25),
                 1 + random_below(&random, 6), 0.2);
    long double f[M] = {0.0L}, ef = 0.0L, ff = 0.0L;
    for (int j = 0; j < s.n; ++j) {
      gains[j] = round % 2 == 0 ? 1.0 : random_between(&random, 0.0, 3.0);
      for (int i = 0; i < s.m; ++i) {
        f[i] += (long double)s.J[i * s.n + j] * gains[j] * s.gradient[j];
      }
    }
    for (int i = 0; i < s.m; ++i) {
      ef += f[i] * s.e[i];
      ff += f[i] * f[i];
    }
    transpose_step(&w, &s, round % 2 == 0 ? NULL : gains, x);
    const double alpha = ff > 0.0L ? (double)(ef / ff) : 0.0;
    assert_true(ff == 0.0L || alpha > 0.0);
    for (int j = 0; j < s.n; ++j) {
      const double expected = alpha * gains[j] * s.gradient[j];
      assert_near(x[j], expected, 1e-11 * (fabs(expected) + alpha));
    }
    stack_multiply(&s, x, moved);
    assert_true(dot(s.m, moved, s.e) >= 0.0); // <J J^T e, e> >= 0
    for (int i = 0; i < s.m; ++i) {
      s.e[i] -= moved[i];
    }
    assert_near(dot(s.m, moved, s.e), 0.0, 1e-12 * (1.0 + dot(s.m, moved, moved)));
  }
  scratches_free(&w);
}

// Virtual work is the same at the effectors and at the joints: <F, J x> = <J^T F, x>.
// req: D2
static void virtual_work_is_the_same(void **state) {
  (void)state;
  random_stream random = random_stream_of(302);
  for (int round = 0; round < 300; ++round) {
    static stack s;
    double x[N], torque[N], moved[M] = {0.0};
    stack_random(&s, &random, 1 + random_below(&random, 12), 1 + random_below(&random, 25),
                 1 + random_below(&random, 6), 0.3);
    for (int j = 0; j < s.n; ++j) {
      x[j] = random_between(&random, -1.0, 1.0);
    }
    sinew_rows_gradient(&s.rows, s.e, torque);
    sinew_rows_subtract(&s.rows, x, moved); // -J x
    assert_near(dot(s.m, s.e, moved), -dot(s.n, torque, x), 1e-13 * s.m * s.n);
  }
}

// The target at the effector, and beyond a straight chain, in any direction: J^T e is 0, or its
// rounding. Buss's program divides by it.
// req: D1
static void transpose_is_zero_where_the_gradient_vanishes(void **state) {
  (void)state;
  scratches w;
  scratches_make(&w, M, N);
  random_stream random = random_stream_of(303);
  double x[N];
  static stack s;
  for (int round = 0; round < 2000; ++round) {
    const int n = 1 + random_below(&random, 10);
    double angles[N] = {0.0};
    angles[0] = round % 3 == 0 ? 0.0 : random_between(&random, -3.0, 3.0);
    planar_chain(&s, n, angles);
    const double far = round % 5 == 0 ? 0.0 : pow(10.0, random_between(&random, -8.0, 8.0));
    s.e[0] = far * cos(angles[0]);
    s.e[1] = far * sin(angles[0]);
    s.e[2] = 0.0;
    stack_cut(&s, 3);
    transpose_step(&w, &s, NULL, x);
    for (int j = 0; j < n; ++j) {
      assert_true(x[j] == 0.0);
    }
  }
  scratches_free(&w);
}

// J = [a b] with b nearly -a, e normal to both up to rounding: the rounding of J^T e is where J
// vanishes, and <e, f> / <f, f> alone would be a step of 1e15.
// req: D1
static void transpose_ignores_rounding(void **state) {
  (void)state;
  scratches w;
  scratches_make(&w, M, N);
  static stack s;
  double x[2];
  s = (stack){.m = 2, .n = 2, .J = {1.0, 1.0, 1e-17, -1e-17}, .e = {0.0, 1.0}};
  stack_cut(&s, 2);
  transpose_step(&w, &s, NULL, x);
  assert_true(x[0] == 0.0 && x[1] == 0.0);
  scratches_free(&w);
}

// ------------------------------------------------------- bounds and extremes

// Columns at a bound that would leave it stay; the others are what they are without those columns.
// req: E5
static void active_bounds_are_kept_and_the_rest_solved_again(void **state) {
  (void)state;
  random_stream random = random_stream_of(312);
  scratches w;
  scratches_make(&w, M, N);
  int holds = 0;
  for (int round = 0; round < 600; ++round) {
    static stack s, reduced;
    double lower[N], upper[N], x[N], expected[N];
    stack_random(&s, &random, 1 + random_below(&random, 6), 1 + random_below(&random, 9), 3, 0.0);
    for (int j = 0; j < s.n; ++j) {
      const int kind = random_below(&random, 5);
      lower[j] = kind == 0 || kind == 2 ? 0.0 : kind == 3 ? 0.05 : -INFINITY;
      upper[j] = kind == 1 || kind == 2 ? 0.0 : INFINITY;
    }
    const bool by_transpose = round % 2 == 0;
    const sinew_step_problem transpose = {
        .rows = &s.rows, .e = s.e, .gradient = s.gradient, .lower = lower, .upper = upper};
    const sinew_step_problem pseudo = {
        .rows = &s.rows, .e = s.e, .cut = 1e-6, .lower = lower, .upper = upper};
    const int rounds = by_transpose ? sinew_transpose_step(&transpose, &w.transpose, x)
                                    : sinew_pseudoinverse_step(&pseudo, &w.pseudo, x);
    signed char held[N];
    memcpy(held, by_transpose ? w.transpose.held : w.pseudo.held, (size_t)s.n);
    assert_true(rounds >= 1 && rounds <= s.n + 1);
    reduced = s;
    for (int j = 0; j < s.n; ++j) {
      assert_true(!(lower[j] >= 0.0 && x[j] < lower[j]) && !(upper[j] <= 0.0 && x[j] > upper[j]));
      assert_true(held[j] == 0 || x[j] == (held[j] < 0 ? lower[j] : upper[j]));
      holds += held[j] != 0;
      for (int i = 0; i < s.m && held[j] != 0; ++i) {
        reduced.e[i] -= s.J[i * s.n + j] * x[j];
        reduced.J[i * s.n + j] = 0.0;
      }
    }
    stack_cut(&reduced, 3);
    if (by_transpose) {
      transpose_step(&w, &reduced, NULL, expected);
    } else {
      stack_lapack_least_squares(&reduced, 1e-6, expected);
    }
    for (int j = 0; j < s.n; ++j) {
      assert_near(held[j] == 0 ? x[j] : 0.0, expected[j], 1e-9 * (1.0 + fabs(expected[j])));
    }
  }
  assert_true(holds > 500);
  scratches_free(&w);
}

// The bound of a column decides which side is outward, and nothing else does.
// req: E5
static void only_outward_bounds_become_active(void **state) {
  (void)state;
  const double lower[6] = {0.0, 0.0, -1.0, 0.2, -3.0, 0.0};
  const double upper[6] = {1.0, 1.0, 1.0, 3.0, -0.2, 0.0};
  signed char held[6] = {0, 0, 0, 0, 0, 1};
  double x[6] = {-0.5, 0.5, -5.0, 0.1, 0.1, 0.7}; // the last is kept where it is
  assert_true(sinew_hold_outward(6, lower, upper, held, x));
  const signed char expected[6] = {-1, 0, 0, -1, 1, 1};
  assert_memory_equal(held, expected, sizeof held);
  assert_true(x[0] == 0.0 && x[1] == 0.5 && x[2] == -5.0 && x[3] == 0.2 && x[4] == -0.2);
  assert_true(x[5] == 0.7);
  assert_false(sinew_hold_outward(6, lower, upper, held, x));
  assert_false(sinew_hold_outward(6, NULL, NULL, held, x));
}

// Finite inputs give finite results: sizes from 1e-150 to 1e150 of J and of e, J = 0, no rows, no
// active columns.
// req: D1 D3
static void extreme_numbers_stay_finite(void **state) {
  (void)state;
  static const double sizes[] = {0.0, 1e-300, 1e-150, 1e-20, 1.0, 1e20, 1e150};
  random_stream random = random_stream_of(313);
  scratches w;
  scratches_make(&w, M, N);
  for (int round = 0; round < 49 * 20; ++round) {
    static stack s;
    double x[N], y[N];
    stack_random(&s, &random, random_below(&random, 8), random_below(&random, 8), 3, 0.3);
    for (int i = 0; i < s.m * s.n; ++i) {
      s.J[i] *= sizes[round % 7];
    }
    for (int i = 0; i < s.m; ++i) {
      s.e[i] *= sizes[round / 7 % 7];
    }
    stack_cut(&s, 3);
    transpose_step(&w, &s, NULL, x);
    pseudoinverse_step(&w, &s, 1e-6, round % 2 == 0, y);
    for (int j = 0; j < s.n; ++j) {
      assert_false(isnan(x[j]) || isnan(y[j]));
      assert_true(sizes[round % 7] != 0.0 || (x[j] == 0.0 && y[j] == 0.0));
    }
  }
  scratches_free(&w);
}

// ------------------------------------------------------------------- clamps

// ClampMag scales one effector's rows and leaves the others' bits: the second of three, that is
// rows 3 to 5. Buss's program scales rows 1 to 3 instead.
// req: C3 D9
static void errors_are_clamped_per_effector(void **state) {
  (void)state;
  double e[9] = {3.0, 4.0, 12.0, 0.6, -0.8, 0.0, 7.0, 8.0, 9.0};
  const double before[9] = {3.0, 4.0, 12.0, 0.6, -0.8, 0.0, 7.0, 8.0, 9.0};
  sinew_clamp_magnitude(3, 0.5, e + 3);
  assert_near(e[3], 0.3, 1e-16);
  assert_near(e[4], -0.4, 1e-16);
  assert_true(e[5] == 0.0);
  assert_memory_equal(e, before, 3 * sizeof(double));
  assert_memory_equal(e + 6, before + 6, 3 * sizeof(double));
  sinew_clamp_magnitude(3, 13.0, e); // exactly its length
  sinew_clamp_magnitude(3, INFINITY, e + 6);
  assert_memory_equal(e, before, 3 * sizeof(double));
  assert_memory_equal(e + 6, before + 6, 3 * sizeof(double));
  double slanted[3] = {0.8, 0.8, 0.0}; // longer than 1, though no entry is
  sinew_clamp_magnitude(3, 1.0, slanted);
  assert_near(slanted[0], sqrt(0.5), 1e-15);
  assert_near(slanted[1], sqrt(0.5), 1e-15);
  double zero[3] = {0.0, 0.0, 0.0}, huge[3] = {3e200, 0.0, -4e200}, tiny[3] = {3e-200, 0.0, 4e-200};
  sinew_clamp_magnitude(3, 0.0, zero);
  assert_true(zero[0] == 0.0 && zero[1] == 0.0 && zero[2] == 0.0);
  sinew_clamp_magnitude(3, 1.0, huge);
  assert_near(huge[0], 0.6, 1e-15);
  assert_near(huge[2], -0.8, 1e-15);
  sinew_clamp_magnitude(3, 1e-200, tiny);
  assert_near(tiny[0] * 1e200, 0.6, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transpose_matches_its_formula),
      cmocka_unit_test(virtual_work_is_the_same),
      cmocka_unit_test(transpose_is_zero_where_the_gradient_vanishes),
      cmocka_unit_test(transpose_ignores_rounding),
      cmocka_unit_test(active_bounds_are_kept_and_the_rest_solved_again),
      cmocka_unit_test(only_outward_bounds_become_active),
      cmocka_unit_test(extreme_numbers_stay_finite),
      cmocka_unit_test(errors_are_clamped_per_effector),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
