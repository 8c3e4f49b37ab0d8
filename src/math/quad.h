// Four numbers of single precision side by side, for scans of tables. As in pair.h:
// the vector types of GCC and clang, which every processor makes something of.
#ifndef SINEW_MATH_QUAD_H
#define SINEW_MATH_QUAD_H

#include "math/pair.h"

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

// The smaller, and the larger, of each two.
SINEW_ALWAYS_INLINE sinew_quad sinew_quad_min(sinew_quad a, sinew_quad b) {
  const sinew_quad_bits less = a < b;
  return (sinew_quad)((less & (sinew_quad_bits)a) | (~less & (sinew_quad_bits)b));
}

SINEW_ALWAYS_INLINE sinew_quad sinew_quad_max(sinew_quad a, sinew_quad b) {
  const sinew_quad_bits less = a < b;
  return (sinew_quad)((less & (sinew_quad_bits)b) | (~less & (sinew_quad_bits)a));
}

#endif
