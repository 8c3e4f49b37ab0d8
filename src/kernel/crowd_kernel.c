// The kernel of a crowd for one instruction set: see crowd.h. Damping and limits are from
// src/policy/, as in the scalar core.
#include "kernel/crowd.h"
#include "kernel/crowd_dls.h"
#include "kernel/crowd_expect.h"
#include "kernel/crowd_newton.h"
#include "kernel/dispatch.h"
#include "policy/gradient.h"
#include "policy/tracking.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// ------------------------------------------------------------------ history

LANE lane history_load(const crowd *self, int at) {
  return lane_load(self->block->history + at * SINEW_LANES);
}

LANE void history_store(const crowd *self, int at, lane value) {
  lane_store(self->block->history + at * SINEW_LANES, value);
}

// Records the targets; returns the number of updates for which none has moved.
LANE lane crowd_watch(const crowd *self, const sinew_crowd_history *history) {
  lane_mask moved = mask_of_bits(0);
  for (int i = 0; i < self->plan->target_size; ++i) {
    const lane now = lane_load(self->block->targets + i * SINEW_LANES);
    const lane was = history_load(self, history->shown + i);
    moved = mask_or(moved, mask_or(lane_less(now, was), lane_less(was, now)));
    history_store(self, history->shown + i, now);
  }
  const lane rest = tracking_rest(moved, history_load(self, history->updates_at_rest));
  history_store(self, history->updates_at_rest, rest);
  return rest;
}

// Clamps each task's position error to D_max plus, if adaptive, the gain of the last update:
// solve/update.c.
LANE void crowd_clamp_errors(const crowd *self, const sinew_crowd_history *history) {
  const sinew_crowd_plan *plan = self->plan;
  const lane zero = lane_of(0.0);
  const lane_mask begun = lane_less(lane_of(0.5), history_load(self, history->begun));
  for (int t = 0; t < plan->lanes.effector_count; ++t) {
    const sinew_lane_effector *effector = &plan->lanes.effectors[t];
    const int at = history->before + 4 * t;
    if (!effector->linear) {
      continue;
    }
    const lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t;
    const lane *error = crowd_of(self, SINEW_CROWD_ERRORS) + 3 * t;
    lane *e = crowd_of(self, SINEW_CROWD_E) + effector->row, now[3], closer = zero;
    for (int i = 0; i < 3; ++i) {
      now[i] = history_load(self, at + i) - tip[i];
      history_store(self, at + i, tip[i] + error[i]);
    }
    const lane length = lane_sqrt(dot3(error, error));
    if (plan->rules.adaptive) {
      const lane gained = history_load(self, at + 3) - lane_sqrt(dot3(now, now));
      closer = lane_select(begun, lane_max(zero, gained), lane_of(INFINITY));
    }
    history_store(self, at + 3, length);
    const lane most = lane_of(plan->rules.error_clamp) + closer;
    const lane share = lane_select(lane_less(most, length),
                                   most / lane_max(length, lane_of(DBL_MIN)), lane_of(1.0));
    for (int i = 0; i < 3; ++i) {
      e[i] = share * e[i];
    }
  }
  history_store(self, history->begun, lane_of(1.0));
}

// ------------------------------------------------------------------- steps

LANE lane crowd_largest(const crowd *self) {
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane most = lane_of(0.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    most = lane_max(most, lane_abs(x[column]));
  }
  return most;
}

LANE void crowd_clamp_turns(const crowd *self) {
  lane *x = crowd_of(self, SINEW_CROWD_X);
  const lane largest = crowd_largest(self), most = lane_of(self->plan->rules.max_turn);
  const lane_mask far = lane_less(most, largest);
  if (mask_bits(far) == 0) {
    return;
  }
  const lane share = lane_select(far, most / largest, lane_of(1.0));
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    x[column] = share * x[column];
  }
}

LANE lane free_gradient(const crowd *self, bool bounded) {
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane sum = lane_of(0.0);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const lane value = bounded ? gradient_free(g[column], lower[column], upper[column]) : g[column];
    sum = lane_fma(value, value, sum);
  }
  return lane_sqrt(sum);
}

LANE lane find_damping(const crowd *self, const sinew_crowd_history *history, lane rest,
                       bool bounded) {
  const lane gradient =
      tracking_gradient(rest, free_gradient(self, bounded), history_load(self, history->gradient));
  history_store(self, history->gradient, gradient);
  return tracking_damping(lane_of(self->plan->rules.damping_scale), self->plan->lanes.active_count, self->E,
                          rest, gradient);
}

// Limits the step's difference to the last one to max_change, and the result to the box.
LANE void limit_change(const crowd *self, const sinew_crowd_history *history, bool bounded) {
  const int n = self->plan->lanes.active_count;
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *x = crowd_of(self, SINEW_CROWD_X), sum = lane_of(0.0);
  for (int column = 0; column < n; ++column) {
    const lane change = x[column] - history_load(self, history->last + column);
    sum = lane_fma(change, change, sum);
  }
  const lane share = tracking_change_share(lane_of(self->plan->rules.max_change), sum);
  const lane_mask far = lane_less(share, lane_of(1.0));
  for (int column = 0; column < n; ++column) {
    const lane last = history_load(self, history->last + column);
    lane nearer = tracking_limited(share, x[column], last);
    if (bounded) {
      const lane gain = lane_of(self->plan->lanes.gain[column]);
      nearer = lane_min(lane_max(nearer, gain * lower[column]), gain * upper[column]);
    }
    x[column] = lane_select(far, nearer, x[column]);
    history_store(self, history->last + column, x[column]);
  }
}

// Transforms steps of spherical joints from root-frame to body-frame angular coordinates.
LANE void to_body_frames(const crowd *self) {
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    const int node = self->plan->free_node[column];
    if (node >= 0) {
      lane *x = crowd_of(self, SINEW_CROWD_X) + column, turn[3];
      rotate_back(self->plan->lanes.base_R, x, turn);
      for (int i = 0; i < 3; ++i) {
        x[i] = dot3(poses + 12 * node + 3 * i, turn);
      }
    }
  }
}

// A Newton step for mu, or for more damping if the step would be too large.
LANE void find_newton(const crowd *self, lane mu, bool bounded) {
  const lane most = lane_of(self->plan->rules.max_turn);
  for (int attempt = 0; attempt < 40; ++attempt) {
    lane needed = mu;
    crowd_newton(self, &needed, TRACKING_NEGATIVE_CURVATURE_STEP, bounded);
    to_body_frames(self);
    const lane_mask far = lane_less(most, crowd_largest(self));
    if (mask_bits(far) == 0) {
      return;
    }
    mu = lane_select(far, damping_increase(needed), mu);
  }
}

// Predict, curvature, step, limit: policy/tracking.h.
LANE void crowd_tracking_step(const crowd *self, const sinew_crowd_history *history, bool bounded) {
  const lane rest = crowd_watch(self, history);
  const lane mu = find_damping(self, history, rest, bounded);
  crowd_predict_residual(self, lane_of(TRACKING_PREDICTOR_DAMPING_FACTOR) * mu, bounded);
  const crowd_prediction predicted = crowd_expect(self);
  find_newton(self, tracking_step_damping(mu, predicted.ratio, predicted.first_order), bounded);
  crowd_clamp_turns(self);
  limit_change(self, history, bounded);
}

// ------------------------------------------------------------------- update

// q = exp(w / 2). Rotation vectors longer than pi are rare and have a branch of their own.
LANE void crowd_exp(const lane w[3], lane q[4]) {
  const lane square = dot3(w, w);
  lane_quaternion_exp(w, q);
  if (__builtin_expect(mask_bits(lane_less(lane_of(SINEW_PI * SINEW_PI), square)) != 0, 0)) {
    lane s, c;
    const lane_mask far = lane_less(lane_of(SINEW_PI * SINEW_PI), square);
    const lane half = lane_of(0.5) * lane_sqrt(square);
    lane_sincos(half, &s, &c);
    q[0] = lane_select(far, c, q[0]);
    for (int i = 0; i < 3; ++i) {
      q[1 + i] = lane_select(far, lane_of(0.5) * s / half * w[i], q[1 + i]);
    }
  }
}

// Moves the spherical joint whose active columns start at column; returns the column after them.
LANE int crowd_move_spherical(const crowd *self, int column) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  double *values = self->block->q + lanes->q_of_column[column] * SINEW_LANES;
  const int at = lanes->q_of_column[column];
  lane w[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)}, q[4], change[4], rotated[4];
  for (; column < lanes->active_count && lanes->q_of_column[column] == at; ++column) {
    w[lanes->quaternion_axis[column]] = x[column];
  }
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_load(values + i * SINEW_LANES);
  }
  lane_quaternion_unit(q);
  crowd_exp(w, change);
  lane_quaternion_multiply(q, change, rotated);
  lane_quaternion_normalize(rotated);
  for (int i = 0; i < 4; ++i) {
    lane_store(values + i * SINEW_LANES, rotated[i]);
  }
  return column;
}

LANE void crowd_apply(const crowd *self, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  for (int column = 0; column < plan->lanes.active_count;) {
    if (plan->lanes.quaternion_axis[column] >= 0) {
      column = crowd_move_spherical(self, column);
      continue;
    }
    double *values = self->block->q + plan->lanes.q_of_column[column] * SINEW_LANES;
    const lane q = lane_load(values);
    lane moved = lane_fma(x[column], lane_of(plan->unit[column]), q);
    if (bounded) { // values within their limits do not leave them by rounding
      moved = lane_max(moved, lane_min(lane_of(plan->lower[column]), q));
      moved = lane_min(moved, lane_max(lane_of(plan->upper[column]), q));
    }
    lane_store(values, moved);
    ++column;
  }
}

LANE void crowd_update(const sinew_crowd_plan *plan, const sinew_crowd_block *block, bool tracking,
                       bool bounded) {
  const sinew_crowd_history history = sinew_crowd_history_of(plan);
  const double gain = plan->rules.error_gain;
  crowd self = {.plan = plan, .block = block};
  for (int i = 0; i < SINEW_CROWD_SPACES; ++i) {
    self.space[i] = (lane *)(void *)(block->scratch + plan->space[i] * SINEW_LANES);
  }
  crowd_forward(&self);
  crowd_residual(&self);
  if (!tracking && plan->rules.clamped) {
    crowd_clamp_errors(&self, &history);
  }
  lane *e = crowd_of(&self, SINEW_CROWD_E);
  for (int i = 0; gain != 1.0 && i < plan->lanes.row_count; ++i) {
    e[i] = lane_of(gain) * e[i];
  }
  crowd_columns(&self);
  if (tracking || bounded) {
    crowd_gradient(&self, crowd_of(&self, SINEW_CROWD_J), e, crowd_of(&self, SINEW_CROWD_GRADIENT));
  }
  if (bounded) {
    crowd_limits(&self);
  }
  if (tracking) {
    crowd_tracking_step(&self, &history, bounded);
  } else {
    const sinew_crowd_rules *rules = &plan->rules;
    crowd_dls(&self, damping_dls(rules->error_damping, rules->lambda, rules->damping_floor, self.E),
              bounded);
    to_body_frames(&self);
    crowd_clamp_turns(&self);
  }
  crowd_apply(&self, bounded);
}

static void update_dls(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd_update(plan, block, false, false);
}

static void update_dls_bounded(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd_update(plan, block, false, true);
}

static void update_tracking(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd_update(plan, block, true, false);
}

static void update_tracking_bounded(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd_update(plan, block, true, true);
}

static void update(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  if (plan->rules.tracking) {
    (plan->rules.bounded ? update_tracking_bounded : update_tracking)(plan, block);
  } else {
    (plan->rules.bounded ? update_dls_bounded : update_dls)(plan, block);
  }
}

const sinew_crowd_kernel JOIN(sinew_crowd_kernel_, SINEW_LANE_SUFFIX) = {.lanes = SINEW_LANES,
                                                                         .update = update};
