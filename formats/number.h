/// Lists of numbers in an attribute.
#ifndef SINEW_FORMATS_NUMBER_H
#define SINEW_FORMATS_NUMBER_H

/// Reads decimal numbers apart by white space, exactly count of them.
/// @param text terminated
/// @return 0 where there are more or fewer, or one is hexadecimal, a word, a
///   NaN, an infinity, or has something behind it; values are undefined then
int sinew_numbers_parse(const char *text, int count, double *values);

#endif
