// The active set for bounds.
//
// A guess says which x_j rest on a bound. The others are solved for, and the
// guess is mended: a free x_j outside its bounds goes onto the bound, one on a
// bound that would rather be inside is let go. The matrix J^T J + mu I is
// positive definite, so exactly one guess needs no mending, and it is the
// minimum. All are mended at once, which needs few rounds, but may go round in
// circles where columns are all but parallel. Then a walk within the box takes
// over: towards the minimum for the present guess until a bound is met, which is
// rested on; where none is met, the bound that holds against the strongest pull is
// let go. No turn of the walk raises the error and no guess comes twice, so it
// ends; where rounding draws it out, its last point is as good as can be told.
// Sources: Portugal, Judice, Vicente, A comparison of block pivoting and interior
// point algorithms for linear least squares problems with nonnegative
// variables, 1994; Stark, Parker, Bounded-variable least squares, 1995.
#include "step/box.h"
#include "math/vector.h"

#include <string.h>

#define ROUNDS_AT_ONCE 6
#define ROUNDS_WALKED(n) (10 + 5 * (n))

// Bounds that are reached already and that the gradient points beyond.
static void guess(const sinew_box *box, double *x) {
  for (int j = 0; j < box->n; ++j) {
    const double lower = box->lower[j], upper = box->upper[j], g = box->gradient[j];
    if (lower < 0.0 && upper > 0.0) {
      box->held[j] = 0;
      x[j] = 0.0;
      continue;
    }
    box->held[j] = lower > 0.0                ? -1
                   : upper < 0.0              ? 1
                   : lower >= 0.0 && g <= 0.0 ? -1
                   : upper <= 0.0 && g >= 0.0 ? 1
                                              : 0;
    x[j] = box->held[j] < 0 ? lower : box->held[j] > 0 ? upper : 0.0;
  }
}

// The state that an unconstrained value asks for. One held lets go where its unconstrained value is
// inside; that it would go beyond its other bound is not believed before it is free.
static signed char asked(signed char held, double unconstrained, double lower, double upper) {
  const int side = (unconstrained > upper) - (unconstrained < lower);
  return (signed char)(held == 0 || side == held ? side : 0);
}

// Gives each the state that its unconstrained value asks for. One that has a single place to be
// stays there.
static bool mend(const sinew_box *box, double *x) {
  bool changed = false;
  for (int j = 0; j < box->n; ++j) {
    const double lower = box->lower[j], upper = box->upper[j];
    if (box->held[j] == 0 && box->unconstrained[j] <= upper && box->unconstrained[j] >= lower) {
      continue;
    }
    const signed char state = asked(box->held[j], box->unconstrained[j], lower, upper);
    if (state != box->held[j] && lower < upper) {
      box->held[j] = state;
      x[j] = state < 0 ? lower : state > 0 ? upper : x[j];
      changed = true;
    }
  }
  return changed;
}

// Brings x into the box; what is on a bound rests there.
static void rest(const sinew_box *box, double *x) {
  for (int j = 0; j < box->n; ++j) {
    const double lower = box->lower[j], upper = box->upper[j];
    x[j] = sinew_clamp(x[j], lower, upper);
    box->held[j] = (signed char)(x[j] <= lower ? -1 : x[j] >= upper ? 1 : 0);
  }
}

// How much of the way from one place to another is within bounds.
static double share_inside(double from, double to, double lower, double upper) {
  return to > upper   ? (upper - from) / (to - from)
         : to < lower ? (lower - from) / (to - from)
                      : 1.0;
}

// Turns back, on the way from box->from to x, at the first bound that a free
// one meets, and rests there. False where none is in the way.
static bool stop_at_bound(const sinew_box *box, double *x) {
  const double *from = box->from, *lower = box->lower, *upper = box->upper;
  double share = 1.0;
  int first = -1;
  for (int j = 0; j < box->n; ++j) {
    if (box->held[j] == 0 && (x[j] < lower[j] || x[j] > upper[j])) {
      const double part = share_inside(from[j], x[j], lower[j], upper[j]);
      first = first < 0 || part < share ? j : first;
      share = sinew_min(share, part);
    }
  }
  if (first < 0) {
    return false;
  }
  const bool up = x[first] > upper[first];
  for (int j = 0; j < box->n; ++j) {
    if (box->held[j] == 0) {
      x[j] = sinew_clamp(from[j] + share * (x[j] - from[j]), lower[j], upper[j]);
    }
  }
  box->held[first] = up ? 1 : -1;
  x[first] = up ? upper[first] : lower[first];
  return true;
}

// Lets go of the bound that holds against the strongest pull. False at the minimum.
static bool let_go(const sinew_box *box, const double *x) {
  double most = 0.0;
  int strongest = -1;
  for (int j = 0; j < box->n; ++j) {
    const double lower = box->lower[j], upper = box->upper[j];
    const double pull = fabs(box->unconstrained[j] - x[j]);
    if (box->held[j] != 0 && lower < upper && pull > most &&
        asked(box->held[j], box->unconstrained[j], lower, upper) == 0) {
      most = pull;
      strongest = j;
    }
  }
  if (strongest >= 0) {
    box->held[strongest] = 0;
  }
  return strongest >= 0;
}

static int walk(const sinew_box *box, double *x) {
  const int n = box->n;
  int rounds = 0;
  rest(box, x);
  do {
    memcpy(box->from, x, (size_t)n * sizeof(double));
    box->solve(box->step, x);
    ++rounds;
  } while ((stop_at_bound(box, x) || let_go(box, x)) && rounds < ROUNDS_WALKED(n));
  return rounds;
}

int sinew_box_solve(const sinew_box *box, double *x) {
  int rounds = 0;
  bool changed;
  guess(box, x);
  do {
    box->solve(box->step, x);
    changed = mend(box, x);
  } while (++rounds < ROUNDS_AT_ONCE && changed);
  return changed ? rounds + walk(box, x) : rounds;
}
