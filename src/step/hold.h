// Degrees of freedom that rest on a bound: the active set of steps that are no
// minimum within a box.
//
// Such a step is found for all, then those that stand at a bound and would go further out are
// held there, and the others are solved for again. None is let go, so this ends after at most n
// rounds. Source: Baerlocher and Boulic, An inverse kinematics architecture enforcing an
// arbitrary number of strict priority levels, 2004, without its release.
#ifndef SINEW_STEP_HOLD_H
#define SINEW_STEP_HOLD_H

#include "math/rows.h"

#include <stdbool.h>

// Holds those free that are at a bound or beyond it (lower >= 0 or upper <= 0) and whose x_j is
// further out: held -1 or 1, x_j on the bound. Bounds may be NULL: none. Returns whether there
// was one. What goes past a bound from inside is left for the caller to cut short.
bool sinew_hold_outward(int n, const double *lower, const double *upper, signed char *held,
                        double *x);

// x of those free <- 0; residual (m) = e - J x. Returns whether it differs from e.
bool sinew_hold_residual(const sinew_rows *rows, const double *e, const signed char *held,
                         double *x, double *residual);

#endif
