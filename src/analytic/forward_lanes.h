// Forward kinematics of an arm by the frames of its axes (sinew_arm_frames), for branches side by
// side that differ in the angles of one group of axes: what is nearer to the tip is computed once
// for all, and the target is brought to the group once.
#ifndef SINEW_ANALYTIC_FORWARD_LANES_H
#define SINEW_ANALYTIC_FORWARD_LANES_H

#include "analytic/angle_lanes.h"
#include "analytic/arm.h"

// The direction of the last axis, y across it, and the tip, in the frame of an axis before its
// rotation.
typedef struct tip_lanes {
  lane h[3], y[3], at[3];
} tip_lanes;

LANE angles forward_angle(const sinew_arm_frames *frames, int i, angles a) {
  const lane c = lane_of(frames->offset[i].c), s = lane_of(frames->offset[i].s);
  return (angles){a.c * c - a.s * s, a.s * c + a.c * s};
}

LANE void about_x(sinew_angle by, lane v[3]) {
  const lane c = lane_of(by.c), s = lane_of(by.s), y = v[1];
  v[1] = c * y - s * v[2];
  v[2] = s * y + c * v[2];
}

LANE void about_z(angles a, lane v[3]) {
  const lane x = v[0];
  v[0] = a.c * x - a.s * v[1];
  v[1] = a.s * x + a.c * v[1];
}

// Rotates about the last two axes.
LANE void forward_begin(const sinew_arm_frames *frames, int last, const angles *own,
                        tip_lanes *tip) {
  const angles a = forward_angle(frames, last, own[last]);
  const angles b = forward_angle(frames, last - 1, own[last - 1]);
  const lane c = lane_of(frames->twist[last - 1].c), s = lane_of(frames->twist[last - 1].s);
  for (int j = 0; j < 3; ++j) {
    tip->at[j] = lane_of(frames->step[last][j]);
  }
  about_z(a, tip->at);
  about_x(frames->twist[last - 1], tip->at);
  for (int j = 0; j < 3; ++j) {
    tip->at[j] = tip->at[j] + lane_of(frames->step[last - 1][j]);
  }
  about_z(b, tip->at);
  tip->y[0] = a.c;
  tip->y[1] = a.s * c;
  tip->y[2] = a.s * s;
  about_z(b, tip->y);
  tip->h[0] = s * b.s;
  tip->h[1] = -s * b.c;
  tip->h[2] = c;
}

// Rotates about axis i.
LANE void forward_by(const sinew_arm_frames *frames, int i, const angles *own, tip_lanes *tip) {
  const angles a = forward_angle(frames, i, own[i]);
  about_x(frames->twist[i], tip->h);
  about_x(frames->twist[i], tip->y);
  about_x(frames->twist[i], tip->at);
  for (int j = 0; j < 3; ++j) {
    tip->at[j] = tip->at[j] + lane_of(frames->step[i][j]);
  }
  about_z(a, tip->h);
  about_z(a, tip->y);
  about_z(a, tip->at);
}

// Takes the rotation about axis i away.
LANE void back_by(const sinew_arm_frames *frames, int i, const angles *own, tip_lanes *tip) {
  const angles a = angles_back(forward_angle(frames, i, own[i]));
  const sinew_angle twist = sinew_angle_back(frames->twist[i]);
  about_z(a, tip->h);
  about_z(a, tip->y);
  about_z(a, tip->at);
  for (int j = 0; j < 3; ++j) {
    tip->at[j] = tip->at[j] - lane_of(frames->step[i][j]);
  }
  about_x(twist, tip->h);
  about_x(twist, tip->y);
  about_x(twist, tip->at);
}

// The target in the frame of the first axis.
LANE void forward_target(const sinew_arm_plan *plan, const double R[9], const double p[3],
                         tip_lanes *tip) {
  const sinew_arm *own = &plan->own;
  double v[3], in[3];
  const double from[3] = {p[0] - own->P[0][0], p[1] - own->P[0][1], p[2] - own->P[0][2]};
  sinew_rotate(plan->frames.root, from, in);
  spread3(in, tip->at);
  sinew_rotate(R, own->h[own->count - 1], v);
  sinew_rotate(plan->frames.root, v, in);
  spread3(in, tip->h);
  sinew_rotate(R, plan->frames.y, v);
  sinew_rotate(plan->frames.root, v, in);
  spread3(in, tip->y);
}

// The squares of the angle and of the distance between two. With differences dh and dy, a rotation
// by w has |w|^2 = |dh|^2 + |dy|^2 - (dh . y)^2.
LANE void forward_compare(const tip_lanes *a, const tip_lanes *b, lane *turn, lane *gap) {
  lane h[3], y[3], at[3];
  for (int j = 0; j < 3; ++j) {
    h[j] = a->h[j] - b->h[j];
    y[j] = a->y[j] - b->y[j];
    at[j] = a->at[j] - b->at[j];
  }
  const lane both = dots3(h, b->y);
  *turn = lane_max(dots3(h, h) + dots3(y, y) - both * both, lane_of(0.0));
  *gap = dots3(at, at);
}

#endif
