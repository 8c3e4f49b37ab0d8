// The way out of straight limbs.
#ifndef SINEW_SOLVE_STRAIGHT_H
#define SINEW_SOLVE_STRAIGHT_H

#include <stdbool.h>

struct sinew_solver;

// Whether the last update moved nothing, or there was none. Only then a limb leaves by a posture;
// one that straightens in motion leaves by the level of the posture.
bool sinew_was_at_rest(const struct sinew_solver *solver);

// Bends limbs that are exactly straight, though a task of level 0 wants their end nearer: a little,
// to the side of their pole or, where they have none or it decides nothing, of the posture of an
// objective. The targets are in levels.targets. update: within limits of speed and acceleration.
// @return whether such a limit is in force on what has been bent: there is no room for other motion
bool sinew_leave_straight(struct sinew_solver *solver, bool update, double *q);

#endif
