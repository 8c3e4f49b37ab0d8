// Vectors of two doubles, for loops that compilers do not vectorize for the baseline. Beyond C17
// these use the vector types and always_inline of GCC and clang, which compile to the vector
// instructions of the processor's baseline, or to scalar ones if it has none.
#ifndef SINEW_SIMD_PAIR_H
#define SINEW_SIMD_PAIR_H

#include "base/likely.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// In small builds functions are not forced inline in a source that defines SINEW_CALLS, whose size
// matters more than its speed.
#if defined(SINEW_SMALL) && defined(SINEW_CALLS)
#define SINEW_ALWAYS_INLINE static inline
#else
#define SINEW_ALWAYS_INLINE static inline __attribute__((always_inline))
#endif

// For functions some of whose parameters are constants where they are called: each call has a copy
// of its own, except in small builds, which have one for all. Not where updates would take more
// than a fiftieth longer in WebAssembly.
#ifdef SINEW_SMALL
#define SINEW_SPECIALISED static
#else
#define SINEW_SPECIALISED SINEW_ALWAYS_INLINE
#endif

// Whether there are paths for some problems that only serve speed, where the general one does the
// same: not in small builds.
#ifdef SINEW_SMALL
#define SINEW_HAS_FAST_PATHS false
#else
#define SINEW_HAS_FAST_PATHS true
#endif

typedef double sinew_pair __attribute__((vector_size(16)));

SINEW_ALWAYS_INLINE sinew_pair sinew_pair_load(const double *two) {
  sinew_pair p;
  memcpy(&p, two, sizeof p);
  return p;
}

SINEW_ALWAYS_INLINE void sinew_pair_store(double *two, sinew_pair p) {
  memcpy(two, &p, sizeof p);
}

SINEW_ALWAYS_INLINE sinew_pair sinew_pair_of(double x) {
  return (sinew_pair){x, x};
}

typedef long long sinew_pair_bits __attribute__((vector_size(16)));

// count rounded up to an even number: rows of this length need no code for a single last value.
SINEW_ALWAYS_INLINE int sinew_pair_stride(int count) {
  return (count + 1) / 2 * 2;
}

#endif
