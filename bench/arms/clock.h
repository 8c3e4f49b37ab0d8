// Seconds from some moment, and seconds of the processor's time that this thread has had.
#ifndef BENCH_ARMS_CLOCK_H
#define BENCH_ARMS_CLOCK_H

#include <ctime>

inline double read_clock(clockid_t which) {
  struct timespec t;
  clock_gettime(which, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline double now() {
  return read_clock(CLOCK_MONOTONIC);
}

inline double time_of_thread() {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

#endif
