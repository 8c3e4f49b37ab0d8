// Newton's step on a tree with limbs: see trunk.c.
#ifndef SINEW_STEP_TRUNK_H
#define SINEW_STEP_TRUNK_H

#include "base/memory.h"
#include "math/rows.h"
#include "simd/pair.h"

#include <stdbool.h>

struct sinew_newton_scratch;

// Columns of several blocks are the trunk's, those of one block its limb's.
typedef struct sinew_trunk {
  double *P;      // of each block, r x r: sum of w w^T / d of its limb's eliminated columns
  double *z;      // m: sum of w y / d of these
  double *right;  // t: right-hand sides of the trunk's columns
  double *x;      // t
  double *rest;   // t
  double *limb_x; // n: x with which limbs have been eliminated, read at active bounds
  signed char *limb_active; // n: active bounds, likewise
  signed char *active;      // t
  int *column;              // t: which columns these are
  bool *changed;            // of each block: whether its limb has to be eliminated
  sinew_rows rows;          // of the trunk's columns: values are w, second v
  double mu;                // with which limbs have been eliminated
  bool begun;               // whether limbs have been eliminated for the rows
} sinew_trunk;

static inline bool sinew_trunk_is_used(const sinew_rows *rows) {
  return SINEW_HAS_FAST_PATHS && rows->trunk > 0 && !rows->formed;
}

#ifndef SINEW_SMALL

// Before the first system of rows: finds the trunk.
void sinew_trunk_begin(const sinew_rows *rows, struct sinew_newton_scratch *scratch);

void sinew_trunk_layout(sinew_arena *arena, int m, int n, sinew_trunk *trunk);

// Factors H + mu I without the columns whose bound is active (NULL: none), mu that of the scratch.
// Limbs that have been eliminated with the same mu and active bounds remain. Returns the column
// whose pivot d is not positive, with 1 / d in scratch.pivot, or -1.
int sinew_trunk_factor(const sinew_rows *rows, const double *right, const signed char *active,
                       const double *x, struct sinew_newton_scratch *scratch);

// x of the columns without an active bound, and scratch.unconstrained, g - (H + mu I) x, of the
// others. |x| of scratch.negative_pivot is at least least.
void sinew_trunk_solve(const sinew_rows *rows, const signed char *active, double least,
                       struct sinew_newton_scratch *scratch, double *x);

#else

static inline void sinew_trunk_layout(sinew_arena *arena, int m, int n, sinew_trunk *trunk) {
  (void)arena;
  (void)m;
  (void)n;
  (void)trunk;
}

static inline void sinew_trunk_begin(const sinew_rows *rows, struct sinew_newton_scratch *scratch) {
  (void)rows;
  (void)scratch;
}

static inline int sinew_trunk_factor(const sinew_rows *rows, const double *right,
                                     const signed char *active, const double *x,
                                     struct sinew_newton_scratch *scratch) {
  (void)rows;
  (void)right;
  (void)active;
  (void)x;
  (void)scratch;
  return -1;
}

static inline void sinew_trunk_solve(const sinew_rows *rows, const signed char *active,
                                     double least, struct sinew_newton_scratch *scratch,
                                     double *x) {
  (void)rows;
  (void)active;
  (void)least;
  (void)scratch;
  (void)x;
}

#endif

#endif
