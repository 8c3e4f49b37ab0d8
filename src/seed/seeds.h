// Starts of searches: the caller's configuration, postures of a bank, a low-discrepancy sequence,
// and mirrors of solutions. All searches use these starts, which depend only on their number and on
// the solutions found so far.
//
// Nothing is evaluated here. Moving long prismatic joints near the targets is the task of the
// search (solve/slides.h).
#ifndef SINEW_SEED_SEEDS_H
#define SINEW_SEED_SEEDS_H

#include "math/spread.h"
#include "problem/problem.h"
#include "seed/bank.h"
#include "seed/mirror.h"
#include "seed/network.h"

// The limit on postures of a bank in one search.
#define SINEW_SEED_POSTURES 32

// Scratch memory of starts, for one problem at a time.
typedef struct sinew_seed_scratch {
  sinew_mirror *mirrors; // of the model
  int mirror_count;
  sinew_low_discrepancy spread; // over the active degrees of freedom
  double *uniform;              // nv
  double *posture;              // nq
} sinew_seed_scratch;

void sinew_seed_scratch_layout(sinew_arena *arena, const sinew_model *model,
                               sinew_seed_scratch *scratch);

// Initializes what depends on the model alone.
void sinew_seed_scratch_begin(sinew_seed_scratch *scratch, const sinew_model *model);

// Updates the scratch after the problem was compiled again.
void sinew_seed_scratch_fit(sinew_seed_scratch *scratch, const sinew_problem *problem);

// The starts of one search.
typedef struct sinew_seeds {
  const sinew_problem *problem;
  sinew_seed_scratch *scratch;
  const sinew_target *targets;
  const double *caller;         // nq, within limits; inactive values are these in every start
  int caller_number;            // which start is the caller's, or -1: none is
  bool caller_again;            // its configuration is a start once more, for a search to change
  bool near;                    // every other point of the sequence is moved near the caller's
  const sinew_bank *bank;       // NULL: none
  int most_postures;            // of the bank, at most SINEW_SEED_POSTURES
  const sinew_network *network; // NULL: none
  int most_outputs;             // of the network

  // Solutions found so far, whose mirrors are starts.
  const double *solutions; // rows of nq
  int solution_count;
  double distinct; // mirrors this near to one of known (sinew_problem_is_same()) are left out
  const double *known;
  int known_count;
  const double *nearer; // not NULL: start between this solution and the caller's, once

  // The dropped attempt of which starts keep a part: sinew_seeds_keep().
  double *kept;        // nq, memory of the caller, or NULL: none is kept
  double *kept_errors; // the norm of the residual of each block there, memory of the caller
  double kept_E;       // INFINITY: there is none
  int kept_starts;     // starts from it
  uint64_t restart;    // the next point of the sequence for such a start

  int posture, posture_count; // the next, and how many have been found
  int postures[SINEW_SEED_POSTURES + 1];
  int output;         // the next of the network
  uint64_t place;     // the next point of the sequence
  int parent, mirror; // the next mirror: of which solution, and which one
} sinew_seeds;

// The limit on outputs of a network, if the first solution is wanted.
#define SINEW_SEED_FEW_OUTPUTS 8

// Initializes the starts: no solutions, no bank, the first point of the sequence. The caller sets
// the other fields.
static inline void sinew_seeds_begin(sinew_seeds *seeds, const sinew_problem *problem,
                                     sinew_seed_scratch *scratch) {
  seeds->problem = problem;
  seeds->scratch = scratch;
  seeds->near = false;
  seeds->bank = NULL;
  seeds->network = NULL;
  seeds->most_outputs = seeds->output = 0;
  seeds->solutions = seeds->known = seeds->nearer = NULL;
  seeds->kept = seeds->kept_errors = NULL;
  seeds->kept_E = INFINITY;
  seeds->kept_starts = 0;
  seeds->restart = 0;
  seeds->solution_count = seeds->known_count = 0;
  seeds->posture = seeds->posture_count = 0;
  seeds->place = 0;
  seeds->parent = seeds->mirror = 0;
}

// Moves q a share of the way to another configuration (nq), both within limits.
void sinew_seeds_go_towards(const sinew_problem *problem, const double *to, double share,
                            double *q);

// q = the next start that follows from the solutions found; false: there is none.
bool sinew_seeds_follow(sinew_seeds *seeds, double *q);

// Restarts the mirrors, after the one solution of which they are taken was replaced.
void sinew_seeds_restart_mirrors(sinew_seeds *seeds);

// A number that is not the caller's.
#define SINEW_SEED_NUMBER_OTHER (-2)

// Whether sinew_seeds_keep() would keep an attempt that was dropped with this half squared
// residual.
static inline bool sinew_seeds_wants(const sinew_seeds *seeds, double E) {
  return seeds->kept != NULL && E < seeds->kept_E && seeds->problem->pattern.block_count > 1;
}

// Keeps an attempt (q, nq) that was dropped: the next starts have its values, but for the limbs
// with large errors. rows: its residual.
void sinew_seeds_keep(sinew_seeds *seeds, const double *q, double E, const sinew_rows *rows);

typedef enum sinew_seed_kind {
  SINEW_SEED_OTHER,
  SINEW_SEED_CALLER, // the caller's configuration, unchanged
  SINEW_SEED_KEPT    // it has a part of an attempt that was kept
} sinew_seed_kind;

// q = the start with a number; there is no last one.
sinew_seed_kind sinew_seeds_next(sinew_seeds *seeds, int number, double *q);

#endif
