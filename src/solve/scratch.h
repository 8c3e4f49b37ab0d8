// What a global solve needs of memory, and what it learns of a model once.
#ifndef SINEW_SOLVE_SCRATCH_H
#define SINEW_SOLVE_SCRATCH_H

#include "math/spread.h"
#include "model/model.h"

// Three joints in a row, all of them turns of a value of their own, the middle one of which
// can be mirrored: mirror.c.
typedef struct sinew_mirror {
  int node;        // the last of them
  double twice;    // the middle one's values before and after the mirror add up to this [rad]
  bool first_axis; // what is mirrored about is the first's axis, else its place
  bool last_axis;  // what is mirrored is the last's axis, else its place
} sinew_mirror;

// Solutions that a search keeps for itself. Arms with a wrist or an elbow have no more; where
// there are more, mirrors of some are not looked at.
#define SINEW_KNOWN 8

// Most postures that a solve takes out of a bank.
#define SINEW_BANK_STARTS 32

typedef struct sinew_global_scratch {
  double *attempt;           // nq: where an attempt is
  double *seed;              // nq: the caller's, within limits
  double *answer;            // nq: the best so far
  double *spare;             // nq
  double *known;             // SINEW_KNOWN rows of nq: different solutions
  unsigned char *whole_turn; // nv: 1 where a whole turn changes nothing
  sinew_mirror *mirrors;
  int mirror_count;
  sinew_spread spread;
  int postures[SINEW_BANK_STARTS]; // of the bank
} sinew_global_scratch;

void sinew_global_layout(sinew_arena *arena, const sinew_model *model,
                         sinew_global_scratch *scratch);

// Fills what depends on the model alone.
void sinew_global_prepare(const sinew_model *model, sinew_global_scratch *scratch);

#endif
