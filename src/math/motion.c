// The exponential and logarithm of rigid motions, and their left Jacobians. For a twist (v; w):
//
//   exp (v; w) = (J v, exp w^),   J the left Jacobian of SO(3) at w
//   left Jacobian of SE(3) = [J, Q; 0, J]
//
// J and Q are given at their functions. Source: Barfoot, State Estimation for Robotics, 2017,
// section 7.1, in the same order (linear; angular).
#include "math/adjoint.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "sinew/math.h"

#include <string.h>

// The coefficients of J and Q for a rotation by t radians:
//   b = (1 - cos t) / t^2
//   c = (t - sin t) / t^3                    = sum (-t^2)^k / (2k + 3)!
//   d = (t^2 / 2 + cos t - 1) / t^4          = sum (-t^2)^k / (2k + 4)!
//   e = (2 t - 3 sin t + t cos t) / (2 t^5)  = sum (-t^2)^k (k + 1) / (2k + 5)!
typedef struct coefficients {
  double b, c, d, e;
} coefficients;

static coefficients coefficients_of(double t) {
  const double t2 = t * t, half = 0.5 * t;
  const double sinc = half > 1e-9 ? sin(half) / half : 1.0;
  coefficients k = {.b = 0.5 * sinc * sinc};
  // The closed forms lose digits to cancellation for small t, e most: an error of 60 / t^5
  // roundings. Below 1 rad the ninth terms of the series are less than 1e-16 of the first.
  if (t < 1.0) {
    double term = 1.0 / 6.0; // (-t^2)^i / (2i + 3)!
    for (int i = 0; i < 9; ++i) {
      const double next = term / (2 * i + 4), after = next / (2 * i + 5);
      k.c += term;
      k.d += next;
      k.e += (i + 1) * after;
      term = -t2 * after;
    }
    return k;
  }
  const double s = sin(t), c = cos(t);
  k.c = (t - s) / (t2 * t);
  k.d = (0.5 * t2 + c - 1.0) / (t2 * t2);
  k.e = (2.0 * t - 3.0 * s + t * c) / (2.0 * t2 * t2 * t);
  return k;
}

static void hat(const double w[3], double out[9]) {
  const double W[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
  memcpy(out, W, sizeof W);
}

// J = I + b W + c W W, W = w^.
static void rotation_left_jacobian(const double w[3], const coefficients *k, double J[9]) {
  double W[9], WW[9];
  hat(w, W);
  sinew_matrix_multiply(W, W, WW);
  for (int i = 0; i < 9; ++i) {
    J[i] = (i % 4 == 0 ? 1.0 : 0.0) + k->b * W[i] + k->c * WW[i];
  }
}

// Q = V/2 + c (WV + VW + WVW) + d (WWV + VWW - 3 WVW) + e (WVWW + WWVW).
static void coupling_block(const double v[3], const double w[3], const coefficients *k,
                           double Q[9]) {
  double V[9], W[9], WV[9], VW[9], WVW[9], WWV[9], VWW[9], WVWW[9], WWVW[9];
  hat(v, V);
  hat(w, W);
  sinew_matrix_multiply(W, V, WV);
  sinew_matrix_multiply(V, W, VW);
  sinew_matrix_multiply(W, VW, WVW);
  sinew_matrix_multiply(W, WV, WWV);
  sinew_matrix_multiply(VW, W, VWW);
  sinew_matrix_multiply(WVW, W, WVWW);
  sinew_matrix_multiply(W, WVW, WWVW);
  for (int i = 0; i < 9; ++i) {
    Q[i] = 0.5 * V[i] + k->c * (WV[i] + VW[i] + WVW[i]) + k->d * (WWV[i] + VWW[i] - 3.0 * WVW[i]) +
           k->e * (WVWW[i] + WWVW[i]);
  }
}

void sinew_pose_exp(const double twist[6], sinew_pose *pose) {
  const coefficients k = coefficients_of(sinew_norm_safe(twist + 3));
  double J[9];
  rotation_left_jacobian(twist + 3, &k, J);
  sinew_rotate(J, twist, pose->position);
  sinew_quaternion_exp(twist + 3, pose->rotation);
}

void sinew_pose_log(const sinew_pose *pose, double twist[6]) {
  double inverse[9];
  sinew_quaternion_log(pose->rotation, twist + 3);
  sinew_rotation_left_jacobian_inverse(twist + 3, inverse);
  sinew_rotate(inverse, pose->position, twist);
}

void sinew_pose_left_jacobian(const double twist[6], double out[36]) {
  const coefficients k = coefficients_of(sinew_norm_safe(twist + 3));
  double J[9], Q[9];
  rotation_left_jacobian(twist + 3, &k, J);
  coupling_block(twist, twist + 3, &k, Q);
  sinew_adjoint_set_blocks(J, Q, out); // [J, Q; 0, J]
}

void sinew_pose_left_jacobian_inverse(const double twist[6], double out[36]) {
  // [J, Q; 0, J]^-1 = [J^-1, -J^-1 Q J^-1; 0, J^-1]
  const coefficients k = coefficients_of(sinew_norm_safe(twist + 3));
  double inverse[9], Q[9], JQ[9], JQJ[9];
  sinew_rotation_left_jacobian_inverse(twist + 3, inverse);
  coupling_block(twist, twist + 3, &k, Q);
  sinew_matrix_multiply(inverse, Q, JQ);
  sinew_matrix_multiply(JQ, inverse, JQJ);
  for (int i = 0; i < 9; ++i) {
    JQJ[i] = -JQJ[i];
  }
  sinew_adjoint_set_blocks(inverse, JQJ, out);
}
