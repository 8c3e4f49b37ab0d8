// Vectors of four floats and of eight 16-bit integers, for scans of tables. As in pair.h these are
// the vector types of GCC and clang, which compile for every processor. Operations that they lack
// use an SSE2 instruction where there is one.
#ifndef SINEW_SIMD_QUAD_H
#define SINEW_SIMD_QUAD_H

#include "simd/pair.h"

#include <stdint.h>

typedef float sinew_quad __attribute__((vector_size(16)));
typedef int32_t sinew_quad_bits __attribute__((vector_size(16)));

SINEW_ALWAYS_INLINE sinew_quad sinew_quad_load(const float *four) {
  sinew_quad v;
  memcpy(&v, four, sizeof v);
  return v;
}

SINEW_ALWAYS_INLINE void sinew_quad_store(float *four, sinew_quad v) {
  memcpy(four, &v, sizeof v);
}

SINEW_ALWAYS_INLINE sinew_quad sinew_quad_of(float x) {
  return (sinew_quad){x, x, x, x};
}

// The smaller and the larger of corresponding values.
SINEW_ALWAYS_INLINE sinew_quad sinew_quad_min(sinew_quad a, sinew_quad b) {
#ifdef __SSE2__
  return __builtin_ia32_minps(a, b);
#else
  const sinew_quad_bits less = a < b;
  return (sinew_quad)((less & (sinew_quad_bits)a) | (~less & (sinew_quad_bits)b));
#endif
}

SINEW_ALWAYS_INLINE sinew_quad sinew_quad_max(sinew_quad a, sinew_quad b) {
#ifdef __SSE2__
  return __builtin_ia32_maxps(b, a);
#else
  const sinew_quad_bits less = a < b;
  return (sinew_quad)((less & (sinew_quad_bits)b) | (~less & (sinew_quad_bits)a));
#endif
}

// Rounds towards 0, to integers.
SINEW_ALWAYS_INLINE sinew_quad_bits sinew_quad_truncate(sinew_quad v) {
  return __builtin_convertvector(v, sinew_quad_bits);
}

SINEW_ALWAYS_INLINE sinew_quad sinew_quad_of_bits(sinew_quad_bits a) {
  return __builtin_convertvector(a, sinew_quad);
}

// Stores integers within 2^15 as 16-bit integers.
SINEW_ALWAYS_INLINE void sinew_quad_bits_store_short(int16_t *four, sinew_quad_bits v) {
  typedef int16_t short_quad __attribute__((vector_size(8)));
  const short_quad shorts = __builtin_convertvector(v, short_quad);
  memcpy(four, &shorts, sizeof shorts);
}

typedef int16_t sinew_eight __attribute__((vector_size(16)));
typedef uint32_t sinew_quad_unsigned __attribute__((vector_size(16)));

SINEW_ALWAYS_INLINE sinew_eight sinew_eight_load(const int16_t *eight) {
  sinew_eight v;
  memcpy(&v, eight, sizeof v);
  return v;
}

// The same two integers four times.
SINEW_ALWAYS_INLINE sinew_eight sinew_eight_of(const int16_t *two) {
  int32_t both;
  memcpy(&both, two, sizeof both);
  return (sinew_eight)((sinew_quad_bits){both, both, both, both});
}

// a[0] b[0] + a[1] b[1], a[2] b[2] + a[3] b[3], and so on. Exact, unless all four factors of a sum
// are -2^15.
SINEW_ALWAYS_INLINE sinew_quad_bits sinew_eight_products(sinew_eight a, sinew_eight b) {
#ifdef __SSE2__
  return (sinew_quad_bits)__builtin_ia32_pmaddwd128(a, b);
#else
  const sinew_quad_bits x = (sinew_quad_bits)a, y = (sinew_quad_bits)b;
  const sinew_quad_bits low_x = (sinew_quad_bits)((sinew_quad_unsigned)a << 16) >> 16;
  const sinew_quad_bits low_y = (sinew_quad_bits)((sinew_quad_unsigned)b << 16) >> 16;
  return low_x * low_y + (x >> 16) * (y >> 16);
#endif
}

#endif
