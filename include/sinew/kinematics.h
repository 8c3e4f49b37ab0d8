/// @file kinematics.h
/// Where links are, and how they move when joints do.
///
/// A ::sinew_state holds poses and scratch and belongs to one thread; the model
/// it was made from is shared. Call sinew_state_forward() first.
#ifndef SINEW_KINEMATICS_H
#define SINEW_KINEMATICS_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Poses of one multibody in one configuration. One a thread.
typedef struct sinew_state sinew_state;

/// @param allocator may be NULL: malloc() and free()
/// @param error may be NULL
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT or SINEW_ERROR_MEMORY. The state is
///   at sinew_configuration_start().
SINEW_API sinew_result sinew_state_create(const sinew_model *model,
                                          const sinew_allocator *allocator, sinew_state **state,
                                          sinew_error *error);
SINEW_API void sinew_state_destroy(sinew_state *state);
SINEW_API const sinew_model *sinew_state_model(const sinew_state *state);

/// Forward kinematics: places every link, in one pass from the root outward.
/// Limits are not looked at.
/// @param q nq values [rad or m]; balls need not be exactly unit
/// @return SINEW_OK or SINEW_ERROR_NOT_FINITE (the state stays as it was)
SINEW_API sinew_result sinew_state_forward(sinew_state *state, const double *q);

/// The pose of a link's frame in the root link's frame.
/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_API sinew_result sinew_state_link_pose(const sinew_state *state, int link, sinew_pose *pose);

/// The same as rotation matrix and origin.
/// @param R 9 values, row-major; may be NULL
/// @param p 3 values [m]; may be NULL
SINEW_API sinew_result sinew_state_link_frame(const sinew_state *state, int link, double *R,
                                              double *p);

/// A point fixed to a link, in the root link's frame.
/// @param point_l in the link's frame, 3 values [m]; NULL: its origin
/// @param out 3 values [m]
SINEW_API sinew_result sinew_state_point(const sinew_state *state, int link, const double *point_l,
                                         double out[3]);

/// Jacobian of a point fixed to a link: rows 0-2 linear (m/rad or m/m), rows
/// 3-5 angular (rad/rad or rad/m); columns in the order of v; zero where the
/// link does not depend on the joint.
/// Call sinew_state_forward() first.
/// @param point_l point in the link's frame, 3 values [m]; NULL: its origin
/// @param axes_link in whose axes the rows are: sinew_model_root() for world
///   axes, link itself for body axes, or any other link
/// @param J row-major, 6 x nv; overwritten
/// @return SINEW_OK, or SINEW_ERROR_INDEX if a link is out of range
/// Source: Buss 2009, section 2; Murray, Li, Sastry 1994, chapter 3.
SINEW_API sinew_result sinew_state_jacobian(const sinew_state *state, int link,
                                            const double *point_l, int axes_link, double *J);

/// How sinew_state_jacobian_differences() steps.
typedef enum sinew_difference {
  SINEW_DIFFERENCE_FORWARD,
  SINEW_DIFFERENCE_CENTRAL
} sinew_difference;

/// The same Jacobian, in world axes, by finite differences of the forward
/// kinematics. An oracle for tests: inexact and nv or 2 nv times the work.
/// @param state is moved about and left at q
/// @param q nq values
/// @param epsilon step [rad or m], > 0; least error near sqrt(DBL_EPSILON)
///   forward and cbrt(DBL_EPSILON) central
/// @param J row-major, 6 x nv; overwritten
SINEW_API sinew_result sinew_state_jacobian_differences(sinew_state *state, const double *q,
                                                        int link, const double *point_l,
                                                        sinew_difference method, double epsilon,
                                                        double *J);

/// The twist (linear of the point; angular), world axes, of a link when the
/// joints move at v (nv values): passed from the root outward, without a
/// Jacobian.
/// Call sinew_state_forward() first.
SINEW_API sinew_result sinew_state_twist(sinew_state *state, int link, const double *point_l,
                                         const double *v, double twist[6]);

/// The same Jacobian, in world axes, column by column from sinew_state_twist()
/// at unit velocities. An oracle for tests: nv times the work.
/// @param v nv values of scratch
SINEW_API sinew_result sinew_state_jacobian_unit_velocities(sinew_state *state, int link,
                                                            const double *point_l, double *v,
                                                            double *J);

#ifdef __cplusplus
}
#endif
#endif
