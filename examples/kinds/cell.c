// An arm in a cell, the limits of which are hard tasks: its tip stays above a table (PLANE),
// between two walls (POSITION, an interval along y) and away from a post (DISTANCE), and its tool
// within 0.3 rad of vertical (DIRECTION, a cone), while its target goes through all of them.
#include "../cookbook/check.h"
#include <math.h>
#include <string.h>

enum { GOAL, ABOVE, BETWEEN, AWAY, UPRIGHT, TASKS };

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_task tasks[TASKS];
  sinew_target targets[TASKS];
  for (int t = 0; t < TASKS; ++t) {
    tasks[t] = sinew_default_task(), targets[t] = sinew_default_target();
    tasks[t].link = sinew_model_find_link(model, "flange");
    tasks[t].point_l[2] = 0.1, tasks[t].hard = t != GOAL; // its tip [m]
  }
  tasks[ABOVE].kind = SINEW_TASK_PLANE, tasks[ABOVE].range_upper[0] = INFINITY;
  memcpy(targets[ABOVE].position, (double[]){0.0, 0.0, 0.2}, sizeof targets[0].position);
  memcpy(targets[ABOVE].direction, (double[]){0.0, 0.0, 1.0}, sizeof targets[0].direction);
  tasks[BETWEEN].free_axes = SINEW_FREE_X | SINEW_FREE_Z;
  tasks[BETWEEN].range_lower[1] = -0.3, tasks[BETWEEN].range_upper[1] = 0.3;
  tasks[AWAY].kind = SINEW_TASK_DISTANCE, tasks[AWAY].range_upper[0] = INFINITY;
  memcpy(targets[AWAY].position, (double[]){0.65, 0.0, 0.3}, sizeof targets[0].position);
  targets[AWAY].distance = 0.15;
  tasks[UPRIGHT].kind = SINEW_TASK_DIRECTION, tasks[UPRIGHT].cone_angle = 0.3;
  memcpy(targets[UPRIGHT].direction, (double[]){0.0, 0.0, -1.0}, sizeof targets[0].direction);

  sinew_solver_def settings = sinew_default_solver_def();
  settings.hard_rows = sinew_task_hard_rows(tasks, TASKS);
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  check(sinew_solver_set_tasks(solver, tasks, TASKS, &error), &error);
  double q[7] = {0.0, 0.0, 0.0, -1.8, 0.0, 1.8, 0.0}, off, angle, worst = 0.0;
  int stopped[TASKS] = {0}; // updates in which each inequality kept the arm from its target
  for (int frame = 0; frame < 600; ++frame) { // one turn on a circle that all limits cut
    const double turn = 6.283185 * frame / 600.0;
    memcpy(targets[GOAL].position, (double[]){0.55, 0.5 * sin(turn), 0.35 + 0.3 * cos(turn)},
           sizeof targets[0].position);
    check(sinew_solver_update(solver, targets, TASKS, q, NULL), sinew_solver_last_error(solver));
    for (int row = 0; row < settings.hard_rows; ++row) {
      sinew_hard_row_report report;
      check(sinew_solver_hard_row(solver, row, &report), &error);
      check(sinew_solver_task_error(solver, report.task, &off, &angle), &error);
      worst = fmax(worst, fmax(off, angle)), stopped[report.task] += report.side != 0;
    }
  }
  printf("at most %.0e m or rad outside; stopped by table %d, walls %d, post %d, cone %d times\n",
         worst, stopped[ABOVE], stopped[BETWEEN], stopped[AWAY], stopped[UPRIGHT]);
  sinew_solver_destroy(solver), sinew_model_destroy(model), sinew_document_destroy(file);
  const int *s = stopped;
  return worst < 1e-8 && s[ABOVE] && s[BETWEEN] && s[AWAY] && s[UPRIGHT] ? 0 : 1;
}
