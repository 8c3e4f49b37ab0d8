// Isolated solutions: of a problem with as many rows as columns, they are points at which the
// Jacobian J (n x n) has an inverse.
#ifndef SINEW_SOLVE_ISOLATED_H
#define SINEW_SOLVE_ISOLATED_H

#include "sinew/solver.h"

#include <stdbool.h>

// The largest number of columns.
#define SINEW_ISOLATED_MOST 12

// J near a solution, factored: P J = L U.
typedef struct sinew_square {
  int n, sign; // sign of det J; 0: it has no inverse
  double A[SINEW_ISOLATED_MOST * SINEW_ISOLATED_MOST];
  int rows[SINEW_ISOLATED_MOST];
} sinew_square;

typedef enum sinew_partner {
  SINEW_PARTNER_NONE = 0, // q is near no such singularity
  SINEW_PARTNER_MERGED,   // the other one is so near that the two count as one
  SINEW_PARTNER_DISTINCT
} sinew_partner;

// Whether a problem has as many rows as columns, and few enough.
bool sinew_isolated_applies(const sinew_solver *solver);

// Whether the signs of det J over all solutions add up to 0, singular ones aside: isolated.c.
bool sinew_isolated_is_balanced(const sinew_solver *solver);

// Refines a configuration q (nq) that is near a solution. Returns whether its residual is 0 to
// rounding now; if not, it is no further from the targets than before.
// @param J out: at the last configuration but one
bool sinew_isolated_refine(sinew_solver *solver, const sinew_target *targets, double *q,
                           sinew_square *J);

// Whether q (nq), between two configurations within the tolerance, leads to another one by a few
// damped steps, which hardly move along a curve of them; q receives it.
bool sinew_isolated_lead_back(sinew_solver *solver, const sinew_target *targets, double *q);

// Whether q is a solution up to rounding, not within the tolerance only.
bool sinew_isolated_is_exact(sinew_solver *solver, const sinew_target *targets, const double *q);

// Of a solution q near a singularity where two solutions merge: about where the other one is.
// @param distinct how far apart solutions must be (sinew_global_def)
// @param out nq
sinew_partner sinew_isolated_partner(sinew_solver *solver, const sinew_target *targets,
                                     const double *q, double distinct, double *out);

#endif
