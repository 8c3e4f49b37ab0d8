// Counter-based random numbers: a 64-bit finalizer over seed and counter.
//
// Source: Steele, Lea, Flood, Fast splittable pseudorandom number generators,
// 2014, whose generator increments a counter by an odd constant and finalizes it.
#include "sinew/math.h"

static uint64_t finalize(uint64_t x) {
  x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

uint64_t sinew_random_bits(uint64_t seed, uint64_t counter) {
  const uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);
  return finalize(finalize(seed + golden) + counter * golden);
}

double sinew_random_uniform(uint64_t seed, uint64_t counter) {
  return (double)(sinew_random_bits(seed, counter) >> 11) * 0x1p-53;
}
