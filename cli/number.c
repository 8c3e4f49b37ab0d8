// Numbers as text: in options, in CSV, on the terminal.
#include "number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "message.h"

#define BLANKS " \t"

// Reads the number that fills [text, end) but for blanks around it.
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
  // 15 digits are always kept, 17 always tell two numbers apart.
  for (int digits = 15; digits <= 17; ++digits) {
    snprintf(text, CLI_NUMBER_SIZE, "%.*g", digits, value);
    if (strtod(text, NULL) == value)
      return;
  }
}

int cli_option_number(const char *option, const char *text, double least, double most,
                      double *value) {
  if (!cli_number_parse(text, value))
    return cli_refuse("%s wants a number, not '%s'", option, text);
  if (*value < least && least == DBL_MIN)
    return cli_refuse("%s wants a number greater than 0, not %s", option, text);
  if (*value < least || *value > most)
    return cli_refuse("%s wants a number from %g to %g, not %s", option, least, most, text);
  return CLI_EXIT_DONE;
}

int cli_option_count(const char *option, const char *text, int least, int most, int *count) {
  double value = 0;
  if (cli_option_number(option, text, least, most, &value) != CLI_EXIT_DONE)
    return CLI_EXIT_REFUSED;
  *count = (int)value;
  return *count == value ? CLI_EXIT_DONE
                         : cli_refuse("%s wants a whole number, not %s", option, text);
}

int cli_option_numbers(const char *option, const char *text, const char *wanted, double *values,
                       int count) {
  const char *place = text;
  int found = 0;
  for (;; ++found) {
    const char *end = place + strcspn(place, ",");
    double value;
    if (!parse_range(place, end, &value))
      return cli_refuse("%s wants %s: number %d of '%s' is not finite or no number", option, wanted,
                        found + 1, text);
    if (found < count)
      values[found] = value;
    if (*end == '\0')
      break;
    place = end + 1;
  }

  if (found + 1 != count)
    return cli_refuse("%s wants %d numbers (%s), not %d", option, count, wanted, found + 1);
  return CLI_EXIT_DONE;
}
