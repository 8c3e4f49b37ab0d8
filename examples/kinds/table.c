// The same figure at a table: updates keep its hand above the table and its centre of mass above
// its foot as hard tasks, while the hand reaches for what lies below the table, too far out.
#include "figure.h"
#include <math.h>
#include <string.h>

#define TABLE 0.5 // its height [m]

int main(void) {
  enum { HAND = CONTACTS, HEIGHT, COUNT }; // tasks after the edges of the foot
  sinew_model *model = figure();
  sinew_solver *solver;
  sinew_state *state;
  sinew_error error = {0};
  sinew_task tasks[COUNT];
  sinew_target targets[COUNT];
  sinew_support_def support = sinew_default_support_def();
  sinew_solver_def settings = sinew_default_solver_def();
  int edges = 0, held = 0;
  support.contacts = foot, support.count = CONTACTS, support.margin = 0.03;
  check(sinew_support_polygon(&support, tasks, targets, &edges, &error), &error);
  for (int t = HAND; t < COUNT; ++t) {
    tasks[t] = sinew_default_task(), targets[t] = sinew_default_target();
    tasks[t].link = JOINTS, tasks[t].point_l[2] = -0.6; // the hand
  }
  memcpy(targets[HAND].position, (double[]){0.9, 0.0, 0.1}, 3 * sizeof(double));
  tasks[HEIGHT].kind = SINEW_TASK_PLANE, tasks[HEIGHT].range_upper[0] = INFINITY;
  targets[HEIGHT].position[2] = TABLE, targets[HEIGHT].direction[2] = 1.0;
  for (int t = 0; t < COUNT; ++t) {
    tasks[t].hard = t != HAND;
  }
  settings.hard_rows = sinew_task_hard_rows(tasks, COUNT);
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  check(sinew_solver_set_tasks(solver, tasks, COUNT, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  double q[JOINTS] = {0.3, -0.6, 0.5, -1.0}, lowest = INFINITY, hand[3];
  for (int frame = 0; frame < 200; ++frame) {
    check(sinew_solver_update(solver, targets, COUNT, q, NULL), sinew_solver_last_error(solver));
    check(sinew_state_forward(state, q), &error);
    check(sinew_state_point(state, JOINTS, tasks[HAND].point_l, hand), &error);
    lowest = fmin(lowest, hand[2]);
  }
  for (int row = 0; row < sinew_solver_hard_row_count(solver); ++row) {
    sinew_hard_row_report report;
    check(sinew_solver_hard_row(solver, row, &report), &error);
    held += report.side != 0 && report.yielded == 0.0;
  }
  printf("hand at %.3f, %.3f m, never below %.3f; %d inequalities hold it\n", hand[0], hand[2],
         lowest, held);
  sinew_state_destroy(state);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return lowest >= TABLE - 1e-9 && held > 0 ? 0 : 1;
}
