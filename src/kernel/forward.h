// Poses in lanes: from a parent's moved frame to its child's.
#ifndef SINEW_KERNEL_FORWARD_H
#define SINEW_KERNEL_FORWARD_H

#include "kernel/plan.h"
#include "simd/elementary.h"

// The axes of a frame and its origin.
typedef struct lane_pose {
  lane X[3], Y[3], Z[3], p[3];
} lane_pose;

LANE void add_scaled(lane s, const lane v[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(s, v[i], out[i]);
  }
}

LANE void cross3(const lane a[3], const lane b[3], lane out[3]) {
  out[0] = lane_fnma(a[2], b[1], a[1] * b[2]);
  out[1] = lane_fnma(a[0], b[2], a[2] * b[0]);
  out[2] = lane_fnma(a[1], b[0], a[0] * b[1]);
}

LANE lane dot3(const lane a[3], const lane b[3]) {
  return lane_fma(a[0], b[0], lane_fma(a[1], b[1], a[2] * b[2]));
}

// Rotates two axes: u <- c u + s v, v <- c v - s u.
LANE void rotate_axes(lane c, lane s, lane u[3], lane v[3]) {
  for (int i = 0; i < 3; ++i) {
    const lane was = u[i];
    u[i] = lane_fma(s, v[i], c * was);
    v[i] = lane_fnma(s, was, c * v[i]);
  }
}

LANE void quarter_axes(lane Y[3], lane Z[3]) {
  for (int i = 0; i < 3; ++i) {
    const lane was = Y[i];
    Y[i] = Z[i];
    Z[i] = -was;
  }
}

LANE void place_general(const sinew_lane_node *node, lane_pose *at) {
  lane_pose out = *at;
  for (int i = 0; i < 3; ++i) {
    const lane x = at->X[i], y = at->Y[i], z = at->Z[i];
    const double *R = node->R;
    out.X[i] = lane_fma(x, lane_of(R[0]), lane_fma(y, lane_of(R[3]), z * lane_of(R[6])));
    out.Y[i] = lane_fma(x, lane_of(R[1]), lane_fma(y, lane_of(R[4]), z * lane_of(R[7])));
    out.Z[i] = lane_fma(x, lane_of(R[2]), lane_fma(y, lane_of(R[5]), z * lane_of(R[8])));
    out.p[i] =
        lane_fma(x, lane_of(node->p[0]),
                 lane_fma(y, lane_of(node->p[1]), lane_fma(z, lane_of(node->p[2]), at->p[i])));
  }
  *at = out;
}

// From a parent's moved frame to a node's frame before its motion.
LANE void place(const sinew_lane_node *node, lane_pose *at) {
  switch (node->form) {
  case SINEW_LANE_SAME:
    return;
  case SINEW_LANE_GENERAL:
    place_general(node, at);
    return;
  case SINEW_LANE_ALIGNED:
    break;
  case SINEW_LANE_QUARTER:
    quarter_axes(at->Y, at->Z);
    break;
  case SINEW_LANE_INCLINED:
    rotate_axes(lane_of(node->c), lane_of(node->s), at->Y, at->Z);
    break;
  }
  if (node->a != 0.0) {
    add_scaled(lane_of(node->a), at->X, at->p);
  }
}

// A node's rotation or translation by its value in the lanes; of a screw the rotation only. The
// motion does not change its axis Z, and the origin p afterwards is still a point on that axis.
LANE void move(const sinew_lane_node *node, lane value, lane_pose *at) {
  const lane d = lane_of(node->d);
  if (node->kind != SINEW_NODE_PRISMATIC) {
    lane s, c;
    lane_sincos(value + lane_of(node->offset), &s, &c);
    rotate_axes(c, s, at->X, at->Y);
    if (node->d != 0.0) {
      add_scaled(d, at->Z, at->p);
    }
    return;
  }
  if (node->turn != 0.0) {
    rotate_axes(lane_of(node->turn_c), lane_of(node->turn_s), at->X, at->Y);
  }
  add_scaled(value + lane_of(node->offset) + d, at->Z, at->p);
}

// r = angle / s v for a v of length s = k sin(angle). If s is lost in rounding the angle is about 0
// or pi; in the latter case r is along any.
LANE void rotation_along(lane s, lane angle, const lane v[3], const lane any[3], lane r[3]) {
  const lane_mask plain = lane_less(lane_of(1e-12), s), half = lane_less(lane_of(1.0), angle);
  const lane scale = angle / lane_select(plain, s, lane_of(1.0));
  for (int i = 0; i < 3; ++i) {
    const lane lost = lane_select(half, angle * any[i], lane_of(0.5) * v[i]);
    r[i] = lane_select(plain, scale * v[i], lost);
  }
}

// The rotation vector from axes R to D, and its length.
LANE lane rotation_between(const lane_pose *R, const lane D[9], lane r[3]) {
  lane v[3], w[3], u[3];
  cross3(R->X, D, v);
  cross3(R->Y, D + 3, w);
  cross3(R->Z, D + 6, u);
  for (int i = 0; i < 3; ++i) {
    v[i] = v[i] + w[i] + u[i]; // 2 sin(theta) u
  }
  const lane c = dot3(R->X, D) + dot3(R->Y, D + 3) + dot3(R->Z, D + 6) - lane_of(1.0);
  const lane s = lane_sqrt(dot3(v, v));
  const lane angle = lane_angle(s, c);
  rotation_along(s, angle, v, R->X, r);
  return angle;
}

#endif
