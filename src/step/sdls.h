// Selectively damped least squares: each singular direction is damped by how far it moves the
// end effectors.
#ifndef SINEW_STEP_SDLS_H
#define SINEW_STEP_SDLS_H

#include "math/svd.h"
#include "step/step.h"

typedef struct sinew_sdls_scratch {
  sinew_svd svd;
  double *reach;     // n: sum_l rho_lj, how far each x_j moves all end effectors
  double *residual;  // m: e - J_B x_B, B with active bounds
  double *solution;  // n
  double *spread;    // N, M and max |v| of each singular vector, a stride each, and u . e
  signed char *held; // n: -1 lower bound active, 1 upper bound active, 0 inactive
} sinew_sdls_scratch;

void sinew_sdls_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Reads e (that of each end effector clamped: clamp.h), split, largest, cut and bounds. Solves for
// the degrees of freedom at no active bound, given the others in x. |x_j| <= largest for those
// solved for.
void sinew_sdls_solve(const sinew_step_problem *problem, sinew_sdls_scratch *scratch, double *x);

// The same within bounds (hold.h). Returns the number of systems solved.
int sinew_sdls_step(const sinew_step_problem *problem, void *scratch, double *x);

#endif
