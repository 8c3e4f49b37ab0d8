// How much the step of a lower level is shortened so that it does not overshoot.
//
// The step minimises a quadratic model whose rows are those of one configuration. Where higher
// levels leave a curved set, the true cost along it is more curved than the model's; with more than
// twice the curvature, steps overshoot by more than they began with, and the figure shakes. Let x
// be the step of an update, s what of it was taken, and
//
//   x_k+1 = x_k - rho s_k + w_k
//
// w what the targets' motion adds, which is smooth. The change of that from update to update is
// small, and
//
//   rho ~ -(Dx_k+1 - Dx_k) . D (s_k - s_k-1) / (s_k - s_k-1) . D (s_k - s_k-1),
//   Dx_k+1 = x_k+1 - x_k
//
// is the curvature, relative to the model's weights D, along that in which the motion changes most:
// where a figure shakes, the direction in which it does. Weights are then multiplied by rho, and by
// a factor that falls to 1 afterwards.
//
// Source of the estimate: Barzilai and Borwein, Two-point step size gradient methods, 1988.
#ifndef SINEW_SOLVE_OVERSHOOT_H
#define SINEW_SOLVE_OVERSHOOT_H

#include "base/memory.h"

#include <stdbool.h>

// Of one level.
typedef struct sinew_overshoot {
  double *x, *dx, *s, *ds; // columns: of the last update
  int known;               // how many updates these are of, at most 3
  bool alone;              // whether it was one by that level alone, whose steps are longer
  double factor;           // on the weights, at least 1
} sinew_overshoot;

void sinew_overshoot_layout(sinew_arena *arena, int columns, sinew_overshoot *out);

// The next update is as the first one.
void sinew_overshoot_reset(sinew_overshoot *self);

// After an update without a step.
void sinew_overshoot_interrupt(sinew_overshoot *self);

// After an update of n columns: x its step before it was shortened, s what was taken of it, D the
// weights. They are read in fours: past n x and s are 0, and D is finite.
void sinew_overshoot_watch(sinew_overshoot *self, bool alone, int n, const double *x,
                           const double *s, const double *D);

#endif
