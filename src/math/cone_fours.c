// Limits of swing and twist of up to four joints at once: see cone_fours.h; cone_lanes.h and
// cone_motion.h for the mathematics. A lane is a joint.
#ifndef SINEW_SMALL
#define SINEW_LANES 4
#define SINEW_LANE_FUSED 0
#define SINEW_CONES_DIFFER
#endif
#include "math/cone_fours.h"
#include "math/rotation.h"

#ifdef SINEW_SMALL

void sinew_cone_fours_set(int count, const sinew_cone *const cone[], const double *const q[],
                          const double far[], sinew_cone_step *const step[]) {
  for (int i = 0; i < count; ++i) {
    sinew_cone_step_set(step[i], cone[i], q[i], far[i]);
  }
}

unsigned sinew_cone_fours_reach(int count, const sinew_cone_motion of[], const double *const x[]) {
  (void)of;
  (void)x;
  return (1u << count) - 1u;
}

void sinew_cone_fours_limit(int count, const sinew_cone_motion of[], double *const x[]) {
  for (int i = 0; i < count; ++i) {
    sinew_cone_limit_motion(&of[i], x[i]);
  }
}

unsigned sinew_cone_fours_rotate(int count, const sinew_cone *const cone[], const double *const w[],
                                 double *const q[]) {
  (void)cone;
  for (int i = 0; i < count; ++i) {
    sinew_quaternion_apply(q[i], w[i]);
  }
  return (1u << count) - 1u;
}

void sinew_cone_fours_hold(int count, const sinew_cone *const cone[], const double *const from[],
                           double *const q[]) {
  for (int i = 0; i < count; ++i) {
    sinew_cone_hold(cone[i], from[i], q[i]);
  }
}

#else

#include "math/cone_motion.h"
#include "simd/four.h"

#include <stddef.h>

#define VALUES(type) ((int)(sizeof(type) / sizeof(double)))

_Static_assert(sizeof(lane_cone) == 4 * sizeof(sinew_cone), "cone.h");
_Static_assert(sizeof(lane_cone_step) == 4 * sizeof(sinew_cone_step), "cone.h");

// Four rows of four values, transposed.
LANE void transpose(const sinew_four in[4], sinew_four out[4]) {
  const sinew_four a = SINEW_FOUR_PICK(in[0], in[1], 0, 4, 2, 6),
                   b = SINEW_FOUR_PICK(in[0], in[1], 1, 5, 3, 7),
                   c = SINEW_FOUR_PICK(in[2], in[3], 0, 4, 2, 6),
                   d = SINEW_FOUR_PICK(in[2], in[3], 1, 5, 3, 7);
  out[0] = SINEW_FOUR_PICK(a, c, 0, 1, 4, 5);
  out[1] = SINEW_FOUR_PICK(b, d, 0, 1, 4, 5);
  out[2] = SINEW_FOUR_PICK(a, c, 2, 3, 6, 7);
  out[3] = SINEW_FOUR_PICK(b, d, 2, 3, 6, 7);
}

// Value k of `size` values of each row becomes lane k. Lanes from count on are those of row 0.
LANE void read_rows(int count, int size, const double *const row[], void *lanes) {
  double *to = lanes;
  const double *from[4];
  for (int i = 0; i < 4; ++i) {
    from[i] = row[i < count ? i : 0];
  }
  int k = 0;
  for (; k + 4 <= size; k += 4) {
    const sinew_four in[4] = {sinew_four_load(from[0] + k), sinew_four_load(from[1] + k),
                              sinew_four_load(from[2] + k), sinew_four_load(from[3] + k)};
    sinew_four out[4];
    transpose(in, out);
    for (int i = 0; i < 4; ++i) {
      sinew_four_store(to + 4 * (k + i), out[i]);
    }
  }
  for (; k < size; ++k) {
    for (int i = 0; i < 4; ++i) {
      to[4 * k + i] = from[i][k];
    }
  }
}

// The reverse, of the first count lanes.
LANE void write_rows(int count, int size, const void *lanes, double *const row[]) {
  const double *from = lanes;
  int k = 0;
  for (; k + 4 <= size; k += 4) {
    const sinew_four in[4] = {sinew_four_load(from + 4 * k), sinew_four_load(from + 4 * k + 4),
                              sinew_four_load(from + 4 * k + 8),
                              sinew_four_load(from + 4 * k + 12)};
    sinew_four out[4];
    transpose(in, out);
    for (int i = 0; i < count; ++i) {
      sinew_four_store(row[i] + k, out[i]);
    }
  }
  for (; k < size; ++k) {
    for (int i = 0; i < count; ++i) {
      row[i][k] = from[4 * k + i];
    }
  }
}

LANE void read_cones(int count, const sinew_cone *const cone[], lane_cone *out) {
  const double *row[4];
  for (int i = 0; i < 4; ++i) {
    row[i] = cone[i < count ? i : 0]->axes[0];
  }
  read_rows(count, VALUES(sinew_cone), row, out);
}

void sinew_cone_fours_set(int count, const sinew_cone *const cone[], const double *const q[],
                          const double far[], sinew_cone_step *const step[]) {
  lane_cone limits;
  lane_cone_step made;
  lane at[4];
  double most[4], *row[4];
  read_cones(count, cone, &limits);
  read_rows(count, 4, q, at);
  for (int i = 0; i < 4; ++i) {
    most[i] = far[i < count ? i : 0];
    row[i] = step[i < count ? i : 0]->row[0];
  }
  lane_cone_step_set(&made, &limits, at, lane_load(most));
  write_rows(count, VALUES(sinew_cone_step), &made, row);
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
  read_rows(count, VALUES(sinew_cone_step), steps, step);
  read_rows(count, 17, motions, values);
  read_rows(count, 3, x, v);
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
  write_rows(count, 3, v, x);
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
  read_rows(count, 4, row, from);
  read_rows(count, 3, w, v);
  cone_rotate(from, v, to);
  write_rows(count, 4, to, q);
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
  read_rows(count, 4, from, before);
  read_rows(count, 4, row, at);
  lane_cone_hold(&limits, before, at);
  write_rows(count, 4, at, q);
}

#endif
