// Sine, cosine, arc tangent, logarithm and rotations of lanes. No branch changes a lane's result,
// which depends on that lane's arguments alone. Largest errors observed over two
// million arguments each, with fused operations / without (ulp: units in the last place of the
// result; tests/test_lane_elementary.c holds them on all instruction sets):
//
//   lane_sincos            |x| <= 10                  1.5 / 1.5 ulp
//                          |x| <= 1e5                 1.5 / 2.3 ulp, or 1e-27
//   lane_angle, _atan2     everywhere                 2.5 ulp
//   lane_log               normal x > 0               0.8 ulp
//   lane_log_scale         0 to 0.6                   1.4 ulp
//   lane_exp               -700 to 0                  0.9 ulp
//   lane_rotation_log      up to pi                   2e-13, lengths 1e-15
//   lane_quaternion_exp    |w| <= pi                  3e-16
//
// Sources: sine_terms.h for sine and cosine; the coefficients of the logarithm are those of
// fdlibm (Sun Microsystems, 1993). Those of the arc tangent were computed for sinew: the minimax
// polynomial of (atan t / t - 1) / t^2, coefficients rounded one by one.
#ifndef SINEW_SIMD_ELEMENTARY_H
#define SINEW_SIMD_ELEMENTARY_H

#include "simd/lanes.h"
#include "simd/sine_terms.h"

#include <float.h>

// ------------------------------------------------------------ sine and cosine

// x - n pi/2, for whole |n| < 2^17.
LANE lane lane_less_quarters(lane x, lane n) {
#if SINEW_LANE_FUSED
  // The first difference, fused, is exact: x and n times the rounded pi/2 are multiples of the same
  // power of two and close to each other. The second subtracts n times the rounding error of pi/2.
  const lane r = lane_fnma(n, lane_of(SINEW_HALF_PI), x);
  return lane_fnma(n, lane_of(SINEW_HALF_PI_REST), r);
#else
  const lane r = x - n * lane_of(SINEW_HALF_PI_1);
  return (r - n * lane_of(SINEW_HALF_PI_2)) - n * lane_of(SINEW_HALF_PI_3);
#endif
}

// Accurate for |x| <= 1e5; results stay within -1 and 1 up to about 1e15. x = n pi/2 + r, |r| <=
// pi/4. The polynomials are in powers of r^2, summed in two halves with shared powers.
LANE void lane_sincos(lane x, lane *sine, lane *cosine) {
  const lane magic = lane_of(SINEW_ROUND_SHIFT);
  const lane shifted = lane_fma(x, lane_of(SINEW_TWO_BY_PI), magic);
  const lane r = lane_less_quarters(x, shifted - magic);
  const lane z = r * r, z2 = z * z;

  lane p = lane_fma(z, lane_of(SINEW_SINE_13), lane_of(SINEW_SINE_11));
  lane q = lane_fma(z, lane_of(SINEW_SINE_9), lane_of(SINEW_SINE_7));
  q = lane_fma(z2, p, q);
  q = lane_fma(z, q, lane_of(SINEW_SINE_5));
  q = lane_fma(z, q, lane_of(SINEW_SINE_3));
  const lane s = lane_fma(r * z, q, r);

  p = lane_fma(z, lane_of(SINEW_COSINE_14), lane_of(SINEW_COSINE_12));
  q = lane_fma(z, lane_of(SINEW_COSINE_10), lane_of(SINEW_COSINE_8));
  q = lane_fma(z2, p, q);
  q = lane_fma(z, q, lane_of(SINEW_COSINE_6));
  q = lane_fma(z, q, lane_of(SINEW_COSINE_4));
  const lane c = lane_fma(z, lane_fma(z, q, lane_of(-0.5)), lane_of(1.0));

  // n modulo 4 decides which of the two is the sine, and the signs.
  const lane_bits quadrant = lane_as_bits(shifted);
  const lane_mask odd = mask_of_lowest(quadrant);
  const lane_bits sign = bits_of(INT64_MIN);
  const lane_bits negative = bits_shift_left(quadrant, 62);
  const lane_bits other = bits_shift_left(quadrant + bits_of(1), 62);
  *sine = lane_from_bits(lane_as_bits(lane_select(odd, c, s)) ^ (negative & sign));
  *cosine = lane_from_bits(lane_as_bits(lane_select(odd, s, c)) ^ (other & sign));
}

// ---------------------------------------------------------------- square root

// 1 / sqrt(x) of a normal number; of 0 some large one. In eight lanes roots and divisions take
// longer than these steps: from the bits, with an error below 3.5 %, by the series of (1 - h)^-1/2,
// h = 1 - x y^2, of order 4, then 2.
LANE lane lane_inverse_sqrt(lane x) {
#if SINEW_LANES == 8
  const lane one = lane_of(1.0);
  lane y =
      lane_from_bits(bits_of(INT64_C(0x5fe6eb50c7b537a9)) - bits_shift_right(lane_as_bits(x), 1));
  lane h = lane_fnma(x * y, y, one);
  lane p = lane_fma(h, lane_of(35.0 / 128.0), lane_of(5.0 / 16.0));
  p = lane_fma(h, lane_fma(h, p, lane_of(3.0 / 8.0)), lane_of(0.5));
  y = lane_fma(y * h, p, y);
  h = lane_fnma(x * y, y, one);
  return lane_fma(y * h, lane_fma(h, lane_of(3.0 / 8.0), lane_of(0.5)), y);
#else
  return lane_of(1.0) / lane_sqrt(x);
#endif
}

// ---------------------------------------------------------------- arc tangent

// atan(t) for |t| <= tan(pi/8)
LANE lane lane_atan_near(lane t) {
  const lane z = t * t, z2 = z * z;
  lane p = lane_of(-1.919256146530871551259e-02);
  p = lane_fma(
      z2, p,
      lane_fma(z, lane_of(3.924766332549330799528e-02), lane_of(-5.086137701690803675225e-02)));
  p = lane_fma(
      z2, p,
      lane_fma(z, lane_of(5.858311996197372584216e-02), lane_of(-6.664534851308237527577e-02)));
  p = lane_fma(
      z2, p,
      lane_fma(z, lane_of(7.692185287551425720842e-02), lane_of(-9.090904694597981561265e-02)));
  p = lane_fma(
      z2, p,
      lane_fma(z, lane_of(1.111111101910404186376e-01), lane_of(-1.428571428473561777394e-01)));
  p = lane_fma(
      z2, p,
      lane_fma(z, lane_of(1.999999999999608202294e-01), lane_of(-3.333333333333333148296e-01)));
  return lane_fma(t * z, p, t);
}

// The angle in [0, pi] of the direction (c, s), s >= 0, of any length; 0 for (0, 0). With a the one
// of 0, pi/4, pi/2 that is nearest to the angle of (|c|, s), the difference to a has the tangent
// (s cos a - |c| sin a) / (|c| cos a + s sin a), at most tan(pi/8).
LANE lane lane_angle(lane s, lane c) {
  const lane eighth = lane_of(0.41421356237309504880); // tan(pi/8)
  const lane a = lane_abs(c);
  const lane_mask middle = lane_less(eighth * a, s), steep = lane_less(a, eighth * s);
  const lane zero = lane_of(0.0);
  const lane base =
      lane_select(steep, lane_of(SINEW_PI / 2), lane_select(middle, lane_of(SINEW_PI / 4), zero));
  const lane num = lane_select(steep, -a, lane_select(middle, s - a, s));
  const lane den = lane_select(steep, s, lane_select(middle, s + a, a));
  const lane angle = base + lane_atan_near(num / lane_max(den, lane_of(DBL_MIN)));
  return lane_select(lane_less(c, zero), lane_of(SINEW_PI) - angle, angle);
}

// In [-pi, pi], with the sign of y. The arguments and their sum must be finite.
LANE lane lane_atan2(lane y, lane x) {
  return lane_with_sign(lane_angle(lane_abs(y), x), y);
}

// ------------------------------------------------------------------ logarithm

// The natural logarithm of a normal number > 0; of 0 some finite number below -708.
// x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); log(1 + f) = 2 atanh(f / (2 + f)).
LANE lane lane_log(lane x) {
  const lane_bits least = bits_of(INT64_C(0x3fe6a09e667f3bcd)); // sqrt(1/2)
  const lane_bits biased =
      bits_shift_right(lane_as_bits(x) - least + bits_of(INT64_C(1023) << 52), 52);
  const lane f =
      lane_from_bits(lane_as_bits(x) - bits_shift_left(biased - bits_of(1023), 52)) - lane_of(1.0);
  // k from the low bits of a number at 2^52, since AVX2 has no conversion from 64-bit integers.
  const lane k = lane_from_bits(biased | bits_of(INT64_C(0x4330000000000000))) -
                 lane_of(4503599627370496.0 + 1023.0);
  const lane s = f / (lane_of(2.0) + f), z = s * s, w = z * z;
  lane p = lane_fma(w, lane_of(1.531383769920937332e-01), lane_of(2.222219843214978396e-01));
  p = w * lane_fma(w, p, lane_of(3.999999999940941908e-01));
  lane q = lane_fma(w, lane_of(1.479819860511658591e-01), lane_of(1.818357216161805012e-01));
  q = lane_fma(w, q, lane_of(2.857142874366239149e-01));
  q = z * lane_fma(w, q, lane_of(6.666666666666735130e-01));
  const lane half = lane_of(0.5) * f * f;
  const lane low = lane_fma(s, half + (p + q), k * lane_of(1.90821492927058770002e-10));
  return lane_fma(k, lane_of(6.93147180369123816490e-01), f - (half - low));
}

// ---------------------------------------------------------------- exponential

// exp(x) for x <= 0; below -700, exp(-700). x = n log(2) + r, |r| <= log(2) / 2: the Taylor
// polynomial of exp(r) - 1 - r, times 2^n.
LANE lane lane_exp(lane x) {
  const lane magic = lane_of(SINEW_ROUND_SHIFT);
  const lane z = lane_max(x, lane_of(-700.0));
  const lane shifted = lane_fma(z, lane_of(1.44269504088896338700), magic);
  const lane n = shifted - magic;
  const lane r = lane_fnma(n, lane_of(1.90821492927058770002e-10),
                           lane_fnma(n, lane_of(6.93147180369123816490e-01), z));
  // Pairs of terms, pairs of these, and so on, which wait for each other less than one after
  // another.
  const lane r2 = r * r, r4 = r2 * r2;
  const lane a = lane_fma(r, lane_of(1.0 / 6.0), lane_of(0.5));
  const lane b = lane_fma(r, lane_of(1.0 / 120.0), lane_of(1.0 / 24.0));
  const lane c = lane_fma(r, lane_of(1.0 / 5040.0), lane_of(1.0 / 720.0));
  const lane d = lane_fma(r, lane_of(1.0 / 362880.0), lane_of(1.0 / 40320.0));
  const lane e = lane_fma(r, lane_of(1.0 / 39916800.0), lane_of(1.0 / 3628800.0));
  const lane f = lane_fma(r, lane_of(1.0 / 6227020800.0), lane_of(1.0 / 479001600.0));
  const lane high = lane_fma(r4, lane_fma(r2, f, e), lane_fma(r2, d, c));
  const lane p = lane_fma(r4, high, lane_fma(r2, b, a));
  const lane value = lane_of(1.0) + lane_fma(r2, p, r);
  // n from the low bits of shifted, added to the exponent.
  return lane_from_bits(lane_as_bits(value) + bits_shift_left(lane_as_bits(shifted), 52));
}

// ------------------------------------------------------------------ rotations

LANE lane lane_dot3(const lane a[3], const lane b[3]) {
  return lane_fma(a[0], b[0], lane_fma(a[1], b[1], a[2] * b[2]));
}

LANE void lane_cross3(const lane a[3], const lane b[3], lane out[3]) {
  out[0] = lane_fnma(a[2], b[1], a[1] * b[2]);
  out[1] = lane_fnma(a[0], b[2], a[2] * b[0]);
  out[2] = lane_fnma(a[1], b[0], a[0] * b[1]);
}

LANE lane lane_norm3(const lane v[3]) {
  return lane_sqrt(lane_fma(v[0], v[0], lane_fma(v[1], v[1], v[2] * v[2])));
}

// The case of lane_rotation_log() near pi, where v = sin(theta) u is too small for the axis u:
// (R + R^T) / 2 - cos(theta) I = (1 - cos(theta)) u u^T. Its column with the largest diagonal gives
// u up to the sign, which is that of v, or any if v = 0.
LANE void lane_rotation_log_near_pi(const lane R[9], const lane v[3], lane c, lane angle,
                                    lane r[3]) {
  const lane half = lane_of(0.5);
  const lane xy = half * (R[1] + R[3]), xz = half * (R[2] + R[6]), yz = half * (R[5] + R[7]);
  const lane_mask first = mask_and(lane_less_equal(R[4], R[0]), lane_less_equal(R[8], R[0]));
  const lane_mask second = lane_less_equal(R[8], R[4]);
  r[0] = lane_select(first, R[0] - c, lane_select(second, xy, xz));
  r[1] = lane_select(first, xy, lane_select(second, R[4] - c, yz));
  r[2] = lane_select(first, xz, lane_select(second, yz, R[8] - c));
  const lane along = lane_fma(r[0], v[0], lane_fma(r[1], v[1], r[2] * v[2]));
  const lane scale = lane_with_sign(angle / lane_max(lane_norm3(r), lane_of(DBL_MIN)), along);
  for (int i = 0; i < 3; ++i) {
    r[i] = scale * r[i];
  }
}

// The largest w of lane_log_scale().
#define LANE_LOG_SCALE_MOST 0.6

// theta / (2 sin theta) for w = 4 sin^2(theta / 2) from 0 to that, the factor from the
// antisymmetric part of a small rotation to its vector: a Chebyshev polynomial, computed for sinew,
// exact to 6e-18.
LANE lane lane_log_scale(lane w) {
  const lane w2 = w * w, w4 = w2 * w2;
  lane p = lane_fma(w, lane_of(9.73197944273528889108e-06), lane_of(4.16200183542185471247e-05));
  lane q = lane_fma(w, lane_of(6.24343402908345635670e-07), lane_of(2.23541713536759644221e-06));
  lane r = lane_fma(w, lane_of(7.70455847289831170719e-08), lane_of(4.37786118820746171103e-08));
  r = lane_fma(w4, r, lane_fma(w2, q, p));
  p = lane_fma(w, lane_of(8.33333333333356462980e-02), lane_of(5.00000000000000000000e-01));
  q = lane_fma(w, lane_of(3.57142857709284505460e-03), lane_of(1.66666666664837398448e-02));
  p = lane_fma(w2, q, p);
  q = lane_fma(w, lane_of(1.80376028420423860322e-04), lane_of(7.93650703275256517999e-04));
  return lane_fma(w4, lane_fma(w2, r, q), p);
}

// The rotation vector r of R; returns its length, the angle in [0, pi]. v = sin(theta) u is exact
// to rounding, so that r = theta / sin(theta) v is exact to 1e-12 where sin(theta) > 1e-3. Nearer
// to pi, r is computed from R's symmetric part: the only branch, taken if any lane needs it, as six
// of 10,000 random rotations do. It does not change the results of the other lanes.
LANE lane lane_rotation_log(const lane R[9], lane r[3]) {
  const lane half = lane_of(0.5), zero = lane_of(0.0);
  const lane v[3] = {half * (R[7] - R[5]), half * (R[2] - R[6]), half * (R[3] - R[1])};
  const lane c = half * (R[0] + R[4] + R[8] - lane_of(1.0));
  const lane s = lane_norm3(v), angle = lane_angle(s, c);
  const lane scale = angle / lane_max(s, lane_of(DBL_MIN));
  for (int i = 0; i < 3; ++i) {
    r[i] = scale * v[i];
  }
  const lane_mask near_pi = mask_and(lane_less(c, zero), lane_less(s, lane_of(1e-3)));
  if (SINEW_UNLIKELY(mask_bits(near_pi) != 0)) {
    lane other[3];
    lane_rotation_log_near_pi(R, v, c, angle, other);
    for (int i = 0; i < 3; ++i) {
      r[i] = lane_select(near_pi, other[i], r[i]);
    }
  }
  return angle;
}

// q = exp(w / 2), the rotation by the vector w, |w| <= pi; |q| is 1 to 5e-16. The polynomials of
// sine and cosine are evaluated at a quarter of the angle, at most pi/4, and the result is squared,
// without a root or a division.
LANE void lane_quaternion_exp(const lane w[3], lane q[4]) {
  const lane z = lane_of(0.0625) * lane_fma(w[0], w[0], lane_fma(w[1], w[1], w[2] * w[2]));
  lane s = lane_fma(z, lane_of(SINEW_SINE_13), lane_of(SINEW_SINE_11));
  s = lane_fma(z, s, lane_of(SINEW_SINE_9));
  s = lane_fma(z, s, lane_of(SINEW_SINE_7));
  s = lane_fma(z, s, lane_of(SINEW_SINE_5));
  s = lane_fma(z, s, lane_of(SINEW_SINE_3));
  s = lane_fma(z, s, lane_of(1.0)); // sin(h) / h, h^2 = z
  lane c = lane_fma(z, lane_of(SINEW_COSINE_14), lane_of(SINEW_COSINE_12));
  c = lane_fma(z, c, lane_of(SINEW_COSINE_10));
  c = lane_fma(z, c, lane_of(SINEW_COSINE_8));
  c = lane_fma(z, c, lane_of(SINEW_COSINE_6));
  c = lane_fma(z, c, lane_of(SINEW_COSINE_4));
  c = lane_fma(z, lane_fma(z, c, lane_of(-0.5)), lane_of(1.0));
  // cos(2 h) = 1 - 2 sin^2(h), sin(2 h) = 2 sin(h) cos(h), and w = 4 h u
  q[0] = lane_fnma(z + z, s * s, lane_of(1.0));
  const lane along = lane_of(0.5) * s * c;
  for (int i = 0; i < 3; ++i) {
    q[1 + i] = along * w[i];
  }
}

// out = a b; out may be neither.
LANE void lane_quaternion_multiply(const lane a[4], const lane b[4], lane out[4]) {
  out[0] = lane_fnma(a[3], b[3], lane_fnma(a[2], b[2], lane_fnma(a[1], b[1], a[0] * b[0])));
  out[1] = lane_fnma(a[3], b[2], lane_fma(a[2], b[3], lane_fma(a[1], b[0], a[0] * b[1])));
  out[2] = lane_fnma(a[1], b[3], lane_fma(a[3], b[1], lane_fma(a[2], b[0], a[0] * b[2])));
  out[3] = lane_fnma(a[2], b[1], lane_fma(a[1], b[2], lane_fma(a[3], b[0], a[0] * b[3])));
}

LANE lane lane_quaternion_square(const lane q[4]) {
  return lane_fma(q[0], q[0], lane_fma(q[1], q[1], lane_fma(q[2], q[2], q[3] * q[3])));
}

// Normalizes a q whose length is between 1e-150 and 1e150.
LANE void lane_quaternion_normalize(lane q[4]) {
  const lane scale = lane_of(1.0) / lane_sqrt(lane_quaternion_square(q));
  for (int i = 0; i < 4; ++i) {
    q[i] = q[i] * scale;
  }
}

// Normalizes any q but 0, scaled by the largest component first.
LANE void lane_quaternion_unit(lane q[4]) {
  lane largest = lane_max(lane_abs(q[0]), lane_abs(q[1]));
  largest = lane_max(largest, lane_max(lane_abs(q[2]), lane_abs(q[3])));
  for (int i = 0; i < 4; ++i) {
    q[i] = q[i] / largest;
  }
  lane_quaternion_normalize(q);
}

// q <- q exp(w / 2) for q of length 1 to 1e-8 and |w| <= pi. One Newton iteration for 1 / |q| keeps
// its length within rounding for any number of calls.
LANE void lane_quaternion_apply(const lane w[3], lane q[4]) {
  lane change[4], rotated[4];
  lane_quaternion_exp(w, change);
  lane_quaternion_multiply(q, change, rotated);
  const lane scale = lane_fnma(lane_of(0.5), lane_quaternion_square(rotated), lane_of(1.5));
  for (int i = 0; i < 4; ++i) {
    q[i] = rotated[i] * scale;
  }
}

// q = exp(w / 2) for a w of any length. Longer than pi is rare and has a branch of its own.
LANE void lane_quaternion_exp_long(const lane w[3], lane q[4]) {
  const lane square = lane_dot3(w, w);
  lane_quaternion_exp(w, q);
  if (SINEW_UNLIKELY(mask_bits(lane_less(lane_of(SINEW_PI * SINEW_PI), square)) != 0)) {
    lane s, c;
    const lane_mask far = lane_less(lane_of(SINEW_PI * SINEW_PI), square);
    const lane half = lane_of(0.5) * lane_sqrt(square);
    lane_sincos(half, &s, &c);
    q[0] = lane_select(far, c, q[0]);
    for (int i = 0; i < 3; ++i) {
      q[1 + i] = lane_select(far, lane_of(0.5) * s / half * w[i], q[1 + i]);
    }
  }
}

// The rotation vector of a quaternion of length 1, at most pi long.
LANE void lane_quaternion_log(const lane q[4], lane w[3]) {
  const lane s = lane_norm3(q + 1), angle = lane_of(2.0) * lane_angle(s, lane_abs(q[0]));
  const lane scale = lane_with_sign(angle / lane_max(s, lane_of(DBL_MIN)), q[0]);
  for (int i = 0; i < 3; ++i) {
    w[i] = scale * q[1 + i];
  }
}

// The matrix of a quaternion of length 1, row-major.
LANE void lane_quaternion_matrix(const lane q[4], lane R[9]) {
  const lane one = lane_of(1.0);
  const lane x2 = q[1] + q[1], y2 = q[2] + q[2], z2 = q[3] + q[3];
  const lane wx = q[0] * x2, wy = q[0] * y2, wz = q[0] * z2;
  const lane yy = q[2] * y2, rest = lane_fnma(q[1], x2, one); // 1 - 2 x x
  R[0] = lane_fnma(q[3], z2, one - yy);
  R[1] = lane_fma(q[1], y2, -wz);
  R[2] = lane_fma(q[1], z2, wy);
  R[3] = lane_fma(q[1], y2, wz);
  R[4] = lane_fnma(q[3], z2, rest);
  R[5] = lane_fma(q[2], z2, -wx);
  R[6] = lane_fma(q[1], z2, -wy);
  R[7] = lane_fma(q[2], z2, wx);
  R[8] = rest - yy;
}

#endif
