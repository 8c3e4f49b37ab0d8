// cmocka with the headers that it needs first, and comparison in double precision.
#ifndef NEAR_H
#define NEAR_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif

// A NaN fails.
#define assert_near(value, expected, tolerance)                                                    \
  do {                                                                                             \
    const double value_ = (value), expected_ = (expected);                                         \
    if (!(fabs(value_ - expected_) <= (tolerance))) {                                              \
      fail_msg("%.17g is not within %g of %.17g", value_, (double)(tolerance), expected_);         \
    }                                                                                              \
  } while (0)

#define assert_at_most(value, most)                                                                \
  do {                                                                                             \
    const double value_ = (value);                                                                 \
    if (!(value_ <= (most))) {                                                                     \
      fail_msg("%.17g is more than %g", value_, (double)(most));                                   \
    }                                                                                              \
  } while (0)

// The largest difference of two arrays; NaN where one holds a NaN.
static inline double farthest(int count, const double *a, const double *b) {
  double most = 0.0;
  for (int i = 0; i < count; ++i) {
    const double difference = fabs(a[i] - b[i]);
    most = difference <= most ? most : difference;
  }
  return most;
}

#endif
