// Attempts in lanes: the quick way of solve/attempts.h, where lanes can.
#ifndef SINEW_SOLVE_LANE_ATTEMPTS_H
#define SINEW_SOLVE_LANE_ATTEMPTS_H

#include "solve/attempts.h"

// As sinew_attempts_run(), for a solver whose lanes are ready.
void sinew_lane_attempts_run(sinew_solver *solver, sinew_attempts *attempts);

#endif
