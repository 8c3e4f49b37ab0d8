// Selectively damped least squares against its formulas, written down a second time with LAPACK's
// singular values, and its general properties.
#include "stack.h"

#include "inspect.h"

#include <float.h>

enum { M = STACK_MOST_M, N = STACK_MOST_N };
#define GAMMA_MAX 0.78539816339744828 // pi / 4
#define CUT 1e-10

typedef struct fixture {
  sinew_sdls_scratch sdls;
  void *memory;
} fixture;

static void fixture_make(fixture *f, int m, int n) {
  STACK_SCRATCH(f->memory, sinew_sdls_layout(&arena, &(sinew_step_size){.m = m, .n = n}, &f->sdls));
}

static void sdls_step(fixture *f, const stack *s, const int *split, double gamma_max, double cut,
                      double *x) {
  const sinew_step_problem problem = {
      .rows = &s->rows, .e = s->e, .split = split, .largest = gamma_max, .cut = cut};
  assert_int_equal(sinew_sdls_step(&problem, &f->sdls, x), 1);
}

// Points, one or several, wide and tall, sparse as a tree's are.
// req: D10
static void sdls_matches_its_formulas(void **state) {
  (void)state;
  random_stream random = random_stream_of(401);
  fixture f;
  fixture_make(&f, M, N);
  int clamped = 0, free_steps = 0;
  for (int round = 0; round < 1200; ++round) {
    static stack s;
    double x[N], expected[N];
    int rows[M][2];
    const int effectors = 1 + random_below(&random, 4);
    stack_random(&s, &random, 3 * effectors, 1 + random_below(&random, 25), 3,
                 round % 3 == 0 ? 0.4 : 0.0);
    const double far = pow(10.0, random_between(&random, -3.0, 1.0));
    const double unit = round % 4 < 2 ? 1.0 : pow(10.0, random_between(&random, -14.0, 14.0));
    for (int i = 0; i < s.m; ++i) {
      s.e[i] *= far * unit;
    }
    for (int i = 0; i < s.m * s.n; ++i) { // of J and of e alike
      s.J[i] *= unit;
    }
    stack_cut(&s, 3);
    for (int l = 0; l < effectors; ++l) {
      rows[l][0] = 3 * l;
      rows[l][1] = 3 * l + 3;
    }
    const double gamma_max = round % 2 == 0 ? GAMMA_MAX : random_between(&random, 0.05, 2.0);
    stack_lapack_sdls(&s, effectors, rows, gamma_max, CUT, NULL, expected);
    sdls_step(&f, &s, NULL, gamma_max, CUT, x);
    assert_at_most(farthest(s.n, x, expected), 1e-9 * gamma_max);
    clamped += stack_max_abs(s.n, x) > 0.999 * gamma_max;
    free_steps += stack_max_abs(s.n, x) < 0.5 * gamma_max;
  }
  assert_true(clamped > 50 && free_steps > 200);
  free(f.memory);
}

// A pose is two effectors: its position and its rotation. split is where the first ends, also with
// free axes; rows of one kind alone are one effector.
// req: D10
static void rotations_count_as_effectors(void **state) {
  (void)state;
  random_stream random = random_stream_of(402);
  fixture f;
  fixture_make(&f, M, N);
  int apart = 0;
  for (int round = 0; round < 600; ++round) {
    static stack s;
    double x[N], expected[N], other[N];
    int rows[M][2], split[4], effectors = 0;
    const int blocks = 1 + random_below(&random, 3), height = 1 + random_below(&random, 6);
    stack_random(&s, &random, height * blocks, 4 + random_below(&random, 12), height, 0.1);
    for (int b = 0; b < blocks; ++b) {
      const int begin = height * b, end = begin + height;
      split[b] = round % 2 == 0 ? 3 : random_below(&random, height + 1);
      const int middle = split[b] < height ? begin + split[b] : end;
      rows[effectors][0] = begin;
      rows[effectors++][1] = middle;
      rows[effectors][0] = middle;
      rows[effectors++][1] = end;
    }
    stack_lapack_sdls(&s, effectors, rows, GAMMA_MAX, CUT, NULL, expected);
    sdls_step(&f, &s, round % 2 == 0 ? NULL : split, GAMMA_MAX, CUT, x);
    assert_at_most(farthest(s.n, x, expected), 1e-9);
    // one effector a block gives another step: the split does matter
    for (int b = 0; b < blocks; ++b) {
      rows[b][0] = height * b;
      rows[b][1] = height * b + height;
    }
    stack_lapack_sdls(&s, blocks, rows, GAMMA_MAX, CUT, NULL, other);
    apart += farthest(s.n, other, expected) > 1e-3;
  }
  assert_true(apart > 50);
  free(f.memory);
}

// Rank loss: the directions that J cannot make are dropped, and the others follow the formulas.
// req: D10 D4
static void sdls_where_rank_is_lost(void **state) {
  (void)state;
  random_stream random = random_stream_of(403);
  fixture f;
  fixture_make(&f, M, N);
  for (int round = 0; round < 400; ++round) {
    static stack s;
    double x[N], expected[N], sigma[M];
    int rows[M][2];
    const int effectors = 1 + random_below(&random, 3), n = 2 + random_below(&random, 10);
    const int p = 3 * effectors < n ? 3 * effectors : n, kept = 1 + random_below(&random, p);
    const double cut = round % 2 == 0 ? CUT : 0.45; // 1 / (1 + i / 2) is 0.5, then 0.4
    for (int i = 0; i < p; ++i) { // well separated, so that LAPACK's vectors are the same
      sigma[i] = i < kept ? 1.0 / (1.0 + 0.5 * i) : 0.0;
    }
    stack_of_singular_values(&s, &random, 3 * effectors, n, 3, sigma);
    for (int l = 0; l < effectors; ++l) {
      rows[l][0] = 3 * l;
      rows[l][1] = 3 * l + 3;
    }
    stack_lapack_sdls(&s, effectors, rows, GAMMA_MAX, cut, NULL, expected);
    sdls_step(&f, &s, NULL, GAMMA_MAX, cut, x);
    assert_at_most(farthest(n, x, expected), 1e-9);
  }
  free(f.memory);
}

// A small error is not damped: the step is the pseudoinverse's.
// req: D10
static void small_errors_are_not_damped(void **state) {
  (void)state;
  random_stream random = random_stream_of(404);
  fixture f;
  fixture_make(&f, M, N);
  for (int round = 0; round < 300; ++round) {
    static stack s;
    double x[N], expected[N];
    stack_random(&s, &random, 6, 7 + random_below(&random, 5), 3, 0.2);
    for (int i = 0; i < s.m; ++i) {
      s.e[i] *= 1e-9;
    }
    stack_cut(&s, 3);
    stack_lapack_least_squares(&s, 1e-4, expected);
    if (stack_max_abs(s.n, expected) > 1e-6) {
      continue; // nearly singular
    }
    sdls_step(&f, &s, NULL, GAMMA_MAX, CUT, x);
    assert_at_most(farthest(s.n, x, expected), 1e-11 * stack_max_abs(s.n, expected) + 1e-24);
  }
  free(f.memory);
}

// One joint at a distance r from one effector: N = 1, M = 1; x = e / r, at most gamma_max.
// req: D10
static void one_joint_by_hand(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f, 3, 1);
  for (int k = -20; k <= 20; ++k) {
    static stack s;
    double x;
    s = (stack){.m = 3, .n = 1, .J = {0.0, 2.0, 0.0}, .e = {5.0, 0.1 * k, -7.0}};
    stack_cut(&s, 3);
    sdls_step(&f, &s, NULL, 0.6, CUT, &x);
    assert_near(x, fmin(fmax(0.05 * k, -0.6), 0.6), 1e-15);
  }
  free(f.memory);
}

// Whatever the error, no joint moves by more than gamma_max; without an error, or where nothing can
// move, none moves. The result is finite for numbers of any size.
// req: D10 D12
static void steps_are_bounded_and_finite(void **state) {
  (void)state;
  static const double sizes[] = {0.0, 1e-300, 1e-150, 1e-20, 1.0, 1e20, 1e150};
  random_stream random = random_stream_of(405);
  for (int round = 0; round < 49 * 20; ++round) {
    static stack s;
    double x[N];
    stack_random(&s, &random, random_below(&random, 10), random_below(&random, 10), 3, 0.3);
    for (int i = 0; i < s.m * s.n; ++i) {
      s.J[i] *= sizes[round % 7];
    }
    for (int i = 0; i < s.m; ++i) {
      s.e[i] *= sizes[round / 7 % 7];
    }
    stack_cut(&s, 3);
    fixture f; // the first step with new scratch
    fixture_make(&f, s.m, s.n);
    sdls_step(&f, &s, NULL, GAMMA_MAX, CUT, x);
    for (int j = 0; j < s.n; ++j) {
      assert_true(fabs(x[j]) <= GAMMA_MAX * (1.0 + 2.0 * DBL_EPSILON));
      assert_true((sizes[round % 7] != 0.0 && sizes[round / 7 % 7] != 0.0) || x[j] == 0.0);
    }
    free(f.memory);
  }
}

// The step grows with the error without a jump: the last clamp in the program of the paper's
// authors halves the step at gamma_max.
// req: D10 D12
static void last_clamp_is_continuous(void **state) {
  (void)state;
  random_stream random = random_stream_of(406);
  fixture f;
  fixture_make(&f, M, N);
  for (int round = 0; round < 40; ++round) {
    static stack s;
    double x[N], before = 0.0, e[M];
    stack_random(&s, &random, 6, 7, 3, 0.2);
    memcpy(e, s.e, sizeof e);
    for (int k = 1; k <= 2000; ++k) {
      const double share = pow(10.0, -3.0 + 5.0 * k / 2000.0);
      for (int i = 0; i < s.m; ++i) {
        s.e[i] = share * e[i];
      }
      stack_cut(&s, 3);
      sdls_step(&f, &s, NULL, GAMMA_MAX, CUT, x);
      const double now = stack_max_abs(s.n, x);
      assert_true(k == 1 || fabs(now - before) < 0.02 * GAMMA_MAX);
      before = now;
    }
  }
  free(f.memory);
}

// Columns at a bound that would leave it stay, and the others are computed without those columns.
// req: D10 E5
static void active_bounds_are_kept(void **state) {
  (void)state;
  random_stream random = random_stream_of(407);
  fixture f;
  fixture_make(&f, M, N);
  int holds = 0;
  for (int round = 0; round < 300; ++round) {
    static stack s, reduced;
    double x[N], expected[N], lower[N], upper[N];
    int rows[2][2] = {{0, 3}, {3, 6}};
    stack_random(&s, &random, 6, 9, 3, 0.2);
    for (int j = 0; j < s.n; ++j) {
      lower[j] = random_below(&random, 3) == 0 ? 0.0 : -INFINITY;
      upper[j] = random_below(&random, 3) == 0 ? 0.0 : INFINITY;
    }
    const sinew_step_problem problem = {.rows = &s.rows,
                                        .e = s.e,
                                        .largest = GAMMA_MAX,
                                        .cut = CUT,
                                        .lower = lower,
                                        .upper = upper};
    const int rounds = sinew_sdls_step(&problem, &f.sdls, x);
    assert_true(rounds >= 1 && rounds <= s.n + 1);
    reduced = s;
    for (int j = 0; j < s.n; ++j) {
      assert_true(x[j] >= lower[j] && x[j] <= upper[j]);
      for (int i = 0; i < s.m && f.sdls.held[j] != 0; ++i) {
        reduced.J[i * s.n + j] = 0.0;
      }
      holds += f.sdls.held[j] != 0;
    }
    stack_cut(&reduced, 3);
    stack_lapack_sdls(&reduced, 2, rows, GAMMA_MAX, CUT, NULL, expected);
    assert_at_most(farthest(s.n, x, expected), 1e-8);
  }
  assert_true(holds > 300);
  free(f.memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sdls_matches_its_formulas), cmocka_unit_test(rotations_count_as_effectors),
      cmocka_unit_test(sdls_where_rank_is_lost),   cmocka_unit_test(small_errors_are_not_damped),
      cmocka_unit_test(one_joint_by_hand),         cmocka_unit_test(steps_are_bounded_and_finite),
      cmocka_unit_test(last_clamp_is_continuous),  cmocka_unit_test(active_bounds_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
