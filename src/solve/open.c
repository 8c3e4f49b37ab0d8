// See open.h. The limits that are not in force are in the search scratch.
#include "solve/open.h"

#include <math.h>

// A chain of six joints has at most 16 solutions (Raghavan and Roth, Inverse kinematics of the
// general 6R manipulator, 1993). More joints of several chains have as many for each chain, and as
// their product in all.
#define MOST_DOFS 6

static bool is_limited(const sinew_problem *problem, int v) {
  return problem->lower[v] > -INFINITY || problem->upper[v] < INFINITY;
}

bool sinew_open_applies(const sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  bool any = false;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    any |= problem->whole_turn[v] && is_limited(problem, v);
  }
  return any && problem->pattern.dof_count <= MOST_DOFS;
}

static void swap_limits(sinew_solver *solver) {
  sinew_problem *problem = &solver->problem;
  double *lower = problem->lower, *upper = problem->upper;
  problem->lower = solver->search.lower;
  problem->upper = solver->search.upper;
  solver->search.lower = lower;
  solver->search.upper = upper;
  problem->has_limits = false;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    problem->has_limits |= is_limited(problem, problem->dof_of_column[column]);
  }
  solver->linear.open = false; // its bounds are those of the other limits
  if (sinew_lanes_ready(solver)) {
    sinew_lane_plan_set_limits(&solver->lanes.plan, problem);
  }
}

void sinew_open_begin(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  for (int v = 0; v < solver->model->nv; ++v) {
    const bool open = problem->column_of_dof[v] >= 0 && problem->whole_turn[v];
    solver->search.lower[v] = open ? -INFINITY : problem->lower[v];
    solver->search.upper[v] = open ? INFINITY : problem->upper[v];
  }
  swap_limits(solver);
}

void sinew_open_end(sinew_solver *solver) {
  swap_limits(solver);
}
