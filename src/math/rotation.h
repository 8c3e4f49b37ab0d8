// Rotation vectors, quaternions, and the Jacobians of SO(3).
#ifndef SINEW_MATH_ROTATION_H
#define SINEW_MATH_ROTATION_H

#include "simd/four.h"

// The rotation vector w of R, |w| <= pi, exact near 0 and near pi.
void sinew_rotation_log(const double R[9], double w[3]);

// q <- q exp(w), normalized: the motion of a spherical joint.
void sinew_quaternion_apply(double q[4], const double w[3]);

// The same for rotations below 0.2 rad and a q of length 1 within rounding. Returns false, with q
// unchanged, in all other cases.
SINEW_ALWAYS_INLINE bool sinew_quaternion_apply_small(double q[4], const double w[3]) {
  const double h2 = 0.25 * ((w[0] * w[0] + w[1] * w[1]) + w[2] * w[2]); // the half angle, squared
  // sin(h) / (2 h) and cos(h): their series up to h^8
  const double s =
      0.5 + h2 * (-1.0 / 12 + h2 * (1.0 / 240 + h2 * (-1.0 / 10080 + h2 * (1.0 / 725760))));
  const double c = 1.0 + h2 * (-0.5 + h2 * (1.0 / 24 + h2 * (-1.0 / 720 + h2 * (1.0 / 40320))));
  const sinew_four p = sinew_four_load(q), x = {-1.0, 1.0, 1.0, -1.0}, y = {-1.0, -1.0, 1.0, 1.0},
                   z = {-1.0, 1.0, -1.0, 1.0};
  const sinew_four moved =
      (SINEW_FOUR_OF(c) * p + SINEW_FOUR_OF(s * w[0]) * (x * SINEW_FOUR_SHUFFLE(p, 1, 0, 3, 2))) +
      (SINEW_FOUR_OF(s * w[1]) * (y * SINEW_FOUR_SHUFFLE(p, 2, 3, 0, 1)) +
       SINEW_FOUR_OF(s * w[2]) * (z * SINEW_FOUR_SHUFFLE(p, 3, 2, 1, 0)));
  const sinew_four squares = moved * moved;
  const double sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
  if (!(h2 < 0.01 && fabs(sum - 1.0) < 1e-8)) {
    return false;
  }
  // One Newton iteration for 1 / sqrt(sum) is exact to 4e-17.
  sinew_four_store(q, SINEW_FOUR_OF(1.5 - 0.5 * sum) * moved);
  return true;
}

// The rotation vector from one orientation to another, log(a^-1 b).
void sinew_quaternion_difference(const double a[4], const double b[4], double w[3]);

// The rotation vector from one unit direction to another, about an axis across both.
void sinew_direction_difference(const double from[3], const double to[3], double w[3]);

// A unit quaternion, uniformly distributed over rotations, from three uniform numbers.
void sinew_quaternion_of_uniform(const double u[3], double q[4]);

// The inverse of the left Jacobian of SO(3) at w, row-major:
// I - w^/2 + d w^w^, finite up to |w| = pi and beyond, singular at 2 pi.
void sinew_rotation_left_jacobian_inverse(const double w[3], double out[9]);

// The smallest rotation of z onto the unit vector a, exact if a is a coordinate axis.
void sinew_rotation_z_to(const double a[3], double R[9]);

#endif
