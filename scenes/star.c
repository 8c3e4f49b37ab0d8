// Stars: limbs on a fixed base, or on a trunk.
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014).
static uint64_t random_bits(uint64_t *state) {
  uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

static double between(uint64_t *state, double lower, double upper) {
  return lower + (upper - lower) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

// Half of the axes are parallel to one of the frame's, as in most robots, the others anywhere.
static void random_axis(uint64_t *state, double axis[3]) {
  const bool aligned = random_bits(state) >> 63 != 0;
  const int main = (int)((random_bits(state) >> 33) % 3);
  double square = 0.0;
  while (!(square > 0.01 && square < 1.0)) { // points of the cube that are within the unit ball
    square = 0.0;
    for (int i = 0; i < 3; ++i) {
      axis[i] = between(state, -1.0, 1.0);
      square += axis[i] * axis[i];
    }
  }
  for (int i = 0; aligned && i < 3; ++i) {
    axis[i] = i == main ? 1.0 : 0.0;
  }
}

// Adds a chain of revolute joints; offset: of its first joint, then of what follows it. Returns its
// last link.
static int add_chain(sinew_scene *scene, const char *part, int joints, uint64_t *state, int link,
                     double offset[3]) {
  char name[SCENE_NAME_SIZE];
  double axis[3];
  for (int j = 0; j < joints; ++j) {
    random_axis(state, axis);
    snprintf(name, sizeof name, "%s_%d", part, j);
    link = sinew_scene_add(scene, link, name, SINEW_JOINT_REVOLUTE, offset, axis);
    const double lower = between(state, -PI, -0.5), upper = between(state, 0.5, PI);
    sinew_scene_limit(scene, link, lower, upper);
    for (int i = 0; i < 3; ++i) {
      offset[i] = between(state, -0.3, 0.3);
    }
  }
  return link;
}

static void add_limb(sinew_scene *scene, const sinew_scene_star_def *def, int limb, int link) {
  uint64_t state = def->random_seed * UINT64_C(0x100000001b3) + (uint64_t)limb;
  const double angle = 2.0 * PI * limb / def->limbs;
  double offset[3] = {0.3 * cos(angle), 0.3 * sin(angle), 0.0};
  char name[SCENE_NAME_SIZE];
  snprintf(name, sizeof name, "limb%d", limb);
  link = add_chain(scene, name, def->joints, &state, link, offset);
  snprintf(name, sizeof name, "limb%d_tip", limb);
  link = sinew_scene_add(scene, link, name, SINEW_JOINT_FIXED, offset, NULL);
  sinew_scene_effect(scene, link, SINEW_TASK_POSE);
}

sinew_scene *sinew_scene_star(const sinew_scene_star_def *def) {
  sinew_scene *scene = sinew_scene_begin("star", def->limbs * (def->joints + 1) + def->trunk);
  uint64_t state = ~def->random_seed;
  double offset[3] = {0.0};
  int link = 0;
  if (scene != NULL) {
    scene->title = "limbs on a fixed base or a trunk, each with a pose";
    link = add_chain(scene, "trunk", def->trunk, &state, link, offset);
  }
  for (int limb = 0; scene != NULL && limb < def->limbs; ++limb) {
    add_limb(scene, def, limb, link);
  }
  return scene;
}
