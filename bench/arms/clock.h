// Seconds from some moment.
#ifndef BENCH_ARMS_CLOCK_H
#define BENCH_ARMS_CLOCK_H

#include <ctime>

inline double now() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

#endif
