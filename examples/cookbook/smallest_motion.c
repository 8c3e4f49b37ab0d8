// The solution nearest to where the arm is, with one joint that costs more to move and one frozen.
#include "check.h"
#include <math.h>
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
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  const unsigned char frozen[7] = {0, 0, 1, 0, 0, 0, 0}; // the third joint stays
  check(sinew_solver_set_frozen(solver, frozen), &error);
  const double distances[7] = {10, 1, 1, 1, 1, 1, 1}; // a radian of the first costs ten
  sinew_global_def search = sinew_default_global_def();
  search.mode = SINEW_GLOBAL_NEAREST;
  search.distances = distances;

  sinew_target target = sinew_default_target();
  memcpy(target.position, (double[]){0.4, 0.1, 0.5}, sizeof target.position);
  memcpy(target.rotation, (double[]){0, 1, 0, 0}, sizeof target.rotation);
  const double now[7] = {0.3, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5};
  double q[7];
  sinew_report report;
  memcpy(q, now, sizeof q);
  check(sinew_solver_search(solver, &search, &target, 1, q, &report),
        sinew_solver_last_error(solver));
  printf("%s, change:", sinew_outcome_string(report.outcome));
  for (int i = 0; i < 7; ++i)
    printf(" %.3f", q[i] - now[i]);
  printf(" rad\n");

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED && q[2] == now[2] ? 0 : 1;
}
