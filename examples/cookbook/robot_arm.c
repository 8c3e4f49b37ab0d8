// A robot arm from its URDF: joint values that bring the flange to a pose.
#include "check.h"
#include <sinew/formats.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task task = sinew_default_task(); // what: position and orientation of a link
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);
  sinew_target target = sinew_default_target(); // where: half a metre ahead, pointing down
  memcpy(target.position, (double[]){0.4, 0.1, 0.5}, sizeof target.position);
  memcpy(target.rotation, (double[]){0, 1, 0, 0}, sizeof target.rotation); // w, x, y, z

  double q[7];
  sinew_report report;
  sinew_configuration_middle(model, q); // the seed
  check(sinew_solver_solve(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  printf("%s:", sinew_outcome_string(report.outcome));
  for (int i = 0; i < 7; ++i)
    printf(" %.4f", q[i]);
  printf(" rad\n");

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
