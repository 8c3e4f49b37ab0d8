// Rotations of spherical joints in a crowd's update.
#ifndef SINEW_KERNEL_CROWD_ROTATIONS_H
#define SINEW_KERNEL_CROWD_ROTATIONS_H

#include "kernel/crowd_rows.h"

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

#endif
