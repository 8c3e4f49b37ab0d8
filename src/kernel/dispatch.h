// The choice among the compiled kernels for this processor.
#ifndef SINEW_KERNEL_DISPATCH_H
#define SINEW_KERNEL_DISPATCH_H

#include "kernel/crowd.h"
#include "kernel/kernel.h"
#include "kernel/limb_kernel.h"

#include <stdbool.h>

// The instruction sets of cmake/lanes.cmake.
typedef enum sinew_lane_set {
  SINEW_LANE_SET_BASE = 0, // 1 lane
  SINEW_LANE_SET_PAIR,     // 2
  SINEW_LANE_SET_FMA,      // 1
  SINEW_LANE_SET_AVX2,     // 4
  SINEW_LANE_SET_AVX512,   // 8
  SINEW_LANE_SET_COUNT
} sinew_lane_set;

// One table for each set. A build has only those of its processor; use sinew_lane_kernel_of().
extern const sinew_lane_kernel sinew_lane_kernel_base, sinew_lane_kernel_pair,
    sinew_lane_kernel_fma, sinew_lane_kernel_avx2, sinew_lane_kernel_avx512;

extern const sinew_crowd_kernel sinew_crowd_kernel_base, sinew_crowd_kernel_pair,
    sinew_crowd_kernel_fma, sinew_crowd_kernel_avx2, sinew_crowd_kernel_avx512;

extern const sinew_limb_kernel sinew_limb_kernel_base, sinew_limb_kernel_pair,
    sinew_limb_kernel_fma, sinew_limb_kernel_avx2, sinew_limb_kernel_avx512;

// Whether this build has kernels for a set, and this processor and its operating system support it.
bool sinew_lane_set_usable(sinew_lane_set set);

// The kernel of a set, or NULL if it is not usable.
const sinew_lane_kernel *sinew_lane_kernel_of(sinew_lane_set set);

// The kernel of 1, 2, 4 or 8 lanes, or of the most lanes (0); NULL if there is none.
const sinew_lane_kernel *sinew_lane_kernel_find(int lanes);

// The fastest kernel of one lane; that of the most lanes in a build that has none of one.
const sinew_lane_kernel *sinew_lane_kernel_single(void);

// The same for crowds.
const sinew_crowd_kernel *sinew_crowd_kernel_of(sinew_lane_set set);
const sinew_crowd_kernel *sinew_crowd_kernel_find(int lanes);

// And for limbs and aimed links.
const sinew_limb_kernel *sinew_limb_kernel_of(sinew_lane_set set);
const sinew_limb_kernel *sinew_limb_kernel_find(int lanes);

#endif
