// Combinations of solutions of separate components (components.h): each solution of one with each
// of the others is a solution of all.
#ifndef SINEW_SOLVE_PRODUCT_H
#define SINEW_SOLVE_PRODUCT_H

#include "solve/solutions.h"

// to <- the values of a component's joints.
void sinew_component_copy(const sinew_problem *part, const double *from, double *to);

// Combines each row of all, combinations of the solutions of components 0 .. component - 1, with
// each of count solutions of the next component, and keeps the nearest, up to the capacity. Both
// must be sorted by distance, and rows are afterwards. With all combinations of some components the
// nearest of more are found, since distances add up.
// @param all its solver is the whole one; at least one row
// @param list count rows of nq, 1 to SINEW_KNOWN_ALL
void sinew_solutions_multiply(sinew_solutions *all, int component, const double *list, int count);

#endif
