/// @file threads.h
/// Solves batches and follows tracks on several threads (library sinew-threads, OpenMP).
#ifndef SINEW_THREADS_H
#define SINEW_THREADS_H

#include "sinew/crowd.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The default number of threads on this machine.
SINEW_API int sinew_threads_default(void);

/// Solves problems first to first + count - 1 on several threads, with the same bits as on one.
/// Worthwhile for some thousands of problems or more: threads have to be started, and each creates
/// a worker.
/// @param threads >= 1; 0: sinew_threads_default()
/// @param error may be NULL; with SINEW_OK as well: the first problem in which the function of a
///   joint failed, as sinew_batch_worker_last_error(), or code SINEW_OK
/// @return as sinew_batch_solve(); SINEW_ERROR_MEMORY where a worker cannot be made
SINEW_MUST_CHECK sinew_result sinew_batch_solve_threads(const sinew_batch *batch,
                                                        const sinew_batch_arrays *arrays,
                                                        size_t first, size_t count, int threads,
                                                        sinew_error *error);

/// Follows tracks as sinew_crowd_follow() does, on several threads, with the same bits as on one.
/// @param threads >= 1; 0: sinew_threads_default()
/// @param error may be NULL
/// @return as sinew_crowd_follow(); SINEW_ERROR_MEMORY where a worker cannot be made
SINEW_MUST_CHECK sinew_result sinew_crowd_follow_threads(const sinew_crowd *crowd,
                                                         const sinew_track *tracks, size_t count,
                                                         int threads, sinew_error *error);

#ifdef __cplusplus
}
#endif
#endif
