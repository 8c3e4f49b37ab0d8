// A figure's floating base: where it is, and where it is set to.
#ifndef SINEW_SEED_FLOATING_BASE_H
#define SINEW_SEED_FLOATING_BASE_H

#include "model/model.h"
#include "sinew/task.h"

#include <stdbool.h>

// A floating base: a joint of the root with all six degrees of freedom and no limits, which moves
// all tasks.
typedef struct sinew_floating_base {
  bool floats;           // whether there is one
  int v, nv;             // its values in v
  int link;              // that it moves
  int translation_q[3];  // indices in q of its translations x, y, z,
  int quaternion_q;      // of its quaternion, or -1, and then
  int angle_q[3];        // of its angles
  int angle_axis[3];     // and their axes, in the order of the joint
  sinew_frame placement; // of the joint: the pose of its link with its values at 0
} sinew_floating_base;

// Fills the base that a joint is; returns whether it is one.
bool sinew_floating_base_of(const sinew_model *model, int joint, sinew_floating_base *base);

// Finds the base that moves all tasks, if there is one.
void sinew_floating_base_find(const sinew_model *model, const sinew_task *tasks, int count,
                              sinew_floating_base *base);

// Sets the base's values in q to 0.
void sinew_floating_base_zero(const sinew_floating_base *base, double *q);

// Sets them so that its link has a pose.
void sinew_floating_base_place(const sinew_floating_base *base, const sinew_pose *link, double *q);

// Sets them so that the base moves all links by a rigid motion from where they are with its values
// at 0.
void sinew_floating_base_set(const sinew_floating_base *base, const sinew_pose *motion, double *q);

#endif
