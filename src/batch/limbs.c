// Limbs, aimed links, twists, spines and planted legs of many figures, by as many at once as the
// processor has lanes.
#include "base/error.h"
#include "kernel/dispatch.h"
#include "sinew/limb.h"

// The function of the arrays, after a check. kind: _float, or nothing.
#define DEFINE(noun, kind, is_missing)                                                             \
  sinew_result sinew_##noun##s_solve##kind(const sinew_##noun *noun, size_t count,                 \
                                           const sinew_##noun##_arrays##kind *arrays) {            \
    SINEW_ASSERT(noun != NULL && arrays != NULL);                                                  \
    if (count == 0) {                                                                              \
      return SINEW_OK;                                                                             \
    }                                                                                              \
    if (is_missing) {                                                                              \
      return SINEW_ERROR_ARGUMENT;                                                                 \
    }                                                                                              \
    return sinew_limb_kernel_find(0)->noun##s##kind(noun, count, arrays) ? SINEW_OK                \
                                                                         : SINEW_ERROR_NOT_FINITE; \
  }
#define DEFINE_BOTH(noun, is_missing) DEFINE(noun, , is_missing) DEFINE(noun, _float, is_missing)

DEFINE_BOTH(limb, arrays->targets == NULL || arrays->upper == NULL || arrays->lower == NULL ||
                      (limb->bend == SINEW_LIMB_BEND_POLE && arrays->poles == NULL) ||
                      (limb->bend == SINEW_LIMB_BEND_MEMORY && arrays->memories == NULL))
DEFINE_BOTH(aim, arrays->targets == NULL || arrays->rotations == NULL)
DEFINE_BOTH(twist, arrays->joints == NULL || arrays->rotations == NULL)
DEFINE_BOTH(spine, arrays->curves == NULL || arrays->rotations == NULL)
DEFINE_BOTH(plant, arrays->contacts == NULL || arrays->heights == NULL || arrays->ankles == NULL)
