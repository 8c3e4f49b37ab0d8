// Updates of whole bodies with several tasks.
#ifndef BENCH_BODIES_H
#define BENCH_BODIES_H

#include "bench/common.h"

// Prints a figure.
typedef void bench_print(const char *name, call_times times);

// The humanoid with limits of swing and twist; the robot g1_29dof of the optional data (folder
// SINEW_SHARED_DIR, else ../shared), if it is there. wanted: whether a name is.
void bench_bodies(int (*wanted)(const char *name), bench_print *print);

#endif
