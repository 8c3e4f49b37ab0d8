// A figure of four links that bends in its sagittal plane: a foot, a shank, a thigh, a trunk and an
// arm, whose hand is 0.6 m below its shoulder. x is forward, z up.
#ifndef EXAMPLES_KINDS_FIGURE_H
#define EXAMPLES_KINDS_FIGURE_H

#include "../cookbook/check.h"

enum { JOINTS = 4, CONTACTS = 4 };

// The corners of its sole.
static const double foot[3 * CONTACTS] = {-0.1, -0.1, 0, 0.2, -0.1, 0, 0.2, 0.1, 0, -0.1, 0.1, 0};

static sinew_model *figure(void) {
  static const char *const names[] = {"foot", "shank", "thigh", "trunk", "arm"};
  static const double masses[] = {1.0, 8.0, 16.0, 40.0, 5.0}, heights[] = {0.1, 0.4, 0.4, 0.5};
  sinew_link_def links[JOINTS + 1];
  sinew_joint_def joints[JOINTS];
  sinew_model_def def = sinew_default_model_def();
  sinew_model *model;
  sinew_error error;
  for (int i = 0; i <= JOINTS; ++i) {
    links[i] = sinew_default_link_def();
    links[i].name = names[i], links[i].mass = masses[i];
    links[i].center_of_mass[2] = i == 0 ? 0.05 : i == JOINTS ? -0.3 : 0.2; // m
  }
  for (int i = 0; i < JOINTS; ++i) {
    joints[i] = sinew_default_joint_def();
    joints[i].name = names[i + 1], joints[i].kind = SINEW_JOINT_REVOLUTE;
    joints[i].axis[1] = 1.0, joints[i].axis[0] = joints[i].axis[2] = 0.0;
    joints[i].parent = i, joints[i].child = i + 1;
    joints[i].placement.position[2] = heights[i];
    joints[i].lower[0] = -2.5, joints[i].upper[0] = 2.5;
  }
  def.links = links, def.link_count = JOINTS + 1, def.joints = joints, def.joint_count = JOINTS;
  check(sinew_model_create(&def, &model, &error), &error);
  return model;
}

#endif
