// A tray that stays level with any heading (ORIENTATION with a free rotation) at least half a metre
// away from a person (DISTANCE with a range), and as near as that allows to a place below it.
#include "../cookbook/check.h"
#include <math.h>
#include <sinew/formats.h>
#include <string.h>

enum { LEVEL, AWAY, PLACE, TASKS };

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.lower.levels = 1;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task tasks[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    tasks[t] = sinew_default_task();
    tasks[t].link = sinew_model_find_link(model, "flange");
  }
  tasks[LEVEL].kind = SINEW_TASK_ORIENTATION;
  tasks[LEVEL].free_axes = SINEW_FREE_ROTATION_Z;
  tasks[AWAY].kind = SINEW_TASK_DISTANCE;
  tasks[AWAY].range_upper[0] = INFINITY;
  tasks[PLACE].kind = SINEW_TASK_POSITION;
  tasks[PLACE].level = 1;
  check(sinew_solver_set_tasks(solver, tasks, TASKS, &error), &error);

  sinew_target targets[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    targets[t] = sinew_default_target();
    memcpy(targets[t].position, (double[]){0.7, 0.0, 0.4}, sizeof targets[t].position);
  }
  targets[AWAY].distance = 0.5;

  double q[7];
  sinew_report report;
  sinew_configuration_middle(model, q);
  check(sinew_solver_solve(solver, targets, TASKS, q, &report), sinew_solver_last_error(solver));
  double left;
  check(sinew_solver_task_error(solver, PLACE, &left, NULL), sinew_solver_last_error(solver));
  printf("%s; %.3f m from the place\n", sinew_outcome_string(report.outcome), left);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED && left > 0.499 && left < 0.51 ? 0 : 1;
}
