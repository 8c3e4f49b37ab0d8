// Numbers as text: in options, in CSV, on the terminal.
#include "number.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"

#define BLANKS " \t"

// Reads the number that fills [text, end), blanks around it aside.
static bool parse_range(const char *text, const char *end, double *value) {
  text += strspn(text, BLANKS);
  // strtod() would also take "inf", "nan" and "0x10".
  size_t digits = strspn(text, "+-.0123456789eE");
  if (digits == 0)
    return false;

  char *stop = NULL;
  *value = strtod(text, &stop);
  if (stop != text + digits || !isfinite(*value))
    return false;
  return stop + strspn(stop, BLANKS) == end;
}

bool cli_number_parse(const char *text, double *value) {
  return parse_range(text, text + strlen(text), value);
}

void cli_number_format(double value, char text[CLI_NUMBER_SIZE]) {
  // 15 digits are always exact, 17 always distinguish two numbers.
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, CLI_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      return;
  }
}

void cli_number_write(FILE *file, double value) {
  char text[CLI_NUMBER_SIZE];
  cli_number_format(value, text);
  fputs(text, file);
}

void cli_number_range(const char *kind, double least, double most, double largest, char *text,
                      size_t size) {
  if (least == DBL_MIN && most < 1)
    snprintf(text, size, "%s above 0 and below 1", kind);
  else if (least == DBL_MIN && most < largest)
    snprintf(text, size, "%s above 0, at most %.9g", kind, most);
  else if (least == DBL_MIN)
    snprintf(text, size, "%s above 0", kind);
  else if (most >= largest && least <= -largest)
    snprintf(text, size, "%s", kind);
  else if (most >= largest)
    snprintf(text, size, "%s of at least %g", kind, least);
  else
    snprintf(text, size, "%s from %.9g to %.9g", kind, least, most);
}

int cli_option_number(const char *option, const char *text, double least, double most,
                      const char *unit, double *value) {
  char range[64];
  cli_number_range("a number", least, most, DBL_MAX, range, sizeof range);
  if (!cli_number_parse(text, value) || *value < least || *value > most)
    return cli_refuse("%s takes %s%s%s%s, not '%s'", option, range, unit ? " [" : "",
                      unit ? unit : "", unit ? "]" : "", text);
  return CLI_EXIT_DONE;
}

int cli_option_count(const char *option, const char *text, int least, int most, int *count) {
  char range[64];
  double value = 0;
  cli_number_range("a whole number", least, most, INT_MAX, range, sizeof range);
  if (!cli_number_parse(text, &value) || value < least || value > most || value != (int)value)
    return cli_refuse("%s takes %s, not '%s'", option, range, text);
  *count = (int)value;
  return CLI_EXIT_DONE;
}

int cli_option_numbers(const char *option, const char *text, const char *wanted, double *values,
                       int count) {
  const char *place = text;
  int found = 0;
  for (;; ++found) {
    const char *end = place + strcspn(place, ",");
    double value;
    if (!parse_range(place, end, &value))
      return cli_refuse("%s takes %s: number %d of '%s' is not a finite number", option, wanted,
                        found + 1, text);
    if (found < count)
      values[found] = value;
    if (*end == '\0')
      break;
    place = end + 1;
  }

  if (found + 1 != count)
    return cli_refuse("%s takes %d numbers (%s), not %d", option, count, wanted, found + 1);
  return CLI_EXIT_DONE;
}
