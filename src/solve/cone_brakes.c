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

// The members of a step up to its limits: rows, axes, most, down, up.
#define LIMITS 21

// Numbers of rows, a row a lane.
static void read_rows(int count, int size, const double *const row[], lane *out) {
#if SINEW_LANES == 4
  fours_read(count, size, row, out);
#else
  (void)count;
  memcpy(out, row[0], (size_t)size * sizeof *out);
#endif
}

static void brake(sinew_solver *solver, const tracking_brakes *by, const double *all_moved,
                  const double *all_last, int count, const sinew_column_group *const group[]) {
  const sinew_problem *problem = &solver->problem;
  const double *step[SINEW_LANES], *now[SINEW_LANES], *before[SINEW_LANES], *scale[SINEW_LANES],
      *low[SINEW_LANES], *high[SINEW_LANES];
  lane_cone_step limits;
  lane moved[3], last[3], inverse[2], lower[2], upper[2];
  for (int l = 0; l < SINEW_LANES; ++l) {
    const int column = group[l < count ? l : 0]->column;
    step[l] = solver->cones[group[l < count ? l : 0]->cone].row[0];
    now[l] = all_moved + column;
    before[l] = all_last + problem->dof_of_column[column];
    scale[l] = problem->inverse_scale + column;
    low[l] = solver->linear.lower + column;
    high[l] = solver->linear.upper + column;
  }
  read_rows(count, LIMITS, step, limits.row[0]);
  read_rows(count, 3, now, moved);
  read_rows(count, 3, before, last);
  read_rows(count, 2, scale, inverse);
  read_rows(count, 2, low, lower);
  read_rows(count, 2, high, upper);
  cone_brake(&limits, by, moved, last, inverse, lower, upper);
  for (int l = 0; l < count && l < SINEW_LANES; ++l) {
    const int column = group[l]->column;
    for (int i = 0; i < 2; ++i) {
      double values[2][SINEW_LANES];
      lane_store(values[0], lower[i]);
      lane_store(values[1], upper[i]);
      solver->linear.lower[column + i] = values[0][l];
      solver->linear.upper[column + i] = values[1][l];
    }
  }
}

void sinew_cones_brake(sinew_solver *solver, double slower, double max_change, const double *moved,
                       const double *last) {
  const sinew_column_group *group[SINEW_CONE_FOUR];
  const tracking_brakes by = {lane_of(slower), lane_of(1.0 / slower), lane_of(max_change)};
  for (int g = 0, count; (count = sinew_cones_next(&solver->problem, &g, group)) > 0;) {
    for (int i = 0; i < count; i += SINEW_LANES) {
      brake(solver, &by, moved, last, count - i, group + i);
    }
  }
}
