// A figure that walks up stairs: its pelvis rises and sinks until both feet are reached, and its
// legs bend. The pelvis is the parent: x forward, y left, z up. turn.c has its spine and head.
#include "sinew/sinew.h"
#include <math.h>
#include <stdio.h>

#define CHECK(call)                                                                                \
  if ((call) != SINEW_OK) {                                                                        \
    fprintf(stderr, "%s: %s\n", #call, error.message);                                             \
    return 2;                                                                                      \
  }

// The height of the stairs at x, from the ground where the figure stood.
static double stair(double x) {
  return 0.18 * floor(x / 0.3);
}

int main(void) {
  sinew_error error = {0};
  sinew_limb legs[2];
  for (int side = 0; side < 2; side++) {
    sinew_limb_def def = sinew_default_limb_def();
    def.shoulder[1] = def.elbow[1] = def.wrist[1] = side ? -0.1 : 0.1;
    def.elbow[0] = 0.02;
    def.elbow[2] = -0.45;
    def.wrist[2] = -0.89;
    def.soft = 0.02;
    CHECK(sinew_limb_init(&legs[side], &def, &error));
  }
  sinew_plant_def plant_def = sinew_default_plant_def();
  plant_def.sole = 0.08; // the ankle is above the ground
  sinew_plant plant;
  CHECK(sinew_plant_init(&plant, &plant_def, legs, &error));

  for (int frame = 0; frame <= 6; frame++) {
    // The feet: one on the stair below, one above; the pelvis was 0.95 m above the ground
    const double x = 0.05 + 0.1 * frame;
    const double contacts[2][3] = {{0.2, 0.1, stair(x + 0.2) - stair(x) - 0.95},
                                   {-0.2, -0.1, stair(x - 0.2) - stair(x) - 0.95}};
    const sinew_plant_goal ground = {.contacts = contacts[0]};
    sinew_plant_pose stand;
    CHECK(sinew_plant_solve(&plant, &ground, &stand));
    double miss = 0.0;
    for (int side = 0; side < 2; side++) {
      const double *ankle = stand.ankles[side];
      const sinew_limb_goal goal = {.target = {ankle[0], ankle[1], ankle[2]}};
      sinew_limb_pose leg;
      CHECK(sinew_limb_solve(&legs[side], &goal, NULL, &leg));
      miss = fmax(miss, leg.miss);
    }
    printf("pelvis %+.3f m, feet %.0e m off\n", stand.height, miss);
  }
  return 0;
}
