// Rows over the columns of lower levels (solve/levels.h), from those over the columns of a problem.
// Compiled for each instruction set.
#ifndef SINEW_SOLVE_LEVEL_ROWS_H
#define SINEW_SOLVE_LEVEL_ROWS_H

#include "solve/solver.h"

// Writes the rows of a problem, at its last residual, to J, which is 0 where they are.
void sinew_level_write_rows(const sinew_solver *solver, const sinew_problem *problem,
                            sinew_evaluation *evaluation, double *J);

// Zeros where the rows of the levels above k have none of their columns. From one update to the
// next the same columns are written, and the zeros stay.
void sinew_level_zero_rows(sinew_solver *solver, sinew_level_zeros zeros);

static inline void sinew_level_clear_rows(sinew_solver *solver, int k) {
  const sinew_levels *levels = solver->levels;
  const int stride = sinew_levels_stride(levels);
  if (SINEW_UNLIKELY(levels->zeros.list != levels->list || levels->zeros.k != k ||
                     levels->zeros.stride != stride)) {
    sinew_level_zero_rows(solver, (sinew_level_zeros){levels->list, k, stride});
  }
}

// J (count rows), over a problem's columns in their places: angular ones of spherical joints become
// those of a step (solve/level_cones.h).
void sinew_level_turn_rows(const sinew_solver *solver, const sinew_problem *problem, int count,
                           double *J);

// q <- from moved by a share of x, within limits; q may be from.
void sinew_level_move(const sinew_solver *solver, const double *from, const double *x, double share,
                      double *q);

#endif
