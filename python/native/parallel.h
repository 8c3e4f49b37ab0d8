/// Work on a range in chunks that several threads take.
#ifndef SINEW_PYTHON_PARALLEL_H
#define SINEW_PYTHON_PARALLEL_H

#include "numpy.h"

#include <functional>

namespace sinew::python {

/// One chunk of work: items first to first + count - 1, by thread 0 to threads - 1. Called without
/// the interpreter's lock.
/// @return false to stop all threads
using Chunk = std::function<bool(int thread, npy_intp first, npy_intp count)>;

/// The number of threads where the caller did not say: as many as this process may use, and one for
/// each chunk at most.
int default_threads(npy_intp count, npy_intp chunk);

/// Does all chunks of 0 to count - 1. Called with the interpreter's lock, which it releases. Throws
/// KeyboardInterrupt, or what else a signal's handler raises.
/// @param chunk items that a thread takes at once: some milliseconds of work
void run_chunks(npy_intp count, npy_intp chunk, int threads, const Chunk &work);

} // namespace sinew::python

#endif
