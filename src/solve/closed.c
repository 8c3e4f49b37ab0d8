// See closed.h.
#include "solve/closed.h"
#include "math/vector.h"
#include "solve/search.h"

#include <string.h>

// A closed form has this error at most, by forward kinematics; others are refined by so many steps.
#define EXACT 1e-13
#define ACCEPTED 1e-10
#define REFINE_STEPS 3

static const sinew_family *family_of(sinew_solver *solver, const double *q) {
  sinew_closed *closed = &solver->closed;
  if (!closed->known || !sinew_family_holds(&closed->family, q)) {
    sinew_family_find(&solver->problem, q, &closed->family);
    closed->known = true;
  }
  return &closed->family;
}

const char *sinew_solver_family(sinew_solver *solver, const double *q) {
  SINEW_ASSERT(solver != NULL && q != NULL);
  const sinew_family *family = family_of(solver, q);
  return sinew_family_is_exact(family) ? sinew_family_string(family) : NULL;
}

static size_t bytes_of(const sinew_search *s) {
  return (size_t)s->solver->model->nq * sizeof(double);
}

// q = the caller's configuration with the angles of a solution, each by whole turns as near to the
// caller's as limits allow. Returns whether all are within limits; near: whether the others are
// hardly outside.
static bool place(const sinew_search *s, const sinew_family *family, const sinew_angle *a,
                  double *q) {
  const sinew_problem *problem = &s->solver->problem;
  bool within = true;
  memcpy(q, s->solver->search.seed, bytes_of(s));
  for (int i = 0; i < family->arm.count; ++i) {
    const int at = family->at[i];
    const int v = problem->dof_of_column[i];
    const double seed = s->solver->search.seed[at];
    double x = sinew_angle_value(a[i]);
    if (fabs(seed - x) > SINEW_PI) {
      x += 2.0 * SINEW_PI * floor((seed - x) * (0.5 / SINEW_PI) + 0.5);
    }
    if (!(x >= problem->lower[v] && x <= problem->upper[v])) {
      double least, most;
      sinew_whole_turns_within(x, problem->lower[v], problem->upper[v], &least, &most);
      within &= least <= most;
      x += least <= most ? 2.0 * SINEW_PI * sinew_clamp(0.0, least, most) : 0.0;
    }
    q[at] = x;
  }
  return within;
}

// Whether a solution is one to the solver's tolerance and limits. q is changed where it is hardly
// outside.
static bool accept(sinew_search *s, const sinew_family *family, const sinew_arm_solution *found,
                   double *q) {
  const bool within = place(s, family, found->a, q);
  if (found->error <= ACCEPTED) {
    return within || sinew_search_bring_within(s, q);
  }
  if (!within) {
    return false;
  }
  s->solver->functions->evaluate(s->solver, s->targets, q);
  return sinew_solver_converged(s->solver);
}

// Keeps the accepted solutions of a closed form in s->known.
static void collect(sinew_search *s, const sinew_family *family, const double *R,
                    sinew_arm_solution *found, int count) {
  const double *p = s->targets[0].position;
  double *q = s->solver->search.spare;
  for (int i = 0; i < count; ++i) {
    if (found[i].error > EXACT) {
      found[i].error =
          sinew_arm_refine(&family->plan.own, family->plan.size, R, p, REFINE_STEPS, found[i].a);
    }
    if (accept(s, family, &found[i], q) && !sinew_search_is_known(s, q)) {
      s->continuum += found[i].any && s->found < s->room;
      sinew_search_keep(s, q);
    }
  }
}

// Makes the solutions of a form that is not exact starts of the search.
static void make_starts(sinew_search *s, const sinew_family *family, const double *R,
                        sinew_arm_solution *found, int count) {
  const double *p = s->targets[0].position;
  const size_t nq = (size_t)s->solver->model->nq;
  for (int i = count - 1; i >= 0 && s->closed_starts < SINEW_ARM_SOLUTIONS; --i) {
    double *q = s->solver->search.nearest + (size_t)s->closed_starts * nq;
    sinew_arm_refine(&family->plan.own, family->plan.size, R, p, REFINE_STEPS, found[i].a);
    s->closed_starts += place(s, family, found[i].a, q) || s->open;
  }
}

// The one solution that is wanted of those known.
static void choose(sinew_search *s) {
  const size_t nq = (size_t)s->solver->model->nq;
  double least = INFINITY;
  int best = 0;
  for (int i = 0; i < s->found; ++i) {
    const double cost = sinew_search_cost(s, s->known + (size_t)i * nq);
    best = cost < least ? i : best;
    least = sinew_min(cost, least);
  }
  memcpy(s->solver->search.answer, s->known + (size_t)best * nq, bytes_of(s));
  s->answered = true;
  s->least = least;
}

static bool run_six(sinew_search *s, const sinew_family *family) {
  sinew_arm_solution found[SINEW_ARM_SOLUTIONS];
  double R[9], seed[SINEW_ARM_MOST];
  sinew_family_rotation(family, &s->targets[0], R);
  for (int i = 0; i < family->arm.count; ++i) {
    seed[i] = s->seed[family->at[i]];
  }
  const int count = sinew_arm_solve(&family->plan, R, s->targets[0].position, seed, found);
  if (!sinew_family_is_exact(family)) {
    make_starts(s, family, R, found, count);
    return false;
  }
  collect(s, family, R, found, count);
  s->completeness = SINEW_SOLUTIONS_COMPLETE;
  return s->found > 0;
}

bool sinew_closed_run(sinew_search *s) {
  const sinew_problem *problem = &s->solver->problem;
  if (s->local || problem->count != 1 || problem->pattern.dof_count != 6) {
    return false;
  }
  const sinew_family *family = family_of(s->solver, s->seed);
  if (family->kind != SINEW_FAMILY_SIX || !run_six(s, family)) {
    return false;
  }
  if (!s->all) {
    choose(s);
  }
  return true;
}
