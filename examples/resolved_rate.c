// Resolved rate: the flange of an arm moves on a circle by joint velocities alone. Without feedback
// the error of their integration grows; with it, it does not.
#include "cookbook/check.h"
#include <math.h>
#include <sinew/reference.h>

enum { JOINTS = 7 };

// Follows five turns. Returns the distance from the path at their end [m]; -1 where a call fails.
static double follow(sinew_state *state, int link, double gain, double *work) {
  const double radius = 0.05, dt = 0.01, rate = 2.0, turns = 5.0; // m, s, rad/s
  double q[JOINTS] = {0.0, -0.3, 0.0, -1.9, 0.0, 1.6, 0.8}, v[JOINTS], error = -1.0;
  sinew_reference_motion motion = {
      .link = link, .rows = {1, 1, 1, 1, 1, 1}, .gain = gain, .cut = 1e-4};
  sinew_pose start, pose;
  if (sinew_state_forward(state, q) != SINEW_OK ||
      sinew_state_link_pose(state, link, &start) != SINEW_OK)
    return -1.0;
  motion.pose = start;
  for (int i = 0; i < (int)(turns * 6.283185 / (rate * dt)); ++i) {
    const double c = cos(rate * dt * i), s = sin(rate * dt * i);
    motion.pose.position[1] = start.position[1] + radius * s;
    motion.pose.position[2] = start.position[2] + radius * (1.0 - c);
    motion.twist[1] = radius * rate * c;
    motion.twist[2] = radius * rate * s;
    if (sinew_state_forward(state, q) != SINEW_OK ||
        sinew_state_link_pose(state, link, &pose) != SINEW_OK ||
        sinew_reference_rate(state, &motion, NULL, work, v) != SINEW_OK)
      return -1.0;
    error = hypot(pose.position[1] - motion.pose.position[1],
                  pose.position[2] - motion.pose.position[2]);
    for (int j = 0; j < JOINTS; ++j)
      q[j] += v[j] * dt;
  }
  return error;
}

int main(void) {
  sinew_error error;
  sinew_document *file;
  sinew_model *model;
  sinew_state *state;
  check(sinew_document_open("models/arm7.urdf", NULL, &file, &error), &error);
  check(sinew_model_create(&file->model, &model, &error), &error);
  check(sinew_state_create(model, NULL, &state, &error), &error);
  double *work = malloc(sinew_reference_work(JOINTS, 6) * sizeof *work);
  const int link = sinew_model_find_link(model, "flange");
  const double open = follow(state, link, 0.0, work), closed = follow(state, link, 10.0, work);
  printf("without feedback %.1e m, with feedback %.1e m\n", open, closed);
  free(work);
  sinew_state_destroy(state);
  sinew_model_destroy(model);
  sinew_document_destroy(file);
  return closed >= 0.0 && closed < 0.5 * open ? 0 : 1;
}
