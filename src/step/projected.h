// Projected Levenberg-Marquardt: the damped step without bounds, clipped to them.
#ifndef SINEW_STEP_PROJECTED_H
#define SINEW_STEP_PROJECTED_H

#include "step/dls.h"

// Reads e, mu, form, the gradient and bounds. Joints that a bound blocks take no part; the step of
// the others is computed as if they had no bounds, and clipped. The scratch is that of damped least
// squares. Returns the number of systems solved: 1.
int sinew_projected_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
