// Three-vectors and 3 x 3 matrices, inline; row-major, R[3*i + j].
#ifndef SINEW_MATH_VECTOR_H
#define SINEW_MATH_VECTOR_H

#include "simd/pair.h"
#include "simd/sine_terms.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// Larger numbers are treated as infinite. For smaller ones no square or sum in the kinematics can
// overflow.
#define SINEW_HUGE 1e100

static inline bool sinew_is_usable(double x) {
  return fabs(x) <= SINEW_HUGE; // false for NaN
}

static inline bool sinew_is_usable3(const double v[3]) {
  return sinew_is_usable(v[0]) && sinew_is_usable(v[1]) && sinew_is_usable(v[2]);
}

static inline double sinew_min(double a, double b) {
  return a < b ? a : b;
}
static inline double sinew_max(double a, double b) {
  return a > b ? a : b;
}
static inline double sinew_clamp(double x, double lower, double upper) {
  return x < lower ? lower : (x > upper ? upper : x);
}

static inline double sinew_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sinew_cross(const double a[3], const double b[3], double out[3]) {
  const double x = a[1] * b[2] - a[2] * b[1];
  const double y = a[2] * b[0] - a[0] * b[2];
  const double z = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
  out[2] = z;
}

static inline void sinew_subtract(const double a[3], const double b[3], double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = a[i] - b[i];
  }
}

static inline void sinew_scale(double s, const double a[3], double out[3]) {
  out[0] = s * a[0];
  out[1] = s * a[1];
  out[2] = s * a[2];
}

// v less its part along a unit vector. out may be v.
static inline void sinew_across(const double unit[3], const double v[3], double out[3]) {
  const double along = sinew_dot(unit, v);
  for (int i = 0; i < 3; ++i) {
    out[i] = v[i] - along * unit[i];
  }
}

// Whether n values, an even number, are finite: 0 times another one is NaN.
static inline bool sinew_all_finite(int n, const double *v) {
  sinew_pair sum = {0.0, 0.0};
  for (int i = 0; i < n; i += 2) {
    sum += sinew_pair_load(v + i) * sinew_pair_of(0.0);
  }
  return sum[0] + sum[1] == 0.0;
}

// Zeros count values. values may be NULL if count is 0.
static inline void sinew_zero(size_t count, double *values) {
  if (count > 0) {
    memset(values, 0, count * sizeof(double));
  }
}

static inline double sinew_norm(const double a[3]) {
  return sqrt(sinew_dot(a, a));
}

// The length of a vector whose squares may over- or underflow; at most DBL_MAX.
double sinew_norm_extreme(const double a[3]);

static inline double sinew_norm_safe(const double a[3]) {
  const double sum = sinew_dot(a, a);
  return SINEW_LIKELY(sum > 1e-200 && sum < 1e200) ? sqrt(sum) : sinew_norm_extreme(a);
}

// out = a / |a|; a must not be 0. out may be a.
void sinew_unit(const double a[3], double out[3]);

// out = R v. out may be v.
static inline void sinew_rotate(const double R[9], const double v[3], double out[3]) {
  const double x = v[0], y = v[1], z = v[2];
  for (int i = 0; i < 3; ++i) {
    out[i] = R[3 * i] * x + R[3 * i + 1] * y + R[3 * i + 2] * z;
  }
}

// out = R^T v. out may be v.
static inline void sinew_rotate_back(const double R[9], const double v[3], double out[3]) {
  const double x = v[0], y = v[1], z = v[2];
  for (int i = 0; i < 3; ++i) {
    out[i] = R[i] * x + R[3 + i] * y + R[6 + i] * z;
  }
}

// out = A B. out must be neither.
static inline void sinew_matrix_multiply(const double A[9], const double B[9], double out[9]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
}

// out = A^T B. out must be neither.
static inline void sinew_matrix_transposed_multiply(const double A[9], const double B[9],
                                                    double out[9]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
    }
  }
}

// out = A B^T. out must be neither.
static inline void sinew_matrix_multiply_transposed(const double A[9], const double B[9],
                                                    double out[9]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      out[3 * i + j] = sinew_dot(A + 3 * i, B + 3 * j);
    }
  }
}

// Of n values: the sum of squares, the norm, and the largest absolute value. There are four partial
// sums, which are independent of each other.
static inline double sinew_square_sum(int n, const double *v) {
  sinew_pair sum[2] = {{0.0, 0.0}, {0.0, 0.0}};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const sinew_pair a = sinew_pair_load(v + i), b = sinew_pair_load(v + i + 2);
    sum[0] += a * a;
    sum[1] += b * b;
  }
  double first = sum[0][0];
  if ((n & 2) != 0) {
    const sinew_pair a = sinew_pair_load(v + i);
    first += (a * a)[0];
    first += (a * a)[1];
  }
  if ((n & 1) != 0) {
    first += v[n - 1] * v[n - 1];
  }
  return (first + sum[0][1]) + (sum[1][0] + sum[1][1]);
}

static inline double sinew_length(int n, const double *v) {
  return sqrt(sinew_square_sum(n, v));
}

static inline double sinew_largest(int n, const double *v) {
#ifdef SINEW_SMALL
  double most = 0.0;
  for (int i = 0; i < n; ++i) {
    most = sinew_max(most, fabs(v[i]));
  }
  return most;
#else
  double most[2] = {0.0, 0.0};
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    most[0] = sinew_max(most[0], fabs(v[i]));
    most[1] = sinew_max(most[1], fabs(v[i + 1]));
  }
  return sinew_max(sinew_max(most[0], most[1]), i < n ? fabs(v[i]) : 0.0);
#endif
}

// Two unit vectors perpendicular to the unit vector a and to each other. Source: Duff et al.,
// Building an orthonormal basis, revisited, 2017 (a correction of Frisvad 2012).
static inline void sinew_basis_perpendicular(const double a[3], double u[3], double v[3]) {
  const double sign = a[2] >= 0.0 ? 1.0 : -1.0;
  const double s = -1.0 / (sign + a[2]);
  const double t = a[0] * a[1] * s;
  u[0] = 1.0 + sign * a[0] * a[0] * s;
  u[1] = sign * t;
  u[2] = -sign * a[0];
  v[0] = t;
  v[1] = sign + a[1] * a[1] * s;
  v[2] = -a[1];
}

#endif
