// Batches and tracks on several threads: each has its own worker and takes the next piece of the
// range when it has finished one. The result of a problem or a track does not depend on the worker,
// so neither the number of threads nor the assignment of pieces changes the results.
#include "sinew/threads.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

// Problems in one piece: so many that handing out pieces costs little, so few that no thread waits
// long at the end.
#define PIECES_A_THREAD 16
#define SMALLEST_PIECE 64
#define LARGEST_PIECE 1024

// Tracks in one piece, for each lane, where there are many: at the end of a piece some lanes have
// no track.
#define TRACKS_A_LANE 8

int sinew_threads_default(void) {
  const int threads = omp_get_max_threads();
  return threads > 1 ? threads : 1;
}

static size_t piece_of(size_t count, int threads) {
  const size_t piece = count / ((size_t)threads * PIECES_A_THREAD);
  return piece < SMALLEST_PIECE ? SMALLEST_PIECE : piece > LARGEST_PIECE ? LARGEST_PIECE : piece;
}

static void fill_error(sinew_error *error, sinew_result code, const char *message) {
  if (error != NULL) {
    *error = (sinew_error){.code = code};
    snprintf(error->message, sizeof error->message, "%s", message);
  }
}

// ---------------------------------------------------------------------- batches

static void destroy_workers(sinew_batch_worker **workers, int count) {
  for (int i = 0; i < count; ++i) {
    sinew_batch_worker_destroy(workers[i]);
  }
  free(workers);
}

// A worker for each thread, or none at all if one fails.
static sinew_batch_worker **create_workers(const sinew_batch *batch, int count,
                                           sinew_error *error) {
  sinew_batch_worker **workers = calloc((size_t)count, sizeof(sinew_batch_worker *));
  if (workers == NULL) {
    fill_error(error, SINEW_ERROR_MEMORY, "no memory for the workers");
  }
  for (int i = 0; workers != NULL && i < count; ++i) {
    if (sinew_batch_worker_create(batch, &workers[i], error) != SINEW_OK) {
      destroy_workers(workers, i);
      return NULL;
    }
  }
  return workers;
}

// The first piece with a problem that was refused, and why.
typedef struct refusal {
  size_t piece;
  sinew_error error;
} refusal;

static void note_refusal(refusal *first, size_t piece, const sinew_error *error) {
#pragma omp critical(sinew_refusal)
  if (first->error.code == SINEW_OK || piece < first->piece) {
    *first = (refusal){.piece = piece, .error = *error};
  }
}

// A range of a batch's problems, to be solved in pieces.
typedef struct pieced_range {
  const sinew_batch *batch;
  const sinew_batch_arrays *arrays;
  size_t first, count, size;
} pieced_range;

// Each piece with the worker of its thread. error: of its first problem that was refused, or code
// SINEW_OK; may be NULL.
static void solve_pieces(const pieced_range *all, sinew_batch_worker **workers, int threads,
                         sinew_error *error) {
  const size_t size = all->size, count = all->count / size + (all->count % size != 0);
  refusal refused = {.error = {.code = SINEW_OK}};
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (size_t i = 0; i < count; ++i) {
    const size_t at = i * size, left = all->count - at;
    sinew_batch_worker *worker = workers[omp_get_thread_num()];
    const sinew_result result = sinew_batch_solve(all->batch, worker, all->arrays, all->first + at,
                                                  left < size ? left : size);
    const sinew_error *why = sinew_batch_worker_last_error(worker);
    if (result != SINEW_OK || why->code != SINEW_OK) {
      note_refusal(&refused, i, why);
    }
  }
  if (error != NULL) {
    *error = refused.error;
  }
}

sinew_result sinew_batch_solve_threads(const sinew_batch *batch, const sinew_batch_arrays *arrays,
                                       size_t first, size_t count, int threads,
                                       sinew_error *error) {
  if (batch == NULL || threads < 0) {
    fill_error(error, SINEW_ERROR_ARGUMENT,
               batch == NULL ? "batch is NULL" : "threads is negative");
    return SINEW_ERROR_ARGUMENT;
  }
  threads = threads > 0 ? threads : sinew_threads_default();
  const size_t piece = piece_of(count, threads);
  const size_t pieces = count / piece + (count % piece != 0);
  threads = pieces < (size_t)threads ? (int)pieces : threads;
  threads = threads > 1 ? threads : 1;
  sinew_batch_worker **workers = create_workers(batch, threads, error);
  if (workers == NULL) {
    return SINEW_ERROR_MEMORY;
  }

  // An empty range: checks the arrays before any thread starts.
  const sinew_result result = sinew_batch_solve(batch, workers[0], arrays, first, 0);
  if (result != SINEW_OK && error != NULL) {
    *error = *sinew_batch_worker_last_error(workers[0]);
  }
  if (result == SINEW_OK) {
    const pieced_range all = {batch, arrays, first, count, piece};
    solve_pieces(&all, workers, threads, error);
  }
  destroy_workers(workers, threads);
  return result;
}

// ----------------------------------------------------------------------- tracks

static void destroy_crowd_workers(sinew_crowd_worker **workers, int count) {
  for (int i = 0; i < count; ++i) {
    sinew_crowd_worker_destroy(workers[i]);
  }
  free(workers);
}

// A worker for each thread, or none at all if one fails.
static sinew_crowd_worker **create_crowd_workers(const sinew_crowd *crowd, int count,
                                                 sinew_error *error) {
  sinew_crowd_worker **workers = calloc((size_t)count, sizeof(sinew_crowd_worker *));
  if (workers == NULL) {
    fill_error(error, SINEW_ERROR_MEMORY, "no memory for the workers");
  }
  for (int i = 0; workers != NULL && i < count; ++i) {
    if (sinew_crowd_worker_create(crowd, &workers[i], error) != SINEW_OK) {
      destroy_crowd_workers(workers, i);
      return NULL;
    }
  }
  return workers;
}

// Few tracks: one piece for each thread.
static size_t tracks_of_piece(const sinew_crowd *crowd, size_t count, int threads) {
  const size_t all = (size_t)threads, share = count / all + (count % all != 0);
  const size_t full = (size_t)sinew_crowd_lanes(crowd) * TRACKS_A_LANE;
  const size_t piece = count / (all * PIECES_A_THREAD);
  const size_t many = piece > full ? piece : full;
  return share < 1 ? 1 : share < many ? share : many;
}

// Whether the tracks' arrays can be used; missing frames are no reason to refuse them.
static sinew_result check_tracks(const sinew_crowd *crowd, const sinew_track *tracks, size_t count,
                                 sinew_error *error) {
  sinew_error why;
  const sinew_result result = sinew_crowd_check(crowd, tracks, count, &why);
  if (result != SINEW_ERROR_ARGUMENT) {
    return SINEW_OK;
  }
  if (error != NULL) {
    *error = why;
  }
  return result;
}

sinew_result sinew_crowd_follow_threads(const sinew_crowd *crowd, const sinew_track *tracks,
                                        size_t count, int threads, sinew_error *error) {
  if (threads < 0) {
    fill_error(error, SINEW_ERROR_ARGUMENT, "threads is negative");
    return SINEW_ERROR_ARGUMENT;
  }
  if (check_tracks(crowd, tracks, count, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  threads = threads > 0 ? threads : sinew_threads_default();
  const size_t piece = tracks_of_piece(crowd, count, threads);
  const size_t pieces = count / piece + (count % piece != 0);
  threads = pieces < (size_t)threads ? (int)pieces : threads;
  threads = threads > 1 ? threads : 1;
  sinew_crowd_worker **workers = create_crowd_workers(crowd, threads, error);
  if (workers == NULL) {
    return SINEW_ERROR_MEMORY;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (size_t i = 0; i < pieces; ++i) {
    const size_t at = i * piece;
    sinew_crowd_follow(crowd, workers[omp_get_thread_num()], tracks + at,
                       count - at < piece ? count - at : piece);
  }
  destroy_crowd_workers(workers, threads);
  return SINEW_OK;
}
