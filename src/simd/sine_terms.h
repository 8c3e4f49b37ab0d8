// pi, and the constants of every sine and cosine in sinew: range reduction and two polynomials.
//
// x = n pi/2 + r, |r| <= pi/4, n the nearest integer to 2 x / pi. On the reduced range, z = r^2,
//   sin r = r + r z (S3 + S5 z + S7 z^2 + S9 z^3 + S11 z^4 + S13 z^5),
//   cos r = 1 - z/2 + z^2 (C4 + C6 z + C8 z^2 + C10 z^3 + C12 z^4 + C14 z^5),
// minimax; the coefficients and the parts of pi/2 are those of fdlibm (Sun Microsystems, 1993).
// Reduction in parts: Cody and Waite, Software Manual for the Elementary Functions, 1980.
#ifndef SINEW_SIMD_SINE_TERMS_H
#define SINEW_SIMD_SINE_TERMS_H

#define SINEW_PI 3.14159265358979323846

#define SINEW_SINE_3 (-1.66666666666666324348e-01)
#define SINEW_SINE_5 8.33333333332248946124e-03
#define SINEW_SINE_7 (-1.98412698298579493134e-04)
#define SINEW_SINE_9 2.75573137070700676789e-06
#define SINEW_SINE_11 (-2.50507602534068634195e-08)
#define SINEW_SINE_13 1.58969099521155010221e-10

#define SINEW_COSINE_4 4.16666666666666019037e-02
#define SINEW_COSINE_6 (-1.38888888888741095749e-03)
#define SINEW_COSINE_8 2.48015872894767294178e-05
#define SINEW_COSINE_10 (-2.75573143513906633035e-07)
#define SINEW_COSINE_12 2.08757232129817482790e-09
#define SINEW_COSINE_14 (-1.13596475577881948265e-11)

#define SINEW_TWO_BY_PI 6.36619772367581382433e-01

// 1.5 * 2^52: adding it rounds to an integer, which is then in the low bits.
#define SINEW_ROUND_SHIFT 6755399441055744.0

// pi/2 in parts of 33 bits: n times the first two is exact for |n| < 2^20.
#define SINEW_HALF_PI_1 1.57079632673412561417e+00
#define SINEW_HALF_PI_2 6.07710050630396597660e-11
#define SINEW_HALF_PI_3 2.02226624879595063154e-21

// pi/2 rounded, and its rounding error: for fused products.
#define SINEW_HALF_PI 1.57079632679489655800e+00
#define SINEW_HALF_PI_REST 6.12323399573676603587e-17

#endif
