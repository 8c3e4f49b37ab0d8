// The bounds of a step of the default method's updates. Compiled for each instruction set.
#include "math/vector.h"
#include "policy/tracking.h"
#include "solve/solver.h"
#include "solve/value_columns.h"

// A factor on the distance within which a joint may have to brake, for rounding errors.
#define ROOM 1.001

// Whether the joint of a column is so far from its limits that they bound it no more than
// linear.lower and upper do: where no speed does, and it need not brake.
static bool is_far(const sinew_solver *solver, const tracking_brakes *by, int column,
                   const double *q) {
  const sinew_problem *problem = &solver->problem;
  const int v = problem->dof_of_column[column];
  const double last = fabs(solver->history.step[v]);
  const double reach = ROOM * tracking_braking_reach(last, by->max_change, by->inverse);
  const double most = problem->unit[column] * reach;
  const double at = q[solver->model->q_of_v[v]];
  const double begin = at - solver->track.moved[column] * problem->unit[column];
  return problem->upper[v] - sinew_max(at, begin) > most &&
         sinew_min(at, begin) - problem->lower[v] > most;
}

// The same of all columns, by the largest of their last motions.
static bool all_are_far(const sinew_solver *solver, const tracking_brakes *by, const double *q) {
  const sinew_problem *problem = &solver->problem;
  if (!sinew_has_value_columns(problem)) {
    return false;
  }
  const double last = sinew_largest(problem->pattern.dof_count, solver->history.step);
  return sinew_value_columns_are_far(
      solver, q, 2.0 * tracking_braking_reach(last, by->max_change, by->inverse));
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

void sinew_track_narrow_bounds(sinew_solver *solver, const sinew_track_update *now,
                               const double *q) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  const double slower = now->max_change / sqrt(n > 0 ? n : 1);
  const tracking_brakes braking = {slower, 1.0 / slower, now->max_change};
  const bool slow = now->time > 0.0 || solver->hard.count > 0;
  const bool far = solver->linear.open || (!slow && all_are_far(solver, &braking, q));
  for (int g = 0; !far && g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    if (group->cone >= 0 && solver->evaluation.in_cones && solver->hard.count == 0) {
      continue; // its bounds are those of its limits of swing and twist, below
    }
    for (int i = 0; i < group->count; ++i) {
      if (slow || group->spherical || !is_far(solver, &braking, group->column + i, q)) {
        narrow_column(solver, now, &braking, q, group->column + i);
      }
    }
  }
  if (now->bounded) {
    sinew_solver_narrow_motion(solver, solver->track.moved, now->parts);
  }
  if (solver->evaluation.in_cones) {
    if (now->speed != 1.0 || now->bounded || solver->hard.count > 0) { // else as they are
      sinew_cones_bound(solver, now->speed * now->time);
    }
    sinew_cones_brake(solver, slower, now->max_change, solver->track.moved, solver->history.step);
  }
  sinew_cones_open(solver);
}
