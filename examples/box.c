// Two hands on one box: the left hand follows the box, the right one stays where it is relative to
// the left. Prints how far the hands are from the box along its way.
#include <sinew/sinew.h>
#include <stdio.h>
#include <string.h>

enum { LEFT = 3, RIGHT = 6, JOINTS = 6 };

// Two planar arms of three joints each, side by side on one body.
static sinew_model *two_arms(void) {
  static const char *const names[] = {"body",   "left1",  "left2",     "left_hand",
                                      "right1", "right2", "right_hand"};
  sinew_link_def links[7];
  sinew_joint_def joints[JOINTS];
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model = NULL;
  for (int i = 0; i < 7; ++i) {
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int i = 0; i < JOINTS; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1];
    joints[i].kind = SINEW_JOINT_CONTINUOUS;
    memcpy(joints[i].axis, (double[]){0.0, 0.0, 1.0}, 3 * sizeof(double));
    joints[i].parent = i % 3 == 0 ? 0 : i;
    joints[i].child = i + 1;
    joints[i].placement.position[0] = i % 3 == 0 ? 0.0 : 0.4;                 // m
    joints[i].placement.position[1] = i % 3 != 0 ? 0.0 : i == 0 ? 0.3 : -0.3; // shoulders
  }
  def.links = links, def.link_count = 7, def.joints = joints, def.joint_count = JOINTS;
  return sinew_model_create(&def, &model, NULL) == SINEW_OK ? model : NULL;
}

int main(void) {
  sinew_model *model = two_arms();
  sinew_solver_def settings = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  sinew_task tasks[2] = {sinew_default_task(), sinew_default_task()};
  sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
  tasks[0].kind = tasks[1].kind = SINEW_TASK_POSE;
  tasks[0].link = LEFT;
  tasks[1].link = RIGHT;
  tasks[1].frame_link = LEFT;    // relative to the left hand,
  targets[1].position[1] = -0.2; // the right one holds the other side
  double q[JOINTS] = {-0.6, 1.0, -0.4, 0.6, -1.0, 0.4};
  if (model == NULL || sinew_solver_create(&settings, model, &solver, NULL) != SINEW_OK ||
      sinew_solver_set_tasks(solver, tasks, 2, NULL) != SINEW_OK)
    return fprintf(stderr, "no solver\n"), 2;
  for (int frame = 0; frame <= 10; ++frame) {
    sinew_report report;
    memcpy(targets[0].position, (double[]){0.5 + 0.01 * frame, 0.1, 0.0}, 3 * sizeof(double));
    if (sinew_solver_solve_local(solver, targets, 2, q, &report) != SINEW_OK)
      return fprintf(stderr, "%s\n", sinew_solver_last_error(solver)->message), 2;
    printf("%s: %.1e m\n", sinew_outcome_string(report.outcome), report.position_error);
  }
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}
