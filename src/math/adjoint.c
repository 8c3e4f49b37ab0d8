// Adjoints: the change of a twist (v; w) from one frame to another, with R and t of the pose:
//
//   Ad(R, t) = [R, t^ R; 0, R]        Ad^-1 = [R^T, -R^T t^; 0, R^T]
//
// Source: Murray, Li, Sastry, A Mathematical Introduction to Robotic Manipulation, 1994,
// section 2.4, in the same order (linear; angular).
#include "math/adjoint.h"
#include "math/vector.h"
#include "sinew/math.h"

#include <string.h>

void sinew_hat_multiply(const double t[3], const double R[9], double out[9]) {
  for (int c = 0; c < 3; ++c) {
    const double column[3] = {R[c], R[3 + c], R[6 + c]};
    double crossed[3];
    sinew_cross(t, column, crossed);
    for (int r = 0; r < 3; ++r) {
      out[3 * r + c] = crossed[r];
    }
  }
}

void sinew_adjoint_set_blocks(const double A[9], const double B[9], double out[36]) {
  memset(out, 0, 36 * sizeof(double));
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      out[6 * r + c] = out[6 * (r + 3) + c + 3] = A[3 * r + c];
      out[6 * r + c + 3] = B[3 * r + c];
    }
  }
}

void sinew_adjoint_set(const double R[9], const double t[3], double Ad[36]) {
  double tR[9];
  sinew_hat_multiply(t, R, tR);
  sinew_adjoint_set_blocks(R, tR, Ad);
}

void sinew_pose_adjoint(const sinew_pose *pose, double Ad[36]) {
  double R[9];
  sinew_quaternion_to_matrix(pose->rotation, R);
  sinew_adjoint_set(R, pose->position, Ad);
}

void sinew_pose_adjoint_inverse(const sinew_pose *pose, double Ad[36]) {
  // [R^T, -R^T t^; 0, R^T], and -R^T t^ = (t^ R)^T because t^ is antisymmetric.
  double R[9], tR[9], back[9], crossed[9];
  sinew_quaternion_to_matrix(pose->rotation, R);
  sinew_hat_multiply(pose->position, R, tR);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      back[3 * r + c] = R[3 * c + r];
      crossed[3 * r + c] = tR[3 * c + r];
    }
  }
  sinew_adjoint_set_blocks(back, crossed, Ad);
}

void sinew_pose_adjoint_derivative(const sinew_pose *pose, const double twist[6], double out[36]) {
  // [w^R, w^t^R + v^R; 0, w^R]. With t' = v + w x t this is the derivative of
  // t^R: (w x t)^R + t^w^R = w^t^R.
  double R[9], tR[9], wR[9], wtR[9], vR[9];
  sinew_quaternion_to_matrix(pose->rotation, R);
  sinew_hat_multiply(pose->position, R, tR);
  sinew_hat_multiply(twist + 3, R, wR);
  sinew_hat_multiply(twist + 3, tR, wtR);
  sinew_hat_multiply(twist, R, vR);
  for (int i = 0; i < 9; ++i) {
    wtR[i] += vR[i];
  }
  sinew_adjoint_set_blocks(wR, wtR, out);
}

void sinew_pose_transform_twist(const sinew_pose *pose, const double twist[6], double out[6]) {
  double linear[3], angular[3], carried[3];
  sinew_quaternion_rotate(pose->rotation, twist, linear);
  sinew_quaternion_rotate(pose->rotation, twist + 3, angular);
  sinew_cross(pose->position, angular, carried);
  for (int r = 0; r < 3; ++r) {
    out[r] = linear[r] + carried[r];
    out[r + 3] = angular[r];
  }
}

void sinew_pose_transform_twist_back(const sinew_pose *pose, const double twist[6], double out[6]) {
  const double *q = pose->rotation, back[4] = {q[0], -q[1], -q[2], -q[3]};
  double linear[3], carried[3];
  sinew_cross(pose->position, twist + 3, carried);
  for (int r = 0; r < 3; ++r) {
    linear[r] = twist[r] - carried[r];
  }
  sinew_quaternion_rotate(back, twist + 3, out + 3);
  sinew_quaternion_rotate(back, linear, out);
}

void sinew_twists_transform(const double A[36], int count, const double *twists, double *out) {
  for (int c = 0; c < count; ++c) {
    double twist[6];
    for (int k = 0; k < 6; ++k) {
      twist[k] = twists[k * count + c];
    }
    for (int r = 0; r < 6; ++r) {
      double sum = 0.0;
      for (int k = 0; k < 6; ++k) {
        sum += A[6 * r + k] * twist[k];
      }
      out[r * count + c] = sum;
    }
  }
}
