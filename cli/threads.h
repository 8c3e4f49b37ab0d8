/// The threads that a batch is solved by: many where the program was built with OpenMP, else
/// one.
#ifndef CLI_THREADS_H
#define CLI_THREADS_H

#include "sinew/batch.h"

/// Whether the program was built with OpenMP.
int cli_threads_many(void);

/// How many to use on this machine.
int cli_threads_default(void);

/// Solves problems 0 to count - 1 by threads of them.
sinew_result cli_threads_solve(const sinew_batch *batch, const sinew_batch_arrays *arrays,
                               size_t count, int threads);

#endif
