// An arm that follows a moving target, one update a control cycle, within its joints' speed limits.
#include "check.h"
#include <math.h>
#include <sinew/formats.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.tracking.time_step = 1.0 / 250; // s; with it speed limits are kept
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  sinew_target target = sinew_default_target();
  memcpy(target.position, (double[]){0.4, 0.0, 0.5}, sizeof target.position);
  memcpy(target.rotation, (double[]){0, 1, 0, 0}, sizeof target.rotation);
  double q[7], worst = 0;
  sinew_report report;
  sinew_configuration_middle(model, q);
  check(sinew_solver_solve(solver, &target, 1, q, &report), &error); // where the motion begins
  for (int cycle = 0; cycle < 1000; ++cycle) {
    target.position[1] = 0.15 * sin(0.01 * cycle); // at most 0.4 m/s
    check(sinew_solver_update(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
    worst = fmax(worst, report.position_error); // of the cycle before: that of one cycle's motion
  }
  printf("at most %.2f mm behind\n", 1e3 * worst);

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return worst < 2e-3 ? 0 : 1;
}
