/// @file decimal.h
/// Conversion of numbers from and to text: fast, independent of the locale.
#ifndef SINEW_FORMATS_DECIMAL_H
#define SINEW_FORMATS_DECIMAL_H

#include <stddef.h>

/// Reads a decimal number such as "-12", ".5" or "1e-3" at the start of text, rounded to the
/// nearest double, ties to even. Words (nan, inf), hexadecimal digits and leading blanks are not
/// accepted.
/// @param text need not be terminated
/// @param value receives it; an infinity if it is too large for a double
/// @return the length of the number; 0 if text does not start with one
size_t sinew_decimal_read(const char *text, size_t size, double *value);

/// Enough for all that sinew_decimal_write() writes, with the terminator.
#define SINEW_DECIMAL_SIZE 32

/// Writes value with at most digits significant digits, without trailing zeros.
/// @param digits 1 to 17; with 17 each double is read back unchanged
/// @return the length without the terminator
size_t sinew_decimal_write(double value, int digits, char text[SINEW_DECIMAL_SIZE]);

#endif
