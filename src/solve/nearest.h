// The nearest configuration where attempts did not meet the targets.
#ifndef SINEW_SOLVE_NEAREST_H
#define SINEW_SOLVE_NEAREST_H

#include "solve/descent.h"

// How many more starts a search for the nearest configuration has.
#define SINEW_NEAREST_STARTS 20

// After how many failed attempts the full proof of sinew_reach_prove() is tried: attempts at
// targets within reach rarely fail so often, and a proof takes as long as some hundred of them in
// lanes.
#define SINEW_NEAREST_PROOF 64

// The starts of a limit on attempts that are reserved for it.
static inline int sinew_nearest_reserve(int max_starts) {
  const int share = max_starts / 4;
  return share < SINEW_NEAREST_STARTS ? share : SINEW_NEAREST_STARTS;
}

// Descends from d->q, the best attempt, and then from others that start elsewhere. Afterwards d->q
// is the best: that of the best attempt, unless another E is 1 % smaller.
// @param seeds of the search; its next starts are used
// @param starts how many, at most SINEW_NEAREST_STARTS
void sinew_nearest_find(sinew_solver *solver, sinew_seeds *seeds, int starts, sinew_descent *d);

#endif
