// See closed.h.
#include "bench/closed.h"
#include "scenes/expect.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846
#define MOST 8

// The transform before a joint, Craig's order: along x by a, about x by alpha, along z by d.
typedef struct parameters {
  double alpha, a, d;
} parameters;

static sinew_model *make(const parameters *joints, int count, double flange) {
  static char names[MOST + 1][12];
  sinew_link_def links[MOST + 1];
  sinew_joint_def all[MOST];
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model;
  for (int i = 0; i <= count + 1; ++i) {
    snprintf(names[i], sizeof names[i], "link%d", i);
    links[i] = sinew_default_link_def();
    links[i].name = names[i];
  }
  for (int i = 0; i <= count; ++i) {
    const parameters at = i < count ? joints[i] : (parameters){0.0, 0.0, flange};
    sinew_joint_def *joint = &all[i];
    *joint = sinew_default_joint_def();
    joint->name = names[i + 1];
    joint->kind = i < count ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED;
    joint->parent = i;
    joint->child = i + 1;
    joint->axis[0] = 0.0;
    joint->axis[2] = 1.0;
    joint->lower[0] = -PI;
    joint->upper[0] = PI;
    sinew_quaternion_from_rpy((double[3]){at.alpha, 0.0, 0.0}, joint->placement.rotation);
    joint->placement.position[0] = at.a;
    joint->placement.position[1] = -sin(at.alpha) * at.d;
    joint->placement.position[2] = cos(at.alpha) * at.d;
  }
  def.links = links;
  def.link_count = count + 2;
  def.joints = all;
  def.joint_count = count + 1;
  sinew_expect_ok(sinew_model_create(&def, &model, NULL));
  return model;
}

sinew_model *bench_wrist_arm(void) {
  static const parameters joints[6] = {{0.0, 0.0, 0.615},  {-PI / 2, 0.1, 0.0},
                                       {0.0, 0.705, 0.0},  {-PI / 2, 0.135, 0.755},
                                       {PI / 2, 0.0, 0.0}, {-PI / 2, 0.0, 0.0}};
  return make(joints, 6, 0.085);
}

sinew_model *bench_spherical_arm(void) {
  static const parameters joints[7] = {{0.0, 0.0, 0.36},   {-PI / 2, 0.0, 0.0}, {PI / 2, 0.0, 0.42},
                                       {PI / 2, 0.0, 0.0}, {-PI / 2, 0.0, 0.4}, {-PI / 2, 0.0, 0.0},
                                       {PI / 2, 0.0, 0.0}};
  return make(joints, 7, 0.226);
}

sinew_model *bench_curved_arm(void) {
  static const parameters joints[6] = {{0.0, 0.0, 0.2755},    {PI / 2, 0.0, 0.0},
                                       {0.0, 0.41, -0.0098},  {PI / 2, 0.0, 0.2502},
                                       {PI / 3, 0.0, 0.0858}, {PI / 3, 0.0, 0.2029}};
  return make(joints, 6, 0.06);
}
