// The functions of limb_kernel.h of one instruction set. It is compiled once for each, with
// SINEW_LANES and SINEW_LANE_SUFFIX defined by the build.
#include "analytic/limb_lanes.h"
#include "analytic/plant_lanes.h"
#include "analytic/spine_lanes.h"
#include "kernel/dispatch.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// All rows, as many at once as there are lanes.
#define DEFINE_ROWS(noun)                                                                          \
  static bool noun##s(const sinew_##noun *one, size_t count,                                       \
                      const sinew_##noun##_arrays *arrays) {                                       \
    bool all = true;                                                                               \
    for (size_t first = 0; first < count; first += SINEW_LANES) {                                  \
      all = noun##_group(one, arrays, (row_range){first, count - 1}) && all;                       \
    }                                                                                              \
    return all;                                                                                    \
  }

DEFINE_ROWS(limb)
DEFINE_ROWS(aim)
DEFINE_ROWS(twist)
DEFINE_ROWS(spine)
DEFINE_ROWS(plant)

const sinew_limb_kernel JOIN(sinew_limb_kernel_, SINEW_LANE_SUFFIX) = {.lanes = SINEW_LANES,
                                                                       .limbs = limbs,
                                                                       .aims = aims,
                                                                       .twists = twists,
                                                                       .spines = spines,
                                                                       .plants = plants};
