// The active set of steps that are not the minimum of a function within a box.
//
// Such a step is computed for all x_j. Where it moves an x_j that is at a bound further out, that
// bound becomes active and x_j is set to it; the step is computed again for the others. No bound is
// released, so this ends after at most n rounds. Source: Baerlocher and Boulic, An inverse
// kinematics architecture enforcing an arbitrary number of strict priority levels, 2004, without
// its release of bounds.
#ifndef SINEW_STEP_HOLD_H
#define SINEW_STEP_HOLD_H

#include "math/rows.h"

#include <stdbool.h>

// Makes bounds active that x = 0 is at or beyond (lower >= 0 or upper <= 0) and that x_j is further
// out of: held <- -1 or 1, x_j <- the bound. Bounds may be NULL: none. Returns whether there was
// one. An x_j that passes a bound from inside is not changed: the caller shortens the step.
bool sinew_hold_outward(int n, const double *lower, const double *upper, signed char *held,
                        double *x);

// x_j <- 0 where no bound is active; residual (m) = e - J x. Returns false if that is e.
bool sinew_hold_residual(const sinew_rows *rows, const double *e, const signed char *held,
                         double *x, double *residual);

#endif
