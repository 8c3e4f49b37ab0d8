// The nearest configuration where attempts did not meet the targets.
#ifndef SINEW_SOLVE_NEAREST_H
#define SINEW_SOLVE_NEAREST_H

#include "solve/descent.h"

// How many ends of attempts are kept, for descents from them.
#define SINEW_NEAREST_ROWS 20

// After how many failed attempts the full proof of sinew_reach_prove() is tried: attempts at
// targets within reach rarely fail so often, and a proof takes as long as some hundred of them in
// lanes.
#define SINEW_NEAREST_PROOF 64

// How many starts of a limit on attempts are reserved for the search for the nearest configuration.
int sinew_nearest_reserve(sinew_solver *solver, int max_starts);

// Descends from d->q, the best attempt, and then from others that start elsewhere. Afterwards d->q
// is the best: that of the best attempt, unless another E is 1 % smaller. The lanes' first block
// may be in use.
// @param seeds of the search; its next starts are used
// @param starts how many, at most sinew_nearest_reserve()
void sinew_nearest_find(sinew_solver *solver, sinew_seeds *seeds, int starts, sinew_descent *d);

#endif
