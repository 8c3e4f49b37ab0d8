// Whether many numbers are all within a bound.
#ifndef SINEW_MATH_WITHIN_H
#define SINEW_MATH_WITHIN_H

#include <stdbool.h>

// Whether no value is beyond most in size, or a NaN.
bool sinew_all_within(int count, const double *values, double most);

#endif
