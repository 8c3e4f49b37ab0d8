// The bounds of a crowd's step by the default method, and of its change: braking ahead of limits,
// and the largest change from one motion to the next. In lanes what solve/track.c and solve/cones.c
// do.
#ifndef SINEW_KERNEL_CROWD_BOUNDS_H
#define SINEW_KERNEL_CROWD_BOUNDS_H

#include "kernel/cone_brakes.h"
#include "kernel/crowd_box.h"
#include "kernel/crowd_cones.h"
#include "policy/rules.h"
#include "policy/tracking.h"

// What the steps of an update have in common, and the part of the history that they change.
typedef struct crowd_track {
  lane parts;           // S
  lane rate;            // rho
  lane max_change;      // b
  lane slower, inverse; // how much a joint may slow down from one part to the next; 1 over it
  lane rest;            // s
  lane_mask cut;        // the first update after a reset
  bool fresh;           // the next step is the first of its part
  lane_mask jump;       // the targets have jumped
  lane gradient;        // G
  lane predicted;       // r of the last step
  lane spread;          // over how many more parts a jump may be spread
  lane caution;         // with cones: a factor on the damping
  lane_mask settles;    // with cones: figures that come to rest
  lane_mask held_back;  // where the last step was shorter because of max_change
} crowd_track;

// ------------------------------------------------------------ bounds of a step

// The longest motion in the direction of a limit; distance: to the limit, last: of the last part.
LANE lane crowd_brake(const crowd_track *now, lane distance, lane last) {
  const tracking_brakes by = {now->slower, now->inverse, now->max_change};
  return tracking_longest(&by, distance, last);
}

LANE bool is_unbounded(const sinew_crowd_plan *plan, int column) {
  const bool limited = plan->lanes.quaternion_axis[column] < 0 &&
                       !(plan->lower[column] == -INFINITY && plan->upper[column] == INFINITY);
  return !limited && plan->reach[column] == INFINITY;
}

// Narrows the bounds of a step by what the part has moved already and by braking ahead of limits.
LANE void narrow_bounds(const crowd *self, const crowd_track *now) {
  const sinew_crowd_plan *plan = self->plan;
  lane *lower = crowd_of(self, SINEW_CROWD_LOWER), *upper = crowd_of(self, SINEW_CROWD_UPPER);
  const lane *all_moved = crowd_of(self, SINEW_CROWD_MOVED), zero = lane_of(0.0);
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    if (is_unbounded(plan, column)) {
      continue;
    }
    const double unit = plan->unit[column], inverse = 1.0 / unit;
    const lane moved = now->fresh ? zero : all_moved[column];
    const lane last = history_load(self, self->plan->history.last + column);
    const lane outwards = lane_of(1.0 / plan->lanes.gain[column]);
    const lane most = lane_of(plan->reach[column] * inverse) * self->part;
    const lane fastest = (most - moved) * outwards, slowest = (-most - moved) * outwards;
    lane high = most, low = -most;
    if (plan->lanes.quaternion_axis[column] < 0) {
      const lane q = lane_load(self->block->q + plan->lanes.q_of_column[column] * SINEW_LANES);
      const lane at = q - moved * lane_of(unit);
      const lane above = (lane_of(plan->upper[column]) - at) * lane_of(inverse);
      const lane below = (at - lane_of(plan->lower[column])) * lane_of(inverse);
      high = lane_min(high, crowd_brake(now, above, last));
      low = lane_max(low, -crowd_brake(now, below, -last));
    }
    // A joint outside its limits moves in, whatever the other bounds are but those of speeds.
    high = tracking_bound(lane_min(upper[column], (high - moved) * outwards));
    low = tracking_bound(lane_max(lower[column], (low - moved) * outwards));
    high = lane_max(high, lower[column]);
    low = lane_min(low, high);
    upper[column] = lane_min(lane_max(high, slowest), fastest);
    lower[column] = lane_min(lane_max(low, slowest), fastest);
  }
}

// The axes of cones, before the columns.
LANE void begin_cones(const crowd *self, const crowd_track *now) {
  for (int k = 0; k < self->plan->cone_count; ++k) {
    const int column = self->plan->cones[k].column;
    lane last[3], far = lane_of(INFINITY);
    if (mask_bits(now->settles) != 0) {
      for (int i = 0; i < 3; ++i) {
        last[i] = history_load(self, self->plan->history.last + column + i);
      }
      far = lane_select(now->settles, lane_cone_far(lane_norm3(last)), far);
    }
    crowd_cone_begin(self, k, far);
  }
}

// Narrows the bounds of a cone by braking: sinew_cones_brake().
LANE_APART void brake_cone(const crowd *self, const crowd_track *now, int k) {
  const tracking_brakes by = {now->slower, now->inverse, now->max_change};
  const int first = self->plan->cones[k].column;
  lane moved[3], last[3], inverse[2];
  for (int i = 0; i < 3; ++i) {
    moved[i] = now->fresh ? lane_of(0.0) : crowd_of(self, SINEW_CROWD_MOVED)[first + i];
    last[i] = history_load(self, self->plan->history.last + first + i);
  }
  for (int i = 0; i < 2; ++i) {
    inverse[i] = lane_of(self->plan->inverse_scale[first + i]);
  }
  cone_brake(crowd_cone_step(self, k), &by, moved, last, inverse,
             crowd_of(self, SINEW_CROWD_LOWER) + first, crowd_of(self, SINEW_CROWD_UPPER) + first);
}

LANE void bound_cones(const crowd *self, const crowd_track *now) {
  crowd_cones_bound(self);
  for (int k = 0; k < self->plan->cone_count; ++k) {
    brake_cone(self, now, k);
  }
}

// The last part's motion, less what this one has moved; fresh: nothing yet.
LANE lane last_motion(const crowd *self, bool fresh, int column) {
  const lane last = history_load(self, self->plan->history.last + column);
  return fresh ? last : last - crowd_of(self, SINEW_CROWD_MOVED)[column];
}

// The value of a column within the bounds but those of cones, of whose axes it is none.
LANE lane within_bounds(const crowd *self, int column, lane x) {
  if (self->plan->cone_of_column[column] >= 0) {
    return x;
  }
  const lane gain = lane_of(self->plan->lanes.gain[column]);
  return lane_min(lane_max(x, gain * crowd_of(self, SINEW_CROWD_LOWER)[column]),
                  gain * crowd_of(self, SINEW_CROWD_UPPER)[column]);
}

// The change of a column that is limited to a share; last: last_motion().
LANE lane limited_step(const crowd *self, int column, lane share, lane last, bool bounded) {
  const lane x = tracking_limited(share, crowd_of(self, SINEW_CROWD_X)[column], last);
  return bounded ? within_bounds(self, column, x) : x;
}

// A smaller share for the figures whose bounds make the change too long; returns whether there are
// any.
LANE bool shrink_share(const crowd *self, const crowd_track *now, bool fresh, lane *share) {
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane square = lane_of(0.0), clamped = square;
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane last = last_motion(self, fresh, column);
    const lane limited = tracking_limited(*share, x[column], last);
    const lane inside = limited_step(self, column, *share, last, true);
    const lane change = inside - last;
    const lane_mask moved = mask_or(lane_less(limited, inside), lane_less(inside, limited));
    square = square + change * change;
    clamped = clamped + lane_keep(moved, change * change);
  }
  const lane_mask longer =
      mask_and(lane_less(*share, lane_of(1.0)), tracking_exceeds(now->max_change, square));
  const lane less = tracking_smaller_share(*share, now->max_change, square, clamped);
  *share = lane_select(longer, less, *share);
  return mask_bits(mask_and(self->moving, longer)) != 0;
}

// a
LANE lane share_of_change(const crowd *self, const crowd_track *now, bool fresh, bool bounded) {
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane sum = lane_of(0.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane change = x[column] - last_motion(self, fresh, column);
    sum = lane_fma(change, change, sum);
  }
  lane share = tracking_change_share(now->max_change, sum);
  const lane_mask far = mask_and(self->moving, lane_less(share, lane_of(1.0)));
  for (int round = 0; bounded && mask_bits(far) != 0 && round < TRACKING_CHANGE_ROUNDS; ++round) {
    if (!shrink_share(self, now, fresh, &share)) {
      break;
    }
  }
  return share;
}

// While a jump is spread, shortens the part's motion, within the bounds. Returns the share of it.
LANE lane spread_jump(const crowd *self, const crowd_track *now, bool fresh, bool bounded) {
  const lane *all_moved = crowd_of(self, SINEW_CROWD_MOVED), one = lane_of(1.0);
  const lane zero = lane_of(0.0);
  lane *x = crowd_of(self, SINEW_CROWD_X), sum = zero;
  const lane_mask spreads = mask_and(self->moving, lane_less(zero, now->spread));
  if (mask_bits(spreads) == 0) {
    return one;
  }
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane way = fresh ? x[column] : all_moved[column] + x[column];
    sum = lane_fma(way, way, sum);
  }
  const lane share = lane_select(spreads, tracking_spread_share(now->max_change, sum), one);
  const lane_mask far = lane_less(share, one);
  for (int column = 0; mask_bits(far) != 0 && column < self->plan->lanes.active_count; ++column) {
    const lane moved = fresh ? zero : all_moved[column];
    x[column] = lane_select(far, limited_step(self, column, share, -moved, bounded), x[column]);
  }
  return share;
}

// Of figures that come to rest, a share of the last motion goes on: carry_motion() in
// solve/track.c.
LANE void carry_motion(const crowd *self, const crowd_track *now) {
  const lane_mask settles = mask_and(self->moving, now->settles);
  lane *x = crowd_of(self, SINEW_CROWD_X), xx = lane_of(0.0), ll = xx, xl = xx;
  if (mask_bits(settles) == 0) {
    return;
  }
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane last = last_motion(self, true, column);
    xx = lane_fma(x[column], x[column], xx);
    ll = lane_fma(last, last, ll);
    xl = lane_fma(x[column], last, xl);
  }
  const lane share = lane_keep(settles, tracking_carried(xx, ll, xl, now->caution));
  const lane_mask some = lane_less(lane_of(0.0), share);
  for (int column = 0; mask_bits(some) != 0 && column < self->plan->lanes.active_count; ++column) {
    const lane carried = lane_fma(share, last_motion(self, true, column), x[column]);
    x[column] = lane_select(some, within_bounds(self, column, carried), x[column]);
  }
}

LANE void clamp_cones(const crowd *self, const crowd_track *now, bool fresh) {
  for (int k = 0; k < self->plan->cone_count; ++k) {
    lane last[3];
    for (int i = 0; i < 3; ++i) {
      last[i] = last_motion(self, fresh, self->plan->cones[k].column + i);
    }
    crowd_cone_clamp(self, k, last, fresh, now->max_change);
  }
}

// Limits the change from the last part's motion, within the bounds; adds the step to the part's
// motion.
LANE void limit_change(const crowd *self, crowd_track *now, bool fresh, bool bounded) {
  lane *x = crowd_of(self, SINEW_CROWD_X), *moved = crowd_of(self, SINEW_CROWD_MOVED);
  const lane spread = spread_jump(self, now, fresh, bounded);
  const lane share = share_of_change(self, now, fresh, bounded);
  now->spread = lane_select(self->moving, tracking_spread(now->spread, now->rest, spread, share),
                            now->spread);
  const lane_mask far = lane_less(share, lane_of(1.0));
  const bool some = mask_bits(mask_and(self->moving, far)) != 0;
  const lane_mask held = mask_or(far, lane_less(spread, lane_of(1.0)));
  now->held_back =
      mask_or(mask_and(self->moving, held), mask_and(mask_not(self->moving), now->held_back));
  for (int column = 0; some && column < self->plan->lanes.active_count; ++column) {
    const lane last = last_motion(self, fresh, column);
    const lane limited = limited_step(self, column, share, last, bounded);
    x[column] = lane_select(far, limited, x[column]);
  }
  if (bounded) {
    clamp_cones(self, now, fresh);
  }
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane sum = fresh ? x[column] : moved[column] + x[column];
    moved[column] = fresh ? sum : lane_select(self->moving, sum, moved[column]);
  }
}

#endif
