// A figure of four links that bends down: its centre of mass stays above the foot
// (sinew_support_polygon() gives a PLANE for each edge), while its hand reaches for the ground.
#include "../cookbook/check.h"
#include <string.h>

enum { JOINTS = 4, CONTACTS = 4 };

static sinew_model *figure(void) {
  static const char *const names[] = {"foot", "shank", "thigh", "trunk", "arm"};
  static const double masses[] = {1.0, 8.0, 16.0, 40.0, 5.0}, heights[] = {0.1, 0.4, 0.4, 0.5};
  sinew_link_def links[JOINTS + 1];
  sinew_joint_def joints[JOINTS];
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model;
  sinew_error error;
  for (int i = 0; i <= JOINTS; ++i) {
    links[i] = sinew_default_link_def();
    links[i].name = names[i], links[i].mass = masses[i];
    links[i].center_of_mass[2] = i == 0 ? 0.05 : i == JOINTS ? -0.3 : 0.2; // m
  }
  for (int i = 0; i < JOINTS; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1], joints[i].kind = SINEW_JOINT_REVOLUTE;
    joints[i].axis[1] = 1.0, joints[i].axis[0] = joints[i].axis[2] = 0.0;
    joints[i].parent = i, joints[i].child = i + 1;
    joints[i].placement.position[2] = heights[i];
    joints[i].lower[0] = -2.5, joints[i].upper[0] = 2.5;
  }
  def.links = links, def.link_count = JOINTS + 1, def.joints = joints, def.joint_count = JOINTS;
  check(sinew_model_create(&def, &model, &error), &error);
  return model;
}

int main(void) {
  const double foot[3 * CONTACTS] = {-0.1, -0.1, 0, 0.2, -0.1, 0, 0.2, 0.1, 0, -0.1, 0.1, 0};
  sinew_model *model = figure();
  sinew_solver *solver;
  sinew_error error;
  sinew_task tasks[CONTACTS + 1];
  sinew_target targets[CONTACTS + 1];
  sinew_support_def support = sinew_default_support_def();
  const sinew_solver_def settings = sinew_default_solver_def();
  int edges = 0;
  support.contacts = foot, support.count = CONTACTS, support.margin = 0.03;
  check(sinew_support_polygon(&support, tasks, targets, &edges, &error), &error);
  tasks[edges] = sinew_default_task(), targets[edges] = sinew_default_target();
  tasks[edges].link = JOINTS, tasks[edges].point_l[2] = -0.6; // the hand
  memcpy(targets[edges].position, (double[]){0.45, 0.0, 0.1}, 3 * sizeof(double));
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  check(sinew_solver_set_tasks(solver, tasks, edges + 1, &error), &error);
  double q[JOINTS] = {0.3, -0.6, 0.5, 0.0};
  sinew_report report;
  check(sinew_solver_solve(solver, targets, edges + 1, q, &report),
        sinew_solver_last_error(solver));
  printf("%s: %.2f %.2f %.2f %.2f\n", sinew_outcome_string(report.outcome), q[0], q[1], q[2], q[3]);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
