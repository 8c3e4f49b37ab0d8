// Calls of a solver with invalid input: the error and the report.
#include "base/error.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

sinew_result sinew_solver_refuse(const sinew_solver *solver, sinew_report *report) {
  if (report != NULL) {
    *report = (sinew_report){.outcome = SINEW_OUTCOME_BAD_INPUT,
                             .position_error = -1.0,
                             .orientation_error = -1.0,
                             .limiting_joint = -1,
                             .reach_task = -1,
                             .reach = -1.0,
                             .target_distance = -1.0,
                             .worst_task = -1};
  }
  return solver->error.code;
}

void sinew_solver_begin_functions(sinew_solver *solver, const double *q) {
  sinew_state_begin_functions(&solver->state);
  if (q != NULL) {
    memcpy(solver->given, q, (size_t)solver->model->nq * sizeof *q);
  }
}

sinew_result sinew_solver_end_failed(sinew_solver *solver, int joint, double *q,
                                     sinew_report *report) {
  if (q != NULL) {
    memcpy(q, solver->given, (size_t)solver->model->nq * sizeof *q);
  }
  sinew_solver_reset(solver);
  sinew_model_explain_function(solver->model, joint, &solver->error);
  return sinew_solver_refuse(solver, report);
}

sinew_result sinew_configuration_explain(const sinew_model *model, const double *q,
                                         sinew_error *error) {
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    for (int i = 0; i < joint->nq; ++i) {
      if (!sinew_is_usable(q[joint->q_index + i])) {
        return sinew_error_set(error, SINEW_ERROR_NOT_FINITE, joint->name,
                               "q[%d], value %d of the joint, is %g: not a finite number of size "
                               "below 1e100",
                               joint->q_index + i, i, q[joint->q_index + i]);
      }
    }
  }
  return SINEW_OK;
}

// Fills the error with the reason why the arguments of a call are not usable.
void sinew_solver_explain(sinew_solver *solver, const sinew_target *targets, int count,
                          const double *q) {
  sinew_error *error = &solver->error;
  if (count != solver->problem.count) {
    sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "count of targets is %d, of tasks %d", count,
                    solver->problem.count);
  } else if (q == NULL || (count > 0 && targets == NULL)) {
    sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "%s is NULL", q == NULL ? "q" : "targets");
  } else if (sinew_configuration_explain(solver->model, q, error) == SINEW_OK) {
    sinew_problem_explain(&solver->problem, targets, error);
  }
}
