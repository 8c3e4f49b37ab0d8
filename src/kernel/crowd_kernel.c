// The kernel of a crowd for one instruction set. See crowd.h; figures and their reasons stand
// in solve/method.c.
#include "kernel/crowd.h"
#include "kernel/crowd_dls.h"
#include "kernel/crowd_expect.h"
#include "kernel/crowd_newton.h"
#include "kernel/dispatch.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// Errors beyond one size of the figure add no more damping.
#define MOST_ERROR 0.5

// The default's damping.
#define CALM 0.7
#define CLOSE 0.02
#define STILL 20.0
#define GRADIENT 50.0
#define FORGET 0.6
#define FLOOR 1e-5
#define MET 0.3
#define FORESEEN 10.0
#define RIDGE 5e-3
#define STAND_IN 1.0
#define MORE 1e-4

// ------------------------------------------------------------------ history

LANE lane history_load(const crowd *self, int at) {
  return lane_load(self->block->history + at * SINEW_LANES);
}

LANE void history_store(const crowd *self, int at, lane value) {
  lane_store(self->block->history + at * SINEW_LANES, value);
}

// Takes up the targets; for how many updates they have stood still.
LANE lane crowd_watch(const crowd *self, const sinew_crowd_history *history) {
  const lane zero = lane_of(0.0);
  const lane before = history_load(self, history->still);
  lane_mask moved = lane_less(before, zero);
  for (int i = 0; i < self->plan->target_size; ++i) {
    const lane now = lane_load(self->block->targets + i * SINEW_LANES);
    const lane was = history_load(self, history->shown + i);
    moved = mask_or(moved, mask_or(lane_less(now, was), lane_less(was, now)));
    history_store(self, history->shown + i, now);
  }
  const lane still = lane_select(moved, zero, lane_min(before + lane_of(1.0), lane_of(10000.0)));
  history_store(self, history->still, still);
  return still;
}

// Clamps each task's position error to D_max, and to what the last update brought it closer:
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
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    most = lane_max(most, lane_abs(x[slot]));
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
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    x[slot] = share * x[slot];
  }
}

LANE lane free_gradient(const crowd *self, bool bounded) {
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT);
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  const lane zero = lane_of(0.0);
  lane sum = zero;
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    lane value = g[slot];
    if (bounded) {
      const lane_mask up = lane_less(zero, value);
      const lane_mask blocked = mask_or(mask_and(up, lane_less_equal(upper[slot], zero)),
                                        mask_and(mask_not(up), lane_less_equal(zero, lower[slot])));
      value = lane_select(blocked, zero, value);
    }
    sum = lane_fma(value, value, sum);
  }
  return lane_sqrt(sum);
}

LANE lane calm_damping(const crowd *self, const sinew_crowd_history *history, lane still,
                       bool bounded) {
  const int n = self->plan->lanes.slot_count;
  const lane one = lane_of(1.0), e = lane_sqrt(lane_of(2.0) * self->E);
  const lane root = lane_sqrt(lane_min(e, one) + lane_of(CLOSE));
  const lane calm = lane_of(CALM * self->plan->rules.calmness) * e * root;
  const lane_mask moving = lane_less(still, lane_of(0.5));
  const lane remembered = lane_max(free_gradient(self, bounded),
                                   lane_of(FORGET) * history_load(self, history->gradient));
  history_store(self, history->gradient, lane_select(moving, lane_of(0.0), remembered));
  const lane k = lane_of(GRADIENT / sqrt(n > 0 ? n : 1));
  const lane bound = lane_of(STILL) / lane_max(still, one) * k * remembered;
  const lane eased = lane_min(lane_of(STILL) / (lane_of(STILL) + still) * calm, bound);
  return lane_select(moving, calm, eased) + lane_of(FLOOR);
}

// Brings the step to within max_change of the last one, and back into the box.
LANE void limit_change(const crowd *self, const sinew_crowd_history *history, bool bounded) {
  const int n = self->plan->lanes.slot_count;
  const lane *lower = crowd_of(self, SINEW_CROWD_LOWER);
  const lane *upper = crowd_of(self, SINEW_CROWD_UPPER);
  lane *x = crowd_of(self, SINEW_CROWD_X), sum = lane_of(0.0);
  for (int slot = 0; slot < n; ++slot) {
    const lane change = x[slot] - history_load(self, history->last + slot);
    sum = lane_fma(change, change, sum);
  }
  const lane most = lane_of(self->plan->rules.max_change), length = lane_sqrt(sum);
  const lane_mask far = lane_less(most, length);
  const lane share = lane_select(far, most / length, lane_of(1.0));
  for (int slot = 0; slot < n; ++slot) {
    const lane last = history_load(self, history->last + slot);
    lane nearer = lane_fma(share, x[slot] - last, last);
    if (bounded) {
      const lane gain = lane_of(self->plan->lanes.gain[slot]);
      nearer = lane_min(lane_max(nearer, gain * lower[slot]), gain * upper[slot]);
    }
    x[slot] = lane_select(far, nearer, x[slot]);
    history_store(self, history->last + slot, x[slot]);
  }
}

// Brings the turns of free balls from the root link's axes into their own.
LANE void bring_into_balls(const crowd *self) {
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    const int node = self->plan->free_node[slot];
    if (node >= 0) {
      lane *x = crowd_of(self, SINEW_CROWD_X) + slot, turn[3];
      rotate_back(self->plan->lanes.base_R, x, turn);
      for (int i = 0; i < 3; ++i) {
        x[i] = dot3(poses + 12 * node + 3 * i, turn);
      }
    }
  }
}

// A Newton step for mu, or for more of it where the step would be too large.
LANE void find_newton(const crowd *self, lane mu, bool bounded) {
  const lane most = lane_of(self->plan->rules.max_turn);
  for (int attempt = 0; attempt < 40; ++attempt) {
    lane needed = mu;
    crowd_newton(self, &needed, RIDGE, bounded);
    bring_into_balls(self);
    const lane_mask far = lane_less(most, crowd_largest(self));
    if (mask_bits(far) == 0) {
      return;
    }
    mu = lane_select(far, lane_fma(lane_of(2.0), needed, lane_of(MORE)), mu);
  }
}

LANE void crowd_calm_step(const crowd *self, const sinew_crowd_history *history, bool bounded) {
  const lane still = crowd_watch(self, history);
  const lane mu = calm_damping(self, history, still, bounded);
  crowd_foresee(self, lane_of(FORESEEN) * mu, bounded);
  const crowd_foreseen ahead = crowd_expect(self);
  const lane share = lane_fma(lane_of(1.0 - MET), ahead.left * ahead.left, lane_of(MET));
  find_newton(self, lane_max(mu * share, lane_of(STAND_IN) * ahead.first_order), bounded);
  crowd_clamp_turns(self);
  limit_change(self, history, bounded);
}

// ------------------------------------------------------------------- update

// A rotation vector as most balls' steps are: of pi at most.
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

// Turns the ball whose slots begin at slot; returns the slot after them.
LANE int crowd_turn_ball(const crowd *self, int slot) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  double *values = self->block->q + lanes->q_of_slot[slot] * SINEW_LANES;
  const int at = lanes->q_of_slot[slot];
  lane w[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)}, q[4], turn[4], turned[4];
  for (; slot < lanes->slot_count && lanes->q_of_slot[slot] == at; ++slot) {
    w[lanes->ball_axis[slot]] = x[slot];
  }
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_load(values + i * SINEW_LANES);
  }
  lane_quaternion_unit(q);
  crowd_exp(w, turn);
  lane_quaternion_multiply(q, turn, turned);
  lane_quaternion_normalize(turned);
  for (int i = 0; i < 4; ++i) {
    lane_store(values + i * SINEW_LANES, turned[i]);
  }
  return slot;
}

LANE void crowd_apply(const crowd *self, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  for (int slot = 0; slot < plan->lanes.slot_count;) {
    if (plan->lanes.ball_axis[slot] >= 0) {
      slot = crowd_turn_ball(self, slot);
      continue;
    }
    double *values = self->block->q + plan->lanes.q_of_slot[slot] * SINEW_LANES;
    const lane q = lane_load(values);
    lane moved = lane_fma(x[slot], lane_of(plan->unit[slot]), q);
    if (bounded) { // rounding takes none out of limits that it was within
      moved = lane_max(moved, lane_min(lane_of(plan->lower[slot]), q));
      moved = lane_min(moved, lane_max(lane_of(plan->upper[slot]), q));
    }
    lane_store(values, moved);
    ++slot;
  }
}

LANE void crowd_update(const sinew_crowd_plan *plan, const sinew_crowd_block *block, bool calm,
                       bool bounded) {
  const sinew_crowd_history history = sinew_crowd_history_of(plan);
  const double gain = plan->rules.error_gain;
  crowd self = {.plan = plan, .block = block};
  for (int i = 0; i < SINEW_CROWD_SPACES; ++i) {
    self.space[i] = (lane *)(void *)(block->scratch + plan->space[i] * SINEW_LANES);
  }
  crowd_forward(&self);
  crowd_residual(&self);
  if (!calm && plan->rules.clamped) {
    crowd_clamp_errors(&self, &history);
  }
  lane *e = crowd_of(&self, SINEW_CROWD_E);
  for (int i = 0; gain != 1.0 && i < plan->lanes.row_count; ++i) {
    e[i] = lane_of(gain) * e[i];
  }
  crowd_columns(&self);
  if (calm || bounded) {
    crowd_gradient(&self, crowd_of(&self, SINEW_CROWD_J), e, crowd_of(&self, SINEW_CROWD_GRADIENT));
  }
  if (bounded) {
    crowd_limits(&self);
  }
  if (calm) {
    crowd_calm_step(&self, &history, bounded);
  } else {
    const lane damping = lane_of(plan->rules.error_damping) * lane_min(self.E, lane_of(MOST_ERROR));
    crowd_dls(&self, damping + lane_of(plan->rules.constant), bounded);
    bring_into_balls(&self);
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

static void update_calm(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd_update(plan, block, true, false);
}

static void update_calm_bounded(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd_update(plan, block, true, true);
}

static void update(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  if (plan->rules.calm) {
    (plan->rules.bounded ? update_calm_bounded : update_calm)(plan, block);
  } else {
    (plan->rules.bounded ? update_dls_bounded : update_dls)(plan, block);
  }
}

const sinew_crowd_kernel JOIN(sinew_crowd_kernel_, SINEW_LANE_SUFFIX) = {.lanes = SINEW_LANES,
                                                                         .update = update};
