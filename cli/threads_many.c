// A batch on several threads, by sinew-threads.
#include "sinew/threads.h"
#include "threads.h"

int cli_threads_many(void) {
  return 1;
}

int cli_threads_default(void) {
  return sinew_threads_default();
}

sinew_result cli_threads_solve(const sinew_batch *batch, const sinew_batch_arrays *arrays,
                               size_t count, int threads) {
  return sinew_batch_solve_threads(batch, arrays, 0, count, threads, NULL);
}
