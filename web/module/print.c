// Formatted text; see libc.h.
#include "libc.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct output {
  char *text;
  size_t size, length; // length may be larger than what fits
} output;

static void put(output *out, const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i, ++out->length)
    if (out->length + 1 < out->size)
      out->text[out->length] = text[i];
}

static void put_number(output *out, uint64_t value, bool negative) {
  char digits[24];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + value % 10);
  while ((value /= 10) > 0);
  if (negative)
    digits[--at] = '-';
  put(out, digits + at, sizeof digits - at);
}

static size_t length_within(const char *text, int most) {
  size_t length = 0;
  while ((most < 0 || length < (size_t)most) && text[length] != '\0')
    ++length;
  return length;
}

int web_print(char *text, size_t size, const char *format, va_list arguments) {
  output out = {text, size, 0};
  for (const char *at = format; *at != '\0'; ++at) {
    if (*at != '%') {
      put(&out, at, 1);
      continue;
    }
    int most = -1, longs = 0;
    if (*++at == '.') {
      if (*++at == '*') {
        most = va_arg(arguments, int);
        ++at;
      } else
        for (most = 0; *at >= '0' && *at <= '9'; ++at)
          most = 10 * most + (*at - '0');
    }
    for (; *at == 'l' || *at == 'z'; ++at)
      longs += *at == 'z' ? (int)(sizeof(size_t) / sizeof(long)) : 1;
    if (*at == 's') {
      const char *word = va_arg(arguments, const char *);
      put(&out, word, length_within(word, most));
    } else if (*at == 'd') {
      const int64_t value = longs == 0   ? va_arg(arguments, int)
                            : longs == 1 ? va_arg(arguments, long)
                                         : va_arg(arguments, long long);
      put_number(&out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
    } else if (*at == 'u') {
      put_number(&out,
                 longs == 0   ? va_arg(arguments, unsigned)
                 : longs == 1 ? va_arg(arguments, unsigned long)
                              : va_arg(arguments, unsigned long long),
                 false);
    } else if (*at == 'g') {
      char number[WEB_DECIMAL_SIZE];
      web_decimal_text(va_arg(arguments, double), number);
      put(&out, number, strlen(number));
    } else if (*at == 'c' || *at == '%') {
      const char letter = *at == '%' ? '%' : (char)va_arg(arguments, int);
      put(&out, &letter, 1);
    } else
      __builtin_trap();
  }
  if (size > 0)
    text[out.length < size ? out.length : size - 1] = '\0';
  return (int)out.length;
}
