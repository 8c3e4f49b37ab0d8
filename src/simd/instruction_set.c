// Detection of the instruction set: see instruction_set.h.
#include "simd/instruction_set.h"

sinew_instruction_set sinew_instruction_set_detect(void) {
  if (!sinew_has_avx2()) {
    return SINEW_INSTRUCTION_SET_BASE;
  }
#ifdef SINEW_X86_64
  if (!__builtin_cpu_supports("fma")) {
    return SINEW_INSTRUCTION_SET_AVX2;
  }
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return SINEW_INSTRUCTION_SET_AVX512;
  }
#endif
  return SINEW_INSTRUCTION_SET_AVX2_FMA;
}
