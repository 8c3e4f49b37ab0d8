// Rotations: quaternions, rotation vectors, matrices.
//
// Sources: Rodrigues 1840; Shepperd, Quaternion from rotation matrix, 1978;
// Shoemake, Uniform random rotations, 1992 (quaternions of uniform numbers);
// Barfoot, State Estimation for Robotics, 2017, section 7.1 (Jacobians of
// SO(3) and their inverses).
#define SINEW_CALLS
#include "math/rotation.h"
#include "math/vector.h"
#include "simd/pair.h"
#include "sinew/math.h"

#include <float.h>
#include <string.h>

double sinew_norm_extreme(const double a[3]) {
  const double largest = sinew_max(fabs(a[0]), sinew_max(fabs(a[1]), fabs(a[2])));
  if ((largest > 1e-150 && largest < 1e150) || largest == 0.0) {
    return sinew_norm(a);
  }
  const double scaled[3] = {a[0] / largest, a[1] / largest, a[2] / largest};
  return sinew_min(sinew_norm(scaled) * largest, DBL_MAX);
}

void sinew_unit(const double a[3], double out[3]) {
  const double largest = sinew_max(fabs(a[0]), sinew_max(fabs(a[1]), fabs(a[2])));
  const double scaled[3] = {a[0] / largest, a[1] / largest, a[2] / largest};
  sinew_scale(1.0 / sinew_norm(scaled), scaled, out);
}

SINEW_ALWAYS_INLINE void quaternion_multiply(const double a[4], const double b[4], double out[4]) {
  const double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  const double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  const double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  const double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w;
  out[1] = x;
  out[2] = y;
  out[3] = z;
}

void sinew_quaternion_multiply(const double a[4], const double b[4], double out[4]) {
  quaternion_multiply(a, b, out);
}

// Scaled by the largest component first, so that no square over- or underflows. The identity, if
// all components are 0 or one is infinite or NaN.
static void normalize_any(double q[4]) {
  double largest = 0.0, sum = 0.0;
  for (int i = 0; i < 4; ++i) {
    largest = sinew_max(largest, fabs(q[i]));
  }
  if (largest > 0.0 && largest <= DBL_MAX) {
    for (int i = 0; i < 4; ++i) {
      q[i] /= largest;
      sum += q[i] * q[i];
    }
  }
  const bool usable = sum >= 1.0 && sum <= 4.0;
  const double scale = usable ? 1.0 / sqrt(sum) : 0.0;
  for (int i = 0; i < 4; ++i) {
    q[i] = usable ? q[i] * scale : (i == 0 ? 1.0 : 0.0);
  }
}

SINEW_ALWAYS_INLINE void quaternion_normalize(double q[4]) {
  const double sum = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
  if (!(sum > 1e-200 && sum < 1e200)) {
    normalize_any(q);
    return;
  }
  // If the length is 1 within 1e-8, one Newton iteration for 1 / sqrt(sum) is exact to 4e-17.
  const double scale = fabs(sum - 1.0) < 1e-8 ? 1.5 - 0.5 * sum : 1.0 / sqrt(sum);
  for (int i = 0; i < 4; ++i) {
    q[i] *= scale;
  }
}

void sinew_quaternion_normalize(double q[4]) {
  quaternion_normalize(q);
}

void sinew_quaternion_rotate(const double q[4], const double v[3], double out[3]) {
  // v + 2 w (u x v) + 2 u x (u x v), q = (w, u)
  double t[3], c[3];
  sinew_cross(q + 1, v, t);
  sinew_scale(2.0, t, t);
  sinew_cross(q + 1, t, c);
  for (int i = 0; i < 3; ++i) {
    out[i] = v[i] + q[0] * t[i] + c[i];
  }
}

// sin(h) / (2 h) and (cos(h) - 1) / h^2 side by side: their series up to h^10, for h^2 < 0.09.
SINEW_ALWAYS_INLINE sinew_pair half_angle_series(double h2) {
  static const sinew_pair terms[] = {{-1.0 / 79833600, 1.0 / 479001600},
                                     {1.0 / 725760, -1.0 / 3628800},
                                     {-1.0 / 10080, 1.0 / 40320},
                                     {1.0 / 240, -1.0 / 720},
                                     {-1.0 / 12, 1.0 / 24},
                                     {0.5, -0.5}};
  sinew_pair sum = terms[0];
  for (int i = 1; i < 6; ++i) {
    sum = terms[i] + sinew_pair_of(h2) * sum;
  }
  return sum;
}

SINEW_ALWAYS_INLINE void quaternion_exp(const double w[3], double q[4]) {
  const double h2 = 0.25 * sinew_dot(w, w); // the half angle, squared
  if (h2 < 0.09) {
    const sinew_pair series = half_angle_series(h2);
    q[0] = 1.0 + h2 * series[1];
    sinew_scale(series[0], w, q + 1);
    return;
  }
  const double half = 0.5 * sinew_norm_safe(w);
  q[0] = cos(half);
  sinew_scale(0.5 * sin(half) / half, w, q + 1);
}

void sinew_quaternion_exp(const double w[3], double q[4]) {
  quaternion_exp(w, q);
}

void sinew_quaternion_apply(double q[4], const double w[3]) {
  double rotation[4];
  if (sinew_quaternion_apply_small(q, w)) {
    return;
  }
  quaternion_exp(w, rotation);
  quaternion_multiply(q, rotation, q);
  quaternion_normalize(q);
}

// The rotations by pi about u and about -u are the same. Of the two vectors, chooses the one whose
// first nonzero component is positive.
static void half_turn_sign(double w[3]) {
  for (int i = 0; i < 3; ++i) {
    if (w[i] != 0.0) {
      if (w[i] < 0.0) {
        sinew_scale(-1.0, w, w);
      }
      return;
    }
  }
}

// atan2(s, c) / s from s^2, s >= 0: with t = s / c the series (1 - t^2/3 + t^4/5 - ...) / c up to
// t^14 where t < 1/10, so that what follows is below 1e-17. It needs no square root and no s > 0;
// updates follow targets by angles like these.
static double angle_over_sine(double s2, double c) {
  if (!(c > 0.0 && 100.0 * s2 < c * c)) {
    const double s = sqrt(s2);
    return atan2(s, c) / s;
  }
  const double inverse = 1.0 / c, t2 = s2 * (inverse * inverse), t4 = t2 * t2;
  const double first = (1.0 - 1.0 / 3 * t2) + t4 * (1.0 / 5 - 1.0 / 7 * t2);
  const double last = (1.0 / 9 - 1.0 / 11 * t2) + t4 * (1.0 / 13 - 1.0 / 15 * t2);
  return inverse * (first + t4 * t4 * last);
}

void sinew_quaternion_log(const double quaternion[4], double w[3]) {
  double q[4];
  memcpy(q, quaternion, sizeof q);
  // Lengths far from 1 are normalized, so that c is not small where s below is.
  const double sum = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
  if (!(sum > 0.25 && sum < 4.0)) {
    sinew_quaternion_normalize(q);
  }
  const double sign = q[0] < 0.0 ? -1.0 : 1.0;
  const double c = sign * q[0];
  // w = 2 atan2(s, c) / s * q_1..3, s the length of these
  sinew_scale(2.0 * sign * angle_over_sine(sinew_dot(q + 1, q + 1), c), q + 1, w);
  if (q[0] == 0.0) {
    half_turn_sign(w);
  }
}

void sinew_quaternion_difference(const double a[4], const double b[4], double w[3]) {
  const double back[4] = {a[0], -a[1], -a[2], -a[3]};
  double rotation[4];
  quaternion_multiply(back, b, rotation);
  quaternion_normalize(rotation);
  sinew_quaternion_log(rotation, w);
}

// Directions whose angle has a smaller sine are opposite, if they are not the same.
#define OPPOSITE 1e-9

void sinew_direction_difference(const double from[3], const double to[3], double w[3]) {
  double axis[3], other[3];
  sinew_cross(from, to, axis);
  const double sine = sinew_norm(axis), angle = atan2(sine, sinew_dot(from, to));
  if (sine < OPPOSITE && angle > 1.0) {
    sinew_basis_perpendicular(from, axis, other);
    sinew_scale(angle, axis, w);
    return;
  }
  sinew_scale(sine > 0.0 ? angle / sine : 1.0, axis, w);
}

void sinew_quaternion_of_uniform(const double u[3], double q[4]) {
  const double a = sqrt(1.0 - u[0]), b = sqrt(u[0]);
  q[0] = a * sin(2.0 * SINEW_PI * u[1]);
  q[1] = a * cos(2.0 * SINEW_PI * u[1]);
  q[2] = b * sin(2.0 * SINEW_PI * u[2]);
  q[3] = b * cos(2.0 * SINEW_PI * u[2]);
}

void sinew_quaternion_to_matrix(const double q[4], double R[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double xx = x * x, yy = y * y, zz = z * z;
  R[0] = 1.0 - 2.0 * (yy + zz);
  R[1] = 2.0 * (x * y - w * z);
  R[2] = 2.0 * (x * z + w * y);
  R[3] = 2.0 * (x * y + w * z);
  R[4] = 1.0 - 2.0 * (xx + zz);
  R[5] = 2.0 * (y * z - w * x);
  R[6] = 2.0 * (x * z - w * y);
  R[7] = 2.0 * (y * z + w * x);
  R[8] = 1.0 - 2.0 * (xx + yy);
}

void sinew_quaternion_from_matrix(const double R[9], double q[4]) {
  // The largest of |w|, |x|, |y|, |z| is computed first, so that the others have no cancellation.
  const double trace = R[0] + R[4] + R[8];
  int k = 0;
  double largest = trace;
  for (int i = 0; i < 3; ++i) {
    if (R[4 * i] > largest) {
      largest = R[4 * i];
      k = i + 1;
    }
  }
  if (k == 0) {
    q[0] = 1.0 + trace;
    q[1] = R[7] - R[5];
    q[2] = R[2] - R[6];
    q[3] = R[3] - R[1];
  } else {
    const int i = k - 1, j = k % 3, l = (k + 1) % 3;
    q[1 + i] = 1.0 + R[4 * i] - R[4 * j] - R[4 * l];
    q[1 + j] = R[3 * i + j] + R[3 * j + i];
    q[1 + l] = R[3 * i + l] + R[3 * l + i];
    q[0] = R[3 * l + j] - R[3 * j + l];
  }
  sinew_quaternion_normalize(q);
  if (q[0] < 0.0) {
    for (int i = 0; i < 4; ++i) {
      q[i] = -q[i];
    }
  }
}

void sinew_quaternion_from_rpy(const double rpy[3], double q[4]) {
  const double cr = cos(0.5 * rpy[0]), sr = sin(0.5 * rpy[0]);
  const double cp = cos(0.5 * rpy[1]), sp = sin(0.5 * rpy[1]);
  const double cy = cos(0.5 * rpy[2]), sy = sin(0.5 * rpy[2]);
  q[0] = cr * cp * cy + sr * sp * sy;
  q[1] = sr * cp * cy - cr * sp * sy;
  q[2] = cr * sp * cy + sr * cp * sy;
  q[3] = cr * cp * sy - sr * sp * cy;
}

// Near pi: B = (R + R^T) / 2 - k I = (1 - k) u u^T, whose column with the
// largest diagonal gives the axis u; its sign from v = sin(theta) u.
static void log_near_pi(const double R[9], const double v[3], double k, double angle, double w[3]) {
  int c = 0;
  for (int i = 1; i < 3; ++i) {
    if (R[4 * i] > R[4 * c]) {
      c = i;
    }
  }
  for (int i = 0; i < 3; ++i) {
    w[i] = 0.5 * (R[3 * i + c] + R[3 * c + i]) - (i == c ? k : 0.0);
  }
  const double length = sinew_norm(w);
  const double sign = sinew_dot(w, v) < 0.0 ? -1.0 : 1.0;
  sinew_scale(sign * angle / length, w, w);
  if (v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0) {
    half_turn_sign(w);
  }
}

void sinew_rotation_log(const double R[9], double w[3]) {
  // v = sin(theta) u, k = cos(theta). The angle is that of atan2, since acos loses half of the
  // digits near 0 and pi.
  const double v[3] = {0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])};
  const double s2 = sinew_dot(v, v), k = 0.5 * (R[0] + R[4] + R[8] - 1.0);
  if (k < 0.0) {
    const double angle = atan2(sqrt(s2), k);
    if (angle > 3.1) {
      log_near_pi(R, v, k, angle, w);
      return;
    }
  }
  sinew_scale(angle_over_sine(s2, k), v, w);
}

void sinew_rotation_left_jacobian_inverse(const double w[3], double out[9]) {
  // I - w^/2 + d w^w^, with d = (1 - (t/2) cot(t/2)) / t^2 and
  // w^w^ = w w^T - t^2 I. The closed form of d has cancellation for small t; there
  // the series 1/12 + t^2/720 + ... is summed up to t^10.
  const double t2 = sinew_dot(w, w);
  double d;
  if (t2 < 0.09) {
    d = 1.0 / 12 +
        t2 * (1.0 / 720 +
              t2 * (1.0 / 30240 +
                    t2 * (1.0 / 1209600 + t2 * (1.0 / 47900160 + t2 * (691.0 / 1307674368000.0)))));
  } else {
    const double half = 0.5 * sqrt(t2);
    d = (1.0 - half * cos(half) / sin(half)) / t2;
  }
  const double hat[9] = {0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[3 * i + j] = (i == j ? 1.0 - d * t2 : 0.0) - 0.5 * hat[3 * i + j] + d * w[i] * w[j];
    }
  }
}

void sinew_rotation_z_to(const double a[3], double R[9]) {
  // Rodrigues about z x a: with c = a_z, s = |z x a| and h = (1 - c) / s^2,
  // R = c I + [z x a]^ + h (z x a)(z x a)^T. For a_z >= 0, h = 1 / (1 + c) needs no s. For a_z < 0,
  // 1 + c would have cancellation, and h is computed from s, except at a = -z, where R is a
  // rotation by pi about x.
  const double s2 = a[0] * a[0] + a[1] * a[1];
  if (a[2] < 0.0 && s2 < 1e-200) {
    const double half_turn[9] = {1, 0, 0, 0, -1, 0, 0, 0, -1};
    memcpy(R, half_turn, sizeof half_turn);
    return;
  }
  const double h = a[2] < 0.0 ? (1.0 - a[2]) / s2 : 1.0 / (1.0 + a[2]);
  R[0] = 1.0 - h * a[0] * a[0];
  R[1] = -h * a[0] * a[1];
  R[2] = a[0];
  R[3] = -h * a[0] * a[1];
  R[4] = 1.0 - h * a[1] * a[1];
  R[5] = a[1];
  R[6] = -a[0];
  R[7] = -a[1];
  R[8] = 1.0 - h * (a[0] * a[0] + a[1] * a[1]);
}
