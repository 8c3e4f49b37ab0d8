// The active set of step/box.c for many figures at once, by the same two methods: block pivoting,
// and the primal method, here always from the projected x.
//
// A round solves for x with the bounds of the working set active, then updates that set from the
// unconstrained values and multipliers. Figures change their method one by one. One that needs no
// more rounds gets the same x in each, while others continue: its set, its damping, and so all that
// a round computes, remain the same.
#ifndef SINEW_KERNEL_CROWD_BOX_H
#define SINEW_KERNEL_CROWD_BOX_H

#include "kernel/crowd_rows.h"
#include "step/box.h"

#define CROWD_ROUNDS 6
#define CROWD_MOST_ROUNDS(n) (20 + 5 * (n))
#define CROWD_SETS 8

typedef struct box_progress {
  int rounds;            // so far
  lane_mask steady;      // the damping is not below the largest so far
  lane_mask primal;      // by the primal method; these are steady, too
  lane count;            // of the working sets that the method has had
  lane sets[CROWD_SETS]; // numbers of the last of them
} box_progress;

LANE void box_begin(box_progress *progress) {
  const lane_mask none = mask_of_bits(0);
  *progress = (box_progress){.steady = none, .primal = none, .count = lane_of(0.0)};
}

LANE lane_mask bound_is_inactive(lane held) {
  return lane_less(lane_abs(held), lane_of(0.5));
}

// Bounds of x, from the limits of values and speeds: solve/update.c.
LANE void crowd_limits(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  lane *lower = crowd_of(self, SINEW_CROWD_LOWER), *upper = crowd_of(self, SINEW_CROWD_UPPER);
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    const lane share = lane_of(plan->inverse_scale[column]);
    const lane reach = lane_of(plan->reach[column]) * self->part;
    lane low = lane_of(-INFINITY), high = lane_of(INFINITY);
    if (plan->lanes.quaternion_axis[column] < 0) {
      const lane q = lane_load(self->block->q + plan->lanes.q_of_column[column] * SINEW_LANES);
      low = lane_of(plan->lower[column]) - q;
      high = lane_of(plan->upper[column]) - q;
    }
    lower[column] = share * lane_min(reach, lane_max(low, -reach));
    upper[column] = share * lane_max(-reach, lane_min(high, reach));
  }
}

// From the solution x = G^-1 dq to the step: x <- G x, G the gains.
LANE void crowd_apply_gains(const crowd *self) {
  lane *x = crowd_of(self, SINEW_CROWD_X);
  for (int column = 0; !self->plan->even && column < self->plan->lanes.active_count; ++column) {
    x[column] = lane_of(self->plan->lanes.gain[column]) * x[column];
  }
}

// The initial working set: bounds that are reached and beyond which the gradient points.
LANE void box_initial_set(const crowd *self) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *x = crowd_of(self, SINEW_CROWD_X);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane_mask low =
        mask_or(lane_less(zero, lower[column]),
                mask_and(lane_less_equal(zero, lower[column]), lane_less_equal(g[column], zero)));
    const lane_mask high =
        mask_or(lane_less(upper[column], zero),
                mask_and(lane_less_equal(upper[column], zero), lane_less_equal(zero, g[column])));
    held[column] = lane_select(low, -one, lane_select(high, one, zero));
    x[column] = lane_select(low, lower[column], lane_select(high, upper[column], zero));
  }
}

// The last working set as the initial one, less infinite bounds.
LANE void box_take_set(const crowd *self) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), half = lane_of(0.5);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *x = crowd_of(self, SINEW_CROWD_X);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane_mask at_lower =
        mask_and(lane_less(held[column], -half), lane_less(lane_of(-INFINITY), lower[column]));
    const lane_mask at_upper =
        mask_and(lane_less(half, held[column]), lane_less(upper[column], lane_of(INFINITY)));
    const lane_mask equal = lane_less_equal(upper[column], lower[column]);
    const lane_mask low = mask_or(at_lower, equal);
    held[column] = lane_select(low, -one, lane_select(at_upper, one, zero));
    x[column] = lane_select(low, lower[column], lane_select(at_upper, upper[column], zero));
  }
}

// A step of the default method begins with the bounds that were active in the last one.
LANE int box_last_set(const crowd *self) {
  return self->plan->history.active + (self->further ? self->plan->lanes.active_count : 0);
}

LANE void box_recall_set(const crowd *self) {
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    crowd_of(self, SINEW_CROWD_ACTIVE)[column] = history_load(self, box_last_set(self) + column);
  }
  box_take_set(self);
}

// The same for some figures; the others keep theirs.
LANE void box_recall_some(const crowd *self, lane_mask where) {
  const size_t bytes = (size_t)self->plan->lanes.active_count * sizeof(lane);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  lane *others = crowd_of(self, SINEW_CROWD_UNCONSTRAINED); // until the next solution
  memcpy(others, held, bytes);
  box_recall_set(self);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    held[column] = lane_select(where, held[column], others[column]);
  }
}

LANE void box_keep_set(const crowd *self, lane_mask where) {
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const int at = box_last_set(self) + column;
    const lane held = crowd_of(self, SINEW_CROWD_ACTIVE)[column];
    history_store(self, at, lane_select(where, held, history_load(self, at)));
  }
}

LANE bool box_any_held(const crowd *self) {
  const lane *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  lane most = lane_of(0.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    most = lane_max(most, lane_abs(held[column]));
  }
  return mask_bits(lane_less(lane_of(0.5), most)) != 0;
}

// The active bound of a value, from its unconstrained value or multiplier: step/box.c.
LANE lane box_state(lane held, lane unconstrained, lane lower, lane upper) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane side = lane_select(lane_less(upper, unconstrained), one,
                                lane_select(lane_less(unconstrained, lower), -one, zero));
  const lane_mask same = lane_less(lane_abs(side - held), lane_of(0.5));
  return lane_select(mask_or(bound_is_inactive(held), same), side, zero);
}

// Updates the working set of some figures; returns those where it has changed.
LANE lane_mask box_update_set(const crowd *self, lane_mask where) {
  const lane zero = lane_of(0.0), half = lane_of(0.5);
  const lane *unconstrained = crowd_of(self, SINEW_CROWD_UNCONSTRAINED);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *x = crowd_of(self, SINEW_CROWD_X);
  lane most = zero;
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane next = box_state(held[column], unconstrained[column], lower[column], upper[column]);
    // A value with equal bounds stays at them.
    const lane_mask may = mask_and(where, lane_less(lower[column], upper[column]));
    const lane state = lane_select(may, next, held[column]);
    const lane change = lane_abs(state - held[column]);
    const lane_mask changed = lane_less(half, change);
    const lane bound = lane_select(lane_less(zero, state), upper[column], lower[column]);
    x[column] =
        lane_select(mask_and(changed, mask_not(bound_is_inactive(state))), bound, x[column]);
    held[column] = state;
    most = lane_max(most, change);
  }
  return lane_less(half, most);
}

// Projects x onto the box; bounds that are reached become active.
LANE void box_project(const crowd *self, lane_mask where) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *x = crowd_of(self, SINEW_CROWD_X);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane inside = lane_min(lane_max(x[column], lower[column]), upper[column]);
    const lane state = lane_select(lane_less_equal(inside, lower[column]), -one,
                                   lane_select(lane_less_equal(upper[column], inside), one, zero));
    x[column] = lane_select(where, inside, x[column]);
    held[column] = lane_select(where, state, held[column]);
  }
}

// Stops at the first bound on the line from the last feasible x, and makes it active; returns the
// figures where there is one.
LANE lane_mask box_stop(const crowd *self, lane_mask where) {
  const lane zero = lane_of(0.0), one = lane_of(1.0), half = lane_of(0.5);
  const lane *from = crowd_of(self, SINEW_CROWD_FROM);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *x = crowd_of(self, SINEW_CROWD_X);
  lane share = one, first = -one, side = zero;
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane_mask above = lane_less(upper[column], x[column]),
                    below = lane_less(x[column], lower[column]);
    const lane_mask meets =
        mask_and(mask_and(where, bound_is_inactive(held[column])), mask_or(above, below));
    const lane way = lane_select(meets, x[column] - from[column], one);
    const lane part = (lane_select(above, upper[column], lower[column]) - from[column]) / way;
    const lane_mask nearer =
        mask_and(meets, mask_or(lane_less(part, share), lane_less(first, -half)));
    first = lane_select(nearer, lane_of(column), first);
    side = lane_select(nearer, lane_select(above, one, -one), side);
    share = lane_select(nearer, lane_min(part, share), share);
  }
  const lane_mask stops = lane_less(-half, first);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane_mask here = lane_less(lane_abs(first - lane_of(column)), half);
    const lane bound = lane_select(lane_less(zero, side), upper[column], lower[column]);
    lane on_way = lane_fma(share, x[column] - from[column], from[column]);
    on_way = lane_min(lane_max(on_way, lower[column]), upper[column]);
    x[column] = lane_select(mask_and(stops, bound_is_inactive(held[column])), on_way, x[column]);
    x[column] = lane_select(here, bound, x[column]);
    held[column] = lane_select(here, side, held[column]);
  }
  return stops;
}

// Releases the bound with the largest multiplier; returns the figures where there is one.
LANE lane_mask box_release(const crowd *self, lane_mask where) {
  const lane zero = lane_of(0.0), half = lane_of(0.5);
  const lane *unconstrained = crowd_of(self, SINEW_CROWD_UNCONSTRAINED),
             *x = crowd_of(self, SINEW_CROWD_X);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  lane most = zero, strongest = lane_of(-1.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane multiplier = lane_abs(unconstrained[column] - x[column]);
    const lane_mask wants =
        mask_and(mask_not(bound_is_inactive(held[column])),
                 bound_is_inactive(
                     box_state(held[column], unconstrained[column], lower[column], upper[column])));
    const lane_mask can =
        mask_and(lane_less(lower[column], upper[column]), lane_less(most, multiplier));
    const lane_mask better = mask_and(where, mask_and(wants, can));
    most = lane_select(better, multiplier, most);
    strongest = lane_select(better, lane_of(column), strongest);
  }
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane_mask here = lane_less(lane_abs(strongest - lane_of(column)), half);
    held[column] = lane_select(here, zero, held[column]);
  }
  return lane_less(-half, strongest);
}

// Keeps the last feasible x of the primal method.
LANE void box_start(const crowd *self) {
  memcpy(crowd_of(self, SINEW_CROWD_FROM), crowd_of(self, SINEW_CROWD_X),
         (size_t)self->plan->lanes.active_count * sizeof(lane));
}

// The number of the working set (step/box.h).
LANE lane box_number(const crowd *self) {
  const lane *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  lane number = lane_of(0.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    number = lane_fma(held[column], lane_of((double)sinew_box_weight(column)), number);
  }
  return number;
}

// Keeps the working set of some figures; returns those where it is among the kept ones.
LANE lane_mask box_has_occurred(const crowd *self, box_progress *progress, lane_mask where) {
  const lane number = box_number(self), half = lane_of(0.5);
  lane_mask found = mask_of_bits(0);
  for (int i = 0; i < CROWD_SETS; ++i) {
    const lane_mask kept = lane_less(lane_of(i), progress->count);
    const lane_mask same = lane_less(lane_abs(progress->sets[i] - number), half);
    found = mask_or(found, mask_and(kept, same));
  }
  for (int i = CROWD_SETS; i-- > 1;) {
    progress->sets[i] = lane_select(where, progress->sets[i - 1], progress->sets[i]);
  }
  progress->sets[0] = lane_select(where, number, progress->sets[0]);
  progress->count = lane_select(where, progress->count + lane_of(1.0), progress->count);
  return mask_and(where, found);
}

// For figures whose working set has changed by block pivoting: a steady H and a new count of rounds
// where the damping was raised for the first time, the primal method where the set has occurred
// before and after CROWD_ROUNDS rounds. Others are left as they are, so that their x remains.
LANE void box_change_method(const crowd *self, box_progress *progress, lane_mask changed,
                            lane_mask raised) {
  const lane_mask first = mask_and(mask_and(changed, raised), mask_not(progress->steady));
  progress->steady = mask_or(progress->steady, first);
  progress->count = lane_select(first, lane_of(0.0), progress->count);
  const lane_mask again = box_has_occurred(self, progress, changed);
  const lane_mask last = lane_less(lane_of(CROWD_ROUNDS - 0.5), progress->count);
  const lane_mask next = mask_and(changed, mask_or(again, last));
  if (mask_bits(next) == 0) {
    return;
  }
  progress->count = lane_select(next, lane_of(0.0), progress->count);
  progress->steady = mask_or(progress->steady, next);
  progress->primal = mask_or(progress->primal, next);
  box_project(self, next);
}

// A round of the primal method; returns the figures that need another.
LANE lane_mask box_primal_round(const crowd *self, box_progress *progress, lane_mask where,
                                lane_mask raised) {
  progress->count = lane_select(mask_and(where, raised), lane_of(0.0), progress->count);
  const lane_mask stopped = box_stop(self, where);
  const lane_mask solved = mask_and(where, mask_not(stopped));
  const lane_mask again = box_has_occurred(self, progress, solved);
  return mask_or(stopped, box_release(self, mask_and(solved, mask_not(again))));
}

// After a solve: whether another is needed. raised: where that solve has raised the damping.
LANE bool box_continues(const crowd *self, box_progress *progress, lane_mask raised) {
  const lane_mask primal = progress->primal;
  lane_mask more = mask_and(self->moving, box_update_set(self, mask_not(primal)));
  ++progress->rounds;
  if (mask_bits(more) != 0) {
    box_change_method(self, progress, more, raised);
  }
  if (mask_bits(primal) != 0) {
    more = mask_or(more, box_primal_round(self, progress, primal, raised));
  }
  if (mask_bits(progress->primal) != 0) {
    box_start(self);
  }
  return mask_bits(more) != 0 &&
         progress->rounds < CROWD_MOST_ROUNDS(self->plan->lanes.active_count);
}

#endif
