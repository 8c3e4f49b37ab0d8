// Columns of Jacobians by cross products.
#ifndef SINEW_KINEMATICS_JACOBIAN_H
#define SINEW_KINEMATICS_JACOBIAN_H

#include "kinematics/state.h"
#include "math/vector.h"
#include "simd/pair.h"

// How many columns a node has: three if it is spherical, else one.
static inline int sinew_node_columns(const sinew_node *node) {
  return node->kind == SINEW_NODE_SPHERICAL ? 3 : 1;
}

// The twist of a FUNCTION node's value at the node's origin, world axes, without its ratio.
static inline void sinew_function_twist(const sinew_state *state, int n, double linear[3],
                                        double angular[3]) {
  const sinew_function_motion *motion = &sinew_state_motions(state)[n];
  const sinew_columns frame = sinew_frame_load(&state->frames[n]);
  sinew_four_store3(linear, sinew_columns_rotate(frame, sinew_four_load(motion->linear)));
  sinew_four_store3(angular, sinew_columns_rotate(frame, sinew_four_load(motion->angular)));
}

// Column i of a node for the point s, world axes: linear and angular part, by
// its kind (Buss 2009, section 2; w the axis, p its origin, h the pitch):
//   revolute   (w x (s - p);         w)
//   prismatic  (w;                   0)
//   screw      (w x (s - p) + h w;   w)
//   spherical  (w_i x (s - p);       w_i), w_i the moved axes
//   function   (w x (s - p) + v;     w), (v; w) the twist of its value, world axes
// all times the node's ratio.
static inline void sinew_node_column(const sinew_state *state, int n, int i, const double s[3],
                                     double linear[3], double angular[3]) {
  const sinew_node *node = &state->model->nodes[n];
  const sinew_frame *frame = &state->frames[n];
  if (node->kind == SINEW_NODE_FUNCTION) {
    double own[3], carried[3];
    sinew_function_twist(state, n, own, angular);
    sinew_frame_arm(frame, s, carried);
    sinew_cross(angular, carried, linear);
    for (int r = 0; r < 3; ++r) {
      linear[r] = node->ratio * (linear[r] + own[r]);
      angular[r] *= node->ratio;
    }
    return;
  }
  if (node->kind == SINEW_NODE_SPHERICAL) {
    sinew_frame_column(frame, i, angular);
  } else {
    sinew_frame_column(frame, 2, angular);
  }
  if (node->kind == SINEW_NODE_PRISMATIC) {
    for (int r = 0; r < 3; ++r) {
      linear[r] = node->ratio * angular[r];
      angular[r] = 0.0;
    }
    return;
  }
  double arm[3];
  sinew_frame_arm(frame, s, arm);
  sinew_cross(angular, arm, linear);
  if (node->kind == SINEW_NODE_SCREW) {
    for (int r = 0; r < 3; ++r) {
      linear[r] += node->pitch * angular[r];
    }
  }
  if (node->ratio != 1.0) {
    for (int r = 0; r < 3; ++r) {
      linear[r] *= node->ratio;
      angular[r] *= node->ratio;
    }
  }
}

// Adds a scaled column to one of J; coupled joints share their driver's column.
static inline void sinew_column_add(double scale, const double linear[3], const double angular[3],
                                    int nv, double *column) {
  for (int r = 0; r < 3; ++r) {
    column[r * nv] += scale * linear[r];
    column[(r + 3) * nv] += scale * angular[r];
  }
}

// J (6 x nv) = the columns of all nodes on the path from one node (-1: none) to the
// root, for the point s, world axes.
void sinew_state_columns(const sinew_state *state, int node, const double s[3], double *J);

#endif
