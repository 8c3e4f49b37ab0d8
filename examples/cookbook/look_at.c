// A head that faces a point, with the whole spine, and keeps its top up.
#include "check.h"
#include <sinew/formats.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_document_open("models/humanoid.bvh", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_LOOK_AT;
  task.link = sinew_model_find_link(model, "Head");
  task.chain_root = sinew_model_find_link(model, "Hips");         // the joints between the two
  memcpy(task.axis_l, (double[]){0, 0, 1}, sizeof task.axis_l);   // the figure faces z,
  memcpy(task.up_axis, (double[]){0, 1, 0}, sizeof task.up_axis); // y is up
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  sinew_target target = sinew_default_target();
  memcpy(target.position, (double[]){150, 60, 100}, sizeof target.position); // cm
  memcpy(target.direction, (double[]){0, 1, 0}, sizeof target.direction);    // of the up axis
  double q[256];
  sinew_report report;
  sinew_configuration_start(model, q);
  check(sinew_solver_solve_local(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  printf("%s, %.1e rad off\n", sinew_outcome_string(report.outcome), report.orientation_error);

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
