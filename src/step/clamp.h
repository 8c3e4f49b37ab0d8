// Limits of the size of errors and steps.
#ifndef SINEW_STEP_CLAMP_H
#define SINEW_STEP_CLAMP_H

// Scales x so that no |x_j| exceeds largest: ClampMaxAbs. Source: Buss 2009, section 4.
void sinew_clamp_max_abs(int n, double largest, double *x);

// Scales w to the length largest if it is longer: ClampMag, for the error of one end
// effector. largest may be infinite. Source: Buss 2009, section 2.
void sinew_clamp_magnitude(int n, double largest, double *w);

#endif
