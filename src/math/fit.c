// Rigid motions that fit: see fit.h.
//
// The optimal x maps the mean s0 of the points to the mean t0 of their targets, x = t0 - R s0. Then
// R maximizes tr(R^T B), with
//
//   B = sum w (t - t0)(s - s0)^T + sum w b a^T / 4 + sum w T S^T / 8
//
// This is a quadratic form q^T K q in the quaternion of R, maximal at the eigenvector of the
// largest eigenvalue.
// Sources: Davenport's q-method; Horn, Closed-form solution of absolute orientation using unit
// quaternions, 1987, section 4.
#include "math/fit.h"
#include "math/eigen.h"
#include "math/vector.h"

#include <string.h>

// The weight of the identity, relative to that of what is fitted, which decides if that does not.
#define STAY 1e-9

static void add_product(double weight, const double to[3], const double from[3], sinew_fit *fit) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      fit->B[3 * i + j] += weight * to[i] * from[j];
    }
  }
  fit->norm += weight * (sinew_dot(to, to) + sinew_dot(from, from));
}

void sinew_fit_mean(sinew_fit *fit, double weight, const double from[3], const double to[3]) {
  fit->weight += weight;
  for (int i = 0; i < 3; ++i) {
    fit->from[i] += weight * (from[i] - fit->from[i]) / fit->weight;
    fit->to[i] += weight * (to[i] - fit->to[i]) / fit->weight;
  }
}

void sinew_fit_point(sinew_fit *fit, double weight, const double from[3], const double to[3]) {
  double s[3], t[3];
  for (int i = 0; i < 3; ++i) {
    s[i] = from[i] - fit->from[i];
    t[i] = to[i] - fit->to[i];
  }
  add_product(weight, t, s, fit);
}

void sinew_fit_axis(sinew_fit *fit, double weight, const double from[3], const double to[3]) {
  add_product(0.25 * weight, to, from, fit);
}

void sinew_fit_orientation(sinew_fit *fit, double weight, const double turn[9]) {
  for (int i = 0; i < 9; ++i) {
    fit->B[i] += 0.125 * weight * turn[i];
  }
  fit->norm += 0.125 * weight * 6.0;
}

// The quaternion of the R that maximizes tr(R^T B).
static void best_rotation(const double B[9], double q[4]) {
  const double trace = B[0] + B[4] + B[8];
  const double v[3] = {B[7] - B[5], B[2] - B[6], B[3] - B[1]};
  double K[16] = {trace, v[0], v[1], v[2]}, values[4], Z[16], work[8];
  for (int i = 0; i < 3; ++i) {
    K[4 * (i + 1)] = v[i];
    for (int j = 0; j < 3; ++j) {
      K[4 * (i + 1) + j + 1] = B[3 * i + j] + B[3 * j + i] - (i == j ? trace : 0.0);
    }
  }
  sinew_eigen_symmetric(4, K, values, Z, work);
  int most = 0;
  for (int i = 1; i < 4; ++i) {
    most = values[i] > values[most] ? i : most;
  }
  memcpy(q, Z + 4 * most, 4 * sizeof(double));
  sinew_quaternion_normalize(q);
}

double sinew_fit_motion(const sinew_fit *fit, sinew_pose *motion, double *gain) {
  double B[9], R[9], moved[3], aligned = 0.0;
  const double stay = fit->norm > 0.0 ? STAY * fit->norm : 1.0;
  memcpy(B, fit->B, sizeof B);
  for (int i = 0; i < 3; ++i) {
    B[4 * i] += stay;
  }
  best_rotation(B, motion->rotation);
  sinew_quaternion_rotate(motion->rotation, fit->from, moved);
  for (int i = 0; i < 3; ++i) {
    motion->position[i] = fit->weight > 0.0 ? fit->to[i] - moved[i] : 0.0;
  }
  sinew_quaternion_to_matrix(motion->rotation, R);
  for (int i = 0; i < 9; ++i) {
    aligned += R[i] * fit->B[i];
  }
  const double before = fit->norm - 2.0 * (fit->B[0] + fit->B[4] + fit->B[8]);
  const double after = sinew_max(fit->norm - 2.0 * aligned, 0.0);
  if (gain != NULL) {
    *gain = before - after;
  }
  return before > 0.0 ? after / before : 0.0;
}
