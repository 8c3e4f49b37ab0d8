// What the steps of objectives and the reports of how far these are from being met read alike.
#ifndef SINEW_SOLVE_OBJECTIVE_VALUES_H
#define SINEW_SOLVE_OBJECTIVE_VALUES_H

#include "kinematics/manipulability.h"
#include "solve/solver.h"

// Half of the range of degree of freedom v [rad; sizes]; 0 where it has no middle: joints without
// both limits, and spherical ones.
static inline double sinew_objective_half_range(const sinew_solver *solver, int v) {
  const sinew_problem *problem = &solver->problem;
  const double unit = solver->model->angular[v] ? 1.0 : problem->size;
  const double half = (0.5 * problem->upper[v] - 0.5 * problem->lower[v]) / unit;
  return solver->model->quaternion_axis[v] < 0 && half > 0.0 && half < SINEW_HUGE ? half : 0.0;
}

// The way from q to that middle [rad; m].
static inline double sinew_objective_way_to_middle(const sinew_solver *solver, const double *q,
                                                   int v) {
  const sinew_problem *problem = &solver->problem;
  return 0.5 * problem->upper[v] + 0.5 * problem->lower[v] - q[solver->model->q_of_v[v]];
}

// value - coefficients . q of a COUPLING.
static inline double sinew_objective_coupling_error(const sinew_solver *solver,
                                                    const sinew_objective *objective,
                                                    const double *q) {
  double e = objective->value;
  for (int v = 0; v < solver->model->nv; ++v) {
    const double c = objective->coefficients[v];
    e -= c != 0.0 ? c * q[solver->model->q_of_v[v]] : 0.0;
  }
  return e;
}

// The point of a MANIPULABILITY's task, where the state is placed.
static inline sinew_manipulability_query sinew_objective_query(const sinew_solver *solver,
                                                               const sinew_task *task) {
  sinew_manipulability_query query = {.node = solver->model->link_node[task->link],
                                      .linear = task->kind != SINEW_TASK_ORIENTATION,
                                      .angular = task->kind != SINEW_TASK_POSITION,
                                      .size = solver->problem.size,
                                      .active = solver->levels->column_of_dof};
  sinew_frame tool, tip;
  sinew_task_tool(task, &solver->model->link_offsets[task->link], &tool);
  sinew_state_fixed_frame(&solver->state, query.node, &tool, &tip);
  sinew_frame_get(&tip, NULL, query.s);
  return query;
}

#endif
