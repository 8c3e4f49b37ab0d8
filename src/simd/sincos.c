// Sines and cosines of angles too large for the range reduction of sincos.h.
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
