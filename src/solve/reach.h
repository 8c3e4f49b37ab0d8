// Proofs that targets cannot be reached.
#ifndef SINEW_SOLVE_REACH_H
#define SINEW_SOLVE_REACH_H

#include "problem/problem.h"

// Whether some position target, or the distance between two of them, is beyond what the lengths of
// the chains allow, however joints turn. Slides keep within the limits in force; degrees of freedom
// that are not active, frozen or above a chain's root say, stay as they are in q. False proves
// nothing.
bool sinew_reach_excludes(const sinew_problem *problem, const sinew_target *targets,
                          const double *q);

#endif
