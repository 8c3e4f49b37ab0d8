// Jacobians without formulas for their columns: finite differences of the forward kinematics, and
// twists at unit velocities. They are slow, and serve to verify the formulas.
#include "base/error.h"
#include "kinematics/jacobian.h"
#include "math/rotation.h"
#include "sinew/reference.h"

#include <string.h>

// The point and the rotation of a link with value v moved by a step.
static void moved_frame(sinew_state *state, const double *q, int v, double step, int link,
                        const double *point_l, double s[3], double R[9]) {
  const sinew_model *model = state->model;
  double *velocity = state->twists; // at least nv doubles: 6 for each node
  memset(velocity, 0, (size_t)model->nv * sizeof(double));
  velocity[v] = step;
  sinew_configuration_integrate(model, q, velocity, state->q);
  sinew_state_place(state, state->q);
  sinew_expect_ok(sinew_state_point(state, link, point_l, s));
  sinew_expect_ok(sinew_state_link_frame(state, link, R, NULL));
}

sinew_result sinew_state_jacobian_differences(sinew_state *state, const double *q, int link,
                                              const double *point_l, sinew_difference method,
                                              double epsilon, double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  SINEW_ASSERT(q != NULL || state->model->nq == 0);
  const sinew_model *model = state->model;
  double s0[3], s1[3], R0[9], R1[9], turn[9], w[3];
  if (link < 0 || link >= model->link_count) {
    return SINEW_ERROR_INDEX;
  }
  if (!sinew_is_usable(epsilon) || !sinew_point_accepts(point_l)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  if (epsilon < 1.0 / SINEW_HUGE) { // quotients by it must stay finite
    return SINEW_ERROR_ARGUMENT;
  }
  const sinew_result result = sinew_state_forward(state, q);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_state_begin_functions(state);
  const double back = method == SINEW_DIFFERENCE_CENTRAL ? -epsilon : 0.0;
  for (int v = 0; v < model->nv; ++v) {
    moved_frame(state, q, v, back, link, point_l, s0, R0);
    moved_frame(state, q, v, epsilon, link, point_l, s1, R1);
    sinew_matrix_multiply_transposed(R1, R0, turn);
    sinew_rotation_log(turn, w);
    for (int r = 0; r < 3; ++r) {
      J[r * model->nv + v] = (s1[r] - s0[r]) / (epsilon - back);
      J[(r + 3) * model->nv + v] = w[r] / (epsilon - back);
    }
  }
  const bool failed = sinew_state_failed_joint(state) >= 0;
  const sinew_result placed = sinew_state_forward(state, q);
  return failed ? SINEW_ERROR_NOT_FINITE : placed;
}

sinew_result sinew_state_jacobian_unit_velocities(sinew_state *state, int link,
                                                  const double *point_l, double *v, double *J) {
  SINEW_ASSERT(state != NULL && (J != NULL || state->model->nv == 0));
  SINEW_ASSERT(v != NULL || state->model->nv == 0);
  const int nv = state->model->nv;
  double s[3];
  const sinew_result checked = sinew_state_point(state, link, point_l, s);
  if (checked != SINEW_OK) {
    return checked;
  }
  sinew_zero((size_t)nv, v);
  for (int j = 0; j < nv; ++j) {
    double twist[6];
    v[j] = 1.0;
    sinew_expect_ok(sinew_state_twist(state, link, point_l, v, twist));
    v[j] = 0.0;
    for (int r = 0; r < 6; ++r) {
      J[r * nv + j] = twist[r];
    }
  }
  return SINEW_OK;
}
