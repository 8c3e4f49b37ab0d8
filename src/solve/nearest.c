// The nearest configuration: attempts from more starts, and descents from the best of them.
//
// Beyond reach every descent ends in some local minimum of E. From a random start it is the best
// one with a probability of .1 to 1, by the target, so that several descents are needed. An attempt
// costs a fourth of a descent and tells which starts are worth one: the 14 with the smallest E
// of 20 attempts miss the best of 1,000 random starts as rarely as 20 descents do. Where the same
// minimum was found often enough there is most likely no better one.
#include "solve/nearest.h"
#include "math/vector.h"
#include "solve/attempt.h"
#include "solve/slides.h"

#include <string.h>

// Descents from the best of the starts.
#define DESCENTS 14

// The search ends when this many descents have come within SAME of the smallest E.
#define ENOUGH 8
#define SAME 1.01

// A limit on the steps of all descents: this number over the degrees of freedom. An arm's take 180
// on average.
#define WORK 16000

// Beyond this error, in sizes of the model, the place of an arm's end effector changes the error by
// less than 1 %.
#define FAR 200.0

// The limit on the steps of an attempt that stays near its goal without meeting it.
#define ATTEMPT_STEPS 40

// The attempts that have ended, by rising E.
typedef struct candidates {
  int count;
  double E[SINEW_NEAREST_STARTS];
  double *q[SINEW_NEAREST_STARTS];
} candidates;

static void insert(candidates *all, double E, double *q) {
  int i = all->count++;
  for (; i > 0 && !(all->E[i - 1] <= E); --i) {
    all->E[i] = all->E[i - 1];
    all->q[i] = all->q[i - 1];
  }
  all->E[i] = E;
  all->q[i] = q;
}

// Whether an attempt from a->q meets the targets.
static bool attempt(sinew_solver *solver, sinew_descent *d, sinew_attempt *a) {
  bool converged;
  sinew_attempt_begin(solver, d->targets, a);
  while (!(converged = sinew_solver_converged(solver)) && a->steps < ATTEMPT_STEPS &&
         !sinew_attempt_is_dropped(solver, a) && !d->late) {
    sinew_attempt_step(solver, d->targets, a);
    d->late = sinew_solver_is_late(solver, d->deadline);
  }
  d->steps += a->steps;
  return converged;
}

// Runs the attempts. If one meets the targets, it becomes the result.
static void collect(sinew_solver *solver, sinew_seeds *seeds, int starts, sinew_descent *d,
                    candidates *all) {
  const size_t nq = (size_t)solver->model->nq;
  const bool at_target = solver->evaluation.at_target;
  solver->evaluation.at_target = false;
  for (int i = 0; i < starts && !d->converged && !d->late; ++i) {
    sinew_attempt a = {.q = solver->search.nearest + (size_t)i * nq};
    sinew_seeds_next(seeds, SINEW_SEED_NUMBER_OTHER, a.q);
    if (solver->problem.has_long_slides) {
      sinew_slides_bring_start_near(solver, d->targets, false, a.q);
    }
    d->converged = attempt(solver, d, &a);
    if (d->converged) {
      memcpy(d->q, a.q, nq * sizeof(double));
      d->E = a.E;
    }
    insert(all, isnan(a.E) ? INFINITY : a.E, a.q);
  }
  solver->evaluation.at_target = at_target;
}

// Descends from a candidate. A smaller E replaces the best one; same counts the descents that ended
// at the smallest.
static void descend(sinew_solver *solver, double *q, int *left, int *same, sinew_descent *d) {
  sinew_descent one = *d;
  one.q = q;
  one.steps = 0;
  one.most_steps = *left < SINEW_LAST_DESCENT_STEPS ? *left : SINEW_LAST_DESCENT_STEPS;
  sinew_descend_last(solver, &one);
  *left -= one.steps;
  d->steps += one.steps;
  d->late = one.late;
  *same = SAME * one.E < d->E ? 1 : *same + (one.E <= SAME * d->E);
  if (one.converged || SAME * one.E < d->E) {
    memcpy(d->q, q, (size_t)solver->model->nq * sizeof(double));
    d->E = one.E;
    d->converged = one.converged;
  }
}

// Whether the error, by the largest weight of a task, is FAR; also if E is NaN.
static bool is_far(const sinew_solver *solver, double E) {
  const double per_weight = solver->problem.per_weight;
  return !(2.0 * E * per_weight * per_weight < FAR * FAR);
}

void sinew_nearest_find(sinew_solver *solver, sinew_seeds *seeds, int starts, sinew_descent *d) {
  candidates all = {.count = 0};
  const int dofs = solver->problem.pattern.dof_count;
  int left = WORK / (dofs > 0 ? dofs : 1), same = 1;
  sinew_descend_last(solver, d);
  if (d->converged || left <= SINEW_NEAREST_STARTS || is_far(solver, d->E)) {
    return;
  }
  collect(solver, seeds, starts, d, &all);
  for (int i = 0;
       i < all.count && i < DESCENTS && same < ENOUGH && left > 0 && !d->converged && !d->late;
       ++i) {
    descend(solver, all.q[i], &left, &same, d);
  }
}
