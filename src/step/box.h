// A quadratic step within a box, by an active set.
#ifndef SINEW_STEP_BOX_H
#define SINEW_STEP_BOX_H

#include <stdbool.h>
#include <stdint.h>

// A convex quadratic, its box, and the solver of its systems.
typedef struct sinew_box {
  int n;
  const double *gradient;      // n: minus the gradient of the quadratic at x = 0
  const double *lower, *upper; // n: lower <= upper, infinite where there is none
  signed char *held;           // n: -1 lower bound active, 1 upper bound active, 0 inactive
  double *unconstrained; // n: the unconstrained value: x_j where inactive; else on the side of
                         // x_j to which it moves if its bound is released
  double *from;          // n: scratch
  // Solves for the inactive x_j, given the others in x; fills the unconstrained values. H may
  // depend on the working set: its damping may be raised. steady: the damping is not below the
  // largest of the calls before. Returns the number of systems solved, more than 1 where the
  // damping was raised.
  int (*solve)(void *step, bool steady, double *x);
  void *step;
} sinew_box;

// The number of a working set is the sum of these over j times held_j, exact in double precision
// for n < 2^20. That two of the sets that occur have the same number is improbable, since these
// have no small linear relations; it costs a change of method, or ends the primal method at a point
// within the box. Source: the finalizer of MurmurHash3, Appleby, 2011.
static inline uint32_t sinew_box_weight(int j) {
  uint32_t x = (uint32_t)j + 1;
  x = (x ^ x >> 16) * UINT32_C(0x85ebca6b);
  x = (x ^ x >> 13) * UINT32_C(0xc2b2ae35);
  return x ^ x >> 16;
}

// x (n) <- the minimum over lower <= x <= upper; held <- its active bounds. Returns the number of
// systems solved.
int sinew_box_solve(const sinew_box *box, double *x);

#endif
