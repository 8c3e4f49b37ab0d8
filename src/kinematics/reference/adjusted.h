// The present axes of a joint of several degrees of freedom.
#ifndef SINEW_KINEMATICS_REFERENCE_ADJUSTED_H
#define SINEW_KINEMATICS_REFERENCE_ADJUSTED_H

#include "kinematics/state.h"

// A joint's axes in the frame of the link that it moves: column k is the axis of its
// k-th rotation or translation. Columns beyond their number are zero.
typedef struct sinew_joint_axes {
  double turns[9];  // R* = R^T R'
  double slides[9]; // likewise
} sinew_joint_axes;

void sinew_state_joint_axes(const sinew_state *state, int joint, sinew_joint_axes *axes);

#endif
