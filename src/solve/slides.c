// Long prismatic joints: damped least squares steps over them alone (slides.h),
//
//   x = J_P^T (J_P J_P^T + mu I)^-1 e,   P the columns of long prismatic joints, mu = SLIDE_DAMPING
//
// Positions are linear in prismatic values: with all others constant one step is enough, unless a
// joint comes to its limit on the way. The others then take another step without it.
#include "solve/slides.h"
#include "math/vector.h"
#include "policy/rules.h"

// Chooses the columns that move: held <- 0, of others 1. A joint at a limit that the gradient
// points beyond does not, nor, with a time step, one with a limit of speed or acceleration: the
// steps after it use all of that.
static void choose_columns(sinew_solver *solver, double time, bool first, const double *q) {
  const sinew_problem *problem = &solver->problem;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    const double at = q[problem->model->q_of_v[v]], g = solver->linear.gradient[column];
    const bool slow = time > 0.0 && (solver->motion.speed[v] < INFINITY ||
                                     solver->motion.acceleration[v] < INFINITY);
    const bool blocked =
        slow ||
        (!first && ((at <= problem->lower[v] && g < 0.0) || (at >= problem->upper[v] && g > 0.0)));
    solver->step.dls.held[column] = sinew_problem_slides_far(problem, column) && !blocked ? 0 : 1;
    solver->linear.x[column] = 0.0;
  }
}

// Moves q by x, within limits. Returns whether a limit was in the way, or the step was so long that
// its rounding and damping left an error.
static bool move(const sinew_solver *solver, double *q) {
  const sinew_problem *problem = &solver->problem;
  bool again = false;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    if (solver->step.dls.held[column] == 0) {
      const int v = problem->dof_of_column[column], at = problem->model->q_of_v[v];
      const double wanted = q[at] + solver->linear.x[column] * problem->scale[column];
      const double moved = sinew_clamp(wanted, problem->lower[v], problem->upper[v]);
      again |= moved != wanted || fabs(solver->linear.x[column]) > SLIDE_LONG;
      q[at] = moved;
    }
  }
  return again;
}

bool sinew_slides_are_far(const sinew_solver *solver, double sizes) {
  bool far = false;
  for (int t = 0; t < solver->problem.count; ++t) {
    far |= solver->evaluation.tasks[t].position_error > sizes * solver->problem.size;
  }
  return far;
}

void sinew_slides_bring_near(sinew_solver *solver, const sinew_target *targets, double time,
                             double *q) {
  const sinew_step_problem step = {
      .rows = &solver->evaluation.rows, .e = solver->linear.e, .mu = SLIDE_DAMPING};
  bool again = solver->functions->evaluate(solver, targets, q) >= SLIDE_START;
  for (int pass = 0; again && pass < SLIDE_STEPS; ++pass) {
    solver->functions->linearize(solver, q, 0.0, false);
    choose_columns(solver, time, pass == 0, q);
    sinew_dls_solve(&step, &solver->step.dls, solver->linear.x);
    again = move(solver, q) && !(time > 0.0);
    if (again) {
      solver->functions->evaluate(solver, targets, q);
      again = sinew_slides_are_far(solver, SLIDE_FAR);
    }
  }
}

void sinew_slides_bring_start_near(sinew_solver *solver, const sinew_target *targets, bool only_far,
                                   double *q) {
  if (only_far) {
    solver->functions->evaluate(solver, targets, q);
  }
  if (!only_far || sinew_slides_are_far(solver, SLIDE_FAR)) {
    sinew_slides_bring_near(solver, targets, 0.0, q);
  }
}
