// Rotation vectors of matrices and what the log map's derivative needs.
#ifndef SINEW_MATH_ROTATION_H
#define SINEW_MATH_ROTATION_H

// The rotation vector w of R, |w| <= pi, exact near 0 and near pi.
void sinew_rotation_log(const double R[9], double w[3]);

// q <- q exp(w), at length 1: how a ball moves.
void sinew_quaternion_turn(double q[4], const double w[3]);

// The inverse of the left Jacobian of SO(3) at w, row-major:
// I - w^/2 + d w^w^, finite up to |w| = pi and beyond, singular at 2 pi.
void sinew_rotation_left_jacobian_inverse(const double w[3], double out[9]);

// The rotation that brings z to the unit vector a by the shortest way, exact
// where a is a coordinate axis.
void sinew_rotation_z_to(const double a[3], double R[9]);

#endif
