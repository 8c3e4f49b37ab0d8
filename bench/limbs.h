// Figures with several limbs: a section of bench_global.
#ifndef BENCH_LIMBS_H
#define BENCH_LIMBS_H

#include <stdint.h>

// Made stars of 2 to 8 limbs of 4 to 7 joints on a fixed base, or on a trunk of so many joints:
// count sets of poses in all. Prints how many sets are solved and, without a trunk, the time of a
// set divided by the sum of the times of its limbs, each solved by a solver of its own.
void bench_stars(int trunk, int count, uint64_t random_seed);

// A robot with poses on the links of a list, LINK[,LINK...]: count sets of poses, on its fixed or a
// floating base.
void bench_limbs(const char *path, const char *links, int floats, int count, uint64_t random_seed);

#endif
