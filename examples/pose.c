// Brings the tip of a 7-joint arm to a pose and prints the joint values.
#include "sinew/sinew.h"
#include <stdio.h>
#include <string.h>

int main(void) {
  static const char *const names[8] = {"base", "1", "2", "3", "4", "5", "6", "tip"};
  sinew_link_def links[8];
  sinew_joint_def joints[7];
  for (int i = 0; i < 8; i++) {
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int i = 0; i < 7; i++) { // revolute joints about z and y in turn, each 0.2 m above the last
    joints[i] = sinew_default_joint_def();
    joints[i].kind = SINEW_JOINT_REVOLUTE;
    joints[i].name = names[i + 1];
    joints[i].parent = i, joints[i].child = i + 1;
    joints[i].placement.position[2] = 0.2;
    joints[i].axis[0] = 0, joints[i].axis[i % 2 == 0 ? 2 : 1] = 1;
    joints[i].lower[0] = -2, joints[i].upper[0] = 2;
  }
  sinew_model_def arm = sinew_default_model_def();
  arm.links = links, arm.link_count = 8;
  arm.joints = joints, arm.joint_count = 7;

  const sinew_solver_def settings = sinew_default_solver_def();
  sinew_model *model = NULL;
  sinew_solver *solver = NULL;
  sinew_error error;
  if (sinew_model_create(&arm, &model, &error) != SINEW_OK ||
      sinew_solver_create(&settings, model, &solver, &error) != SINEW_OK)
    return fprintf(stderr, "%s: %s\n", error.name, error.message), 2;

  sinew_task task = sinew_default_task(); // what: the tip's position and orientation
  task.kind = SINEW_TASK_POSE;
  task.link = sinew_model_find_link(model, "tip");
  sinew_target target = sinew_default_target(); // where: turned by pi about y, downward
  memcpy(target.position, (double[3]){0.4, 0.2, 0.6}, sizeof target.position);
  memcpy(target.rotation, (double[4]){0, 0, 1, 0}, sizeof target.rotation);

  double q[7];
  sinew_report report;
  sinew_configuration_middle(model, q); // the start
  if (sinew_solver_set_tasks(solver, &task, 1, NULL) != SINEW_OK ||
      sinew_solver_solve_local(solver, &target, 1, q, &report) != SINEW_OK)
    return fprintf(stderr, "%s\n", sinew_solver_last_error(solver)->message), 2;
  printf("%s, %.1e m and %.1e rad off after %d steps:", sinew_outcome_string(report.outcome),
         report.position_error, report.orientation_error, report.steps);
  for (int i = 0; i < 7; i++)
    printf(" %.4f", q[i]);
  printf("\n");

  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
