// Projected Levenberg-Marquardt.
//
//   F = {j: not (g_j > 0 and u_j <= 0, or g_j < 0 and l_j >= 0)}
//   (J_F^T J_F + mu I) x_F = J_F^T e,   x <- clip(x, l, u)
//
// Clipping is cheaper than the active set of the other methods, and the clipped step is not the
// minimum within the box: the damping makes up for it, by the gain of each step over that which the
// linear model predicts for the clipped one (policy/laws.h).
// Source: Kanzow, Yamashita and Fukushima, Levenberg-Marquardt methods with strong local
// convergence properties for solving nonlinear equations with convex constraints, 2004.
#include "step/projected.h"
#include "math/vector.h"

int sinew_projected_step(const sinew_step_problem *problem, void *memory, double *x) {
  sinew_dls_scratch *scratch = memory;
  const double *g = problem->gradient;
  const int n = problem->rows->dof_count;
  const bool bounded = sinew_step_is_bounded(problem);
  for (int j = 0; j < n; ++j) {
    const bool at_upper = bounded && g[j] > 0.0 && problem->upper[j] <= 0.0;
    const bool at_lower = bounded && g[j] < 0.0 && problem->lower[j] >= 0.0;
    scratch->held[j] = (signed char)(at_upper - at_lower);
    x[j] = 0.0;
  }
  sinew_dls_solve(problem, scratch, x);
  for (int j = 0; bounded && j < n; ++j) { // a joint outside its limits moves in
    x[j] = sinew_clamp(x[j], problem->lower[j], problem->upper[j]);
  }
  if (problem->mu_used != NULL) {
    *problem->mu_used = scratch->mu;
  }
  return 1;
}
