/// Numbers in attributes, and the length of a vector.
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

double sinew_vector_length(const double *vector, int count) {
  // |v| = m |v / m| with m the largest component: squares of v / m lie within 0 and 1.
  double largest = 0.0;
  for (int i = 0; i < count; ++i) {
    largest = fmax(largest, fabs(vector[i]));
  }
  if (largest == 0.0) {
    return 0.0;
  }
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    const double scaled = vector[i] / largest;
    sum += scaled * scaled;
  }
  return largest * sqrt(sum);
}
