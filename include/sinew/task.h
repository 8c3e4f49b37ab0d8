/// @file task.h
/// What an effector shall do, and where.
///
/// A ::sinew_task says what: this link's point, or orientation, or both, or one
/// of its axes. A ::sinew_target says where and is passed with each call.
#ifndef SINEW_TASK_H
#define SINEW_TASK_H

#include "sinew/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_task_kind {
  SINEW_TASK_POSITION = 0, ///< the point reaches target.position
  SINEW_TASK_ORIENTATION,  ///< the link turns to target.rotation
  SINEW_TASK_POSE,         ///< both
  SINEW_TASK_DIRECTION     ///< axis_l points along target.direction
} sinew_task_kind;

/// Axes that a task leaves free, along or about the axes of the target's frame
/// (target.rotation): or them together. Those that a kind does not control are
/// ignored; DIRECTION has none.
typedef enum sinew_free_axes {
  SINEW_FREE_NONE = 0,
  SINEW_FREE_X = 1,
  SINEW_FREE_Y = 2,
  SINEW_FREE_Z = 4,
  SINEW_FREE_ROTATION_X = 8,
  SINEW_FREE_ROTATION_Y = 16,
  SINEW_FREE_ROTATION_Z = 32
} sinew_free_axes;

/// One aim of one effector. Start from sinew_default_task().
typedef struct sinew_task {
  sinew_task_kind kind;
  int link;           ///< any link of the model; several tasks may share it
  double point_l[3];  ///< POSITION, POSE: point of the link [m]; default 0
  double axis_l[3];   ///< DIRECTION: axis of the link, any length; default z
  unsigned free_axes; ///< ::sinew_free_axes; default none
  /// Importance against other tasks, 0 to 1e6, below 1e-12 as 0; of weight 0 a part is neither
  /// controlled nor looked at. Position errors count divided by
  /// sinew_model_size(), so that a radian and a figure's size weigh the same.
  double position_weight;    ///< default 1
  double orientation_weight; ///< also of DIRECTION; default 1
  /// Only joints below this link move for the task. Default -1: all joints.
  int chain_root;
} sinew_task;

/// Where a task shall be, in the root link's frame. A field that the task's
/// kind does not use is not read, but rotation is where an axis is free.
/// Start from sinew_default_target().
typedef struct sinew_target {
  double position[3];  ///< [m]. One further than 1000 sinew_model_size() from the root is looked
                       ///< for in its direction at that distance: a base that floats beyond it
                       ///< wants a root of its own there
  double rotation[4];  ///< (w, x, y, z), normalised on use; 0 is refused
  double direction[3]; ///< any length but 0
  /// The target's own velocity (linear [m/s]; angular [rad/s]), fed forward by
  /// sinew_solver_update() where the solver has a time step. Default 0.
  double twist[6];
} sinew_target;

SINEW_API sinew_task sinew_default_task(void);
SINEW_API sinew_target sinew_default_target(void);

/// How many kinds there are: they are the numbers from 0 to one less.
SINEW_API int sinew_task_kind_count(void);

/// "position" and so on; NULL where there is no such kind.
SINEW_API const char *sinew_task_kind_name(sinew_task_kind kind);

/// Fields of a target: or them together.
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

/// The column of value i of such a row, "qw" say; NULL where there is no such value.
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
