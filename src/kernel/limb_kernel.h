// Limbs and aimed links of many figures: one table of functions for each instruction set.
#ifndef SINEW_KERNEL_LIMB_KERNEL_H
#define SINEW_KERNEL_LIMB_KERNEL_H

#include "sinew/limb.h"

#include <stdbool.h>

typedef struct sinew_limb_kernel {
  int lanes;
  // Both return whether all rows were usable.
  bool (*limbs)(const sinew_limb *limb, size_t count, const sinew_limb_arrays *arrays);
  bool (*aims)(const sinew_aim *aim, size_t count, const sinew_aim_arrays *arrays);
} sinew_limb_kernel;

#endif
