// Configurations far from the targets, moved near them by long prismatic joints: rails, floating
// and mobile bases. The one place where that is done for solves, updates and batches; crowds do the
// same in lanes (kernel/crowd_slides.h). The thresholds are in policy/rules.h.
#ifndef SINEW_SOLVE_SLIDES_H
#define SINEW_SOLVE_SLIDES_H

#include "solve/solver.h"

// Whether a point was further than this from its target at the last evaluation [sizes].
bool sinew_slides_are_far(const sinew_solver *solver, double sizes);

// Moves a q that is not near the targets near them, by its long prismatic joints alone. The last
// evaluation is not that of q afterwards.
// @param time of the motion, within speed limits [s]; 0: there are none
void sinew_slides_bring_near(sinew_solver *solver, const sinew_target *targets, double time,
                             double *q);

// The same for a start of a search. The caller's configuration, and those of local solves, are
// moved only if they are far.
void sinew_slides_bring_start_near(sinew_solver *solver, const sinew_target *targets, bool only_far,
                                   double *q);

#endif
