// Isolated solutions: see isolated.h.
//
// Refinement. Newton's step x = J^-1 e converges in one or two steps, but not near a singularity.
// There a curve of configurations is within the tolerance, along the direction v with the smallest
// |J v|. A long step along its tangent leaves the curve by the square of its length, and a few
// damped steps, which hardly move along v, lead back to it. Steps are halved until they reduce E.
//
// Where two solutions have just merged and vanished, a curve is within the tolerance, but no point
// of it is a solution up to rounding: refinement ends anywhere on it. Two such points are one if
// the point halfway leads back to the curve.
//
// Partner. With the smallest singular value sigma of J, J v = sigma u, the residual along v is
//
//   u . e(s) = -(sigma s + h s^2 / 2) + O(s^3),   h = u . f''(v, v)
//
// and is 0 at s = 0 and at s = -2 sigma / h: where h is not small, a second solution.
//
// Balance. Without limits, f maps the n-dimensional torus of joint angles to positions, rotations
// or poses. The sum of the signs of det J over the solutions of a target, the degree of f, is the
// same for all targets. Where targets are out of reach there is no solution, so it is 0; and for
// rotations, since the axes of the joints can be moved until they are all parallel, when no target
// but rotations about one axis has a solution. So a single solution is never all that there is, and
// a set with a sum other than 0 is not complete.
// Source: Milnor, Topology from the differentiable viewpoint, 1965, section 5.
#include "solve/isolated.h"
#include "math/lu.h"
#include "math/vector.h"
#include "problem/features.h"
#include "solve/solver.h"
#include "solve/steps.h"

#include <string.h>

#define MOST SINEW_ISOLATED_MOST

// Half the squared residual at which refinement ends, e of 1e-13 rad or sizes, and the largest of a
// refined solution: rounding near a singularity may leave more.
#define REFINED 5e-27
#define REFINED_ENOUGH 1e-22

// A refinement takes at most this many steps, none of which is shortened to less than a share of
// its length; so many steps with this damping lead back to the curve.
#define REFINE_STEPS 40
#define REFINE_SHORTEST 0.1
#define REFINE_TURN 1.0 // rad: the largest change of a joint in a step
#define BACK_STEPS 3
#define BACK_DAMPING 1e-6

// A singular value below this share is lost in rounding.
#define ROUNDING 1e-13

// With a larger sigma, other starts find the partner. Where it is further away than this [rad],
// the residual along v is no parabola.
#define PARTNER_SIGMA 0.05
#define PARTNER_FURTHEST 1.5
#define PARTNER_DIFFERENCE 1e-3 // rad: step of the second difference

bool sinew_isolated_applies(const sinew_solver *solver) {
  const sinew_rows *rows = &solver->evaluation.rows;
  return rows->row_count == rows->dof_count && rows->dof_count <= MOST;
}

bool sinew_isolated_is_balanced(const sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  bool torus = !problem->has_limits;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    torus &= problem->whole_turn[problem->dof_of_column[column]] != 0;
  }
  return torus && sinew_isolated_applies(solver) &&
         (sinew_problem_features(problem) & (unsigned)SINEW_FEATURES_NOT_WHOLE) == 0;
}

// J at q, which has been evaluated, and its factors.
static void factor(sinew_solver *solver, const double *q, sinew_square *J) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const int n = J->n = rows->dof_count;
  solver->functions->linearize(solver, q, 0.0, false);
  memset(J->A, 0, (size_t)(n * n) * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int k = 0; k < block->path_count; ++k) {
      const double *values = rows->values + block->value_start + k * block->row_count;
      const int column = rows->path[block->path_start + k];
      for (int i = 0; i < block->row_count; ++i) {
        J->A[n * (block->row + i) + column] = values[i];
      }
    }
  }
  J->sign = sinew_lu_factor(n, J->A, J->rows);
  for (int i = 0; i < n; ++i) {
    J->sign = fabs(J->A[(n + 1) * i]) > ROUNDING ? J->sign : 0;
  }
}

// out = q moved by share times x, a step of the columns, within limits. Returns E there.
static double try_step(sinew_solver *solver, const sinew_target *targets, const double *q,
                       const double *x, double share, double *out) {
  const sinew_problem *problem = &solver->problem;
  for (int i = 0; i < problem->pattern.dof_count; ++i) {
    solver->linear.x[i] = share * x[i];
  }
  if (problem->has_root_frame_joints) { // steps are transformed by the axes at q
    solver->state.functions->place_some(&solver->state, q, problem->nodes, problem->node_count);
  }
  sinew_solver_finish_step(solver);
  solver->functions->apply_step(solver, q, out);
  return solver->functions->evaluate(solver, targets, out);
}

// Damped steps from q, whose E is given, until E is small enough; returns E.
static double lead_back(sinew_solver *solver, const sinew_target *targets, double E, double enough,
                        double *q) {
  for (int step = 0; step < BACK_STEPS && !(E < enough); ++step) {
    solver->functions->linearize(solver, q, 0.0, false);
    solver->functions->find_damped_step(solver, BACK_DAMPING);
    solver->functions->apply_step(solver, q, q);
    E = solver->functions->evaluate(solver, targets, q);
  }
  return E;
}

// next = q after a step x that reduces E, shortened as much as that takes. Returns E there.
static double search_line(sinew_solver *solver, const sinew_target *targets, const double *q,
                          const double *x, double E, double *next) {
  const double largest = sinew_largest(solver->problem.pattern.dof_count, x);
  const double longest = sinew_min(1.0, REFINE_TURN / largest);
  double after = INFINITY;
  for (double share = longest; share > REFINE_SHORTEST * longest && !(after < E); share *= 0.5) {
    after = try_step(solver, targets, q, x, share, next);
    after = lead_back(solver, targets, after, 0.25 * E, next);
  }
  return after;
}

bool sinew_isolated_refine(sinew_solver *solver, const sinew_target *targets, double *q,
                           sinew_square *J) {
  double *next = solver->q, x[MOST];
  double E = solver->functions->evaluate(solver, targets, q);
  factor(solver, q, J);
  for (int step = 0; step < REFINE_STEPS && E > REFINED && J->sign != 0; ++step) {
    if (step > 0) {
      factor(solver, q, J);
    }
    sinew_lu_solve(J->n, J->A, J->rows, solver->linear.e, x);
    const double after = search_line(solver, targets, q, x, E, next);
    if (!(after < E)) {
      break;
    }
    memcpy(q, next, (size_t)solver->model->nq * sizeof(double));
    E = after;
  }
  return E <= REFINED_ENOUGH;
}

bool sinew_isolated_lead_back(sinew_solver *solver, const sinew_target *targets, double *q) {
  const double E = solver->functions->evaluate(solver, targets, q);
  lead_back(solver, targets, E, REFINED, q);
  return sinew_solver_converged(solver);
}

bool sinew_isolated_is_exact(sinew_solver *solver, const sinew_target *targets, const double *q) {
  return solver->functions->evaluate(solver, targets, q) <= REFINED_ENOUGH;
}

// u and v by inverse iteration; returns sigma.
static double find_smallest(const sinew_square *J, double *u, double *v) {
  double x[MOST], length = 1.0;
  for (int i = 0; i < J->n; ++i) {
    u[i] = 1.0 / (1.0 + i);
  }
  for (int round = 0; round < 3; ++round) {
    sinew_lu_solve(J->n, J->A, J->rows, u, v);
    length = sinew_length(J->n, v);
    for (int i = 0; i < J->n; ++i) {
      v[i] = x[i] = v[i] / length;
    }
    sinew_lu_solve_transposed(J->n, J->A, J->rows, x, u);
    length = sinew_length(J->n, u);
    for (int i = 0; i < J->n; ++i) {
      u[i] /= length;
    }
  }
  return 1.0 / length;
}

static double along(const sinew_rows *rows, const double *u) {
  double sum = 0.0;
  for (int i = 0; i < rows->row_count; ++i) {
    sum += u[i] * rows->residual[i];
  }
  return sum;
}

sinew_partner sinew_isolated_partner(sinew_solver *solver, const sinew_target *targets,
                                     const double *q, double distinct, double *out) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const double d = PARTNER_DIFFERENCE;
  double u[MOST], v[MOST];
  sinew_square J;
  solver->functions->evaluate(solver, targets, q);
  factor(solver, q, &J);
  if (J.sign == 0) {
    return SINEW_PARTNER_NONE;
  }
  const double sigma = find_smallest(&J, u, v);
  if (!(sigma < PARTNER_SIGMA)) {
    return SINEW_PARTNER_NONE;
  }
  double h = 2.0 * along(rows, u);
  try_step(solver, targets, q, v, d, out);
  h -= along(rows, u);
  try_step(solver, targets, q, v, -d, out);
  h = (h - along(rows, u)) / (d * d);
  const double s = -2.0 * sigma / h;
  if (!(fabs(s) < PARTNER_FURTHEST)) {
    return SINEW_PARTNER_NONE;
  }
  try_step(solver, targets, q, v, s, out);
  return sinew_problem_is_same(&solver->problem, distinct, q, out) ? SINEW_PARTNER_MERGED
                                                                   : SINEW_PARTNER_DISTINCT;
}
