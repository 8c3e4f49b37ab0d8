// An arm whose hand stays where it is, while its elbow follows a pole that goes around it:
// SINEW_OBJECTIVE_POLE, with little motion besides (DAMPING, LOW_CHANGE).
#include "../cookbook/check.h"
#include <math.h>
#include <sinew/formats.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  sinew_pose pose;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.lower.levels = 1, settings.lower.objectives = 3, settings.lower.rows = 1;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "flange");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);
  sinew_objective objectives[3];
  for (int i = 0; i < 3; ++i)
    objectives[i] = sinew_default_objective();
  objectives[0].kind = SINEW_OBJECTIVE_POLE;
  objectives[0].links[0] = sinew_model_find_link(model, "link2"); // shoulder
  objectives[0].links[1] = sinew_model_find_link(model, "link4"); // elbow
  objectives[0].links[2] = sinew_model_find_link(model, "link6"); // wrist
  objectives[1].kind = SINEW_OBJECTIVE_DAMPING, objectives[1].weight = 0.02;
  objectives[2].kind = SINEW_OBJECTIVE_LOW_CHANGE, objectives[2].weight = 0.02;

  double q[7] = {0.0, 0.4, 0.0, -1.6, 0.0, 2.0, 0.0};
  sinew_target target = sinew_default_target();
  check(sinew_state_forward(state, q), &error);
  check(sinew_state_link_pose(state, task.link, &pose), &error);
  memcpy(target.position, pose.position, sizeof pose.position);
  memcpy(target.rotation, pose.rotation, sizeof pose.rotation);
  sinew_report report;
  for (int frame = 0; frame < 200; ++frame) { // the pole goes from one side to the other
    const double angle = 0.8 * sin(0.02 * frame);
    memcpy(objectives[0].pole, (double[]){0.3, 2.0 * sin(angle), 0.3 + 2.0 * cos(angle)},
           sizeof objectives[0].pole);
    check(sinew_solver_set_objectives(solver, objectives, 3, &error), &error);
    check(sinew_solver_update(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  }
  printf("hand %.1e m, %.1e rad off\n", report.position_error, report.orientation_error);
  return sinew_solver_destroy(solver), sinew_state_destroy(state), sinew_model_destroy(model),
         sinew_document_destroy(file), report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
