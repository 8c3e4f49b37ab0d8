// What joints do where the hand leaves them a choice: the middle of their limits, two that bend
// alike, manipulability, and a residual of one's own, whose derivative is checked first.
#include "../cookbook/check.h"
#include <sinew/formats.h>

// The fourth joint is twice the second, less 2 rad.
static void residual(void *context, const double *q, double *r, double *jacobian) {
  (void)context;
  r[0] = q[3] - 2.0 * q[1] + 2.0;
  for (int v = 0; jacobian != NULL && v < 7; ++v)
    jacobian[v] = v == 3 ? 1.0 : v == 1 ? -2.0 : 0.0;
}

int main(void) {
  static const double alike[7] = {0, 0, 1, 0, -1, 0, 0}; // q2 - q4 = 0
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.lower.levels = 2, settings.lower.objectives = 4, settings.lower.rows = 2;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task hand = sinew_default_task();
  hand.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &hand, 1, &error), &error);
  sinew_objective objectives[4];
  for (int i = 0; i < 4; ++i)
    objectives[i] = sinew_default_objective();
  objectives[0].kind = SINEW_OBJECTIVE_COUPLING;
  objectives[0].coefficients = alike;
  objectives[1].kind = SINEW_OBJECTIVE_CALLBACK;
  objectives[1].function = residual, objectives[1].rows = 1;
  objectives[2].kind = SINEW_OBJECTIVE_MANIPULABILITY;
  objectives[2].task = &hand, objectives[2].level = 2, objectives[2].weight = 0.1;
  objectives[3].kind = SINEW_OBJECTIVE_LIMITS;
  objectives[3].level = 2, objectives[3].weight = 0.1;
  check(sinew_solver_set_objectives(solver, objectives, 4, &error), &error);

  double q[7];
  sinew_report report;
  sinew_target target = sinew_default_target();
  target.position[0] = 0.5, target.position[1] = 0.1, target.position[2] = 0.5;
  sinew_configuration_middle(model, q);
  check(sinew_solver_check_callback(solver, 1, q, 1e-6, &error), &error);
  check(sinew_solver_solve(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  const double coupling = q[2] - q[4], own = q[3] - 2.0 * q[1] + 2.0;
  printf("%s: coupling %.1e, own %.1e\n", sinew_outcome_string(report.outcome), coupling, own);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED && coupling * coupling + own * own < 1e-6 ? 0
                                                                                             : 1;
}
