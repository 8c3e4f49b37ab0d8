// The Jacobian in body axes in one pass from the link to the root, straight from
// the joint values: no world pose is needed.
//
// T, the link's point and axes as seen from the frame of the node at hand, grows
// by one factor a node on the way, so that each partial product of the
// exponentials serves its node's columns, all those nearer the root and at the end
// the link's pose. A node's twist z in its own frame becomes Ad(T)^-1 z in the
// link's: with T = (R, p),
//   turn about e_i     (R^T (e_i x p);  R^T e_i)
//   slide along e_i    (R^T e_i;        0)
// where R^T e_i is row i of R, and z of a turn, slide or screw is along e_2.
// Compiled for each instruction set.
//
// Source: Murray, Li, Sastry 1994, section 3.4; Orin, Schrader, Efficient computation of
// the Jacobian for robot manipulators, 1984 (the recursion).
#include "kinematics/jacobian.h"
#include "simd/sincos.h"

// The twist of a unit turn about axis i of a node, in the link's frame.
static inline void turn_column(const sinew_frame *T, int i, double linear[3], double angular[3]) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const double pj = sinew_frame_R(T, j, 3), pk = sinew_frame_R(T, k, 3);
  for (int r = 0; r < 3; ++r) {
    angular[r] = sinew_frame_R(T, i, r);
    linear[r] = pj * sinew_frame_R(T, k, r) - pk * sinew_frame_R(T, j, r);
  }
}

static inline void add_columns(const sinew_node *node, const sinew_frame *T, int nv, double *J) {
  double linear[3], angular[3];
  double *column = J + node->v;
  if (node->kind == SINEW_NODE_SPHERICAL) {
    for (int i = 0; i < 3; ++i) {
      turn_column(T, i, linear, angular);
      sinew_column_add(1.0, linear, angular, nv, column + i);
    }
    return;
  }
  turn_column(T, 2, linear, angular);
  if (node->kind == SINEW_NODE_SCREW) {
    for (int r = 0; r < 3; ++r) {
      linear[r] += node->pitch * angular[r];
    }
  } else if (node->kind == SINEW_NODE_PRISMATIC) {
    for (int r = 0; r < 3; ++r) {
      linear[r] = angular[r];
      angular[r] = 0.0;
    }
  }
  sinew_column_add(node->ratio, linear, angular, nv, column);
}

// Sines and cosines of the nodes on the way, in its order.
SINEW_ALWAYS_INLINE void turn_path(const sinew_state *state, const double *q, int node) {
  const sinew_model *model = state->model;
  int count = 0;
  for (int n = node; n >= 0; n = model->nodes[n].parent) {
    state->angle[count++] = sinew_node_angle(&model->nodes[n], q);
  }
  sinew_sincos(count, state->angle, state->sine, state->cosine);
}

// From a node to the root.
static void walk(const sinew_state *state, const double *q, int node, sinew_frame *T, double *J) {
  const sinew_model *model = state->model;
  const double *cosine = state->cosine, *sine = state->sine;
  turn_path(state, q, node);
  for (int n = node; n >= 0; n = model->nodes[n].parent) {
    add_columns(&model->nodes[n], T, model->nv, J);
    sinew_frame_store(T, sinew_columns_multiply(sinew_node_local(model, n, q, *cosine++, *sine++),
                                                sinew_frame_load(T)));
  }
}

sinew_result sinew_state_find_jacobian_body(sinew_state *state, const double *q, int link,
                                            const double *point_l, double *J, sinew_pose *pose) {
  const sinew_model *model = state->model;
  if (link < 0 || link >= model->link_count) {
    return SINEW_ERROR_INDEX;
  }
  if (!sinew_state_accepts(model, q) || !sinew_point_accepts(point_l)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  // T begins at the node that carries the link.
  sinew_frame T = model->link_offsets[link];
  if (point_l != NULL) {
    double p[3];
    sinew_frame_transform(&T, point_l, p);
    sinew_frame_set_column(&T, 3, p);
  }
  sinew_zero(6 * (size_t)model->nv, J);
  walk(state, q, model->link_node[link], &T, J);
  if (pose != NULL) {
    sinew_frame_to_pose(&T, pose);
  }
  return SINEW_OK;
}
