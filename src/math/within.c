// See within.h.
#include "math/within.h"
#include "math/four.h"

SINEW_ALWAYS_INLINE void look_plain(int count, const double *values, double most, bool *within) {
  const sinew_four_bits no_sign = {0x7fffffffffffffff, 0x7fffffffffffffff, 0x7fffffffffffffff,
                                   0x7fffffffffffffff};
  const sinew_four limit = SINEW_FOUR_OF(most);
  sinew_four_bits all = {-1, -1, -1, -1};
  bool rest = true;
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    const sinew_four_bits bits = (sinew_four_bits)sinew_four_load(values + i);
    all &= (sinew_four)(bits & no_sign) <= limit;
  }
  for (; i < count; ++i) {
    rest &= fabs(values[i]) <= most;
  }
  *within = rest && (all[0] & all[1] & all[2] & all[3]) != 0;
}

SINEW_TWICE(look, (int count, const double *values, double most, bool *within),
            (count, values, most, within))

bool sinew_all_within(int count, const double *values, double most) {
  bool within;
  look(sinew_has_wide(), count, values, most, &within);
  return within;
}
