// The kinematic Hessian: the derivative of each column with respect to each value.
//
// Let a and b be on the path to the link, a at b or nearer to the root; w_a is the axis of a
// rotation a, and 0 for a translation. Moving a moves b and the point as one rigid body, and so
// rotates b's column; moving b moves the point, and so a's arm:
//   d(Jv_b)/dq_a = w_a x Jv_b    d(Jw_b)/dq_a = w_a x Jw_b
//   d(Jv_a)/dq_b = w_a x Jv_b    d(Jw_a)/dq_b = 0             (a not b)
// So the linear part is symmetric, except among the three of a spherical joint, which are about
// moved axes: for them the first line holds in both orders.
//
// Source: Hourtash, The kinematic Hessian and higher derivatives, 2005.
#include "kinematics/jacobian.h"
#include "sinew/reference.h"

// Adds scale * (w x linear; w x angular) to the entries j, k of all six rows. Where
// angular is NULL, so is its part.
static void add_entry(double *H, int nv, int j, int k, const double w[3], const double linear[3],
                      const double *angular) {
  const size_t size = (size_t)nv * (size_t)nv, at = (size_t)j * (size_t)nv + (size_t)k;
  double turned[3];
  sinew_cross(w, linear, turned);
  for (size_t r = 0; r < 3; ++r) {
    H[r * size + at] += turned[r];
  }
  if (angular != NULL) {
    sinew_cross(w, angular, turned);
    for (size_t r = 0; r < 3; ++r) {
      H[(r + 3) * size + at] += turned[r];
    }
  }
}

// All entries of two nodes, a nearer the root than b or b itself.
static void add_pair(const sinew_state *state, int a, int b, const double s[3], double *H) {
  const sinew_node *near = &state->model->nodes[a], *far = &state->model->nodes[b];
  const int nv = state->model->nv;
  for (int i = 0; i < sinew_node_columns(near); ++i) {
    double unused[3], w[3];
    sinew_node_column(state, a, i, s, unused, w); // w is 0 for a prismatic node
    for (int j = 0; j < sinew_node_columns(far); ++j) {
      double linear[3], angular[3];
      sinew_node_column(state, b, j, s, linear, angular);
      add_entry(H, nv, far->v + j, near->v + i, w, linear, angular);
      if (a != b) {
        add_entry(H, nv, near->v + i, far->v + j, w, linear, NULL);
      }
    }
  }
}

sinew_result sinew_state_hessian(const sinew_state *state, int link, const double *point_l,
                                 double *H) {
  SINEW_ASSERT(state != NULL && (H != NULL || state->model->nv == 0));
  const sinew_model *model = state->model;
  if (model->function_count > 0) {
    return SINEW_ERROR_UNSUPPORTED;
  }
  double s[3];
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_zero(6 * (size_t)model->nv * (size_t)model->nv, H);
  for (int b = model->link_node[link]; b >= 0; b = model->nodes[b].parent) {
    for (int a = b; a >= 0; a = model->nodes[a].parent) {
      if (model->nodes[a].kind != SINEW_NODE_PRISMATIC) {
        add_pair(state, a, b, s, H);
      }
    }
  }
  return SINEW_OK;
}
