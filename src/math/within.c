// |values_i| <= most for all i, as a mask of two lanes. See within.h.
#include "math/within.h"
#include "simd/pair.h"

// All ones where |value| <= limit; 0 for NaN.
SINEW_ALWAYS_INLINE sinew_pair_bits within_pair(const double *two, sinew_pair limit) {
  const sinew_pair_bits no_sign = {0x7fffffffffffffff, 0x7fffffffffffffff};
  return (sinew_pair)((sinew_pair_bits)sinew_pair_load(two) & no_sign) <= limit;
}

// Two at a time, the last two first; these may overlap with the others. Vectors of four would be
// compared one number after another: this is compiled for the baseline.
bool sinew_all_within(int count, const double *values, double most) {
  if (count < 2) {
    return count < 1 || fabs(values[0]) <= most;
  }
  const sinew_pair limit = sinew_pair_of(most);
  sinew_pair_bits all = within_pair(values + count - 2, limit);
  for (int i = 0; i + 2 < count; i += 2) {
    all &= within_pair(values + i, limit);
  }
  return (all[0] & all[1]) != 0;
}
