// Limbs, aimed links, twists, spines and planted legs of many figures, by as many at once as the
// processor has lanes.
#include "base/error.h"
#include "kernel/dispatch.h"
#include "sinew/limb.h"

sinew_result sinew_limbs_solve(const sinew_limb *limb, size_t count,
                               const sinew_limb_arrays *arrays) {
  SINEW_ASSERT(limb != NULL && arrays != NULL);
  if (count == 0) {
    return SINEW_OK;
  }
  if (arrays->targets == NULL || arrays->upper == NULL || arrays->lower == NULL ||
      (limb->bend == SINEW_LIMB_BEND_POLE && arrays->poles == NULL) ||
      (limb->bend == SINEW_LIMB_BEND_MEMORY && arrays->memories == NULL)) {
    return SINEW_ERROR_ARGUMENT;
  }
  return sinew_limb_kernel_find(0)->limbs(limb, count, arrays) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}

sinew_result sinew_aims_solve(const sinew_aim *aim, size_t count, const sinew_aim_arrays *arrays) {
  SINEW_ASSERT(aim != NULL && arrays != NULL);
  if (count == 0) {
    return SINEW_OK;
  }
  if (arrays->targets == NULL || arrays->rotations == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  return sinew_limb_kernel_find(0)->aims(aim, count, arrays) ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}

sinew_result sinew_twists_solve(const sinew_twist *twist, size_t count,
                                const sinew_twist_arrays *arrays) {
  SINEW_ASSERT(twist != NULL && arrays != NULL);
  if (count == 0) {
    return SINEW_OK;
  }
  if (arrays->joints == NULL || arrays->rotations == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  return sinew_limb_kernel_find(0)->twists(twist, count, arrays) ? SINEW_OK
                                                                 : SINEW_ERROR_NOT_FINITE;
}

sinew_result sinew_spines_solve(const sinew_spine *spine, size_t count,
                                const sinew_spine_arrays *arrays) {
  SINEW_ASSERT(spine != NULL && arrays != NULL);
  if (count == 0) {
    return SINEW_OK;
  }
  if (arrays->curves == NULL || arrays->rotations == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  return sinew_limb_kernel_find(0)->spines(spine, count, arrays) ? SINEW_OK
                                                                 : SINEW_ERROR_NOT_FINITE;
}

sinew_result sinew_plants_solve(const sinew_plant *plant, size_t count,
                                const sinew_plant_arrays *arrays) {
  SINEW_ASSERT(plant != NULL && arrays != NULL);
  if (count == 0) {
    return SINEW_OK;
  }
  if (arrays->contacts == NULL || arrays->heights == NULL || arrays->ankles == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  return sinew_limb_kernel_find(0)->plants(plant, count, arrays) ? SINEW_OK
                                                                 : SINEW_ERROR_NOT_FINITE;
}
