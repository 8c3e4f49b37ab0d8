// Limbs, aimed links, twists, spines and planted legs of many figures: one table of functions for
// each instruction set.
#ifndef SINEW_KERNEL_LIMB_KERNEL_H
#define SINEW_KERNEL_LIMB_KERNEL_H

#include "sinew/limb.h"

#include <stdbool.h>

typedef struct sinew_limb_kernel {
  int lanes;
  // All return whether all rows were usable.
  bool (*limbs)(const sinew_limb *limb, size_t count, const sinew_limb_arrays *arrays);
  bool (*aims)(const sinew_aim *aim, size_t count, const sinew_aim_arrays *arrays);
  bool (*twists)(const sinew_twist *twist, size_t count, const sinew_twist_arrays *arrays);
  bool (*spines)(const sinew_spine *spine, size_t count, const sinew_spine_arrays *arrays);
  bool (*plants)(const sinew_plant *plant, size_t count, const sinew_plant_arrays *arrays);
  bool (*limbs_float)(const sinew_limb *limb, size_t count, const sinew_limb_arrays_float *arrays);
  bool (*aims_float)(const sinew_aim *aim, size_t count, const sinew_aim_arrays_float *arrays);
  bool (*twists_float)(const sinew_twist *twist, size_t count,
                       const sinew_twist_arrays_float *arrays);
  bool (*spines_float)(const sinew_spine *spine, size_t count,
                       const sinew_spine_arrays_float *arrays);
  bool (*plants_float)(const sinew_plant *plant, size_t count,
                       const sinew_plant_arrays_float *arrays);
} sinew_limb_kernel;

#endif
