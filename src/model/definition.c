// Definitions: their defaults, and what a kind of joint implies.
#include "model/model.h"

#include <math.h>
#include <string.h>

// "SNEW": marks a struct that came from its default function.
#define COOKIE UINT32_C(0x534e4557)

sinew_joint_def sinew_default_joint_def(void) {
  sinew_joint_def def = {
      .kind = SINEW_JOINT_FIXED,
      .placement = sinew_pose_identity(),
      .axis = {1.0, 0.0, 0.0},
      .axis2 = {0.0, 1.0, 0.0},
      .driver = -1,
      .ratio = 1.0,
  };
  for (int i = 0; i < SINEW_JOINT_MAX_NV; ++i) {
    def.lower[i] = -INFINITY;
    def.upper[i] = INFINITY;
    def.velocity[i] = INFINITY;
  }
  return def;
}

sinew_model_def sinew_default_model_def(void) {
  return (sinew_model_def){.cookie = COOKIE};
}

int sinew_joint_def_nv(const sinew_joint_def *joint) {
  switch (joint->kind) {
  case SINEW_JOINT_FIXED:
    return 0;
  case SINEW_JOINT_REVOLUTE:
  case SINEW_JOINT_CONTINUOUS:
  case SINEW_JOINT_PRISMATIC:
  case SINEW_JOINT_SCREW:
    return 1;
  case SINEW_JOINT_UNIVERSAL:
  case SINEW_JOINT_CYLINDRICAL:
    return 2;
  case SINEW_JOINT_SPHERICAL:
  case SINEW_JOINT_PLANAR:
    return 3;
  case SINEW_JOINT_EULER:
  case SINEW_JOINT_CHANNELS:
    return (int)strlen(joint->channels);
  case SINEW_JOINT_FREE:
    return 6;
  }
  return 0;
}

int sinew_joint_def_nq(const sinew_joint_def *joint) {
  return sinew_joint_def_nv(joint) + sinew_joint_is_ball(joint->kind);
}
