// A target that may be out of reach: whether it is, why, and how near the arm comes.
#include "check.h"
#include <sinew/formats.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task(); // the position alone
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  sinew_target target = sinew_default_target();
  double q[7];
  sinew_report report = {0};
  for (int i = 0; i < 4; ++i) {
    memcpy(target.position, (double[]){0.4 + 0.25 * i, 0.0, 0.4}, sizeof target.position);
    sinew_configuration_middle(model, q);
    check(sinew_solver_solve(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
    printf("%.2f m ahead: %s, %.3f m off", target.position[0], sinew_outcome_string(report.outcome),
           report.position_error);
    if (report.outcome == SINEW_OUTCOME_OUT_OF_REACH) // which is reported only if it is proven
      printf("; %.3f m away, reach %.3f m", report.target_distance, report.reach);
    printf("\n");
  }

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_OUT_OF_REACH ? 0 : 1;
}
