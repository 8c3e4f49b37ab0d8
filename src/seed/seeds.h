// Where to start: the caller's configuration, postures of a bank, places of low discrepancy, and
// what solutions tell of others. Every search asks for its starts here; they depend on their
// number, and on what has been found, alone.
//
// A start evaluates nothing. Bringing what slides far near the targets is the search's (solve/).
#ifndef SINEW_SEED_SEEDS_H
#define SINEW_SEED_SEEDS_H

#include "math/spread.h"
#include "problem/problem.h"
#include "seed/bank.h"
#include "seed/mirror.h"

// Most postures of a bank that one search takes.
#define SINEW_SEED_POSTURES 32

// What starts are made with, for a problem at a time.
typedef struct sinew_seed_scratch {
  sinew_mirror *mirrors; // of the model
  int mirror_count;
  sinew_spread spread; // over the active degrees of freedom
  double *uniform;     // nv
  double *posture;     // nq
} sinew_seed_scratch;

void sinew_seed_scratch_layout(sinew_arena *arena, const sinew_model *model,
                               sinew_seed_scratch *scratch);

// Finds what depends on the model alone.
void sinew_seed_scratch_begin(sinew_seed_scratch *scratch, const sinew_model *model);

// Takes over a problem that has been compiled anew.
void sinew_seed_scratch_fit(sinew_seed_scratch *scratch, const sinew_problem *problem);

// The starts of one search.
typedef struct sinew_seeds {
  const sinew_problem *problem;
  sinew_seed_scratch *scratch;
  const sinew_target *targets;
  const double *caller;   // nq, within limits; inactive values are these in every start
  int caller_number;      // which start is the caller's, or -1: none is
  bool caller_again;      // its configuration is a start once more, for a search to change
  bool near;              // every other place is near the caller's
  const sinew_bank *bank; // NULL: none
  int most_postures;      // of the bank, at most SINEW_SEED_POSTURES

  // Solutions found so far, whose mirrors are starts.
  const double *solutions; // rows of nq
  int solution_count;
  double distinct; // mirrors this near to one of known (sinew_problem_is_same()) are left out
  const double *known;
  int known_count;
  const double *nearer; // not NULL: start between this solution and the caller's, once

  int posture, posture_count; // the next, and how many have been found
  int postures[SINEW_SEED_POSTURES + 1];
  uint64_t place; // the next
  int parent, mirror;
} sinew_seeds;

// No solutions, no bank, the first place; targets, caller and what else differs is for the caller
// to set.
static inline void sinew_seeds_begin(sinew_seeds *seeds, const sinew_problem *problem,
                                     sinew_seed_scratch *scratch) {
  seeds->problem = problem;
  seeds->scratch = scratch;
  seeds->near = false;
  seeds->bank = NULL;
  seeds->solutions = seeds->known = seeds->nearer = NULL;
  seeds->solution_count = seeds->known_count = 0;
  seeds->posture = seeds->posture_count = 0;
  seeds->place = 0;
  seeds->parent = seeds->mirror = 0;
}

// q = the next start that follows from what has been found; false: there is none.
bool sinew_seeds_follow(sinew_seeds *seeds, double *q);

// Another solution is the only one that mirrors are taken of: from its first on.
void sinew_seeds_follow_anew(sinew_seeds *seeds);

// q = a start, by its number. There is always one. Returns whether it is the caller's as it is.
bool sinew_seeds_next(sinew_seeds *seeds, int number, double *q);

#endif
