// Solutions in order of their distance, and their images by whole turns of joints.
#ifndef SINEW_SOLVE_SOLUTIONS_H
#define SINEW_SOLVE_SOLUTIONS_H

#include "problem/configuration.h"
#include "solve/solver.h"

// A list of solutions, and what their distances are measured by. The functions below use the search
// scratch.
typedef struct sinew_solutions {
  sinew_solver *solver;
  const double *weights; // nv, or NULL: all 1
  const double *to;      // nq: the configuration to which distances are measured
  double deadline;       // of the solver's clock, or INFINITY: no image is added after it
  int count, capacity;
  double *rows; // capacity rows of nq
  bool late;    // whether the deadline has passed
} sinew_solutions;

// Sorts the rows by their distance.
void sinew_solutions_sort(sinew_solutions *solutions);

// Adds the images of each row and keeps the nearest, up to the capacity. Rows must be sorted, each
// the nearest of its images; they are sorted afterwards. Joints without limits on both sides have
// no images, and none is further than SINEW_FAR_TURNED from 0.
void sinew_solutions_add_images(sinew_solutions *solutions);

#endif
