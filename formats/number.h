/// Numbers in text, the same in every locale.
#ifndef SINEW_FORMATS_NUMBER_H
#define SINEW_FORMATS_NUMBER_H

#include <stddef.h>

/// Longest number that is read, in characters.
#define SINEW_NUMBER_MAX_LENGTH 255

/// One decimal number, "-1.5e-3" say, that takes up all of text.
/// @param text need not be terminated
/// @return 0 where it is empty, has something before or after it, is
///   hexadecimal, a NaN or an infinity, or does not fit a double
int sinew_number_parse(const char *text, size_t length, double *value);

/// Numbers apart by white space, exactly count of them, in terminated text.
/// @return 0 as above, or where there are more or fewer
int sinew_numbers_parse(const char *text, int count, double *values);

#endif
