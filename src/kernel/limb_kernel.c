// The functions of limb_kernel.h of one instruction set. It is compiled once for each, with
// SINEW_LANES and SINEW_LANE_SUFFIX defined by the build.
#define ROW_FLOAT 0
#include "analytic/figure_rows.h"
#define ROW_FLOAT 1
#include "analytic/figure_rows.h"
#include "kernel/dispatch.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// All rows, as many at once as there are lanes. kind: _float, or nothing.
#define DEFINE_ROWS(noun, kind)                                                                    \
  static bool noun##s##kind(const sinew_##noun *one, size_t count,                                 \
                            const sinew_##noun##_arrays##kind *arrays) {                           \
    bool all = true;                                                                               \
    for (size_t first = 0; first < count; first += SINEW_LANES) {                                  \
      all = noun##_group##kind(one, arrays, (row_range){first, count - 1}) && all;                 \
    }                                                                                              \
    return all;                                                                                    \
  }
#define DEFINE_BOTH(noun) DEFINE_ROWS(noun, ) DEFINE_ROWS(noun, _float)

DEFINE_BOTH(limb)
DEFINE_BOTH(aim)
DEFINE_BOTH(twist)
DEFINE_BOTH(spine)
DEFINE_BOTH(plant)

const sinew_limb_kernel JOIN(sinew_limb_kernel_,
                             SINEW_LANE_SUFFIX) = {.lanes = SINEW_LANES,
                                                   .limbs = limbs,
                                                   .aims = aims,
                                                   .twists = twists,
                                                   .spines = spines,
                                                   .plants = plants,
                                                   .limbs_float = limbs_float,
                                                   .aims_float = aims_float,
                                                   .twists_float = twists_float,
                                                   .spines_float = spines_float,
                                                   .plants_float = plants_float};
