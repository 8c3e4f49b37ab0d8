// From rows of numbers, one a figure, to vectors, and back.
#ifndef SINEW_KERNEL_CROWD_TRANSPOSE_H
#define SINEW_KERNEL_CROWD_TRANSPOSE_H

#include "kernel/crowd.h"
#include "math/vector.h"
#include "simd/lanes.h"

// Number i of each row.
LANE lane lane_gather(const double *const *rows, int i) {
#if SINEW_LANES == 1
  return rows[0][i];
#elif SINEW_LANES == 2
  return (lane){rows[0][i], rows[1][i]};
#elif SINEW_LANES == 4
  return (lane){rows[0][i], rows[1][i], rows[2][i], rows[3][i]};
#else
  return (lane){rows[0][i], rows[1][i], rows[2][i], rows[3][i],
                rows[4][i], rows[5][i], rows[6][i], rows[7][i]};
#endif
}

static unsigned read_rows(const sinew_crowd_row_layout *layout, const double *const *rows,
                          double *vectors) {
  const lane zero = lane_of(0.0), most = lane_of(SINEW_HUGE);
  lane_mask usable = mask_not(mask_of_bits(0));
  for (int i = 0; i < layout->count; ++i) {
    const lane value = lane_gather(rows, i);
    usable = mask_and(usable, lane_less_equal(lane_abs(value), most));
    lane_store(vectors + i * SINEW_LANES, value);
  }
  for (int i = 0; i < layout->quaternion_count; ++i) {
    const double *q = vectors + layout->quaternions[i] * SINEW_LANES;
    lane largest = lane_abs(lane_load(q));
    for (int k = 1; k < 4; ++k) {
      largest = lane_max(largest, lane_abs(lane_load(q + k * SINEW_LANES)));
    }
    usable = mask_and(usable, lane_less(zero, largest));
  }
  return mask_bits(usable);
}

static void write_rows(int count, const double *vectors, double *const *rows) {
  for (int i = 0; i < count; ++i) {
    for (int l = 0; l < SINEW_LANES; ++l) {
      rows[l][i] = vectors[i * SINEW_LANES + l];
    }
  }
}

#endif
