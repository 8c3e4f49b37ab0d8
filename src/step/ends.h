// A chain of free balls that lead one point, solved from both of its ends at once.
#ifndef SINEW_STEP_ENDS_H
#define SINEW_STEP_ENDS_H

#include "step/stretch.h"

// Fewer balls than this are not worth it.
#define SINEW_ENDS_LEAST 6

// x (count) of (H + mu I) x = right, for a stretch that is all of a chain (rows.h), none of it
// held. False, and x as it was, where the matrix is not seen to be positive definite;
// sinew_stretch_eliminate() then tells where. That asks more of each pivot, half of mu at least;
// here the halves do, and where they meet it is enough that nothing is negative.
bool sinew_ends_solve(const sinew_stretch *s, double *x);

#endif
