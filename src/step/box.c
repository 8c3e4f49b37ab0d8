// A convex quadratic within a box, by a primal active set:
//
//   minimise   x^T H x / 2 - g^T x   over   lower <= x <= upper
//
// H = J^T J + mu I for damped least squares. The working set W contains the bounds that are active,
// x_j = lower_j or upper_j; the other x_j, F, are inactive and solved for:
//
//   H_FF x_F = g_F - H_FW x_W
//
// With the multiplier l_j = g_j - H_j x of an active bound, its unconstrained value is
// x_j + l_j / mu: on the outer side of the bound where l_j keeps x_j there, on the inner side where
// the bound is to be released.
//
// H may depend on the working set: Newton's damping is raised until H_FF is positive definite.
//
// 1. Block pivoting. From an initial working set all bounds are updated at once: an inactive x_j
//    beyond a bound becomes active there, an active one with an inner unconstrained value is
//    released. This takes few rounds, but may cycle where columns are nearly parallel, or where H
//    changes with the working set. So once the damping was raised H is made steady: from then on
//    its damping may only grow, and the rounds are counted again. Block pivoting ends after
//    BLOCK_ROUNDS rounds, and where a working set occurs again; where rounds are limited, before
//    the last of them, whose step is cut at a bound that it meets.
// 2. The primal method, with a steady H: a step towards the solution for the working set, cut at
//    the first bound that it meets, which becomes active; where it meets none, the bound with the
//    largest multiplier is released. It starts from x projected onto the box, or from 0 with the
//    initial working set where that has the smaller objective: a set that block pivoting has left
//    may be farther from the minimum's than the one it began with.
//
// The primal method ends. The damping grows finitely often, since H is positive definite once it is
// large enough. From then on the objective q is one strictly convex function. Let a step end at
// the solution x for a working set, and let j be the bound that is released there. Over F and j the
// gradient of q is 0 but for its entry j, so the next step is p = -(dq/dx_j) H^-1 e_j, and it moves
// x_j into the box, since the diagonal of H^-1 is positive. Where p leads out of the box at another
// x_k that is at its bound, x stays and k becomes active; the same then holds without k, so after
// at most n such rounds x moves, and q falls. It never rises. So each solution at which a bound is
// released has a smaller q than the one before, no working set occurs at two of them, and there are
// finitely many sets. Where one does occur again only rounding errors are left, and the method ends
// there; MOST_ROUNDS(n) is a limit that it has not been seen to reach.
//
// Over four times a million updates of humanoids (bench_updates --count 500 --random-seed 1 to 4) a
// step solves at worst 20 systems, those of its predictor included. Where each round of block
// pivoting begins with the low damping again, it is raised in several attempts and many bounds
// change with it; with that, and without the initial set, the worst was 37 for the first seed
// alone.
//
// To release all bounds whose multipliers have the wrong sign ends by the same proof. But on random
// boxes with nearly parallel columns (tests/test_step.c) most of them become active again.
//
// Sources: Portugal, Judice, Vicente, A comparison of block pivoting and interior
// point algorithms for linear least squares problems with nonnegative
// variables, 1994; Stark, Parker, Bounded-variable least squares, 1995; Nocedal, Wright,
// Numerical Optimization, 2006, section 16.5.
#include "step/box.h"
#include "math/vector.h"
#include "simd/four.h"

#include <string.h>

#define BLOCK_ROUNDS 6
#define MOST_ROUNDS(n) (20 + 5 * (n)) // of both

// Working sets that are kept to see whether one occurs again; cycles of rounding errors are short.
#define KEPT 8

// The work so far: more systems than rounds where the damping was raised.
typedef struct progress {
  int rounds, systems;
} progress;

// Whether none of four bounds is active.
SINEW_ALWAYS_INLINE bool four_are_inactive(const sinew_box *box, int j) {
  int32_t four;
  memcpy(&four, box->held + j, sizeof four);
  return four == 0;
}

SINEW_ALWAYS_INLINE bool all_of(sinew_four_bits mask) {
  return !sinew_four_bits_any(~mask);
}

// Whether four unconstrained values are within their bounds.
SINEW_ALWAYS_INLINE bool four_are_inside(const sinew_box *box, int j) {
  const sinew_four value = sinew_four_load(box->unconstrained + j);
  return all_of((value >= sinew_four_load(box->lower + j)) &
                (value <= sinew_four_load(box->upper + j)));
}

void sinew_box_take_working_set(const sinew_box *box, double *x) {
  for (int j = 0; j < box->n; ++j) {
    if (SINEW_HAS_FAST_PATHS && j % 4 == 0 && j + 4 <= box->n && four_are_inactive(box, j) &&
        all_of(sinew_four_load(box->lower + j) < sinew_four_load(box->upper + j))) {
      sinew_four_store(x + j, SINEW_FOUR_OF(0.0));
      j += 3;
      continue;
    }
    const double lower = box->lower[j], upper = box->upper[j];
    const bool low = lower == upper || (box->held[j] < 0 && lower > -INFINITY);
    const bool high = !low && box->held[j] > 0 && upper < INFINITY;
    box->held[j] = (signed char)(low ? -1 : high ? 1 : 0);
    x[j] = low ? lower : high ? upper : 0.0;
  }
}

// The initial working set: the bounds that x = 0 is beyond, and those it is at where the gradient
// points out of the box.
static void set_initial_working_set(const sinew_box *box, double *x) {
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

// The state of x_j for its unconstrained value: -1 or 1 with its lower or upper bound active, 0
// with neither. An active bound is released where that value is inside or beyond the opposite
// bound: the opposite bound becomes active only after a solution with x_j inactive.
static signed char state_for(signed char active, double unconstrained, double lower, double upper) {
  const int side = (unconstrained > upper) - (unconstrained < lower);
  return (signed char)(active == 0 || side == active ? side : 0);
}

bool sinew_box_update_working_set(const sinew_box *box, double *x) {
  bool changed = false;
  for (int j = 0; j < box->n; ++j) {
    if (SINEW_HAS_FAST_PATHS && j % 4 == 0 && j + 4 <= box->n && four_are_inactive(box, j) &&
        four_are_inside(box, j)) {
      j += 3;
      continue;
    }
    const double lower = box->lower[j], upper = box->upper[j];
    if (box->held[j] == 0 && box->unconstrained[j] <= upper && box->unconstrained[j] >= lower) {
      continue;
    }
    const signed char state = state_for(box->held[j], box->unconstrained[j], lower, upper);
    if (state != box->held[j] && lower < upper) {
      box->held[j] = state;
      x[j] = state < 0 ? lower : state > 0 ? upper : x[j];
      changed = true;
    }
  }
  return changed;
}

// Projects x onto the box; the bounds that it is on become active.
static void project(const sinew_box *box, double *x) {
  for (int j = 0; j < box->n; ++j) {
    const double lower = box->lower[j], upper = box->upper[j];
    x[j] = sinew_clamp(x[j], lower, upper);
    box->held[j] = (signed char)(x[j] <= lower ? -1 : x[j] >= upper ? 1 : 0);
  }
}

// The largest share of the step from one value to another that remains within the bounds.
static double share_inside(double from, double to, double lower, double upper) {
  return to > upper   ? (upper - from) / (to - from)
         : to < lower ? (lower - from) / (to - from)
                      : 1.0;
}

// Cuts the step from box->from to x at the first bound that an inactive x_j meets, which becomes
// active. Returns false if the step meets none.
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

// Releases the active bound with the largest multiplier, |unconstrained value - x_j| being in
// proportion to it. Returns false at the minimum, where there is none to release.
static bool release_bound(const sinew_box *box, const double *x) {
  double largest = 0.0;
  int released = -1;
  for (int j = 0; j < box->n; ++j) {
    const double lower = box->lower[j], upper = box->upper[j];
    const double multiplier = fabs(box->unconstrained[j] - x[j]);
    if (box->held[j] != 0 && lower < upper && multiplier > largest &&
        state_for(box->held[j], box->unconstrained[j], lower, upper) == 0) {
      largest = multiplier;
      released = j;
    }
  }
  if (released >= 0) {
    box->held[released] = 0;
  }
  return released >= 0;
}

static int64_t number_of_working_set(const sinew_box *box) {
  int64_t number = 0;
  for (int j = 0; j < box->n; ++j) {
    number += box->held[j] * (int64_t)sinew_box_weight(j);
  }
  return number;
}

// The numbers of the last KEPT of count working sets.
typedef struct kept_sets {
  int64_t number[KEPT];
  int count;
} kept_sets;

// Keeps the working set. Returns whether it is among those kept.
static bool has_occurred(const sinew_box *box, kept_sets *kept) {
  const int64_t number = number_of_working_set(box);
  bool found = false;
  for (int i = 0; i < kept->count && i < KEPT; ++i) {
    found |= kept->number[i] == number;
  }
  kept->number[kept->count++ % KEPT] = number;
  return found;
}

// Block pivoting. Returns whether it has found the minimum.
static bool pivot_blocks(const sinew_box *box, double *x, progress *done) {
  const int most = box->rounds > 0 ? box->rounds - 1 : BLOCK_ROUNDS;
  kept_sets kept = {.count = 0};
  bool steady = false;
  for (int round = 0; round < most; ++round) {
    if (round > 0 && has_occurred(box, &kept)) { // most need no second round
      return false;
    }
    ++done->rounds;
    const int systems = box->solve(box->step, steady, x);
    done->systems += systems;
    if (systems > 1 && !steady) {
      steady = true;
      kept.count = 0;
      round = 0;
    }
    if (!sinew_box_update_working_set(box, x)) {
      return true;
    }
  }
  return false;
}

// x <- 0 projected onto the box, with the initial working set.
static void return_to_initial_set(const sinew_box *box, double *x) {
  for (int j = 0; j < box->n; ++j) {
    const signed char state = box->initial[j];
    box->held[j] = state;
    x[j] = state < 0   ? box->lower[j]
           : state > 0 ? box->upper[j]
                       : sinew_clamp(0.0, box->lower[j], box->upper[j]);
  }
}

// The start of the primal method after block pivoting.
static void choose_start(const sinew_box *box, double *x) {
  project(box, x);
  if (box->value == NULL) {
    return;
  }
  const double projected = box->value(box->step, x);
  memcpy(box->from, x, (size_t)box->n * sizeof(double));
  return_to_initial_set(box, x);
  if (projected <= box->value(box->step, x)) {
    memcpy(x, box->from, (size_t)box->n * sizeof(double));
    project(box, x);
  }
}

static void solve_primal(const sinew_box *box, double *x, progress *done) {
  const int n = box->n, most = box->rounds > 0 ? box->rounds : MOST_ROUNDS(n);
  kept_sets kept = {.count = 0};
  bool more;
  choose_start(box, x);
  do {
    memcpy(box->from, x, (size_t)n * sizeof(double));
    const int systems = box->solve(box->step, true, x);
    ++done->rounds;
    done->systems += systems;
    kept.count = systems > 1 ? 0 : kept.count; // q is another one
    more = stop_at_bound(box, x) || (!has_occurred(box, &kept) && release_bound(box, x));
  } while (more && done->rounds < most);
}

int sinew_box_solve(const sinew_box *box, double *x) {
  progress done = {0, 0};
  if (box->begun) {
    sinew_box_take_working_set(box, x);
  } else {
    set_initial_working_set(box, x);
  }
  if (box->value != NULL) {
    memcpy(box->initial, box->held, (size_t)box->n);
  }
  const bool found = pivot_blocks(box, x, &done);
  if (!found) {
    solve_primal(box, x, &done);
  }
  return done.systems;
}
