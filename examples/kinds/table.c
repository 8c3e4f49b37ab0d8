// The same figure at a table: updates keep its hand above the table (PLANE) and before its far edge
// (an interval of POSITION) and its centre of mass above its foot (the support polygon) as hard
// tasks, while the hand reaches for what lies below the table, too far out.
#include "figure.h"
#include <math.h>
#include <string.h>

#define TABLE 0.5 // its height [m]

int main(void) {
  enum { HAND = CONTACTS, HEIGHT, EDGE, COUNT }; // tasks after the edges of the foot
  sinew_model *model = figure();
  sinew_solver *solver;
  sinew_state *state;
  sinew_error error = {0};
  sinew_task tasks[COUNT];
  sinew_target targets[COUNT];
  sinew_support_def support = sinew_default_support_def();
  sinew_solver_def settings = sinew_default_solver_def();
  int edges = 0, stops[SINEW_RANK_INTERVAL + 1] = {0}; // updates in which inequalities stopped it
  support.contacts = foot, support.count = CONTACTS, support.margin = 0.03;
  check(sinew_support_polygon(&support, tasks, targets, &edges, &error), &error);
  for (int t = HAND; t < COUNT; ++t) {
    tasks[t] = sinew_default_task(), targets[t] = sinew_default_target();
    tasks[t].link = JOINTS, tasks[t].point_l[2] = -0.6; // the hand
  }
  memcpy(targets[HAND].position, (double[]){0.9, 0.0, 0.1}, 3 * sizeof(double));
  tasks[HEIGHT].kind = SINEW_TASK_PLANE, tasks[HEIGHT].range_upper[0] = INFINITY;
  targets[HEIGHT].position[2] = TABLE, targets[HEIGHT].direction[2] = 1.0;
  tasks[EDGE].free_axes = SINEW_FREE_Y | SINEW_FREE_Z;
  tasks[EDGE].range_lower[0] = -INFINITY, tasks[EDGE].range_upper[0] = 0.8; // m
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
    for (int row = 0; row < settings.hard_rows; ++row) {
      sinew_hard_row_report report;
      check(sinew_solver_hard_row(solver, row, &report), &error);
      stops[report.rank] += report.side != 0;
    }
  }
  const int table = stops[SINEW_RANK_CLEARANCE], edge = stops[SINEW_RANK_INTERVAL];
  const int polygon = stops[SINEW_RANK_POLYGON];
  printf("hand at %.3f, %.3f m, never below %.3f; stopped by table %d, edge %d, foot %d times\n",
         hand[0], hand[2], lowest, table, edge, polygon);
  sinew_state_destroy(state);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return lowest >= TABLE - 1e-9 && table > 0 && edge > 0 && polygon > 0 ? 0 : 1;
}
