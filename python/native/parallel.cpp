#include "parallel.h"

#include "error.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace sinew::python {

static int processors() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return std::max(1, CPU_COUNT(&set));
  }
#endif
  return std::max(1, (int)std::thread::hardware_concurrency());
}

int default_threads(npy_intp count, npy_intp chunk) {
  return (int)std::clamp<npy_intp>((count + chunk - 1) / chunk, 1, processors());
}

namespace {

struct Range {
  const Chunk &work;
  const npy_intp count, chunk;
  std::atomic<npy_intp> next{0};
  std::atomic<bool> stop{false};

  // Takes the next chunk and does it. @return whether there may be another
  bool step(int thread) {
    const npy_intp first = stop ? count : next.fetch_add(chunk);
    if (first >= count) {
      return false;
    }
    if (!work(thread, first, std::min(chunk, count - first))) {
      stop = true;
    }
    return true;
  }
};

// The caller's thread: takes chunks as well, and looks for Ctrl-C now and then.
void work_and_watch(Range &range) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds interval(50);
  clock::time_point last = clock::now();
  PyThreadState *state = PyEval_SaveThread();
  while (range.step(0)) {
    if (clock::now() - last > interval) {
      PyEval_RestoreThread(state);
      if (PyErr_CheckSignals() != 0) {
        range.stop = true; // the exception stays set
      }
      state = PyEval_SaveThread();
      last = clock::now();
    }
  }
  PyEval_RestoreThread(state);
}

void join(std::vector<std::thread> &helpers) {
  PyThreadState *state = PyEval_SaveThread();
  for (std::thread &helper : helpers) {
    helper.join();
  }
  PyEval_RestoreThread(state);
}

} // namespace

void run_chunks(npy_intp count, npy_intp chunk, int threads, const Chunk &work) {
  Range range = {work, count, chunk};
  std::vector<std::thread> helpers;
  helpers.reserve((size_t)threads);
  try {
    for (int i = 1; i < threads; ++i) {
      helpers.emplace_back([&range, i] {
        while (range.step(i)) {
        }
      });
    }
  } catch (const std::system_error &) {
    // No more threads are to be had: those that run do the work.
  }
  work_and_watch(range);
  if (!helpers.empty()) {
    join(helpers);
  }
  if (PyErr_Occurred() != nullptr) {
    throw_pending();
  }
}

} // namespace sinew::python
