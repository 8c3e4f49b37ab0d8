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
  if (sinew_document_open("models/arm7.urdf", NULL, &file, &error) != SINEW_OK ||
      sinew_model_create(&file->model, &model, &error) != SINEW_OK ||
      sinew_solver_create(&settings, model, &solver, &error) != SINEW_OK) {
    char text[1024];
    sinew_error_format(&error, text, sizeof text);
    return fprintf(stderr, "%s\n", text), 2;
  }

  sinew_task task = sinew_default_task(); // what
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  sinew_target target = sinew_default_target(); // where
  memcpy(target.position, (double[3]){0.4, 0.1, 0.5}, sizeof target.position);
  memcpy(target.rotation, (double[4]){0, 1, 0, 0}, sizeof target.rotation);

  double q[7];
  sinew_report report;
  sinew_configuration_middle(model, q); // the start
  sinew_solver_set_tasks(solver, &task, 1, NULL);
  sinew_solver_solve(solver, &target, 1, q, &report);
  printf("%s after %d steps:", sinew_outcome_string(report.outcome), report.steps);
  for (int i = 0; i < 7; i++)
    printf(" %.4f", q[i]);
  puts(" rad");

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return 0;
}
