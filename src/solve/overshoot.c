#include "solve/overshoot.h"
#include "math/vector.h"
#include "simd/four.h"

#include <string.h>

// The largest factor, and the share by which it falls in an update. Where higher levels leave
// little, the true curvature is up to 20 times the model's; 100 slows down figures that come to an
// edge.
#define MOST 30.0
#define FALL 0.15

void sinew_overshoot_layout(sinew_arena *arena, int columns, sinew_overshoot *out) {
  double **const vectors[] = {&out->x, &out->dx, &out->s, &out->ds};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
    *vectors[i] = sinew_arena_take_fours(arena, (size_t)columns, 0.0);
  }
  sinew_overshoot_reset(out);
}

void sinew_overshoot_reset(sinew_overshoot *self) {
  self->known = 0;
  self->factor = 1.0;
}

void sinew_overshoot_interrupt(sinew_overshoot *self) {
  self->known = 0;
}

void sinew_overshoot_watch(sinew_overshoot *self, bool alone, int n, const double *x,
                           const double *s, const double *D) {
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  sinew_four products = zero, squares = zero, turns = zero;
  self->known = alone == self->alone ? self->known : 0;
  self->alone = alone;
  for (int c = 0; c < n; c += 4) {
    const sinew_four full = SINEW_FOUR_OF(self->factor) * sinew_four_load(x + c),
                     now = sinew_four_load(s + c), last = sinew_four_load(self->ds + c);
    const sinew_four dx = full - sinew_four_load(self->x + c),
                     ds = now - sinew_four_load(self->s + c),
                     weighted = sinew_four_load(D + c) * last;
    products -= (dx - sinew_four_load(self->dx + c)) * weighted;
    squares += last * weighted;
    turns += ds * weighted;
    sinew_four_store(self->x + c, full);
    sinew_four_store(self->dx + c, dx);
    sinew_four_store(self->s + c, now);
    sinew_four_store(self->ds + c, ds);
  }
  const double fallen = self->factor - FALL * (self->factor - 1.0);
  const sinew_four sums = sinew_four_sums(products, squares, turns, zero);
  const double rho = self->known == 3 && sums[2] < 0.0 ? sums[0] / sums[1] : 1.0;
  self->factor = sinew_min(sinew_max(fallen, rho), MOST);
  self->known += self->known < 3 ? 1 : 0;
}
