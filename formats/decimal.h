/// @file decimal.h
/// Many numbers, to and from text, quickly and whatever the program's locale.
#ifndef SINEW_FORMATS_DECIMAL_H
#define SINEW_FORMATS_DECIMAL_H

#include <stddef.h>

/// Reads a decimal number, "-12", ".5", "1e-3", at the start of text: nearest
/// double, ties to even. Words (nan, inf), hexadecimal and leading blanks are
/// no numbers.
/// @param text need not be terminated
/// @param value receives it; an infinity where it is too large for a double
/// @return how many characters it takes; 0 where text starts with no number
size_t sinew_decimal_read(const char *text, size_t size, double *value);

/// Enough for any double that sinew_decimal_write() prints, and its terminator.
#define SINEW_DECIMAL_SIZE 32

/// Writes value with at most that many significant digits, without trailing
/// zeros.
/// @param digits 1 to 17; 17 keep every double as it is
/// @return the length without the terminator
size_t sinew_decimal_write(double value, int digits, char text[SINEW_DECIMAL_SIZE]);

#endif
