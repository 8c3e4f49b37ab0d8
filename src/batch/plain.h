// Figures of a crowd that kernels cannot run, those in which a joint with limits of swing and twist
// does not move about all its axes alike (SINEW_FEATURE_CONES_IN_PART): the solver of a worker
// updates one after another. A figure's history is kept with those of the crowd's groups.
#ifndef SINEW_BATCH_PLAIN_H
#define SINEW_BATCH_PLAIN_H

#include "batch/crowd.h"

// How many values a figure's history has.
int sinew_crowd_plain_values(const sinew_problem *problem);

// Clears that of a lane, as sinew_solver_reset() does.
void sinew_crowd_plain_clear(const sinew_crowd *crowd, int lane, double *history);

// The solver of a worker.
sinew_result sinew_crowd_plain_create(const sinew_crowd *crowd, sinew_solver **solver,
                                      sinew_error *error);

// Updates the figures of the usable lanes.
void sinew_crowd_plain_update(const sinew_crowd_group *group);

#endif
