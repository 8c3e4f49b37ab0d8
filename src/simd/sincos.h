// Sines and cosines of many angles at once, four a time, without a branch.
//
// Reduction: x = n pi/2 + r with |r| <= pi/4, pi/2 in three parts of 33 bits
// (Cody and Waite 1980), so that n times the first two is exact for |n| < 2^20.
// Larger angles go to the C library. Then two polynomials in r^2, minimax on
// the reduced range; their coefficients and the parts of pi/2 are those of
// fdlibm (Sun Microsystems, 1993). n modulo 4 says which is which.
#ifndef SINEW_SIMD_SINCOS_H
#define SINEW_SIMD_SINCOS_H

#include "simd/four.h"

#define SINEW_SINCOS_LARGEST 1.0e6 // rad; |n| stays below 2^20

// Polynomials by halves (Estrin): what is added last waits for half as many products.
SINEW_ALWAYS_INLINE sinew_four sinew_sine_near(sinew_four r, sinew_four z) {
  const sinew_four zz = z * z;
  const sinew_four low = SINEW_FOUR_OF(8.33333333332248946124e-03) +
                         z * SINEW_FOUR_OF(-1.98412698298579493134e-04),
                   high = SINEW_FOUR_OF(2.75573137070700676789e-06) +
                          z * SINEW_FOUR_OF(-2.50507602534068634195e-08);
  const sinew_four p = low + zz * (high + zz * SINEW_FOUR_OF(1.58969099521155010221e-10));
  return r + r * z * (SINEW_FOUR_OF(-1.66666666666666324348e-01) + z * p);
}

SINEW_ALWAYS_INLINE sinew_four sinew_cosine_near(sinew_four z) {
  const sinew_four zz = z * z;
  const sinew_four low = SINEW_FOUR_OF(4.16666666666666019037e-02) +
                         z * SINEW_FOUR_OF(-1.38888888888741095749e-03),
                   middle = SINEW_FOUR_OF(2.48015872894767294178e-05) +
                            z * SINEW_FOUR_OF(-2.75573143513906633035e-07),
                   high = SINEW_FOUR_OF(2.08757232129817482790e-09) +
                          z * SINEW_FOUR_OF(-1.13596475577881948265e-11);
  const sinew_four p = (low + zz * middle) + zz * zz * high;
  // 1 - z/2 in two parts, so that its rounding is not lost.
  const sinew_four half = SINEW_FOUR_OF(0.5) * z, top = SINEW_FOUR_OF(1.0) - half;
  return top + ((SINEW_FOUR_OF(1.0) - top) - half + zz * p);
}

SINEW_ALWAYS_INLINE void sinew_sincos_four(sinew_four x, sinew_four *sine, sinew_four *cosine) {
  // Adding 1.5 * 2^52 rounds to an integer, which the low bits then hold.
  const sinew_four magic = SINEW_FOUR_OF(6755399441055744.0);
  const sinew_four shifted = x * SINEW_FOUR_OF(6.36619772367581382433e-01) + magic;
  const sinew_four n = shifted - magic;
  sinew_four r = x - n * SINEW_FOUR_OF(1.57079632673412561417e+00);
  r = r - n * SINEW_FOUR_OF(6.07710050630396597660e-11);
  r = r - n * SINEW_FOUR_OF(2.02226624879595063154e-21);
  const sinew_four z = r * r;

  const sinew_four_bits s = (sinew_four_bits)sinew_sine_near(r, z),
                        c = (sinew_four_bits)sinew_cosine_near(z);
  const sinew_four_bits quadrant = (sinew_four_bits)shifted;
  const sinew_four_bits one = {1, 1, 1, 1}, two = {2, 2, 2, 2}, sign = {62, 62, 62, 62};
  const sinew_four_bits odd = -(quadrant & one); // all ones where sine and cosine swap
  *sine = (sinew_four)(((s & ~odd) | (c & odd)) ^ ((quadrant & two) << sign));
  *cosine = (sinew_four)(((c & ~odd) | (s & odd)) ^ (((quadrant + one) & two) << sign));
}

// Angles beyond the reduction's reach, one by one.
void sinew_sincos_large(int count, const double *angle, double *sine, double *cosine);

// sine[i], cosine[i] of angle[i] [rad], each within 1.7e-16, and within 1.5 units
// in its last place where the angle is at most a turn and the value not below a
// hundredth, or the angle is small. Angles must be finite. There is room for a multiple of
// four of each; what is beyond count is written over.
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
