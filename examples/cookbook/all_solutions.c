// All joint values of a six-joint arm for one pose: elbow up and down, wrist flipped or not.
#include "check.h"
#include <sinew/formats.h>
#include <string.h>

enum { MOST = 16 };

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_document_open("models/arm6.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);
  sinew_target target = sinew_default_target();
  memcpy(target.position, (double[]){0.4, 0.1, 0.4}, sizeof target.position);
  memcpy(target.rotation, (double[]){0, 1, 0, 0}, sizeof target.rotation);

  double seed[6], solutions[MOST * 6]; // those nearest to the seed come first
  int found;
  sinew_report report;
  sinew_configuration_middle(model, seed);
  check(sinew_solver_solve_all(solver, NULL, &target, 1, seed, MOST, solutions, &found, &report),
        sinew_solver_last_error(solver));
  printf("%d solutions, %s\n", found, sinew_completeness_string(report.completeness));
  for (int k = 0; k < found; ++k) {
    for (int i = 0; i < 6; ++i)
      printf(" %8.4f", solutions[6 * k + i]);
    printf("\n");
  }

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return found > 1 ? 0 : 1;
}
