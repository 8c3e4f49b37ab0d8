// Reading and writing numbers of files, against the C library's strtod().
#include "formats/decimal.h"
#include "sinew/math.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// All of text is one number, equal to strtod()'s to the bit.
static void expect_as_strtod(const char *text) {
  double value = 7;
  assert_int_equal(sinew_decimal_read(text, strlen(text), &value), strlen(text));
  if (bits_of(value) != bits_of(strtod(text, NULL))) {
    fail_msg("%s was read as %.17g", text, value);
  }
}

// req: A10
static void ordinary_numbers_match_strtod(void **state) {
  (void)state;
  static const char *const numbers[] = {"0",        "-0",
                                        "1",        "+1",
                                        "-12.5",    ".5",
                                        "5.",       "1e3",
                                        "1E-3",     "-9.23872e-007",
                                        "0.00000",  "2.30099e-05",
                                        "1e22",     "1e23",
                                        "007",      "1.7976931348623157e308",
                                        "4.9e-324", "1e-400",
                                        "0e999999"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    expect_as_strtod(numbers[i]);
  }
}

// Numbers very close to the middle of two doubles, from the literature on reading floating point,
// and a tie that only its 70th digit breaks.
static void numbers_near_ties_are_rounded_right(void **state) {
  (void)state;
  static const char *const numbers[] = {
      "9007199254740993",
      "9007199254740993.0000000000000000000000000000000000000000000000000000001",
      "2.2250738585072011e-308",
      "2.2250738585072014e-308",
      "1.00000000000000011102230246251565",
      "1.00000000000000011102230246251565404236316680908203124",
      "1.00000000000000011102230246251565404236316680908203126",
      "179769313486231580793e289",
      "123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000012345"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    expect_as_strtod(numbers[i]);
  }
}

// A tie with more digits than are kept: only those that are not 0 break it.
static void digits_beyond_those_that_are_kept_break_ties(void **state) {
  (void)state;
  static const char tie[] = "1.00000000000000011102230246251565404236316680908203125";
  static const int lengths[] = {700, 767, 768, 769, 770, 1000, 2000};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    char text[2100];
    memset(text, '0', sizeof text);
    memcpy(text, tie, sizeof tie - 1);
    text[lengths[i]] = '\0';
    expect_as_strtod(text);
    text[lengths[i] - 1] = '1';
    expect_as_strtod(text);
    text[0] = '0'; // less than the middle of two doubles
    expect_as_strtod(text);
  }
}

static void random_numbers_match_strtod(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 100000; i++) {
    char text[64];
    double span = pow(10, (double)(sinew_random_bits(2, i) % 40) - 20);
    double value = (sinew_random_uniform(1, i) - 0.5) * span;
    snprintf(text, sizeof text, i % 2 ? "%.*g" : "%.*e", (int)(sinew_random_bits(3, i) % 20),
             value);
    expect_as_strtod(text);
  }
}

static void huge_numbers_are_infinite(void **state) {
  (void)state;
  double value = 0;
  assert_int_equal(sinew_decimal_read("-1e999999999999999999999", 24, &value), 24);
  assert_true(isinf(value) && value < 0);
}

// Only a decimal number is accepted, and nothing is read past the size.
static void takes_only_numbers(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } cases[] = {{"", 0},    {"-", 0},     {".", 0},    {"+.e5", 0}, {"nan", 0},  {"inf", 0},
               {" 1", 0},  {"1,5", 1},   {"0x10", 1}, {"1e", 1},   {"1e+", 1},  {"1.2.3", 3},
               {"1-2", 1}, {"1e5e5", 3}, {"--1", 0},  {"e5", 0},   {"1_000", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double value = 0;
    assert_int_equal(sinew_decimal_read(cases[i].text, strlen(cases[i].text), &value),
                     cases[i].length);
  }
  double value = 0;
  assert_int_equal(sinew_decimal_read("123456", 3, &value), 3);
  assert_true(value == 123);
  assert_int_equal(sinew_decimal_read("1e55", 3, &value), 3);
  assert_true(value == 1e5);
}

static void seventeen_digits_keep_every_double(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 100000; i++) {
    uint64_t bits = sinew_random_bits(4, i);
    double value, again = 0;
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) {
      continue;
    }
    char text[SINEW_DECIMAL_SIZE];
    size_t length = sinew_decimal_write(value, 17, text);
    assert_int_equal(length, strlen(text));
    assert_int_equal(sinew_decimal_read(text, length, &again), length);
    assert_int_equal(bits_of(again), bits);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ordinary_numbers_match_strtod),
      cmocka_unit_test(numbers_near_ties_are_rounded_right),
      cmocka_unit_test(digits_beyond_those_that_are_kept_break_ties),
      cmocka_unit_test(random_numbers_match_strtod),
      cmocka_unit_test(huge_numbers_are_infinite),
      cmocka_unit_test(takes_only_numbers),
      cmocka_unit_test(seventeen_digits_keep_every_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
