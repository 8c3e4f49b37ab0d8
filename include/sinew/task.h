/// @file task.h
/// What an end effector should do, and where.
///
/// A ::sinew_task says what is controlled: a point of a link, its orientation, both, or the
/// direction of one of its axes. A ::sinew_target says where it should be, and is passed with each
/// call.
#ifndef SINEW_TASK_H
#define SINEW_TASK_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_task_kind {
  SINEW_TASK_POSITION = 0, ///< the point reaches target.position
  SINEW_TASK_ORIENTATION,  ///< the link's axes align with target.rotation
  SINEW_TASK_POSE,         ///< both
  SINEW_TASK_DIRECTION     ///< axis_l points along target.direction
} sinew_task_kind;

/// Axes that a task leaves free, along or about the axes of the target's frame
/// (target.rotation): combine them with |. Axes that a kind does not control are ignored, and
/// DIRECTION ignores all. At least one controlled axis must not be free.
typedef enum sinew_free_axes {
  SINEW_FREE_NONE = 0,
  SINEW_FREE_X = 1,
  SINEW_FREE_Y = 2,
  SINEW_FREE_Z = 4,
  SINEW_FREE_ROTATION_X = 8,
  SINEW_FREE_ROTATION_Y = 16,
  SINEW_FREE_ROTATION_Z = 32
} sinew_free_axes;

/// One task of one end effector. Start from sinew_default_task().
typedef struct sinew_task {
  uint32_t cookie; ///< cookie and size: set by sinew_default_task(); leave them
  uint32_t size;
  sinew_task_kind kind;
  int link;           ///< any link of the model; several tasks may share it
  double point_l[3];  ///< POSITION, POSE: point of the link [m]; default 0
  double axis_l[3];   ///< DIRECTION: axis of the link, any length but 0; default z
  unsigned free_axes; ///< ::sinew_free_axes; default none
  /// Weight relative to other tasks, 0 to 1e6; less than 1e-12 counts as 0. A part of weight 0 is
  /// neither controlled nor checked; a task whose parts all have weight 0 is ignored. Position
  /// errors are divided by the size of the figure, so that an error of 1 rad and one of that size
  /// weigh the same: sinew_model_size(), or the longest point_l where that is longer.
  double position_weight;    ///< default 1
  double orientation_weight; ///< also of DIRECTION; default 1
  /// The task moves only joints below this link. Default -1: all joints.
  int chain_root;
} sinew_task;

/// Where a task's point and axes should be, in the root link's frame. Fields that the task's kind
/// does not use are not read; with free axes rotation is read too.
/// Start from sinew_default_target().
typedef struct sinew_target {
  uint64_t cookie;     ///< set by sinew_default_target(); leave it
  double position[3];  ///< [m]. Where a floating base or a slide can take the task's point as far,
                       ///< positions at which doubles are further apart than an eighth of the
                       ///< tolerance are refused: beyond 5.6e8 m with 1e-6 m. Arms' are not
  double rotation[4];  ///< (w, x, y, z), normalised when used; 0 is refused
  double direction[3]; ///< any length but 0
  /// The target's own velocity (linear [m/s]; angular [rad/s]), fed forward by
  /// sinew_solver_update() where the solver has a time step. Default 0.
  double twist[6];
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

/// The number of task kinds; their values are 0 to this number minus 1.
SINEW_API int sinew_task_kind_count(void);

/// "position" and so on; NULL where there is no such kind.
SINEW_API const char *sinew_task_kind_name(sinew_task_kind kind);

/// Fields of a target: combine them with |.
typedef enum sinew_target_fields {
  SINEW_TARGET_POSITION = 1, ///< position: columns x, y, z
  SINEW_TARGET_ROTATION = 2, ///< rotation: columns qw, qx, qy, qz
  SINEW_TARGET_DIRECTION = 4 ///< direction: columns dx, dy, dz
} sinew_target_fields;

/// The fields that a task reads of its targets, besides twist: those of its kind, and the rotation
/// where an axis is free. 0 where its kind does not exist.
SINEW_API unsigned sinew_task_target_fields(const sinew_task *task);

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
