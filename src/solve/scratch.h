// Scratch memory of searches.
#ifndef SINEW_SOLVE_SCRATCH_H
#define SINEW_SOLVE_SCRATCH_H

#include "seed/seeds.h"

// How many solutions a search keeps. Arms with a wrist or an elbow have no more; of figures with
// more, the mirrors of some are not tried.
#define SINEW_KNOWN 8

typedef struct sinew_search_scratch {
  double *attempt; // nq: the configuration of an attempt
  double *seed;    // nq: the caller's, within limits
  double *answer;  // nq: the best so far
  double *spare;   // nq
  double *known;   // SINEW_KNOWN rows of nq: different solutions
  sinew_seed_scratch seeds;
  sinew_seeds starts; // of the search at hand
} sinew_search_scratch;

void sinew_search_layout(sinew_arena *arena, const sinew_model *model,
                         sinew_search_scratch *scratch);

#endif
