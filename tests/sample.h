// How much of many similar cases a test tries: all in a release build, which judges the results,
// and one in SINEW_TEST_SAMPLE under the sanitizers and valgrind, which judge how they are computed
// and take ten to fifty times as long. tests/CMakeLists.txt sets it.
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>

#ifndef SINEW_TEST_SAMPLE
#define SINEW_TEST_SAMPLE 1
#endif

// Whether the case with a number, from 0, is tried.
static inline bool is_sampled(int number) {
  return number % SINEW_TEST_SAMPLE == 0;
}

// How many of so many random cases are tried, at least one; a constant where count is one.
#define SAMPLE_OF(count) (((count) + SINEW_TEST_SAMPLE - 1) / SINEW_TEST_SAMPLE)

#endif
