/// Numbers as text: in options, in CSV, on the terminal. The program never
/// calls setlocale(), so that the decimal point is a point everywhere.
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stdio.h>

/// Room for a number as text.
#define CLI_NUMBER_SIZE 32

/// Reads a whole text as one finite decimal number; blanks may stand around it.
bool cli_number_parse(const char *text, double *value);

/// Writes the shortest text that reads back as the same number.
void cli_number_format(double value, char text[CLI_NUMBER_SIZE]);

void cli_number_write(FILE *file, double value);

/// Writes what numbers are accepted: "a number from 0 to 1".
/// @param kind of number
/// @param least where it is DBL_MIN: above 0
/// @param largest from which on most is no bound, and least neither below its negative
void cli_number_range(const char *kind, double least, double most, double largest, char *text,
                      size_t size);

/// Reads the value of an option that is one number within [least, most].
/// @param unit for the message; NULL: none
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_option_number(const char *option, const char *text, double least, double most,
                      const char *unit, double *value);

/// Reads the value of an option that is a whole number within [least, most].
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_option_count(const char *option, const char *text, int least, int most, int *count);

/// Reads the value of an option that is a list of numbers with commas between.
/// @param wanted what the list holds, "x,y,z" for example, for the message
/// @return CLI_EXIT_DONE, or CLI_EXIT_REFUSED after a message
int cli_option_numbers(const char *option, const char *text, const char *wanted, double *values,
                       int count);

#endif
