// Damped least squares within a box.
#ifndef SINEW_STEP_BOX_H
#define SINEW_STEP_BOX_H

#include "step/dls.h"

// x (n) minimises |J x - e|^2 + mu |x|^2 over lower <= x <= upper; held tells
// afterwards which bounds it rests on. Returns the number of systems solved.
int sinew_box_solve(const sinew_dls_problem *problem, sinew_dls_scratch *scratch, double *x);

// Scales x so that no |x_j| exceeds its largest: ClampMaxAbs with one largest
// value for all. Source: Buss 2009, section 4.
void sinew_clamp_max_abs(int n, double largest, double *x);

#endif
