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
  uint32_t cookie; ///< cookie and size: set by sinew_default_task(); leave them
  uint32_t size;
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
  uint64_t cookie;     ///< set by sinew_default_target(); leave it
  double position[3];  ///< [m]. One further than 1000 sinew_model_size() from the root is looked
                       ///< for in its direction at that distance: a base that floats beyond it
                       ///< wants a root of its own there
  double rotation[4];  ///< (w, x, y, z), normalised on use; 0 is refused
  double direction[3]; ///< any length but 0
  /// The target's own velocity (linear [m/s]; angular [rad/s]), fed forward by
  /// sinew_solver_update() where the solver has a time step. Default 0.
  double twist[6];
} sinew_target;

/// For other languages, whose structs have size bytes; C and C++ have sinew_default_task().
SINEW_API void sinew_task_init(sinew_task *task, size_t size);

static inline sinew_task sinew_default_task(void) {
  sinew_task task;
  sinew_task_init(&task, sizeof task);
  return task;
}

/// For other languages, whose structs have size bytes; C and C++ have sinew_default_target().
SINEW_API void sinew_target_init(sinew_target *target, size_t size);

static inline sinew_target sinew_default_target(void) {
  sinew_target target;
  sinew_target_init(&target, sizeof target);
  return target;
}

#ifdef __cplusplus
}
#endif
#endif
