// What an update of a solver leaves for the next one, as a row of numbers: a worker's solver takes
// the history of one figure of a crowd after another.
#ifndef SINEW_BATCH_HISTORY_H
#define SINEW_BATCH_HISTORY_H

struct sinew_solver;

// How many numbers the history of a solver with these tasks and objectives has.
int sinew_solver_history_size(struct sinew_solver *solver);

// Copies them from or to a row whose values are stride apart.
void sinew_solver_load_history(struct sinew_solver *solver, const double *row, int stride);
void sinew_solver_store_history(struct sinew_solver *solver, double *row, int stride);

#endif
