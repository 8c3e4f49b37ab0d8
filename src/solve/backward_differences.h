// A vector that changes smoothly from update to update, extrapolated by its backward differences:
//
//   D1 = v_k - v_k-1,   D2 = D1_k - D1_k-1,   ...
//   v_k+1 ~ v_k + D1 + ... + Dj
//
// The error of order j for the last value was D(j+1); its mean square over the last values tells
// what order to take next: a high one where the motion is smooth, 0 where it is noise. Compiled for
// each instruction set. Source of the formula: Hairer, Norsett, Wanner, Solving Ordinary
// Differential Equations I, 1993, section III.1.
#ifndef SINEW_SOLVE_BACKWARD_DIFFERENCES_H
#define SINEW_SOLVE_BACKWARD_DIFFERENCES_H

#include "base/memory.h"

// The highest order.
#define SINEW_BACKWARD_DIFFERENCES 4

typedef struct sinew_backward_differences {
  double *D[SINEW_BACKWARD_DIFFERENCES + 1];      // v, D1, D2, ...
  double squares[SINEW_BACKWARD_DIFFERENCES + 1]; // of D1, D2, ..., means of the last values
  int known; // how many values in a row, at most three more than the order
  int order;
} sinew_backward_differences;

// Room for n values.
void sinew_backward_differences_layout(sinew_arena *arena, int n, sinew_backward_differences *out);

// The next value is the first one.
void sinew_backward_differences_reset(sinew_backward_differences *self);

// out (in whole fours) += the value that is expected next; nothing before the first one.
void sinew_backward_differences_add(const sinew_backward_differences *self, int n, double *out);

// Takes the next value: what was expected, and error more, which is overwritten, in whole fours.
void sinew_backward_differences_take(sinew_backward_differences *self, int n, double *error);

#endif
