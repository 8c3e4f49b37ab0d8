// Which of the compiled kernels this processor runs.
//
// __builtin_cpu_supports() of GCC and clang reads what CPUID told when the program was loaded.
// It also asks which registers the system saves (XGETBV), and takes AVX for absent where those
// of AVX are not saved, AVX-512 likewise (GCC since 8, its bug 85100; clang). Nothing is
// remembered here.
#include "lane/dispatch.h"

#ifdef __x86_64__

static const sinew_lane_kernel *const kernels[SINEW_LANE_SET_COUNT] = {
    [SINEW_LANE_SET_BASE] = &sinew_lane_kernel_base,
    [SINEW_LANE_SET_PAIR] = &sinew_lane_kernel_pair,
    [SINEW_LANE_SET_FMA] = &sinew_lane_kernel_fma,
    [SINEW_LANE_SET_AVX2] = &sinew_lane_kernel_avx2,
    [SINEW_LANE_SET_AVX512] = &sinew_lane_kernel_avx512,
};

static const sinew_crowd_kernel *const crowds[SINEW_LANE_SET_COUNT] = {
    [SINEW_LANE_SET_BASE] = &sinew_crowd_kernel_base,
    [SINEW_LANE_SET_PAIR] = &sinew_crowd_kernel_pair,
    [SINEW_LANE_SET_FMA] = &sinew_crowd_kernel_fma,
    [SINEW_LANE_SET_AVX2] = &sinew_crowd_kernel_avx2,
    [SINEW_LANE_SET_AVX512] = &sinew_crowd_kernel_avx512,
};

static bool has_fma(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void) {
  return has_fma() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}

#else

static const sinew_lane_kernel *const kernels[SINEW_LANE_SET_COUNT] = {
    [SINEW_LANE_SET_BASE] = &sinew_lane_kernel_base,
    [SINEW_LANE_SET_PAIR] = &sinew_lane_kernel_pair,
};

static const sinew_crowd_kernel *const crowds[SINEW_LANE_SET_COUNT] = {
    [SINEW_LANE_SET_BASE] = &sinew_crowd_kernel_base,
    [SINEW_LANE_SET_PAIR] = &sinew_crowd_kernel_pair,
};

static bool has_fma(void) {
  return false;
}

static bool has_avx512(void) {
  return false;
}

#endif

bool sinew_lane_set_usable(sinew_lane_set set) {
  switch (set) {
  case SINEW_LANE_SET_BASE:
  case SINEW_LANE_SET_PAIR:
    return true;
  case SINEW_LANE_SET_FMA:
  case SINEW_LANE_SET_AVX2:
    return has_fma();
  case SINEW_LANE_SET_AVX512:
    return has_avx512();
  default:
    return false;
  }
}

const sinew_lane_kernel *sinew_lane_kernel_of(sinew_lane_set set) {
  return sinew_lane_set_usable(set) ? kernels[set] : NULL;
}

const sinew_lane_kernel *sinew_lane_kernel_find(int lanes) {
  // From the most lanes to the fewest; of two sets of one lane the quicker stands later.
  for (int set = SINEW_LANE_SET_COUNT; set-- > 0;) {
    const sinew_lane_kernel *kernel = sinew_lane_kernel_of((sinew_lane_set)set);
    if (kernel != NULL && (lanes == 0 || kernel->lanes == lanes)) {
      return kernel;
    }
  }
  return NULL;
}

const sinew_lane_kernel *sinew_lane_kernel_single(void) {
  return sinew_lane_kernel_find(1);
}

const sinew_crowd_kernel *sinew_crowd_kernel_of(sinew_lane_set set) {
  return sinew_lane_set_usable(set) ? crowds[set] : NULL;
}

const sinew_crowd_kernel *sinew_crowd_kernel_find(int lanes) {
  for (int set = SINEW_LANE_SET_COUNT; set-- > 0;) {
    const sinew_crowd_kernel *kernel = sinew_crowd_kernel_of((sinew_lane_set)set);
    if (kernel != NULL && (lanes == 0 || kernel->lanes == lanes)) {
      return kernel;
    }
  }
  return NULL;
}
