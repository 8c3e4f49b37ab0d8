// A low-discrepancy sequence in the unit cube. Each point is computed from its number alone.
#ifndef SINEW_MATH_SPREAD_H
#define SINEW_MATH_SPREAD_H

#include "sinew/math.h"

// Coordinates past this many are random numbers: see spread.c.
#define SINEW_SPREAD_REGULAR 12

typedef struct sinew_spread {
  int count; // coordinates of a point
  uint64_t seed;
  uint64_t step[SINEW_SPREAD_REGULAR], offset[SINEW_SPREAD_REGULAR]; // in units of 2^-64
} sinew_spread;

// @param seed different seeds give different points
sinew_spread sinew_spread_of(int count, uint64_t seed);

// u (count) = the n-th point, each coordinate in [0, 1).
void sinew_spread_point(const sinew_spread *spread, uint64_t n, double *u);

#endif
