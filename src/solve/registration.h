// A floating base that is brought near all targets at once, after a reset: the one place that says
// when, and where to, for single solvers, crowds and tracks.
#ifndef SINEW_SOLVE_REGISTRATION_H
#define SINEW_SOLVE_REGISTRATION_H

#include "problem/problem.h"
#include "seed/floating_base.h"
#include "sinew/solver.h"

// Finds the base of a problem that may be registered in the first update after a reset, and returns
// whether there is one: updates are by the default method and bounded by neither time_step,
// error_gain nor max_turn, and not told to keep the base; at least REGISTRATION_TASKS tasks have
// positions; all are points, orientations and poses without free axes, in the root link's frame;
// and the base may move all of them, by six active degrees of freedom without limits whose gains
// are 1.
bool sinew_registration_find(const sinew_problem *problem, const sinew_solver_def *def,
                             sinew_floating_base *base);

// Moves the base so that its points and axes come nearest to their targets, the posture being
// constant, if some task is not within the tolerances, and that turns it far and is much nearer
// than without turning. Returns whether it moved. The state must be at q, and no longer is then.
bool sinew_registration_move(const sinew_problem *problem, const sinew_floating_base *base,
                             const sinew_tolerances *tolerances, const sinew_state *state,
                             const sinew_target *targets, double *q);

#endif
