// Extrapolation by backward differences: what is expected, and of which order.
#include "fixtures.h"
#include "inspect.h"

#define N 3
#define ROOM 4 // in whole fours
#define VALUES 40

static double store[SINEW_BACKWARD_DIFFERENCES + 1][ROOM];

static sinew_backward_differences begin(void) {
  sinew_backward_differences of;
  memset(&of, 0xff, sizeof of); // means that are not a number, as memory may be before the first
  memset(store, 0, sizeof store);
  for (int j = 0; j <= SINEW_BACKWARD_DIFFERENCES; ++j) {
    of.D[j] = store[j];
  }
  sinew_backward_differences_reset(&of);
  return of;
}

// Takes the next value; returns how far it is from what was expected.
static double take(sinew_backward_differences *of, const double value[N]) {
  double expected[ROOM] = {0.0}, error[ROOM], square = 0.0;
  sinew_backward_differences_add(of, N, expected);
  for (int i = 0; i < N; ++i) {
    error[i] = value[i] - expected[i];
    square += error[i] * error[i];
  }
  sinew_backward_differences_take(of, N, error);
  return sqrt(square);
}

// Polynomials up to the highest degree are expected exactly once as many values are known.
static void polynomials_are_expected_exactly(void **state) {
  (void)state;
  for (int degree = 0; degree <= SINEW_BACKWARD_DIFFERENCES; ++degree) {
    for (int seed = 0; seed < 20; ++seed) {
      random_stream r = random_stream_of(31 + (uint64_t)seed);
      sinew_backward_differences of = begin();
      double factor[N][SINEW_BACKWARD_DIFFERENCES + 1];
      for (int i = 0; i < N; ++i) {
        for (int d = 0; d <= degree; ++d) { // no difference passes 0
          factor[i][d] = random_between(&r, 0.5, 1.0);
        }
      }
      for (int k = 0; k < VALUES; ++k) {
        double value[N] = {0.0};
        for (int i = 0; i < N; ++i) {
          for (int d = degree; d >= 0; --d) {
            value[i] = value[i] * (0.1 * k) + factor[i][d];
          }
        }
        const double error = take(&of, value);
        if (k > 12) { // before, differences do not fall by half from order to order
          assert_at_most(error, 1e-10 * (1.0 + pow(0.1 * k, degree)));
        }
      }
    }
  }
}

// Where values are noise the last one is expected: a higher order would double the error, and twice
// that again.
static void noise_is_not_extrapolated(void **state) {
  (void)state;
  random_stream r = random_stream_of(5);
  sinew_backward_differences of = begin();
  double last[N] = {0.0}, errors = 0.0, steps = 0.0;
  int orders = 0;
  for (int k = 0; k < 4000; ++k) {
    double value[N], step = 0.0;
    random_vector(&r, 1.0, value);
    for (int i = 0; i < N; ++i) {
      step += (value[i] - last[i]) * (value[i] - last[i]);
    }
    const double error = take(&of, value);
    errors += k > 0 ? error * error : 0.0;
    steps += k > 0 ? step : 0.0;
    orders += of.order;
    memcpy(last, value, sizeof last);
  }
  assert_at_most(errors, 1.25 * steps); // 5 times with the order 1 always, 19 with 2
  assert_at_most(orders, 400.0);
}

// A smooth motion with a little noise is expected by an order between: better than by the last
// value, and better than by the highest order.
static void smooth_motions_are_expected(void **state) {
  (void)state;
  random_stream r = random_stream_of(6);
  sinew_backward_differences of = begin();
  double last[N] = {0.0}, errors = 0.0, steps = 0.0, noise = 0.0;
  for (int k = 0; k < 2000; ++k) {
    double value[N], more[N];
    random_vector(&r, 1e-4, more);
    for (int i = 0; i < N; ++i) {
      value[i] = sin(0.05 * k + i) + more[i];
      steps += k > 10 ? (value[i] - last[i]) * (value[i] - last[i]) : 0.0;
      noise += k > 10 ? more[i] * more[i] : 0.0;
    }
    const double error = take(&of, value);
    errors += k > 10 ? error * error : 0.0;
    memcpy(last, value, sizeof last);
  }
  assert_at_most(errors, 0.01 * steps);
  assert_at_most(errors, 60.0 * noise); // order 4 raises its square by 252
}

// Where two orders are nearly as good, the order stays: errors of single values would change it in
// every third update, and what it expects with it.
static void the_order_is_steady(void **state) {
  (void)state;
  random_stream r = random_stream_of(7);
  int changes = 0, updates = 0;
  for (int motion = 0; motion < 20; ++motion) {
    const double rate = random_between(&r, 0.02, 0.1), noise = pow(10.0, -3.0 - motion % 5);
    sinew_backward_differences of = begin();
    int last = 0;
    for (int k = 0; k < 400; ++k) {
      double value[N], more[N];
      random_vector(&r, noise, more);
      for (int i = 0; i < N; ++i) {
        value[i] = sin(rate * k + i) + more[i];
      }
      take(&of, value);
      changes += k > 20 && of.order != last;
      updates += k > 20;
      last = of.order;
    }
  }
  print_message("%d of %d updates change the order\n", changes, updates);
  assert_at_most(changes, 0.1 * updates);
}

// After a reset nothing is expected, then the first value.
static void a_reset_forgets(void **state) {
  (void)state;
  sinew_backward_differences of = begin();
  double value[N] = {1.0, 2.0, 3.0}, expected[ROOM] = {0.0};
  for (int k = 0; k < 10; ++k) {
    value[0] += 1.0;
    take(&of, value);
  }
  assert_true(of.order > 0);
  sinew_backward_differences_reset(&of);
  sinew_backward_differences_add(&of, N, expected);
  assert_true(expected[0] == 0.0 && expected[1] == 0.0 && expected[2] == 0.0);
  take(&of, value);
  sinew_backward_differences_add(&of, N, expected);
  assert_memory_equal(expected, value, sizeof value);
}

// Values after a reset are expected as if there had been none before, whatever these were: also
// where the first differences are those of before. None is expected by a higher order than the
// number of values tells.
static void what_was_before_a_reset_has_no_effect(void **state) {
  (void)state;
  for (int seed = 0; seed < 40; ++seed) {
    random_stream r = random_stream_of(60 + (uint64_t)seed);
    double values[30][N], slope[N], error;
    random_vector(&r, 1.0, slope);
    for (int k = 0; k < 30; ++k) {
      random_vector(&r, 1e-3, values[k]);
      for (int i = 0; i < N; ++i) {
        values[k][i] += (k % 15) * slope[i];
      }
    }
    sinew_backward_differences of = begin();
    double expected[15];
    for (int k = 0; k < 15; ++k) {
      expected[k] = take(&of, values[k]);
    }
    for (int k = 15; k < 30; ++k) { // another motion, then the first one again
      take(&of, values[k]);
    }
    sinew_backward_differences_reset(&of);
    for (int k = 0; k < 15; ++k) {
      error = take(&of, values[k]);
      assert_true(error == expected[k]);
      assert_true(of.order <= (k > 1 ? k - 1 : 0));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(polynomials_are_expected_exactly),
      cmocka_unit_test(noise_is_not_extrapolated),
      cmocka_unit_test(smooth_motions_are_expected),
      cmocka_unit_test(the_order_is_steady),
      cmocka_unit_test(a_reset_forgets),
      cmocka_unit_test(what_was_before_a_reset_has_no_effect),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
