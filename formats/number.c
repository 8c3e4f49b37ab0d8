/// Lists of numbers in an attribute.
#include "number.h"

#include "decimal.h"

#include <math.h>
#include <string.h>

static const char *after_white_space(const char *text) {
  return text + strspn(text, " \t\n\r\f\v");
}

int sinew_numbers_parse(const char *text, int count, double *values) {
  for (int i = 0; i < count; ++i) {
    text = after_white_space(text);
    size_t token = strcspn(text, " \t\n\r\f\v");
    if (token == 0 || sinew_decimal_read(text, token, &values[i]) != token ||
        !isfinite(values[i])) {
      return 0;
    }
    text += token;
  }
  return *after_white_space(text) == '\0';
}
