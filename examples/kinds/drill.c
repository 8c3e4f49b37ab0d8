// A drill: its tip is on a line (LINE) and less than 0.3 m along it (PLANE), it points along the
// line within 2 degrees (DIRECTION, a cone), and the handle has a heading (YAW).
#include "../cookbook/check.h"
#include <sinew/formats.h>
#include <string.h>

enum { LINE, ALONG, PLANE, HANDLE, TASKS };

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task tasks[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    tasks[t] = sinew_default_task();
    tasks[t].link = sinew_model_find_link(model, "flange");
    tasks[t].point_l[2] = 0.15; // the tip of the drill [m]
  }
  tasks[LINE].kind = SINEW_TASK_LINE;
  tasks[PLANE].kind = SINEW_TASK_PLANE;
  tasks[PLANE].range_upper[0] = 0.3; // anywhere between the wall and 0.3 m before it
  tasks[ALONG].kind = SINEW_TASK_DIRECTION;
  tasks[ALONG].cone_angle = 0.035;
  tasks[HANDLE].kind = SINEW_TASK_YAW;
  tasks[HANDLE].axis_l[0] = 1.0; // the tool's x, seen from above, heads to the left
  tasks[HANDLE].axis_l[2] = 0.0;
  check(sinew_solver_set_tasks(solver, tasks, TASKS, &error), &error);

  sinew_target targets[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    targets[t] = sinew_default_target();
    memcpy(targets[t].position, (double[]){0.6, 0.1, 0.5}, sizeof targets[t].position);
    memcpy(targets[t].direction, (double[]){1.0, 0.0, 0.0}, sizeof targets[t].direction);
  }
  targets[PLANE].direction[0] = -1.0; // heights count away from the wall
  memcpy(targets[HANDLE].direction, (double[]){0.0, 1.0, 0.0}, sizeof targets[0].direction);

  double q[7];
  sinew_report report;
  sinew_configuration_middle(model, q);
  check(sinew_solver_solve(solver, targets, TASKS, q, &report), sinew_solver_last_error(solver));
  printf("%s: %.1e m, %.1e rad\n", sinew_outcome_string(report.outcome), report.position_error,
         report.orientation_error);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
