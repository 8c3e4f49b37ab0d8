// A double-Y of 16 joints, one for each segment: as in Buss's report, which does not give its 16
// axes. The axes are sinew's own; lengths and targets are those of the double-Y of 25 joints
// (buss.c).
#include "scenes/scene.h"

#include <math.h>
#include <stdio.h>

// All segments are of this length.
#define SEGMENT 0.5

// The direction of a branch from the end of an arm, and the axes of its three joints.
typedef struct branch {
  int side; // 1: right, -1: left
  double direction[3];
} branch;

// sqrt(3) / 2 and 1 / sqrt(2)
#define H 0.8660254037844386
#define R 0.7071067811865476

static const double x_axis[3] = {1, 0, 0}, y_axis[3] = {0, 1, 0}, z_axis[3] = {0, 0, 1};
static const double oblique[3] = {0.46770717334674267, 0.125, 0.875};

// Found by 'sinew experiment reachable'; ten times its starts changed none of the first 1700 steps.
// 1700 steps.
static const int runs[] = {
    388, 20, 222, 43, 4,   11, 545, 19, 392, 20, 222, 43, 5,   11, 544, 19, 393, 20,
    222, 43, 4,   11, 545, 19, 393, 19, 223, 43, 4,   11, 545, 18, 393, 20, 222, 43,
    5,   11, 544, 19, 393, 20, 222, 43, 4,   11, 545, 19, 393, 19, 223, 42, 5,   11,
    545, 18, 393, 20, 222, 43, 5,   11, 544, 19, 393, 20, 222, 43, 4,   11, 545, 19,
    392, 20, 222, 43, 5,   11, 544, 19, 393, 20, 222, 43, 4,   12, 544, 19, 393, 20,
    222, 43, 4,   11, 545, 19, 392, 20, 222, 43, 5,   11, 544, 19, 393, 20, 222, 43,
    4,   11, 545, 19, 393, 19, 223, 43, 4,   11, 545, 18, 393, 20, 222, 43, 5,   11,
    544, 19, 393, 20, 222, 43, 4,   11, 545, 19, 393, 19, 223, 42, 5,   11, 545, 18,
    393, 20, 222, 43, 5,   11, 544, 19, 393, 20, 222, 43, 4,   11, 545, 19, 392, 13};

// The end of an arm, where both its branches begin.
static int add_arm(sinew_scene *scene, int trunk, int side) {
  const double offset[3] = {0, SEGMENT, 0};
  return sinew_scene_add(scene, trunk, side > 0 ? "arm_r" : "arm_l", SINEW_JOINT_REVOLUTE, offset,
                         side > 0 ? z_axis : oblique);
}

static void add_branch(sinew_scene *scene, int arm, int index, const branch *b) {
  const double *axes[] = {y_axis, z_axis, x_axis};
  const double arm_end[3] = {b->side * SEGMENT * R, SEGMENT * R, 0};
  double along[3];
  for (int k = 0; k < 3; ++k) {
    along[k] = SEGMENT * b->direction[k];
  }
  int link = arm;
  for (int i = 0; i < 3; ++i) {
    char name[SCENE_NAME_SIZE];
    snprintf(name, sizeof name, "branch%d_%d", index, i);
    link =
        sinew_scene_add(scene, link, name, SINEW_JOINT_REVOLUTE, i == 0 ? arm_end : along, axes[i]);
  }
  char name[SCENE_NAME_SIZE];
  snprintf(name, sizeof name, "tip%d", index);
  sinew_scene_effect(scene, sinew_scene_add(scene, link, name, SINEW_JOINT_FIXED, along, NULL),
                     SINEW_TASK_POSITION);
}

sinew_scene *sinew_scene_double_y_16(const char *name) {
  static const branch branches[] = {
      {1, {H, 0.5, 0}}, {1, {H, H, 0}}, {-1, {-H, H, 0}}, {-1, {-H, 0.5, 0}}};
  static const double foot[3] = {0, -1.5, 0}, up[3] = {0, SEGMENT, 0};
  sinew_scene *scene = sinew_scene_begin(name, 20);
  if (scene == NULL) {
    return NULL;
  }
  const int lower = sinew_scene_add(scene, 0, "trunk0", SINEW_JOINT_REVOLUTE, foot, oblique);
  const int upper = sinew_scene_add(scene, lower, "trunk1", SINEW_JOINT_REVOLUTE, up, x_axis);
  const int right = add_arm(scene, upper, 1), left = add_arm(scene, upper, -1);
  for (int i = 0; i < 4; ++i) {
    add_branch(scene, branches[i].side > 0 ? right : left, i, &branches[i]);
  }
  scene->title = "a double-Y of 16 joints, one a segment, 4 effectors";
  scene->time_step = 0.005;
  scene->waves = sinew_scene_double_y_waves;
  scene->runs = runs;
  scene->run_count = sizeof runs / sizeof runs[0];
  return scene;
}
