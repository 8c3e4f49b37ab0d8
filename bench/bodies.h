// Updates of whole bodies with several tasks.
#ifndef BENCH_BODIES_H
#define BENCH_BODIES_H

// Prints a figure: its mean and its 99.9th percentile [ns], and this over the median.
typedef void bench_print(const char *name, double mean, double most, double share);

// The humanoid with limits of swing and twist; the robot g1_29dof of the optional data (folder
// SINEW_SHARED_DIR, else ../shared), if it is there. wanted: whether a name is.
void bench_bodies(int (*wanted)(const char *name), bench_print *print);

#endif
