// Sines and cosines of many angles at once.
#ifndef SINEW_MATH_SINCOS_H
#define SINEW_MATH_SINCOS_H

// sine[i], cosine[i] of angle[i] [rad], each within 1.7e-16, and within 1.5 units
// in its last place where the angle is at most a turn and the value not below a
// hundredth, or the angle is small. Angles must be finite.
void sinew_sincos(int count, const double *angle, double *sine, double *cosine);

#endif
