/// @file limb.h
/// Closed forms for figures: a limb of two segments (an arm, a leg) whose end goes to a point, a
/// link that is aimed at a point, a twist that is shared out to roll bones, a spine along a curve,
/// legs on uneven ground, and the two-link arm in a plane. They need neither a model nor a
/// solver, do not iterate, and take the same time for every target. Use them where one limb or one
/// head is all that moves; a solver (solver.h) takes any tree, with limits.
///
/// All points and directions are given in one frame, that of the link which carries the limb or the
/// aimed link ("parent" here): the pelvis for a leg. A target in another frame is transformed
/// first, see sinew_pose_invert() and sinew_pose_transform().
///
/// The functions for arrays compute as many rows at once as the processor has vector lanes. Their
/// results agree with those for one row to rounding.
#ifndef SINEW_LIMB_H
#define SINEW_LIMB_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How the direction in which the elbow bends is chosen. It is the one degree of freedom that a
/// target leaves open. No rule that depends on the target alone is continuous in all directions (a
/// sphere has no continuous field of tangents), so each says where it is not.
typedef enum sinew_limb_bend {
  /// The bend axis of the rest pose, carried by the shortest rotation from the direction shoulder
  /// to wrist at rest to that of the target. Discontinuous in one direction: opposite to that at
  /// rest.
  SINEW_LIMB_BEND_REST = 0,
  /// The elbow points towards the pole. Discontinuous in two directions: towards the pole and away
  /// from it. Exactly there the rule is that of SINEW_LIMB_BEND_REST.
  SINEW_LIMB_BEND_POLE,
  /// The last bend axis, carried by the shortest rotation from the last direction to the new one
  /// and then rotated by at most max_rate towards the one of SINEW_LIMB_BEND_POLE, or without a
  /// pole of
  /// SINEW_LIMB_BEND_REST. It never flips.
  SINEW_LIMB_BEND_MEMORY
} sinew_limb_bend;

/// A limb. Begin with sinew_default_limb_def().
typedef struct sinew_limb_def {
  uint32_t cookie, size; ///< set by sinew_default_limb_def(); leave them
  /// Shoulder, elbow and wrist (hip, knee, ankle) in the rest pose [m]. Their order in memory is
  /// from the parent outwards. The two segments have a length, and the wrist is not at the
  /// shoulder.
  double shoulder[3], elbow[3], wrist[3];
  /// The axis about which the elbow bends, in the rest pose: the elbow is on the side
  /// bend_axis x (wrist - shoulder). Required if the limb is straight at rest; otherwise only its
  /// sign counts, for a limb that is bent to the wrong side at rest. Default 0: from the rest pose.
  double bend_axis[3];
  sinew_limb_bend bend; ///< default SINEW_LIMB_BEND_REST
  double max_rate;      ///< of SINEW_LIMB_BEND_MEMORY [rad a call], 0 to pi; default 0.1
  /// Soft reach: the share of the limb's length, 0 to 0.5, in which the wrist begins to lag behind
  /// the target, so that the elbow never stops suddenly as the limb straightens. Targets nearer
  /// than (1 - soft) lengths are reached; the limb is never quite straight. Default 0: off. Source:
  /// A. Nicholas, soft inverse kinematics, 2009.
  double soft;
  /// How much of the distance that is missing to a target out of reach both segments are lengthened
  /// by: 0 none (default), 1 all, so that the wrist is at the target.
  double stretch;
} sinew_limb_def;

/// Fills a definition with the defaults. @param size sizeof *def
SINEW_API void sinew_limb_def_init(sinew_limb_def *def, size_t size);

static inline sinew_limb_def sinew_default_limb_def(void) {
  sinew_limb_def def;
  sinew_limb_def_init(&def, sizeof def);
  return def;
}

/// What sinew_limb_init() computes from a definition. It owns no memory and may be copied; its
/// members are not part of the interface.
typedef struct sinew_limb {
  double shoulder[3], upper[3], direction[3], bend_axis[3];
  double side[3]; // direction x bend_axis
  double length[2], length_sum, distance, rest[4], zone, stretch, max_rate;
  double per_length, per_zone; // 1 / length_sum, 1 / zone
  sinew_limb_bend bend;
} sinew_limb;

/// @return SINEW_OK, or SINEW_ERROR_ARGUMENT or SINEW_ERROR_NOT_FINITE, where error (may be NULL)
/// names the field
SINEW_MUST_CHECK sinew_result sinew_limb_init(sinew_limb *limb, const sinew_limb_def *def,
                                              sinew_error *error);

/// What SINEW_LIMB_BEND_MEMORY keeps from call to call, one for each limb. Zeros: nothing yet; the
/// next bend axis is then that of the pole or of the rest pose.
typedef struct sinew_limb_memory {
  double direction[3], bend_axis[3]; ///< unit vectors
} sinew_limb_memory;

/// Where one limb goes.
typedef struct sinew_limb_goal {
  double target[3];   ///< of the wrist [m]
  const double *pole; ///< a point that the elbow points to, 3 values [m]; NULL: none
  double swivel;      ///< rotates the elbow about the direction from shoulder to wrist,
                      ///< right-handed [rad], at most 1e5 either way
} sinew_limb_goal;

/// A limb at its target.
typedef struct sinew_limb_pose {
  /// The rotations of both segments from the rest pose, unit quaternions in the parent's axes: a
  /// link with the rotation r at rest now has upper * r. The elbow's own rotation is upper^-1 *
  /// lower.
  double upper[4], lower[4];
  double elbow[3], wrist[3]; ///< [m]
  double scale;              ///< of both lengths: 1 without stretch
  double miss;               ///< the distance of the wrist from the target [m]
} sinew_limb_pose;

/// Brings the wrist to a target, or as near as the two lengths allow: straight, or folded back.
/// A target within 1e-12 lengths of the shoulder has no direction; the last one, or that of the
/// rest pose, is used.
/// @param memory of SINEW_LIMB_BEND_MEMORY, changed; NULL for the others
/// @return SINEW_OK; SINEW_ERROR_ARGUMENT if the rule needs a pole or a memory that is NULL: pose
/// is then as it was; SINEW_ERROR_NOT_FINITE for a NaN, an infinity, a number beyond 1e100 or a
/// swivel beyond 1e5, with the rest pose, a miss of -1, and memory as it was
SINEW_MUST_CHECK sinew_result sinew_limb_solve(const sinew_limb *limb, const sinew_limb_goal *goal,
                                               sinew_limb_memory *memory, sinew_limb_pose *pose);

/// The same limb of many figures: row-major arrays with a row for each.
typedef struct sinew_limb_arrays {
  const double *targets;       ///< count x 3 [m]
  const double *poles;         ///< count x 3 [m], or NULL
  const double *swivels;       ///< count [rad], or NULL: 0
  sinew_limb_memory *memories; ///< count, or NULL
  double *upper, *lower;       ///< count x 4, quaternions
  double *elbows, *wrists;     ///< count x 3 [m], each or NULL
  double *scales, *misses;     ///< count, each or NULL
} sinew_limb_arrays;

/// sinew_limb_solve() for each row.
/// @return as sinew_limb_solve(); SINEW_ERROR_NOT_FINITE if a row was refused: all others are
/// solved
SINEW_MUST_CHECK sinew_result sinew_limbs_solve(const sinew_limb *limb, size_t count,
                                                const sinew_limb_arrays *arrays);

/// A link that is aimed, such as a head or a camera. Begin with sinew_default_aim_def().
typedef struct sinew_aim_def {
  uint32_t cookie, size; ///< set by sinew_default_aim_def(); leave them
  double joint[3];       ///< the point that the link rotates about, in the parent's frame [m]
  double rest[4];        ///< the link's rotation at rest in the parent's frame; default identity
  double eye[3];     ///< where the ray begins, from the joint, in the link's frame [m]; default 0
  double forward[3]; ///< the ray, in the link's frame, of any length; default x
  double up[3];      ///< what is brought near the up vector, in the link's frame; default z
} sinew_aim_def;

/// Fills a definition with the defaults. @param size sizeof *def
SINEW_API void sinew_aim_def_init(sinew_aim_def *def, size_t size);

static inline sinew_aim_def sinew_default_aim_def(void) {
  sinew_aim_def def;
  sinew_aim_def_init(&def, sizeof def);
  return def;
}

/// What sinew_aim_init() computes from a definition, as ::sinew_limb.
typedef struct sinew_aim {
  double joint[3], rest[4];
  double eye[3], forward[3], up[3]; // rotated by rest
  double along, square;             // eye . forward, |eye|^2
} sinew_aim;

/// @return as sinew_limb_init()
SINEW_MUST_CHECK sinew_result sinew_aim_init(sinew_aim *aim, const sinew_aim_def *def,
                                             sinew_error *error);

/// Rotates the link so that its ray passes through a target: by the shortest rotation from the rest
/// pose, then about the line from the joint to the target until the link's up vector is as near to
/// the given one as this rotation allows. Exact, wherever the eye is. Discontinuous where the
/// target is opposite to the direction at rest, and where the up vector is on the line to the
/// target.
/// @param target in the parent's frame, 3 values [m]
/// @param up     in the parent's frame, 3 values of any length, or NULL: none
/// @param rotation out, a unit quaternion: the link's rotation in the parent's frame
/// @param miss   out, may be NULL: the distance from the target to the ray [m]; more than rounding
///               only if the target is nearer to the joint than the ray can come
/// @return SINEW_OK, or SINEW_ERROR_NOT_FINITE with the rotation at rest and a miss of -1
SINEW_MUST_CHECK sinew_result sinew_aim_solve(const sinew_aim *aim, const double target[3],
                                              const double *up, double rotation[4], double *miss);

/// The same link of many figures: row-major arrays with a row for each.
typedef struct sinew_aim_arrays {
  const double *targets; ///< count x 3 [m]
  const double *ups;     ///< count x 3, or NULL: none
  double *rotations;     ///< count x 4
  double *misses;        ///< count, or NULL
} sinew_aim_arrays;

/// sinew_aim_solve() for each row.
/// @return SINEW_OK; SINEW_ERROR_NOT_FINITE if a row was refused: all others are solved
SINEW_MUST_CHECK sinew_result sinew_aims_solve(const sinew_aim *aim, size_t count,
                                               const sinew_aim_arrays *arrays);

/// Roll bones that a twist is shared out to, at most.
#define SINEW_TWIST_BONES 8

/// The twist of a joint, shared out to roll bones of the link that carries it, as between elbow and
/// wrist, so that the skin does not collapse. Begin with sinew_default_twist_def().
typedef struct sinew_twist_def {
  uint32_t cookie, size; ///< set by sinew_default_twist_def(); leave them
  double axis[3];        ///< of the twist, in the link's frame, of any length; default x
  double rest[4];        ///< the joint's rotation at rest, in the link's frame; default identity
  int bones;             ///< 1 to SINEW_TWIST_BONES; default 1
  double shares[SINEW_TWIST_BONES]; ///< of the twist that each has, -10 to 10; default 0.5
} sinew_twist_def;

/// Fills a definition with the defaults. @param size sizeof *def
SINEW_API void sinew_twist_def_init(sinew_twist_def *def, size_t size);

static inline sinew_twist_def sinew_default_twist_def(void) {
  sinew_twist_def def;
  sinew_twist_def_init(&def, sizeof def);
  return def;
}

/// What sinew_twist_init() computes from a definition, as ::sinew_limb.
typedef struct sinew_twist {
  double axis[3], back[4], shares[SINEW_TWIST_BONES];
  int bones;
} sinew_twist;

/// @return as sinew_limb_init()
SINEW_MUST_CHECK sinew_result sinew_twist_init(sinew_twist *twist, const sinew_twist_def *def,
                                               sinew_error *error);

/// Divides a rotation into a swing and a twist about the axis, and gives each roll bone its share
/// of the twist. The twist is known but for whole turns: it is the one nearest to the last. A swing
/// of half a turn leaves it unknown, and it is then as before.
/// @param rotation of the joint, in the link's frame: a quaternion of any length but 0
/// @param angle    in: the last twist [rad], or 0; out: the twist. NULL: 0, and not wanted. Without
///                 it the roll bones jump where the twist passes half a turn
/// @param rotations out, bones x 4: the roll bones' rotations from rest, in the link's frame
/// @param swing     out, 4, may be NULL: such that the joint's rotation is swing * T * rest, with T
///                  the rotation of a roll bone that has the whole twist
/// @return SINEW_OK; SINEW_ERROR_NOT_FINITE for a NaN, an infinity, a number beyond 1e100, a
/// quaternion of 0, or an angle beyond 1e5: with identity rotations, and angle as it was
SINEW_MUST_CHECK sinew_result sinew_twist_solve(const sinew_twist *twist, const double rotation[4],
                                                double *angle, double *rotations, double *swing);

/// The same joint of many figures: row-major arrays with a row for each.
typedef struct sinew_twist_arrays {
  const double *joints; ///< count x 4, the joints' rotations
  double *angles;       ///< count, or NULL
  double *rotations;    ///< count x bones x 4
  double *swings;       ///< count x 4, or NULL
} sinew_twist_arrays;

/// sinew_twist_solve() for each row.
/// @return as sinew_twist_solve(); if a row was refused, all others are solved
SINEW_MUST_CHECK sinew_result sinew_twists_solve(const sinew_twist *twist, size_t count,
                                                 const sinew_twist_arrays *arrays);

/// Bones of a spine, at most.
#define SINEW_SPINE_BONES 16

/// A chain of bones that is laid along a curve: a spine, a neck, a tail. Begin with
/// sinew_default_spine_def().
typedef struct sinew_spine_def {
  uint32_t cookie, size; ///< set by sinew_default_spine_def(); leave them
  int bones;             ///< 1 to SINEW_SPINE_BONES; default 3
  /// bones + 1 points of the rest pose, from the parent outwards, the last of them the tip [m]. No
  /// two that follow each other are the same. Default: a metre apart along z.
  double joints[SINEW_SPINE_BONES + 1][3];
} sinew_spine_def;

/// Fills a definition with the defaults. @param size sizeof *def
SINEW_API void sinew_spine_def_init(sinew_spine_def *def, size_t size);

static inline sinew_spine_def sinew_default_spine_def(void) {
  sinew_spine_def def;
  sinew_spine_def_init(&def, sizeof def);
  return def;
}

/// What sinew_spine_init() computes from a definition, as ::sinew_limb.
typedef struct sinew_spine {
  double joints[SINEW_SPINE_BONES + 1][3], directions[SINEW_SPINE_BONES][3];
  double lengths[SINEW_SPINE_BONES], shares[SINEW_SPINE_BONES], normals[SINEW_SPINE_BONES][3];
  int bones;
} sinew_spine;

/// @return as sinew_limb_init()
SINEW_MUST_CHECK sinew_result sinew_spine_init(sinew_spine *spine, const sinew_spine_def *def,
                                               sinew_error *error);

/// A spine on its curve.
typedef struct sinew_spine_pose {
  double rotations[SINEW_SPINE_BONES][4];  ///< of the bones from the rest pose, unit quaternions in
                                           ///< the parent's axes, as sinew_limb_pose.upper
  double joints[SINEW_SPINE_BONES + 1][3]; ///< [m]; the last is the tip
  double miss;                             ///< the distance of the tip from the curve's end [m]
} sinew_spine_pose;

/// Lays the bones along a cubic Bezier curve: each joint is the first point of the curve at the
/// bone's length from the joint before; beyond the end, of the tangent there. Bones keep their
/// lengths. Each is rotated from the bone before it by the shortest rotation, and the twist that is
/// missing to the wanted rotation of the last bone is shared out to all by their lengths.
/// Discontinuous where the first bone is opposite to that at rest, where the curve turns back on
/// itself within a bone, and, without `twist`, where the missing twist is half a turn. Parts of the
/// curve that leave the reach of a bone and come back within 1/32 of its parameter are not noticed.
/// @param curve 4 x 3, control points in the parent's frame [m], numbers up to 1e50; the first is
///              where the first joint is
/// @param end   a quaternion of any length but 0: the rotation from rest that the last bone's twist
///              is taken from; its direction is the curve's. NULL: no twist
/// @param twist in: the last twist [rad], or 0; out: the twist. NULL: 0, and not wanted
/// @return SINEW_OK; SINEW_ERROR_NOT_FINITE as sinew_twist_solve(), with the rest pose and a miss
/// of -1
SINEW_MUST_CHECK sinew_result sinew_spine_solve(const sinew_spine *spine, const double *curve,
                                                const double *end, double *twist,
                                                sinew_spine_pose *pose);

/// The same spine of many figures: row-major arrays with a row for each.
typedef struct sinew_spine_arrays {
  const double *curves; ///< count x 4 x 3 [m]
  const double *ends;   ///< count x 4, or NULL
  double *twists;       ///< count [rad], or NULL
  double *rotations;    ///< count x bones x 4
  double *joints;       ///< count x (bones + 1) x 3 [m], or NULL
  double *misses;       ///< count [m], or NULL
} sinew_spine_arrays;

/// sinew_spine_solve() for each row.
/// @return as sinew_spine_solve(); if a row was refused, all others are solved
SINEW_MUST_CHECK sinew_result sinew_spines_solve(const sinew_spine *spine, size_t count,
                                                 const sinew_spine_arrays *arrays);

/// Legs that are planted together, at most.
#define SINEW_PLANT_LEGS 8

/// Legs that stand on uneven ground: where the ankles go, how the feet tilt, and how far the pelvis
/// sinks or rises so that all feet are reached. Begin with sinew_default_plant_def().
typedef struct sinew_plant_def {
  uint32_t cookie, size;     ///< set by sinew_default_plant_def(); leave them
  int legs;                  ///< 1 to SINEW_PLANT_LEGS; default 2
  double up[3];              ///< in the pelvis' frame, of any length; default z
  double sole;               ///< the height of an ankle above the ground [m], >= 0; default 0
  double max_drop, max_rise; ///< of the pelvis, as shares of the longest reach of the shortest leg,
                             ///< 0 to 2; default 0.3
  double max_tilt;           ///< of a foot from up [rad], 0 to pi/2; default pi/4
} sinew_plant_def;

/// Fills a definition with the defaults. @param size sizeof *def
SINEW_API void sinew_plant_def_init(sinew_plant_def *def, size_t size);

static inline sinew_plant_def sinew_default_plant_def(void) {
  sinew_plant_def def;
  sinew_plant_def_init(&def, sizeof def);
  return def;
}

/// What sinew_plant_init() computes from a definition, as ::sinew_limb.
typedef struct sinew_plant {
  double hips[SINEW_PLANT_LEGS][3], nearest[SINEW_PLANT_LEGS], farthest[SINEW_PLANT_LEGS];
  double up[3], other[3], sole, max_drop, max_rise, tilt[2];
  int legs;
} sinew_plant;

/// @param limbs def->legs of them, whose parent is the pelvis. A leg reaches
///   as far as its limb's lengths or, with soft reach, as far as where that begins
/// @return as sinew_limb_init()
SINEW_MUST_CHECK sinew_result sinew_plant_init(sinew_plant *plant, const sinew_plant_def *def,
                                               const sinew_limb *limbs, sinew_error *error);

/// The ground under the feet.
typedef struct sinew_plant_goal {
  const double *contacts;       ///< legs x 3: where the soles go, in the pelvis' frame [m]
  const double *normals;        ///< legs x 3, of the ground, of any length; NULL: up
  const unsigned char *planted; ///< legs: 0 where a foot is in the air, and does not count for the
                                ///< pelvis' height; NULL: all are planted
} sinew_plant_goal;

/// Planted legs.
typedef struct sinew_plant_pose {
  double height;                      ///< how far the pelvis moves along up [m]
  double ankles[SINEW_PLANT_LEGS][3]; ///< where the ankles go then, in the moved pelvis' frame
                                      ///< [m]: the targets for sinew_limb_solve()
  double tilts[SINEW_PLANT_LEGS][4];  ///< rotations of the feet from flat ground, unit
                                      ///< quaternions in the pelvis' axes
  double misses[SINEW_PLANT_LEGS];    ///< how far an ankle is out of its leg's reach [m]
} sinew_plant_pose;

/// Each ankle is above its contact by `sole`, along the ground's normal, or along what is nearest
/// to it of tilts up to max_tilt; a normal that is 0 or opposite to up counts as up. The pelvis
/// moves along up by as little as possible for all planted feet to be reached, from above. If that
/// is not possible, as where one foot is too far down for another to be high enough, half way
/// between what the two require. The height is a continuous function of contacts and normals, but
/// for normals opposite to up.
/// @return SINEW_OK; SINEW_ERROR_NOT_FINITE for a NaN, an infinity or a number beyond 1e100, with
/// a height of 0, ankles straight below the hips, no tilt, and misses of -1
SINEW_MUST_CHECK sinew_result sinew_plant_solve(const sinew_plant *plant,
                                                const sinew_plant_goal *goal,
                                                sinew_plant_pose *pose);

/// The same legs of many figures: row-major arrays with a row for each.
typedef struct sinew_plant_arrays {
  const double *contacts;       ///< count x legs x 3 [m]
  const double *normals;        ///< count x legs x 3, or NULL
  const unsigned char *planted; ///< count x legs, or NULL
  double *heights;              ///< count [m]
  double *ankles;               ///< count x legs x 3 [m]
  double *tilts;                ///< count x legs x 4, or NULL
  double *misses;               ///< count x legs [m], or NULL
} sinew_plant_arrays;

/// sinew_plant_solve() for each row.
/// @return as sinew_plant_solve(); if a row was refused, all others are solved
SINEW_MUST_CHECK sinew_result sinew_plants_solve(const sinew_plant *plant, size_t count,
                                                 const sinew_plant_arrays *arrays);

/// The same for arrays of float, of the same shapes: limbs, aimed links, twists, spines and legs of
/// many figures, or of one with a count of 1. Numbers are computed in double and rounded to float
/// at the end, so that results are those of double to a rounding; a limb's memory is in double.
/// Numbers beyond 1e37 are refused.
typedef struct sinew_limb_arrays_float {
  const float *targets;
  const float *poles;
  const float *swivels;
  sinew_limb_memory *memories;
  float *upper, *lower;
  float *elbows, *wrists;
  float *scales, *misses;
} sinew_limb_arrays_float;

typedef struct sinew_aim_arrays_float {
  const float *targets;
  const float *ups;
  float *rotations;
  float *misses;
} sinew_aim_arrays_float;

typedef struct sinew_twist_arrays_float {
  const float *joints;
  float *angles;
  float *rotations;
  float *swings;
} sinew_twist_arrays_float;

typedef struct sinew_spine_arrays_float {
  const float *curves;
  const float *ends;
  float *twists;
  float *rotations;
  float *joints;
  float *misses;
} sinew_spine_arrays_float;

typedef struct sinew_plant_arrays_float {
  const float *contacts;
  const float *normals;
  const unsigned char *planted;
  float *heights;
  float *ankles;
  float *tilts;
  float *misses;
} sinew_plant_arrays_float;

/// @return as sinew_limbs_solve()
SINEW_MUST_CHECK sinew_result sinew_limbs_solve_float(const sinew_limb *limb, size_t count,
                                                      const sinew_limb_arrays_float *arrays);

/// @return as sinew_aims_solve()
SINEW_MUST_CHECK sinew_result sinew_aims_solve_float(const sinew_aim *aim, size_t count,
                                                     const sinew_aim_arrays_float *arrays);

/// @return as sinew_twists_solve()
SINEW_MUST_CHECK sinew_result sinew_twists_solve_float(const sinew_twist *twist, size_t count,
                                                       const sinew_twist_arrays_float *arrays);

/// @return as sinew_spines_solve()
SINEW_MUST_CHECK sinew_result sinew_spines_solve_float(const sinew_spine *spine, size_t count,
                                                       const sinew_spine_arrays_float *arrays);

/// @return as sinew_plants_solve()
SINEW_MUST_CHECK sinew_result sinew_plants_solve_float(const sinew_plant *plant, size_t count,
                                                       const sinew_plant_arrays_float *arrays);

/// The two-link arm in a plane: both angles of both solutions.
/// @param lengths of both links [m], positive
/// @param target  [m]
/// @param q       out, 2 x 2 [rad] in [-pi, pi]: the first joint's angle from the x axis and the
/// second
///                joint's from the first link; first the solution with a second angle >= 0
/// @param miss    out, may be NULL: the distance from the target [m]
/// @return the number of different solutions: 2; 1 where the arm is straight or folded, at a target
/// out of reach, where q is nearest to it, too; 0 for lengths or a target that are not usable, with
/// q = 0 and a miss of -1. With both links equally long and the target at the base, the first angle
/// is 0
SINEW_API int sinew_two_link_solve(const double lengths[2], const double target[2], double q[4],
                                   double *miss);

#ifdef __cplusplus
}
#endif
#endif
