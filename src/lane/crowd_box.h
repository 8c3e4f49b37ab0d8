// The active set of step/box.c for many figures at once.
//
// All that a wish asks for is mended in a round; a figure whose guess needs no mending gets the
// same x in every further round, so that rounds go on until none does. The walk that ends
// circles is left out: after ROUNDS what is beyond its bound is brought onto it.
#ifndef SINEW_LANE_CROWD_BOX_H
#define SINEW_LANE_CROWD_BOX_H

#include "lane/crowd_rows.h"

#define CROWD_ROUNDS 6

LANE lane_mask is_free(lane held) {
  return lane_less(lane_abs(held), lane_of(0.5));
}

// Limits of x, from those of values and speeds: solve/update.c.
LANE void crowd_limits(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  lane *lower = crowd_of(self, SINEW_CROWD_LOWER), *upper = crowd_of(self, SINEW_CROWD_UPPER);
  for (int slot = 0; slot < plan->lanes.slot_count; ++slot) {
    const lane share = lane_of(1.0 / plan->unit[slot]);
    const lane reach = lane_of(plan->reach[slot]);
    lane low = lane_of(-INFINITY), high = lane_of(INFINITY);
    if (plan->lanes.ball_axis[slot] < 0) {
      const lane q = lane_load(self->block->q + plan->lanes.q_of_slot[slot] * SINEW_LANES);
      low = lane_of(plan->lower[slot]) - q;
      high = lane_of(plan->upper[slot]) - q;
    }
    lower[slot] = share * lane_min(reach, lane_max(low, -reach));
    upper[slot] = share * lane_max(-reach, lane_min(high, reach));
  }
}

// Bounds that are reached already and that the gradient points beyond.
LANE void box_guess(const crowd *self) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_HELD), *x = crowd_of(self, SINEW_CROWD_X);
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    const lane_mask low =
        mask_or(lane_less(zero, lower[slot]),
                mask_and(lane_less_equal(zero, lower[slot]), lane_less_equal(g[slot], zero)));
    const lane_mask high =
        mask_or(lane_less(upper[slot], zero),
                mask_and(lane_less_equal(upper[slot], zero), lane_less_equal(zero, g[slot])));
    held[slot] = lane_select(low, -one, lane_select(high, one, zero));
    x[slot] = lane_select(low, lower[slot], lane_select(high, upper[slot], zero));
  }
}

LANE bool box_any_held(const crowd *self) {
  const lane *held = crowd_of(self, SINEW_CROWD_HELD);
  lane most = lane_of(0.0);
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    most = lane_max(most, lane_abs(held[slot]));
  }
  return mask_bits(lane_less(lane_of(0.5), most)) != 0;
}

// Gives each the state that its wish asks for; whether any has changed.
LANE bool box_mend(const crowd *self) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), half = lane_of(0.5);
  const lane *wish = crowd_of(self, SINEW_CROWD_WISH);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_HELD), *x = crowd_of(self, SINEW_CROWD_X);
  lane most = zero;
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    const lane side = lane_select(lane_less(upper[slot], wish[slot]), one,
                                  lane_select(lane_less(wish[slot], lower[slot]), -one, zero));
    const lane_mask same = lane_less(lane_abs(side - held[slot]), half);
    lane state = lane_select(mask_or(is_free(held[slot]), same), side, zero);
    // One that has a single place to be stays there.
    state = lane_select(lane_less(lower[slot], upper[slot]), state, held[slot]);
    const lane change = lane_abs(state - held[slot]);
    const lane_mask changed = lane_less(half, change);
    const lane bound = lane_select(lane_less(zero, state), upper[slot], lower[slot]);
    x[slot] = lane_select(mask_and(changed, mask_not(is_free(state))), bound, x[slot]);
    held[slot] = state;
    most = lane_max(most, change);
  }
  return mask_bits(lane_less(half, most)) != 0;
}

LANE void box_clamp(const crowd *self) {
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *x = crowd_of(self, SINEW_CROWD_X);
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    x[slot] = lane_min(lane_max(x[slot], lower[slot]), upper[slot]);
  }
}

#endif
