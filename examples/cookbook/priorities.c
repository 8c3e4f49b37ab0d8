// A humanoid with priorities: the feet stay, then a hand reaches, then the head faces it, then
// the posture is kept. A lower level never costs a higher one its target.
#include "check.h"
#include <string.h>

static sinew_task task_of(const sinew_model *model, const char *link, sinew_task_kind kind,
                          int level) {
  sinew_task task = sinew_default_task();
  task.kind = kind, task.level = level, task.link = sinew_model_find_link(model, link);
  return task;
}

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  sinew_solver *solver;
  check(sinew_document_open("models/humanoid.bvh", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  sinew_solver_def settings = sinew_default_solver_def();
  settings.lower.levels = 3, settings.lower.objectives = 1; // room for what is below level 0
  check(sinew_solver_create(&settings, model, &solver, &error), &error);

  const sinew_task tasks[4] = {task_of(model, "LeftFoot", SINEW_TASK_POSE, 0),
                               task_of(model, "RightFoot", SINEW_TASK_POSE, 0),
                               task_of(model, "LeftHand", SINEW_TASK_POSITION, 1),
                               task_of(model, "Head", SINEW_TASK_LOOK_AT, 2)};
  sinew_objective posture = sinew_default_objective();
  posture.level = 3;
  check(sinew_solver_set_tasks(solver, tasks, 4, &error), &error);
  check(sinew_solver_set_objectives(solver, &posture, 1, &error), &error);

  double q[256]; // the first frame of the file; the feet stay where they are there
  sinew_target targets[4];
  memcpy(q, file->motion.q, (size_t)sinew_model_nq(model) * sizeof *q);
  check(sinew_state_forward(state, q), &error);
  for (int t = 0; t < 4; ++t) { // a point ahead of the chest [cm]
    targets[t] = sinew_default_target();
    memcpy(targets[t].position, (double[]){20, 120, 60}, sizeof targets[t].position);
  }
  for (int t = 0; t < 2; ++t) {
    sinew_pose pose;
    check(sinew_state_link_pose(state, tasks[t].link, &pose), &error);
    memcpy(targets[t].position, pose.position, sizeof pose.position);
    memcpy(targets[t].rotation, pose.rotation, sizeof pose.rotation);
  }
  sinew_report report;
  for (int frame = 0; frame < 120; ++frame) // the hand goes there smoothly
    check(sinew_solver_update(solver, targets, 4, q, &report), sinew_solver_last_error(solver));
  printf("feet and the rest of level 0: %s, %.1e cm off\n", sinew_outcome_string(report.outcome),
         report.position_error);
  sinew_solver_destroy(solver);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
