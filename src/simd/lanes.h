// SINEW_LANES numbers side by side, for kernels that are compiled once for each instruction set.
//
// A lane holds the number of one problem. Arithmetic is that of the compiler's vector types (GCC,
// clang; one plain double at width 1); operations that these lack are here. Multiplications are
// fused with additions only in lane_fma() and lane_fnma(), if the instruction set has such
// instructions.
#ifndef SINEW_SIMD_LANES_H
#define SINEW_SIMD_LANES_H

#include "base/likely.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Code that solves one problem defines no width: a lane is then a double, and nothing is fused, so
// that results do not depend on the processor.
#ifndef SINEW_LANES
#define SINEW_LANES 1
#define SINEW_LANE_FUSED 0
#endif

// Scalar code whose parts are four side by side (analytic/branches.c) defines 4 and no fused
// operations; without AVX2 a lane is then two vectors of the baseline, with the same results.
#if SINEW_LANES == 4 && defined(__AVX2__)
#define SINEW_LANE_AVX2 1
#else
#define SINEW_LANE_AVX2 0
#endif

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Whether lane_fma() rounds once.
#ifdef SINEW_LANE_FUSED
#elif SINEW_LANES == 8 || SINEW_LANE_AVX2 || (SINEW_LANES == 1 && defined(__FMA__)) ||             \
    defined(__aarch64__)
#define SINEW_LANE_FUSED 1
#else
#define SINEW_LANE_FUSED 0
#endif

// In builds with sanitizers functions are not forced inline: with the added checks, compiling them
// inline takes five times as long. (Vectors of four without AVX2 are inline anywhere: no convention
// says how to pass them.) Nor are they in small builds in a source that defines SINEW_CALLS.
#if (defined(SINEW_SANITIZED) || (defined(SINEW_SMALL) && defined(SINEW_CALLS))) &&                \
    (SINEW_LANES != 4 || SINEW_LANE_AVX2 || defined(__wasm__))
#define LANE static inline
#else
#define LANE static inline __attribute__((always_inline))
#endif

// For large functions that many places call, or few figures need: a call costs them little. (Clang
// 14 does not end when it compiles them for wasm32.)
#if defined(__wasm__) || (SINEW_LANES == 4 && !SINEW_LANE_AVX2)
#define LANE_APART LANE
#else
#define LANE_APART static __attribute__((noinline, unused))
#endif

#if SINEW_LANES == 1
typedef double lane;
typedef int64_t lane_bits;
typedef uint64_t lane_unsigned;
#else
typedef double lane __attribute__((vector_size(8 * SINEW_LANES)));
typedef int64_t lane_bits __attribute__((vector_size(8 * SINEW_LANES)));
typedef uint64_t lane_unsigned __attribute__((vector_size(8 * SINEW_LANES)));
#endif

// A truth value for each lane.
#if SINEW_LANES == 8
typedef __mmask8 lane_mask;
#else
typedef lane_bits lane_mask; // all ones or all zeros
#endif

LANE lane lane_load(const double *values) {
  lane v;
  memcpy(&v, values, sizeof v);
  return v;
}

LANE void lane_store(double *values, lane v) {
  memcpy(values, &v, sizeof v);
}

LANE lane lane_of(double x) {
#if SINEW_LANES == 1
  return x;
#elif SINEW_LANES == 2
  return (lane){x, x};
#elif SINEW_LANES == 4
  return (lane){x, x, x, x};
#else
  return (lane){x, x, x, x, x, x, x, x};
#endif
}

// a b + c
LANE lane lane_fma(lane a, lane b, lane c) {
#if SINEW_LANES == 8
  return (lane)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif SINEW_LANE_AVX2 && SINEW_LANE_FUSED
  return (lane)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif SINEW_LANES == 2 && defined(__aarch64__)
  return (lane)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif SINEW_LANES == 1 && SINEW_LANE_FUSED
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// c - a b
LANE lane lane_fnma(lane a, lane b, lane c) {
#if SINEW_LANES == 8
  return (lane)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif SINEW_LANE_AVX2 && SINEW_LANE_FUSED
  return (lane)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif SINEW_LANES == 2 && defined(__aarch64__)
  return (lane)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
#elif SINEW_LANES == 1 && SINEW_LANE_FUSED
  return __builtin_fma(-a, b, c);
#else
  return c - a * b;
#endif
}

LANE lane lane_sqrt(lane a) {
#if SINEW_LANES == 8
  return (lane)_mm512_sqrt_pd((__m512d)a);
#elif SINEW_LANE_AVX2
  return (lane)_mm256_sqrt_pd((__m256d)a);
#elif SINEW_LANES == 2
  return (lane){sqrt(a[0]), sqrt(a[1])};
#elif SINEW_LANES == 4
  return (lane){sqrt(a[0]), sqrt(a[1]), sqrt(a[2]), sqrt(a[3])};
#else
  return sqrt(a);
#endif
}

#if SINEW_LANES == 8

LANE lane_mask lane_less(lane a, lane b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}
LANE lane_mask lane_less_equal(lane a, lane b) {
  return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
}
LANE lane_mask mask_and(lane_mask a, lane_mask b) {
  return (lane_mask)(a & b);
}
LANE lane_mask mask_or(lane_mask a, lane_mask b) {
  return (lane_mask)(a | b);
}
LANE lane_mask mask_not(lane_mask a) {
  return (lane_mask)~a;
}
LANE lane lane_select(lane_mask m, lane a, lane b) {
  return (lane)_mm512_mask_blend_pd(m, (__m512d)b, (__m512d)a);
}
LANE unsigned mask_bits(lane_mask m) {
  return m;
}
LANE lane_mask mask_of_bits(unsigned bits) {
  return (lane_mask)bits;
}

#else

#if SINEW_LANES == 4 && !SINEW_LANE_AVX2 && defined(__SSE2__)
LANE __m128d lane_half(lane a, int i) {
  return _mm_set_pd(a[2 * i + 1], a[2 * i]);
}

LANE lane_mask mask_of_halves(__m128d low, __m128d high) {
  lane_mask m;
  memcpy(&m, &low, sizeof low);
  memcpy((char *)&m + sizeof low, &high, sizeof high);
  return m;
}
#endif

// Comparisons use intrinsics for SSE2, which has no comparison of 64-bit integers: GCC 12
// generates wrong code when it turns a comparison of doubles into one of integers.
LANE lane_mask lane_less(lane a, lane b) {
#if SINEW_LANES == 1
  return -(lane_mask)(a < b);
#elif SINEW_LANES == 2 && defined(__SSE2__)
  return (lane_mask)_mm_cmplt_pd((__m128d)a, (__m128d)b);
#elif SINEW_LANES == 4 && !SINEW_LANE_AVX2 && defined(__SSE2__)
  return mask_of_halves(_mm_cmplt_pd(lane_half(a, 0), lane_half(b, 0)),
                        _mm_cmplt_pd(lane_half(a, 1), lane_half(b, 1)));
#else
  return (lane_mask)(a < b);
#endif
}
LANE lane_mask lane_less_equal(lane a, lane b) {
#if SINEW_LANES == 1
  return -(lane_mask)(a <= b);
#elif SINEW_LANES == 2 && defined(__SSE2__)
  return (lane_mask)_mm_cmple_pd((__m128d)a, (__m128d)b);
#elif SINEW_LANES == 4 && !SINEW_LANE_AVX2 && defined(__SSE2__)
  return mask_of_halves(_mm_cmple_pd(lane_half(a, 0), lane_half(b, 0)),
                        _mm_cmple_pd(lane_half(a, 1), lane_half(b, 1)));
#else
  return (lane_mask)(a <= b);
#endif
}
LANE lane_mask mask_and(lane_mask a, lane_mask b) {
  return a & b;
}
LANE lane_mask mask_or(lane_mask a, lane_mask b) {
  return a | b;
}
LANE lane_mask mask_not(lane_mask a) {
  return ~a;
}
LANE unsigned mask_bits(lane_mask m) {
#if SINEW_LANES == 1
  return (unsigned)(m & 1);
#elif SINEW_LANES == 2
  return (unsigned)(m[0] & 1) | (unsigned)(m[1] & 2);
#elif !SINEW_LANE_AVX2
  return (unsigned)((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#else
  return (unsigned)_mm256_movemask_pd((__m256d)m);
#endif
}

// a where m, b elsewhere.
LANE lane lane_select(lane_mask m, lane a, lane b) {
#if SINEW_LANES == 1
  return m != 0 ? a : b;
#elif SINEW_LANE_AVX2
  return (lane)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)m);
#else
  return (lane)((m & (lane_bits)a) | (~m & (lane_bits)b));
#endif
}
LANE lane_mask mask_of_bits(unsigned bits) {
#if SINEW_LANES == 1
  return -(lane_mask)(bits & 1u);
#elif SINEW_LANES == 2
  return (lane_mask){-(int64_t)(bits & 1u), -(int64_t)(bits >> 1 & 1u)};
#else
  return (lane_mask){-(int64_t)(bits & 1u), -(int64_t)(bits >> 1 & 1u), -(int64_t)(bits >> 2 & 1u),
                     -(int64_t)(bits >> 3 & 1u)};
#endif
}

#endif

LANE lane_bits lane_as_bits(lane a) {
  lane_bits b;
  memcpy(&b, &a, sizeof b);
  return b;
}

LANE lane lane_from_bits(lane_bits b) {
  lane a;
  memcpy(&a, &b, sizeof a);
  return a;
}

LANE lane_bits bits_of(int64_t x) {
#if SINEW_LANES == 1
  return x;
#elif SINEW_LANES == 2
  return (lane_bits){x, x};
#elif SINEW_LANES == 4
  return (lane_bits){x, x, x, x};
#else
  return (lane_bits){x, x, x, x, x, x, x, x};
#endif
}

// a where m, 0 elsewhere.
LANE lane lane_keep(lane_mask m, lane a) {
#if SINEW_LANES == 8
  return (lane)_mm512_maskz_mov_pd(m, (__m512d)a);
#else
  return lane_from_bits(lane_as_bits(a) & m);
#endif
}

LANE lane_bits bits_shift_left(lane_bits b, int count) {
  return (lane_bits)((lane_unsigned)b << count);
}

// Fills with zeros (a logical shift).
LANE lane_bits bits_shift_right(lane_bits b, int count) {
  return (lane_bits)((lane_unsigned)b >> count);
}

// Where the lowest bit is set.
LANE lane_mask mask_of_lowest(lane_bits b) {
#if SINEW_LANES == 8
  return _mm512_test_epi64_mask((__m512i)b, (__m512i)bits_of(1));
#else
  return -(b & bits_of(1));
#endif
}

LANE lane lane_abs(lane a) {
  return lane_from_bits(lane_as_bits(a) & bits_of(INT64_MAX));
}

// The magnitude of a with the sign of b.
LANE lane lane_with_sign(lane a, lane b) {
  return lane_from_bits((lane_as_bits(a) & bits_of(INT64_MAX)) |
                        (lane_as_bits(b) & bits_of(INT64_MIN)));
}

LANE lane lane_min(lane a, lane b) {
#if SINEW_LANES == 8
  return (lane)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif SINEW_LANE_AVX2
  return (lane)_mm256_min_pd((__m256d)a, (__m256d)b);
#else
  return lane_select(lane_less(a, b), a, b);
#endif
}

LANE lane lane_max(lane a, lane b) {
#if SINEW_LANES == 8
  return (lane)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif SINEW_LANE_AVX2
  return (lane)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
  return lane_select(lane_less(b, a), a, b);
#endif
}

// to <- from, for a small count that the compiler knows: in registers, where memcpy() goes by parts
// of a vector through memory.
LANE void lanes_copy(int count, const lane *from, lane *to) {
  for (int i = 0; i < count; ++i) {
    to[i] = from[i];
  }
}

#endif
