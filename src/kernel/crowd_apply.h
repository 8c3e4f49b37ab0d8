// From a crowd's step to changes of q: frames, the limit on rotations, q itself.
#ifndef SINEW_KERNEL_CROWD_APPLY_H
#define SINEW_KERNEL_CROWD_APPLY_H

#include "kernel/crowd_cones.h"

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

// Transforms steps of spherical joints to body-frame angular coordinates: from those of the root
// frame, and from the axes of limits of swing and twist.
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
  crowd_cones_to_joints(self);
}

// ------------------------------------------------------------------ values

// Rotates a spherical joint of the figures that move by w, and holds it within its limits, where it
// has any; at: of its quaternion; q: that one, of length 1.
LANE void crowd_turn(const crowd *self, int at, const lane q[4], const sinew_cone *limits,
                     const lane w[3]) {
  lane change[4], rotated[4];
  lane_quaternion_exp_long(w, change);
  lane_quaternion_multiply(q, change, rotated);
  lane_quaternion_normalize(rotated);
  if (limits != NULL) {
    lane_cone_hold(limits, q, rotated);
  }
  crowd_store_quaternion(self, at, self->moving, rotated);
}

// Moves the spherical joint whose active columns start at column.
LANE void crowd_move_spherical(const crowd *self, int column) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  const int at = lanes->q_of_column[column], end = crowd_after_spherical(lanes, column);
  const int cone = self->plan->cone_of_column[column];
  lane w[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)};
  for (; column < end; ++column) {
    w[lanes->quaternion_axis[column]] = x[column];
  }
  crowd_turn(self, at, crowd_unit(self, at), cone >= 0 ? self->plan->cones[cone].limits : NULL, w);
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

// now <- from exp(w).
LANE void rotate_from(const lane from[4], const lane w[3], lane now[4]) {
  lane turn[4];
  lane_quaternion_exp_long(w, turn);
  lane_quaternion_multiply(from, turn, now);
  lane_quaternion_normalize(now);
}

// Shortens a motion, which leads to now, where that is further outside the limits than the joint
// was: sinew_cone_move() of one that is not whole.
LANE void shorten_motion(const sinew_cone *cone, const lane from[4], lane w[3], lane now[4]) {
  const lane before = lane_max(lane_cone_excess(cone, from), lane_of(CONE_ROUNDING));
  lane_mask outside = lane_less(before, lane_cone_excess(cone, now));
  for (int i = 0; i <= CONE_SHORTER && mask_bits(outside) != 0; ++i) {
    for (int k = 0; k < 3; ++k) {
      w[k] = lane_select(outside, lane_of(i < CONE_SHORTER ? 0.5 : 0.0) * w[k], w[k]);
    }
    rotate_from(from, w, now);
    outside = lane_less(before, lane_cone_excess(cone, now));
  }
}

// The whole rotation of one spherical joint in the update, scaled to the limit, and then held
// within limits of swing and twist, of which all three axes are active: the speed does not yield.
LANE_APART void limit_rotation(const crowd *self, int column) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *before = crowd_of(self, SINEW_CROWD_BEFORE) + 4 * column;
  const int at = plan->lanes.q_of_column[column], cone = plan->cone_of_column[column];
  const int end = crowd_after_spherical(&plan->lanes, column);
  lane from[4], inverse[4], now[4], moved[4], turn[4], w[3], longest[3], share = lane_of(1.0);
  lanes_copy(4, before, from);
  crowd_load_unit(self, at, now);
  lane_quaternion_unit(from);
  for (int i = 0; i < 4; ++i) {
    inverse[i] = i == 0 ? from[i] : -from[i];
  }
  lane_quaternion_multiply(inverse, now, turn);
  lane_quaternion_log(turn, w);
  for (; column < end; ++column) {
    const lane most = lane_of(plan->reach[column]);
    const int axis = plan->lanes.quaternion_axis[column];
    const lane size = lane_abs(w[axis]);
    const lane_mask fast = lane_less(most, size);
    longest[axis] = most;
    share = lane_select(fast, lane_min(share, most / lane_select(fast, size, most)), share);
  }
  for (int i = 0; i < 3; ++i) {
    w[i] = share * w[i];
  }
  const lane_mask fast = lane_less(share, lane_of(1.0));
  if (mask_bits(fast) == 0) {
    return;
  }
  rotate_from(from, w, now);
  if (cone >= 0) {
    const sinew_cone *limits = plan->cones[cone].limits;
    const lane_mask found = lane_cone_move_within(limits, from, w, longest, moved);
    for (int i = 0; i < 4; ++i) {
      now[i] = lane_select(found, moved[i], now[i]);
    }
    shorten_motion(limits, from, w, now); // of the others
  }
  crowd_store_quaternion(self, at, fast, now);
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
