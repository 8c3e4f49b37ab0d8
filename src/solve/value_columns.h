// The columns of a step where column c is value c of q (problem.values), without limits of speed:
// what update.c, track_bounds.c and lower_step.c do for columns one by one, four at a time.
#ifndef SINEW_SOLVE_VALUE_COLUMNS_H
#define SINEW_SOLVE_VALUE_COLUMNS_H

#include "simd/pair.h"
#include "solve/solver.h"

#include <stdint.h>
#include <string.h>

// Whether there are such functions. Small builds do without them.
static inline bool sinew_has_value_columns(const sinew_problem *problem) {
  return SINEW_HAS_FAST_PATHS && problem->values && problem->pattern.dof_count >= 4;
}

// The same for the columns of lower levels.
static inline bool sinew_levels_have_value_columns(const sinew_solver *solver) {
  return SINEW_HAS_FAST_PATHS && solver->levels->values;
}

// The same where these are all values of q.
static inline bool sinew_levels_have_all_values(const sinew_solver *solver) {
  return SINEW_HAS_FAST_PATHS && solver->levels->all_values;
}

// Whether an objective of a higher level determines a column.
static inline bool sinew_levels_have_settled(const sinew_levels *levels) {
  uint32_t settled = 0; // of four columns; there is room for whole fours
  for (int c = 0; c < levels->n; c += 4) {
    uint32_t four;
    memcpy(&four, levels->settled + c, sizeof four);
    settled |= four;
  }
  return (settled & (UINT32_C(0x01010101) * SINEW_LEVEL_SETTLED)) != 0;
}

// linear.lower, upper <- limits less q, in the units of columns.
void sinew_value_columns_bound(sinew_solver *solver, const double *q);

// levels.lower_x, upper_x <- a share of the way from q to the limits; alone: within linear.lower
// and upper. Returns whether one of them is finite.
bool sinew_value_columns_bound_level(const sinew_solver *solver, const double *q, double share,
                                     bool alone);

// sinew_solver_apply_step()
void sinew_value_columns_apply(const sinew_solver *solver, const double *q, double *out);

// out <- the way from one configuration to another in the units of columns (problem.unit).
void sinew_value_columns_difference(const sinew_problem *problem, const double *from,
                                    const double *to, double *out);

// moved <- share times a motion of all columns. Returns the square of its difference to last_share
// times another.
double sinew_value_columns_compare_motion(int n, double share, const double *motion,
                                          double last_share, const double *last, double *moved);

// levels.D, g <- those of an objective: see add_objective() in objective_rows.c. Returns the
// square.
double sinew_value_columns_add_objective(const sinew_solver *solver, const double *weights,
                                         double share, const double *aim);

// q <- from moved by a share of a step of lower levels, within limits: as
// sinew_solver_apply_step().
void sinew_value_columns_move(const sinew_solver *solver, const double *from, const double *x,
                              double share, double *q);

#endif
