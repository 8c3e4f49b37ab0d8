/// @file math.h
/// Rotations, rigid motions and random numbers, and the conventions of all headers:
///
/// - SI units and radians; right-handed axes. A model read from a BVH keeps
///   the file's length unit: read "metre" as "that unit" there.
/// - Quaternions are (w, x, y, z); q and -q are the same rotation.
/// - Matrices are row-major: R[3*i + j] is row i, column j.
/// - A twist is (linear; angular), six values.
/// - A pose maps a point of its own frame to the frame it is given in:
///   x_w = R(q) x_l + p. Poses are in the root link's frame unless said.
/// - Names end in _w (root link's axes, "world"), _b (body), _l (a link's
///   own frame).
/// - Damping lambda is squared before it is added to a diagonal; mu is added without squaring.
#ifndef SINEW_MATH_H
#define SINEW_MATH_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rigid motion or placement.
typedef struct sinew_pose {
  double position[3]; ///< [m]
  double rotation[4]; ///< unit quaternion (w, x, y, z)
} sinew_pose;

/// The identity pose.
SINEW_API sinew_pose sinew_pose_identity(void);

/// out = a * b: first b, then a. out may be a or b.
SINEW_API void sinew_pose_multiply(const sinew_pose *a, const sinew_pose *b, sinew_pose *out);

/// out = a^-1. out may be a.
SINEW_API void sinew_pose_invert(const sinew_pose *a, sinew_pose *out);

/// out = R(a) point + p(a). out may be point.
SINEW_API void sinew_pose_transform(const sinew_pose *a, const double point[3], double out[3]);

/// out = a * b, quaternions. out may be a or b.
SINEW_API void sinew_quaternion_multiply(const double a[4], const double b[4], double out[4]);

/// Scales q to unit length; the identity where its length is 0 or not finite.
SINEW_API void sinew_quaternion_normalize(double q[4]);

/// Rotates a vector. out may be v.
SINEW_API void sinew_quaternion_rotate(const double q[4], const double v[3], double out[3]);

/// The unit quaternion of the rotation vector w [rad]; accurate for small |w|.
SINEW_API void sinew_quaternion_exp(const double w[3], double q[4]);

/// The rotation vector of a unit quaternion, |w| <= pi [rad]; accurate near 0 and pi. At exactly
/// pi, where w and -w are the same rotation, the first nonzero component is positive.
/// @param quaternion need not be exactly of unit length; a zero quaternion gives w = 0
SINEW_API void sinew_quaternion_log(const double quaternion[4], double w[3]);

/// R (9 values) of a unit quaternion.
SINEW_API void sinew_quaternion_to_matrix(const double q[4], double R[9]);

/// The unit quaternion, q[0] >= 0, of a rotation matrix (9 values).
/// Source: Shepperd 1978.
SINEW_API void sinew_quaternion_from_matrix(const double R[9], double q[4]);

/// The quaternion of fixed-axis roll, pitch, yaw [rad] about x, y, z in this
/// order (URDF's rpy): R = Rz(yaw) Ry(pitch) Rx(roll).
SINEW_API void sinew_quaternion_from_rpy(const double rpy[3], double q[4]);

/// The adjoint of a pose a, 6 x 6, row-major: [R, t^R; 0, R], with R and t the
/// pose's rotation and position and t^ b = t x b. It transforms a twist from a's own frame (about
/// its origin, in its axes) to the frame that a is given in. Ad(a b) = Ad(a) Ad(b).
/// Source: Murray, Li, Sastry 1994, section 2.4.
SINEW_API void sinew_pose_adjoint(const sinew_pose *a, double Ad[36]);

/// Ad(a)^-1 = Ad(a^-1) = [R^T, -R^T t^; 0, R^T], without inverting a matrix.
SINEW_API void sinew_pose_adjoint_inverse(const sinew_pose *a, double Ad[36]);

/// The time derivative of Ad(a) while a moves with a twist (v; w) of the frame
/// that a is given in: [w^R, w^t^R + v^R; 0, w^R].
/// @param twist v [m/s] is the velocity of the body's point at the origin, v = t' - w x t, not t',
/// the velocity of a's own origin; w [rad/s]
SINEW_API void sinew_pose_adjoint_derivative(const sinew_pose *a, const double twist[6],
                                             double out[36]);

/// out = Ad(a) twist, without the matrix. out may be twist.
SINEW_API void sinew_pose_transform_twist(const sinew_pose *a, const double twist[6],
                                          double out[6]);

/// out = Ad(a)^-1 twist. out may be twist.
SINEW_API void sinew_pose_transform_twist_back(const sinew_pose *a, const double twist[6],
                                               double out[6]);

/// out = A twists: transforms a whole Jacobian to another frame.
/// @param A      6 x 6, row-major, for example an adjoint
/// @param twists 6 x count, row-major
/// @param out    6 x count; may be twists
SINEW_API void sinew_twists_transform(const double A[36], int count, const double *twists,
                                      double *out);

/// The motion along a constant twist (v; w) for a unit of time: rotation exp(w),
/// position J v with the left Jacobian J of rotations; exact for small |w|.
/// @param twist entries of at most 1e100
/// Source: Barfoot 2017, section 7.1.
SINEW_API void sinew_pose_exp(const double twist[6], sinew_pose *pose);

/// The twist with |w| <= pi whose sinew_pose_exp() is a pose. At exactly pi the sign is chosen as
/// by sinew_quaternion_log().
SINEW_API void sinew_pose_log(const sinew_pose *pose, double twist[6]);

/// The left Jacobian J of rigid motions at a twist x, 6 x 6, row-major:
/// exp(x + d) = exp(J d) exp(x) for small d.
/// Source: Barfoot 2017, section 7.1.
SINEW_API void sinew_pose_left_jacobian(const double twist[6], double out[36]);

/// Its inverse: log(exp(d) exp(x)) = x + J^-1 d. Singular at |w| = 2 pi.
SINEW_API void sinew_pose_left_jacobian_inverse(const double twist[6], double out[36]);

/// A number that depends on seed and counter alone: the same everywhere, in
/// any order, from any thread.
/// Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators,
/// 2014 (its 64-bit finalizer, applied to both words).
SINEW_API uint64_t sinew_random_bits(uint64_t seed, uint64_t counter);

/// Uniform in [0, 1), 53 bits of sinew_random_bits().
SINEW_API double sinew_random_uniform(uint64_t seed, uint64_t counter);

#ifdef __cplusplus
}
#endif
#endif
