// A straight leg whose foot is lifted: the knee bends to the side of a posture,
// SINEW_OBJECTIVE_POSTURE, though the foot's target leaves it both.
#include "../cookbook/check.h"

int main(void) {
  // hip, knee and ankle about y, thigh and shin down
  static const char *const names[] = {"pelvis", "thigh", "shin", "foot"};
  sinew_link_def links[4];
  sinew_joint_def joints[3];
  sinew_model_def def = sinew_default_model_def();
  sinew_error error;
  sinew_model *model;
  sinew_solver *solver;
  for (int i = 0; i < 4; ++i) {
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int i = 0; i < 3; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = (const char *[]){"hip", "knee", "ankle"}[i];
    joints[i].kind = SINEW_JOINT_REVOLUTE;
    joints[i].parent = i;
    joints[i].child = i + 1;
    joints[i].placement.position[2] = i == 0 ? 0.0 : -0.45;
    joints[i].axis[0] = 0.0, joints[i].axis[1] = 1.0;
  }
  def.links = links, def.link_count = 4;
  def.joints = joints, def.joint_count = 3;
  check(sinew_model_create(&def, &model, &error), &error);

  sinew_solver_def settings = sinew_default_solver_def();
  settings.lower.levels = settings.lower.objectives = 1;
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task task = sinew_default_task();
  task.kind = SINEW_TASK_POSITION;
  task.link = sinew_model_find_link(model, "foot");
  check(sinew_solver_set_tasks(solver, &task, 1, &error), &error);
  sinew_objective posture = sinew_default_objective();
  posture.kind = SINEW_OBJECTIVE_POSTURE;
  posture.posture = (double[]){-0.3, 0.6, -0.3}; // the knee in front, where x is
  check(sinew_solver_set_objectives(solver, &posture, 1, &error), &error);

  double q[3] = {0.0, 0.0, 0.0}; // straight
  sinew_target target = sinew_default_target();
  sinew_report report;
  target.position[2] = -0.8;
  check(sinew_solver_solve_local(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  printf("hip %.3f, knee %.3f, ankle %.3f\n", q[0], q[1], q[2]);
  sinew_solver_destroy(solver), sinew_model_destroy(model);
  return report.outcome == SINEW_OUTCOME_CONVERGED && q[1] > 0.1 ? 0 : 1;
}
