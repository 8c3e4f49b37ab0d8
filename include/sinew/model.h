/// @file model.h
/// A multibody: a tree of links and joints.
///
/// A ::sinew_model_def is plain data, filled by the caller or by a reader (formats.h).
/// sinew_model_create() validates it and copies it into a flat, immutable ::sinew_model that any
/// number of threads may share.
///
/// A configuration q has nq values, a velocity, a step and the limits have nv.
/// They differ only for spherical rotations (of SPHERICAL and FREE): four values in q, a unit
/// quaternion, and three in v, a rotation vector in the axes of the moved joint. Use
/// sinew_configuration_integrate(), _difference() and _normalize() to convert.
#ifndef SINEW_MODEL_H
#define SINEW_MODEL_H

#include "sinew/math.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Joint kinds. The joint's frame is placed in the parent link by
/// its placement; the child link's frame is the joint's frame after its motion.
typedef enum sinew_joint_kind {
  SINEW_JOINT_FIXED = 0,   ///< no value
  SINEW_JOINT_REVOLUTE,    ///< angle about axis
  SINEW_JOINT_CONTINUOUS,  ///< angle about axis, without limits
  SINEW_JOINT_PRISMATIC,   ///< distance along axis
  SINEW_JOINT_SCREW,       ///< angle about axis, and pitch times the angle along axis
  SINEW_JOINT_SPHERICAL,   ///< unit quaternion; nq 4, nv 3
  SINEW_JOINT_EULER,       ///< angles about 1 to 3 axes, one after another: see channels
  SINEW_JOINT_UNIVERSAL,   ///< angle about axis, then about the moved axis2
  SINEW_JOINT_CYLINDRICAL, ///< angle about axis, then distance along it
  SINEW_JOINT_PLANAR,      ///< two distances perpendicular to axis, then the angle about it; the
                           ///< distances are along x and y after the shortest rotation that brings
                           ///< z to axis (by pi about x where axis is -z)
  SINEW_JOINT_CHANNELS,    ///< up to 6 distances and angles: see channels
  SINEW_JOINT_FREE,        ///< distances along x, y, z, then a unit quaternion;
                           ///< nq 7, nv 6
  SINEW_JOINT_FUNCTION     ///< 1 to 6 values, and a function of your own from them to the motion
} sinew_joint_kind;

/// Most values in v that one joint has, and in q.
#define SINEW_JOINT_MAX_NV 6
#define SINEW_JOINT_MAX_NQ 7

/// The motion of a FUNCTION joint, and its derivative by each value: a function of the values
/// alone, the same bits each time, that several threads may call at once. It must be continuous,
/// and its results finite at all values within the joint's limits and at those that a caller gives
/// beyond them; else forward kinematics and solves return SINEW_ERROR_NOT_FINITE.
/// sinew_model_create() calls it at the start configuration.
/// @param context as given in ::sinew_joint_def
/// @param values of the joint [rad or m], as many as it has channels
/// @param motion the child link's frame in the joint's frame; the rotation is normalised. The
///   identity before the call
/// @param twists 6 for each value: the derivatives by it of motion, (velocity of the origin;
///   angular velocity), in the joint's axes [m, rad per rad or m]. 0 before the call
/// Source: Buss 2009, section 2: joints whose frame is a continuous function of one or more
///   scalars.
typedef void (*sinew_joint_function)(void *context, const double *values, sinew_pose *motion,
                                     double *twists);

/// One joint. Start from sinew_default_joint_def().
typedef struct sinew_joint_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_joint_def(); leave them
  uint32_t size;
  const char *name; ///< not NULL, not empty, unique among joints
  sinew_joint_kind kind;
  int parent;           ///< index of the link that carries it
  int child;            ///< index of the link that it moves
  sinew_pose placement; ///< the joint's frame in the parent link's frame;
                        ///< the rotation is normalised, default identity
  double axis[3];       ///< in the joint's frame, any length but 0; default x
  double axis2[3];      ///< UNIVERSAL: second axis, not parallel; default y
  double pitch;         ///< SCREW: [m/rad]; default 0
  /// EULER and CHANNELS: one letter for each value, in the order of q; X, Y, Z angles,
  /// x, y, z distances (CHANNELS only, each at most once). "ZXY" rotates about z first, then the
  /// moved x, then the moved y: R = Rz Rx Ry. Neighbouring angles must differ. Distances are along
  /// the joint's axes before any rotation, wherever the letters stand.
  /// FUNCTION: one letter for each value: r, in radians, or m, in metres. Steps, random
  /// configurations and start values treat the value as an angle or a distance accordingly.
  char channels[SINEW_JOINT_MAX_NV + 1];
  /// Limits [rad or m], one for each degree of freedom, in the order of v. Default -INFINITY and
  /// INFINITY, required for the rotation of FREE and for CONTINUOUS.
  ///
  /// SPHERICAL: limits of twist and swing. A rotation is a twist about axis, then a swing about an
  /// axis across it, a rotation vector s. lower[0] and upper[0] bound the twist, within +-pi.
  /// lower[i] and upper[i], i = 1, 2, bound s about axis2 (without its part along axis) and about
  /// axis x axis2: s is within an ellipse, each quarter with the semi-axes of its side. Where
  /// twist or swing is limited, swing is limited about both axes; 0 is at least 0.001 rad inside,
  /// and no side is wider than pi - 0.1.
  double lower[SINEW_JOINT_MAX_NV];
  double upper[SINEW_JOINT_MAX_NV];
  /// Largest speed [rad/s or m/s], > 0; default INFINITY; 0 means no limit.
  double velocity[SINEW_JOINT_MAX_NV];
  /// Coupled (mimic) joints: index of the driving joint, which may be coupled itself; default -1:
  /// none. Both have one degree of freedom. The value is
  /// ratio * driver + offset and is not part of q.
  int driver;
  double ratio;                  ///< default 1
  double offset;                 ///< [rad or m], default 0
  sinew_joint_function function; ///< FUNCTION: not NULL
  void *context;                 ///< FUNCTION: passed to function; must outlive the model
} sinew_joint_def;

/// One link. Start from sinew_default_link_def(), then name it.
typedef struct sinew_link_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_link_def(); leave them
  uint32_t size;
  const char *name;         ///< not NULL, not empty, unique among links
  double mass;              ///< [kg], >= 0; 0: unknown or none
  double center_of_mass[3]; ///< in the link's frame [m]
} sinew_link_def;

/// A collision shape: all points within radius of the segment from a to b. A sphere if a and b are
/// equal, else a capsule. Start from sinew_default_shape_def().
typedef struct sinew_shape_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_shape_def(); leave them
  uint32_t size;
  int link;
  double a[3], b[3]; ///< in the link's frame [m]
  double radius;     ///< [m], > 0
} sinew_shape_def;

/// Two links whose shapes may touch.
typedef struct sinew_link_pair {
  int a, b;
} sinew_link_pair;

/// A whole multibody as plain data. Start from sinew_default_model_def(). sinew_model_create()
/// copies all of it.
typedef struct sinew_model_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_model_def(); leave them
  uint32_t size;
  const char *name; ///< NULL: ""
  const sinew_link_def *links;
  int link_count;                ///< at least 1; exactly one link is no joint's child
  const sinew_joint_def *joints; ///< in any order
  int joint_count;
  const sinew_shape_def *shapes;
  int shape_count;
  const sinew_link_pair *ignored_pairs; ///< for collisions
  int ignored_pair_count;
  sinew_allocator allocator;
} sinew_model_def;

/// For bindings to other languages; in C and C++ use sinew_default_link_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_link_def_init(sinew_link_def *def, size_t size);

static inline sinew_link_def sinew_default_link_def(void) {
  sinew_link_def def;
  sinew_link_def_init(&def, sizeof def);
  return def;
}

/// For bindings to other languages; in C and C++ use sinew_default_joint_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_joint_def_init(sinew_joint_def *def, size_t size);

static inline sinew_joint_def sinew_default_joint_def(void) {
  sinew_joint_def def;
  sinew_joint_def_init(&def, sizeof def);
  return def;
}

/// For bindings to other languages; in C and C++ use sinew_default_shape_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_shape_def_init(sinew_shape_def *def, size_t size);

static inline sinew_shape_def sinew_default_shape_def(void) {
  sinew_shape_def def;
  sinew_shape_def_init(&def, sizeof def);
  return def;
}

/// For bindings to other languages; in C and C++ use sinew_default_model_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_model_def_init(sinew_model_def *def, size_t size);

static inline sinew_model_def sinew_default_model_def(void) {
  sinew_model_def def;
  sinew_model_def_init(&def, sizeof def);
  return def;
}

/// A validated tree. Immutable: threads may share it without a lock.
typedef struct sinew_model sinew_model;

/// One joint of a model.
typedef struct sinew_joint {
  const char *name;
  sinew_joint_kind kind;
  int parent;           ///< link
  int child;            ///< link
  int q_index, nq;      ///< its values in q; nq 0 where fixed or coupled
  int v_index, nv;      ///< its values in v
  int driver;           ///< the joint at the end of its chain of drivers, or -1
  double ratio, offset; ///< with respect to that driver
} sinew_joint;

/// Validates a definition and makes a model of it.
/// @param model receives the model, NULL on failure
/// @param error may be NULL; names the joint or link and what is wrong with it
/// @return SINEW_OK; SINEW_ERROR_ARGUMENT (a NULL, or def not from
///   sinew_default_model_def()); SINEW_ERROR_MODEL; SINEW_ERROR_NOT_FINITE;
///   SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_model_create(const sinew_model_def *def, sinew_model **model,
                                                 sinew_error *error);

/// Compares the twists of a FUNCTION joint with central differences of its motion at given values:
/// for your tests. They take 1e-6 max(1, |value|) to both sides; a value at a limit is moved inside
/// by as much.
/// @param joint its index
/// @param values of the joint [rad or m], within its limits
/// @param tolerance of |given - difference| / max(1, |difference|, |position|), the position
///   that of the motion [m]: 1e-6 suits most
/// @param error may be NULL; SINEW_ERROR_ARGUMENT names the worst entry, with both values
/// @return SINEW_OK; SINEW_ERROR_ARGUMENT (or a joint of another kind); SINEW_ERROR_INDEX;
///   SINEW_ERROR_NOT_FINITE (the values, or results of the function)
SINEW_MUST_CHECK sinew_result sinew_model_check_function(const sinew_model *model, int joint,
                                                         const double *values, double tolerance,
                                                         sinew_error *error);

/// May be NULL. Destroy states and solvers made from it first.
SINEW_API void sinew_model_destroy(sinew_model *model);

SINEW_API const char *sinew_model_name(const sinew_model *model);
SINEW_API int sinew_model_link_count(const sinew_model *model);
SINEW_API int sinew_model_joint_count(const sinew_model *model);
SINEW_API int sinew_model_nq(const sinew_model *model);
SINEW_API int sinew_model_nv(const sinew_model *model);

/// The root link, which no joint moves. Poses are given in its frame.
SINEW_API int sinew_model_root(const sinew_model *model);

/// The model's size [m]: the longest path from the root to a link, summed over joint offsets. The
/// offset of a joint of the root by which the figure floats, a FREE joint or CHANNELS with x, y and
/// z, is left out. Where no rotation moves a link's origin, the longest range of a translation if
/// that is longer. 1 where there is neither. Lengths are scaled by it, so that results do not
/// depend on the unit.
SINEW_API double sinew_model_size(const sinew_model *model);

/// The typical length of a link [m]: the mean distance between a joint and the next one above it
/// that moves, of those that are apart; sinew_model_size() where none are. Half of it is the usual
/// D_max: step.error_clamp (solver.h).
SINEW_API double sinew_model_link_length(const sinew_model *model);

/// Warnings: unusual but valid data, such as limits of a coupled joint that leave its driver no
/// range. Index from 0; NULL past the last.
SINEW_API const char *sinew_model_warning(const sinew_model *model, int index);

/// Links keep the definition's order. NULL if the index is out of range.
SINEW_API const char *sinew_model_link_name(const sinew_model *model, int link);

/// The joint that moves the link, or -1 for the root.
SINEW_API int sinew_model_link_joint(const sinew_model *model, int link);

/// Mass [kg] and centre of mass (link's frame, 3 values, may be NULL).
SINEW_API double sinew_model_link_mass(const sinew_model *model, int link,
                                       double center_of_mass[3]);

/// The index of a name, or -1.
SINEW_API int sinew_model_find_link(const sinew_model *model, const char *name);
SINEW_API int sinew_model_find_joint(const sinew_model *model, const char *name);

/// @return SINEW_OK or SINEW_ERROR_INDEX
SINEW_MUST_CHECK sinew_result sinew_model_joint(const sinew_model *model, int joint,
                                                sinew_joint *out);

/// The limits in force, nv values each [rad or m]: the joint's own, narrowed
/// by those of the joints it drives. INFINITY: no limit, or one of swing and twist.
SINEW_API const double *sinew_model_lower(const sinew_model *model);
SINEW_API const double *sinew_model_upper(const sinew_model *model);

/// Largest speeds, nv values [rad/s or m/s], narrowed by driven joints'.
SINEW_API const double *sinew_model_velocity(const sinew_model *model);

/// The limits of twist and of swing of a spherical joint [rad], as in ::sinew_joint_def.
/// @param lower, upper 3 values each; may be NULL
/// @return false where the joint has none
SINEW_API bool sinew_model_swing_twist(const sinew_model *model, int joint, double lower[3],
                                       double upper[3]);

/// The shapes and the pairs to ignore, as they were given.
SINEW_API int sinew_model_shapes(const sinew_model *model, const sinew_shape_def **shapes);
SINEW_API int sinew_model_ignored_pairs(const sinew_model *model, const sinew_link_pair **pairs);

/// q (nq) = 0 clamped into the limits; spherical rotations at the identity, or the nearest to it
/// in their limits.
SINEW_API void sinew_configuration_start(const sinew_model *model, double *q);

/// q (nq) = the middle of the limits; where a limit is missing, the value of
/// sinew_configuration_start(). Where limits are more than 1e5 rad or 1e6 sizes apart, 0 if it is
/// pi rad or one size inside them, else the nearest value that is.
SINEW_API void sinew_configuration_middle(const sinew_model *model, double *q);

/// q (nq) from a counter-based random number: uniform within the limits; without limits within
/// +-pi rad or +-sinew_model_size(); with one limit up to twice that from it; with limits more than
/// 1e5 rad or 1e6 sizes apart, the same range as near to 0 as they allow; spherical rotations
/// uniform over all rotations, or swing and twist uniform over their ellipse and range.
SINEW_API void sinew_configuration_random(const sinew_model *model, uint64_t seed, uint64_t counter,
                                          double *q);

/// out (nq) = q moved along v (nv) for a unit of time. out may be q.
SINEW_API void sinew_configuration_integrate(const sinew_model *model, const double *q,
                                             const double *v, double *out);

/// v (nv) that brings q0 to q1 in a unit of time: the inverse of integrate.
SINEW_API void sinew_configuration_difference(const sinew_model *model, const double *q0,
                                              const double *q1, double *v);

/// q (nq) = a smooth motion through key configurations, solved beforehand: piecewise cubic,
/// rotations of spherical joints along geodesics, with continuous velocities, which are 0 at the
/// first and the last key. Values within the limits at two keys stay within them between the two,
/// except limits of swing and twist.
/// @param times count values, increasing by more than 1e-100 [s]
/// @param keys count x nq values, row-major
/// @param count of keys, >= 1
/// @param time before the first key the first configuration, after the last the last
/// @param q must not overlap keys
/// @return SINEW_OK, SINEW_ERROR_ARGUMENT (count, or times that do not increase) or
///   SINEW_ERROR_NOT_FINITE; q is then unchanged
SINEW_MUST_CHECK sinew_result sinew_configuration_keyframes(const sinew_model *model,
                                                            const double *times, const double *keys,
                                                            int count, double time, double *q);

/// Scales each quaternion in q (nq) to unit length.
SINEW_API void sinew_configuration_normalize(const sinew_model *model, double *q);

/// Moves q (nq) into the limits: each value to the nearer end of its range, the swing of a
/// spherical joint along its direction, the twist to the nearer end. Quaternions are normalised.
SINEW_API void sinew_configuration_clamp(const sinew_model *model, double *q);

/// By how much q (nq) is outside the limits: the most of all joints [rad or m], 0 within them. Of a
/// spherical joint, the angle by which its swing is longer than the limits allow in its direction,
/// or its twist beyond them.
/// @param joint may be NULL; receives that joint, -1 within the limits
SINEW_API double sinew_configuration_excess(const sinew_model *model, const double *q, int *joint);

/// The values of every joint, coupled ones too, in the order of joints:
/// sinew_model_joint_values() returns how many, and writes them where values is
/// not NULL.
SINEW_API int sinew_model_joint_values(const sinew_model *model, const double *q, double *values);

#ifdef __cplusplus
}
#endif
#endif
