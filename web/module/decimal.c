// Conversion of doubles from and to decimal text, exact, by integers of many words.
//
// A number is a fraction of two integers, numerator and denominator. Scaled by powers of two, or of
// ten, until it lies between 1 and the base, it gives its digits one by one; what is left is
// compared with a half. Source: Steele and White, How to Print Floating-Point Numbers Accurately,
// 1990, section 3; Clinger, How to Read Floating Point Numbers Accurately, 1990, section 4.
#include "libc.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// 100 digits and 10^445 are 1811 bits.
#define WORDS 58

// Exponents of ten beyond which a number is infinite or 0, whatever its digits.
#define LARGEST_POWER 310
#define SMALLEST_POWER (-345)

typedef struct integer {
  int count;             // of words that may not be 0; all after are
  uint32_t words[WORDS]; // least significant first
} integer;

static integer integer_of(uint64_t value) {
  const integer x = {2, {(uint32_t)value, (uint32_t)(value >> 32)}};
  return x;
}

// x = x * factor + term
static void multiply(integer *x, uint32_t factor, uint32_t term) {
  uint64_t carry = term;
  for (int i = 0; i < x->count; ++i) {
    carry += (uint64_t)x->words[i] * factor;
    x->words[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry > 0 && x->count < WORDS)
    x->words[x->count++] = (uint32_t)carry;
}

static void multiply_power(integer *x, uint32_t base, int power) {
  for (int i = 0; i < power; ++i)
    multiply(x, base, 0);
}

static int compare(const integer *a, const integer *b) {
  for (int i = (a->count > b->count ? a->count : b->count) - 1; i >= 0; --i)
    if (a->words[i] != b->words[i])
      return a->words[i] < b->words[i] ? -1 : 1;
  return 0;
}

// Takes b from a as often as it is in a: the quotient, which must be small.
static int divide(integer *a, const integer *b) {
  int quotient = 0;
  for (; compare(a, b) >= 0; ++quotient) {
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; ++i) {
      const uint64_t difference = (uint64_t)a->words[i] - b->words[i] - borrow;
      a->words[i] = (uint32_t)difference;
      borrow = difference >> 63;
    }
  }
  return quotient;
}

// Multiplies one of a and b by powers of the base until b <= a < base b: the exponent of a / b.
static int normalize(integer *a, integer *b, uint32_t base) {
  int exponent = 0;
  for (integer next = *b; multiply(&next, base, 0), compare(a, &next) >= 0; ++exponent)
    *b = next;
  for (; compare(a, b) < 0; --exponent)
    multiply(a, base, 0);
  return exponent;
}

// Whether a / b, below 1 and counted in halves, rounds up.
static bool rounds_up(const integer *a, const integer *b, bool odd) {
  const int side = compare(a, b);
  return side > 0 || (side == 0 && odd);
}

double web_decimal_value(const char *text) {
  integer a = integer_of(0), b = integer_of(1);
  int count = 0, power = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    multiply(&a, 10, (uint32_t)(*text - '0'));
    count += count > 0 || *text != '0';
  }
  if (*text == 'e') {
    const bool negative = *++text == '-';
    for (text += negative; *text >= '0' && *text <= '9'; ++text)
      power = power < 100000 ? 10 * power + (*text - '0') : power;
    power = negative ? -power : power;
  }
  if (count == 0 || power + count < SMALLEST_POWER)
    return 0.0;
  if (power + count > LARGEST_POWER)
    return (double)INFINITY;
  multiply_power(&a, 10, power);
  multiply_power(&b, 10, -power);

  // A double has 53 bits; below 2^-1022, those from 2^-1074 on.
  const int exponent = normalize(&a, &b, 2);
  const int bits = exponent < -1022 ? 53 + 1022 + exponent : 53;
  if (bits < 0)
    return 0.0;
  uint64_t value = 0;
  for (int i = 0; i < bits; ++i) {
    value = 2 * value + (unsigned)divide(&a, &b);
    multiply(&a, 2, 0);
  }
  value += rounds_up(&a, &b, value & 1);
  return ldexp((double)value, exponent - bits + 1);
}

// ---- To text ----

#define DIGITS 6

// The digits of a positive number, rounded; returns the exponent of ten of the first.
static int find_digits(double value, char digits[DIGITS]) {
  int power;
  const uint64_t mantissa = (uint64_t)ldexp(frexp(value, &power), 53);
  integer a = integer_of(mantissa), b = integer_of(1);
  multiply_power(&a, 2, power - 53);
  multiply_power(&b, 2, 53 - power);
  const int exponent = normalize(&a, &b, 10);
  for (int i = 0; i < DIGITS; ++i) {
    digits[i] = (char)('0' + divide(&a, &b));
    multiply(&a, i == DIGITS - 1 ? 2 : 10, 0);
  }
  if (!rounds_up(&a, &b, digits[DIGITS - 1] & 1))
    return exponent;
  int i = DIGITS - 1;
  for (; i >= 0 && digits[i] == '9'; --i)
    digits[i] = '0';
  if (i >= 0) {
    ++digits[i];
    return exponent;
  }
  digits[0] = '1'; // all were nines
  return exponent + 1;
}

void web_decimal_text(double value, char text[WEB_DECIMAL_SIZE]) {
  if (signbit(value))
    *text++ = '-';
  if (value == 0.0 || !isfinite(value)) {
    strcpy(text, value == 0.0 ? "0" : isnan(value) ? "nan" : "inf");
    return;
  }
  char digits[DIGITS];
  const int exponent = find_digits(fabs(value), digits);
  int count = DIGITS;
  while (count > 1 && digits[count - 1] == '0')
    --count;
  const bool scientific = exponent < -4 || exponent >= DIGITS;
  // The digits 0 and up; below 1, zeros before them, of which the first precedes the point.
  const int point = scientific ? 0 : exponent;
  for (int i = point < 0 ? point : 0; i < count || i <= point; ++i) {
    *text++ = i >= 0 && i < count ? digits[i] : '0';
    if (i == point && i < count - 1)
      *text++ = '.';
  }
  if (scientific) {
    const int size = exponent < 0 ? -exponent : exponent;
    *text++ = 'e';
    *text++ = exponent < 0 ? '-' : '+';
    if (size >= 100)
      *text++ = (char)('0' + size / 100);
    *text++ = (char)('0' + size / 10 % 10);
    *text++ = (char)('0' + size % 10);
  }
  *text = '\0';
}
