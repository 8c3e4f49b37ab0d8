// Attempts one after the other.
//
// Where many starts are to be had, an attempt is worth little: it takes undamped steps as
// soon as it can, keeps each step whether it lowers the error or not, and is given up as
// soon as it gains little. On ten arms from random starts that takes 12.6 updates a
// solution, against 16.5 where steps that raise the error are taken back and tried again.
#include "solve/attempts.h"
#include "math/vector.h"
#include "solve/descent.h"
#include "solve/lane_attempts.h"

#include <string.h>

// mu = DAMPING E + FLOOR. From 0.01 to 0.1 makes little difference.
#define DAMPING 0.03
#define FLOOR 1e-7

// An attempt is dropped after WAIT steps without a GAIN in E over the best of it so far.
// It is also dropped after MOST steps, and a few for each degree of freedom that an arm has
// not, where it is not NEAR and still gaining.
#define WAIT 3
#define GAIN 0.3
#define MOST 15
#define ARM 8
#define NEAR 1e-2

// Patience: after the first LATER attempts one in so many is given LONGER as much of both.
#define LATER 24
#define ONE_IN 4
#define LONGER 5

int sinew_attempt_patience(int attempt) {
  return attempt >= LATER && attempt % ONE_IN == 0 ? LONGER : 1;
}

typedef struct attempt {
  double *q;
  double E, least; // half the squared residual: there, and the least so far
  int steps;
  int slow; // steps since it was the least
} attempt;

// Whether an attempt is given up; longer: how much longer it is given.
static bool is_dropped(const attempt *a, int most, int longer) {
  return a->slow >= WAIT * longer || (a->steps >= most * longer && !(a->E < NEAR && a->slow == 0));
}

// One step, kept whatever it brings.
static void step(sinew_solver *solver, const sinew_target *targets, attempt *a) {
  sinew_solver_linearize(solver, a->q, 0.0, false);
  sinew_solver_find_damped_step(solver, DAMPING * sinew_min(a->E, 0.5) + FLOOR);
  sinew_solver_apply_step(solver, a->q, a->q);
  a->E = sinew_solver_evaluate(solver, targets, a->q);
  ++a->steps;
  const bool gains = a->E < (1.0 - GAIN) * a->least;
  a->slow = gains ? 0 : a->slow + 1;
  a->least = gains ? a->E : a->least;
}

// From a->q on. Whether it arrived.
static bool descend(sinew_solver *solver, sinew_attempts *attempts, int longer, attempt *a) {
  const int dofs = solver->evaluation.rows.dof_count;
  const int most = MOST + (dofs > ARM ? dofs - ARM : 0);
  a->E = a->least = sinew_solver_evaluate(solver, attempts->targets, a->q);
  a->steps = a->slow = 0;
  while (!sinew_solver_converged(solver)) {
    attempts->late = sinew_solver_is_late(solver, attempts->deadline);
    if (attempts->late || is_dropped(a, most, longer)) {
      return false;
    }
    step(solver, attempts->targets, a);
  }
  return true;
}

static void run_one_by_one(sinew_solver *solver, sinew_attempts *attempts) {
  attempt a = {.q = solver->global.attempt};
  attempts->steps = 0;
  attempts->late = false;
  for (int i = 0; !attempts->late && attempts->start(attempts->context, i, a.q); ++i) {
    const bool arrived = descend(solver, attempts, sinew_attempt_patience(i), &a);
    attempts->steps += a.steps;
    if (!arrived) {
      attempts->dropped(attempts->context, i, a.q, a.E);
    } else if (!attempts->solution(attempts->context, i, a.q)) {
      return;
    }
  }
}

void sinew_attempts_run(sinew_solver *solver, sinew_attempts *attempts) {
  if (sinew_lanes_ready(solver)) {
    sinew_lane_attempts_run(solver, attempts);
  } else {
    run_one_by_one(solver, attempts);
  }
}
