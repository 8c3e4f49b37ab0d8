// Starts far from the targets, moved near them by long prismatic joints.
#ifndef SINEW_SOLVE_SLIDES_H
#define SINEW_SOLVE_SLIDES_H

#include "solve/solver.h"

// Whether the problem has a prismatic joint of so long a range that starts should be moved.
bool sinew_has_long_prismatic(const sinew_problem *problem);

// Moves a q that is far from the targets near them, by its long prismatic joints alone.
void sinew_prismatic_move_near(sinew_solver *solver, const sinew_target *targets, double *q);

#endif
