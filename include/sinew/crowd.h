/// @file crowd.h
/// Many figures of one skeleton that follow moving targets, one update at a time.
///
/// Does what sinew_solver_update() does for one figure with SINEW_METHOD_DEFAULT or DLS, for
/// several figures at once in SIMD lanes where these can (sinew_crowd_in_lanes()). The crowd keeps
/// each figure's history; the caller keeps joint values and targets in arrays. A figure's result
/// does not depend on the other figures, on its place in a call or on the number of threads.
///
/// Also follows recorded tracks, such as the clips of a library, several at once:
/// sinew_crowd_follow().
///
/// Each thread has its own ::sinew_crowd_worker. Calls for ranges of figures that do not overlap
/// may run concurrently.
#ifndef SINEW_CROWD_H
#define SINEW_CROWD_H

#include "sinew/batch.h"
#include "sinew/objective.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_crowd_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_crowd_def(); leave them
  uint32_t size;
  /// Settings of updates: method (DEFAULT or DLS), damping, clamps, error_gain, tolerances for
  /// the outcome, allocator. target_jacobian and tracking.escape must be false; a time_step limits
  /// speeds, but targets have no twist to feed forward, and there are no limits of acceleration;
  /// fields that only a solve uses are not read.
  sinew_solver_def solver;
  size_t figures; ///< how many; default 1
  int lanes;      ///< 1, 2, 4 or 8; 0 (default): as many as this processor has. The last bits of
                  ///< results depend on it
  /// Degrees of freedom, nv values each, copied; NULL (default): none is frozen, all gains are 1,
  /// the model's limits. As sinew_solver_set_frozen(), _gains() and _limits() take them.
  const unsigned char *frozen; ///< not 0: its value in q stays as it is
  const double *gains;
  const double *lower, *upper; ///< [rad] or [m]
  /// A POSTURE below the tasks of all figures, level 1, copied; NULL (default): none. Joints go
  /// towards it as far as the tasks leave them room, as with sinew_solver_set_objectives(): at rest
  /// they are as near to it within 1 %, unless they came another way. With the DEFAULT method. With
  /// a time step, or weights that differ among the axes of a spherical joint, not in lanes.
  const sinew_objective *posture;
} sinew_crowd_def;

/// For bindings to other languages; in C and C++ use sinew_default_crowd_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_crowd_def_init(sinew_crowd_def *def, size_t size);

static inline sinew_crowd_def sinew_default_crowd_def(void) {
  sinew_crowd_def def;
  sinew_crowd_def_init(&def, sizeof def);
  return def;
}

typedef struct sinew_crowd sinew_crowd;
typedef struct sinew_crowd_worker sinew_crowd_worker;

/// @param model is not copied and must outlive the crowd
/// @param tasks count of them, copied: of any kind, of level 0, required, with an influence of 1;
///   hard ones with the DEFAULT method (solver.hard_rows is not read)
/// @param error may be NULL; says which task crowds do not take, and why
/// @return SINEW_OK; SINEW_ERROR_ARGUMENT (a field; what crowds do not take; lanes that this
///   processor or this build does not have); SINEW_ERROR_INDEX; SINEW_ERROR_NOT_FINITE;
///   SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_crowd_create(const sinew_crowd_def *def,
                                                 const sinew_model *model, const sinew_task *tasks,
                                                 int count, sinew_crowd **crowd,
                                                 sinew_error *error);
/// May be NULL. Destroy its workers first.
SINEW_API void sinew_crowd_destroy(sinew_crowd *crowd);

/// The number of lanes used: 1, 2, 4 or 8. Ranges that begin and end at multiples of it are
/// fastest.
SINEW_API int sinew_crowd_lanes(const sinew_crowd *crowd);

/// Whether figures are updated several at once, in SIMD lanes: POSITION, ORIENTATION and POSE
/// without free axes, weights or ranges of axes, also relative to a link, and of the centre of
/// mass, of all joints but those with functions of their own, and those that move a task, have
/// limits of swing and twist, and are frozen about some of their axes or have gains that differ
/// between them. The table in docs/global.md has all that does. Else they are updated one after
/// another, with the results of single solvers, up to rounding errors.
SINEW_API bool sinew_crowd_in_lanes(const sinew_crowd *crowd);

/// The number of values of one figure's targets: 3 for a POSITION, 4 for an ORIENTATION, 7 for a
/// POSE; of others sinew_task_target_size().
SINEW_API int sinew_crowd_target_size(const sinew_crowd *crowd);

/// @param error may be NULL
/// @return SINEW_OK or SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_crowd_worker_create(const sinew_crowd *crowd,
                                                        sinew_crowd_worker **worker,
                                                        sinew_error *error);
/// May be NULL.
SINEW_API void sinew_crowd_worker_destroy(sinew_crowd_worker *worker);

/// The arrays of a crowd, figure 0 first. A stride is the distance between figures in doubles; 0:
/// no gaps.
typedef struct sinew_crowd_arrays {
  const double *targets; ///< sinew_crowd_target_size() values a figure, task by task: position x,
                         ///< y, z [m], then rotation w, x, y, z; of other kinds as
                         ///< sinew_target_pack() has them
  size_t target_stride;
  double *q; ///< nq values a figure, changed by the update; unchanged for BAD_INPUT
  size_t q_stride;
  sinew_batch_row *rows; ///< one for each figure: the errors before the update; CONVERGED if they
                         ///< are within the tolerances; STALLED if they are not and the update
                         ///< begins at a stationary point, for which a report has OUT_OF_REACH,
                         ///< BLOCKED_BY_LIMITS or STALLED; else STEP_LIMIT. BAD_INPUT if a value is
                         ///< not finite, a quaternion or direction is 0, a position too far
                         ///< (sinew_target), or numbers too large for the update: a result beyond
                         ///< 1e100, a point more than 1e30 sizes from its target. NO_TASK. May be
                         ///< NULL, which saves the test for stationary points
} sinew_crowd_arrays;

/// Moves figures first to first + count - 1 by one update. Allocates nothing.
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT (a NULL, a worker of another crowd, a stride that is
/// too small, a range beyond the figures)
SINEW_MUST_CHECK sinew_result sinew_crowd_update(sinew_crowd *crowd, sinew_crowd_worker *worker,
                                                 const sinew_crowd_arrays *arrays, size_t first,
                                                 size_t count);

/// A recorded track: the targets of one figure in frames, one update each. A stride is the distance
/// between frames in doubles; 0: no gaps.
typedef struct sinew_track {
  size_t frames;         ///< may be 0
  const double *targets; ///< sinew_crowd_target_size() values a frame, as in ::sinew_crowd_arrays.
                         ///< A frame with a value that is not finite, or a quaternion of 0, is
                         ///< missing: the figure stays, and follows the next one
  size_t target_stride;
  const double *seed; ///< nq values: the configuration before frame 0; NULL: the middle of the
                      ///< limits
  double *q;          ///< nq values a frame: the results; after a seed that is not finite or has a
                      ///< quaternion of 0 sinew_configuration_start() in all frames
  size_t q_stride;
  sinew_batch_row *rows; ///< one for each frame, as in ::sinew_crowd_arrays, BAD_INPUT where it is
                         ///< missing; or NULL
} sinew_track;

/// Follows tracks from their first frame to their last, as many at once as there are lanes. Each
/// gets what a solver gives after sinew_solver_reset(), up to rounding, and the same bits whatever
/// the other tracks: the first targets are followed at once, from the seed. A cut is the end of one
/// track and the beginning of another. Where lengths differ, the fastest order is the longest
/// first. The crowd's figures are not used and not changed. Allocates nothing.
/// @param tracks count of them; their results must not overlap
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT (a NULL, a worker of another crowd, a stride that is
///   too small: no result is written)
SINEW_MUST_CHECK sinew_result sinew_crowd_follow(const sinew_crowd *crowd,
                                                 sinew_crowd_worker *worker,
                                                 const sinew_track *tracks, size_t count);

/// The first thing in tracks that cannot be used: its track, frame, target and field or joint, and
/// its value.
/// @param error may be NULL
/// @return SINEW_OK where all can be used; SINEW_ERROR_ARGUMENT (as sinew_crowd_follow());
///   SINEW_ERROR_NOT_FINITE (a missing frame, or a seed)
SINEW_MUST_CHECK sinew_result sinew_crowd_check(const sinew_crowd *crowd, const sinew_track *tracks,
                                                size_t count, sinew_error *error);

/// Why the worker's last call that was refused was refused. Belongs to the worker; code SINEW_OK
/// where there was none.
SINEW_API const sinew_error *sinew_crowd_worker_last_error(const sinew_crowd_worker *worker);

/// Clears the history of figures first to first + count - 1, as sinew_solver_reset() does; figures
/// beyond the last are ignored.
SINEW_API void sinew_crowd_reset(sinew_crowd *crowd, size_t first, size_t count);

#ifdef __cplusplus
}
#endif
#endif
