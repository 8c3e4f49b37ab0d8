// The choice among the compiled kernels for this processor.
#include "kernel/dispatch.h"
#include "simd/instruction_set.h"

static const sinew_lane_kernel *const kernels[SINEW_LANE_SET_COUNT] = {
#ifdef SINEW_HAS_BASE_LANES
    [SINEW_LANE_SET_BASE] = &sinew_lane_kernel_base,
#endif
#ifdef SINEW_HAS_PAIR_LANES
    [SINEW_LANE_SET_PAIR] = &sinew_lane_kernel_pair,
#endif
#ifdef SINEW_X86_64
    [SINEW_LANE_SET_FMA] = &sinew_lane_kernel_fma,
    [SINEW_LANE_SET_AVX2] = &sinew_lane_kernel_avx2,
    [SINEW_LANE_SET_AVX512] = &sinew_lane_kernel_avx512,
#endif
};

static const sinew_crowd_kernel *const crowds[SINEW_LANE_SET_COUNT] = {
#ifdef SINEW_HAS_BASE_LANES
    [SINEW_LANE_SET_BASE] = &sinew_crowd_kernel_base,
#endif
#ifdef SINEW_HAS_PAIR_LANES
    [SINEW_LANE_SET_PAIR] = &sinew_crowd_kernel_pair,
#endif
#ifdef SINEW_X86_64
    [SINEW_LANE_SET_FMA] = &sinew_crowd_kernel_fma,
    [SINEW_LANE_SET_AVX2] = &sinew_crowd_kernel_avx2,
    [SINEW_LANE_SET_AVX512] = &sinew_crowd_kernel_avx512,
#endif
};

static const sinew_limb_kernel *const limbs[SINEW_LANE_SET_COUNT] = {
#ifdef SINEW_HAS_BASE_LANES
    [SINEW_LANE_SET_BASE] = &sinew_limb_kernel_base,
#endif
#ifdef SINEW_HAS_PAIR_LANES
    [SINEW_LANE_SET_PAIR] = &sinew_limb_kernel_pair,
#endif
#ifdef SINEW_X86_64
    [SINEW_LANE_SET_FMA] = &sinew_limb_kernel_fma,
    [SINEW_LANE_SET_AVX2] = &sinew_limb_kernel_avx2,
    [SINEW_LANE_SET_AVX512] = &sinew_limb_kernel_avx512,
#endif
};

bool sinew_lane_set_usable(sinew_lane_set set) {
  switch (set) {
  case SINEW_LANE_SET_BASE:
  case SINEW_LANE_SET_PAIR:
    return kernels[set] != NULL;
  case SINEW_LANE_SET_FMA:
  case SINEW_LANE_SET_AVX2:
    return sinew_instruction_set_detect() >= SINEW_INSTRUCTION_SET_AVX2_FMA;
  case SINEW_LANE_SET_AVX512:
    return sinew_instruction_set_detect() >= SINEW_INSTRUCTION_SET_AVX512;
  default:
    return false;
  }
}

const sinew_lane_kernel *sinew_lane_kernel_of(sinew_lane_set set) {
  return sinew_lane_set_usable(set) ? kernels[set] : NULL;
}

const sinew_lane_kernel *sinew_lane_kernel_find(int lanes) {
  // From the most lanes to the fewest; of two sets of one lane the later one is faster.
  for (int set = SINEW_LANE_SET_COUNT; set-- > 0;) {
    const sinew_lane_kernel *kernel = sinew_lane_kernel_of((sinew_lane_set)set);
    if (kernel != NULL && (lanes == 0 || kernel->lanes == lanes)) {
      return kernel;
    }
  }
  return NULL;
}

const sinew_lane_kernel *sinew_lane_kernel_single(void) {
  const sinew_lane_kernel *kernel = sinew_lane_kernel_find(1);
  return kernel != NULL ? kernel : sinew_lane_kernel_find(0);
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

const sinew_limb_kernel *sinew_limb_kernel_of(sinew_lane_set set) {
  return sinew_lane_set_usable(set) ? limbs[set] : NULL;
}

const sinew_limb_kernel *sinew_limb_kernel_find(int lanes) {
  for (int set = SINEW_LANE_SET_COUNT; set-- > 0;) {
    const sinew_limb_kernel *kernel = sinew_limb_kernel_of((sinew_lane_set)set);
    if (kernel != NULL && (lanes == 0 || kernel->lanes == lanes)) {
      return kernel;
    }
  }
  return NULL;
}
