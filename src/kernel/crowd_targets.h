// The motion of a crowd's targets since the last update, and targets in between: task/motion.c in
// lanes.
#ifndef SINEW_KERNEL_CROWD_TARGETS_H
#define SINEW_KERNEL_CROWD_TARGETS_H

#include "kernel/crowd_apply.h"
#include "policy/tracking.h"

// The value of a target in this update and, while that is recorded, in the last one.
LANE lane target_now(const crowd *self, int at) {
  return lane_load(self->block->targets + at * SINEW_LANES);
}

LANE lane target_before(const crowd *self, int at) {
  return history_load(self, self->plan->history.shown + at);
}

// The squared length of the motion of a target's position; the motion of its rotation as a rotation
// vector, exactly 0 where the quaternions are equal, with its squared length.
LANE lane position_motion(const crowd *self, int t) {
  const int at = self->plan->position_start[t];
  lane moved[3];
  for (int i = 0; i < 3; ++i) {
    moved[i] = target_now(self, at + i) - target_before(self, at + i);
  }
  return dot3(moved, moved);
}

LANE lane rotation_motion(const crowd *self, int t, lane_mask known) {
  const int at = self->plan->rotation_start[t];
  lane *w = crowd_of(self, SINEW_CROWD_TURNS) + 3 * t;
  lane inverse[4], now[4], turn[4];
  lane_mask differs = mask_of_bits(0);
  for (int i = 0; i < 4; ++i) {
    const lane before = target_before(self, at + i);
    now[i] = target_now(self, at + i);
    inverse[i] = i == 0 ? before : -before;
    differs = mask_or(differs, mask_or(lane_less(now[i], before), lane_less(before, now[i])));
  }
  lane_quaternion_unit(inverse);
  lane_quaternion_unit(now);
  lane_quaternion_multiply(now, inverse, turn);
  lane_quaternion_log(turn, w);
  for (int i = 0; i < 3; ++i) {
    w[i] = lane_keep(mask_and(known, differs), w[i]);
  }
  return dot3(w, w);
}

// m: the largest motion of a target since the last update; 0 where that is not known.
LANE lane crowd_motion(const crowd *self, lane_mask known) {
  const sinew_crowd_plan *plan = self->plan;
  lane most = lane_of(0.0);
  for (int t = 0; t < plan->lanes.effector_count; ++t) {
    lane linear = lane_of(0.0), angular = linear;
    if (plan->position_weight[t] > 0.0) {
      const double weight = plan->position_weight[t];
      linear = lane_of(weight * weight) * position_motion(self, t);
    }
    if (plan->rotation_weight[t] > 0.0) {
      const double weight = plan->rotation_weight[t];
      angular = lane_of(weight * weight) * rotation_motion(self, t, known);
    }
    most = lane_max(most, tracking_square_motion(linear, angular));
  }
  return lane_keep(known, tracking_motion(most));
}

LANE void place_position(const crowd *self, int t, lane_mask moving, lane share, double *out) {
  const int at = self->plan->position_start[t];
  for (int i = at; i < at + 3; ++i) {
    const lane from = target_before(self, i), to = target_now(self, i);
    const lane between = from + share * (to - from);
    lane_store(out + i * SINEW_LANES, lane_select(moving, between, to));
  }
}

LANE void place_rotation(const crowd *self, int t, lane_mask moving, lane share, double *out) {
  const int at = self->plan->rotation_start[t];
  const lane *turn = crowd_of(self, SINEW_CROWD_TURNS) + 3 * t;
  const lane w[3] = {share * turn[0], share * turn[1], share * turn[2]};
  lane from[4], change[4], between[4];
  for (int i = 0; i < 4; ++i) {
    from[i] = target_before(self, at + i);
  }
  lane_quaternion_exp(w, change);
  lane_quaternion_multiply(change, from, between);
  for (int i = 0; i < 4; ++i) {
    const lane value = lane_select(moving, between[i], target_now(self, at + i));
    lane_store(out + (at + i) * SINEW_LANES, value);
  }
}

// The targets at a share of their motion for some figures, those of the update for others.
LANE void crowd_place_targets(crowd *self, lane_mask moving, lane share) {
  const sinew_crowd_plan *plan = self->plan;
  double *out = (double *)(void *)crowd_of(self, SINEW_CROWD_TARGETS);
  memcpy(out, self->block->targets, (size_t)plan->target_size * sizeof(lane));
  for (int t = 0; t < plan->lanes.effector_count; ++t) {
    if (plan->position_weight[t] > 0.0) {
      place_position(self, t, moving, share, out);
    }
    if (plan->rotation_weight[t] > 0.0) {
      place_rotation(self, t, moving, share, out);
    }
  }
  self->targets = out;
}

LANE void crowd_record_targets(const crowd *self) {
  memcpy(self->block->history + self->plan->history.shown * SINEW_LANES, self->block->targets,
         (size_t)self->plan->target_size * sizeof(lane));
}

#endif
