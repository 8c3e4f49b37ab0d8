// The active set: a quadratic step within a box.
#ifndef SINEW_STEP_BOX_H
#define SINEW_STEP_BOX_H

// A step's minimiser for given bounds, as the active set sees it.
typedef struct sinew_box {
  int n;
  const double *gradient;      // n: of what is minimised, downhill, at x = 0
  const double *lower, *upper; // n: lower <= upper, infinite where there is none
  signed char *held;           // n: -1 at its lower bound, 1 at its upper, 0 free
  double *unconstrained;       // n: x where free; where held, on the side of x_j to
                               // which it would go
  double *from;                // n: scratch
  // Solves for those that are free, the others keeping their values in x; fills
  // unconstrained.
  void (*solve)(void *step, double *x);
  void *step;
} sinew_box;

// x (n) is the minimum over lower <= x <= upper; held tells afterwards which bounds
// it rests on. Returns the number of systems solved.
int sinew_box_solve(const sinew_box *box, double *x);

#endif
