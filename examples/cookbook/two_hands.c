// Two hands on one box: the left hand follows the box, the right one keeps its place on it.
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
  sinew_task tasks[2] = {sinew_default_task(), sinew_default_task()};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  tasks[0].link = sinew_model_find_link(model, "LeftHand");
  tasks[1].link = sinew_model_find_link(model, "RightHand");
  tasks[0].chain_root = tasks[1].chain_root = sinew_model_find_link(model, "Hips");
  tasks[1].kind = SINEW_TASK_DISTANCE; // of the right hand from a point of the left one's frame:
  tasks[1].frame_link = tasks[0].link;
  targets[1].distance = 30; // the width of the box [cm]
  check(sinew_solver_set_tasks(solver, tasks, 2, &error), &error);

  double q[256];
  sinew_report report = {0};
  sinew_configuration_start(model, q);
  for (int frame = 0; frame <= 30; ++frame) {
    memcpy(targets[0].position, (double[]){15 + 0.2 * frame, 30, 35}, 3 * sizeof(double));
    check(sinew_solver_solve_local(solver, targets, 2, q, &report),
          sinew_solver_last_error(solver));
  }
  printf("%s, %.1e cm off\n", sinew_outcome_string(report.outcome), report.position_error);

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
