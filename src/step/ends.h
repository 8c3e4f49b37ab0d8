// Twisted factorization of H + mu I (newton.c) for a chain of spherical joints in root-frame
// angular coordinates that moves one point: its outer and inner half are eliminated at the same
// time.
#ifndef SINEW_STEP_ENDS_H
#define SINEW_STEP_ENDS_H

#include "step/segment.h"

// With fewer joints elimination from the tip alone is faster.
#define SINEW_ENDS_LEAST 6

// x (count) of (H + mu I) x = right, for a segment that is a whole chain (rows.h), with no fixed
// column. Returns false, with x unchanged, where the matrix is not found positive definite;
// sinew_segment_eliminate() then returns the column. Both require pivots above mu / 2 while they
// eliminate; where the halves join, this function only requires positive eigenvalues.
bool sinew_ends_solve(const sinew_segment *s, double *x);

#endif
