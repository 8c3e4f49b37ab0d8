/// Numbers in text, the same in every locale.
///
/// strtod() obeys the decimal comma of the program's locale; strtod_l() does
/// not. newlocale() of "C" gives the C library's own constant and takes no
/// memory in glibc and musl.
#define _GNU_SOURCE
#include "number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

int sinew_number_parse(const char *text, size_t length, double *value) {
  // Only these characters: no "inf", "nan", "0x10" or leading white space.
  char terminated[SINEW_NUMBER_MAX_LENGTH + 1];
  if (length == 0 || length > SINEW_NUMBER_MAX_LENGTH) {
    return 0;
  }
  for (size_t i = 0; i < length; ++i) {
    char c = text[i];
    if (!((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'e' || c == 'E')) {
      return 0;
    }
    terminated[i] = c;
  }
  terminated[length] = '\0';

  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) {
    return 0;
  }
  char *end = NULL;
  double number = strtod_l(terminated, &end, c_locale);
  freelocale(c_locale);
  if (end != terminated + length || !isfinite(number)) {
    return 0;
  }
  *value = number;
  return 1;
}

int sinew_numbers_parse(const char *text, int count, double *values) {
  for (int i = 0; i < count; ++i) {
    while (is_space(*text)) {
      ++text;
    }
    size_t length = 0;
    while (text[length] != '\0' && !is_space(text[length])) {
      ++length;
    }
    if (!sinew_number_parse(text, length, &values[i])) {
      return 0;
    }
    text += length;
  }
  while (is_space(*text)) {
    ++text;
  }
  return *text == '\0';
}
