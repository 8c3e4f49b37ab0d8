// The Jacobian transpose: x = alpha K J^T e, alpha such that J x is as near to e as this
// direction allows.
#ifndef SINEW_STEP_TRANSPOSE_H
#define SINEW_STEP_TRANSPOSE_H

#include "step/step.h"

typedef struct sinew_transpose_scratch {
  double *residual;  // m: e - J x of those held
  double *image;     // m
  double *gradient;  // n
  double *direction; // n
  signed char *held; // n: -1 at its lower bound, 1 at its upper, 0 free
} sinew_transpose_scratch;

void sinew_transpose_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Reads e, gradient, gains and bounds. x within its bounds: those that would leave them stay there
// (hold.h), and the others are solved for again. x is 0 where J^T e is, to its rounding. Not
// clamped. Returns how often it solved.
int sinew_transpose_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
