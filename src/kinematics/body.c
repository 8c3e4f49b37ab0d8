// The Jacobian in body axes in one pass from the link to the root, directly from the joint values:
// no world pose is needed. Compiled for each instruction set.
//
// T = (R, p) is the pose of the link's point and axes in the frame of the current node. From each
// node to its parent it is multiplied by one factor,
//
//   T <- P_n M_n(q) T
//
// so that each partial product of the exponentials is used for the columns of its node and for all
// nodes nearer to the root; the last one is the pose of the link. The twist z of a node in its own
// frame is Ad(T)^-1 z in that of the link:
//
//   rotation about e_i       (R^T (e_i x p);  R^T e_i)
//   translation along e_i    (R^T e_i;        0)
//
// R^T e_i is row i of R. Revolute, prismatic and screw joints have their axis along e_2.
//
// Source: Murray, Li, Sastry 1994, section 3.4; Orin, Schrader, Efficient computation of
// the Jacobian for robot manipulators, 1984 (the recursion).
#include "kinematics/jacobian.h"
#include "simd/sincos.h"

// The twist of a unit rotation about axis i of a node, in the frame of the link.
static inline void rotation_column(const sinew_frame *T, int i, double linear[3],
                                   double angular[3]) {
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
      rotation_column(T, i, linear, angular);
      sinew_column_add(1.0, linear, angular, nv, column + i);
    }
    return;
  }
  rotation_column(T, 2, linear, angular);
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

// Sines and cosines of the nodes from the link to the root, in this order.
SINEW_ALWAYS_INLINE void find_path_sines(const sinew_state *state, const double *q, int node) {
  const sinew_model *model = state->model;
  int count = 0;
  for (int n = node; n >= 0; n = model->nodes[n].parent) {
    state->angle[count++] = sinew_node_angle(&model->nodes[n], q);
  }
  sinew_sincos(count, state->angle, state->sine, state->cosine);
}

// The pass from a node to the root.
static void add_path(const sinew_state *state, const double *q, int node, sinew_frame *T,
                     double *J) {
  const sinew_model *model = state->model;
  const double *cosine = state->cosine, *sine = state->sine;
  find_path_sines(state, q, node);
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
  add_path(state, q, model->link_node[link], &T, J);
  if (pose != NULL) {
    sinew_frame_to_pose(&T, pose);
  }
  return SINEW_OK;
}
