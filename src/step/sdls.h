// Selectively damped least squares: each singular direction is damped by how far it would move
// the effectors.
#ifndef SINEW_STEP_SDLS_H
#define SINEW_STEP_SDLS_H

#include "math/svd.h"
#include "step/step.h"

typedef struct sinew_sdls_scratch {
  sinew_svd svd;
  double *reach;     // n: how far each x_j moves all effectors
  double *residual;  // m: e - J x of those held
  double *solution;  // n
  double *spread;    // N, M and max |v| of each singular vector, a stride each, and u . e
  signed char *held; // n: -1 at its lower bound, 1 at its upper, 0 free
} sinew_sdls_scratch;

void sinew_sdls_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Reads e (each effector's clamped: clamp.h), split, largest, cut and bounds. Solves for the
// degrees of freedom that are not held, the others keeping their values in x. No free x_j is above
// largest.
void sinew_sdls_solve(const sinew_step_problem *problem, sinew_sdls_scratch *scratch, double *x);

// The same with those held that would leave their bounds (hold.h). Returns how often it solved.
int sinew_sdls_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
