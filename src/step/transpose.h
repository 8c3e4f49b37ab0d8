// The Jacobian transpose: x = alpha K J^T e, alpha such that |J x - e| is minimal along this
// direction.
#ifndef SINEW_STEP_TRANSPOSE_H
#define SINEW_STEP_TRANSPOSE_H

#include "step/step.h"

typedef struct sinew_transpose_scratch {
  double *residual;  // m: e - J_B x_B, B with active bounds
  double *image;     // m: -J p
  double *gradient;  // n: g
  double *direction; // n: p
  signed char *held; // n: -1 lower bound active, 1 upper bound active, 0 inactive
} sinew_transpose_scratch;

void sinew_transpose_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Reads e, gradient, gains and bounds. Bounds as hold.h does. x is 0 where J^T e is 0 to rounding.
// Not clamped. Returns the number of systems solved.
int sinew_transpose_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
