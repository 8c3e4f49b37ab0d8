// See within.h.
#include "math/within.h"
#include "simd/four.h"

// All ones where a value is.
SINEW_ALWAYS_INLINE sinew_four_bits look_at(const double *four, sinew_four limit) {
  const sinew_four_bits no_sign = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff,
                                   0x7fffffffffffffff};
  return (sinew_four)((sinew_four_bits)sinew_four_load(four) & no_sign) <= limit;
}

// Four at a time; the last four may have been looked at in part.
static bool look(int count, const double *values, double most) {
  const sinew_four limit = SINEW_FOUR_OF(most);
  sinew_four_bits all = look_at(values + count - 4, limit);
  for (int i = 0; i + 4 < count; i += 4) {
    all &= look_at(values + i, limit);
  }
  return (all[0] & all[1] & all[2] & all[3]) != 0;
}

bool sinew_all_within(int count, const double *values, double most) {
  bool within = count < 4 || look(count, values, most);
  for (int i = 0; count < 4 && i < count; ++i) {
    within &= fabs(values[i]) <= most;
  }
  return within;
}
