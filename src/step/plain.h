// Steps along the gradient: x = J^T e without a step length, and conjugate gradients.
#ifndef SINEW_STEP_PLAIN_H
#define SINEW_STEP_PLAIN_H

#include "step/step.h"

typedef struct sinew_plain_scratch {
  double *gradient;  // n: of the last step, joints at bounds left out
  double *direction; // n: of the last step
  double *image;     // m: - J d
  int since;         // steps since d was the gradient
} sinew_plain_scratch;

void sinew_plain_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// x = J^T e; 0 where a bound blocks it. Reads the gradient and bounds.
int sinew_plain_step(const sinew_step_problem *problem, void *scratch, double *x);

// x = alpha d. Reads e, the gradient, bounds and moved.
int sinew_conjugate_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
