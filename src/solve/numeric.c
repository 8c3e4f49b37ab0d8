// Steps from evaluations beside the present configuration: Halley's third-order step, and Newton's
// with finite differences. And what all pose steps share.
//
// Halley, with the step x_N of damped least squares by J:
//
//   B = J + dJ / 2,   dJ = the change of J along x_N
//   x: damped least squares by B in place of J
//
// Convergence is cubic in place of quadratic. dJ is a central difference over a share h of x_N,
// which holds for every kind of task and joint; the source has the kinematic Hessian.
//
// Newton by finite differences:
//
//   vector  J_j = (e(q) - e(q + h_j)) / h_j,  x: damped least squares by that J
//   scalar  f = |e|:  x = - f grad f / |grad f|^2, the root of the linearised f of least length
//
// Sources: Lloyd, Irani and Ahmadi, Fast and robust inverse kinematics of serial robots using
// Halley's method, 2022; lecture notes of the University of British Columbia (finite differences).
#include "math/vector.h"
#include "problem/evaluation.h"
#include "solve/methods.h"
#include "solve/pose_steps.h"
#include "solve/steps.h"
#include "step/clamp.h"

#include <string.h>

// The share of x_N, and the step [rad, sizes], of differences. The cube root and the square root of
// the rounding error, about.
#define CENTRAL_SHARE 1e-4
#define FORWARD_STEP 1e-7

void sinew_pose_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                       sinew_pose_scratch *scratch) {
  const size_t nv = (size_t)model->nv, rows = 6 * (size_t)capacity;
  scratch->q = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  scratch->moved = sinew_arena_take(arena, nv, sizeof(double));
  scratch->values = sinew_arena_take(arena, rows * nv, sizeof(double));
  scratch->residual = sinew_arena_take(arena, rows, sizeof(double));
  scratch->gradient = sinew_arena_take(arena, nv, sizeof(double));
  scratch->targets = sinew_arena_take(arena, (size_t)capacity, sizeof *scratch->targets);
  scratch->centres = sinew_arena_take(arena, nv, sizeof *scratch->centres);
  scratch->centre_of_node = sinew_arena_take(arena, (size_t)model->node_count, sizeof(int));
}

// ------------------------------------------------------------- what is shared

const sinew_target *sinew_pose_targets(const sinew_solver *solver) {
  const double dt = solver->feeds_forward ? solver->def.tracking.time_step : 0.0;
  sinew_target *moved = solver->pose.targets;
  if (!(dt > 0.0)) {
    return solver->at.targets;
  }
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_target *from = &solver->at.targets[t];
    const double w[3] = {from->twist[3] * dt, from->twist[4] * dt, from->twist[5] * dt};
    double turn[4];
    moved[t] = *from;
    for (int i = 0; i < 3; ++i) {
      moved[t].position[i] += from->twist[i] * dt;
    }
    sinew_quaternion_exp(w, turn);
    sinew_quaternion_multiply(turn, from->rotation, moved[t].rotation);
    sinew_quaternion_rotate(turn, from->direction, moved[t].direction);
  }
  return moved;
}

void sinew_pose_take(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const double gain = solver->feeds_forward ? solver->def.tracking.error_gain : 1.0;
  double *v = solver->pose.moved;
  sinew_configuration_difference(solver->model, solver->at.q, solver->pose.q, v);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    solver->linear.x[column] = gain * v[problem->dof_of_column[column]] / problem->unit[column];
  }
}

// pose.q <- solver->at.q moved by s times linear.x, which is in rad or sizes, and its evaluation.
static void evaluate_beside(sinew_solver *solver, double s) {
  const int n = solver->problem.pattern.dof_count;
  for (int j = 0; j < n; ++j) {
    solver->linear.x[j] *= s;
  }
  solver->functions->apply_step(solver, solver->at.q, solver->pose.q);
  solver->functions->evaluate(solver, solver->at.targets, solver->pose.q);
}

// ---------------------------------------------------------------------- Halley

// x by damped least squares with a Jacobian, in the rule's coordinates.
static void solve_with(sinew_solver *solver, double *values, double *x) {
  sinew_rows rows = solver->evaluation.rows;
  sinew_step_problem problem = sinew_solver_step_problem(solver);
  sinew_method_row_of(solver->def.step.method)->fill(solver, &problem);
  rows.values = values;
  problem.rows = &rows;
  sinew_rows_gradient(&rows, problem.e, solver->pose.gradient);
  problem.gradient = solver->pose.gradient;
  solver->step.systems += sinew_dls_step(&problem, &solver->step.dls, x);
}

// linear.x <- gain * x * scale, no entry above max_turn.
static void to_changes(sinew_solver *solver) {
  for (int j = 0; j < solver->problem.pattern.dof_count; ++j) {
    solver->linear.x[j] *= solver->problem.gain[j];
  }
}

static void add_values(sinew_solver *solver, double factor) {
  const sinew_rows *rows = &solver->evaluation.rows;
  sinew_evaluate_jacobian(&solver->problem, &solver->state, false, solver->pose.gradient,
                          &solver->evaluation);
  for (int i = 0; i < rows->value_count; ++i) {
    solver->pose.values[i] += factor * rows->values[i];
  }
}

void sinew_halley_step(sinew_solver *solver) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const int n = solver->problem.pattern.dof_count;
  const double h = CENTRAL_SHARE;
  double *first = solver->pose.moved;
  solve_with(solver, rows->values, solver->linear.x);
  to_changes(solver);
  sinew_clamp_max_abs(n, solver->def.step.max_turn, solver->linear.x);
  memcpy(first, solver->linear.x, (size_t)n * sizeof(double));
  memcpy(solver->pose.values, rows->values, (size_t)rows->value_count * sizeof(double));
  evaluate_beside(solver, h);
  add_values(solver, 0.25 / h);
  memcpy(solver->linear.x, first, (size_t)n * sizeof(double));
  evaluate_beside(solver, -h);
  add_values(solver, -0.25 / h);
  solve_with(solver, solver->pose.values, solver->linear.x);
  to_changes(solver);
}

// ------------------------------------------------------------------ differences

// The step of a difference along a column: inwards where a limit is near.
static double step_of(const sinew_solver *solver, int column) {
  const bool near = !solver->linear.open && solver->linear.upper[column] < FORWARD_STEP;
  return near ? -FORWARD_STEP : FORWARD_STEP;
}

// Evaluates the configuration with one column moved.
static void evaluate_column(sinew_solver *solver, int column, double h) {
  memset(solver->linear.x, 0, (size_t)solver->problem.pattern.dof_count * sizeof(double));
  solver->linear.x[column] = h;
  evaluate_beside(solver, 1.0);
}

// Column j of J into values, from the residual before.
static void fill_column(const sinew_solver *solver, int column, double h, double *values) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const double gain = solver->problem.gain[column];
  for (int i = rows->incidence_start[column]; i < rows->incidence_start[column + 1]; ++i) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[i].block];
    double *out = values + block->value_start + rows->incidences[i].k * block->row_count;
    for (int r = 0; r < block->row_count; ++r) {
      const int row = block->row + r;
      out[r] = gain * (solver->pose.residual[row] - rows->residual[row]) / h;
    }
  }
}

// Evaluates at the start, and keeps the residual.
static void keep_residual(sinew_solver *solver) {
  const sinew_rows *rows = &solver->evaluation.rows;
  solver->functions->evaluate(solver, solver->at.targets, solver->at.q);
  memcpy(solver->pose.residual, rows->residual, (size_t)rows->row_count * sizeof(double));
}

void sinew_numeric_step(sinew_solver *solver) {
  const int n = solver->problem.pattern.dof_count;
  keep_residual(solver);
  for (int j = 0; j < n; ++j) {
    const double h = step_of(solver, j);
    evaluate_column(solver, j, h);
    fill_column(solver, j, h, solver->pose.values);
  }
  solve_with(solver, solver->pose.values, solver->linear.x);
  to_changes(solver);
}

void sinew_numeric_scalar_step(sinew_solver *solver) {
  const int n = solver->problem.pattern.dof_count;
  double *slope = solver->pose.gradient, square = 0.0;
  keep_residual(solver);
  const double f = sqrt(2.0 * solver->evaluation.E);
  const double gain = solver->feeds_forward ? solver->def.tracking.error_gain : 1.0;
  for (int j = 0; j < n; ++j) {
    const double h = step_of(solver, j), scale = solver->problem.gain[j];
    evaluate_column(solver, j, h);
    slope[j] = scale * (sqrt(2.0 * solver->evaluation.E) - f) / h;
    const bool blocked =
        !solver->linear.open && ((slope[j] < 0.0 && solver->linear.upper[j] <= 0.0) ||
                                 (slope[j] > 0.0 && solver->linear.lower[j] >= 0.0));
    slope[j] = blocked ? 0.0 : slope[j];
    square += slope[j] * slope[j];
  }
  for (int j = 0; j < n; ++j) {
    solver->linear.x[j] =
        square > 0.0 ? -gain * f * slope[j] / square * solver->problem.gain[j] : 0.0;
  }
}
