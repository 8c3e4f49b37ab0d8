// Points of low discrepancy: a Kronecker sequence.
//
// Coordinate j of point n is the fraction of n a_j + o_j, with a_j the root of the j-th prime
// and o_j a random offset. Roots are badly approximated by fractions, so that each
// coordinate alone leaves no wide gaps for any n. Powers of one number, which are in use
// too (Roberts 2018), leave gaps fifty times as wide as need be in six dimensions, and
// coordinates that move in step in twelve; so do these in many more, where coordinates past
// the first dozen are random numbers. Fractions are integers of 64 bits, so nothing is
// rounded.
// Source: Richtmyer, The evaluation of definite integrals, and a quasi-Monte-Carlo method
// based on the properties of algebraic numbers, 1951.
#include "math/spread.h"

#include <math.h>

static const double primes[SINEW_SPREAD_REGULAR] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

sinew_spread sinew_spread_of(int count, uint64_t seed) {
  sinew_spread spread = {.count = count, .seed = seed};
  for (int j = 0; j < count && j < SINEW_SPREAD_REGULAR; ++j) {
    const double root = sqrt(primes[j]);
    spread.step[j] = (uint64_t)((root - (double)(int)root) * 0x1p64);
    spread.offset[j] = sinew_random_bits(seed, (uint64_t)j);
  }
  return spread;
}

void sinew_spread_point(const sinew_spread *spread, uint64_t n, double *u) {
  const int count = spread->count;
  const int regular = count < SINEW_SPREAD_REGULAR ? count : SINEW_SPREAD_REGULAR;
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
