// Numbers in attributes, and the length of a vector: formats/number.c.
#include "formats/number.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void exactly_as_many_numbers_as_asked_are_read(void **state) {
  (void)state;
  double v[3] = {0, 0, 0};
  assert_true(sinew_numbers_parse(" 1\t-2.5e1\n .5 ", 3, v));
  assert_true(v[0] == 1 && v[1] == -25 && v[2] == 0.5);
  static const char *const refused[] = {"",      "1 2",     "1 2 3 4",   "1 2 x",
                                        "1,2,3", "1 2 0x3", "1 2 1e999", "1 2 nan"};
  for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
    assert_false(sinew_numbers_parse(refused[i], 3, v));
  }
}

// Against hypot(), whose error is below a unit in the last place; this function rounds five times.
static void length_is_right_at_every_magnitude(void **state) {
  (void)state;
  for (int exponent = -1000; exponent <= 1000; exponent += 10) {
    for (int i = 0; i <= 20; i++) {
      double v[2] = {ldexp(0.3 * i, exponent), ldexp(-1.7, exponent)};
      double expected = hypot(v[0], v[1]);
      assert_true(fabs(sinew_vector_length(v, 2) - expected) <= 3 * DBL_EPSILON * expected);
    }
  }
}

static void length_of_a_known_vector(void **state) {
  (void)state;
  const double zero[3] = {0, -0.0, 0}, box[3] = {2, -3, 6}, one[1] = {-7};
  assert_true(sinew_vector_length(zero, 3) == 0);
  assert_true(fabs(sinew_vector_length(box, 3) - 7) <= 7 * 3 * DBL_EPSILON);
  assert_true(sinew_vector_length(one, 1) == 7);
  const double huge[3] = {1e308, 0, 0}, tiny[3] = {0, DBL_TRUE_MIN, 0};
  assert_true(sinew_vector_length(huge, 3) == 1e308);
  assert_true(sinew_vector_length(tiny, 3) == DBL_TRUE_MIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exactly_as_many_numbers_as_asked_are_read),
      cmocka_unit_test(length_is_right_at_every_magnitude),
      cmocka_unit_test(length_of_a_known_vector),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
