// The Jacobian in body axes in one pass from the link to the root, directly from the joint values:
// no world pose is needed. Compiled for each instruction set.
//
// B = (A, b) is the pose of the current node in the frame of the link's point and axes. From each
// node to its parent it is multiplied by the inverse of one factor,
//
//   B <- B (P_n M_n(q))^-1
//
// so that each partial product of the exponentials is used for the columns of its node and for all
// nodes nearer to the root; the last one is the inverse of the link's pose. A is orthogonal, and so
// the twist z of a node in its own frame, Ad(B) z, is
//
//   rotation about e_i       (b x A e_i;  A e_i)
//   translation along e_i    (A e_i;      0)
//   twist (v; w)             (A v + b x A w;  A w)
//
// A e_i is column i of A. Revolute, prismatic and screw joints have their axis along e_2.
//
// Source: Murray, Li, Sastry 1994, section 3.4; Orin, Schrader, Efficient computation of
// the Jacobian for robot manipulators, 1984 (the recursion).
#include "kinematics/jacobian.h"
#include "simd/sincos.h"

// a factor^-1, for the rigid motion (R, p): columns of A R^T, and b - A R^T p.
SINEW_ALWAYS_INLINE sinew_columns times_inverse(sinew_columns a, sinew_columns factor) {
  const sinew_four x = a.x * SINEW_FOUR_SPREAD(factor.x, 0) + a.y * SINEW_FOUR_SPREAD(factor.y, 0) +
                       a.z * SINEW_FOUR_SPREAD(factor.z, 0);
  const sinew_four y = a.x * SINEW_FOUR_SPREAD(factor.x, 1) + a.y * SINEW_FOUR_SPREAD(factor.y, 1) +
                       a.z * SINEW_FOUR_SPREAD(factor.z, 1);
  const sinew_four z = a.x * SINEW_FOUR_SPREAD(factor.x, 2) + a.y * SINEW_FOUR_SPREAD(factor.y, 2) +
                       a.z * SINEW_FOUR_SPREAD(factor.z, 2);
  return (sinew_columns){x, y, z,
                         a.p - sinew_columns_rotate((sinew_columns){x, y, z, a.p}, factor.p)};
}

SINEW_ALWAYS_INLINE sinew_columns unit_columns(void) {
  return (sinew_columns){{1.0, 0.0, 0.0, 0.0}, {0.0, 1.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}, {0.0}};
}

SINEW_ALWAYS_INLINE void store_column(sinew_four linear, sinew_four angular, int nv,
                                      double *column) {
  column[0] = linear[0];
  column[nv] = linear[1];
  column[2 * nv] = linear[2];
  column[3 * nv] = angular[0];
  column[4 * nv] = angular[1];
  column[5 * nv] = angular[2];
}

// Coupled joints share their driver's column.
SINEW_ALWAYS_INLINE void add_column(double scale, sinew_four linear, sinew_four angular, int nv,
                                    double *column) {
  for (int r = 0; r < 3; ++r) {
    column[r * nv] += scale * linear[r];
    column[(r + 3) * nv] += scale * angular[r];
  }
}

// motion: of a FUNCTION node
SINEW_ALWAYS_INLINE void add_columns(const sinew_node *node, sinew_columns B,
                                     const sinew_function_motion *motion, int nv, double *column) {
  const sinew_four zero = {0.0};
  const sinew_four turn = sinew_four_cross(B.p, B.z);
  switch (node->kind) {
  case SINEW_NODE_SPHERICAL:
    add_column(1.0, sinew_four_cross(B.p, B.x), B.x, nv, column);
    add_column(1.0, sinew_four_cross(B.p, B.y), B.y, nv, column + 1);
    add_column(1.0, turn, B.z, nv, column + 2);
    break;
  case SINEW_NODE_PRISMATIC:
    add_column(node->ratio, B.z, zero, nv, column);
    break;
  case SINEW_NODE_SCREW:
    add_column(node->ratio, turn + B.z * SINEW_FOUR_OF(node->pitch), B.z, nv, column);
    break;
  case SINEW_NODE_FUNCTION: {
    const sinew_four w = sinew_columns_rotate(B, sinew_four_load(motion->angular));
    const sinew_four v = sinew_columns_rotate(B, sinew_four_load(motion->linear));
    add_column(node->ratio, sinew_four_cross(B.p, w) + v, w, nv, column);
    break;
  }
  default:
    add_column(node->ratio, turn, B.z, nv, column);
    break;
  }
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

// The pass from a node to the root. Returns the last B.
static sinew_columns add_path(const sinew_state *state, const double *q, int node, sinew_columns B,
                              const sinew_function_motion *motions, double *J) {
  const sinew_model *model = state->model;
  const double *cosine = state->cosine, *sine = state->sine;
  const int nv = model->nv;
  find_path_sines(state, q, node);
  for (int n = node; n >= 0; n = model->nodes[n].parent) {
    const sinew_node *at = &model->nodes[n];
    if (at->kind == SINEW_NODE_REVOLUTE && at->alone) {
      store_column(sinew_four_cross(B.p, B.z), B.z, nv, J + at->v);
    } else {
      add_columns(at, B, motions != NULL ? &motions[n] : NULL, nv, J + at->v);
    }
    B = times_inverse(B, sinew_node_local(model, n, q, motions, *cosine++, *sine++));
  }
  return B;
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
  sinew_function_motion *motions = state->called != NULL ? state->called->other : NULL;
  if (motions != NULL && sinew_model_call_functions(model, q, motions) >= 0) {
    return SINEW_ERROR_NOT_FINITE;
  }
  // B begins at the node that carries the link.
  sinew_columns offset = sinew_frame_load(&model->link_offsets[link]);
  if (point_l != NULL) {
    offset.p = sinew_columns_point(offset, sinew_four_load3(point_l));
  }
  sinew_zero(6 * (size_t)model->nv, J);
  const sinew_columns B =
      add_path(state, q, model->link_node[link], times_inverse(unit_columns(), offset), motions, J);
  if (pose != NULL) {
    sinew_frame T;
    sinew_frame_store(&T, times_inverse(unit_columns(), B));
    sinew_frame_to_pose(&T, pose);
  }
  return SINEW_OK;
}
