// A figure of four links that bends down: its centre of mass stays above the foot
// (sinew_support_polygon() gives a PLANE for each edge), while its hand reaches for the ground.
#include "figure.h"
#include <string.h>

int main(void) {
  sinew_model *model = figure();
  sinew_solver *solver;
  sinew_error error;
  sinew_task tasks[CONTACTS + 1];
  sinew_target targets[CONTACTS + 1];
  sinew_support_def support = sinew_default_support_def();
  const sinew_solver_def settings = sinew_default_solver_def();
  int edges = 0;
  support.contacts = foot, support.count = CONTACTS, support.margin = 0.03;
  check(sinew_support_polygon(&support, tasks, targets, &edges, &error), &error);
  tasks[edges] = sinew_default_task(), targets[edges] = sinew_default_target();
  tasks[edges].link = JOINTS, tasks[edges].point_l[2] = -0.6; // the hand
  memcpy(targets[edges].position, (double[]){0.45, 0.0, 0.1}, 3 * sizeof(double));
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  check(sinew_solver_set_tasks(solver, tasks, edges + 1, &error), &error);
  double q[JOINTS] = {0.3, -0.6, 0.5, 0.0};
  sinew_report report;
  check(sinew_solver_solve(solver, targets, edges + 1, q, &report),
        sinew_solver_last_error(solver));
  printf("%s: %.2f %.2f %.2f %.2f\n", sinew_outcome_string(report.outcome), q[0], q[1], q[2], q[3]);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
