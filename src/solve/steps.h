// Parts of a step that the methods' steps (find_step.c) and the default's update (track.c) share.
#ifndef SINEW_SOLVE_STEPS_H
#define SINEW_SOLVE_STEPS_H

#include "solve/methods.h"

// The input that all rules have in common; the method adds damping and constants.
sinew_step_problem sinew_solver_step_problem(const sinew_solver *solver);

// A step with the problem's damping. While it is longer than max_turn, the damping is increased; if
// that is not enough, the step is scaled.
void sinew_solver_solve_damped(sinew_solver *solver, const sinew_method_row *method,
                               sinew_step_problem *problem);

// From the x of an update rule to changes of q, scaled where a joint turns too far.
void sinew_solver_finish_step(sinew_solver *solver);

#endif
