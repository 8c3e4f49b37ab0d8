// Sines and cosines of many angles, four at a time, without branches.
//
// The range reduction and the polynomials are those of sine_terms.h, without fused products, with
// pi/2 in three parts, for |n| < 2^20. For larger angles the C library is called. n modulo 4
// decides which of the two polynomials is the sine, and the signs.
#ifndef SINEW_SIMD_SINCOS_H
#define SINEW_SIMD_SINCOS_H

#include "simd/four.h"
#include "simd/sine_terms.h"

#define SINEW_SINCOS_LARGEST 1.0e6 // rad; |n| stays below 2^20

// The polynomials are evaluated by Estrin's scheme, with half as long a chain of dependent products
// as Horner's.
SINEW_ALWAYS_INLINE sinew_four sinew_sine_near(sinew_four r, sinew_four z) {
  const sinew_four zz = z * z;
  const sinew_four low = SINEW_FOUR_OF(SINEW_SINE_5) + z * SINEW_FOUR_OF(SINEW_SINE_7),
                   high = SINEW_FOUR_OF(SINEW_SINE_9) + z * SINEW_FOUR_OF(SINEW_SINE_11);
  const sinew_four p = low + zz * (high + zz * SINEW_FOUR_OF(SINEW_SINE_13));
  return r + r * z * (SINEW_FOUR_OF(SINEW_SINE_3) + z * p);
}

SINEW_ALWAYS_INLINE sinew_four sinew_cosine_near(sinew_four z) {
  const sinew_four zz = z * z;
  const sinew_four low = SINEW_FOUR_OF(SINEW_COSINE_4) + z * SINEW_FOUR_OF(SINEW_COSINE_6),
                   middle = SINEW_FOUR_OF(SINEW_COSINE_8) + z * SINEW_FOUR_OF(SINEW_COSINE_10),
                   high = SINEW_FOUR_OF(SINEW_COSINE_12) + z * SINEW_FOUR_OF(SINEW_COSINE_14);
  const sinew_four p = (low + zz * middle) + zz * zz * high;
  // 1 - z/2 as top and its rounding error, which is added to the rest.
  const sinew_four half = SINEW_FOUR_OF(0.5) * z, top = SINEW_FOUR_OF(1.0) - half;
  return top + ((SINEW_FOUR_OF(1.0) - top) - half + zz * p);
}

SINEW_ALWAYS_INLINE void sinew_sincos_four(sinew_four x, sinew_four *sine, sinew_four *cosine) {
  const sinew_four magic = SINEW_FOUR_OF(SINEW_ROUND_SHIFT);
  const sinew_four shifted = x * SINEW_FOUR_OF(SINEW_TWO_BY_PI) + magic;
  const sinew_four n = shifted - magic;
  sinew_four r = x - n * SINEW_FOUR_OF(SINEW_HALF_PI_1);
  r = r - n * SINEW_FOUR_OF(SINEW_HALF_PI_2);
  r = r - n * SINEW_FOUR_OF(SINEW_HALF_PI_3);
  const sinew_four z = r * r;

  const sinew_four_bits s = (sinew_four_bits)sinew_sine_near(r, z),
                        c = (sinew_four_bits)sinew_cosine_near(z);
  const sinew_four_bits quadrant = (sinew_four_bits)shifted;
  const sinew_four_bits one = {1, 1, 1, 1}, two = {2, 2, 2, 2}, sign = {62, 62, 62, 62};
  const sinew_four_bits odd = -(quadrant & one); // all ones where sine and cosine swap
  *sine = (sinew_four)(((s & ~odd) | (c & odd)) ^ ((quadrant & two) << sign));
  *cosine = (sinew_four)(((c & ~odd) | (s & odd)) ^ (((quadrant + one) & two) << sign));
}

// Angles too large for the range reduction, one by one.
void sinew_sincos_large(int count, const double *angle, double *sine, double *cosine);

// sine[i], cosine[i] of angle[i] [rad], with absolute errors below 1.7e-16, and below 1.5 units in
// the last place if |angle| <= 2 pi and |value| >= 0.01, or if the angle is small. Angles must be
// finite. The arrays must have a multiple of four elements; those beyond count are overwritten.
SINEW_ALWAYS_INLINE void sinew_sincos(int count, double *angle, double *sine, double *cosine) {
  sinew_four_bits large = {0, 0, 0, 0};
  for (int i = count; i % 4 != 0; ++i) {
    angle[i] = 0.0;
  }
  for (int i = 0; i < count; i += 4) {
    const sinew_four x = sinew_four_load(angle + i);
    sinew_four s, c;
    sinew_sincos_four(x, &s, &c);
    sinew_four_store(sine + i, s);
    sinew_four_store(cosine + i, c);
    large |= (x > SINEW_FOUR_OF(SINEW_SINCOS_LARGEST)) | (x < SINEW_FOUR_OF(-SINEW_SINCOS_LARGEST));
  }
  if ((large[0] | large[1] | large[2] | large[3]) != 0) {
    sinew_sincos_large(count, angle, sine, cosine);
  }
}

#endif
