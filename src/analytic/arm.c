// Arms by their axes: forward kinematics, refinement, reversal, folding. See arm.h.
#include "analytic/arm.h"
#include "math/ldlt.h"

// A residual below this is rounding.
#define ROUNDING 2e-15
// Damping of a refinement's steps, in units of the squared Jacobian: near a singularity they stay
// short.
#define DAMPING 1e-13

void sinew_arm_forward(const sinew_arm *arm, const sinew_angle *a, double R[9], double p[3]) {
  double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, at[3];
  memcpy(at, arm->P[arm->count], sizeof at);
  for (int i = arm->count - 1; i >= 0; --i) { // from the tip, so that only vectors are rotated
    sinew_rotate_about(arm->h[i], a[i], x, x);
    sinew_rotate_about(arm->h[i], a[i], y, y);
    sinew_rotate_about(arm->h[i], a[i], at, at);
    for (int j = 0; j < 3; ++j) {
      at[j] += arm->P[i][j];
    }
  }
  double z[3];
  sinew_cross(x, y, z);
  for (int i = 0; i < 3; ++i) {
    R[3 * i] = x[i];
    R[3 * i + 1] = y[i];
    R[3 * i + 2] = z[i];
    p[i] = at[i];
  }
}

double sinew_arm_error(const sinew_arm *arm, double size, const sinew_angle *a, const double R[9],
                       const double p[3]) {
  double own_R[9], own_p[3], most = 0.0, far = 0.0;
  sinew_arm_forward(arm, a, own_R, own_p);
  for (int i = 0; i < 9; ++i) {
    most = sinew_max(most, fabs(own_R[i] - R[i]));
  }
  for (int i = 0; i < 3; ++i) {
    far = sinew_max(far, fabs(own_p[i] - p[i]));
  }
  most = sinew_max(most, far / size);
  return most <= SINEW_HUGE ? most : (double)INFINITY;
}

// Axes and points as they are moved by the joints before them, by a product of matrices.
void sinew_arm_axes(const sinew_arm *arm, const sinew_angle *a, double (*axis)[3],
                    double (*origin)[3]) {
  double x[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, at[3];
  memcpy(at, arm->P[0], sizeof at);
  for (int i = 0; i < arm->count; ++i) {
    for (int j = 0; j < 3; ++j) {
      axis[i][j] = x[0][j] * arm->h[i][0] + x[1][j] * arm->h[i][1] + x[2][j] * arm->h[i][2];
      origin[i][j] = at[j];
    }
    for (int k = 0; k < 3; ++k) {
      sinew_rotate_about(axis[i], a[i], x[k], x[k]);
    }
    for (int j = 0; j < 3; ++j) {
      at[j] += x[0][j] * arm->P[i + 1][0] + x[1][j] * arm->P[i + 1][1] + x[2][j] * arm->P[i + 1][2];
    }
  }
}

// Columns (linear / size; angular) of the axes and the residual, in the root's axes; J: 6 x count.
static void linearize(const sinew_arm *arm, double size, const sinew_angle *a, const double R[9],
                      const double p[3], double *J, double e[6]) {
  double own_R[9], own_p[3], axis[SINEW_ARM_MOST][3], origin[SINEW_ARM_MOST][3], E[9];
  sinew_arm_forward(arm, a, own_R, own_p);
  sinew_arm_axes(arm, a, axis, origin);
  const int n = arm->count;
  for (int i = 0; i < n; ++i) {
    double lever[3], moved[3];
    for (int j = 0; j < 3; ++j) {
      lever[j] = own_p[j] - origin[i][j];
    }
    sinew_cross(axis[i], lever, moved);
    for (int j = 0; j < 3; ++j) {
      J[n * j + i] = moved[j] / size;
      J[n * (j + 3) + i] = axis[i][j];
    }
  }
  sinew_matrix_multiply_transposed(R, own_R, E); // small: its skew part is the rotation
  for (int j = 0; j < 3; ++j) {
    e[j] = (p[j] - own_p[j]) / size;
  }
  e[3] = 0.5 * (E[7] - E[5]);
  e[4] = 0.5 * (E[2] - E[6]);
  e[5] = 0.5 * (E[3] - E[1]);
}

// a + x
static sinew_angle advanced(sinew_angle a, double x) {
  const sinew_angle by = sinew_angle_of(x);
  const double c = a.c * by.c - a.s * by.s, s = a.s * by.c + a.c * by.s;
  const double unit = 1.0 / sqrt(c * c + s * s);
  return (sinew_angle){c * unit, s * unit};
}

double sinew_arm_refine(const sinew_arm *arm, double size, const double R[9], const double p[3],
                        int steps, sinew_angle *a) {
  const int n = arm->count;
  double error = sinew_arm_error(arm, size, a, R, p);
  for (int step = 0; step < steps && error > ROUNDING; ++step) {
    double J[6 * SINEW_ARM_MOST], e[6], A[36], factor[36];
    sinew_angle next[SINEW_ARM_MOST];
    linearize(arm, size, a, R, p, J, e);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j <= i; ++j) {
        double sum = 0.0;
        for (int k = 0; k < n; ++k) {
          sum += J[n * i + k] * J[n * j + k];
        }
        A[6 * i + j] = sum;
      }
    }
    if (!sinew_ldlt_factor(6, A, DAMPING, factor)) {
      break;
    }
    sinew_ldlt_solve(6, factor, e);
    for (int i = 0; i < n; ++i) {
      double x = 0.0;
      for (int k = 0; k < 6; ++k) {
        x += J[n * k + i] * e[k];
      }
      next[i] = advanced(a[i], sinew_clamp(x, -1.0, 1.0));
    }
    const double after = sinew_arm_error(arm, size, next, R, p);
    if (!(after < error)) {
      break;
    }
    memcpy(a, next, (size_t)n * sizeof *next);
    error = after;
  }
  return error;
}

void sinew_arm_reverse(const sinew_arm *arm, sinew_arm *out) {
  const int n = out->count = arm->count;
  for (int i = 0; i < n; ++i) {
    sinew_scale(-1.0, arm->h[n - 1 - i], out->h[i]);
  }
  for (int i = 0; i <= n; ++i) {
    sinew_scale(-1.0, arm->P[n - i], out->P[i]);
  }
}

void sinew_arm_reverse_target(const double R[9], const double p[3], double R_out[9],
                              double p_out[3]) {
  double back[3];
  sinew_rotate_back(R, p, back);
  sinew_scale(-1.0, back, p_out);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      R_out[3 * i + j] = R[3 * j + i];
    }
  }
}

// R_1 .. R_k .. R_n = R_1 .. R_{k-1} R'_{k+1} .. R'_n R_k, where the axes after k are rotated by
// R_k.
void sinew_arm_fold(const sinew_arm *arm, int k, sinew_angle angle, sinew_arm *out) {
  const int n = arm->count;
  out->count = n - 1;
  for (int i = 0; i < k; ++i) {
    memcpy(out->h[i], arm->h[i], sizeof out->h[i]);
    memcpy(out->P[i], arm->P[i], sizeof out->P[i]);
  }
  for (int i = k; i < n - 1; ++i) {
    sinew_rotate_about(arm->h[k], angle, arm->h[i + 1], out->h[i]);
  }
  for (int i = k; i < n; ++i) {
    sinew_rotate_about(arm->h[k], angle, arm->P[i + 1], out->P[i]);
  }
  for (int j = 0; j < 3; ++j) {
    out->P[k][j] += arm->P[k][j];
  }
}

void sinew_arm_fold_target(const sinew_arm *arm, int k, sinew_angle angle, const double R[9],
                           double R_out[9]) {
  double column[3], turned[3];
  for (int j = 0; j < 3; ++j) { // R_out = R R_k^T: row by row, each rotated by R_k
    for (int i = 0; i < 3; ++i) {
      column[i] = R[3 * j + i];
    }
    sinew_rotate_about(arm->h[k], angle, column, turned);
    memcpy(R_out + 3 * j, turned, sizeof turned);
  }
}

sinew_angle sinew_angle_between(const double k[3], const double y[3], const double z[3]) {
  double across[3];
  sinew_cross(k, y, across);
  const double c = sinew_dot(y, z), s = sinew_dot(across, z), length = sqrt(c * c + s * s);
  return length > 0.0 ? (sinew_angle){c / length, s / length} : (sinew_angle){1.0, 0.0};
}

// R_0 R_1 R_2 = M, so R_0^T M h_2 = R_1 h_2: subproblem 2. The last angle is what is left of M, so
// that the product keeps its digits where the first angle has lost them.
sinew_roots sinew_wrist_solve(const sinew_arm *arm, int first, const double y[3], const double v[3],
                              const double z[3], sinew_angle preferred, sinew_angle out[2][3]) {
  sinew_angle back[2], middle[2];
  double against[3], left[3];
  sinew_scale(-1.0, arm->h[first], against);
  const sinew_roots roots =
      sinew_subproblem2(against, v, arm->h[first + 1], arm->h[first + 2], preferred, back, middle);
  for (int i = 0; i < roots.count; ++i) {
    sinew_rotate_about(against, back[i], z, left);
    sinew_rotate_about(arm->h[first + 1], sinew_angle_back(middle[i]), left, left);
    out[i][0] = back[i];
    out[i][1] = middle[i];
    out[i][2] = sinew_angle_between(arm->h[first + 2], y, left);
  }
  return roots;
}
