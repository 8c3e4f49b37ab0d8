// Definitions: their default values, and the degrees of freedom of each kind of joint.
#include "base/definition.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

void sinew_link_def_init(sinew_link_def *def, size_t size) {
  const sinew_link_def defaults = {.cookie = SINEW_COOKIE_LINK, .size = sizeof defaults};
  sinew_definition_init(def, size, &defaults);
}

void sinew_joint_def_init(sinew_joint_def *def, size_t size) {
  sinew_joint_def defaults = {
      .cookie = SINEW_COOKIE_JOINT,
      .size = sizeof defaults,
      .kind = SINEW_JOINT_FIXED,
      .placement = sinew_pose_identity(),
      .axis = {1.0, 0.0, 0.0},
      .axis2 = {0.0, 1.0, 0.0},
      .driver = -1,
      .ratio = 1.0,
  };
  for (int i = 0; i < SINEW_JOINT_MAX_NV; ++i) {
    defaults.lower[i] = -INFINITY;
    defaults.upper[i] = INFINITY;
    defaults.velocity[i] = INFINITY;
  }
  sinew_definition_init(def, size, &defaults);
}

void sinew_shape_def_init(sinew_shape_def *def, size_t size) {
  const sinew_shape_def defaults = {.cookie = SINEW_COOKIE_SHAPE, .size = sizeof defaults};
  sinew_definition_init(def, size, &defaults);
}

void sinew_model_def_init(sinew_model_def *def, size_t size) {
  const sinew_model_def defaults = {.cookie = SINEW_COOKIE_MODEL, .size = sizeof defaults};
  sinew_definition_init(def, size, &defaults);
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
  case SINEW_JOINT_FUNCTION:
    return (int)strlen(joint->channels);
  case SINEW_JOINT_FREE:
    return 6;
  }
  return 0;
}

bool sinew_joint_def_has_cone(const sinew_joint_def *joint) {
  bool limited = false;
  for (int i = 0; i < 3; ++i) {
    limited |= joint->lower[i] > -INFINITY || joint->upper[i] < INFINITY;
  }
  return joint->kind == SINEW_JOINT_SPHERICAL && limited;
}

int sinew_joint_def_nq(const sinew_joint_def *joint) {
  return sinew_joint_def_nv(joint) + sinew_joint_has_quaternion(joint->kind);
}
