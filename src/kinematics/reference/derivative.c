// The time derivative of the Jacobian for given joint velocities.
//
// A column (a x r + h a; a) with the axis a, the arm r = s - p and the pitch h has the derivative
//   (a' x r + a x r' + h a';  a'),   a' = W x a,   r' = s' - p',
// W the angular velocity of its node. A prismatic column is (a; 0). The three axes of a spherical
// joint rotate with its moved frame.
//
// The same follows from blocks: the derivative of Ad(g) for g = (R, p - s), with
// its own v = t' - W x t (sinew_pose_adjoint_derivative()).
//
// Source: Rabbani, Jacobian, "Jacobian derivative".
#include "kinematics/jacobian.h"
#include "sinew/reference.h"
#include "base/error.h"

#include <string.h>

// The derivative of column i of a node, without its ratio.
static void column_rate(const sinew_state *state, int n, int i, const double s[3],
                        const double s_rate[3], double linear[3], double angular[3]) {
  const sinew_node *node = &state->model->nodes[n];
  const double *p_rate = state->twists + 6 * n, *W = p_rate + 3;
  double p[3], axis[3], turned[3], first[3], second[3];
  sinew_frame_column(&state->frames[n], 3, p);
  sinew_frame_column(&state->frames[n], node->kind == SINEW_NODE_SPHERICAL ? i : 2, axis);
  sinew_cross(W, axis, turned);
  if (node->kind == SINEW_NODE_PRISMATIC) {
    memcpy(linear, turned, sizeof turned);
    memset(angular, 0, 3 * sizeof(double));
    return;
  }
  const double arm[3] = {s[0] - p[0], s[1] - p[1], s[2] - p[2]};
  const double arm_rate[3] = {s_rate[0] - p_rate[0], s_rate[1] - p_rate[1], s_rate[2] - p_rate[2]};
  const double pitch = node->kind == SINEW_NODE_SCREW ? node->pitch : 0.0;
  sinew_cross(turned, arm, first);
  sinew_cross(axis, arm_rate, second);
  for (int r = 0; r < 3; ++r) {
    linear[r] = first[r] + second[r] + pitch * turned[r];
    angular[r] = turned[r];
  }
}

sinew_result sinew_state_jacobian_derivative(sinew_state *state, int link, const double *point_l,
                                             const double *v, double *J_rate) {
  SINEW_ASSERT(state != NULL && (J_rate != NULL || state->model->nv == 0));
  const sinew_model *model = state->model;
  const int nv = model->nv;
  if (model->function_count > 0) {
    return SINEW_ERROR_UNSUPPORTED;
  }
  double s[3], twist[6];
  const sinew_result result = sinew_state_twist(state, link, point_l, v, twist);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_expect_ok(sinew_state_point(state, link, point_l, s));
  sinew_zero(6 * (size_t)nv, J_rate);
  for (int n = model->link_node[link]; n >= 0; n = model->nodes[n].parent) {
    const sinew_node *node = &model->nodes[n];
    for (int i = 0; i < sinew_node_columns(node); ++i) {
      double linear[3], angular[3];
      column_rate(state, n, i, s, twist, linear, angular);
      sinew_column_add(node->ratio, linear, angular, nv, J_rate + node->v + i);
    }
  }
  return SINEW_OK;
}
