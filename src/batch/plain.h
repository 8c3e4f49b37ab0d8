// Figures of a crowd that kernels cannot run: the solver of a worker updates one after another. A
// figure's history (batch/history.h) is kept with those of the crowd's groups.
#ifndef SINEW_BATCH_PLAIN_H
#define SINEW_BATCH_PLAIN_H

#include "batch/crowd.h"

// Takes the size of a figure's history, and a history after sinew_solver_reset(), from a solver as
// workers have one.
sinew_result sinew_crowd_plain_begin(sinew_crowd *crowd, sinew_error *error);

// Clears the history of a lane.
void sinew_crowd_plain_clear(const sinew_crowd *crowd, int lane, double *history);

// The solver of a worker.
sinew_result sinew_crowd_plain_create(const sinew_crowd *crowd, sinew_solver **solver,
                                      sinew_error *error);

// Updates the figures of the usable lanes.
void sinew_crowd_plain_update(const sinew_crowd_group *group);

#endif
