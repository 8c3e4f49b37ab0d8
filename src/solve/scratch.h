// Scratch memory of searches.
#ifndef SINEW_SOLVE_SCRATCH_H
#define SINEW_SOLVE_SCRATCH_H

#include "seed/seeds.h"

// How many solutions a search for one of them keeps. Arms with a wrist or an elbow have no more; of
// figures with more, the mirrors of some are not tried.
#define SINEW_KNOWN 8

// How many a search for all of them keeps, if the caller's memory has room for fewer. A chain of
// six joints has up to 16 without limits.
#define SINEW_KNOWN_ALL 16

// How many starts near the partners of solutions (isolated.h) may wait.
#define SINEW_PARTNERS 4

typedef struct sinew_search_scratch {
  double *attempt;       // nq: the configuration of an attempt
  double *seed;          // nq: the caller's, within limits
  double *answer;        // nq: the best so far
  double *spare;         // nq
  double *known;         // SINEW_KNOWN_ALL rows of nq: different solutions
  double *nearest;       // SINEW_NEAREST_ROWS rows of nq: attempts of nearest.c
  double *partners;      // SINEW_PARTNERS rows of nq
  double *lower, *upper; // nv each: the limits that are not in force (open.h)
  double *kept;          // nq: sinew_seeds.kept
  double *kept_errors;   // tasks: sinew_seeds.kept_errors
  sinew_seed_scratch seeds;
  sinew_seeds starts; // of the search at hand
} sinew_search_scratch;

void sinew_search_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                         sinew_search_scratch *scratch);

#endif
