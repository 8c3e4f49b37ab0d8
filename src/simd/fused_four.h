// Vectors of four doubles, independent of the number of lanes: for the kernel whose vectors hold
// numbers of several joints of one figure (kernel/chain_one.h). With AVX2 and FMA one register,
// else two of the compiler's vectors of two. Unlike the functions of four.h, four_fma() rounds once
// if the instruction set has fused products.
#ifndef SINEW_SIMD_FUSED_FOUR_H
#define SINEW_SIMD_FUSED_FOUR_H

#include "simd/lanes.h"
#include "simd/sine_terms.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

typedef __m256d four;

LANE four four_of(double x) {
  return _mm256_set1_pd(x);
}
LANE four four_make(double a, double b, double c, double d) {
  return _mm256_setr_pd(a, b, c, d);
}
LANE four four_load(const double *values) {
  return _mm256_loadu_pd(values);
}
LANE void four_store(double *values, four v) {
  _mm256_storeu_pd(values, v);
}
LANE four four_add(four a, four b) {
  return _mm256_add_pd(a, b);
}
LANE four four_subtract(four a, four b) {
  return _mm256_sub_pd(a, b);
}
LANE four four_multiply(four a, four b) {
  return _mm256_mul_pd(a, b);
}
// a b + c
LANE four four_fma(four a, four b, four c) {
  return _mm256_fmadd_pd(a, b, c);
}
// c - a b
LANE four four_fnma(four a, four b, four c) {
  return _mm256_fnmadd_pd(a, b, c);
}
LANE four four_min(four a, four b) {
  return _mm256_min_pd(a, b);
}
LANE four four_max(four a, four b) {
  return _mm256_max_pd(a, b);
}
// Masks are all ones or all zeros.
LANE four four_less(four a, four b) {
  return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}
LANE four four_less_equal(four a, four b) {
  return _mm256_cmp_pd(a, b, _CMP_LE_OQ);
}
LANE four four_and(four a, four b) {
  return _mm256_and_pd(a, b);
}
LANE four four_or(four a, four b) {
  return _mm256_or_pd(a, b);
}
LANE four four_xor(four a, four b) {
  return _mm256_xor_pd(a, b);
}
// a where the mask is not set, else 0.
LANE four four_without(four mask, four a) {
  return _mm256_andnot_pd(mask, a);
}
// a where the mask is set, b elsewhere.
LANE four four_select(four mask, four a, four b) {
  return _mm256_blendv_pd(b, a, mask);
}
LANE bool four_any(four mask) {
  return _mm256_movemask_pd(mask) != 0;
}
// The sign bit set where bit 1 of (the bits of a number + plus) is.
LANE four four_second_bit(four a, int plus) {
  const __m256i sum = _mm256_add_epi64(_mm256_castpd_si256(a), _mm256_set1_epi64x(plus));
  return _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64(sum, 62)), _mm256_set1_pd(-0.0));
}
// A mask where the lowest is set, for four_select() only.
LANE four four_first_bit(four a) {
  return _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(a), 63));
}
// (b, c, a, d)
LANE four four_next(four v) {
  return _mm256_permute4x64_pd(v, 0xc9);
}
LANE double four_at(four v, int i) {
  return v[i];
}
LANE four four_spread(four v, int i) {
  return _mm256_set1_pd(v[i]);
}
// The sums of the four values of each vector.
LANE four four_sums(four a, four b, four c, four d) {
  const four ab = _mm256_add_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
  const four cd = _mm256_add_pd(_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
  return _mm256_add_pd(_mm256_permute2f128_pd(ab, cd, 0x20), _mm256_permute2f128_pd(ab, cd, 0x31));
}
// The first three columns of four rows, whose starts are stride values apart.
LANE void four_columns(const double *rows, int stride, four out[3]) {
  const four r0 = _mm256_loadu_pd(rows), r1 = _mm256_loadu_pd(rows + stride);
  const four r2 = _mm256_loadu_pd(rows + 2 * stride), r3 = _mm256_loadu_pd(rows + 3 * stride);
  const four a = _mm256_permute2f128_pd(r0, r2, 0x20), b = _mm256_permute2f128_pd(r1, r3, 0x20);
  const four c = _mm256_permute2f128_pd(r0, r2, 0x31), d = _mm256_permute2f128_pd(r1, r3, 0x31);
  out[0] = _mm256_unpacklo_pd(a, b);
  out[1] = _mm256_unpackhi_pd(a, b);
  out[2] = _mm256_unpacklo_pd(c, d);
}

#else

typedef double four_half __attribute__((vector_size(16)));
typedef int64_t four_half_bits __attribute__((vector_size(16)));
typedef uint64_t four_half_unsigned __attribute__((vector_size(16)));

typedef struct four {
  four_half low, high;
} four;

LANE four four_make(double a, double b, double c, double d) {
  return (four){{a, b}, {c, d}};
}
LANE four four_of(double x) {
  return (four){{x, x}, {x, x}};
}
LANE four four_load(const double *values) {
  four v;
  memcpy(&v, values, sizeof v);
  return v;
}
LANE void four_store(double *values, four v) {
  memcpy(values, &v, sizeof v);
}
LANE four four_add(four a, four b) {
  return (four){a.low + b.low, a.high + b.high};
}
LANE four four_subtract(four a, four b) {
  return (four){a.low - b.low, a.high - b.high};
}
LANE four four_multiply(four a, four b) {
  return (four){a.low * b.low, a.high * b.high};
}
// a b + c
LANE four_half four_half_fma(four_half a, four_half b, four_half c) {
#ifdef __aarch64__
  return (four_half)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
  return a * b + c;
#endif
}
LANE four four_fma(four a, four b, four c) {
  return (four){four_half_fma(a.low, b.low, c.low), four_half_fma(a.high, b.high, c.high)};
}
// c - a b
LANE four_half four_half_fnma(four_half a, four_half b, four_half c) {
#ifdef __aarch64__
  return (four_half)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#else
  return c - a * b;
#endif
}
LANE four four_fnma(four a, four b, four c) {
  return (four){four_half_fnma(a.low, b.low, c.low), four_half_fnma(a.high, b.high, c.high)};
}
// Masks are all ones or all zeros. See lane_less() for what GCC makes of comparisons.
LANE four_half four_half_less(four_half a, four_half b) {
#ifdef __SSE2__
  return (four_half)_mm_cmplt_pd((__m128d)a, (__m128d)b);
#else
  return (four_half)(a < b);
#endif
}
LANE four_half four_half_less_equal(four_half a, four_half b) {
#ifdef __SSE2__
  return (four_half)_mm_cmple_pd((__m128d)a, (__m128d)b);
#else
  return (four_half)(a <= b);
#endif
}
LANE four four_less(four a, four b) {
  return (four){four_half_less(a.low, b.low), four_half_less(a.high, b.high)};
}
LANE four four_less_equal(four a, four b) {
  return (four){four_half_less_equal(a.low, b.low), four_half_less_equal(a.high, b.high)};
}
LANE four_half four_half_and(four_half a, four_half b) {
  return (four_half)((four_half_bits)a & (four_half_bits)b);
}
LANE four_half four_half_or(four_half a, four_half b) {
  return (four_half)((four_half_bits)a | (four_half_bits)b);
}
LANE four_half four_half_without(four_half mask, four_half a) {
  return (four_half)(~(four_half_bits)mask & (four_half_bits)a);
}
LANE four four_and(four a, four b) {
  return (four){four_half_and(a.low, b.low), four_half_and(a.high, b.high)};
}
LANE four four_or(four a, four b) {
  return (four){four_half_or(a.low, b.low), four_half_or(a.high, b.high)};
}
LANE four four_xor(four a, four b) {
  return (four){(four_half)((four_half_bits)a.low ^ (four_half_bits)b.low),
                (four_half)((four_half_bits)a.high ^ (four_half_bits)b.high)};
}
// a where the mask is not set, else 0.
LANE four four_without(four mask, four a) {
  return (four){four_half_without(mask.low, a.low), four_half_without(mask.high, a.high)};
}
// a where the mask is set, b elsewhere.
LANE four four_select(four mask, four a, four b) {
  return four_or(four_and(mask, a), four_without(mask, b));
}
LANE four four_min(four a, four b) {
#ifdef __SSE2__
  return (four){(four_half)_mm_min_pd((__m128d)a.low, (__m128d)b.low),
                (four_half)_mm_min_pd((__m128d)a.high, (__m128d)b.high)};
#else
  return four_select(four_less(a, b), a, b);
#endif
}
LANE four four_max(four a, four b) {
#ifdef __SSE2__
  return (four){(four_half)_mm_max_pd((__m128d)a.low, (__m128d)b.low),
                (four_half)_mm_max_pd((__m128d)a.high, (__m128d)b.high)};
#else
  return four_select(four_less(b, a), a, b);
#endif
}
LANE bool four_any(four mask) {
  const four_half_bits any = (four_half_bits)four_half_or(mask.low, mask.high);
  return (any[0] | any[1]) != 0;
}
// The sign bit set where bit 1 of (the bits of a number + plus) is.
LANE four_half four_half_second_bit(four_half a, int plus) {
  const four_half_bits sum = (four_half_bits)a + (four_half_bits){plus, plus};
  return (four_half)(((four_half_unsigned)sum << 62) & ((four_half_unsigned){1, 1} << 63));
}
LANE four four_second_bit(four a, int plus) {
  return (four){four_half_second_bit(a.low, plus), four_half_second_bit(a.high, plus)};
}
// A mask where the lowest is set.
LANE four four_first_bit(four a) {
  const four_half_bits one = {1, 1};
  return (four){(four_half)(-((four_half_bits)a.low & one)),
                (four_half)(-((four_half_bits)a.high & one))};
}
// (b, c, a, d)
LANE four four_next(four v) {
  return (four){{v.low[1], v.high[0]}, {v.low[0], v.high[1]}};
}
LANE double four_at(four v, int i) {
  return i < 2 ? v.low[i & 1] : v.high[i & 1];
}
LANE four four_spread(four v, int i) {
  return four_of(four_at(v, i));
}
// The sums of the four values of each vector.
LANE four_half four_half_sums(four a, four b) {
  const four_half x = a.low + a.high, y = b.low + b.high;
  return (four_half){x[0], y[0]} + (four_half){x[1], y[1]};
}
LANE four four_sums(four a, four b, four c, four d) {
  return (four){four_half_sums(a, b), four_half_sums(c, d)};
}
// The first three columns of four rows, whose starts are stride values apart.
LANE void four_columns(const double *rows, int stride, four out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = four_make(rows[i], rows[stride + i], rows[2 * stride + i], rows[3 * stride + i]);
  }
}

#endif

// As accurate as lane_sincos().
LANE four four_less_quarters(four x, four n) {
#if (defined(__AVX2__) && defined(__FMA__)) || defined(__aarch64__)
  const four r = four_fnma(n, four_of(SINEW_HALF_PI), x);
  return four_fnma(n, four_of(SINEW_HALF_PI_REST), r);
#else
  const four r = four_fnma(n, four_of(SINEW_HALF_PI_1), x);
  return four_fnma(n, four_of(SINEW_HALF_PI_3), four_fnma(n, four_of(SINEW_HALF_PI_2), r));
#endif
}

LANE void four_sincos(four x, four *sine, four *cosine) {
  const four magic = four_of(SINEW_ROUND_SHIFT);
  const four shifted = four_fma(x, four_of(SINEW_TWO_BY_PI), magic);
  const four r = four_less_quarters(x, four_subtract(shifted, magic));
  const four z = four_multiply(r, r), z2 = four_multiply(z, z);

  four p = four_fma(z, four_of(SINEW_SINE_13), four_of(SINEW_SINE_11));
  four q = four_fma(z, four_of(SINEW_SINE_9), four_of(SINEW_SINE_7));
  four t = four_fma(z, four_of(SINEW_SINE_5), four_of(SINEW_SINE_3));
  q = four_fma(z2, four_fma(z2, p, q), t);
  const four s = four_fma(four_multiply(r, z), q, r);

  p = four_fma(z, four_of(SINEW_COSINE_14), four_of(SINEW_COSINE_12));
  q = four_fma(z, four_of(SINEW_COSINE_10), four_of(SINEW_COSINE_8));
  t = four_fma(z, four_of(SINEW_COSINE_6), four_of(SINEW_COSINE_4));
  q = four_fma(z2, four_fma(z2, p, q), t);
  const four c = four_fma(z2, q, four_fma(z, four_of(-0.5), four_of(1.0)));

  const four odd = four_first_bit(shifted);
  *sine = four_xor(four_select(odd, c, s), four_second_bit(shifted, 0));
  *cosine = four_xor(four_select(odd, s, c), four_second_bit(shifted, 1));
}

#endif
