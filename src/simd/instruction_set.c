// Detection of the instruction set: see instruction_set.h.
//
// __builtin_cpu_supports() of GCC and clang reads the results of CPUID, stored when the program was
// loaded. It also checks which registers the operating system saves (XGETBV), and reports AVX or
// AVX-512 as absent if theirs are not saved (GCC since 8, its bug 85100; clang).
#include "simd/instruction_set.h"

sinew_instruction_set sinew_instruction_set_detect(void) {
#ifdef SINEW_X86_64
  if (!__builtin_cpu_supports("avx2")) {
    return SINEW_INSTRUCTION_SET_BASE;
  }
  if (!__builtin_cpu_supports("fma")) {
    return SINEW_INSTRUCTION_SET_AVX2;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return SINEW_INSTRUCTION_SET_AVX512;
  }
  return SINEW_INSTRUCTION_SET_AVX2_FMA;
#else
  return SINEW_INSTRUCTION_SET_BASE;
#endif
}
