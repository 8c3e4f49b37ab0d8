// A quadratic step within a box, by an active set.
#ifndef SINEW_STEP_BOX_H
#define SINEW_STEP_BOX_H

#include "sinew/math.h"
#include "step/step.h"

#include <stdbool.h>
#include <stdint.h>

// A convex quadratic, its box, and the solver of its systems.
typedef struct sinew_box {
  int n;
  const double *gradient;      // n: minus the gradient of the quadratic at x = 0
  const double *lower, *upper; // n: lower <= upper, infinite where there is none
  signed char *held;           // n: -1 lower bound active, 1 upper bound active, 0 inactive
  bool begun;                  // whether held is the set to begin with, else that of x = 0
  int rounds;                  // at most so many, if not 0: x may then be short of the minimum
  double *unconstrained; // n: the unconstrained value: x_j where inactive; else on the side of
                         // x_j to which it moves if its bound is released
  double *from;          // n: scratch
  signed char *initial;  // n: scratch, where there is a value
  // Solves for the inactive x_j, given the others in x; fills the unconstrained values. H may
  // depend on the working set: its damping may be raised. steady: the damping is not below the
  // largest of the calls before. Returns the number of systems solved, more than 1 where the
  // damping was raised.
  int (*solve)(void *step, bool steady, double *x);
  // Optional: x^T H x / 2 - g^T x, with the largest damping so far; may overwrite unconstrained.
  // With it the primal method may return to the initial working set.
  double (*value)(void *step, const double *x);
  void *step;
} sinew_box;

// The number of a working set is the sum of these over j times held_j. They have 44 bits, so that
// sums are exact in double precision for n <= 512. Two of the sets that occur have the same number
// with a probability of about 1e-13; it costs a change of method, or ends the primal method at a
// point within the box.
static inline uint64_t sinew_box_weight(int j) {
  return sinew_random_bits(0, (uint64_t)j) >> 20;
}

// x (n) <- the minimum over lower <= x <= upper; held <- its active bounds. Returns the number of
// systems solved.
int sinew_box_solve(const sinew_box *box, double *x);

// The initial working set: held, less infinite bounds. x <- its bounds, 0 where none is active.
void sinew_box_take_working_set(const sinew_box *box, double *x);

// Updates the state of every x_j. Where lower = upper, a bound remains active. Returns whether the
// working set changed.
bool sinew_box_update_working_set(const sinew_box *box, double *x);

// The box of a step, without solve and step.
static inline sinew_box sinew_box_of(const sinew_step_problem *problem, signed char *held,
                                     double *unconstrained, double *from) {
  return (sinew_box){.n = problem->rows->dof_count,
                     .gradient = problem->gradient,
                     .lower = problem->lower,
                     .upper = problem->upper,
                     .held = held,
                     .begun = problem->begun,
                     .unconstrained = unconstrained,
                     .from = from};
}

#endif
