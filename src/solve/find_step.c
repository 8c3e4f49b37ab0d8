// A step of a method, damped and limited as the table in methods.c says.
//
//   dq = G x                     G the gains, x the step of the update rule
//   w <- R^T w                   for spherical joints in root-frame angular coordinates
//   |dq_j| <= max_turn           by more damping or by scaling
//   l - q <= dq <= u - q         limits and speeds
//
// The tracking step (sinew_solver_find_tracking_step()) is derived in policy/tracking.h.
#include "math/vector.h"
#include "math/within.h"
#include "policy/tracking.h"
#include "simd/pair.h"
#include "solve/methods.h"
#include "step/clamp.h"

#include <string.h>

// Rotation vectors of spherical joints from root-frame into body-frame angular coordinates
// (problem/problem.h): exp(w) R = R exp(R^T w), R the joint's moved frame.
static void rotate_into_body_frames(const sinew_column_group *groups, int count,
                                    const sinew_frame *frames, double *x) {
  for (const sinew_column_group *group = groups; group < groups + count; ++group) {
    if (group->root_frame) {
      const double(*R)[4] = frames[group->node].column;
      double *w = x + group->column;
      const double a = w[0], b = w[1], c = w[2];
      const double body[3] = {(R[0][0] * a + R[0][1] * b) + R[0][2] * c,
                              (R[1][0] * a + R[1][1] * b) + R[1][2] * c,
                              (R[2][0] * a + R[2][1] * b) + R[2][2] * c};
      memcpy(w, body, sizeof body);
    }
  }
}

// From the x of the update rule to changes of q: gains, then body frames.
static void to_joint_step(sinew_solver *solver) {
  for (int column = 0; !solver->problem.even && column < solver->evaluation.rows.dof_count;
       ++column) {
    solver->linear.x[column] *= solver->problem.gain[column];
  }
  if (solver->problem.has_root_frame_joints) {
    rotate_into_body_frames(solver->problem.groups, solver->problem.group_count,
                            solver->state.frames, solver->linear.x);
  }
}

// The input that all rules have in common; the method adds damping and constants.
static sinew_step_problem problem_of(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  return (sinew_step_problem){.rows = &solver->evaluation.rows,
                              .e = linear->e,
                              .gradient = linear->gradient,
                              .lower = linear->open ? NULL : linear->lower,
                              .upper = linear->open ? NULL : linear->upper,
                              .form = (sinew_dls_system)solver->def.step.dls_form};
}

static void solve_step(sinew_solver *solver, const sinew_method_row *method,
                       const sinew_step_problem *problem) {
  method->rule.solve(problem, (unsigned char *)&solver->step + method->scratch, solver->linear.x);
  to_joint_step(solver);
}

// A step with the problem's damping. While it is longer than max_turn, the damping is increased; if
// that is not enough, the step is scaled.
static void solve_damped(sinew_solver *solver, const sinew_method_row *method,
                         sinew_step_problem *problem) {
  const int n = solver->problem.pattern.dof_count;
  double used = problem->mu;
  problem->mu_used = &used;
  for (int attempt = 0; attempt < 40; ++attempt) {
    solve_step(solver, method, problem);
    if (sinew_all_within(n, solver->linear.x, solver->def.step.max_turn)) {
      return;
    }
    problem->mu = damping_increase(used);
  }
  sinew_clamp_max_abs(n, solver->def.step.max_turn, solver->linear.x);
}

// Methods without damping divide the step by the factor by which others multiply the damping.
static void shorten(sinew_solver *solver, double factor) {
  for (int column = 0; factor != 1.0 && column < solver->evaluation.rows.dof_count; ++column) {
    solver->linear.x[column] /= factor;
  }
}

// Clamps the step to the box of limits and speeds. A joint outside its limits may take any step
// inwards, or none: max_turn may not let it reach its limits in one step.
static void keep_in_box(sinew_solver *solver) {
  for (int column = 0; !solver->linear.open && column < solver->evaluation.rows.dof_count;
       ++column) {
    const double gain = solver->problem.gain[column];
    const double lower = gain * solver->linear.lower[column],
                 upper = gain * solver->linear.upper[column];
    solver->linear.x[column] =
        sinew_clamp(solver->linear.x[column], sinew_min(lower, 0.0), sinew_max(upper, 0.0));
  }
}

void sinew_solver_find_step(sinew_solver *solver, sinew_method method, double factor) {
  const sinew_method_row *row = sinew_method_row_of(method);
  sinew_step_problem problem = problem_of(solver);
  row->fill(solver, &problem);
  problem.mu *= factor;
  if (row->limit == SINEW_LIMIT_DAMP) {
    solve_damped(solver, row, &problem);
  } else {
    solve_step(solver, row, &problem);
    shorten(solver, row->shortened ? factor : 1.0);
    sinew_clamp_max_abs(problem.rows->dof_count, solver->def.step.max_turn, solver->linear.x);
  }
  keep_in_box(solver);
}

void sinew_solver_find_damped_step(sinew_solver *solver, double mu) {
  sinew_step_problem problem = problem_of(solver);
  problem.mu = mu;
  solve_step(solver, sinew_method_row_of(SINEW_METHOD_DLS), &problem);
  sinew_clamp_max_abs(problem.rows->dof_count, sinew_min(solver->def.step.max_turn, 1.0),
                      solver->linear.x);
  keep_in_box(solver);
}

// |x - last|^2. Four partial sums, each of every fourth value, shorten the chain of dependent
// additions.
static double square_of_change(const sinew_solver *solver) {
  const int *dof = solver->problem.dof_of_column, n = solver->evaluation.rows.dof_count;
  const double *x = solver->linear.x, *last = solver->history.step;
  sinew_pair even = {0.0, 0.0}, odd = even;
  double rest = 0.0;
  int column = 0;
  for (; solver->problem.all && column + 4 <= n; column += 4) {
    const sinew_pair a = sinew_pair_load(x + column) - sinew_pair_load(last + column);
    const sinew_pair b = sinew_pair_load(x + column + 2) - sinew_pair_load(last + column + 2);
    even += a * a;
    odd += b * b;
  }
  for (; column < n; ++column) {
    const double change = x[column] - last[dof[column]];
    rest += change * change;
  }
  const sinew_pair both = even + odd;
  return (both[0] + both[1]) + rest;
}

static void keep_as_last(sinew_solver *solver) {
  const int *dof = solver->problem.dof_of_column, n = solver->evaluation.rows.dof_count;
  if (solver->problem.all) {
    memcpy(solver->history.step, solver->linear.x, (size_t)n * sizeof(double));
    return;
  }
  for (int column = 0; column < n; ++column) {
    solver->history.step[dof[column]] = solver->linear.x[column];
  }
}

// Limits the change from the last step to max_change, then clamps to the box.
static void limit_change(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  const double share =
      tracking_change_share(solver->def.tracking.max_change, square_of_change(solver));
  for (int column = 0; share < 1.0 && column < n; ++column) {
    const double last = solver->history.step[problem->dof_of_column[column]];
    const double gain = problem->gain[column];
    solver->linear.x[column] =
        sinew_clamp(tracking_limited(share, solver->linear.x[column], last),
                    gain * solver->linear.lower[column], gain * solver->linear.upper[column]);
  }
}

// The damping for the error, the gradient and the number of updates with targets at rest.
static double find_damping(sinew_solver *solver) {
  sinew_history *history = &solver->history;
  const double rest = history->updates_at_rest,
               gradient = rest > 0.0 ? sinew_solver_free_gradient(solver) : 0.0;
  history->gradient = tracking_gradient(rest, gradient, history->gradient);
  return tracking_damping(solver->def.step.damping_scale, solver->evaluation.rows.dof_count,
                          solver->linear.E, rest, history->gradient);
}

// Fills step.expected with the residual e - J x of a damped least squares step; returns
// |e - J x| / |e|.
static double predict_residual(sinew_solver *solver, double mu) {
  const int m = solver->evaluation.rows.row_count;
  double *expected = solver->step.expected;
  sinew_step_problem problem = problem_of(solver);
  problem.mu = mu;
  if (solver->linear.open) {
    sinew_dls_predict_residual(&problem, &solver->step.dls, expected);
  } else {
    sinew_dls_step(&problem, &solver->step.dls, solver->linear.x);
    memcpy(expected, problem.e, (size_t)m * sizeof(double));
    sinew_rows_subtract(problem.rows, solver->linear.x, expected);
  }
  const double before = sinew_length(m, problem.e);
  return before > 0.0 ? sinew_min(sinew_length(m, expected) / before, 1.0) : 0.0;
}

// Predictor, curvature at its residual, step, limit of the change: policy/tracking.h.
void sinew_solver_find_tracking_step(sinew_solver *solver) {
  sinew_step_problem problem = problem_of(solver);
  const double mu = find_damping(solver);
  const double predicted = predict_residual(solver, TRACKING_PREDICTOR_DAMPING_FACTOR * mu);
  sinew_evaluate_curvature(&solver->problem, &solver->state, solver->step.expected,
                           1.0 - solver->def.tracking.error_gain, &solver->evaluation);
  problem.mu =
      tracking_step_damping(mu, predicted, sinew_solver_first_order(solver, solver->step.expected));
  problem.negative_curvature_step = TRACKING_NEGATIVE_CURVATURE_STEP;
  solve_damped(solver, sinew_method_row_of(SINEW_METHOD_NEWTON), &problem);
  limit_change(solver);
  keep_as_last(solver);
}
