// A closed loop: the crank of a four-bar linkage turns, and its rocker swings. The tree is cut at
// the pin of coupler and rocker; a task relative to the rocker (frame_link) holds it together.
#include "../cookbook/check.h"
#include <math.h>

enum { GROUND, CRANK, COUPLER, ROCKER, LINKS, JOINTS = LINKS - 1, FRAMES = 360 };

int main(void) {
  const double crank = 0.1, coupler = 0.35, rocker = 0.3, ground = 0.4; // lengths [m]
  static const char *const names[] = {"ground", "crank", "coupler", "rocker"};
  sinew_link_def links[LINKS];
  sinew_joint_def joints[JOINTS];
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model;
  sinew_solver *solver;
  sinew_error error;
  for (int i = 0; i < LINKS; ++i)
    links[i] = sinew_default_link_def(), links[i].name = names[i];
  for (int i = 0; i < JOINTS; ++i) { // about z; the rocker is on the ground too
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1], joints[i].kind = SINEW_JOINT_CONTINUOUS;
    joints[i].axis[0] = 0.0, joints[i].axis[2] = 1.0;
    joints[i].child = i + 1, joints[i].parent = i + 1 == ROCKER ? GROUND : i;
  }
  joints[1].placement.position[0] = crank, joints[2].placement.position[0] = ground;
  def.links = links, def.link_count = LINKS, def.joints = joints, def.joint_count = JOINTS;
  check(sinew_model_create(&def, &model, &error), &error);

  const sinew_solver_def settings = sinew_default_solver_def();
  sinew_task pin = sinew_default_task(); // the end of the coupler is at that of the rocker
  sinew_target target = sinew_default_target();
  pin.link = COUPLER, pin.point_l[0] = coupler;
  pin.frame_link = ROCKER, target.position[0] = rocker;
  pin.free_axes = SINEW_FREE_Z; // the linkage is flat
  check(sinew_solver_create(&settings, model, &solver, &error), &error);
  check(sinew_solver_set_tasks(solver, &pin, 1, &error), &error);
  check(sinew_solver_set_frozen(solver, (unsigned char[]){1, 0, 0}), &error); // driven by hand

  double q[JOINTS] = {0.0, 1.0, 2.0}, open = 0.0, least = INFINITY, most = -INFINITY;
  sinew_report report = {0};
  for (int frame = 0; frame <= FRAMES; ++frame) {
    q[0] = 6.283185 * frame / FRAMES;
    check(sinew_solver_solve_local(solver, &target, 1, q, &report),
          sinew_solver_last_error(solver));
    // The coupler's length between the ends of the other two, which closes the loop
    const double x = ground + rocker * cos(q[2]) - crank * cos(q[0]);
    const double y = rocker * sin(q[2]) - crank * sin(q[0]);
    open = fmax(open, fabs(hypot(x, y) - coupler));
    least = fmin(least, q[2]), most = fmax(most, q[2]);
  }
  printf("the rocker swings from %.3f to %.3f rad; open by %.0e m at most\n", least, most, open);
  sinew_solver_destroy(solver), sinew_model_destroy(model);
  // The swing ends where crank and coupler are in line: at the law of cosines' angles
  const double in = coupler - crank, out = coupler + crank, sum = pow(ground, 2) + pow(rocker, 2);
  const double first = acos((pow(out, 2) - sum) / (2.0 * ground * rocker));
  const double last = acos((pow(in, 2) - sum) / (2.0 * ground * rocker));
  return open < 1e-6 && fabs(least - first) < 1e-3 && fabs(most - last) < 1e-3 ? 0 : 1;
}
