// Definitions: their defaults, and what a kind of joint implies.
#include "base/definition.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

void sinew_link_def_init(sinew_link_def *def, size_t size) {
  const sinew_link_def usual = {.cookie = SINEW_COOKIE_LINK, .size = sizeof usual};
  sinew_definition_init(def, size, &usual);
}

void sinew_joint_def_init(sinew_joint_def *def, size_t size) {
  sinew_joint_def usual = {
      .cookie = SINEW_COOKIE_JOINT,
      .size = sizeof usual,
      .kind = SINEW_JOINT_FIXED,
      .placement = sinew_pose_identity(),
      .axis = {1.0, 0.0, 0.0},
      .axis2 = {0.0, 1.0, 0.0},
      .driver = -1,
      .ratio = 1.0,
  };
  for (int i = 0; i < SINEW_JOINT_MAX_NV; ++i) {
    usual.lower[i] = -INFINITY;
    usual.upper[i] = INFINITY;
    usual.velocity[i] = INFINITY;
  }
  sinew_definition_init(def, size, &usual);
}

void sinew_shape_def_init(sinew_shape_def *def, size_t size) {
  const sinew_shape_def usual = {.cookie = SINEW_COOKIE_SHAPE, .size = sizeof usual};
  sinew_definition_init(def, size, &usual);
}

void sinew_model_def_init(sinew_model_def *def, size_t size) {
  const sinew_model_def usual = {.cookie = SINEW_COOKIE_MODEL, .size = sizeof usual};
  sinew_definition_init(def, size, &usual);
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
