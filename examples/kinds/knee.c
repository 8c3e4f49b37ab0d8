// A leg whose knee has a moving centre: the joint is a function of one value, with its derivative,
// which is compared with differences first. The foot is then brought to a target.
#include "../cookbook/check.h"
#include <math.h>

// The centre rolls along an ellipse, of half axes 0.04 and 0.02 m, while the shin turns about it.
static void knee(void *context, const double *values, sinew_pose *motion, double *twists) {
  (void)context;
  const double a = values[0];
  motion->position[0] = 0.04 * sin(a);
  motion->position[1] = 0.02 * (1.0 - cos(a));
  motion->rotation[0] = cos(0.5 * a); // about z
  motion->rotation[3] = sin(0.5 * a);
  twists[0] = 0.04 * cos(a); // d position / da
  twists[1] = 0.02 * sin(a);
  twists[5] = 1.0; // the angular velocity
}

int main(void) {
  static const char *const names[] = {"pelvis", "thigh", "shin", "foot"};
  sinew_link_def links[4];
  sinew_joint_def joints[3];
  for (int i = 0; i < 4; ++i)
    links[i] = sinew_default_link_def(), links[i].name = names[i];
  for (int i = 0; i < 3; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1];
    joints[i].kind = i == 1 ? SINEW_JOINT_FUNCTION : SINEW_JOINT_REVOLUTE;
    joints[i].parent = i, joints[i].child = i + 1;
    joints[i].axis[0] = 0.0, joints[i].axis[2] = 1.0;
    joints[i].lower[0] = -2.0, joints[i].upper[0] = 2.0;
    joints[i].placement.position[0] = i > 0 ? 0.4 : 0.0;
  }
  joints[1].function = knee;
  joints[1].channels[0] = 'r'; // one value, an angle
  sinew_model_def def = sinew_default_model_def();
  def.links = links, def.link_count = 4, def.joints = joints, def.joint_count = 3;

  sinew_error error;
  sinew_model *model;
  sinew_solver *solver;
  const double bent = 1.0;
  check(sinew_model_create(&def, &model, &error), &error);
  check(sinew_model_check_function(model, 1, &bent, 1e-6, &error), &error);
  const sinew_solver_def settings = sinew_default_solver_def();
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  sinew_task foot = sinew_default_task();
  foot.link = 3;
  check(sinew_solver_set_tasks(solver, &foot, 1, &error), &error);
  double q[3] = {0.0, 0.5, 0.0};
  sinew_report report;
  sinew_target target = sinew_default_target();
  target.position[0] = 0.5, target.position[1] = 0.2;
  check(sinew_solver_solve(solver, &target, 1, q, &report), sinew_solver_last_error(solver));
  printf("%s: hip %.4f, knee %.4f rad\n", sinew_outcome_string(report.outcome), q[0], q[1]);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
  return report.outcome == SINEW_OUTCOME_CONVERGED ? 0 : 1;
}
