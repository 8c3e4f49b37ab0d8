/// @file kinematics.h
/// Poses of links, Jacobians and their derivatives.
///
/// A ::sinew_state holds poses and scratch memory and belongs to one thread; the model
/// it was made from is shared. Call sinew_state_forward() first.
///
/// A point_l is a point in the link's frame, 3 values [m], or NULL for its origin.
/// J, q and v may be NULL where they have no values.
///
/// Other constructions of the same Jacobian, its derivatives and finite differences are in
/// sinew/reference.h.
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

/// The twist (linear of the point; angular), world axes, of a link for joint velocities v (nv
/// values), computed from the root outward without a Jacobian.
/// Call sinew_state_forward() first.
/// @param state only its scratch changes
/// @return SINEW_OK, SINEW_ERROR_INDEX or SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_state_twist(sinew_state *state, int link, const double *point_l,
                                                const double *v, double twist[6]);

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
