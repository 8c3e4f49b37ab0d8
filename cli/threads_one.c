// A batch on one thread, where there is no OpenMP.
#include "threads.h"

int cli_threads_many(void) {
  return 0;
}

int cli_threads_default(void) {
  return 1;
}

sinew_result cli_threads_solve(const sinew_batch *batch, const sinew_batch_arrays *arrays,
                               size_t count, int threads) {
  (void)threads;
  sinew_batch_worker *worker = NULL;
  sinew_result result = sinew_batch_worker_create(batch, &worker, NULL);
  if (result == SINEW_OK)
    result = sinew_batch_solve(batch, worker, arrays, 0, count);
  sinew_batch_worker_destroy(worker);
  return result;
}
