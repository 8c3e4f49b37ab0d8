// Newton's step by the factor of an earlier one: see kept_factor.c.
#ifndef SINEW_STEP_KEPT_FACTOR_H
#define SINEW_STEP_KEPT_FACTOR_H

#include "step/newton.h"

// The largest |dx| / |x_0|. What is left of x is about the square of that.
#define SINEW_KEPT_FACTOR_SHARE 0.03

// Columns from which on the step takes less than a new factor: the work of that is in proportion to
// the cube of their number, that of the step to its square.
#define SINEW_KEPT_FACTOR_COLUMNS 32

#ifndef SINEW_SMALL

// From now on the factor is that of H + mu I for these rows; NULL: it is not.
void sinew_factor_keep(const sinew_rows *rows, sinew_formed *formed);

// Forgets what is known of factors, as at first.
static inline void sinew_factor_forget(sinew_newton_scratch *scratch) {
  *scratch->formed.kept = *scratch->first.kept = (sinew_formed_kept){.values = NULL};
}

// The minimiser within the bounds as that of sinew_newton_step(), with scratch.held the active
// bounds to begin with and scratch.mu the damping. Returns false, with nothing changed but scratch
// and x, where the factor is that of other rows, H has changed too much, or the active bounds are
// others.
bool sinew_factor_step(const sinew_step_problem *problem, sinew_newton_scratch *scratch, double *x);

#else

static inline void sinew_factor_keep(const sinew_rows *rows, sinew_formed *formed) {
  (void)rows;
  (void)formed;
}

static inline void sinew_factor_forget(sinew_newton_scratch *scratch) {
  (void)scratch;
}

static inline bool sinew_factor_step(const sinew_step_problem *problem,
                                     sinew_newton_scratch *scratch, double *x) {
  (void)problem;
  (void)scratch;
  (void)x;
  return false;
}

#endif

#endif
