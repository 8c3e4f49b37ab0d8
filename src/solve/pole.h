// The plane of a limb: how far it is turned from its pole.
#ifndef SINEW_SOLVE_POLE_H
#define SINEW_SOLVE_POLE_H

#include "kinematics/state.h"
#include "sinew/objective.h"

#include <stdbool.h>

struct sinew_solver;

// The points of a limb: root, middle and end; p is the way from the root to the pole.
typedef struct sinew_limb_points {
  double s[3], m[3], h[3], p[3];
} sinew_limb_points;

sinew_limb_points sinew_pole_points(const sinew_state *state, const sinew_objective *objective);

// The angle psi from the middle of a limb to its pole about the line from its root to its end, and
// its derivative by the limb's own degrees of freedom [1 / rad, 1 / m]. Both are multiplied by a
// weight that vanishes where the limb is straight or the pole on the line. The state is placed.
// @param rates nv
double sinew_pole_row(const sinew_state *state, const sinew_objective *objective, double *rates);

// goal <- the way from a limb's root s to where task t of level 0 wants its end, which is at h now.
// Returns whether the task places a point.
bool sinew_pole_goal(const struct sinew_solver *solver, int t, const double s[3], const double h[3],
                     double goal[3]);

#endif
