// Solutions in order of their distance, and their images by whole turns of joints.
#ifndef SINEW_SOLVE_SOLUTIONS_H
#define SINEW_SOLVE_SOLUTIONS_H

#include "problem/configuration.h"
#include "solve/solver.h"

// Sorts count rows of nq values by their distance to a configuration. Uses spare of the search
// scratch.
void sinew_solutions_sort(sinew_solver *solver, const double *weights, const double *to, int count,
                          double *rows);

// Adds the images of each row and keeps the nearest, up to capacity. Rows must be sorted, each the
// nearest of its images; they are sorted afterwards. Joints without limits on both sides have no
// images. Returns the number of rows. Uses the search scratch.
int sinew_solutions_add_images(sinew_solver *solver, const double *weights, const double *to,
                               int count, int capacity, double *rows);

#endif
