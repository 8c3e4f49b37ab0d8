// What soft tasks cost a search: the poses solved with them against those solved without.
#ifndef SINEW_BENCH_SOFT_H
#define SINEW_BENCH_SOFT_H

#include <stdint.h>

// Poses of the ten arms of the optional data, from random starts: alone, and with the direction of
// a link at level 1 and a posture. Prints how many are solved each way, and how many one way alone.
// An arm whose file is missing is left out.
// @param count poses of each arm
void bench_soft(int count, uint64_t random_seed);

#endif
