// Legs on uneven ground, and the height of the pelvis, for any number of lanes:
// include/sinew/limb.h.
//
// With y the height of an ankle above its hip along up u, r its distance from the hip across u, and
// l the leg's length, near the shortest and far the longest: the pelvis moves by h, and
// l^2 = r^2 + (h - y)^2. So the foot is reached from above where
//
//   y + sqrt(near^2 - r^2) <= h <= y + sqrt(far^2 - r^2)
//
// (0 in place of the root of a number below 0). h is the number nearest to 0 that is in all of
// these intervals; if there is none, half way between the largest lower and the smallest upper end,
// which is the same number where they begin to overlap.
#ifndef SINEW_ANALYTIC_PLANT_LANES_H
#define SINEW_ANALYTIC_PLANT_LANES_H

#include "analytic/swivel.h"
#include "simd/rows.h"
#include "sinew/limb.h"

// The horizontal part of a normal below which its direction is unknown.
#define PLANT_NO_DIRECTION 1e-12

typedef struct plant_lanes {
  lane contact[SINEW_PLANT_LEGS][3], normal[SINEW_PLANT_LEGS][3];
  lane_mask planted[SINEW_PLANT_LEGS];
  lane height, ankle[SINEW_PLANT_LEGS][3], tilt[SINEW_PLANT_LEGS][4]; // out
  lane miss[SINEW_PLANT_LEGS];
} plant_lanes;

LANE lane plant_root(lane square) {
  return lane_sqrt(lane_max(lane_of(0.0), square));
}

// The unit vector nearest to the normal that tilts by max_tilt at most, and the rotation to it.
LANE void plant_tilt(const sinew_plant *plant, const lane up[3], lane normal[3], lane tilt[4]) {
  const lane one = lane_of(1.0), tiny = lane_of(PLANT_NO_DIRECTION);
  lane side[3], other[3];
  const lane length = lane_norm3(normal);
  const lane_mask any = lane_less(lane_of(1e-100), length);
  const lane by = one / lane_select(any, length, one);
  for (int i = 0; i < 3; ++i) {
    normal[i] = lane_select(any, normal[i] * by, up[i]);
    other[i] = lane_of(plant->other[i]);
  }
  const lane height = lane_dot3(normal, up);
  for (int i = 0; i < 3; ++i) {
    side[i] = lane_fnma(height, up[i], normal[i]);
  }
  const lane across = lane_norm3(side);
  const lane_mask steep = lane_less(height, lane_of(plant->tilt[0]));
  const lane_mask known = lane_less(tiny, across);
  const lane by_across = lane_of(plant->tilt[1]) / lane_select(known, across, one);
  for (int i = 0; i < 3; ++i) {
    const lane most = lane_fma(by_across, side[i], lane_of(plant->tilt[0]) * up[i]);
    normal[i] = lane_select(steep, lane_select(known, most, up[i]), normal[i]);
  }
  lane_shortest_arc(up, normal, other, tilt);
  lane_quaternion_normalize(tilt);
}

LANE void plant_solve_lanes(const sinew_plant *plant, bool has_normals, plant_lanes *x) {
  const lane zero = lane_of(0.0), most = lane_of(1e200);
  lane up[3], highest = -most, lowest = most;
  for (int i = 0; i < 3; ++i) {
    up[i] = lane_of(plant->up[i]);
  }
  for (int leg = 0; leg < plant->legs; ++leg) {
    const lane near = lane_of(plant->nearest[leg]), far = lane_of(plant->farthest[leg]);
    lane level[3];
    for (int i = 0; i < 4; ++i) {
      x->tilt[leg][i] = lane_of(i == 0 ? 1.0 : 0.0);
      x->normal[leg][i % 3] = has_normals ? x->normal[leg][i % 3] : up[i % 3];
    }
    if (has_normals) {
      plant_tilt(plant, up, x->normal[leg], x->tilt[leg]);
    }
    for (int i = 0; i < 3; ++i) {
      x->ankle[leg][i] = lane_fma(lane_of(plant->sole), x->normal[leg][i], x->contact[leg][i]);
      level[i] = x->ankle[leg][i] - lane_of(plant->hips[leg][i]);
    }
    const lane y = lane_dot3(level, up);
    for (int i = 0; i < 3; ++i) {
      level[i] = lane_fnma(y, up[i], level[i]);
    }
    const lane square = lane_dot3(level, level);
    const lane low = y + plant_root(lane_fma(near, near, -square));
    const lane high = y + plant_root(lane_fma(far, far, -square));
    highest = lane_select(x->planted[leg], lane_max(highest, low), highest);
    lowest = lane_select(x->planted[leg], lane_min(lowest, high), lowest);
  }
  const lane within = lane_min(lane_max(zero, highest), lowest);
  x->height =
      lane_select(lane_less_equal(highest, lowest), within, lane_of(0.5) * (highest + lowest));
  x->height = lane_min(lane_max(x->height, lane_of(-plant->max_drop)), lane_of(plant->max_rise));
  for (int leg = 0; leg < plant->legs; ++leg) {
    lane from[3];
    for (int i = 0; i < 3; ++i) {
      x->ankle[leg][i] = lane_fnma(x->height, up[i], x->ankle[leg][i]);
      from[i] = x->ankle[leg][i] - lane_of(plant->hips[leg][i]);
    }
    const lane d = lane_norm3(from);
    x->miss[leg] = lane_max(
        zero, lane_max(d - lane_of(plant->farthest[leg]), lane_of(plant->nearest[leg]) - d));
  }
}

// What a row that is not usable gets: legs straight down.
LANE void plant_refuse(const sinew_plant *plant, lane_mask usable, plant_lanes *x) {
  x->height = lane_keep(usable, x->height);
  for (int leg = 0; leg < plant->legs; ++leg) {
    for (int i = 0; i < 4; ++i) {
      x->tilt[leg][i] = lane_select(usable, x->tilt[leg][i], lane_of(i == 0 ? 1.0 : 0.0));
    }
    for (int i = 0; i < 3; ++i) {
      const double below = plant->hips[leg][i] - plant->farthest[leg] * plant->up[i];
      x->ankle[leg][i] = lane_select(usable, x->ankle[leg][i], lane_of(below));
    }
    x->miss[leg] = lane_select(usable, x->miss[leg], lane_of(-1.0));
  }
}

// Whether a leg of each row is planted.
LANE lane_mask plant_read_planted(const unsigned char *planted, size_t stride, row_range rows) {
  double values[SINEW_LANES];
  for (size_t l = 0; l < SINEW_LANES; ++l) {
    const size_t row = rows.first + l <= rows.last ? rows.first + l : rows.last;
    values[l] = planted == NULL || planted[row * stride] != 0 ? 1.0 : 0.0;
  }
  return lane_less(lane_of(0.0), lane_load(values));
}

#endif
