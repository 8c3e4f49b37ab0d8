// A search without the limits of joints that may rotate any number of times.
//
// Limits separate solutions: an attempt that a limit stops would have led to a solution from which
// mirrors lead to others within the limits. So all solutions are searched without limits, and those
// are kept that whole turns bring within them.
#ifndef SINEW_SOLVE_OPEN_H
#define SINEW_SOLVE_OPEN_H

#include "solve/solver.h"

// Whether there are limits to remove, and few enough solutions without them.
bool sinew_open_applies(const sinew_solver *solver);

// Removes the limits, and restores them.
void sinew_open_begin(sinew_solver *solver);
void sinew_open_end(sinew_solver *solver);

#endif
