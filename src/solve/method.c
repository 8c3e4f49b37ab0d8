// The methods: which step is taken for a linearised error, and how much it is damped.
//
// DLS: x = J^T (J J^T + mu I)^-1 e. Newton: (H + mu I) x = g with the exact H (step/newton.c).
// Damped least squares drops the part of H that comes from the curvature of the effectors' paths;
// out of reach that part makes a stretched chain stiff, and without it large damping has to replace
// it. The laws of mu are in policy/damping.h and, for the default, policy/tracking.h.
#include "math/vector.h"
#include "math/within.h"
#include "policy/gradient.h"
#include "policy/tracking.h"
#include "simd/four.h"
#include "solve/solver.h"
#include "step/clamp.h"

#include <string.h>

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

// |g| over what is free to follow it (policy/gradient.h).
static double free_gradient(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  const int n = solver->evaluation.rows.dof_count;
  double sum = 0.0;
  if (linear->open) {
    return sinew_length(n, linear->gradient);
  }
  for (int slot = 0; slot < n; ++slot) {
    const double g =
        gradient_free(linear->gradient[slot], linear->lower[slot], linear->upper[slot]);
    sum += g * g;
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

static void find_dls(sinew_solver *solver, double factor) {
  const sinew_solver_def *def = &solver->def;
  solve_dls(solver, factor * damping_dls(def->error_damping, def->damping / solver->model->size,
                                         def->damping_floor, solver->linear.E));
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
    mu = damping_increase(solver->step.newton.mu);
  }
  sinew_clamp_max_abs(n, solver->def.max_turn, solver->linear.x);
}

// The error, or what is left of it, of tasks that H knows to first order only.
static double first_order(const sinew_solver *solver, const double *e) {
  return sqrt(2.0 * sinew_evaluation_first_order(&solver->problem, e));
}

static void find_plain_newton(sinew_solver *solver, double factor) {
  const double mu = damping_newton(solver->def.calm, solver->linear.E, free_gradient(solver),
                                   first_order(solver, solver->linear.e));
  find_newton(solver, factor * mu, 0.0);
}

// Methods without damping take a smaller step where a damped one would take a more
// damped one.
static void shorten(sinew_solver *solver, double factor) {
  for (int slot = 0; factor != 1.0 && slot < solver->evaluation.rows.dof_count; ++slot) {
    solver->linear.x[slot] /= factor;
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

void sinew_solver_find_step(sinew_solver *solver, sinew_method method, double factor) {
  switch (method) {
  case SINEW_METHOD_TRANSPOSE:
    find_transpose(solver);
    shorten(solver, factor);
    break;
  case SINEW_METHOD_PSEUDOINVERSE:
    find_pseudoinverse(solver);
    shorten(solver, factor);
    break;
  case SINEW_METHOD_SDLS:
    find_sdls(solver);
    shorten(solver, factor);
    break;
  case SINEW_METHOD_NEWTON: // as large as it may be
    find_plain_newton(solver, factor);
    keep_in_box(solver);
    return;
  default:
    find_dls(solver, factor);
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
  const double share = tracking_change_share(solver->def.max_change, square_of_change(solver));
  for (int slot = 0; share < 1.0 && slot < n; ++slot) {
    const double last = solver->history.step[problem->dof_of_slot[slot]];
    const double gain = problem->gain[slot];
    solver->linear.x[slot] =
        sinew_clamp(tracking_limited(share, solver->linear.x[slot], last),
                    gain * solver->linear.lower[slot], gain * solver->linear.upper[slot]);
  }
}

// The damping for the error, the gradient and the updates at rest.
static double find_damping(sinew_solver *solver) {
  sinew_history *history = &solver->history;
  const double rest = history->updates_at_rest, gradient = rest > 0.0 ? free_gradient(solver) : 0.0;
  history->gradient = tracking_gradient(rest, gradient, history->gradient);
  return tracking_damping(solver->def.calm, solver->evaluation.rows.dof_count, solver->linear.E,
                          rest, history->gradient);
}

// Fills step.expected with what a damped least squares step leaves of the error e; returns its
// share of |e|.
static double predict_residual(sinew_solver *solver, double mu) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const int m = rows->row_count;
  const double *e = solver->linear.e;
  double *expected = solver->step.expected;
  const sinew_dls_problem problem = {
      .rows = rows, .e = e, .mu = mu, .form = (sinew_dls_system)solver->def.dls_form};
  if (solver->linear.open) {
    sinew_dls_predict_residual(&problem, &solver->step.dls, expected);
  } else {
    sinew_dls_solve_box(&problem, solver->linear.gradient, solver->linear.lower,
                        solver->linear.upper, &solver->step.dls, solver->linear.x);
    memcpy(expected, e, (size_t)m * sizeof(double));
    sinew_rows_subtract(rows, solver->linear.x, expected);
  }
  const double before = sinew_length(m, e);
  return before > 0.0 ? sinew_min(sinew_length(m, expected) / before, 1.0) : 0.0;
}

// Predict, curvature, step, limit: policy/tracking.h.
void sinew_solver_find_tracking_step(sinew_solver *solver) {
  const double mu = find_damping(solver);
  const double predicted = predict_residual(solver, TRACKING_PREDICTOR_DAMPING_FACTOR * mu);
  sinew_evaluate_curvature(&solver->problem, &solver->state, solver->step.expected,
                           1.0 - solver->def.error_gain, &solver->evaluation);
  const double first = first_order(solver, solver->step.expected);
  find_newton(solver, tracking_step_damping(mu, predicted, first),
              TRACKING_NEGATIVE_CURVATURE_STEP);
  limit_change(solver);
  keep_as_last(solver);
}
