// A crowd's update by the default method: solve/track.c in lanes. The formulas are those of
// policy/tracking.h.
//
//   while some figure has more than one part left
//     a step of those that have, towards targets in between
//   a step of all towards their targets; further steps of those for which they are of use
//
// Figures with fewer parts begin later, so that the last parts of all coincide: their first step
// has curvature, and most others have not.
#ifndef SINEW_KERNEL_CROWD_TRACK_H
#define SINEW_KERNEL_CROWD_TRACK_H

#include "kernel/crowd_dls.h"
#include "kernel/crowd_expect.h"
#include "kernel/crowd_newton.h"
#include "kernel/crowd_targets.h"
#include "policy/gradient.h"
#include "policy/rules.h"
#include "policy/stall.h"

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
} crowd_track;

// ------------------------------------------------------------ bounds of a step

// The longest motion in the direction of a limit; distance: to the limit, last: of the last part.
LANE lane crowd_brake(const crowd_track *now, lane distance, lane last) {
  const lane far = lane_of(INFINITY);
  const lane_mask near = tracking_may_brake(distance, last, now->max_change, now->inverse);
  return mask_bits(near) != 0 ? lane_select(near, tracking_brake(distance, now->slower), far) : far;
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
  const lane_cone_step *step = crowd_cone_step(self, k);
  const lane zero = lane_of(0.0), far = lane_of(INFINITY), limit[2] = {step->most, step->up};
  const int first = self->plan->cones[k].column;
  lane w[3], last[3];
  for (int i = 0; i < 3; ++i) {
    w[i] = now->fresh ? zero : crowd_of(self, SINEW_CROWD_MOVED)[first + i];
    last[i] = history_load(self, self->plan->history.last + first + i);
  }
  for (int i = 0; i < 2; ++i) {
    lane *lower = crowd_of(self, SINEW_CROWD_LOWER) + first + i;
    lane *upper = crowd_of(self, SINEW_CROWD_UPPER) + first + i;
    const lane inverse = lane_of(self->plan->inverse_scale[first + i]);
    const lane moved = dot3(step->row[i], w), before = dot3(step->row[i], last);
    const lane_mask ahead = mask_and(lane_less_equal(zero, limit[i]), lane_less(limit[i], far));
    const lane most = (crowd_brake(now, limit[i] + moved, before) - moved) * inverse;
    const lane high = lane_max(*lower, lane_min(*upper, lane_max(most, zero)));
    *upper = lane_select(ahead, high, *upper);
    if (i == 1) {
      const lane_mask behind =
          mask_and(lane_less_equal(step->down, zero), lane_less(-far, step->down));
      const lane least = (crowd_brake(now, moved - step->down, -before) + moved) * inverse;
      const lane low = lane_min(*upper, lane_max(*lower, -lane_max(least, zero)));
      *lower = lane_select(behind, low, *lower);
    }
  }
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

// The change of a column that is limited to a share, within the bounds but those of cones, of whose
// axes it is none; last: last_motion().
LANE lane limited_step(const crowd *self, int column, lane share, lane last, bool bounded) {
  const lane x = tracking_limited(share, crowd_of(self, SINEW_CROWD_X)[column], last);
  if (!bounded || self->plan->cone_of_column[column] >= 0) {
    return x;
  }
  const lane gain = lane_of(self->plan->lanes.gain[column]);
  return lane_min(lane_max(x, gain * crowd_of(self, SINEW_CROWD_LOWER)[column]),
                  gain * crowd_of(self, SINEW_CROWD_UPPER)[column]);
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

LANE void clamp_cones(const crowd *self, const crowd_track *now, bool fresh) {
  for (int k = 0; k < self->plan->cone_count; ++k) {
    lane last[3];
    for (int i = 0; i < 3; ++i) {
      last[i] = last_motion(self, fresh, self->plan->cones[k].column + i);
    }
    crowd_cone_clamp(self, k, last, now->max_change);
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

// ------------------------------------------------------------------------ step

LANE lane free_gradient_square(const crowd *self, bool bounded) {
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane sum = lane_of(0.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane value = bounded ? gradient_free(g[column], lower[column], upper[column]) : g[column];
    sum = lane_fma(value, value, sum);
  }
  return sum;
}

// Records for which figures the update begins at a stationary point: solve/stationary.c.
LANE void crowd_note_stationary(const crowd *self, lane_mask where, bool bounded) {
  const lane *J = crowd_of(self, SINEW_CROWD_J);
  lane square = lane_of(0.0);
  for (int i = 0; i < self->plan->lanes.value_count; ++i) {
    square = lane_fma(J[i], J[i], square);
  }
  const lane cosine = stall_cosine(self->E, free_gradient_square(self, bounded), square);
  const lane_mask stationary = lane_less(cosine, lane_of(STALL_UPDATE_STATIONARY));
  lane_store(self->block->stationary, lane_keep(mask_and(where, stationary), lane_of(1.0)));
}

LANE lane_mask rests(const crowd *self, const crowd_track *now) {
  return mask_and(self->moving, mask_not(tracking_moves(now->rest)));
}

// The damping for the error, the gradient and the number of updates with targets at rest.
LANE lane find_damping(const crowd *self, crowd_track *now, bool bounded) {
  lane gradient = lane_of(0.0);
  if (mask_bits(rests(self, now)) != 0) {
    gradient = free_gradient_square(self, bounded);
    gradient = lane_sqrt(bounded ? crowd_cones_free_gradient(self, gradient) : gradient);
  }
  const lane next = tracking_gradient(now->rest, gradient, now->gradient);
  now->gradient = lane_select(self->moving, next, now->gradient);
  return tracking_damping(lane_of(self->plan->rules.damping_scale) * now->rate,
                          self->plan->lanes.active_count, self->E, now->rest, now->gradient);
}

// Keeps the steps of some figures.
LANE void keep_found(const crowd *self, lane_mask where) {
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane *kept = crowd_of(self, SINEW_CROWD_KEPT);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    kept[column] = lane_select(where, x[column], kept[column]);
  }
}

// A Newton step for mu, or for more damping if the step would be too large. Steps that are too
// large with any damping are scaled. Figures are kept once their step is found: those that are
// solved again for the sake of others may get another one.
LANE void find_newton(const crowd *self, lane mu, bool bounded) {
  const lane most = lane_of(self->plan->rules.max_turn);
  lane_mask left = self->moving;
  for (int attempt = 0; attempt < 40; ++attempt) {
    lane needed = mu;
    crowd_newton(self, &needed, TRACKING_NEGATIVE_CURVATURE_STEP, bounded);
    to_body_frames(self);
    const lane_mask far = mask_and(left, lane_less(most, crowd_largest(self)));
    keep_found(self, mask_and(left, mask_not(far)));
    left = far;
    if (mask_bits(left) == 0) {
      return;
    }
    mu = lane_select(left, damping_increase(needed), mu);
  }
  crowd_clamp_turns(self);
  keep_found(self, left);
}

// Predictor, curvature at its residual, step. Returns r.
LANE lane find_step(const crowd *self, lane mu, bool bounded) {
  crowd_predict_residual(self, lane_of(TRACKING_PREDICTOR_DAMPING_FACTOR) * mu, bounded);
  const crowd_prediction predicted = crowd_expect(self);
  find_newton(self, tracking_step_damping(mu, predicted.ratio, predicted.first_order), bounded);
  return predicted.ratio;
}

// A step without curvature, for targets in reach. Returns r.
LANE lane find_step_in_reach(const crowd *self, lane mu, bool bounded) {
  const lane ratio = crowd_dls_ratio(self, lane_of(TRACKING_MIN_DAMPING_SHARE) * mu, bounded);
  to_body_frames(self);
  crowd_clamp_turns(self);
  keep_found(self, self->moving);
  return ratio;
}

LANE void fill_gradient(const crowd *self) {
  crowd_gradient(self, crowd_of(self, SINEW_CROWD_J), crowd_of(self, SINEW_CROWD_E),
                 crowd_of(self, SINEW_CROWD_GRADIENT));
}

// The step with curvature of some figures; the others keep theirs.
LANE void replace_step(crowd *self, crowd_track *now, lane mu, lane_mask full, bool bounded) {
  const lane_mask moving = self->moving;
  self->moving = full;
  now->predicted = lane_select(full, find_step(self, mu, bounded), now->predicted);
  self->moving = moving;
  memcpy(crowd_of(self, SINEW_CROWD_X), crowd_of(self, SINEW_CROWD_KEPT),
         (size_t)self->plan->lanes.active_count * sizeof(lane));
}

// x; first: whether it is the first of the last part.
LANE void choose_step(crowd *self, crowd_track *now, bool first, bool bounded) {
  const lane_mask moving = self->moving;
  const lane_mask near =
      first ? mask_of_bits(0) : mask_and(moving, tracking_is_in_reach(now->predicted));
  lane_mask full = mask_and(moving, mask_not(near));
  const bool has_gradient = bounded || mask_bits(full) != 0 || mask_bits(rests(self, now)) != 0;
  if (has_gradient) {
    fill_gradient(self);
  }
  if (first && self->block->stationary != NULL) {
    const lane_mask whole = lane_less_equal(now->parts, lane_of(1.0));
    crowd_note_stationary(self, whole, bounded);
  }
  lane mu = find_damping(self, now, bounded);
  if (bounded && self->plan->cone_count > 0) {
    mu = mu * now->caution;
    crowd_cones_damp(self, mu);
  }
  if (mask_bits(near) != 0) {
    self->moving = near;
    const lane ratio = find_step_in_reach(self, mu, bounded);
    self->moving = moving;
    now->predicted = lane_select(near, ratio, now->predicted);
    full = mask_or(full, mask_and(near, lane_less(lane_of(TRACKING_PREDICTED), ratio)));
  }
  if (mask_bits(full) != 0) {
    if (!has_gradient) {
      fill_gradient(self);
    }
    replace_step(self, now, mu, full, bounded);
  }
}

// One step of the figures that move, from poses and residual.
LANE void crowd_step(crowd *self, crowd_track *now, bool first, bool bounded) {
  crowd_scale_errors(self);
  if (bounded) {
    begin_cones(self, now);
  }
  crowd_columns(self);
  if (bounded) {
    crowd_limits(self);
    narrow_bounds(self, now);
    bound_cones(self, now);
  }
  choose_step(self, now, first, bounded);
  if (now->fresh) {
    limit_change(self, now, true, bounded);
  } else {
    limit_change(self, now, false, bounded);
  }
  now->fresh = false;
  crowd_apply(self, bounded);
}

#ifdef SINEW_SMALL

static void take_step(crowd *self, crowd_track *now, bool first) {
  crowd_step(self, now, first, self->plan->rules.bounded);
}

#else

static void step_open(crowd *self, crowd_track *now, bool first) {
  crowd_step(self, now, first, false);
}

static void step_bounded(crowd *self, crowd_track *now, bool first) {
  crowd_step(self, now, first, true);
}

static void take_step(crowd *self, crowd_track *now, bool first) {
  (self->plan->rules.bounded ? step_bounded : step_open)(self, now, first);
}

#endif

// ----------------------------------------------------------------------- parts

// The error gain of a part.
LANE lane part_gain(const sinew_crowd_plan *plan, lane parts) {
  double values[SINEW_LANES];
  if (plan->rules.error_gain == 1.0) {
    return lane_of(1.0);
  }
  lane_store(values, parts);
  for (int l = 0; l < SINEW_LANES; ++l) {
    values[l] = plan->part_gain[(int)values[l]];
  }
  return lane_load(values);
}

// Updates what the history knows of the targets' motion; returns the number of parts.
LANE lane watch_targets(const crowd *self, crowd_track *now) {
  const sinew_crowd_history *history = &self->plan->history;
  const lane last = history_load(self, history->updates_at_rest);
  const lane recent = history_load(self, history->recent);
  const lane_mask known = lane_less_equal(lane_of(0.0), last);
  const lane zero = lane_of(0.0), none = lane_of(-1.0);
  const lane motion = crowd_motion(self, known);
  const lane mean = tracking_mean_motion(motion, history_load(self, history->motion));
  now->jump = tracking_is_jump(motion, recent);
  const lane followed = lane_select(now->jump, zero, mean);
  now->rest = tracking_rest(mask_or(mask_not(known), lane_less(zero, motion)), last);
  history_store(self, history->updates_at_rest, now->rest);
  history_store(self, history->recent, lane_select(known, tracking_recent(motion, recent), recent));
  history_store(self, history->motion,
                lane_select(mask_and(known, mask_not(now->jump)), motion, none));
  now->spread =
      lane_select(now->jump, lane_of(TRACKING_SPREAD_PARTS), history_load(self, history->spread));
  return lane_select(known, tracking_parts(followed, self->plan->least_parts), lane_of(1.0));
}

// sinew_solver's place_of(): a sum by which a configuration is told from the last one.
LANE lane place_of(const crowd *self) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  lane sum = lane_of(0.0);
  for (int column = 0; column < lanes->active_count; ++column) {
    const int at = lanes->q_of_column[column] + lanes->quaternion_axis[column] + 1;
    sum = lane_fma(lane_of(column + 1), lane_load(self->block->q + at * SINEW_LANES), sum);
  }
  return sum;
}

// The damping's factor while no target moves: watch_error() in solve/track.c.
LANE void watch_error(const crowd *self, crowd_track *now) {
  const sinew_crowd_history *history = &self->plan->history;
  const lane last = history_load(self, history->error), one = lane_of(1.0);
  const lane before = history_load(self, history->caution), place = place_of(self);
  const lane there = history_load(self, history->place);
  const lane_mask same = mask_and(lane_less_equal(place, there), lane_less_equal(there, place));
  const lane_mask rests = mask_and(lane_less(lane_of(0.0), now->rest), same);
  const lane_mask raised = lane_less(last * lane_of(1.0 + 1e-9), self->E);
  const lane more = lane_min(lane_of(4.0) * before, lane_of(1e6));
  const lane less = lane_max(lane_of(0.5) * before, one);
  const lane next = lane_select(lane_less(self->E, last), less, before);
  now->caution = lane_select(rests, lane_select(raised, more, next), one);
  history_store(self, history->caution, now->caution);
  history_store(self, history->error, self->E);
}

LANE crowd_track begin_update(crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_rules *rules = &plan->rules;
  const int n = plan->lanes.active_count;
  crowd_track now;
  now.parts = watch_targets(self, &now);
  now.rate = plan->time_step > 0.0 ? tracking_rate(now.parts, plan->time_step) : lane_of(1.0);
  now.max_change = tracking_max_change(rules->max_change, n, now.rate);
  now.cut = lane_less(lane_of(0.5), history_load(self, self->plan->history.cut));
  now.max_change = lane_select(now.cut, lane_of(INFINITY), now.max_change);
  now.slower = now.max_change * lane_of(1.0 / sqrt(n > 0 ? n : 1));
  now.inverse = lane_of(1.0) / now.slower;
  now.gradient = history_load(self, self->plan->history.gradient);
  now.settles = mask_of_bits(0);
  now.caution = lane_of(1.0);
  if (plan->cone_count > 0) {
    watch_error(self, &now);
  }
  now.predicted = history_load(self, self->plan->history.predicted);
  self->error_gain = part_gain(plan, now.parts);
  return now;
}

// The sum of a part's steps becomes that of the last part.
LANE void keep_as_last(const crowd *self, const crowd_track *now) {
  const lane *moved = crowd_of(self, SINEW_CROWD_MOVED);
  double *all_last = self->block->history + self->plan->history.last * SINEW_LANES;
  const int n = self->plan->lanes.active_count;
  if (mask_bits(mask_or(now->cut, mask_not(self->moving))) == 0) {
    memcpy(all_last, moved, (size_t)n * sizeof *moved);
    return;
  }
  for (int column = 0; column < n; ++column) {
    const lane last = history_load(self, self->plan->history.last + column);
    const lane next = lane_select(now->cut, lane_of(0.0), moved[column]);
    history_store(self, self->plan->history.last + column, lane_select(self->moving, next, last));
  }
}

// All parts but the last.
LANE void follow_targets(crowd *self, crowd_track *now, int most) {
  for (int left = most - 1; left > 0; --left) {
    self->moving = lane_less(lane_of(left), now->parts);
    const lane_mask between = mask_and(self->moving, mask_not(now->jump));
    crowd_place_targets(self, between, (now->parts - lane_of(left)) * self->part);
    if (left < most - 1) {
      evaluate_poses(self);
    }
    crowd_residual(self);
    now->fresh = true;
    take_step(self, now, false);
    keep_as_last(self, now);
  }
  self->targets = self->block->targets;
  self->moving = mask_all();
}

// The figures that move on, of which some are in the first update after a reset; more: those that
// would without it.
static lane_mask cut_continues(const crowd *self, const crowd_track *now, int step, lane before,
                               lane_mask more) {
  const lane cut = history_load(self, self->plan->history.cut);
  const lane_mask registered =
      mask_and(lane_less(lane_of(1.5), cut), tracking_registered_continues(lane_of(step), self->E));
  const lane_mask after = mask_or(registered, tracking_cut_continues(before, self->E));
  return mask_and(self->moving,
                  mask_or(mask_and(now->cut, after), mask_and(mask_not(now->cut), more)));
}

// Excludes the figures for which another step is of no use; returns whether any is left. Evaluates
// the residual after the last one where that decides.
LANE bool continues(crowd *self, const crowd_track *now, int step) {
  const lane before = self->E, most = lane_select(now->cut, lane_of(TRACKING_MOST_PARTS),
                                                  lane_of(TRACKING_MOST_STEPS));
  const lane_mask asks = mask_and(lane_less(lane_of(step), most),
                                  mask_or(now->cut, tracking_may_continue(now->predicted, before)));
  self->moving = mask_and(self->moving, asks);
  if (mask_bits(self->moving) == 0 || self->plan->rules.error_gain < 1.0) {
    return false;
  }
  evaluate_poses(self);
  crowd_residual(self);
  const lane_mask more = tracking_continues(now->predicted, before, self->E);
  self->moving = mask_bits(now->cut) == 0 ? mask_and(self->moving, more)
                                          : cut_continues(self, now, step, before, more);
  return mask_bits(self->moving) != 0;
}

// The update, from poses and residual at the targets.
LANE void crowd_follow(crowd *self) {
  int most = 1, step = 1;
  crowd_track now = begin_update(self);
  while (mask_bits(lane_less(lane_of(most), now.parts)) != 0) {
    ++most;
  }
  crowd_keep_rotations(self);
  if (most > 1) {
    self->part = lane_of(1.0) / now.parts;
    follow_targets(self, &now, most);
    evaluate_poses(self);
    crowd_residual(self);
  }
  now.fresh = true;
  if (self->plan->cone_count > 0) {
    now.settles = lane_less(lane_of(TRACKING_CONES_SETTLE), now.rest);
  }
  do {
    take_step(self, &now, step == 1);
  } while (continues(self, &now, step++));
  self->moving = mask_all();
  keep_as_last(self, &now);
  crowd_keep_speeds(self);
  history_store(self, self->plan->history.gradient, now.gradient);
  history_store(self, self->plan->history.predicted, now.predicted);
  history_store(self, self->plan->history.spread, now.spread);
  history_store(self, self->plan->history.cut, lane_of(0.0));
  if (self->plan->cone_count > 0) {
    history_store(self, self->plan->history.place, place_of(self));
  }
  crowd_record_targets(self);
}

#endif
