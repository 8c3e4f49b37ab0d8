// Rotations of spherical joints in a crowd's update.
#ifndef SINEW_KERNEL_CROWD_ROTATIONS_H
#define SINEW_KERNEL_CROWD_ROTATIONS_H

#include "kernel/crowd_rows.h"

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
