// A floating base that is brought near all targets at once.
#ifndef SINEW_SOLVE_REGISTRATION_H
#define SINEW_SOLVE_REGISTRATION_H

#include "solve/solver.h"

// Moves the base of a figure so that its end effectors come nearest to their targets, the posture
// being constant, if that turns the base far and lowers the error. There must be at least
// REGISTRATION_TASKS tasks with positions, all on the base, which has neither limits nor, with a
// time step [s], limits of speed or acceleration. The last evaluation must be at q, and is
// afterwards too.
void sinew_register_base(sinew_solver *solver, const sinew_target *targets, double time, double *q);

#endif
