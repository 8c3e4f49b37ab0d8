// The kernel of a crowd for one instruction set: see crowd.h. Damping and limits are from
// src/policy/, as in the scalar core.
#define SINEW_CALLS // in WebAssembly a third of the code; updates take a sixth longer
#include "kernel/crowd.h"
#include "kernel/crowd_slides.h"
#include "kernel/crowd_track.h"
#include "kernel/crowd_transpose.h"
#include "kernel/dispatch.h"
#include "policy/damping.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

// ------------------------------------------------------------------ damped least squares

// now <- the target of the last update, less the point; keeps this update's. A target relative to a
// link is kept as it is given: the last one is taken in the frame as it is now.
LANE void way_then(const crowd *self, int t, int at, lane now[3]) {
  const lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t;
  const lane *error = crowd_of(self, SINEW_CROWD_ERRORS) + 3 * t;
  if (!self->plan->lanes.effectors[t].relative) {
    for (int i = 0; i < 3; ++i) {
      now[i] = history_load(self, at + i) - tip[i];
      history_store(self, at + i, tip[i] + error[i]);
    }
    return;
  }
  const double *target = self->targets + self->plan->position_start[t] * SINEW_LANES;
  lane moved[3];
  for (int i = 0; i < 3; ++i) {
    const lane given = lane_of(1.0 / self->plan->lanes.size) * lane_load(target + i * SINEW_LANES);
    moved[i] = history_load(self, at + i) - given;
    history_store(self, at + i, given);
  }
  rotate_by(crowd_of(self, SINEW_CROWD_FRAMES) + 12 * t, moved, now);
  add_scaled(lane_of(1.0), error, now);
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
    const lane *error = crowd_of(self, SINEW_CROWD_ERRORS) + 3 * t;
    lane *e = crowd_of(self, SINEW_CROWD_E) + effector->row, now[3], closer = zero;
    way_then(self, t, at, now);
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

// By damped least squares, from poses and residual.
LANE void crowd_update_dls(crowd *self, bool bounded) {
  const sinew_crowd_rules *rules = &self->plan->rules;
  const bool noted = self->block->stationary != NULL;
  if (rules->clamped) {
    crowd_clamp_errors(self, &self->plan->history);
  }
  crowd_scale_errors(self);
  for (int k = 0; bounded && k < self->plan->cone_count; ++k) {
    crowd_cone_begin(self, k, lane_of(INFINITY));
  }
  crowd_columns(self);
  if (bounded || noted) {
    fill_gradient(self);
  }
  if (bounded) {
    crowd_limits(self);
    crowd_cones_bound(self);
  }
  if (noted) {
    crowd_note_stationary(self, mask_all(), bounded);
  }
  crowd_dls(self, damping_dls(rules->error_damping, rules->lambda, rules->damping_floor, self->E),
            bounded);
  to_body_frames(self);
  crowd_clamp_turns(self);
  const bool held = self->plan->cone_count > 0; // by limits of swing: a joint may then be too fast
  if (held) {
    crowd_keep_rotations(self);
  }
  crowd_apply(self, bounded);
  if (held) {
    crowd_keep_speeds(self);
  }
}

// Where the targets are very far, long prismatic joints first bring the figures near them.
LANE void follow_by_slides(crowd *self) {
  const lane update = lane_of(SLIDE_UPDATE);
  const lane cut = history_load(self, self->plan->history.cut);
  const lane_mask just_cut = lane_less(lane_of(0.5), cut);
  const lane_mask far = crowd_is_far(self, self->plan->rules.tracking
                                               ? lane_select(just_cut, lane_of(SLIDE_FAR), update)
                                               : update);
  if (mask_bits(far) != 0) {
    crowd_bring_near(self, far);
  }
}

// The figures' poses, and their errors before the update.
LANE void begin(const sinew_crowd_plan *plan, const sinew_crowd_block *block, crowd *self) {
  self->plan = plan;
  self->block = block;
  self->targets = block->targets;
  self->moving = mask_all();
  self->part = lane_of(1.0);
  self->error_gain = lane_of(plan->rules.error_gain);
  for (int i = 0; i < SINEW_CROWD_SPACES; ++i) {
    self->space[i] = (lane *)(void *)(block->scratch + plan->space[i] * SINEW_LANES);
  }
  evaluate_poses(self);
  crowd_residual(self);
  lane_store(block->position_error, self->position_error);
  lane_store(block->orientation_error, self->orientation_error);
  if (plan->has_slides) {
    follow_by_slides(self);
  }
}

static void update_tracking(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd self;
  begin(plan, block, &self);
  crowd_follow(&self);
}

#ifdef SINEW_SMALL

static void update_dls(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd self;
  begin(plan, block, &self);
  crowd_update_dls(&self, plan->rules.bounded);
}

#else

static void update_dls_open(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd self;
  begin(plan, block, &self);
  crowd_update_dls(&self, false);
}

static void update_dls_bounded(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  crowd self;
  begin(plan, block, &self);
  crowd_update_dls(&self, true);
}

static void update_dls(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  (plan->rules.bounded ? update_dls_bounded : update_dls_open)(plan, block);
}

#endif

static void update(const sinew_crowd_plan *plan, const sinew_crowd_block *block) {
  (plan->rules.tracking ? update_tracking : update_dls)(plan, block);
}

const sinew_crowd_kernel JOIN(sinew_crowd_kernel_, SINEW_LANE_SUFFIX) = {
    .lanes = SINEW_LANES, .update = update, .read = read_rows, .write = write_rows};
