// A test of many numbers against one bound.
#ifndef SINEW_MATH_WITHIN_H
#define SINEW_MATH_WITHIN_H

#include <stdbool.h>

// Whether |value| <= most for all values. False if one is NaN.
bool sinew_all_within(int count, const double *values, double most);

#endif
