// Solve to tolerance.
//
// A descent (descent.c) that gains little is dropped soon, and another begun from
// elsewhere: the same places in every run.
#include "math/vector.h"
#include "solve/descent.h"

#include <string.h>

// Other starts: their random numbers, and the share of the error at which another start is
// better than the seed's and not merely elsewhere.
#define RESTART_SEED 7
#define CLEARLY 0.98

// Another place to start from: random values for all that may move. A ball that may
// turn about some of its axes only stays where it is.
static void restart(sinew_solver *solver, int attempt, double *q) {
  const sinew_problem *problem = &solver->problem;
  const uint64_t stream = sinew_random_bits(RESTART_SEED, (uint64_t)attempt);
  sinew_configuration_random(solver->model, RESTART_SEED, (uint64_t)attempt, solver->q);
  for (int slot = 0; slot < problem->pattern.dof_count; ++slot) {
    const int v = problem->dof_of_slot[slot], at = solver->model->q_of_v[v];
    if (solver->model->ball_axis[v] < 0) {
      const double lower = solver->problem.lower[v], upper = solver->problem.upper[v];
      const bool bounded = sinew_is_usable(lower) && sinew_is_usable(upper);
      const double u = sinew_random_uniform(stream, (uint64_t)v);
      q[at] = sinew_clamp(bounded ? lower + u * (upper - lower) : solver->q[at], lower, upper);
    } else if (sinew_problem_is_whole_ball(problem, slot)) {
      memcpy(q + at, solver->q + at, 4 * sizeof(double));
    }
  }
}

// Damped least squares is the quickest towards what can be reached; Newton's step
// comes to rest where nothing can.
static sinew_method first_method(const sinew_solver *solver) {
  const sinew_method method = solver->def.method;
  return method == SINEW_METHOD_DEFAULT ? SINEW_METHOD_DLS : method;
}

// Descents from the seed, then from elsewhere, each dropped as soon as it gains
// little; q is then the best of them. A descent from elsewhere replaces the seed's
// only if it is clearly better.
static void attempt_all(sinew_solver *solver, int most, sinew_descent *d) {
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  const int enough = solver->def.max_steps - solver->def.max_steps / 4;
  const sinew_patience brief = {.little = 0.02, .steps = 4};
  double least = INFINITY;
  for (int attempt = 0; attempt < most && !d->converged; ++attempt) {
    if (attempt > 0) {
      if (d->steps >= enough || d->late) {
        break;
      }
      restart(solver, attempt, d->q);
    }
    sinew_descend(solver, first_method(solver), brief, d);
    if (d->converged || d->E < CLEARLY * least) {
      least = d->E;
      memcpy(solver->best, d->q, bytes);
    }
    if (attempt == 0 && !d->converged && sinew_descent_is_excluded(solver, d)) {
      most = most < SINEW_ATTEMPTS_OUT_OF_REACH ? most : SINEW_ATTEMPTS_OUT_OF_REACH;
    }
  }
  memcpy(d->q, solver->best, bytes);
}

sinew_result sinew_solver_solve(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report) {
  const sinew_result result = sinew_solver_check(solver, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_descent d = {.targets = targets,
                     .q = q,
                     .most_steps = solver->def.max_steps,
                     .deadline = sinew_solver_deadline(solver)};
  sinew_solver_bring_inside(solver, q);
  attempt_all(solver, solver->def.max_attempts, &d);
  sinew_outcome outcome = SINEW_OUTCOME_CONVERGED;
  int limiting_joint = -1;
  if (!d.converged) {
    sinew_descend_to_rest(solver, &d);
  }
  if (!d.converged) {
    outcome = sinew_descent_explain(solver, &d, &limiting_joint);
  }
  sinew_solver_report(solver, outcome, d.steps, limiting_joint, report);
  return SINEW_OK;
}
