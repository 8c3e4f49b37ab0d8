// Sines and cosines of many angles at once.
#ifndef SINEW_MATH_SINCOS_H
#define SINEW_MATH_SINCOS_H

// sine[i], cosine[i] of angle[i] [rad], each within 1.5 units in the last
// place (of 1 near a zero beyond the first). Angles must be finite.
void sinew_sincos(int count, const double *angle, double *sine, double *cosine);

#endif
