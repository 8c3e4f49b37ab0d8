// Sines and cosines of many angles at once.
#ifndef SINEW_MATH_SINCOS_H
#define SINEW_MATH_SINCOS_H

#include <stdbool.h>

// sine[i], cosine[i] of angle[i] [rad], each within 1.7e-16, and within 1.5 units
// in its last place where the angle is at most a turn and the value not below a
// hundredth, or the angle is small. Angles must be finite. There is room for a multiple of
// four of each; what is beyond count is written over. wide: math/four.h.
void sinew_sincos(bool wide, int count, double *angle, double *sine, double *cosine);

#endif
