// Two numbers side by side, for loops that a compiler of the baseline would leave
// one at a time. Beyond C17: the vector types and always_inline of GCC and clang,
// which make of them what every processor has, or two plain numbers.
#ifndef SINEW_MATH_PAIR_H
#define SINEW_MATH_PAIR_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define SINEW_ALWAYS_INLINE static inline __attribute__((always_inline))

typedef double sinew_pair __attribute__((vector_size(16)));

SINEW_ALWAYS_INLINE sinew_pair sinew_pair_load(const double *two) {
  sinew_pair p;
  memcpy(&p, two, sizeof p);
  return p;
}

SINEW_ALWAYS_INLINE void sinew_pair_store(double *two, sinew_pair p) {
  memcpy(two, &p, sizeof p);
}

SINEW_ALWAYS_INLINE sinew_pair sinew_pair_of(double x) {
  return (sinew_pair){x, x};
}

typedef long long sinew_pair_bits __attribute__((vector_size(16)));

// Whether no value is beyond most in size, or a NaN.
static inline bool sinew_all_within(int count, const double *values, double most) {
  const sinew_pair_bits no_sign = {0x7fffffffffffffff, 0x7fffffffffffffff};
  sinew_pair_bits within = {-1, -1};
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    const sinew_pair_bits size = (sinew_pair_bits)sinew_pair_load(values + i) & no_sign;
    within &= (sinew_pair)size <= sinew_pair_of(most);
  }
  const bool last = i == count || fabs(values[i]) <= most;
  return (within[0] & within[1]) != 0 && last;
}

// An even number of values that count fit into: rows that long need no odd end.
SINEW_ALWAYS_INLINE int sinew_pair_stride(int count) {
  return (count + 1) / 2 * 2;
}

#endif
