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

#include "kernel/crowd_bounds.h"
#include "kernel/crowd_dls.h"
#include "kernel/crowd_expect.h"
#include "kernel/crowd_newton.h"
#include "kernel/crowd_posture.h"
#include "kernel/crowd_predicted.h"
#include "kernel/crowd_targets.h"
#include "policy/gradient.h"
#include "policy/rules.h"
#include "policy/stall.h"

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

// Keeps the steps of some figures, and their active bounds.
LANE void keep_found(const crowd *self, lane_mask where, bool bounded) {
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane *kept = crowd_of(self, SINEW_CROWD_KEPT);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    kept[column] = lane_select(where, x[column], kept[column]);
  }
  if (bounded) {
    box_keep_set(self, where);
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
    keep_found(self, mask_and(left, mask_not(far)), bounded);
    left = far;
    if (mask_bits(left) == 0) {
      return;
    }
    mu = lane_select(left, damping_increase(needed), mu);
  }
  crowd_clamp_turns(self);
  keep_found(self, left, bounded);
}

// Predictor or the last one's prediction, curvature at its residual, step. Returns r.
LANE lane find_step(crowd *self, const crowd_track *now, lane mu, bool bounded) {
  crowd_predict(self, now, lane_of(TRACKING_PREDICTOR_DAMPING_FACTOR) * mu, bounded);
  const crowd_prediction predicted = crowd_expect(self);
  find_newton(self, tracking_step_damping(mu, predicted.ratio, predicted.first_order), bounded);
  return predicted.ratio;
}

// A step without curvature, for targets in reach. Returns r.
LANE lane find_step_in_reach(const crowd *self, lane mu, bool bounded) {
  const lane ratio = crowd_dls_ratio(self, lane_of(TRACKING_MIN_DAMPING_SHARE) * mu, bounded);
  to_body_frames(self);
  crowd_clamp_turns(self);
  keep_found(self, self->moving, bounded);
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
  now->predicted = lane_select(full, find_step(self, now, mu, bounded), now->predicted);
  self->moving = moving;
  memcpy(crowd_of(self, SINEW_CROWD_X), crowd_of(self, SINEW_CROWD_KEPT),
         (size_t)self->plan->lanes.active_count * sizeof(lane));
}

// x; first: whether it is the first of the last part.
LANE void choose_step(crowd *self, crowd_track *now, bool first, bool bounded) {
  const lane_mask moving = self->moving;
  const bool cones = self->plan->cone_count > 0;
  self->further = !now->fresh;
  const lane_mask near = mask_and(moving, tracking_is_in_reach(now->predicted, first, cones));
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
  self->curvature_share = lane_of(0.0);
  if (bounded && cones) {
    mu = mu * now->caution;
    self->curvature_share = crowd_cones_damp(self, mu);
  }
  if (crowd_has_twists(self)) {
    crowd_fill_twists(self);
  }
  if (mask_bits(near) != 0) {
    self->moving = near;
    const lane ratio = find_step_in_reach(self, mu, bounded);
    self->moving = moving;
    now->predicted = lane_select(near, ratio, now->predicted);
    full = mask_or(full, mask_and(near, tracking_leaves_reach(ratio, first)));
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
  if (bounded) {
    crowd_cones_note(self);
  }
  if (bounded && first) {
    carry_motion(self, now);
  }
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
  now->caution = lane_select(rests, tracking_caution(before, last, self->E), one);
  history_store(self, history->caution, now->caution);
  history_store(self, history->error, self->E);
}

// The last motion becomes that of a part of this update: scale_last() in solve/track.c.
LANE void scale_last(const crowd *self, lane parts, lane rest) {
  const sinew_crowd_history *history = &self->plan->history;
  const lane ratio = tracking_part_ratio(history_load(self, history->parts), parts, rest);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane last = history_load(self, history->last + column);
    history_store(self, history->last + column, ratio * last);
  }
  history_store(self, history->parts, parts);
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
  now.settles = now.held_back = mask_of_bits(0);
  now.caution = lane_of(1.0);
  if (plan->cone_count > 0) {
    scale_last(self, now.parts, now.rest);
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
  if (self->plan->posture.used) {
    crowd_posture(self, now.held_back, self->plan->rules.bounded);
  }
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
