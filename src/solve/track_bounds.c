// The bounds of a step of the default method's updates. Compiled for each instruction set.
#include "math/vector.h"
#include "policy/tracking.h"
#include "simd/four.h"
#include "solve/solver.h"

// A factor on the distance within which a joint may have to brake, for rounding errors.
#define ROOM 1.001

// Whether limits bound a column no more than linear.lower and upper do: where no speed does, and
// its joint need not brake, here and where the part began. last: the size of its last motion.
SINEW_ALWAYS_INLINE bool is_far(const sinew_solver *solver, const tracking_brakes *by, double last,
                                int column) {
  const double gain = solver->problem.gain[column], moved = solver->track.moved[column];
  const double reach = ROOM * tracking_braking_reach(last, by->max_change, by->inverse);
  return gain * solver->linear.upper[column] + sinew_min(moved, 0.0) > reach &&
         gain * solver->linear.lower[column] + sinew_max(moved, 0.0) < -reach;
}

// The same of each of four columns from one on.
SINEW_ALWAYS_INLINE sinew_four_bits four_are_far(const sinew_solver *solver,
                                                 const tracking_brakes *by, sinew_four last,
                                                 int column) {
  const sinew_four zero = SINEW_FOUR_OF(0.0), half = SINEW_FOUR_OF(0.5 * ROOM);
  const sinew_four size =
      sinew_four_where(last < zero, -last, last) + SINEW_FOUR_OF(by->max_change);
  const sinew_four reach = half * size * (size * SINEW_FOUR_OF(by->inverse) + SINEW_FOUR_OF(1.0));
  const sinew_four gain = sinew_four_load(solver->problem.gain + column),
                   moved = sinew_four_load(solver->track.moved + column);
  const sinew_four_bits back = moved < zero;
  const sinew_four upper = gain * sinew_four_load(solver->linear.upper + column) +
                           sinew_four_masked(back, moved),
                   lower = gain * sinew_four_load(solver->linear.lower + column) +
                           sinew_four_masked(~back, moved);
  return (upper > reach) & (lower < -reach);
}

// The bounds of one column.
static void narrow_column(sinew_solver *solver, const sinew_track_update *now,
                          const tracking_brakes *braking, const double *q, int column) {
  const sinew_problem *problem = &solver->problem;
  const sinew_model *model = solver->model;
  const int v = problem->dof_of_column[column];
  const double unit = problem->unit[column], gain = problem->gain[column];
  const double moved = solver->track.moved[column], last = solver->history.step[v];
  const double speed = now->speed * solver->motion.speed[v];
  const double most = now->time > 0.0 ? speed * now->time / unit : INFINITY;
  double lower = -most, upper = most;
  if (model->quaternion_axis[v] < 0) {
    const double at = q[model->q_of_v[v]] - moved * unit;
    upper = sinew_min(upper, tracking_longest(braking, (problem->upper[v] - at) / unit, last));
    lower = sinew_max(lower, -tracking_longest(braking, (at - problem->lower[v]) / unit, -last));
  }
  // A joint outside its limits moves in, whatever the other bounds are but those of speeds.
  upper = tracking_bound(sinew_min(solver->linear.upper[column], (upper - moved) / gain));
  lower = tracking_bound(sinew_max(solver->linear.lower[column], (lower - moved) / gain));
  upper = sinew_max(upper, solver->linear.lower[column]);
  lower = sinew_min(lower, upper);
  const double high = (most - moved) / gain, low = (-most - moved) / gain; // but for speeds
  if (solver->hard.count > 0) {
    sinew_hard_bound(&solver->hard, column, low, high);
  }
  solver->linear.upper[column] = sinew_clamp(upper, low, high);
  solver->linear.lower[column] = sinew_clamp(lower, low, high);
}

// The bounds of all columns, where no speed bounds them: of those near limits. Columns in another
// order than degrees of freedom are as near as the largest last motion could bring them.
static void narrow_near(sinew_solver *solver, const sinew_track_update *now,
                        const tracking_brakes *braking, const double *q) {
  const double *step = solver->history.step;
  const int n = solver->problem.pattern.dof_count;
  const bool in_order = solver->problem.in_order;
  const double most = in_order ? 0.0 : sinew_largest(solver->model->nv, step);
  sinew_four_bits far = {-1, -1, -1, -1};
  for (int c = 0; c < n; c += 4) {
    far &= four_are_far(solver, braking, in_order ? sinew_four_load(step + c) : SINEW_FOUR_OF(most),
                        c);
  }
  for (int c = 0; sinew_four_bits_any(~far) && c < n; ++c) {
    if (!is_far(solver, braking, in_order ? fabs(step[c]) : most, c)) {
      narrow_column(solver, now, braking, q, c);
    }
  }
}

static void narrow_all(sinew_solver *solver, const sinew_track_update *now,
                       const tracking_brakes *braking, const double *q) {
  const sinew_problem *problem = &solver->problem;
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    if (group->cone >= 0 && solver->evaluation.in_cones && solver->hard.count == 0) {
      continue; // its bounds are those of its limits of swing and twist, below
    }
    for (int i = 0; i < group->count; ++i) {
      narrow_column(solver, now, braking, q, group->column + i);
    }
  }
}

void sinew_track_narrow_bounds(sinew_solver *solver, const sinew_track_update *now,
                               const double *q) {
  const int n = solver->problem.pattern.dof_count;
  const double slower = now->max_change / sqrt(n > 0 ? n : 1);
  const tracking_brakes braking = {slower, 1.0 / slower, now->max_change};
  const bool whole = !SINEW_HAS_FAST_PATHS || now->time > 0.0 || solver->hard.count > 0 ||
                     solver->evaluation.in_cones;
  if (!solver->linear.open && whole) {
    narrow_all(solver, now, &braking, q);
  } else if (!solver->linear.open) {
    narrow_near(solver, now, &braking, q);
  }
  if (now->bounded) {
    sinew_solver_narrow_motion(solver, solver->track.moved, now->parts);
  }
  if (solver->evaluation.in_cones) {
    if (now->speed != 1.0 || now->bounded || solver->hard.count > 0) { // else as they are
      sinew_cones_bound(solver, now->speed * now->time);
    }
    if (now->bounded && solver->motion.has_spherical) {
      sinew_spherical_narrow(solver, q, solver->track.moved, 1.0 / now->parts);
    }
    sinew_cones_brake(solver, slower, now->max_change, solver->track.moved, solver->history.step);
  }
  if (solver->model->cone_count > 0) {
    sinew_cones_open(solver);
  }
}
