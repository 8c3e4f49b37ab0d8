// Reads an arm, brings its flange to a pose, and prints the joint values.
#include <sinew/formats.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  sinew_solver_def settings = sinew_default_solver_def();
  sinew_task task = sinew_default_task();       // what
  sinew_target target = sinew_default_target(); // where
  task.kind = SINEW_TASK_POSE;
  memcpy(target.position, (double[]){0.4, 0.1, 0.5}, sizeof target.position); // m
  memcpy(target.rotation, (double[]){0, 1, 0, 0}, sizeof target.rotation);    // w, x, y, z
  if (sinew_document_open("models/arm7.urdf", NULL, &file, &error) != SINEW_OK ||
      sinew_model_create(&file->model, &model, &error) != SINEW_OK ||
      sinew_solver_create(&settings, model, &solver, &error) != SINEW_OK)
    return fprintf(stderr, "%s: %s\n", error.name, error.message), 2;
  task.link = sinew_model_find_link(model, "flange");
  double q[7]; // one value per joint
  sinew_report report;
  sinew_configuration_middle(model, q); // the seed
  if (sinew_solver_set_tasks(solver, &task, 1, NULL) != SINEW_OK ||
      sinew_solver_solve(solver, &target, 1, q, &report) != SINEW_OK)
    return fprintf(stderr, "%s\n", sinew_solver_last_error(solver)->message), 2;
  printf("%s: %.4f %.4f %.4f %.4f %.4f %.4f %.4f rad\n", sinew_outcome_string(report.outcome), q[0],
         q[1], q[2], q[3], q[4], q[5], q[6]);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
}
