// The instruction sets that this processor and its operating system support.
#ifndef SINEW_SIMD_INSTRUCTION_SET_H
#define SINEW_SIMD_INSTRUCTION_SET_H

#ifdef __x86_64__
#define SINEW_X86_64 1 // a build has code for the sets beyond BASE: cmake/lanes.cmake, scalar.cmake
#endif

// Which kernels a build has. A WebAssembly module runs on engines with its instructions only, so
// one of these is enough for it: pairs if it was compiled for SIMD, else the baseline.
#if !defined(__wasm_simd128__)
#define SINEW_HAS_BASE_LANES 1
#endif
#if !defined(__wasm__) || defined(__wasm_simd128__)
#define SINEW_HAS_PAIR_LANES 1
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

#endif
