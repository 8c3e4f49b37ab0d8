// See closed.h.
#include "solve/closed.h"
#include "math/vector.h"
#include "solve/search.h"

#include <string.h>

// A closed form has this error at most, by forward kinematics; others are refined by so many steps.
#define EXACT 1e-13
#define ACCEPTED 1e-10
#define REFINE_STEPS 3

// Values of the redundant coordinate of seven joints.
#define SINEW_SWEEP 64

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
  sinew_solver *searching = solver->levels->used ? sinew_levels_search_solver(solver) : solver;
  const sinew_family *family = family_of(searching, q);
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

// Sorts the known rows by distance, which is computed once for each: a heapsort of the rows
// themselves (Williams 1964).
static void swap_rows(double *a, double *b, int nq) {
  for (int i = 0; i < nq; ++i) {
    const double kept = a[i];
    a[i] = b[i];
    b[i] = kept;
  }
}

static void sift(sinew_search *s, double *keys, int at, int count) {
  const int nq = s->solver->model->nq;
  for (int child; (child = 2 * at + 1) < count; at = child) {
    child += child + 1 < count && keys[child + 1] > keys[child];
    if (!(keys[child] > keys[at])) {
      return;
    }
    swap_rows(&keys[at], &keys[child], 1);
    swap_rows(s->known + (size_t)at * (size_t)nq, s->known + (size_t)child * (size_t)nq, nq);
  }
}

static void sort_known(sinew_search *s) {
  const int nq = s->solver->model->nq, count = s->found;
  double keys[SINEW_SWEEP * SINEW_ARM_SOLUTIONS];
  for (int i = 0; i < count; ++i) {
    keys[i] = sinew_problem_distance(&s->solver->problem, s->def->distances, s->seed,
                                     s->known + (size_t)i * (size_t)nq);
  }
  for (int i = count / 2 - 1; i >= 0; --i) {
    sift(s, keys, i, count);
  }
  for (int end = count - 1; end > 0; --end) {
    swap_rows(&keys[0], &keys[end], 1);
    swap_rows(s->known, s->known + (size_t)end * (size_t)nq, nq);
    sift(s, keys, 0, end);
  }
  s->sorted = true;
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
  if (s->all) {
    sort_known(s);
  }
  s->completeness = SINEW_SOLUTIONS_COMPLETE;
  return s->found > 0;
}

// ------------------------------------------------------------ seven joints

// Keeps the accepted solutions at one value of the redundant coordinate. R, p: of the six joints.
static void collect_at(sinew_search *s, const sinew_family *family, const sinew_arm_plan *plan,
                       const double *R, const double *p, sinew_angle given,
                       sinew_arm_solution *found, int count) {
  const int first = s->found, k = family->given;
  const size_t nq = (size_t)s->solver->model->nq;
  double *q = s->solver->search.spare;
  for (int i = 0; i < count; ++i) {
    sinew_arm_solution *one = &found[i];
    if (k >= 0) {
      if (one->error > EXACT) {
        one->error = sinew_arm_refine(&plan->own, plan->size, R, p, REFINE_STEPS, one->a);
      }
      memmove(one->a + k + 1, one->a + k, (size_t)(6 - k) * sizeof *one->a);
      one->a[k] = given;
    }
    bool known = false;
    if (one->error <= ACCEPTED && place(s, family, one->a, q)) {
      for (int j = first; j < s->found && !known; ++j) {
        known = sinew_problem_is_same(&s->solver->problem, s->def->distinct,
                                      s->known + (size_t)j * nq, q);
      }
      if (!known) {
        sinew_search_keep(s, q);
      }
    }
  }
}

// The range of the given joint: its limits, or a whole turn around the seed's value.
static void range_of(const sinew_search *s, const sinew_family *family, double *lower,
                     double *upper) {
  const sinew_problem *problem = &s->solver->problem;
  const int v = problem->dof_of_column[family->given];
  const double seed = s->solver->search.seed[family->at[family->given]];
  *lower = sinew_max(problem->lower[v], seed - SINEW_PI);
  *upper = sinew_min(problem->upper[v], seed + SINEW_PI);
  if (problem->upper[v] - problem->lower[v] <= 2.0 * SINEW_PI) {
    *lower = problem->lower[v];
    *upper = problem->upper[v];
  }
}

static void solve_at(sinew_search *s, const sinew_family *family, const double *R, double value,
                     const double *seed) {
  const double *p = s->targets[0].position;
  const sinew_angle angle = sinew_angle_of(value);
  sinew_arm_solution found[SINEW_ARM_SOLUTIONS];
  sinew_arm_plan scratch;
  double R_six[9], p_six[3], six[SINEW_ARM_MOST];
  if (family->kind == SINEW_FAMILY_SRS) {
    const int count = sinew_arm_solve_srs(&family->plan, R, p, value, seed, found);
    collect_at(s, family, &family->plan, R, p, angle, found, count);
    return;
  }
  const int k = family->given;
  memcpy(six, seed, (size_t)k * sizeof *six);
  memcpy(six + k, seed + k + 1, (size_t)(6 - k) * sizeof *six);
  const sinew_arm_plan *plan = sinew_family_plan_at(family, angle, R, p, R_six, p_six, &scratch);
  const int count = sinew_arm_solve(plan, R_six, p_six, six, found);
  collect_at(s, family, plan, R_six, p_six, angle, found, count);
}

// All solutions at the values of a grid.
static bool run_seven(sinew_search *s, const sinew_family *family) {
  double R[9], seed[SINEW_ARM_MOST], lower = -SINEW_PI, upper = SINEW_PI;
  const double *swivel = family->kind == SINEW_FAMILY_SRS ? s->def->swivel : NULL;
  sinew_family_rotation(family, &s->targets[0], R);
  for (int i = 0; i < family->arm.count; ++i) {
    seed[i] = s->seed[family->at[i]];
  }
  if (family->kind == SINEW_FAMILY_SEVEN) {
    range_of(s, family, &lower, &upper);
  }
  if (swivel != NULL) {
    solve_at(s, family, R, *swivel, seed);
  }
  for (int i = 0; i < SINEW_SWEEP && swivel == NULL; ++i) {
    solve_at(s, family, R, lower + (i + 0.5) * (upper - lower) / SINEW_SWEEP, seed);
  }
  sort_known(s);
  s->completeness = swivel != NULL ? SINEW_SOLUTIONS_COMPLETE : SINEW_SOLUTIONS_GRID;
  return s->found > 0;
}

bool sinew_closed_run(sinew_search *s) {
  const sinew_problem *problem = &s->solver->problem;
  const int count = problem->pattern.dof_count;
  // What the caller rejects, or what lower levels move, is the search's.
  if (s->local || s->each || (!s->all && s->def->accept != NULL) || problem->count != 1 ||
      !(count == 6 || (count == 7 && s->all))) {
    return false;
  }
  const sinew_family *family = family_of(s->solver, s->seed);
  if (count == 7) {
    return sinew_family_is_exact(family) && run_seven(s, family);
  }
  if (family->kind != SINEW_FAMILY_SIX || !run_six(s, family)) {
    return false;
  }
  if (!s->all) {
    choose(s);
  }
  return true;
}
