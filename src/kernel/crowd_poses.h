// A crowd's poses: of nodes, of the frames of targets, and centres of mass, as kinematics/ computes
// them for one figure.
#ifndef SINEW_KERNEL_CROWD_POSES_H
#define SINEW_KERNEL_CROWD_POSES_H

#include "kernel/crowd.h"
#include "kernel/tree.h"

// The figures of one update, and its arrays.
typedef struct crowd {
  const sinew_crowd_plan *plan;
  const sinew_crowd_block *block;
  lane *space[SINEW_CROWD_SPACES];
  const double *targets; // of the step
  bool further;          // whether the step is not the first of its part
  lane_mask moving;      // the figures that take the step; others need no rounds of it
  lane part;             // the share of the time step that the step may take
  lane error_gain;       // of the step
  lane curvature_share;  // of the step: step/step.h
  lane E;                // half the squared residual
  lane position_error, orientation_error; // the largest of a task
} crowd;

LANE lane *crowd_of(const crowd *self, sinew_crowd_array array) {
  return self->space[array];
}

LANE lane history_load(const crowd *self, int at) {
  return lane_load(self->block->history + at * SINEW_LANES);
}

LANE void history_store(const crowd *self, int at, lane value) {
  lane_store(self->block->history + at * SINEW_LANES, value);
}

LANE lane_mask mask_all(void) {
  return mask_not(mask_of_bits(0));
}

// ------------------------------------------------------------------ poses

LANE void pose_store(const lane_pose *pose, lane *out) {
  for (int i = 0; i < 3; ++i) {
    out[i] = pose->X[i];
    out[3 + i] = pose->Y[i];
    out[6 + i] = pose->Z[i];
    out[9 + i] = pose->p[i];
  }
}

LANE void pose_load(const lane *from, lane_pose *pose) {
  for (int i = 0; i < 3; ++i) {
    pose->X[i] = from[i];
    pose->Y[i] = from[3 + i];
    pose->Z[i] = from[6 + i];
    pose->p[i] = from[9 + i];
  }
}

// Angles beyond this [rad] are reduced, since lane_sincos() is inaccurate for them.
#define CROWD_LARGE_ANGLE 1e5

// Reduces large angles to within -pi and pi.
LANE lane reduce_angles(lane value) {
  double angles[SINEW_LANES];
  lane_store(angles, value);
  for (int l = 0; l < SINEW_LANES; ++l) {
    angles[l] =
        fabs(angles[l]) > CROWD_LARGE_ANGLE ? atan2(sin(angles[l]), cos(angles[l])) : angles[l];
  }
  return lane_load(angles);
}

LANE void crowd_load_quaternion(const crowd *self, int at, lane q[4]) {
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_load(self->block->q + (at + i) * SINEW_LANES);
  }
}

// The same of length 1.
LANE void crowd_load_unit(const crowd *self, int at, lane q[4]) {
  crowd_load_quaternion(self, at, q);
  lane_quaternion_unit(q);
}

// That of a spherical joint in the plan.
LANE const lane *crowd_unit(const crowd *self, int at) {
  return crowd_of(self, SINEW_CROWD_UNIT) + at;
}

// Normalizes the quaternions of q, once for all that reads them until q changes.
LANE void crowd_fill_units(const crowd *self) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  for (int k = 0; k < lanes->node_count; ++k) {
    if (lanes->nodes[k].kind == SINEW_NODE_SPHERICAL) {
      lane *unit = crowd_of(self, SINEW_CROWD_UNIT) + lanes->nodes[k].q;
      crowd_load_unit(self, lanes->nodes[k].q, unit);
    }
  }
}

// Any node's own motion.
LANE void crowd_move(const crowd *self, int k, lane_pose *at) {
  const sinew_lane_node *node = &self->plan->lanes.nodes[k];
  if (node->kind == SINEW_NODE_SPHERICAL) {
    rotate_spherical(crowd_unit(self, node->q), at);
    return;
  }
  const double *values = self->block->q + node->q * SINEW_LANES;
  const lane value = lane_load(values) * lane_of(self->plan->scale[k]);
  const lane_mask far = lane_less(lane_of(CROWD_LARGE_ANGLE), lane_abs(value));
  if (node->kind != SINEW_NODE_PRISMATIC && SINEW_UNLIKELY(mask_bits(far) != 0)) {
    move(node, reduce_angles(value), at);
  } else {
    move(node, value, at);
  }
  if (node->kind == SINEW_NODE_SCREW) {
    add_scaled(lane_of(node->pitch) * (value + lane_of(node->offset)), at->Z, at->p);
  }
}

LANE void crowd_forward(const crowd *self) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane_pose root = {
      {one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
  lane_pose at = root;
  lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  for (int k = 0; k < lanes->node_count; ++k) {
    const sinew_lane_node *node = &lanes->nodes[k];
    if (node->parent < 0) {
      at = root;
    } else if (node->parent != k - 1) {
      pose_load(poses + 12 * node->parent, &at);
    }
    place(node, &at);
    crowd_move(self, k, &at);
    lane *pose = poses + 12 * k;
    if (self->plan->keep[k]) {
      pose_store(&at, pose);
    } else { // its axis and a point on it are enough
      for (int i = 0; i < 3; ++i) {
        pose[6 + i] = at.Z[i];
        pose[9 + i] = at.p[i];
      }
    }
  }
  if (self->plan->rooted) {
    pose_store(&root, poses + 12 * lanes->node_count);
  }
}

// The pose of a node of which the whole is stored; -1: the plan's frame.
LANE const lane *crowd_pose(const crowd *self, int node) {
  const int at = node >= 0 ? node : self->plan->lanes.node_count;
  return crowd_of(self, SINEW_CROWD_POSES) + 12 * at;
}

static void evaluate_poses(const crowd *self) {
  crowd_fill_units(self);
  crowd_forward(self);
}

// R v, the axes of R one after another.
LANE void rotate_by(const lane *axes, const lane v[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(axes[i], v[0], lane_fma(axes[3 + i], v[1], axes[6 + i] * v[2]));
  }
}

// A constant point in the moved frame of a pose.
LANE void place_point(const lane *pose, const double p[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(
        pose[i], lane_of(p[0]),
        lane_fma(pose[3 + i], lane_of(p[1]), lane_fma(pose[6 + i], lane_of(p[2]), pose[9 + i])));
  }
}

// ----------------------------------------------------- frames, centres of mass

// The frames in which targets are given that are relative to a link.
LANE void crowd_frames(const crowd *self) {
  for (int t = 0; t < self->plan->lanes.effector_count; ++t) {
    const sinew_lane_effector *effector = &self->plan->lanes.effectors[t];
    const double *R = effector->frame_R;
    if (!effector->relative) {
      continue;
    }
    const lane *pose = crowd_pose(self, effector->frame_node);
    lane *frame = crowd_of(self, SINEW_CROWD_FRAMES) + 12 * t;
    for (int i = 0; i < 3; ++i) {
      const lane axis[3] = {lane_of(R[i]), lane_of(R[3 + i]), lane_of(R[6 + i])};
      rotate_by(pose, axis, frame + 3 * i);
    }
    place_point(pose, effector->frame_p, frame + 9);
  }
}

// Centres of mass: of all that each node moves, and of the whole figure (kinematics/mass.h).
LANE void crowd_centres(const crowd *self) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  lane *centres = crowd_of(self, SINEW_CROWD_CENTRES), *whole = centres + 3 * lanes->node_count;
  for (int i = 0; i < 3 * lanes->node_count; ++i) {
    centres[i] = lane_of(0.0);
  }
  for (int i = 0; i < 3; ++i) {
    whole[i] = lane_of(lanes->root_mass[i]);
  }
  for (int k = lanes->node_count; k-- > 0;) { // the nodes on k have larger indices
    const sinew_lane_mass *mass = &lanes->masses[k];
    lane *centre = centres + 3 * k;
    if (mass->own > 0.0) {
      lane p[3];
      place_point(poses + 12 * k, mass->centre, p);
      add_scaled(lane_of(mass->own), p, centre);
    }
    const int parent = lanes->nodes[k].parent;
    add_scaled(lane_of(mass->share), centre, parent >= 0 ? centres + 3 * parent : whole);
  }
}

#endif
