// Memory of searches.
#ifndef SINEW_SOLVE_SCRATCH_H
#define SINEW_SOLVE_SCRATCH_H

#include "seed/seeds.h"

// Solutions that a search keeps for itself. Arms with a wrist or an elbow have no more; where
// there are more, some have no mirrors tried.
#define SINEW_KNOWN 8

typedef struct sinew_search_scratch {
  double *attempt; // nq: where an attempt is
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
