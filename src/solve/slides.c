// Long prismatic joints: one damped least squares step over them alone (slides.h),
//
//   x = J_P^T (J_P J_P^T + mu I)^-1 e,   P the columns of long prismatic joints, mu = 1e-9
#include "solve/slides.h"
#include "math/vector.h"

// A prismatic joint with a range of more than WIDE sizes of the model is moved near the targets if
// they are far from the start (half the squared residual above SLIDE_FROM). Steps are limited to
// about one size, and an attempt would be dropped on the way.
#define WIDE 4.0
#define SLIDE_FROM 0.5

// Whether an active degree of freedom is a long prismatic joint.
static bool slides_far(const sinew_problem *problem, int column) {
  const int v = problem->dof_of_column[column];
  return !problem->model->angular[v] &&
         !(problem->upper[v] - problem->lower[v] <= WIDE * problem->model->size);
}

bool sinew_has_long_prismatic(const sinew_problem *problem) {
  bool far = false;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    far = far || slides_far(problem, column);
  }
  return far;
}

// Positions are linear in prismatic values: with all others constant, one step is enough.
void sinew_prismatic_move_near(sinew_solver *solver, const sinew_target *targets, double *q) {
  const sinew_problem *problem = &solver->problem;
  if (solver->functions->evaluate(solver, targets, q) < SLIDE_FROM) {
    return;
  }
  solver->functions->linearize(solver, q, 0.0, false);
  const sinew_step_problem step = {
      .rows = &solver->evaluation.rows, .e = solver->linear.e, .mu = 1e-9};
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    solver->step.dls.held[column] = slides_far(problem, column) ? 0 : 1;
    solver->linear.x[column] = 0.0;
  }
  sinew_dls_solve(&step, &solver->step.dls, solver->linear.x);
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    if (solver->step.dls.held[column] == 0) {
      const int v = problem->dof_of_column[column], at = problem->model->q_of_v[v];
      q[at] = sinew_clamp(q[at] + solver->linear.x[column] * problem->scale[column],
                          problem->lower[v], problem->upper[v]);
    }
  }
}
