// A step of a method, damped and limited as the table in methods.c says.
//
//   dq = G x                     G the gains, x the step of the update rule
//   w <- R^T w                   for spherical joints in root-frame angular coordinates
//   |dq_j| <= max_turn           by more damping or by scaling
//   l - q <= dq <= u - q         limits and speeds
//
// The steps of the default method's updates are in track.c.
#include "math/vector.h"
#include "math/within.h"
#include "policy/tracking.h"
#include "simd/pair.h"
#include "solve/methods.h"
#include "solve/steps.h"
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
  if (solver->evaluation.in_cones) {
    sinew_cones_to_joints(solver);
  }
}

sinew_step_problem sinew_solver_step_problem(const sinew_solver *solver) {
  const sinew_linearization *linear = &solver->linear;
  return (sinew_step_problem){.rows = &solver->evaluation.rows,
                              .e = linear->e,
                              .gradient = linear->gradient,
                              .lower = linear->open ? NULL : linear->lower,
                              .upper = linear->open ? NULL : linear->upper,
                              .form = (sinew_dls_system)solver->def.step.dls_form};
}

SINEW_SPECIALISED void solve_step(sinew_solver *solver, const sinew_method_row *method,
                                  const sinew_step_problem *problem) {
  solver->step.systems += method->rule.solve(
      problem, (unsigned char *)&solver->step + method->scratch, solver->linear.x);
  if (solver->hard.count > 0) {
    sinew_hard_step(solver, problem, method->second_order);
  }
  if (method->by_law && solver->damping != NULL) {
    sinew_damping_predict(problem, solver->linear.x, solver->damping);
  }
  to_joint_step(solver);
}

void sinew_solver_solve_damped(sinew_solver *solver, const sinew_method_row *method,
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
    problem->again = false;
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
    const double lower = gain * solver->linear.least[column],
                 upper = gain * solver->linear.most[column];
    solver->linear.x[column] =
        sinew_clamp(solver->linear.x[column], sinew_min(lower, 0.0), sinew_max(upper, 0.0));
  }
}

// The step of a search over whole poses. It evaluates other configurations: the evaluation is
// restored.
static void find_pose_step(sinew_solver *solver, const sinew_method_row *row, double factor) {
  row->pose_step(solver);
  shorten(solver, factor);
  sinew_clamp_max_abs(solver->evaluation.rows.dof_count, solver->def.step.max_turn,
                      solver->linear.x);
  keep_in_box(solver);
  sinew_solver_evaluate(solver, solver->at.targets, solver->at.q);
  sinew_evaluate_jacobian(&solver->problem, &solver->state, row->second_order,
                          solver->pose.gradient, &solver->evaluation);
}

// The change of x, for the next step of a method that remembers.
static void remember(sinew_solver *solver) {
  for (int column = 0; column < solver->evaluation.rows.dof_count; ++column) {
    solver->moved[column] = solver->linear.x[column] / solver->problem.gain[column];
  }
  solver->has_moved = true;
}

void sinew_solver_find_step(sinew_solver *solver, sinew_method method, double factor) {
  const sinew_method_row *row = sinew_method_row_of(method);
  if (row->pose_step != NULL) {
    find_pose_step(solver, row, factor);
    return;
  }
  sinew_step_problem problem = sinew_solver_step_problem(solver);
  problem.moved = row->remembers && solver->has_moved ? solver->moved : NULL;
  row->fill(solver, &problem);
  problem.mu = row->by_law && solver->damping != NULL ? sinew_damping_again(problem.mu, factor)
                                                      : problem.mu * factor;
  if (row->limit == SINEW_LIMIT_DAMP) {
    sinew_solver_solve_damped(solver, row, &problem);
  } else {
    solve_step(solver, row, &problem);
    shorten(solver, row->shortened ? factor : 1.0);
    sinew_clamp_max_abs(problem.rows->dof_count, solver->def.step.max_turn, solver->linear.x);
  }
  keep_in_box(solver);
  if (row->remembers) {
    remember(solver);
  }
}

void sinew_solver_finish_step(sinew_solver *solver) {
  to_joint_step(solver);
  sinew_clamp_max_abs(solver->evaluation.rows.dof_count, solver->def.step.max_turn,
                      solver->linear.x);
}

void sinew_solver_find_damped_step(sinew_solver *solver, double mu) {
  sinew_step_problem problem = sinew_solver_step_problem(solver);
  problem.mu = mu;
  solve_step(solver, sinew_method_row_of(SINEW_METHOD_DLS), &problem);
  sinew_clamp_max_abs(problem.rows->dof_count, sinew_min(solver->def.step.max_turn, 1.0),
                      solver->linear.x);
  keep_in_box(solver);
}
