// Centres of mass of a multibody and of its parts.
#ifndef SINEW_KINEMATICS_MASS_H
#define SINEW_KINEMATICS_MASS_H

#include "kinematics/state.h"

// The centre of mass of the whole figure, in the root link's frame, and of what each node moves
// (4 values a node, the last 0; not filled for nodes that move no mass). The poses of all nodes
// that move mass are set, and the figure has mass.
void sinew_state_centres(const sinew_state *state, double *centres, double centre[3]);

#endif
