// Sines and cosines of angles that the reduction of sincos.h does not reach.
#include "simd/sincos.h"

#include <math.h>

void sinew_sincos_large(int count, const double *angle, double *sine, double *cosine) {
  for (int i = 0; i < count; ++i) {
    if (fabs(angle[i]) > SINEW_SINCOS_LARGEST) {
      sine[i] = sin(angle[i]);
      cosine[i] = cos(angle[i]);
    }
  }
}
