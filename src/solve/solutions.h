// Solutions in order of their distance, and what whole turns make of them.
#ifndef SINEW_SOLVE_SOLUTIONS_H
#define SINEW_SOLVE_SOLUTIONS_H

#include "problem/configuration.h"
#include "solve/solver.h"

// Sorts count rows of nq values by their distance to a place. Uses the global scratch's spare.
void sinew_solutions_sort(sinew_solver *solver, const double *weights, const double *to, int count,
                          double *rows);

// Adds what whole turns make of each row, and keeps the nearest, up to capacity; rows are sorted
// and near to the place before, sorted after. Joints without limits on both sides are left
// where they are. Returns how many rows there are. Uses the global scratch.
int sinew_solutions_add_images(sinew_solver *solver, const double *weights, const double *to,
                               int count, int capacity, double *rows);

#endif
