// Proofs that targets cannot be reached.
#ifndef SINEW_SOLVE_REACH_H
#define SINEW_SOLVE_REACH_H

#include "problem/problem.h"
#include "sinew/solver.h"

// Whether some position target, or the distance between two of them, is impossible for the lengths
// of the chains, for any joint angles and by more than the tolerances. Prismatic joints are within
// their limits; inactive degrees of freedom, for example frozen ones or those above a chain's root,
// are constant as in q. False proves nothing.
bool sinew_reach_excludes(const sinew_problem *problem, const sinew_tolerances *tolerances,
                          const sinew_target *targets, const double *q);

#endif
