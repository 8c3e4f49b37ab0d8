/// Numbers in attributes, and the length of a vector.
#ifndef SINEW_FORMATS_NUMBER_H
#define SINEW_FORMATS_NUMBER_H

/// Reads exactly count decimal numbers, separated by white space.
/// @param text terminated
/// @return 0 if there are more or fewer, or if one is hexadecimal, a word, a NaN, an infinity, or
///   is followed by other characters; values are undefined then
int sinew_numbers_parse(const char *text, int count, double *values);

/// The Euclidean length of a vector of finite numbers; does not overflow or underflow where the
/// length itself is a normal double. (hypot() would serve, but glibc gave it a new version in
/// 2.35: a library that calls it does not run with an older glibc.)
double sinew_vector_length(const double *vector, int count);

#endif
