// Targets of arms that cannot be met: how near the solves come, against a stored reference.
#ifndef BENCH_NEAREST_H
#define BENCH_NEAREST_H

#include <stdint.h>

// Writes the reference: targets of the ten arms of the optional data, and the least residual of
// 1000 local solves of 1000 steps from random starts. count: targets of each class and arm.
void bench_nearest_make(const char *path, int count, uint64_t random_seed);

// Compares solves, alone and in a batch, with the reference.
void bench_nearest_compare(const char *path);

#endif
