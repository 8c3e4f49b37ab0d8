// The instruction sets that this processor and its operating system support.
#ifndef SINEW_SIMD_INSTRUCTION_SET_H
#define SINEW_SIMD_INSTRUCTION_SET_H

#include <stdbool.h>

#ifdef __x86_64__
#define SINEW_X86_64 1 // a build has kernels for the sets beyond BASE: cmake/lanes.cmake
#endif

// Each includes those before it. Processors other than x86-64 have BASE only.
typedef enum sinew_instruction_set {
  SINEW_INSTRUCTION_SET_BASE = 0, // the baseline, which every processor of the kind has
  SINEW_INSTRUCTION_SET_AVX2,
  SINEW_INSTRUCTION_SET_AVX2_FMA,
  SINEW_INSTRUCTION_SET_AVX512 // F, DQ, VL, BW
} sinew_instruction_set;

// The largest set that this processor and its operating system support.
sinew_instruction_set sinew_instruction_set_detect(void);

// Whether that set is AVX2 or larger. It costs one load and a test, so that functions may call it
// each time.
//
// __builtin_cpu_supports() of GCC and clang reads the results of CPUID, stored when the program was
// loaded. It also checks which registers the operating system saves (XGETBV), and reports AVX or
// AVX-512 as absent if theirs are not saved (GCC since 8, its bug 85100; clang).
static inline bool sinew_has_avx2(void) {
#ifdef SINEW_X86_64
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

#endif
