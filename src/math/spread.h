// A low-discrepancy sequence in the unit cube. Each point is computed from its number alone.
#ifndef SINEW_MATH_SPREAD_H
#define SINEW_MATH_SPREAD_H

#include "sinew/math.h"

// Coordinates past this many are random numbers: see spread.c.
#define SINEW_LOW_DISCREPANCY_REGULAR 12

typedef struct sinew_low_discrepancy {
  int count; // coordinates of a point
  uint64_t seed;
  uint64_t step[SINEW_LOW_DISCREPANCY_REGULAR],
      offset[SINEW_LOW_DISCREPANCY_REGULAR]; // in units of 2^-64
} sinew_low_discrepancy;

// @param seed different seeds give different points
sinew_low_discrepancy sinew_low_discrepancy_of(int count, uint64_t seed);

// u (count) = the n-th point, each coordinate in [0, 1).
void sinew_low_discrepancy_point(const sinew_low_discrepancy *spread, uint64_t n, double *u);

#endif
