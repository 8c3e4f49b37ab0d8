// A figure that turns to a point: its spine is laid along a curve towards the point, its head is
// aimed at it, and the twist of a hand is shared out to two roll bones. The pelvis is the parent:
// x forward, y left, z up.
#include "sinew/sinew.h"
#include <math.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if ((call) != SINEW_OK) {                                                                        \
    fprintf(stderr, "%s: %s\n", #call, error.message);                                             \
    return 2;                                                                                      \
  }

int main(void) {
  sinew_error error = {0};
  sinew_spine_def spine_def = sinew_default_spine_def();
  spine_def.bones = 4; // from the pelvis to the neck, 0.15 m each
  for (int i = 0; i <= 4; i++)
    spine_def.joints[i][2] = 0.15 * i;
  sinew_spine spine;
  CHECK(sinew_spine_init(&spine, &spine_def, &error));
  sinew_aim_def head_def = sinew_default_aim_def(); // looks along x, z is up
  sinew_twist_def wrist_def = sinew_default_twist_def();
  wrist_def.bones = 2;
  wrist_def.shares[0] = 1.0 / 3.0, wrist_def.shares[1] = 2.0 / 3.0;
  sinew_twist wrist;
  CHECK(sinew_twist_init(&wrist, &wrist_def, &error));

  double twist = 0.0, roll = 0.0;
  for (int frame = 0; frame <= 6; frame++) {
    // The spine leans and turns towards a point that moves to the left
    const double point[3] = {1.0, -1.0 + 0.5 * frame, 0.4}, turn = atan2(point[1], point[0]);
    const double curve[4][3] = {
        {0, 0, 0}, {0, 0, 0.2}, {0, 0, 0.4}, {0.1 * cos(turn), 0.1 * sin(turn), 0.58}};
    const double chest[4] = {cos(0.25 * turn), 0, 0, sin(0.25 * turn)}; // half of the turn
    sinew_spine_pose back;
    CHECK(sinew_spine_solve(&spine, curve[0], chest, &twist, &back));
    for (int i = 0; i < 3; i++)
      head_def.joint[i] = back.joints[4][i]; // the head is at the spine's tip
    sinew_aim head;
    double look[4], past, rolls[2][4];
    const double up[3] = {0, 0, 1};
    CHECK(sinew_aim_init(&head, &head_def, &error));
    CHECK(sinew_aim_solve(&head, point, up, look, &past));
    // The hand turns about the forearm
    const double angle = 0.6 * frame, hand[4] = {cos(angle / 2), sin(angle / 2), 0, 0};
    CHECK(sinew_twist_solve(&wrist, hand, &roll, rolls[0], NULL));
    printf("spine twisted %+.2f rad, %.3f m off; head %.0e m off; roll bones %.2f and %.2f rad\n",
           twist, back.miss, past, 2 * acos(rolls[0][0]), 2 * acos(rolls[1][0]));
  }
  return 0;
}
