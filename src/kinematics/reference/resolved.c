// Resolved rate and resolved acceleration.
//
//   v  = J^+ (x'_d + K r) + (I - J^+ J) phi
//   v' = J^+ (x''_d + 2 K (x'_d - J v) + K^2 r - J' v) + (I - J^+ J) phi
//
// r = (t - s; rotation vector of R_d R^T). Then r' = -K r, and r'' = -2 K r' - K^2 r: errors decay
// as exp(-K t) and without oscillation. With K = 0 nothing corrects what the integration of v, or
// of v' leaves.
//
// Sources: Whitney, Resolved motion rate control of manipulators and human prostheses, 1969; Luh,
// Walker, Paul, Resolved-acceleration control of mechanical manipulators, 1980; Wampler, Leifer,
// Applications of damped least-squares methods to resolved-rate and resolved-acceleration control
// of manipulators, 1988.
#include "base/error.h"
#include "kinematics/reference/redundancy.h"
#include "kinematics/state.h"
#include "math/rotation.h"
#include "math/vector.h"

static sinew_result check(const sinew_state *state, const sinew_reference_motion *motion) {
  if (motion->link < 0 || motion->link >= state->model->link_count) {
    return SINEW_ERROR_INDEX;
  }
  if (!(motion->gain >= 0.0) || state->model->nv < 1) {
    return SINEW_ERROR_ARGUMENT;
  }
  const bool usable = sinew_is_usable(motion->gain) && sinew_reference_usable(6, motion->twist) &&
                      sinew_reference_usable(3, motion->pose.position) &&
                      sinew_reference_usable(4, motion->pose.rotation);
  return usable ? SINEW_OK : SINEW_ERROR_NOT_FINITE;
}

// r, all six components.
static sinew_result error_of(const sinew_state *state, const sinew_reference_motion *motion,
                             double r[6]) {
  sinew_pose pose;
  double s[3], turn[4], wanted[4];
  const sinew_result result = sinew_state_point(state, motion->link, motion->point_l, s);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_expect_ok(sinew_state_link_pose(state, motion->link, &pose));
  memcpy(wanted, motion->pose.rotation, sizeof wanted);
  sinew_quaternion_normalize(wanted);
  const double *q = pose.rotation, back[4] = {q[0], -q[1], -q[2], -q[3]};
  sinew_quaternion_multiply(wanted, back, turn);
  sinew_quaternion_log(turn, r + 3);
  for (int i = 0; i < 3; ++i) {
    r[i] = motion->pose.position[i] - s[i];
  }
  return SINEW_OK;
}

// Solves for the controlled rows of J x = e.
static sinew_result solve(const sinew_reference_motion *motion, int n, double *J, const double e[6],
                          const double *phi, double *work, double *x) {
  double kept[6];
  sinew_reference_level rows = {.J = J, .e = kept};
  for (int r = 0; r < 6; ++r) {
    if (motion->rows[r] != 0) {
      memmove(J + rows.m * n, J + r * n, (size_t)n * sizeof(double));
      kept[rows.m++] = e[r];
    }
  }
  const sinew_reference_levels levels = {
      .n = n, .count = 1, .levels = &rows, .cut = motion->cut, .lambda = motion->lambda};
  return sinew_reference_projection(&levels, phi, work, x);
}

sinew_result sinew_reference_rate(const sinew_state *state, const sinew_reference_motion *motion,
                                  const double *phi, double *work, double *v) {
  SINEW_ASSERT(state != NULL && motion != NULL && work != NULL && v != NULL);
  const int n = state->model->nv;
  double e[6];
  sinew_result result = check(state, motion);
  result = result == SINEW_OK ? error_of(state, motion, e) : result;
  if (result != SINEW_OK) {
    return result;
  }
  for (int r = 0; r < 6; ++r) {
    e[r] = motion->twist[r] + motion->gain * e[r];
  }
  result = sinew_state_jacobian(state, motion->link, motion->point_l,
                                sinew_model_root(state->model), work);
  return result != SINEW_OK ? result : solve(motion, n, work, e, phi, work + 6 * n, v);
}

sinew_result sinew_reference_acceleration(sinew_state *state, const sinew_reference_motion *motion,
                                          const double *v, const double *phi, double *work,
                                          double *v_rate) {
  SINEW_ASSERT(state != NULL && motion != NULL && work != NULL && v_rate != NULL);
  const int n = state->model->nv;
  const double K = motion->gain;
  double e[6], velocity[6], drift[6], *J = work, *J_rate = work + 6 * n;
  sinew_result result = check(state, motion);
  if (result == SINEW_OK &&
      !(sinew_reference_usable(6, motion->acceleration) && sinew_reference_usable(n, v))) {
    result = SINEW_ERROR_NOT_FINITE;
  }
  result = result == SINEW_OK ? error_of(state, motion, e) : result;
  if (result != SINEW_OK) {
    return result;
  }
  const int root = sinew_model_root(state->model);
  result = sinew_state_jacobian(state, motion->link, motion->point_l, root, J);
  if (result == SINEW_OK) {
    result = sinew_state_jacobian_derivative(state, motion->link, motion->point_l, v, J_rate);
  }
  if (result != SINEW_OK) {
    return result;
  }
  sinew_reference_multiply(6, n, J, v, velocity);
  sinew_reference_multiply(6, n, J_rate, v, drift);
  for (int r = 0; r < 6; ++r) {
    e[r] = motion->acceleration[r] + 2.0 * K * (motion->twist[r] - velocity[r]) + K * K * e[r] -
           drift[r];
  }
  return solve(motion, n, J, e, phi, work + 12 * n, v_rate);
}
