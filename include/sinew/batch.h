/// @file batch.h
/// Solves many problems of one model, several at once in SIMD lanes.
///
/// A ::sinew_batch is created once and shared by all threads; each thread has its own
/// ::sinew_batch_worker. The core starts no threads: call sinew_batch_solve() for ranges of
/// problems from your own threads, or sinew_batch_solve_threads() of sinew/threads.h. The result of
/// a problem depends on that problem only: not on its place in a range, the other problems or the
/// number of threads.
#ifndef SINEW_BATCH_H
#define SINEW_BATCH_H

#include "sinew/global.h"
#include "sinew/objective.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_batch_def {
  uint32_t cookie; ///< cookie and size: set by sinew_default_batch_def(); leave them
  uint32_t size;
  sinew_tolerances tolerances;
  int max_starts;               ///< attempts for each problem, >= 1; default 1000
  const sinew_bank *bank;       ///< made for the same model and tasks; NULL (default): none
  const sinew_network *network; ///< the same, a network that gives starts: sinew_global_def.network
  int lanes;                    ///< 1, 2, 4 or 8; 0 (default): as many as this processor has.
                                ///< The last bits of results depend on it
  /// Degrees of freedom, nv values each, copied; NULL (default): none is frozen, all gains are 1,
  /// the model's limits. As sinew_solver_set_frozen(), _gains() and _limits() take them.
  const unsigned char *frozen; ///< not 0: its value stays that of the
                               ///< seed, without seeds that of sinew_configuration_middle()
  const double *gains;
  const double *lower, *upper; ///< [rad] or [m]
  double margin_linear;  ///< by which limits are narrowed, as sinew_solver_set_margins() does [m];
                         ///< default 0
  double margin_angular; ///< [rad]; default 0
  /// What joints should do where tasks leave them a choice, copied; NULL (default): nothing. With
  /// objectives, tasks below level 0 or tasks that are not required, problems are solved one after
  /// the other instead of in lanes.
  const sinew_objective *objectives;
  int objective_count;
  sinew_allocator allocator;
} sinew_batch_def;

/// For bindings to other languages; in C and C++ use sinew_default_batch_def().
/// @param size of the caller's struct [bytes]
SINEW_API void sinew_batch_def_init(sinew_batch_def *def, size_t size);

static inline sinew_batch_def sinew_default_batch_def(void) {
  sinew_batch_def def;
  sinew_batch_def_init(&def, sizeof def);
  return def;
}

typedef struct sinew_batch sinew_batch;
typedef struct sinew_batch_worker sinew_batch_worker;

/// @param model is not copied and must outlive the batch, as must the bank and the network
/// @param tasks count of them, copied
/// @param error may be NULL
/// @return SINEW_OK; SINEW_ERROR_ARGUMENT (a field; a bank or a network of another model or
///   of other tasks; lanes that this processor or this build does not have); SINEW_ERROR_INDEX;
///   SINEW_ERROR_NOT_FINITE; SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_batch_create(const sinew_batch_def *def,
                                                 const sinew_model *model, const sinew_task *tasks,
                                                 int count, sinew_batch **batch,
                                                 sinew_error *error);
/// May be NULL. Destroy its workers first.
SINEW_API void sinew_batch_destroy(sinew_batch *batch);

/// The number of lanes used: 1, 2, 4 or 8.
SINEW_API int sinew_batch_lanes(const sinew_batch *batch);

/// The number of values of one problem's targets, the sum of sinew_task_target_size() of its tasks:
/// 3 for a POSITION or DIRECTION, 4 for an ORIENTATION, 7 for a POSE, and 7 for a POSITION with
/// free axes (the rotation is the frame of the axes).
SINEW_API int sinew_batch_target_size(const sinew_batch *batch);

/// @param error may be NULL
/// @return SINEW_OK or SINEW_ERROR_MEMORY
SINEW_MUST_CHECK sinew_result sinew_batch_worker_create(const sinew_batch *batch,
                                                        sinew_batch_worker **worker,
                                                        sinew_error *error);
/// May be NULL.
SINEW_API void sinew_batch_worker_destroy(sinew_batch_worker *worker);

/// How one problem of a batch ended.
typedef struct sinew_batch_row {
  sinew_outcome outcome; ///< SINEW_OUTCOME_BAD_INPUT if a value of its target or seed is not
                         ///< finite, a quaternion or direction is 0, or a position too far
                         ///< (sinew_target); also if the function of a joint gives a value that
                         ///< is not finite: sinew_batch_check() does not see it, the worker's last
                         ///< error names the first one
  int steps;             ///< of all attempts
  double position_error; ///< largest of a task [m]; -1: BAD_INPUT, NO_TASK
  double orientation_error; ///< [rad]; -1 at bad input
  int reach_task;           ///< OUT_OF_REACH: as in sinew_report, which explains the three; of
                            ///< crowds and all other outcomes -1
  double reach;             ///< OUT_OF_REACH: how far the chain reaches towards that task's target
                            ///< [m], else -1
  double target_distance;   ///< OUT_OF_REACH: the distance asked for [m], else -1
} sinew_batch_row;

/// The arrays of a batch. A stride is the distance between problems in doubles; 0: no gaps.
typedef struct sinew_batch_arrays {
  const double *targets; ///< sinew_batch_target_size() values a problem, task by task:
                         ///< position x, y, z [m], then rotation w, x, y, z
  size_t target_stride;
  const double *seeds; ///< nq values a problem, the seed of its first attempt; NULL: with a network
                       ///< its output for the middle of the limits, else with a bank its nearest
                       ///< posture, else the middle of the limits
  size_t seed_stride;
  double *q; ///< nq values a problem: the results, within the limits; for BAD_INPUT
             ///< sinew_configuration_start()
  size_t q_stride;
  sinew_batch_row *rows; ///< one for each problem, or NULL
} sinew_batch_arrays;

/// Solves problems first to first + count - 1. Allocates nothing.
/// @return SINEW_OK or SINEW_ERROR_ARGUMENT (a NULL, a worker of another batch, a stride that is
/// too small)
SINEW_MUST_CHECK sinew_result sinew_batch_solve(const sinew_batch *batch,
                                                sinew_batch_worker *worker,
                                                const sinew_batch_arrays *arrays, size_t first,
                                                size_t count);

/// Why the worker's last call was refused, or, where it was not, why its first problem was in which
/// the function of a joint failed: the joint's name, and the problem's number in the message.
/// Belongs to the worker; code SINEW_OK where neither happened.
SINEW_API const sinew_error *sinew_batch_worker_last_error(const sinew_batch_worker *worker);

/// Why a problem of a batch is BAD_INPUT: the joint of the seed or the target of a task, with the
/// field and its value.
/// @param error may be NULL
/// @return SINEW_OK where the problem can be used; SINEW_ERROR_ARGUMENT (arrays, as
///   sinew_batch_solve(); a position too far); SINEW_ERROR_NOT_FINITE
SINEW_MUST_CHECK sinew_result sinew_batch_check(const sinew_batch *batch,
                                                const sinew_batch_arrays *arrays, size_t problem,
                                                sinew_error *error);

#ifdef __cplusplus
}
#endif
#endif
