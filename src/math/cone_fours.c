// Limits of swing and twist of up to four joints at once: see cone_fours.h; the mathematics is in
// cone_lanes.h, cone_step.h and cone_motion.h. A lane is a joint.
#ifndef SINEW_SMALL
#define SINEW_LANES 4
#define SINEW_LANE_FUSED 0
#define SINEW_CONES_DIFFER
#endif
#include "math/cone_fours.h"

#ifndef SINEW_SMALL

#include "math/cone_motion.h"
#include "simd/four_rows.h"

#include <stddef.h>

#define VALUES(type) ((int)(sizeof(type) / sizeof(double)))

_Static_assert(sizeof(lane_cone) == 4 * sizeof(sinew_cone), "cone.h");
_Static_assert(sizeof(lane_cone_step) == 4 * sizeof(sinew_cone_step), "cone.h");

LANE void read_cones(int count, const sinew_cone *const cone[], lane_cone *out) {
  const double *row[4];
  for (int i = 0; i < 4; ++i) {
    row[i] = cone[i < count ? i : 0]->axes[0];
  }
  fours_read(count, VALUES(sinew_cone), row, out);
}

void sinew_cone_fours_set(int count, const sinew_cone *const cone[], const double *const q[],
                          const double far[], sinew_cone_step *const step[]) {
  lane_cone limits;
  lane_cone_step made;
  lane at[4];
  double most[4], *row[4];
  read_cones(count, cone, &limits);
  fours_read(count, 4, q, at);
  for (int i = 0; i < 4; ++i) {
    most[i] = far[i < count ? i : 0];
    row[i] = step[i < count ? i : 0]->row[0];
  }
  lane_cone_step_set(&made, &limits, at, lane_load(most));
  fours_write(count, VALUES(sinew_cone_step), &made, row);
}

// The step and the bounds of motions, and what is moved; their values x.
LANE void read_motions(int count, const sinew_cone_motion of[], const double *const x[],
                       lane_cone_step *step, lane_cone_motion *out, lane v[3]) {
  const double *steps[4], *motions[4];
  lane values[17];
  for (int i = 0; i < 4; ++i) {
    const sinew_cone_motion *motion = &of[i < count ? i : 0];
    steps[i] = motion->step->row[0];
    motions[i] = motion->q;
  }
  _Static_assert(offsetof(sinew_cone_motion, most) ==
                     offsetof(sinew_cone_motion, q) + 16 * sizeof(double),
                 "cone.h");
  fours_read(count, VALUES(sinew_cone_step), steps, step);
  fours_read(count, 17, motions, values);
  fours_read(count, 3, x, v);
  out->step = step;
  memcpy(out->q, values, sizeof out->q);
  memcpy(out->lower, values + 4, sizeof out->lower);
  memcpy(out->upper, values + 7, sizeof out->upper);
  memcpy(out->moved, values + 10, sizeof out->moved);
  memcpy(out->last, values + 13, sizeof out->last);
  out->most = values[16];
}

unsigned sinew_cone_fours_reach(int count, const sinew_cone_motion of[], const double *const x[]) {
  lane_cone_motion motion;
  lane_cone_step step;
  lane v[3];
  read_motions(count, of, x, &step, &motion, v);
  return (unsigned)mask_bits(cone_may_reach(&motion, v)) & ((1u << count) - 1u);
}

void sinew_cone_fours_limit(int count, const sinew_cone_motion of[], double *const x[]) {
  const sinew_cone *cone[4];
  const double *from[4];
  lane_cone limits;
  lane_cone_motion motion;
  lane_cone_step step;
  lane v[3];
  for (int i = 0; i < 4; ++i) {
    cone[i] = of[i < count ? i : 0].cone;
    from[i] = x[i < count ? i : 0];
  }
  read_cones(count, cone, &limits);
  read_motions(count, of, from, &step, &motion, v);
  motion.cone = &limits;
  lane_cone_limit_motion(&motion, mask_not(mask_of_bits(0)), v);
  fours_write(count, 3, v, x);
}

unsigned sinew_cone_fours_rotate(int count, const sinew_cone *const cone[], const double *const w[],
                                 double *const q[]) {
  lane_cone limits;
  lane from[4], to[4], v[3];
  const double *row[4];
  for (int i = 0; i < 4; ++i) {
    row[i] = q[i < count ? i : 0];
  }
  read_cones(count, cone, &limits);
  fours_read(count, 4, row, from);
  fours_read(count, 3, w, v);
  cone_rotate(from, v, to);
  fours_write(count, 4, to, q);
  return (unsigned)mask_bits(mask_not(cone_is_inside(&limits, to))) & ((1u << count) - 1u);
}

void sinew_cone_fours_hold(int count, const sinew_cone *const cone[], const double *const from[],
                           double *const q[]) {
  lane_cone limits;
  lane before[4], at[4];
  const double *row[4];
  for (int i = 0; i < 4; ++i) {
    row[i] = q[i < count ? i : 0];
  }
  read_cones(count, cone, &limits);
  fours_read(count, 4, from, before);
  fours_read(count, 4, row, at);
  lane_cone_hold(&limits, before, at);
  fours_write(count, 4, at, q);
}

#endif
