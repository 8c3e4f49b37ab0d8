// Places to start attempts from.
#ifndef SINEW_SOLVE_STARTS_H
#define SINEW_SOLVE_STARTS_H

#include "sinew/global.h"
#include "solve/solver.h"

// q = the n-th of places that are spread evenly over what degrees of freedom in use may be,
// drawn towards q as it was: reach 1 is all the way out, 0 stays. Others keep their bits.
void sinew_start_spread(sinew_solver *solver, uint64_t n, double reach, double *q);

// q = a place a share of the way to another (nq), both within limits.
void sinew_start_towards(const sinew_solver *solver, const double *to, double share, double *q);

// Whether something slides so far that starts had better be brought near the targets.
bool sinew_start_slides(const sinew_solver *solver);

// Brings a far q near the targets by what slides far alone.
void sinew_start_slide_near(sinew_solver *solver, const sinew_target *targets, double *q);

// q = a posture of a bank, within limits; what is not in use keeps its bits.
void sinew_start_posture(sinew_solver *solver, const sinew_bank *bank, int index,
                         const sinew_target *targets, double *q);

// q = the mirror of a solution (nq), or false where it is no use: a joint that it moves is not
// in use, or limits leave it nowhere near.
bool sinew_start_mirror(sinew_solver *solver, int mirror, const double *solution, double *q);

#endif
