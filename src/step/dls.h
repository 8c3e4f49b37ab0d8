// Damped least squares: x minimises |J x - e|^2 + mu |x|^2.
#ifndef SINEW_STEP_DLS_H
#define SINEW_STEP_DLS_H

#include "step/step.h"

// Scratch for problems of up to m rows and n degrees of freedom in one form.
typedef struct sinew_dls_scratch {
  double *matrix;        // the system of the form in use
  double *factor;        // its factor
  double *right;         // max(m + n): right-hand side and solution
  double *residual;      // m: e - J_B x_B, B with active bounds
  double *unconstrained; // n: unconstrained values: J^T (e - J x) / mu
  double *from;          // n: scratch of sinew_box_solve()
  int *index;            // n
  signed char *held;     // n: -1 lower bound active, 1 upper bound active, 0 inactive
  double mu;             // the damping used, >= the problem's
  bool left;             // whether residual is e - J x of the last step
} sinew_dls_scratch;

void sinew_dls_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Factors a symmetric matrix of a size plus the damping (math/ldlt.h). Returns the damping used.
double sinew_dls_factor(int size, double mu, const double *matrix, double *factor);

// Solves for the degrees of freedom at no active bound, given the others in x. Fills the
// unconstrained values J_j^T (e - J x) / mu, which are x_j where no bound is active.
void sinew_dls_solve(const sinew_step_problem *problem, sinew_dls_scratch *scratch, double *x);

// The same within bounds; held <- the active ones. Reads e, mu, form, and with bounds the gradient.
// Returns the number of systems solved.
int sinew_dls_step(const sinew_step_problem *problem, void *scratch, double *x);

// The residual that the step without bounds is predicted to have: predicted (m) = e - J x. In the
// rows form that is mu y, and x is not computed.
void sinew_dls_predict_residual(const sinew_step_problem *problem, sinew_dls_scratch *scratch,
                                double *predicted);

#endif
