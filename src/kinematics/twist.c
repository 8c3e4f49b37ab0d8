// The twist of a link from the joints' velocities, by recursion from the root outward. With the
// node's origin p, its parent's origin p', axis a and rate v:
//
//   angular = angular' + a v (revolute, screw, spherical)
//   linear  = linear' + angular' x (p - p') + a v (prismatic), + h a v (screw of pitch h)
//
// A joint's function gives its own two parts.
//
// Source: Murray, Li, Sastry 1994, chapter 3.
#include "kinematics/jacobian.h"
#include "math/within.h"

#include <string.h>

// The twist of a node's frame: its parent's, at the node's origin, plus that of its own motion.
static void node_twist(sinew_state *state, int n, const double *v) {
  const sinew_node *node = &state->model->nodes[n];
  const sinew_frame *frame = &state->frames[n];
  double *linear = state->twists + 6 * n, *angular = linear + 3;
  memset(linear, 0, 6 * sizeof(double));
  double p[3], origin[3], axis[3], carried[3];
  sinew_frame_column(frame, 3, p);
  if (node->parent >= 0) {
    memcpy(linear, state->twists + 6 * node->parent, 6 * sizeof(double));
    sinew_frame_column(&state->frames[node->parent], 3, origin);
    const double arm[3] = {p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]};
    sinew_cross(angular, arm, carried);
    for (int r = 0; r < 3; ++r) {
      linear[r] += carried[r];
    }
  }
  if (node->kind == SINEW_NODE_FUNCTION) {
    sinew_function_twist(state, n, carried, axis);
    for (int r = 0; r < 3; ++r) {
      linear[r] += node->ratio * v[node->v] * carried[r];
      angular[r] += node->ratio * v[node->v] * axis[r];
    }
    return;
  }
  for (int i = 0; i < sinew_node_columns(node); ++i) {
    const double rate = node->ratio * v[node->v + i];
    const double linear_rate = node->kind == SINEW_NODE_PRISMATIC
                                   ? 1.0
                                   : (node->kind == SINEW_NODE_SCREW ? node->pitch : 0.0);
    sinew_frame_column(frame, node->kind == SINEW_NODE_SPHERICAL ? i : 2, axis);
    for (int r = 0; r < 3; ++r) {
      linear[r] += linear_rate * rate * axis[r];
      angular[r] += node->kind == SINEW_NODE_PRISMATIC ? 0.0 : rate * axis[r];
    }
  }
}

void sinew_state_place_twists(sinew_state *state, const double *v) {
  for (int n = 0; n < state->model->node_count; ++n) {
    node_twist(state, n, v);
  }
}

sinew_result sinew_state_twist(sinew_state *state, int link, const double *point_l, const double *v,
                               double twist[6]) {
  SINEW_ASSERT(state != NULL && twist != NULL);
  SINEW_ASSERT(v != NULL || state->model->nv == 0);
  const sinew_model *model = state->model;
  double s[3];
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  if (!sinew_all_within(model->nv, v, SINEW_HUGE)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_state_place_twists(state, v);
  memset(twist, 0, 6 * sizeof(double));
  const int node = model->link_node[link];
  if (node >= 0) {
    double origin[3], carried[3];
    memcpy(twist, state->twists + 6 * node, 6 * sizeof(double));
    sinew_frame_column(&state->frames[node], 3, origin);
    const double arm[3] = {s[0] - origin[0], s[1] - origin[1], s[2] - origin[2]};
    sinew_cross(twist + 3, arm, carried);
    for (int r = 0; r < 3; ++r) {
      twist[r] += carried[r];
    }
  }
  return SINEW_OK;
}
