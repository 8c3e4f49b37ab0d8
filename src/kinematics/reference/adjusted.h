// The axes of a joint of several freedoms as they stand, not as it leaves them.
#ifndef SINEW_KINEMATICS_REFERENCE_ADJUSTED_H
#define SINEW_KINEMATICS_REFERENCE_ADJUSTED_H

#include "kinematics/state.h"

// A joint's axes in the axes of the link that it moves: column k is that of its
// k-th turn, and of its k-th slide. Columns beyond their number are zero.
typedef struct sinew_joint_axes {
  double turns[9];  // R* = R^T R'
  double slides[9]; // likewise
} sinew_joint_axes;

void sinew_state_joint_axes(const sinew_state *state, int joint, sinew_joint_axes *axes);

#endif
