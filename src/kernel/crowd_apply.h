// From a crowd's step to changes of q: frames, the limit on rotations, q itself.
#ifndef SINEW_KERNEL_CROWD_APPLY_H
#define SINEW_KERNEL_CROWD_APPLY_H

#include "kernel/crowd_rows.h"

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

// Transforms steps of spherical joints from root-frame to body-frame angular coordinates.
LANE void to_body_frames(const crowd *self) {
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  for (int column = 0; self->plan->root_frames && column < self->plan->lanes.active_count;
       ++column) {
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

// --------------------------------------------------------------- rotations

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

// The rotation vector of a quaternion of length 1, at most pi long.
LANE void crowd_log(const lane q[4], lane w[3]) {
  const lane s = lane_norm3(q + 1), angle = lane_of(2.0) * lane_angle(s, lane_abs(q[0]));
  const lane scale = lane_with_sign(angle / lane_max(s, lane_of(DBL_MIN)), q[0]);
  for (int i = 0; i < 3; ++i) {
    w[i] = scale * q[1 + i];
  }
}

LANE void crowd_load_quaternion(const crowd *self, int at, lane q[4]) {
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_load(self->block->q + (at + i) * SINEW_LANES);
  }
}

// Stores a quaternion of the figures that move.
LANE void crowd_store_quaternion(const crowd *self, int at, lane_mask where, const lane q[4]) {
  for (int i = 0; i < 4; ++i) {
    double *value = self->block->q + (at + i) * SINEW_LANES;
    lane_store(value, lane_select(where, q[i], lane_load(value)));
  }
}

// The column after those of the spherical joint whose active columns start at column.
LANE int crowd_after_spherical(const sinew_lane_plan *lanes, int column) {
  const int at = lanes->q_of_column[column];
  while (column < lanes->active_count && lanes->q_of_column[column] == at) {
    ++column;
  }
  return column;
}

// ------------------------------------------------------------------ values

// Moves the spherical joint whose active columns start at column.
LANE void crowd_move_spherical(const crowd *self, int column) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  const int at = lanes->q_of_column[column], end = crowd_after_spherical(lanes, column);
  lane w[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)}, q[4], change[4], rotated[4];
  for (; column < end; ++column) {
    w[lanes->quaternion_axis[column]] = x[column];
  }
  crowd_load_quaternion(self, at, q);
  lane_quaternion_unit(q);
  crowd_exp(w, change);
  lane_quaternion_multiply(q, change, rotated);
  lane_quaternion_normalize(rotated);
  crowd_store_quaternion(self, at, self->moving, rotated);
}

LANE void crowd_apply(const crowd *self, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  for (int column = 0; column < plan->lanes.active_count;) {
    if (plan->lanes.quaternion_axis[column] >= 0) {
      crowd_move_spherical(self, column);
      column = crowd_after_spherical(&plan->lanes, column);
      continue;
    }
    double *values = self->block->q + plan->lanes.q_of_column[column] * SINEW_LANES;
    const lane q = lane_load(values);
    lane moved = lane_fma(x[column], lane_of(plan->unit[column]), q);
    if (bounded) { // values within their limits do not leave them by rounding
      moved = lane_max(moved, lane_min(lane_of(plan->lower[column]), q));
      moved = lane_min(moved, lane_max(lane_of(plan->upper[column]), q));
    }
    lane_store(values, lane_select(self->moving, moved, q));
    ++column;
  }
}

// --------------------------------------------- speeds of spherical joints

// Keeps the quaternions of spherical joints with speed limits, as they are before the update.
LANE void crowd_keep_rotations(const crowd *self) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  for (int column = 0; self->plan->speeds && column < lanes->active_count; ++column) {
    if (lanes->quaternion_axis[column] >= 0) {
      lane *before = crowd_of(self, SINEW_CROWD_BEFORE) + 4 * column;
      crowd_load_quaternion(self, lanes->q_of_column[column], before);
      column = crowd_after_spherical(lanes, column) - 1;
    }
  }
}

// The whole rotation of one spherical joint in the update, scaled to the limit.
LANE void limit_rotation(const crowd *self, int column) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *before = crowd_of(self, SINEW_CROWD_BEFORE) + 4 * column;
  const int at = plan->lanes.q_of_column[column];
  const int end = crowd_after_spherical(&plan->lanes, column);
  lane from[4], inverse[4], now[4], turn[4], w[3], share = lane_of(1.0);
  memcpy(from, before, sizeof from);
  crowd_load_quaternion(self, at, now);
  lane_quaternion_unit(from);
  lane_quaternion_unit(now);
  for (int i = 0; i < 4; ++i) {
    inverse[i] = i == 0 ? from[i] : -from[i];
  }
  lane_quaternion_multiply(inverse, now, turn);
  crowd_log(turn, w);
  for (; column < end; ++column) {
    const lane most = lane_of(plan->reach[column]);
    const lane size = lane_abs(w[plan->lanes.quaternion_axis[column]]);
    const lane_mask fast = lane_less(most, size);
    share = lane_select(fast, lane_min(share, most / lane_select(fast, size, most)), share);
  }
  for (int i = 0; i < 3; ++i) {
    w[i] = share * w[i];
  }
  crowd_exp(w, turn);
  lane_quaternion_multiply(from, turn, now);
  lane_quaternion_normalize(now);
  crowd_store_quaternion(self, at, lane_less(share, lane_of(1.0)), now);
}

// Rotations of a spherical joint about several axes do not add up exactly: where its speed is
// limited, its whole rotation is scaled to the limit.
LANE void crowd_keep_speeds(const crowd *self) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  for (int column = 0; self->plan->speeds && column < lanes->active_count;) {
    if (lanes->quaternion_axis[column] < 0) {
      ++column;
      continue;
    }
    limit_rotation(self, column);
    column = crowd_after_spherical(lanes, column);
  }
}

#endif
