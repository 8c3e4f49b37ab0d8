// Braking ahead of limits of swing and twist: kernel/cone_brakes.h for four joints at once, a lane
// each; in small builds for one after the other.
#ifndef SINEW_SMALL
#define SINEW_LANES 4
#define SINEW_LANE_FUSED 0
#endif
#define SINEW_CALLS
#include "kernel/cone_brakes.h"
#include "math/cone_fours.h"
#include "simd/four_rows.h"
#include "solve/solver.h"

#ifdef SINEW_SMALL

static void brake(sinew_solver *solver, const tracking_brakes *by, const double *moved,
                  const double *last, int count, const sinew_column_group *const group[]) {
  for (int i = 0; i < count; ++i) {
    const int column = group[i]->column;
    cone_brake(&solver->cones[group[i]->cone], by, moved + column,
               last + solver->problem.dof_of_column[column], solver->problem.inverse_scale + column,
               solver->linear.lower + column, solver->linear.upper + column);
  }
}

#else

// The members of a step up to its limits: rows, axes, most, down, up.
#define LIMITS 21

static void brake(sinew_solver *solver, const tracking_brakes *by, const double *all_moved,
                  const double *all_last, int count, const sinew_column_group *const group[]) {
  const sinew_problem *problem = &solver->problem;
  const double *step[4], *now[4], *before[4], *scale[4], *low[4], *high[4];
  double *to_low[4], *to_high[4];
  lane_cone_step limits;
  lane moved[3], last[3], inverse[2], lower[2], upper[2];
  for (int l = 0; l < 4; ++l) {
    const sinew_column_group *of = group[l < count ? l : 0];
    step[l] = solver->cones[of->cone].row[0];
    now[l] = all_moved + of->column;
    before[l] = all_last + problem->dof_of_column[of->column];
    scale[l] = problem->inverse_scale + of->column;
    low[l] = to_low[l] = solver->linear.lower + of->column;
    high[l] = to_high[l] = solver->linear.upper + of->column;
  }
  fours_read(count, LIMITS, step, &limits);
  fours_read(count, 3, now, moved);
  fours_read(count, 3, before, last);
  fours_read(count, 2, scale, inverse);
  fours_read(count, 2, low, lower);
  fours_read(count, 2, high, upper);
  cone_brake(&limits, by, moved, last, inverse, lower, upper);
  fours_write(count, 2, lower, to_low);
  fours_write(count, 2, upper, to_high);
}

#endif

void sinew_cones_brake(sinew_solver *solver, double slower, double max_change, const double *moved,
                       const double *last) {
  const sinew_column_group *group[SINEW_CONE_FOUR];
  const tracking_brakes by = {lane_of(slower), lane_of(1.0 / slower), lane_of(max_change)};
  for (int g = 0, count; (count = sinew_cones_next(&solver->problem, &g, group)) > 0;) {
    brake(solver, &by, moved, last, count, group);
  }
}
