// |values_i| <= most for all i, as a mask of four lanes. See within.h.
#include "math/within.h"
#include "simd/four.h"

// All ones where |value| <= limit; 0 for NaN.
SINEW_ALWAYS_INLINE sinew_four_bits within_four(const double *four, sinew_four limit) {
  const sinew_four_bits no_sign = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff,
                                   0x7fffffffffffffff};
  return (sinew_four)((sinew_four_bits)sinew_four_load(four) & no_sign) <= limit;
}

// Four at a time, the last four first; these may overlap with the others. count >= 4.
static bool all_within(int count, const double *values, double most) {
  const sinew_four limit = SINEW_FOUR_OF(most);
  sinew_four_bits all = within_four(values + count - 4, limit);
  for (int i = 0; i + 4 < count; i += 4) {
    all &= within_four(values + i, limit);
  }
  return (all[0] & all[1] & all[2] & all[3]) != 0;
}

bool sinew_all_within(int count, const double *values, double most) {
  bool within = count < 4 || all_within(count, values, most);
  for (int i = 0; count < 4 && i < count; ++i) {
    within &= fabs(values[i]) <= most;
  }
  return within;
}
