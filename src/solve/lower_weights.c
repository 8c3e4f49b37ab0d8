// The weights D of the step of a lower level. Compiled for each instruction set.
#include "simd/four.h"
#include "solve/lower_step.h"

void sinew_lower_fill_weights(const sinew_levels *levels, bool last, double least, double damping) {
  const int n = levels->n;
  double *D = levels->D;
  unsigned char *settled = levels->settled;
  for (int c = 0; c < n && !last; ++c) {
    settled[c] |= (unsigned char)(D[c] > least ? SINEW_LEVEL_SETTLED_HERE : 0);
  }
  for (int c = 0; c < n; c += 4) {
    const sinew_four weight = sinew_four_load(D + c), low = SINEW_FOUR_OF(least);
    sinew_four_store(D + c, sinew_four_where(weight < low, low, weight) + SINEW_FOUR_OF(damping));
  }
}

void sinew_lower_raise_weights(sinew_levels *levels, double more, int fixed) {
  for (int c = 0; c < levels->n; c += 4) { // what is past n has no effect
    const sinew_four weight = sinew_four_load(levels->D + c);
    sinew_four squares = SINEW_FOUR_OF(0.0);
    for (int r = fixed; r < fixed + levels->wanted; ++r) {
      const sinew_four v = sinew_four_load(levels->J + r * sinew_levels_stride(levels) + c);
      squares += v * v;
    }
    sinew_four_store(levels->D + c, weight + SINEW_FOUR_OF(more) * (weight + squares));
  }
}
