// Conversion of numbers from and to text: fast, independent of the locale.
//
// An integer of at most 15 digits, multiplied or divided by a power of ten up to 10^22, is one
// product or quotient of two exact doubles and is rounded once. Nearly all numbers of a motion file
// are of this kind, and this is about ten times as fast as strtod(). The others are converted by
// the C library in the "C" locale. Source: Clinger, How to Read Floating Point Numbers Accurately,
// 1990, section 3.
#include "decimal.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// Of the digits after these, only whether one is not zero has an effect.
#define SINEW_DECIMAL_DIGITS 64

// Beyond this exponent the result is 0 or infinite, whatever the digits: a text has fewer digits
// than this.
#define SINEW_DECIMAL_EXPONENT 1000000000

// value = digits x 10^exponent, the digits without the decimal point.
typedef struct sinew_decimal {
  bool negative;
  bool more; // a digit that is not zero was dropped
  int count; // of significant digits kept
  int64_t exponent;
  char digits[SINEW_DECIMAL_DIGITS];
} sinew_decimal;

static bool sinew_is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Appends a digit. A digit after the point also lowers the exponent.
static void sinew_decimal_push(sinew_decimal *d, char digit, bool fraction) {
  if (fraction) {
    d->exponent--;
  }
  if (d->count == 0 && digit == '0') {
    return;
  }
  if (d->count < SINEW_DECIMAL_DIGITS) {
    d->digits[d->count++] = digit;
  } else {
    d->exponent++;
    d->more = d->more || digit != '0';
  }
}

// Reads an exponent such as "e-12" at text[at]; returns its end, or at if there is none.
static size_t sinew_decimal_exponent(const char *text, size_t size, size_t at, int64_t *exponent) {
  size_t i = at;
  if (i == size || (text[i] != 'e' && text[i] != 'E')) {
    return at;
  }
  i++;
  bool negative = i < size && text[i] == '-';
  if (i < size && (text[i] == '-' || text[i] == '+')) {
    i++;
  }
  if (i == size || !sinew_is_digit(text[i])) {
    return at;
  }
  int64_t value = 0;
  for (; i < size && sinew_is_digit(text[i]); i++) {
    if (value < SINEW_DECIMAL_EXPONENT) {
      value = 10 * value + (text[i] - '0');
    }
  }
  *exponent += negative ? -value : value;
  return i;
}

// Splits the number at the start of text; returns its length, 0 if there is none.
static size_t sinew_decimal_split(const char *text, size_t size, sinew_decimal *d) {
  d->negative = d->more = false;
  d->count = 0;
  d->exponent = 0;
  size_t i = 0;
  if (i < size && (text[i] == '-' || text[i] == '+')) {
    d->negative = text[i++] == '-';
  }
  bool any = false, fraction = false;
  for (; i < size; i++) {
    if (text[i] == '.' && !fraction) {
      fraction = true;
    } else if (sinew_is_digit(text[i])) {
      any = true;
      sinew_decimal_push(d, text[i], fraction);
    } else {
      break;
    }
  }
  return any ? sinew_decimal_exponent(text, size, i, &d->exponent) : 0;
}

// Converts with one rounding; false if that is not possible.
static bool sinew_decimal_exact(const sinew_decimal *d, double *value) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (d->count == 0) {
    *value = 0;
    return true;
  }
  if (d->count > 15 || d->exponent < -22 || d->exponent > 22) {
    return false;
  }
  int64_t whole = 0;
  for (int i = 0; i < d->count; i++) {
    whole = 10 * whole + (d->digits[i] - '0');
  }
  if (d->exponent < 0) {
    *value = (double)whole / powers[-d->exponent];
  } else {
    *value = (double)whole * powers[d->exponent];
  }
  return true;
}

// Converts with the C library, from a form without a decimal point.
static double sinew_decimal_round(const sinew_decimal *d) {
  char text[SINEW_DECIMAL_DIGITS + 32];
  // A final 1 represents the dropped digits: it only has an effect on ties.
  long long exponent = (long long)d->exponent - (d->more ? 1 : 0);
  snprintf(text, sizeof text, "%.*s%se%lld", d->count, d->digits, d->more ? "1" : "", exponent);
  // In glibc and musl the "C" locale is a constant: newlocale() allocates nothing.
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  double value = locale ? strtod_l(text, NULL, locale) : strtod(text, NULL);
  if (locale) {
    freelocale(locale);
  }
  return value;
}

size_t sinew_decimal_read(const char *text, size_t size, double *value) {
  sinew_decimal d;
  size_t length = sinew_decimal_split(text, size, &d);
  if (length == 0) {
    return 0;
  }
  double magnitude;
  if (!sinew_decimal_exact(&d, &magnitude)) {
    magnitude = sinew_decimal_round(&d);
  }
  *value = d.negative ? -magnitude : magnitude;
  return length;
}

size_t sinew_decimal_write(double value, int digits, char text[SINEW_DECIMAL_SIZE]) {
  locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  locale_t before = locale ? uselocale(locale) : (locale_t)0;
  int length = snprintf(text, SINEW_DECIMAL_SIZE, "%.*g", digits, value);
  if (locale) {
    uselocale(before);
    freelocale(locale);
  }
  return (size_t)length;
}
