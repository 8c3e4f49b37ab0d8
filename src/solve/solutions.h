// Solutions against each other: how far they are apart, which are the same, and what
// whole turns make of them.
#ifndef SINEW_SOLVE_SOLUTIONS_H
#define SINEW_SOLVE_SOLUTIONS_H

#include "solve/solver.h"

// Sum of w_v dq_v^2 over the degrees of freedom in use, balls by their rotation vector.
// weights: nv, or NULL: all 1.
double sinew_solution_distance(const sinew_solver *solver, const double *weights, const double *a,
                               const double *b);

// Takes whole turns off q, and signs off its balls, to bring it as near to another as limits
// allow.
void sinew_solution_bring_near(const sinew_solver *solver, const double *to, double *q);

// Takes whole turns off values that are outside their limits, as far as that brings them in.
void sinew_solution_bring_inside(const sinew_solver *solver, double *q);

// Whether two differ by less than distinct in every joint, whole turns not looked at [rad;
// sizes of the model].
bool sinew_solution_is_same(const sinew_solver *solver, double distinct, const double *a,
                            const double *b);

// Sorts count rows of nq values by their distance to a place. Uses the global scratch's spare.
void sinew_solutions_sort(sinew_solver *solver, const double *weights, const double *to, int count,
                          double *rows);

// Adds what whole turns make of each row, and keeps the nearest, up to capacity; rows are sorted
// and near to the place before, sorted after. Joints without limits on both sides are left
// where they are. Returns how many rows there are. Uses the global scratch.
int sinew_solutions_add_images(sinew_solver *solver, const double *weights, const double *to,
                               int count, int capacity, double *rows);

#endif
