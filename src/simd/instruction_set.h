// The instruction sets that this processor and its system run.
#ifndef SINEW_SIMD_INSTRUCTION_SET_H
#define SINEW_SIMD_INSTRUCTION_SET_H

#include <stdbool.h>

#ifdef __x86_64__
#define SINEW_X86_64 1 // a build has kernels for the sets beyond BASE: cmake/lanes.cmake
#endif

// Each includes those before it. Other processors than x86-64 have BASE only.
typedef enum sinew_instruction_set {
  SINEW_INSTRUCTION_SET_BASE = 0, // what every processor of the kind has
  SINEW_INSTRUCTION_SET_AVX2,
  SINEW_INSTRUCTION_SET_AVX2_FMA,
  SINEW_INSTRUCTION_SET_AVX512 // F, DQ, VL, BW
} sinew_instruction_set;

// The largest set that this processor and its system run.
sinew_instruction_set sinew_instruction_set_detect(void);

// Whether it is AVX2 or larger: one load and a test, for functions that ask on each call.
//
// __builtin_cpu_supports() of GCC and clang reads what CPUID told when the program was loaded.
// It also asks which registers the system saves (XGETBV), and takes AVX for absent where those
// of AVX are not saved, AVX-512 likewise (GCC since 8, its bug 85100; clang). Nothing is
// remembered here.
static inline bool sinew_has_avx2(void) {
#ifdef SINEW_X86_64
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

#endif
