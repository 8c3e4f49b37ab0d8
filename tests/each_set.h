// Tests that run once for each instruction set of the lanes.
#ifndef TESTS_EACH_SET_H
#define TESTS_EACH_SET_H

#include "inspect.h"
#include "near.h"

// One cmocka test for each instruction set; its state is the set, a number from 1 on.
#define ON_SET(test, set)                                                                          \
  { #test " " #set, test, NULL, NULL, (void *)(uintptr_t)(SINEW_LANE_SET_##set + 1) }
#define ON_EACH_SET(test)                                                                          \
  ON_SET(test, BASE), ON_SET(test, PAIR), ON_SET(test, FMA), ON_SET(test, AVX2),                   \
      ON_SET(test, AVX512)

// The instruction set of a test. The test is skipped where this build or this processor lacks it.
static inline sinew_lane_set set_of_state(void **state) {
  const sinew_lane_set set = (sinew_lane_set)((uintptr_t)*state - 1);
  if (sinew_lane_kernel_of(set) == NULL) {
    print_message("this processor has not this instruction set\n");
    skip();
  }
  return set;
}

#endif
