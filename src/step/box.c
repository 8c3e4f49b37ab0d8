// The active set for bounds.
//
// A guess says which x_j rest on a bound. The others are solved for, and the
// guess is mended: a free x_j outside its bounds goes onto the bound, one on a
// bound that would rather be inside is let go. The matrix J^T J + mu I is
// positive definite, so exactly one guess needs no mending, and it is the
// minimum. All are mended at once, which needs few rounds; if these do not end,
// one at a time, the last index first, which must.
// Source: Portugal, Judice, Vicente, A comparison of block pivoting and interior
// point algorithms for linear least squares problems with nonnegative
// variables, 1994; Murty, Note on a Bard-type scheme, 1974.
#include "step/box.h"
#include "math/vector.h"

#include <string.h>

#define ROUNDS_AT_ONCE 6

// Bounds that are reached already and that the gradient points beyond.
static void guess(const sinew_dls_problem *problem, sinew_dls_scratch *scratch, double *x) {
  for (int j = 0; j < problem->rows->dof_count; ++j) {
    const double lower = problem->lower[j], upper = problem->upper[j], g = problem->gradient[j];
    scratch->held[j] = lower > 0.0                ? -1
                       : upper < 0.0              ? 1
                       : lower >= 0.0 && g <= 0.0 ? -1
                       : upper <= 0.0 && g >= 0.0 ? 1
                                                  : 0;
    x[j] = scratch->held[j] < 0 ? lower : scratch->held[j] > 0 ? upper : 0.0;
  }
}

// The state that a wish asks for. One held lets go where its wish is inside; that
// it would go beyond its other bound is not believed before it is free.
static signed char asked(signed char held, double wish, double lower, double upper) {
  const int side = (wish > upper) - (wish < lower);
  return (signed char)(held == 0 || side == held ? side : 0);
}

// Gives each the state that its wish asks for. One that has a single place to be
// stays there.
static bool mend(const sinew_dls_problem *problem, sinew_dls_scratch *scratch, double *x,
                 bool at_once) {
  bool changed = false;
  for (int j = problem->rows->dof_count; j-- > 0 && (at_once || !changed);) {
    const double lower = problem->lower[j], upper = problem->upper[j];
    const signed char state = asked(scratch->held[j], scratch->wish[j], lower, upper);
    if (state != scratch->held[j] && lower < upper) {
      scratch->held[j] = state;
      x[j] = state < 0 ? lower : state > 0 ? upper : x[j];
      changed = true;
    }
  }
  return changed;
}

int sinew_box_solve(const sinew_dls_problem *problem, sinew_dls_scratch *scratch, double *x) {
  const int n = problem->rows->dof_count, most = ROUNDS_AT_ONCE + 4 * n;
  guess(problem, scratch, x);
  int rounds = 0;
  do {
    sinew_dls_solve(problem, scratch, x);
    ++rounds;
  } while (mend(problem, scratch, x, rounds < ROUNDS_AT_ONCE) && rounds < most);
  if (rounds == most) { // rounding went round in circles: what is left is tiny
    for (int j = 0; j < n; ++j) {
      x[j] = sinew_clamp(x[j], problem->lower[j], problem->upper[j]);
    }
  }
  return rounds;
}

void sinew_clamp_max_abs(int n, double largest, double *x) {
  double most = 0.0;
  for (int j = 0; j < n; ++j) {
    most = sinew_max(most, fabs(x[j]));
  }
  if (most > largest) {
    for (int j = 0; j < n; ++j) {
      x[j] *= largest / most;
    }
  }
}
