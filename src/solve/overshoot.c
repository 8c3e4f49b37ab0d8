#include "solve/overshoot.h"
#include "math/vector.h"

#include <string.h>

// The largest factor, and the share by which it falls in an update.
#define MOST 10.0
#define FALL 0.15

void sinew_overshoot_layout(sinew_arena *arena, int columns, sinew_overshoot *out) {
  double **const vectors[] = {&out->x, &out->dx, &out->s, &out->ds};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
    *vectors[i] = sinew_arena_take(arena, (size_t)columns, sizeof(double));
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
  double product = 0.0, square = 0.0, turn = 0.0;
  self->known = alone == self->alone ? self->known : 0;
  self->alone = alone;
  for (int c = 0; c < n; ++c) {
    const double full = self->factor * x[c], dx = full - self->x[c], ds = s[c] - self->s[c];
    product -= (dx - self->dx[c]) * D[c] * self->ds[c];
    square += self->ds[c] * D[c] * self->ds[c];
    turn += self->ds[c] * D[c] * ds;
    self->x[c] = full;
    self->dx[c] = dx;
    self->s[c] = s[c];
    self->ds[c] = ds;
  }
  const double fallen = self->factor - FALL * (self->factor - 1.0);
  const double rho = self->known == 3 && turn < 0.0 ? product / square : 1.0;
  self->factor = sinew_min(sinew_max(fallen, rho), MOST);
  self->known += self->known < 3 ? 1 : 0;
}
