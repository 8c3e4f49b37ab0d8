// Starts whose slides are far from the targets.
#ifndef SINEW_SOLVE_SLIDES_H
#define SINEW_SOLVE_SLIDES_H

#include "solve/solver.h"

// Whether something slides so far that starts had better be brought near the targets.
bool sinew_slides_far(const sinew_problem *problem);

// Brings a far q near the targets by what slides far alone.
void sinew_slide_near(sinew_solver *solver, const sinew_target *targets, double *q);

#endif
