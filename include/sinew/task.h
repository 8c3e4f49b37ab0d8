/// @file task.h
/// What an end effector should do, and where.
///
/// A ::sinew_task says what is controlled: a point of a link, its orientation, both, the direction
/// of one of its axes, the point that this aims at, and others. A ::sinew_target says where it
/// should be, and is passed with each call.
#ifndef SINEW_TASK_H
#define SINEW_TASK_H

#include "sinew/model.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A task's point is point_l, and its tool has the link's axes rotated by rotation_l.
typedef enum sinew_task_kind {
  SINEW_TASK_POSITION = 0, ///< the point reaches target.position
  SINEW_TASK_ORIENTATION,  ///< the tool's axes align with target.rotation
  SINEW_TASK_POSE,         ///< both
  SINEW_TASK_DIRECTION,    ///< axis_l points along target.direction, or within cone_angle of it
  SINEW_TASK_LOOK_AT,      ///< axis_l points from the point to target.position, or within
                           ///< cone_angle of it; with an up_axis, that points to target.direction
                           ///< as far as the rotation about axis_l allows
  SINEW_TASK_PLANE,        ///< the point is in the plane through target.position with the normal
                           ///< target.direction; with a range, between two parallel planes or above
  SINEW_TASK_LINE,         ///< the point is on the line through target.position along
                           ///< target.direction
  SINEW_TASK_DISTANCE,     ///< the point is target.distance away from target.position
  SINEW_TASK_YAW           ///< axis_l and target.direction have the same heading: their projections
                           ///< across up_axis have the same direction
} sinew_task_kind;

/// Axes that a task leaves free, along or about the axes of the target's frame
/// (target.rotation): combine them with |. Axes that a kind does not control are ignored, and
/// only POSITION, ORIENTATION and POSE have free axes. At least one controlled axis must not be
/// free.
typedef enum sinew_free_axes {
  SINEW_FREE_NONE = 0,
  SINEW_FREE_X = 1,
  SINEW_FREE_Y = 2,
  SINEW_FREE_Z = 4,
  SINEW_FREE_ROTATION_X = 8,
  SINEW_FREE_ROTATION_Y = 16,
  SINEW_FREE_ROTATION_Z = 32
} sinew_free_axes;

/// The axes in which a task has weights and ranges. The rotation from the target to the tool has
/// the same coordinates in the target's axes as in the tool's.
typedef enum sinew_task_axes {
  SINEW_AXES_TARGET = 0, ///< the target's: target.rotation
  SINEW_AXES_TOOL,       ///< the tool's own
  SINEW_AXES_FRAME       ///< those of the frame in which targets are given
} sinew_task_axes;

/// Whether the outcome counts a task.
typedef enum sinew_requirement {
  SINEW_REQUIRED_BY_LEVEL = 0, ///< at level 0 yes, below no
  SINEW_REQUIRED,              ///< yes
  SINEW_NOT_REQUIRED           ///< no: the task is met as far as others allow
} sinew_requirement;

/// How many joints a task can exclude: sinew_task.excluded_joints.
#define SINEW_TASK_MOST_EXCLUDED 16

/// One task of one end effector. Start from sinew_default_task(). A value other than the default is
/// refused of axis_l, free_axes, axis_weights, range_lower, range_upper, weight_axes, cone_angle
/// and up_axis where the kind does not read them: sinew_task_kind_reads().
typedef struct sinew_task {
  uint32_t cookie; ///< cookie and size: set by sinew_default_task(); leave them
  uint32_t size;
  sinew_task_kind kind;
  int link;           ///< any link of the model; several tasks may share it
  double point_l[3];  ///< the task's point in the link [m]; default 0
  double axis_l[3];   ///< DIRECTION, LOOK_AT, YAW: axis of the tool, any length but 0; default z
  unsigned free_axes; ///< ::sinew_free_axes; default none
  /// Weight relative to other tasks, 0 to 1e6; less than 1e-12 counts as 0. A part of weight 0 is
  /// neither controlled nor checked; a task whose parts all have weight 0 is ignored. Position
  /// errors are divided by the size of the figure, so that an error of 1 rad and one of that size
  /// weigh the same: sinew_model_size(), or the longest point_l where that is longer.
  double position_weight;    ///< default 1
  double orientation_weight; ///< also of DIRECTION; default 1
  /// The task moves only joints below this link. Default -1: all joints.
  int chain_root;
  /// Joints that this task does not move, while other tasks may; with a joint those that are
  /// coupled to it. Coupled and fixed joints are refused. Default -1, in each place: none.
  int excluded_joints[SINEW_TASK_MOST_EXCLUDED];
  /// The tool's axes in the link: a quaternion (w, x, y, z), normalised when used. Default (1, 0,
  /// 0, 0): the link's axes.
  double rotation_l[4];
  /// POSITION, ORIENTATION, POSE: factors on the weight along (0-2) and about (3-5) each of
  /// weight_axes, 0 to 1e6; 0: the axis is neither controlled nor checked. Those of axes that the
  /// kind does not control, and of free ones, are not read. Default 1.
  double axis_weights[6];
  /// POSITION, ORIENTATION, POSE: along and about each of weight_axes the tool may be anywhere
  /// between target + lower and target + upper [m, rad], and the outcome counts the rest. PLANE: of
  /// the height above the plane, at 0. DISTANCE: of the distance, at 0. -INFINITY and INFINITY are
  /// allowed. Of axes that the kind does not control (of POSITION 3-5, of ORIENTATION 0-2, of PLANE
  /// and DISTANCE 1-5), and of free ones, only 0 and these are, which ask for nothing. Default 0.
  double range_lower[6], range_upper[6];
  sinew_task_axes weight_axes; ///< default SINEW_AXES_TARGET; the only one with free_axes
  double cone_angle; ///< DIRECTION, LOOK_AT: any direction within it is met, 0 to pi [rad];
                     ///< default 0
  /// LOOK_AT: the axis of the tool that points up, of any length, not along axis_l; default 0:
  /// none. YAW: the axis about which headings are measured, in the axes in which targets are given;
  /// default 0: z.
  double up_axis[3];
  /// Priority, 0 (default) first: a task costs those of higher priorities that can be met at most a
  /// tenth of their tolerance in an update. Tasks of one level are weighed against each other.
  /// Levels below 0 need sinew_solver_def.lower: docs/levels.md. Default 0; a LOOK_AT that is to
  /// cost a goal nothing needs 1.
  int level;
  sinew_requirement required; ///< default SINEW_REQUIRED_BY_LEVEL
  /// Targets are given in this link's frame and move with it: with a hand as the link and the other
  /// hand as the frame, a POSE holds both at a box, and one of two links of a chain closes a loop.
  /// Updates keep such a loop closed once it is: docs/tasks.md. Joints that move both links alike
  /// have no part. Frames of several tasks in a cycle are refused. Default -1: the root link.
  int frame_link;
  /// POSITION, PLANE, LINE, DISTANCE: the task's point is the centre of mass of the whole figure,
  /// in place of point_l. The link is not read. Refused where the figure has no mass, and with
  /// weights or ranges in the tool's axes. Default false.
  bool center_of_mass;
  /// How far the task goes, 0 to 1: from where it would be without it to its target. A task alone
  /// goes half way with 0.5 in one call; in updates that follow each other, that share of the way
  /// left in each. With 0 results are those without it, to the bit. Below 1 it needs
  /// sinew_solver_def.influences; sinew_solver_set_influences() changes it while targets are
  /// followed: docs/tasks.md. Default 1.
  double influence;
  /// K, the share of the task's error that an update aims to remove, above 0 to 1: with 0.2 a task
  /// alone, in reach, has 80 % of its error left after one update, 64 % after two. It multiplies
  /// sinew_solver_def.tracking.error_gain. Where tasks cannot all be met it counts like a weight.
  /// Solves, searches and batches do not read it. Default 1.
  double gain;
  /// Updates, and solves by DEFAULT, keep its ranges and its cone_angle as inequalities that other
  /// tasks yield to, whatever the weights; else what is outside of them is an error among others.
  /// Heights above a PLANE and clearances by DISTANCE are ranges too. With an influence below 1 the
  /// ends are those of the task's goal: between where the figure would be without it and the range.
  /// Needs sinew_solver_def.hard_rows: sinew_task_hard_rows() of the tasks; docs/tasks.md. Default
  /// false.
  bool hard;
} sinew_task;

/// Where a task's point and axes should be, in the root link's frame or that of its frame_link.
/// Fields that the task's kind does not use are not read; with free axes rotation is read too.
/// Start from sinew_default_target().
typedef struct sinew_target {
  uint64_t cookie;     ///< set by sinew_default_target(); leave it
  double position[3];  ///< [m]. Where a floating base or a slide can take the task's point as far,
                       ///< positions at which doubles are further apart than an eighth of the
                       ///< tolerance are refused: beyond 5.6e8 m with 1e-6 m. Arms' are not
  double rotation[4];  ///< (w, x, y, z), normalised when used; 0 is refused
  double direction[3]; ///< any length but 0; of YAW along its up_axis it has no heading, and the
                       ///< error is 0
  /// The target's own velocity in that frame (linear [m/s]; angular [rad/s]), fed forward by
  /// sinew_solver_update() where the solver has a time step: the task is then where its target is a
  /// time step later. Default 0. The angular part is that of rotation, and of direction except
  /// where LOOK_AT, PLANE and LINE read one.
  double twist[6];
  double distance; ///< [m]; its absolute value is used; default 0
} sinew_target;

/// For bindings to other languages; in C and C++ use sinew_default_task().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_task_init(sinew_task *task, size_t size);

static inline sinew_task sinew_default_task(void) {
  sinew_task task;
  sinew_task_init(&task, sizeof task);
  return task;
}

/// For bindings to other languages; in C and C++ use sinew_default_target().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_target_init(sinew_target *target, size_t size);

static inline sinew_target sinew_default_target(void) {
  sinew_target target;
  sinew_target_init(&target, sizeof target);
  return target;
}

/// The contacts of a figure that stands, and the task that tasks of its support polygon are like.
/// Start from sinew_default_support_def().
typedef struct sinew_support_def {
  const double *contacts; ///< count x 3, in the frame in which targets are given [m]
  int count;
  double up[3];    ///< against gravity, in the same frame, of any length; default z
  double margin;   ///< of the centre of mass from each edge, >= 0 [m]; default 0
  sinew_task task; ///< weight, frame_link and chain_root of the tasks; default sinew_default_task()
} sinew_support_def;

static inline sinew_support_def sinew_default_support_def(void) {
  sinew_support_def def = {NULL, 0, {0.0, 0.0, 1.0}, 0.0, sinew_default_task()};
  return def;
}

/// Tasks that keep the centre of mass above the convex hull of contacts: a PLANE for each edge,
/// with the space on its inner side as the range. Right for contacts on one level plane alone;
/// others are refused, and so is a margin that leaves no place that meets them all.
/// @param tasks   room for def->count; filled up to *edges
/// @param targets the same
/// @param edges   how many there are; 0 on an error
/// @return SINEW_ERROR_ARGUMENT: contacts that are not level, or have less than three corners; a
///   margin above the radius of the largest circle in their hull
/// Source: Bretl and Lall, Testing static equilibrium for legged robots, 2008.
SINEW_MUST_CHECK sinew_result sinew_support_polygon(const sinew_support_def *def, sinew_task *tasks,
                                                    sinew_target *targets, int *edges,
                                                    sinew_error *error);

/// The number of task kinds; their values are 0 to this number minus 1.
SINEW_API int sinew_task_kind_count(void);

/// "position" and so on; NULL where there is no such kind.
SINEW_API const char *sinew_task_kind_name(sinew_task_kind kind);

/// Whether a kind reads a field of ::sinew_task. Fields that it does not read are refused unless
/// they have their defaults.
/// @param field the name of a member: "cone_angle"
/// @return false where there is no such kind
SINEW_API bool sinew_task_kind_reads(sinew_task_kind kind, const char *field);

/// Fields of a target: combine them with |.
typedef enum sinew_target_fields {
  SINEW_TARGET_POSITION = 1,  ///< position: columns x, y, z
  SINEW_TARGET_ROTATION = 2,  ///< rotation: columns qw, qx, qy, qz
  SINEW_TARGET_DIRECTION = 4, ///< direction: columns dx, dy, dz
  SINEW_TARGET_DISTANCE = 8   ///< distance: column distance
} sinew_target_fields;

/// The fields that a task reads of its targets, besides twist: those of its kind, and the rotation
/// where an axis is free or where weights or ranges are in the target's axes. 0 where its kind does
/// not exist.
SINEW_API unsigned sinew_task_target_fields(const sinew_task *task);

/// The inequalities that tasks need room for, sinew_solver_def.hard_rows: of each hard task (hard)
/// its ranges of axes, height, distance and angle. 0 where none is hard, or a task is not valid.
/// @param tasks count of them
SINEW_API int sinew_task_hard_rows(const sinew_task *tasks, int count);

/// Values of a target as a row of numbers, as ::sinew_batch and ::sinew_crowd read it: the fields
/// that the task reads, in the order of ::sinew_target_fields.
SINEW_API int sinew_task_target_size(const sinew_task *task);

/// The name of the column of value i of such a row, for example "qw"; NULL if there is none.
SINEW_API const char *sinew_task_target_column(const sinew_task *task, int i);

/// Fills the fields that a task reads from such a row, and leaves the others as they are.
/// @param values sinew_task_target_size() of them
SINEW_API void sinew_target_unpack(const sinew_task *task, const double *values,
                                   sinew_target *target);

/// The reverse: writes such a row.
/// @param values sinew_task_target_size() of them; overwritten
SINEW_API void sinew_target_pack(const sinew_task *task, const sinew_target *target,
                                 double *values);

#ifdef __cplusplus
}
#endif
#endif
