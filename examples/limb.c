// A leg that stands on uneven ground, and a head that is aimed at a ball. The pelvis is the parent
// of both: x forward, y left, z up.
#include "sinew/sinew.h"
#include <math.h>
#include <stdio.h>

// The height of the ground under the foot, from the pelvis.
static double ground(double x) {
  return -0.8 + 0.06 * sin(7 * x);
}

int main(void) {
  // The figure at rest: a leg with a slightly bent knee, which the knee's side follows.
  sinew_limb_def leg_def = sinew_default_limb_def();
  const double knee[3] = {0.05, 0.1, -0.45}, ankle[3] = {0.0, 0.1, -0.9};
  for (int i = 0; i < 3; i++) {
    leg_def.shoulder[i] = i == 1 ? 0.1 : 0.0; // the hip
    leg_def.elbow[i] = knee[i];
    leg_def.wrist[i] = ankle[i];
  }
  leg_def.soft = 0.05; // the knee never stops suddenly as the leg straightens

  sinew_aim_def head_def = sinew_default_aim_def(); // looks along x, z is up
  head_def.joint[2] = 0.6;
  head_def.eye[0] = 0.1; // the eyes are in front of the joint and above it
  head_def.eye[2] = 0.12;

  sinew_limb leg;
  sinew_aim head;
  sinew_error error;
  if (sinew_limb_init(&leg, &leg_def, &error) != SINEW_OK ||
      sinew_aim_init(&head, &head_def, &error) != SINEW_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 2;
  }
  const double up[3] = {0, 0, 1};
  for (int frame = 0; frame <= 10; frame++) {
    const double x = -0.25 + 0.05 * frame;
    const sinew_limb_goal goal = {.target = {x, 0.1, ground(x)}};
    const double ball[3] = {2.0, 1.0 - 0.2 * frame, -0.6};
    sinew_limb_pose pose; // rotations of thigh and shank from rest: a link with the rotation r at
                          // rest now has pose.upper * r
    double rotation[4], miss;
    if (sinew_limb_solve(&leg, &goal, NULL, &pose) != SINEW_OK ||
        sinew_aim_solve(&head, ball, up, rotation, &miss) != SINEW_OK) {
      return 2; // a target that is not finite
    }
    printf("foot %5.2f %.3f: knee at %5.2f %.2f, %.1e m off; head (%.3f %.3f %.3f %.3f)\n", x,
           goal.target[2], pose.elbow[0], pose.elbow[2], pose.miss, rotation[0], rotation[1],
           rotation[2], rotation[3]);
  }
  return 0;
}
