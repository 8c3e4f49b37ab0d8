// The plane of a limb: how far it is turned from its pole, and the way out of a straight limb.
#ifndef SINEW_SOLVE_POLE_H
#define SINEW_SOLVE_POLE_H

#include "kinematics/state.h"
#include "sinew/objective.h"

#include <stdbool.h>

struct sinew_solver;

// The angle psi from the middle of a limb to its pole about the line from its root to its end, and
// its derivative by the limb's own degrees of freedom [1 / rad, 1 / m]. Both are multiplied by a
// weight that vanishes where the limb is straight or the pole on the line. The state is placed.
// @param rates nv
double sinew_pole_row(const sinew_state *state, const sinew_objective *objective, double *rates);

// Bends limbs that are exactly straight, though a task of level 0 wants their end nearer: a
// little, to the side of the pole or, where that decides nothing, of the objective's posture. The
// targets are in levels.targets. update: within limits of speed and acceleration.
// @return whether such a limit is in force on what has been bent: there is no room for other motion
bool sinew_pole_leave_straight(struct sinew_solver *solver, bool update, double *q);

#endif
