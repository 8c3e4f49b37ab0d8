/// @file kinematics.h
/// Poses of links, Jacobians and their derivatives.
///
/// A ::sinew_state holds poses and scratch memory and belongs to one thread; the model
/// it was made from is shared. Call sinew_state_forward() first.
///
/// A point_l is a point in the link's frame, 3 values [m], or NULL for its origin.
/// J, q and v may be NULL where they have no values.
#ifndef SINEW_KINEMATICS_H
#define SINEW_KINEMATICS_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Poses of one multibody in one configuration. One for each thread.
typedef struct sinew_state sinew_state;

/// @param allocator may be NULL: malloc() and free()
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_MEMORY. The state is
///   at sinew_configuration_start().
SINEW_MUST_CHECK sinew_result sinew_state_create(const sinew_model *model,
                                                 const sinew_allocator *allocator,
                                                 sinew_state **state, sinew_error *error);
SINEW_API void sinew_state_destroy(sinew_state *state);
SINEW_API const sinew_model *sinew_state_model(const sinew_state *state);

/// Forward kinematics: places every link, in one pass from the root outward.
/// Limits are not checked.
/// @param q nq values [rad or m]; quaternions need not be of unit length
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE (the state stays as it was)
SINEW_MUST_CHECK sinew_result sinew_state_forward(sinew_state *state, const double *q);

/// The pose of a link's frame in the root link's frame.
/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_state_link_pose(const sinew_state *state, int link,
                                                    sinew_pose *pose);

/// The same, as rotation matrix and origin.
/// @param R 9 values, row-major; may be NULL
/// @param p 3 values [m]; may be NULL
/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_state_link_frame(const sinew_state *state, int link, double *R,
                                                     double *p);

/// A point fixed to a link, in the root link's frame.
/// @param point_l in the link's frame, 3 values [m]; NULL: its origin
/// @param out 3 values [m]
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_point(const sinew_state *state, int link,
                                                const double *point_l, double out[3]);

/// Jacobian of a point fixed to a link: rows 0-2 linear (m/rad or m/m), rows
/// 3-5 angular (rad/rad or rad/m); columns in the order of v; zero where the
/// link does not depend on the joint.
/// Call sinew_state_forward() first.
/// @param point_l point in the link's frame, 3 values [m]; NULL: its origin
/// @param axes_link the link in whose axes the rows are: sinew_model_root() for world axes, link
/// itself for body axes, or any other
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX if a link is out of range, or
///   SINEW_ERROR_NOT_FINITE if point_l is not finite
/// Source: Buss 2009, section 2; Murray, Li, Sastry 1994, chapter 3.
SINEW_MUST_CHECK sinew_result sinew_state_jacobian(const sinew_state *state, int link,
                                                   const double *point_l, int axes_link, double *J);

/// How sinew_state_jacobian_differences() steps.
typedef enum sinew_difference {
  SINEW_DIFFERENCE_FORWARD,
  SINEW_DIFFERENCE_CENTRAL
} sinew_difference;

/// The same Jacobian, in world axes, by finite differences of the forward
/// kinematics. An oracle for tests: inexact and nv or 2 nv times the work.
/// @param state is used for the differences and left at q
/// @param q nq values
/// @param epsilon step [rad or m], 1e-100 to 1e100; smallest error near
///   sqrt(DBL_EPSILON) forward and cbrt(DBL_EPSILON) central
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT (epsilon too small), SINEW_ERROR_INDEX or
///   SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_differences(sinew_state *state, const double *q,
                                                               int link, const double *point_l,
                                                               sinew_difference method,
                                                               double epsilon, double *J);

/// The twist (linear of the point; angular), world axes, of a link for joint velocities v (nv
/// values), computed from the root outward without a Jacobian.
/// Call sinew_state_forward() first.
/// @param state only its scratch changes
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_twist(sinew_state *state, int link, const double *point_l,
                                                const double *v, double twist[6]);

/// The same Jacobian, in world axes, column by column from sinew_state_twist()
/// at unit velocities. An oracle for tests: nv times the work.
/// @param state only its scratch changes
/// @param v nv values of scratch
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_unit_velocities(sinew_state *state, int link,
                                                                   const double *point_l, double *v,
                                                                   double *J);

// ------------------------------------------------- other constructions of the same Jacobian
//
// All agree with sinew_state_jacobian() up to rounding. The fast ones are sinew_state_jacobian()
// and, from joint values, sinew_state_jacobian_body(); the others are for reference and tests.

/// The Jacobian in body axes, and the pose, from joint values in one pass from the
/// link to the root: no sinew_state_forward() is needed, and the state's poses stay
/// as they were.
/// @param q nq values
/// @param point_l point in the link's frame, 3 values [m]; NULL: its origin
/// @param J row-major, 6 x nv, in the link's axes; overwritten
/// @param pose the link's pose, its position that of the point; may be NULL
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Murray, Li, Sastry 1994, section 3.4; Orin, Schrader 1984.
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_body(sinew_state *state, const double *q,
                                                        int link, const double *point_l, double *J,
                                                        sinew_pose *pose);

/// One factor exp(twist theta), theta = ratio * q[q_index] + offset, of a product
/// of exponentials. A spherical rotation has three in a row, about its x, y, z axes in the zero
/// pose; together they are one factor, of the rotation vector of the quaternion at q_index.
typedef struct sinew_exponential {
  double twist[6];      ///< in the zero pose, root link's origin and axes
  int q_index;          ///< in q
  int v_index;          ///< column in the Jacobian; coupled joints share their driver's
  int ball_axis;        ///< 0, 1, 2 for a spherical rotation; else -1
  double ratio, offset; ///< 1 and 0 where not coupled
} sinew_exponential;

/// A point on a link as a product of exponentials,
/// g(q) = exp(x_1 theta_1) ... exp(x_n theta_n) g(0).
typedef struct sinew_exponentials {
  sinew_exponential *factors; ///< set by the caller to an array of
                              ///< sinew_model_exponential_count()
  int count;                  ///< those on the path to the link, root first
  int nv;
  sinew_pose zero; ///< g(0), the pose where every theta is 0
} sinew_exponentials;

/// The most factors that a link of the model can have.
SINEW_API int sinew_model_exponential_count(const sinew_model *model);

/// The product of exponentials of a point on a link.
/// @param point_l in the link's frame, 3 values [m]; NULL: its origin
/// @param product its factors must point to an array
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Murray, Li, Sastry 1994, section 3.2.
SINEW_MUST_CHECK sinew_result sinew_model_exponentials(const sinew_model *model, int link,
                                                       const double *point_l,
                                                       sinew_exponentials *product);

/// g(q): the link's rotation and the point, in the root link's frame.
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_exponentials_pose(const sinew_exponentials *product,
                                                      const double *q, sinew_pose *pose);

/// The body Jacobian: columns Ad(exp(x_j theta_j) ... exp(x_n theta_n) g(0))^-1 x_j,
/// the twist about the point, in the link's axes.
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE
/// Source: Murray, Li, Sastry 1994, section 3.4; Rabbani, Jacobian, "Product of
/// exponentials".
SINEW_MUST_CHECK sinew_result sinew_exponentials_jacobian_body(const sinew_exponentials *product,
                                                               const double *q, double *J);

/// The spatial Jacobian, Ad(g(q)) times the body's: linear rows are the velocity of the point,
/// fixed to the link, at the root link's origin; in the root link's axes.
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_exponentials_jacobian_spatial(const sinew_exponentials *product,
                                                                  const double *q, double *J);

/// An elementary joint: one revolute, prismatic or screw axis, or a spherical rotation. Joints
/// with several values are several in a row.
typedef struct sinew_block {
  int joint;                ///< that it is a part of
  int v_index;              ///< its column, or the first of three of a spherical rotation
  unsigned char freedom[6]; ///< 1: moves along x, y, z, about x, y, z of its frame
  double ratio;             ///< by which it follows v_index; 1 where not coupled
  double pitch;             ///< SCREW [m/rad]: translation along z for each radian about z
} sinew_block;

/// m, the number of elementary joints, and one of them.
SINEW_API int sinew_model_block_count(const sinew_model *model);

/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_model_block(const sinew_model *model, int block,
                                                sinew_block *out);

/// The Jacobian before trimming: every elementary joint has all six degrees of freedom, along and
/// about the axes of its current frame. Block i, columns 6i to 6i + 5, is the adjoint [R, t^R; 0,
/// R] of that frame with respect to the point; zero where the link does not depend on the joint.
/// Call sinew_state_forward() first.
/// @param axes_link as in sinew_state_jacobian()
/// @param blocks row-major, 6 x 6m; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Rabbani, Jacobian, "Block-wise", procedure 2 (which writes 6 x m).
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_blocks(const sinew_state *state, int link,
                                                          const double *point_l, int axes_link,
                                                          double *blocks);

/// Removes the columns of degrees of freedom that joints do not have, and the rows that are not
/// controlled. The columns of a screw become one, and those of coupled joints are added to their
/// drivers'.
/// @param rows   6 flags: 0 removes the row; NULL: none
/// @param blocks 6 x 6m, of sinew_state_jacobian_blocks()
/// @param J      row-major, k x nv, k the number of rows kept; overwritten
/// @return k
SINEW_API int sinew_model_trim_blocks(const sinew_model *model, const unsigned char *rows,
                                      const double *blocks, double *J);

/// The Jacobian from one adjoint for each joint, its rotation multiplied on the right by R* = R^T
/// R', the joint's axes R' expressed in the axes after its own rotation R, as joints of several
/// angles require.
/// Call sinew_state_forward() first.
/// @param axes_link as in sinew_state_jacobian()
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Rabbani, Jacobian, "Adjusted method".
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_adjusted(const sinew_state *state, int link,
                                                            const double *point_l, int axes_link,
                                                            double *J);

// -------------------------------------------- other Jacobians and derivatives

/// The target ("alternate") Jacobian, world axes: each column uses the target's position t instead
/// of the end effector's s: a x (t - p). Equal to sinew_state_jacobian() if t = s; the angular rows
/// are always equal.
/// Call sinew_state_forward() first.
/// @param target_w t, 3 values [m]
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Buss 2009, section 2.
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_target(const sinew_state *state, int link,
                                                          const double target_w[3], double *J);

/// The time derivative of the Jacobian, world axes, for joint velocities v: the linear
/// acceleration of the point and the angular acceleration of the link are J' v + J v'.
/// Call sinew_state_forward() first.
/// @param state only its scratch changes
/// @param v nv values [rad/s or m/s]
/// @param J_rate row-major, 6 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Rabbani, Jacobian, "Jacobian derivative".
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_derivative(sinew_state *state, int link,
                                                              const double *point_l,
                                                              const double *v, double *J_rate);

/// The kinematic Hessian, world axes: H[(r nv + j) nv + k] is the derivative of row
/// r, column j of the Jacobian with respect to degree of freedom k. Row-major, 6 x nv x nv.
/// Linear rows are symmetric in j and k, except within a spherical rotation, whose axes move.
/// Call sinew_state_forward() first.
/// @param H 6 nv nv values; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Hourtash, The kinematic Hessian and higher derivatives, 2005.
SINEW_MUST_CHECK sinew_result sinew_state_hessian(const sinew_state *state, int link,
                                                  const double *point_l, double *H);

/// The error of a pose, target minus link, and its exact derivative: (t - s; r) with
/// r the rotation vector of R_target R_link^T, and -(Jv; J_r(r)^-1 Jw). World axes.
/// Call sinew_state_forward() first.
/// @param target where the point and the link's axes should be; its rotation is
///   normalised, and must not be 0
/// @param residual [m] and [rad], |r| <= pi; discontinuous at |r| = pi
/// @param J row-major, 6 x nv: the derivative of residual; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
/// Source: Barfoot 2017, section 7.1.
SINEW_MUST_CHECK sinew_result sinew_state_residual_jacobian(const sinew_state *state, int link,
                                                            const double *point_l,
                                                            const sinew_pose *target,
                                                            double residual[6], double *J);

/// Coordinates of an orientation.
typedef enum sinew_orientation {
  SINEW_ORIENTATION_RPY,        ///< roll, pitch, yaw, as sinew_quaternion_from_rpy()
  SINEW_ORIENTATION_QUATERNION, ///< w, x, y, z, as sinew_state_link_pose()
  SINEW_ORIENTATION_VECTOR      ///< rotation vector, as sinew_quaternion_log()
} sinew_orientation;

/// The (analytical) Jacobian of a point and of coordinates of the link's
/// orientation, world axes.
/// Call sinew_state_forward() first.
/// @param J row-major, 6 x nv, for QUATERNION 7 x nv; overwritten
/// @return SINEW_OK, SINEW_ERROR_INDEX, SINEW_ERROR_ARGUMENT (no such coordinates),
///   or SINEW_ERROR_NOT_FINITE if point_l is not finite, or where RPY's pitch is +-pi/2 and the
/// rates of roll and yaw are unbounded
/// Source: Siciliano et al. 2009, section 3.6.
SINEW_MUST_CHECK sinew_result sinew_state_jacobian_rates(const sinew_state *state, int link,
                                                         const double *point_l,
                                                         sinew_orientation orientation, double *J);

#ifdef __cplusplus
}
#endif
#endif
