// A nozzle that is tilted on the flange, at a place too far out: along its own axis it may be short
// by much, across it by little (axis_weights in the tool's axes), and it may turn about that axis.
#include "../cookbook/check.h"
#include <math.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  memcpy(task.point_l, (double[]){0.1, 0.0, 0.1}, sizeof task.point_l); // the tip [m]
  memcpy(task.rotation_l, (double[]){cos(0.4), 0.0, sin(0.4), 0.0}, sizeof task.rotation_l);
  task.weight_axes = SINEW_AXES_TOOL;
  task.axis_weights[2] = 0.1; // along the tool's z
  task.axis_weights[5] = 0.0; // about it
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);

  double q[7], tip[3], along = 0.0, across = 0.0;
  sinew_report report;
  sinew_target target = sinew_default_target(); // at a wall, the nozzle's z into it
  memcpy(target.position, (double[]){1.1, 0.2, 0.5}, sizeof target.position);
  memcpy(target.rotation, (double[]){1.0, 0.0, 1.0, 0.0}, sizeof target.rotation);
  sinew_configuration_middle(model, q);
  check(sinew_solver_solve_local(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  check(sinew_state_forward(state, q), &error);
  check(sinew_state_point(state, task.link, task.point_l, tip), &error);
  along = target.position[0] - tip[0];
  across = hypot(target.position[1] - tip[1], target.position[2] - tip[2]);
  printf("%s: short by %.3f m, %.4f m beside\n", sinew_outcome_string(report.outcome), along,
         across);
  sinew_solver_destroy(solver), sinew_state_destroy(state), sinew_model_destroy(model);
  sinew_document_destroy(file);
  return along > 0.01 && across < 0.02 * along ? 0 : 1;
}
