// Damped least squares: x minimises |J x - e|^2 + mu |x|^2.
#ifndef SINEW_STEP_DLS_H
#define SINEW_STEP_DLS_H

#include "step/step.h"

// Scratch for problems of up to m rows and n degrees of freedom in one form.
typedef struct sinew_dls_scratch {
  double *matrix;        // the largest of the forms' systems
  double *factor;        // its factor
  double *right;         // max(m + n): right-hand side and solution
  double *residual;      // m: e - J x of those held
  double *unconstrained; // n: x, and for those held where they would go
  double *from;          // n: scratch of sinew_box_solve()
  int *index;            // n
  signed char *held;     // n: -1 at its lower bound, 1 at its upper, 0 free
  double mu;             // the damping that was needed in the end, >= the problem's
} sinew_dls_scratch;

void sinew_dls_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Solves for the degrees of freedom that are not held, the others keeping their
// values in x. unconstrained tells where each would go, J_j^T (e - J x) / mu: for those that
// are free, to x_j itself.
void sinew_dls_solve(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x);

// The same within bounds; held tells afterwards which x_j rests on which. Reads e, mu, form, and
// with bounds the gradient. Returns the number of systems solved.
int sinew_dls_step(const sinew_step_problem *problem, void *scratch, double *x);

// What the step without bounds leaves of the error: left (m) = e - J x. Where the rows' system
// serves that is mu y, and x need not be found.
void sinew_dls_predict_residual(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                                double *left);

#endif
