// A limb in a game: a leg of two segments in closed form, without a model or a solver.
#include "check.h"
#include <math.h>
#include <string.h>

int main(void) {
  sinew_error error;
  sinew_limb leg;
  sinew_limb_def def = sinew_default_limb_def(); // at rest, in the hip's frame: x ahead, z up
  memcpy(def.elbow, (double[]){0.03, 0, -0.45}, sizeof def.elbow); // the knee, slightly bent
  memcpy(def.wrist, (double[]){0, 0, -0.9}, sizeof def.wrist);     // the ankle
  def.soft = 0.05; // the leg is never quite straight
  check(sinew_limb_init(&leg, &def, &error), &error);

  double worst = 0;
  for (int frame = 0; frame < 60; ++frame) {
    const double phase = 0.1 * frame;
    const sinew_limb_goal goal = {.target = {0.3 * sin(phase), 0, -0.75 + 0.1 * cos(phase)}};
    sinew_limb_pose pose; // pose.upper and pose.lower rotate thigh and shank from rest
    check(sinew_limb_solve(&leg, &goal, NULL, &pose), &error);
    worst = fmax(worst, pose.miss);
  }
  printf("the foot is at most %.3f m off\n", worst);
  return worst < 0.05 ? 0 : 1;
}
