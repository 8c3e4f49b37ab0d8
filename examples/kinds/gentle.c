// An arm whose target jumps out of its reach: joints keep limits of speed and acceleration, stop
// 0.1 rad ahead of their limits (margins), and brake so that they can.
#include "../cookbook/check.h"
#include <math.h>
#include <string.h>

enum { JOINTS = 7 };

int main(void) {
  const double dt = 0.01, acceleration = 4.0, margin = 0.1; // s, rad/s^2, rad
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_solver *solver;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.tracking.time_step = dt;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);
  double accelerations[JOINTS];
  for (int i = 0; i < JOINTS; ++i)
    accelerations[i] = acceleration;
  check(sinew_solver_set_accelerations(solver, accelerations), &error);
  check(sinew_solver_set_speeds(solver, NULL, 0.5), &error); // half of the model's
  check(sinew_solver_set_margins(solver, 0.0, margin), &error);

  double q[JOINTS] = {0.0, 0.0, 0.0, -1.8, 0.0, 1.8, 0.0}, last[JOINTS], moved[JOINTS] = {0};
  double change = 0.0, nearest = INFINITY; // the most acceleration, the least distance of a limit
  int bounds[SINEW_BOUND_ACCELERATION + 1] = {0};
  sinew_target target = sinew_default_target();
  for (int frame = 0; frame < 600; ++frame) { // behind the arm, from one side to the other
    const double side = frame < 300 ? 1.0 : -1.0;
    memcpy(target.position, (double[]){-0.9, 0.4 * side, 0.3}, sizeof target.position);
    memcpy(last, q, sizeof last);
    check(sinew_solver_update(solver, &target, 1, q, NULL), sinew_solver_last_error(solver));
    for (int i = 0; i < JOINTS; ++i) {
      sinew_bound_report report;
      check(sinew_solver_bound(solver, q, i, &report), &error);
      ++bounds[report.bound];
      change = fmax(change, fabs(q[i] - last[i] - moved[i]) / (dt * dt));
      moved[i] = q[i] - last[i];
      nearest = fmin(nearest,
                     fmin(q[i] - sinew_model_lower(model)[i], sinew_model_upper(model)[i] - q[i]));
    }
  }
  printf("at most %.3f rad/s^2, at least %.3f rad from limits\n", change, nearest);
  for (int b = SINEW_BOUND_POSITION; b <= SINEW_BOUND_ACCELERATION; ++b)
    printf("%s: %d times\n", sinew_bound_string((sinew_bound)b), bounds[b]);
  sinew_solver_destroy(solver), sinew_model_destroy(model), sinew_document_destroy(file);
  return change < acceleration + 1e-6 && nearest > margin - 1e-9 && bounds[SINEW_BOUND_POSITION] > 0
             ? 0
             : 1;
}
