// Points of low discrepancy: a Kronecker sequence.
//
// Coordinate j of point n is the fraction of n a_j + o_j. With a_j = g^-(j+1), g the
// root of g^(d+1) = g + 1 (for d = 1 the golden ratio), the points keep well apart for
// any n. The offsets o_j are random. In many dimensions g is all but 1, neighbouring a_j
// move in step, and the points fall into stripes; so coordinates past the first dozen
// are random numbers. Fractions are integers of 64 bits, so nothing is rounded.
// Source: Roberts, The unreasonable effectiveness of quasirandom sequences, 2018.
#include "math/spread.h"

// The root of g^(d+1) - g - 1 by Newton's method, from above: it falls to the root.
static double ratio_of(int d) {
  double g = 2.0;
  for (int round = 0; round < 64; ++round) {
    double power = 1.0; // g^d
    for (int i = 0; i < d; ++i) {
      power *= g;
    }
    g -= (power * g - g - 1.0) / ((d + 1) * power - 1.0);
  }
  return g;
}

sinew_spread sinew_spread_of(int count, uint64_t seed) {
  sinew_spread spread = {.count = count, .seed = seed};
  const int regular = count < SINEW_SPREAD_REGULAR ? count : SINEW_SPREAD_REGULAR;
  const double g = regular > 0 ? ratio_of(regular) : 1.0;
  double a = 1.0;
  for (int j = 0; j < regular; ++j) {
    a /= g;
    spread.step[j] = (uint64_t)(a * 0x1p64);
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
