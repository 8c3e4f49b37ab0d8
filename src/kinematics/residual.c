// The error of a pose and its exact derivative.
//
// With target (R_d, t) and link (R, s), e = (t - s; r), r = log(R_d R^T). A rotation of
// the link by w multiplies R_d R^T from the right by exp(-w), and so, with the right
// Jacobian J_r(r) = J_l(-r) of the rotation vector,
//   de/dq = -(Jv; J_r(r)^-1 Jw).
// The minus sign is there because e is target minus effector.
//
// Source: Barfoot 2017, section 7.1 (the Jacobians of rotations).
#include "kinematics/jacobian.h"
#include "base/error.h"
#include "math/rotation.h"
#include "math/within.h"

#include <string.h>

// Whether a pose can be a target; if so, R is its rotation matrix.
static bool target_rotation(const sinew_pose *target, double R[9]) {
  double q[4];
  const bool usable =
      sinew_is_usable3(target->position) && sinew_all_within(4, target->rotation, SINEW_HUGE);
  bool zero = true; // a quaternion without a direction
  for (int i = 0; i < 4; ++i) {
    zero &= target->rotation[i] == 0.0;
  }
  memcpy(q, target->rotation, sizeof q);
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, R);
  return usable && !zero;
}

sinew_result sinew_state_residual_jacobian(const sinew_state *state, int link,
                                           const double *point_l, const sinew_pose *target,
                                           double residual[6], double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  SINEW_ASSERT(target != NULL && residual != NULL);
  const sinew_model *model = state->model;
  double R[9], Rd[9], rotation[9], inverse[9], s[3];
  const sinew_result result = sinew_state_point(state, link, point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  if (!target_rotation(target, Rd)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  sinew_expect_ok(sinew_state_link_frame(state, link, R, NULL));
  sinew_matrix_multiply_transposed(Rd, R, rotation);
  sinew_rotation_log(rotation, residual + 3);
  double backward[3];
  for (int r = 0; r < 3; ++r) {
    residual[r] = target->position[r] - s[r];
    backward[r] = -residual[r + 3];
  }
  sinew_rotation_left_jacobian_inverse(backward, inverse);
  sinew_state_columns(state, model->link_node[link], s, J);
  const int nv = model->nv;
  for (int v = 0; v < nv; ++v) {
    double w[3] = {J[3 * nv + v], J[4 * nv + v], J[5 * nv + v]};
    sinew_rotate(inverse, w, w);
    for (int r = 0; r < 3; ++r) {
      J[r * nv + v] = -J[r * nv + v];
      J[(r + 3) * nv + v] = -w[r];
    }
  }
  return SINEW_OK;
}
