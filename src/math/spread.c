// A low-discrepancy sequence: the Kronecker sequence
//
//   u_j(n) = frac((n + 1) a_j + o_j),   a_j = sqrt(j-th prime),  o_j a random offset
//
// Square roots are badly approximated by fractions, so that each coordinate alone leaves no wide
// gaps for any n. The alternative a_j = powers of one number (Roberts 2018) leaves gaps fifty times
// as wide as necessary in six dimensions, and correlated coordinates in twelve. Square roots are
// correlated in many more dimensions, and so coordinates past the first twelve are random numbers.
// Fractions are 64-bit integers, so nothing is rounded.
// Source: Richtmyer, The evaluation of definite integrals, and a quasi-Monte-Carlo method
// based on the properties of algebraic numbers, 1951.
#include "math/spread.h"

#include <math.h>

static const double primes[SINEW_LOW_DISCREPANCY_REGULAR] = {2,  3,  5,  7,  11, 13,
                                                             17, 19, 23, 29, 31, 37};

sinew_low_discrepancy sinew_low_discrepancy_of(int count, uint64_t seed) {
  sinew_low_discrepancy spread = {.count = count, .seed = seed};
  for (int j = 0; j < count && j < SINEW_LOW_DISCREPANCY_REGULAR; ++j) {
    const double root = sqrt(primes[j]);
    spread.step[j] = (uint64_t)((root - (double)(int)root) * 0x1p64);
    spread.offset[j] = sinew_random_bits(seed, (uint64_t)j);
  }
  return spread;
}

void sinew_low_discrepancy_point(const sinew_low_discrepancy *spread, uint64_t n, double *u) {
  const int count = spread->count;
  const int regular = count < SINEW_LOW_DISCREPANCY_REGULAR ? count : SINEW_LOW_DISCREPANCY_REGULAR;
  for (int j = 0; j < regular; ++j) {
    u[j] = (double)((spread->offset[j] + (n + 1) * spread->step[j]) >> 11) * 0x1p-53;
  }
  if (regular < count) {
    const uint64_t stream = sinew_random_bits(spread->seed, n);
    for (int j = regular; j < count; ++j) {
      u[j] = sinew_random_uniform(stream, (uint64_t)j);
    }
  }
}
