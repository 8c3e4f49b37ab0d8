// Sines and cosines of many angles at once, two a time, without a branch.
//
// Reduction: x = n pi/2 + r with |r| <= pi/4, pi/2 in three parts of 33 bits
// (Cody and Waite 1980), so that n times the first two is exact for |n| < 2^20.
// Larger angles go to the C library. Then two polynomials in r^2, minimax on
// the reduced range; their coefficients and the parts of pi/2 are those of
// fdlibm (Sun Microsystems, 1993). n modulo 4 says which is which.
#include "math/sincos.h"
#include "math/pair.h"

#include <math.h>
#include <string.h>

#define LARGEST 1.0e6 // rad; |n| stays below 2^20

static inline sinew_pair sine_near(sinew_pair r, sinew_pair z) {
  const sinew_pair p = sinew_pair_of(8.33333333332248946124e-03) +
                       z * (sinew_pair_of(-1.98412698298579493134e-04) +
                            z * (sinew_pair_of(2.75573137070700676789e-06) +
                                 z * (sinew_pair_of(-2.50507602534068634195e-08) +
                                      z * sinew_pair_of(1.58969099521155010221e-10))));
  return r + r * z * (sinew_pair_of(-1.66666666666666324348e-01) + z * p);
}

static inline sinew_pair cosine_near(sinew_pair z) {
  const sinew_pair p = sinew_pair_of(4.16666666666666019037e-02) +
                       z * (sinew_pair_of(-1.38888888888741095749e-03) +
                            z * (sinew_pair_of(2.48015872894767294178e-05) +
                                 z * (sinew_pair_of(-2.75573143513906633035e-07) +
                                      z * (sinew_pair_of(2.08757232129817482790e-09) +
                                           z * sinew_pair_of(-1.13596475577881948265e-11)))));
  // 1 - z/2 in two parts, so that its rounding is not lost.
  const sinew_pair half = sinew_pair_of(0.5) * z, top = sinew_pair_of(1.0) - half;
  return top + ((sinew_pair_of(1.0) - top) - half + z * z * p);
}

static inline void sincos_pair(sinew_pair x, sinew_pair *sine, sinew_pair *cosine) {
  // Adding 1.5 * 2^52 rounds to an integer, which the low bits then hold.
  const sinew_pair magic = sinew_pair_of(6755399441055744.0);
  const sinew_pair shifted = x * sinew_pair_of(6.36619772367581382433e-01) + magic;
  const sinew_pair n = shifted - magic;
  sinew_pair r = x - n * sinew_pair_of(1.57079632673412561417e+00);
  r = r - n * sinew_pair_of(6.07710050630396597660e-11);
  r = r - n * sinew_pair_of(2.02226624879595063154e-21);
  const sinew_pair z = r * r;

  const sinew_pair_bits s = (sinew_pair_bits)sine_near(r, z), c = (sinew_pair_bits)cosine_near(z);
  const sinew_pair_bits quadrant = (sinew_pair_bits)shifted;
  const sinew_pair_bits one = {1, 1}, two = {2, 2}, sign = {62, 62};
  const sinew_pair_bits odd = -(quadrant & one); // all ones where sine and cosine swap
  *sine = (sinew_pair)(((s & ~odd) | (c & odd)) ^ ((quadrant & two) << sign));
  *cosine = (sinew_pair)(((c & ~odd) | (s & odd)) ^ (((quadrant + one) & two) << sign));
}

// Angles beyond the reduction's reach, one by one.
static void sincos_large(int count, const double *angle, double *sine, double *cosine) {
  for (int i = 0; i < count; ++i) {
    if (fabs(angle[i]) > LARGEST) {
      sine[i] = sin(angle[i]);
      cosine[i] = cos(angle[i]);
    }
  }
}

void sinew_sincos(int count, const double *angle, double *sine, double *cosine) {
  sinew_pair_bits large = {0, 0};
  int i = 0;
  for (; i + 2 <= count; i += 2) {
    const sinew_pair x = {angle[i], angle[i + 1]};
    sinew_pair s, c;
    sincos_pair(x, &s, &c);
    memcpy(sine + i, &s, sizeof s);
    memcpy(cosine + i, &c, sizeof c);
    large |= (x > sinew_pair_of(LARGEST)) | (x < sinew_pair_of(-LARGEST));
  }
  if (i < count) {
    const sinew_pair x = sinew_pair_of(angle[i]);
    sinew_pair s, c;
    sincos_pair(x, &s, &c);
    sine[i] = s[0];
    cosine[i] = c[0];
    large |= (x > sinew_pair_of(LARGEST)) | (x < sinew_pair_of(-LARGEST));
  }
  if ((large[0] | large[1]) != 0) {
    sincos_large(count, angle, sine, cosine);
  }
}
