// Solutions of a search that are isolated points: refined to rounding, so that none is kept twice.
//
// Near a singularity a curve of configurations is within the tolerance. Of two on one curve the one
// that is a solution to rounding is kept.
#include "solve/isolated.h"
#include "solve/search.h"

#include <string.h>

// Configurations within the tolerance that are further apart [rad, sizes] are on no curve.
#define CURVE 1.0

static size_t bytes_of(const sinew_search *s) {
  return (size_t)s->solver->model->nq * sizeof(double);
}

static double *known_of(const sinew_search *s, int i) {
  return s->known + (size_t)i * (size_t)s->solver->model->nq;
}

// Adds a new solution's sign of det J to the balance, and its partner to the starts.
static void take_partner(sinew_search *s, const double *q, int sign) {
  const bool room = s->partners < SINEW_PARTNERS;
  double *row =
      room ? s->solver->search.partners + (size_t)s->partners * (size_t)s->solver->model->nq
           : s->solver->q;
  const sinew_partner partner =
      sinew_isolated_partner(s->solver, s->targets, q, s->def->distinct, row);
  s->partners += room && partner == SINEW_PARTNER_DISTINCT;
  s->balance += partner == SINEW_PARTNER_MERGED ? 0 : sign; // the signs of two that count as one
}

// Whether two configurations within the tolerance are on one curve of such configurations.
static bool is_on_curve(sinew_search *s, const double *a, const double *b) {
  const sinew_problem *problem = &s->solver->problem;
  double *middle = s->solver->q;
  if (!sinew_problem_is_same(problem, CURVE, a, b)) {
    return false;
  }
  memcpy(middle, b, bytes_of(s));
  sinew_problem_unwind_near(problem, a, middle);
  sinew_seeds_go_towards(problem, a, 0.5, middle);
  return sinew_isolated_lead_back(s->solver, s->targets, middle) &&
         sinew_problem_is_same(problem, CURVE, a, middle);
}

// The known solution that is on one curve with another one, or -1. Two that are solutions up to
// rounding are different.
static int find_on_curve(sinew_search *s, const double *q, bool exact) {
  for (int i = 0; (!exact || s->inexact > 0) && i < s->found; ++i) {
    if ((!exact || !sinew_isolated_is_exact(s->solver, s->targets, known_of(s, i))) &&
        is_on_curve(s, q, known_of(s, i))) {
      return i;
    }
  }
  return -1;
}

// Keeps a refined solution, in the place of one within the tolerance only if they are the same.
static void keep_isolated(sinew_search *s, double *q, bool exact, int sign) {
  const int same = find_on_curve(s, q, exact);
  if (same >= 0 && !exact) {
    return;
  }
  sinew_problem_unwind_near(&s->solver->problem, s->seed, q);
  if (same >= 0) {
    memcpy(known_of(s, same), q, bytes_of(s));
    --s->inexact;
  } else {
    if (sinew_search_add(s, q)) {
      s->starts_without_new = s->hits_without_new = 0;
    }
    s->inexact += !exact;
  }
  if (exact) { // of others, a pair of both signs has merged
    take_partner(s, q, sign);
  }
}

// Refines q, which is within or near the tolerance, and keeps it if it is a new solution.
void sinew_search_take_refined(sinew_search *s, const double *q) {
  double *near = s->solver->search.spare;
  sinew_square J;
  memcpy(near, q, bytes_of(s));
  const bool exact = sinew_isolated_refine(s->solver, s->targets, near, &J);
  if (!exact) {
    s->solver->functions->evaluate(s->solver, s->targets, near);
    if (!sinew_solver_converged(s->solver)) {
      ++s->refined_in_vain;
      return;
    }
  }
  if (sinew_search_is_known(s, near)) {
    return;
  }
  s->refined_in_vain = 0;
  keep_isolated(s, near, exact, J.sign);
}
