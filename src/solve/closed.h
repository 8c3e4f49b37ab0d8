// Solutions in closed form, where the chain has a family that has them (problem/family.h).
#ifndef SINEW_SOLVE_CLOSED_H
#define SINEW_SOLVE_CLOSED_H

#include "problem/family.h"

struct sinew_search;
struct sinew_solver;

// The family of a solver's problem, once it has been asked for.
typedef struct sinew_closed {
  bool known;
  sinew_family family;
} sinew_closed;

// The family with the values of inactive joints in q.
const sinew_family *sinew_closed_family(struct sinew_solver *solver, const double *q);

// Finds the solutions of a search in closed form: the search's known rows, nearest or best, and its
// completeness. Returns false, with the search as it was, where there is no closed form, or none of
// its solutions is within limits. Where the form is not exact, its solutions become starts; of
// seven joints, solutions.
bool sinew_closed_run(struct sinew_search *s);

// Fills the errors of the task with those of the first known row, if the closed form has them;
// false: it has not, and the row must be evaluated.
bool sinew_closed_report(const struct sinew_search *s);

#endif
