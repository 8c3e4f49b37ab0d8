// The pseudoinverse: the shortest of all x that minimise |J x - e|.
#ifndef SINEW_STEP_PSEUDOINVERSE_H
#define SINEW_STEP_PSEUDOINVERSE_H

#include "math/svd.h"
#include "step/step.h"

// Gains G are part of the rows' columns, J G in place of J: then x is G^-1 dq, and dq is
// the shortest in the norm dq^T W dq with W^-1 = G^2.
typedef struct sinew_pseudoinverse_scratch {
  sinew_svd svd;
  double *matrix;    // the smaller of J J^T and J^T J
  double *factor;    // its factor
  double *right;     // m + n: right-hand side and solution
  double *residual;  // m: e - J_B x_B, B with active bounds
  double *solution;  // n
  int *index;        // n
  signed char *held; // n: -1 lower bound active, 1 upper bound active, 0 inactive
} sinew_pseudoinverse_scratch;

void sinew_pseudoinverse_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Reads e, cut (0.01 in Buss's program, 1e-6 for exact work), singular_values and bounds.
// Solves for the degrees of freedom at no active bound, given the others in x. Not clamped: near a
// singularity that is not cut off, x is large.
void sinew_pseudoinverse_solve(const sinew_step_problem *problem,
                               sinew_pseudoinverse_scratch *scratch, double *x);

// The same within bounds (hold.h). Returns the number of systems solved.
int sinew_pseudoinverse_step(const sinew_step_problem *problem, void *scratch, double *x);

// x (n) = sum over sigma_i > cut sigma_1 of sigma_i / (sigma_i^2 + mu) (u_i . e) v_i: with mu = 0
// the pseudoinverse, with cut = 0 damped least squares. work: 2 * svd->stride values.
void sinew_pseudoinverse_apply(const sinew_svd *svd, const double *e, double cut, double mu,
                               double *work, double *x);

#endif
