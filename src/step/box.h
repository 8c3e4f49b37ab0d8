// A quadratic step within a box, by an active set.
#ifndef SINEW_STEP_BOX_H
#define SINEW_STEP_BOX_H

// A convex quadratic, its box, and the solver of its systems.
typedef struct sinew_box {
  int n;
  const double *gradient;      // n: minus the gradient of the quadratic at x = 0
  const double *lower, *upper; // n: lower <= upper, infinite where there is none
  signed char *held;           // n: -1 lower bound active, 1 upper bound active, 0 inactive
  double *unconstrained; // n: the unconstrained value: x_j where inactive; else on the side of
                         // x_j to which it moves if its bound is released
  double *from;          // n: scratch
  // Solves for the inactive x_j, given the others in x; fills the unconstrained values.
  void (*solve)(void *step, double *x);
  void *step;
} sinew_box;

// x (n) <- the minimum over lower <= x <= upper; held <- its active bounds. Returns the number of
// systems solved.
int sinew_box_solve(const sinew_box *box, double *x);

#endif
