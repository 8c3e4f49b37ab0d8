// The methods: which step for a linearised error, and how much it is damped.
//
// DLS: mu = c E + lambda^2 + floor, E half the squared residual. Sources: Chan and Lawrence,
// General inverse kinematics with the error damped pseudoinverse, 1988; Sugihara,
// Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011.
//
// Newton: (H + mu I) x = g with the exact H (step/newton.c). Damped least squares
// drops the part of H that comes from the curvature of the way an effector takes;
// out of reach it is that part which makes a stretched chain stiff, and without it
// large damping has to stand in. mu = min(c |e|, k |g|) + floor: it grows with the
// error and vanishes at rest, in reach or out of it, so that rest is approached as
// Newton's method does.
#include "math/vector.h"
#include "math/within.h"
#include "simd/four.h"
#include "solve/solver.h"
#include "step/clamp.h"

#include <string.h>

// Errors beyond one size of the figure (E = 1/2) add no more damping: how far
// away a target is says nothing of how the figure should move.
#define MOST_ERROR 0.5

_Static_assert((int)SINEW_DLS_SMALLER == (int)SINEW_SYSTEM_SMALLER &&
                   (int)SINEW_DLS_ROWS == (int)SINEW_SYSTEM_ROWS &&
                   (int)SINEW_DLS_COLUMNS == (int)SINEW_SYSTEM_COLUMNS &&
                   (int)SINEW_DLS_STACKED == (int)SINEW_SYSTEM_STACKED,
               "the forms are numbered alike");

// SDLS's constants, those of its source (step/sdls.c): the most that a joint turns [rad], and the
// singular values that count as 0. The source has 1e-10 of any unit; here it is of the largest, so
// that no unit matters. It only keeps 1 / sigma finite: gamma_i falls with sigma_i, and a cut at a
// share that figures come by, .01 say, throws directions away that are damped already, and lets
// the step jump where a singular value crosses it.
#define SDLS_GAMMA_MAX 0.78539816339744828 // pi / 4
#define SDLS_CUT 1e-10

// Newton's damping, dimensionless as H is: for an error of one size of the figure;
// against the gradient; at rest.
#define NEWTON_CALM 0.3
#define NEWTON_GRADIENT 10.0
#define NEWTON_FLOOR 1e-5

// The default's is CALM |e| sqrt(|e| + CLOSE): near the target it lags less than Newton's, and away
// from it it is as calm. Below CLOSE it falls with |e| as Newton's does, not faster: a limb that
// stretches out to a target on its way beyond reach turns the faster, the less it lags, and then
// has to stop. Beyond one size of the figure it grows with |e| again, as H and g do, so that how
// far away a target is does not matter. docs/tracking.md tells how the figures were chosen. Crowds
// have the same: kernel/crowd_kernel.c.
#define CALM 0.7
#define CLOSE 0.02

// Where no target moves there is nothing to be calm about: damping is half after so many updates, a
// third after twice as many, and a figure in a valley that is all but flat comes to rest in half
// the time. Only there must it vanish at rest, and so it is bounded by the gradient, by k |g| STILL
// / updates. While targets move there is no bound: it would let a figure follow each of their
// motions at once in directions that hardly matter. It closes in slowly, so that damping does not
// alternate where targets move in every second update.
//
// The bound falls with the number n of degrees of freedom: where H is flat, a step is g / mu, of
// length 1 / k, and n equal turns are of the length of one times sqrt(n). With k = GRADIENT /
// sqrt(n) each may turn as much in a long chain as in a short one; else one of 100 balls, coiled
// up, takes hundreds of updates to uncoil. The gradient is remembered, FORGET of it from one update
// to the next: else damping that vanishes at the bottom of a curved valley throws the next step out
// of it, and back.
#define STILL 20.0
#define GRADIENT 50.0
#define FORGET 0.6

// Where a step is foreseen to meet the error, damping only holds it back. It falls to this share of
// itself where all of the error will be met, and is whole where none will, by the square of what is
// left: so it is below half where half is, and whole in time at the end of reach.
#define MET 0.3

// How a step is foreseen whose end decides which curvature counts: with damping that many
// times as large, so that only what gives way easily is taken as done.
#define FORESEEN 10.0

// The least turn [rad] off a ridge: a chain that was stretched out to a target beyond its
// reach, straight at it, has no gradient to bend by when the target comes back. Left to
// rounding it would bend an inch late, and then at once.
#define RIDGE 5e-3

// The curvature of some tasks is left out of H (free axes, directions, coupled joints). Out
// of reach that is all there is across the error, |e| at most in a figure's size; damping of
// this share of it stands in, else steps would overshoot without end.
#define STAND_IN 1.0

// What damping grows by where a step is too large: doubled, and this added.
#define MORE 1e-4

// The length of the gradient over what is free to follow it: a joint that is pushed against its
// bound stays there, and its share never vanishes.
static double free_gradient(const sinew_solver *solver) {
  double sum = 0.0;
  if (solver->linear.open) {
    return sinew_length(solver->evaluation.rows.dof_count, solver->linear.gradient);
  }
  for (int slot = 0; slot < solver->evaluation.rows.dof_count; ++slot) {
    const double g = solver->linear.gradient[slot];
    const bool blocked =
        g > 0.0 ? solver->linear.upper[slot] <= 0.0 : solver->linear.lower[slot] >= 0.0;
    sum += blocked ? 0.0 : g * g;
  }
  return sqrt(sum);
}

// The box, where there is one.
static const double *lower_of(const sinew_solver *solver) {
  return solver->linear.open ? NULL : solver->linear.lower;
}
static const double *upper_of(const sinew_solver *solver) {
  return solver->linear.open ? NULL : solver->linear.upper;
}

// Brings the turns of free balls (task/task.h) from the root link's axes into their own:
// exp(x) R = R exp(R^T x), R the ball's moved frame.
SINEW_ALWAYS_INLINE void bring_plain(const sinew_slot_group *groups, int count,
                                     const sinew_frame *frames, double *x) {
  for (const sinew_slot_group *group = groups; group < groups + count; ++group) {
    if (group->free) {
      const double(*R)[4] = frames[group->node].column;
      double *w = x + group->slot;
      const double a = w[0], b = w[1], c = w[2];
      const double turn[3] = {(R[0][0] * a + R[0][1] * b) + R[0][2] * c,
                              (R[1][0] * a + R[1][1] * b) + R[1][2] * c,
                              (R[2][0] * a + R[2][1] * b) + R[2][2] * c};
      memcpy(w, turn, sizeof turn);
    }
  }
}

SINEW_TWICE(bring,
            (const sinew_slot_group *groups, int count, const sinew_frame *frames, double *x),
            (groups, count, frames, x))

// From what a step is solved for to turns.
static void to_turns(sinew_solver *solver) {
  for (int slot = 0; !solver->problem.even && slot < solver->evaluation.rows.dof_count; ++slot) {
    solver->linear.x[slot] *= solver->problem.gain[slot];
  }
  if (solver->problem.has_free) {
    bring(solver->state.wide, solver->problem.groups, solver->problem.group_count,
          solver->state.frames, solver->linear.x);
  }
}

static void solve_dls(sinew_solver *solver, double mu) {
  const sinew_dls_problem problem = {.rows = &solver->evaluation.rows,
                                     .e = solver->linear.e,
                                     .mu = mu,
                                     .form = (sinew_dls_system)solver->def.dls_form};
  sinew_dls_solve_box(&problem, solver->linear.gradient, lower_of(solver), upper_of(solver),
                      &solver->step.dls, solver->linear.x);
  to_turns(solver);
}

static void find_dls(sinew_solver *solver, double harder) {
  const double lambda = solver->def.damping / solver->model->size;
  const double mu = solver->def.error_damping * sinew_min(solver->linear.E, MOST_ERROR) +
                    lambda * lambda + solver->def.damping_floor;
  solve_dls(solver, harder * mu);
}

// The transpose's direction is J^T e itself, so that slides and turns count as they do
// in the rows.
static void find_transpose(sinew_solver *solver) {
  const sinew_transpose_problem problem = {.rows = &solver->evaluation.rows,
                                           .e = solver->linear.e,
                                           .gradient = solver->linear.gradient,
                                           .lower = lower_of(solver),
                                           .upper = upper_of(solver)};
  sinew_transpose_solve_bounded(&problem, &solver->step.transpose, solver->linear.x);
  to_turns(solver);
}

static void find_pseudoinverse(sinew_solver *solver) {
  const sinew_pseudoinverse_problem problem = {.rows = &solver->evaluation.rows,
                                               .e = solver->linear.e,
                                               .cut = solver->def.singular_cut,
                                               .singular_values = true,
                                               .lower = lower_of(solver),
                                               .upper = upper_of(solver)};
  sinew_pseudoinverse_solve_bounded(&problem, &solver->step.pseudoinverse, solver->linear.x);
  to_turns(solver);
}

// gamma_max is pi / 4, or max_turn where that is less.
static void find_sdls(sinew_solver *solver) {
  const sinew_sdls_problem problem = {.rows = &solver->evaluation.rows,
                                      .e = solver->linear.e,
                                      .split = solver->step.split,
                                      .largest = sinew_min(solver->def.max_turn, SDLS_GAMMA_MAX),
                                      .cut = SDLS_CUT,
                                      .lower = lower_of(solver),
                                      .upper = upper_of(solver)};
  sinew_sdls_solve_bounded(&problem, &solver->step.sdls, solver->linear.x);
  to_turns(solver);
}

// A step for mu, or for more of it where the step would be too large; cut down where no more of it
// helps.
static void find_newton(sinew_solver *solver, double mu, double ridge) {
  const int n = solver->problem.pattern.dof_count;
  for (int attempt = 0; attempt < 40; ++attempt) {
    const sinew_newton_problem problem = {&solver->evaluation.rows, solver->linear.gradient, mu,
                                          ridge};
    sinew_newton_solve_box(&problem, lower_of(solver), upper_of(solver), &solver->step.newton,
                           solver->linear.x);
    to_turns(solver);
    if (sinew_all_within(n, solver->linear.x, solver->def.max_turn)) {
      return;
    }
    mu = 2.0 * solver->step.newton.mu + MORE;
  }
  sinew_clamp_max_abs(n, solver->def.max_turn, solver->linear.x);
}

// The error, or what is left of it, of tasks that H knows to first order only.
static double first_order(const sinew_solver *solver, const double *e) {
  return sqrt(2.0 * sinew_evaluation_first_order(&solver->problem, e));
}

static void find_plain_newton(sinew_solver *solver, double harder) {
  const double e =
      NEWTON_CALM * solver->def.calm * sqrt(2.0 * sinew_min(solver->linear.E, MOST_ERROR));
  const double g = NEWTON_GRADIENT * free_gradient(solver);
  const double stand_in = STAND_IN * first_order(solver, solver->linear.e);
  find_newton(solver, harder * (sinew_max(sinew_min(e, g), stand_in) + NEWTON_FLOOR), 0.0);
}

// Methods without damping take a smaller step where a damped one would take a more
// damped one.
static void shorten(sinew_solver *solver, double harder) {
  for (int slot = 0; harder != 1.0 && slot < solver->evaluation.rows.dof_count; ++slot) {
    solver->linear.x[slot] /= harder;
  }
}

// What a method leaves beyond the box of limits and speeds stops at its side. A joint that
// is outside its limits is on its way in, as far as the clamp lets it.
static void keep_in_box(sinew_solver *solver) {
  for (int slot = 0; !solver->linear.open && slot < solver->evaluation.rows.dof_count; ++slot) {
    const double gain = solver->problem.gain[slot];
    const double lower = gain * solver->linear.lower[slot],
                 upper = gain * solver->linear.upper[slot];
    solver->linear.x[slot] =
        sinew_clamp(solver->linear.x[slot], sinew_min(lower, 0.0), sinew_max(upper, 0.0));
  }
}

void sinew_solver_find_step(sinew_solver *solver, sinew_method method, double harder) {
  switch (method) {
  case SINEW_METHOD_TRANSPOSE:
    find_transpose(solver);
    shorten(solver, harder);
    break;
  case SINEW_METHOD_PSEUDOINVERSE:
    find_pseudoinverse(solver);
    shorten(solver, harder);
    break;
  case SINEW_METHOD_SDLS:
    find_sdls(solver);
    shorten(solver, harder);
    break;
  case SINEW_METHOD_NEWTON: // as large as it may be
    find_plain_newton(solver, harder);
    keep_in_box(solver);
    return;
  default:
    find_dls(solver, harder);
  }
  sinew_clamp_max_abs(solver->evaluation.rows.dof_count, solver->def.max_turn, solver->linear.x);
  keep_in_box(solver);
}

void sinew_solver_find_damped_step(sinew_solver *solver, double mu) {
  solve_dls(solver, mu);
  sinew_clamp_max_abs(solver->evaluation.rows.dof_count, sinew_min(solver->def.max_turn, 1.0),
                      solver->linear.x);
  keep_in_box(solver);
}

// How far the step is from the last one, squared. Sums are of every fourth, so that none waits
// long.
static double square_of_change(const sinew_solver *solver) {
  const int *dof = solver->problem.dof_of_slot, n = solver->evaluation.rows.dof_count;
  const double *x = solver->linear.x, *last = solver->history.step;
  sinew_pair even = {0.0, 0.0}, odd = even;
  double rest = 0.0;
  int slot = 0;
  for (; solver->problem.all && slot + 4 <= n; slot += 4) {
    const sinew_pair a = sinew_pair_load(x + slot) - sinew_pair_load(last + slot);
    const sinew_pair b = sinew_pair_load(x + slot + 2) - sinew_pair_load(last + slot + 2);
    even += a * a;
    odd += b * b;
  }
  for (; slot < n; ++slot) {
    const double change = x[slot] - last[dof[slot]];
    rest += change * change;
  }
  const sinew_pair both = even + odd;
  return (both[0] + both[1]) + rest;
}

static void keep_as_last(sinew_solver *solver) {
  const int *dof = solver->problem.dof_of_slot, n = solver->evaluation.rows.dof_count;
  if (solver->problem.all) {
    memcpy(solver->history.step, solver->linear.x, (size_t)n * sizeof(double));
    return;
  }
  for (int slot = 0; slot < n; ++slot) {
    solver->history.step[dof[slot]] = solver->linear.x[slot];
  }
}

// Brings the step to within max_change of the last one, and back into the box.
static void limit_change(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  const double share = solver->def.max_change / sqrt(square_of_change(solver));
  for (int slot = 0; share < 1.0 && slot < n; ++slot) {
    const double last = solver->history.step[problem->dof_of_slot[slot]],
                 gain = problem->gain[slot];
    solver->linear.x[slot] =
        sinew_clamp(last + share * (solver->linear.x[slot] - last),
                    gain * solver->linear.lower[slot], gain * solver->linear.upper[slot]);
  }
}

static double calm_damping(sinew_solver *solver) {
  const int n = solver->evaluation.rows.dof_count;
  const double e = sqrt(2.0 * solver->linear.E);
  const double calm = CALM * solver->def.calm * e * sqrt(sinew_min(e, 1.0) + CLOSE);
  if (solver->history.still == 0) {
    solver->history.gradient = 0.0;
    return calm + NEWTON_FLOOR;
  }
  solver->history.gradient = sinew_max(free_gradient(solver), FORGET * solver->history.gradient);
  const double k = GRADIENT / sqrt(n > 0 ? n : 1);
  const double eased = STILL / (STILL + solver->history.still) * calm;
  return sinew_min(eased, STILL / solver->history.still * k * solver->history.gradient) +
         NEWTON_FLOOR;
}

// Bends H as far as a step will not undo the error: problem/curvature.c. The step is foreseen
// without curvature. Returns the share of the error that it leaves.
static double foresee(sinew_solver *solver, double mu) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const int m = rows->row_count;
  const double *e = solver->linear.e;
  double *expected = solver->step.expected;
  const sinew_dls_problem problem = {
      .rows = rows, .e = e, .mu = FORESEEN * mu, .form = (sinew_dls_system)solver->def.dls_form};
  if (solver->linear.open) {
    sinew_dls_foresee(&problem, &solver->step.dls, expected);
  } else {
    sinew_dls_solve_box(&problem, solver->linear.gradient, solver->linear.lower,
                        solver->linear.upper, &solver->step.dls, solver->linear.x);
    memcpy(expected, e, (size_t)m * sizeof(double));
    sinew_rows_subtract(rows, solver->linear.x, expected);
  }
  sinew_evaluate_curvature(&solver->problem, &solver->state, expected, 1.0 - solver->def.error_gain,
                           &solver->evaluation);
  const double before = sinew_length(m, e);
  return before > 0.0 ? sinew_min(sinew_length(m, expected) / before, 1.0) : 0.0;
}

void sinew_solver_find_calm_step(sinew_solver *solver) {
  const double mu = calm_damping(solver);
  const double left = foresee(solver, mu);
  const double stand_in = STAND_IN * first_order(solver, solver->step.expected);
  find_newton(solver, sinew_max(mu * (MET + (1.0 - MET) * left * left), stand_in), RIDGE);
  limit_change(solver);
  keep_as_last(solver);
}
