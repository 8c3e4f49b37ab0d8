// See slides.h.
#include "solve/slides.h"
#include "math/vector.h"

// A joint that slides further than so many sizes of the model is not left where a start has it by
// chance, but brought near the targets where they are more than a size of the model away (half the
// squared residual): steps are shorter than that, and a descent would be given up on the way.
#define WIDE 4.0
#define SLIDE_FROM 0.5

// Whether a slot slides further than figures reach.
static bool slides_far(const sinew_problem *problem, int slot) {
  const int v = problem->dof_of_slot[slot];
  return !problem->model->angular[v] &&
         !(problem->upper[v] - problem->lower[v] <= WIDE * problem->model->size);
}

bool sinew_slides_far(const sinew_problem *problem) {
  bool far = false;
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    far = far || slides_far(problem, slot);
  }
  return far;
}

// Positions are linear in what slides: one step, with all that turns held, is all the way.
void sinew_slide_near(sinew_solver *solver, const sinew_target *targets, double *q) {
  const sinew_problem *problem = &solver->problem;
  if (solver->functions->evaluate(solver, targets, q) < SLIDE_FROM) {
    return;
  }
  solver->functions->linearize(solver, q, 0.0, false);
  const sinew_step_problem step = {
      .rows = &solver->evaluation.rows, .e = solver->linear.e, .mu = 1e-9};
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    solver->step.dls.held[slot] = slides_far(problem, slot) ? 0 : 1;
    solver->linear.x[slot] = 0.0;
  }
  sinew_dls_solve(&step, &solver->step.dls, solver->linear.x);
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    if (solver->step.dls.held[slot] == 0) {
      const int v = problem->dof_of_slot[slot], at = problem->model->q_of_v[v];
      q[at] = sinew_clamp(q[at] + solver->linear.x[slot] * problem->scale[slot], problem->lower[v],
                          problem->upper[v]);
    }
  }
}
