// The parts of libc that the browser's module has of its own (web/module/libc.h), against those of
// the C library. The locale is "C".
#include "sinew/math.h"
#include "web/module/libc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_state = 20;

static uint64_t random_bits(void) { // splitmix64
  uint64_t z = random_state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// All exponents are as likely, those of numbers below 2^-1022 included.
static double random_double(void) {
  const uint64_t bits = random_bits() & ~(UINT64_C(1) << 63);
  double value;
  memcpy(&value, &bits, sizeof value);
  return isfinite(value) ? value : 1.0;
}

// ---- Decimal numbers ----

static void expect_number(const char *text) {
  const double value = web_decimal_value(text), expected = strtod(text, NULL);
  if (memcmp(&value, &expected, sizeof value) != 0)
    fail_msg("%s was read as %.17g", text, value);
}

// The digits of a text without its point: "1.25e-07" becomes "125e-9".
static void expect_number_of(const char *text) {
  char plain[900];
  int exponent = 0;
  size_t count = 0;
  bool fraction = false;
  for (; *text != '\0' && *text != 'e'; ++text) {
    if (*text == '.')
      fraction = true;
    else {
      plain[count++] = *text;
      exponent -= fraction;
    }
  }
  if (*text == 'e')
    exponent += atoi(text + 1);
  assert_true(count <= 100);
  snprintf(plain + count, sizeof plain - count, "e%d", exponent);
  expect_number(plain);
}

// req: A10
static void numbers_are_rounded_once(void **state) {
  (void)state;
  static const char *const ends[] = {
      "0",
      "00e5",
      "1e308",
      "17976931348623157e292",
      "17976931348623158e292",
      "179769313486231580793e288",
      "179769313486231581e291",
      "1e309",
      "1e99999",
      "1e-99999",
      "49406564584124654e-340",
      "24703282292062327e-340",
      "24703282292062328e-340",
      "2e-324",
      "3e-324",
      "22250738585072011e-324",
      "22250738585072014e-324",
      "1e-400",
      "1e9999999999",
      "9007199254740993",
      "9007199254740995",
      "90071992547409930000000000001e-13",
      "0000000000000000000000000000000000000000000000000000000000000000000000000000001e-320"};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i)
    expect_number(ends[i]);
  char text[900];
  for (int i = 0; i < 40000; ++i) {
    const double value = random_double();
    snprintf(text, sizeof text, "%.*e", (int)(random_bits() % 65), value);
    expect_number_of(text);
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)random_bits(),
             (int)(random_bits() % 700) - 370);
    expect_number(text);
  }
}

// The number half way between two doubles, of 65 digits as sinew_decimal_read() keeps them, with a
// last digit that makes it more or less where it has more: the hardest to round.
static void ties_are_rounded_to_even(void **state) {
  (void)state;
  char text[900];
  for (int i = 0; i < 10000; ++i) {
    const uint64_t odd = (random_bits() >> 10) | UINT64_C(1) << 53 | 1; // 54 bits
    const int power = (int)(random_bits() % 150) - 70;
    const long double half = ldexpl((long double)odd, power);
    snprintf(text, sizeof text, "%.*Le", 63, half);
    expect_number_of(text);
    text[64] = (char)(text[64] == '9' ? '8' : text[64] + 1);
    expect_number_of(text);
  }
}

static void expect_text(double value) {
  char text[WEB_DECIMAL_SIZE], expected[64];
  web_decimal_text(value, text);
  snprintf(expected, sizeof expected, "%g", value);
  assert_string_equal(text, isnan(value) && signbit(value) ? "-nan" : expected);
}

static void numbers_are_printed_as_by_libc(void **state) {
  (void)state;
  static const double numbers[] = {0.0,         -0.0,
                                   1.0,         -1.0,
                                   0.1,         1e5,
                                   1e6,         123456.0,
                                   999999.0,    999999.5,
                                   9999995,     0.0001,
                                   0.00001,     9.99999e-5,
                                   9.999995e-5, 1e100,
                                   1e-100,      0.5,
                                   2.5,         100.0,
                                   1234567.0,   3.14159265,
                                   1e22,        1e-5,
                                   5e-324,      1.7976931348623157e308,
                                   100000.5,    100001.5,
                                   0.015625};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    expect_text(numbers[i]);
  expect_text((double)INFINITY);
  expect_text(-(double)INFINITY);
  expect_text((double)NAN);
  for (int i = 0; i < 20000; ++i) {
    expect_text(random_double());
    expect_text(-ldexp(random_double(), 0));
    expect_text((double)(random_bits() % 20000000) / 2.0);       // ties at the seventh digit
    expect_text((double)(random_bits() % 20000000) / 1048576.0); // ordinary sizes
    expect_text(pow(10.0, (double)(random_bits() % 40) - 20.0));
  }
}

// ---- Formats ----

__attribute__((format(printf, 3, 4))) static int print(char *text, size_t size, const char *format,
                                                       ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = web_print(text, size, format, arguments);
  va_end(arguments);
  return length;
}

#define EXPECT_SAME(...)                                                                           \
  for (size_t size = 0; size <= 80; ++size) {                                                      \
    char ours[81], theirs[81];                                                                     \
    memset(ours, '#', sizeof ours);                                                                \
    memset(theirs, '#', sizeof theirs);                                                            \
    assert_int_equal(print(ours, size, __VA_ARGS__), snprintf(theirs, size, __VA_ARGS__));         \
    assert_memory_equal(ours, theirs, sizeof ours);                                                \
  }

static void text_is_formatted_as_by_libc(void **state) {
  (void)state;
  EXPECT_SAME("%s", "");
  EXPECT_SAME("joint '%s' of %zu has %d, %g%%: %c", "a name", (size_t)12, -7, 0.25, 'x');
  EXPECT_SAME("%d %d %d", INT32_MIN, INT32_MAX, 0);
  EXPECT_SAME("%lld %lld %ld", (long long)INT64_MIN, (long long)INT64_MAX, -3L);
  EXPECT_SAME("%u %zu %llu", 4000000000u, SIZE_MAX, (unsigned long long)UINT64_MAX);
  EXPECT_SAME("%.3s|%.80s|%.*s|%.0s", "abcdef", "short", 2, "xyz", "none");
  EXPECT_SAME("%s%s%s", "a text that is much longer than the first sizes", ": ", "and its end");
  EXPECT_SAME("%g", -1.5e-300);
  const char unterminated[3] = {'a', 'b', 'c'};
  EXPECT_SAME("%.*s", 3, unterminated);
}

// ---- The heap ----

#define ARENA (1u << 20)
static _Alignas(16) char arena[ARENA];
static size_t grown; // of the arena

char *web_heap_grow(size_t size) {
  size = (size + 4095) & ~(size_t)4095;
  if (size > ARENA - grown)
    return NULL;
  grown += size;
  return arena + grown;
}

typedef struct kept {
  unsigned char *memory, fill;
  size_t size;
} kept;

static void check(const kept *k) {
  for (size_t i = 0; i < k->size; ++i)
    assert_int_equal(k->memory[i], k->fill);
}

static void blocks_are_apart_and_used_again(void **state) {
  (void)state;
  enum { MOST = 64 };
  kept blocks[MOST] = {{0}};
  for (int i = 0; i < 20000; ++i) {
    kept *k = &blocks[random_bits() % MOST];
    if (k->memory != NULL) {
      check(k);
      web_heap_release(k->memory);
    }
    k->size = random_bits() % (random_bits() % 8 == 0 ? 9000 : 100);
    k->fill = (unsigned char)i;
    k->memory = web_heap_take(k->size);
    assert_non_null(k->memory);
    assert_int_equal((uintptr_t)k->memory % 16, 0);
    assert_true((char *)k->memory >= arena && (char *)k->memory + k->size <= arena + grown);
    memset(k->memory, k->fill, k->size);
  }
  // What was released is one block again: nearly all of the arena can be taken at once.
  for (int i = 0; i < MOST; ++i) {
    check(&blocks[i]);
    web_heap_release(blocks[i].memory);
  }
  web_heap_release(NULL);
  assert_null(web_heap_take(ARENA));
  assert_null(web_heap_take(SIZE_MAX));
  assert_null(web_heap_take(SIZE_MAX / 2));
  const size_t before = grown;
  void *all = web_heap_take(before - 64);
  assert_non_null(all);
  assert_int_equal(grown, before);
  assert_null(web_heap_take(ARENA - before));
  web_heap_release(all);
  void *most = web_heap_take(before + 4096);
  assert_non_null(most);
  web_heap_release(most);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_rounded_once),
      cmocka_unit_test(ties_are_rounded_to_even),
      cmocka_unit_test(numbers_are_printed_as_by_libc),
      cmocka_unit_test(text_is_formatted_as_by_libc),
      cmocka_unit_test(blocks_are_apart_and_used_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
