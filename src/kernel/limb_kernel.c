// The functions of limb_kernel.h of one instruction set. It is compiled once for each, with
// SINEW_LANES and SINEW_LANE_SUFFIX defined by the build.
#include "analytic/limb_lanes.h"
#include "kernel/dispatch.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static bool limbs(const sinew_limb *limb, size_t count, const sinew_limb_arrays *arrays) {
  bool all = true;
  for (size_t first = 0; first < count; first += SINEW_LANES) {
    all = limb_group(limb, arrays, (row_range){first, count - 1}) && all;
  }
  return all;
}

static bool aims(const sinew_aim *aim, size_t count, const sinew_aim_arrays *arrays) {
  bool all = true;
  for (size_t first = 0; first < count; first += SINEW_LANES) {
    all = aim_group(aim, arrays, (row_range){first, count - 1}) && all;
  }
  return all;
}

const sinew_limb_kernel JOIN(sinew_limb_kernel_, SINEW_LANE_SUFFIX) = {
    .lanes = SINEW_LANES, .limbs = limbs, .aims = aims};
