// The nearest configuration: attempts from more starts, and descents from the best of them.
//
// Beyond reach every descent ends in some local minimum of E. From a random start it is the best
// one with a probability of .04 to 1, by the target, so that many starts are needed. In lanes an
// attempt costs a twentieth of a descent. Beyond reach the curvature of the error, which damped
// least squares leave out, is in proportion to the error. With the damping of a search, for targets
// within reach, steps overshoot; with DAMPING attempts end near their minimum, and the least E of
// them is nearly always near the best one. Descents from the best ends make sure of it, until the
// best minimum was found ENOUGH times.
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

// A limit on the steps of all descents: this number over the degrees of freedom.
#define WORK 16000

// Attempts in lanes, fewer for large figures: LANE_WORK over the degrees of freedom; and their
// rules (kernel/kernel.h). Chosen on 4,357 targets beyond the reach of ten arms: with a damping of
// 2 to 4 and a share of .9 to .95 that an update may keep of E, solves miss 0 to 3 of them; with 80
// starts, 7 times as many as with 160.
#define LANE_STARTS 160
#define LANE_WORK 2000
#define LANE_DAMPING 2.0
#define LANE_KEEP 0.9
#define LANE_SLOW 1.0
#define LANE_STEPS 40.0

// Without lanes an attempt costs a fourth of a descent.
#define SCALAR_STARTS 20

// Beyond this error, in sizes of the model, the place of an arm's end effector changes the error by
// less than 1 %.
#define FAR 200.0

// The limit on the steps of an attempt that stays near its goal without meeting it.
#define ATTEMPT_STEPS 40

_Static_assert(SCALAR_STARTS <= SINEW_NEAREST_ROWS, "each of them is kept");

int sinew_nearest_reserve(sinew_solver *solver, int max_starts) {
  const int dofs = solver->problem.pattern.dof_count, share = max_starts / 4;
  int most = SCALAR_STARTS;
  if (dofs > 0 && sinew_lanes_ready(solver)) {
    most = LANE_WORK / dofs < LANE_STARTS ? LANE_WORK / dofs : LANE_STARTS;
    most = most > SCALAR_STARTS ? most : SCALAR_STARTS;
  }
  return share < most ? share : most;
}

// The attempts with the smallest E, by rising E.
typedef struct candidates {
  int count, most;
  double E[SINEW_NEAREST_ROWS];
  double *q[SINEW_NEAREST_ROWS];
} candidates;

// The attempts of one search.
typedef struct attempts {
  sinew_solver *solver;
  sinew_seeds *seeds;
  int left; // starts
  sinew_descent *d;
  candidates best;
} attempts;

static candidates no_candidates(const sinew_solver *solver, int most) {
  candidates all = {.count = 0, .most = most};
  for (int i = 0; i < most; ++i) {
    all.q[i] = solver->search.nearest + (size_t)i * (size_t)solver->model->nq;
  }
  return all;
}

// The row for an attempt with this E, in order; NULL: it is not among the best.
static double *make_room(candidates *all, double E) {
  if (all->count == all->most && !(E < all->E[all->most - 1])) {
    return NULL;
  }
  int i = all->count < all->most ? all->count++ : all->most - 1;
  double *row = all->q[i];
  for (; i > 0 && E < all->E[i - 1]; --i) {
    all->E[i] = all->E[i - 1];
    all->q[i] = all->q[i - 1];
  }
  all->E[i] = E;
  all->q[i] = row;
  return row;
}

// q = the next start; false: there is none left.
static bool start(attempts *all, double *q) {
  if (all->left == 0) {
    return false;
  }
  --all->left;
  sinew_seeds_next(all->seeds, SINEW_SEED_NUMBER_OTHER, q);
  if (all->solver->problem.has_long_slides) {
    sinew_slides_bring_start_near(all->solver, all->d->targets, false, q);
  }
  return true;
}

// The end of an attempt, in the scratch's attempt. One that meets the targets is the result.
static void take(attempts *all, double E, bool converged) {
  const size_t bytes = (size_t)all->solver->model->nq * sizeof(double);
  const double *q = all->solver->search.attempt;
  if (converged) {
    memcpy(all->d->q, q, bytes);
    all->d->E = E;
    all->d->converged = true;
    return;
  }
  double *row = make_room(&all->best, isnan(E) ? (double)INFINITY : E);
  if (row != NULL) {
    memcpy(row, q, bytes);
  }
}

// ------------------------------------------------------------------ one by one

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

static void run_one_by_one(attempts *all) {
  sinew_solver *solver = all->solver;
  sinew_attempt a = {.q = solver->search.attempt};
  const bool at_target = solver->evaluation.at_target;
  solver->evaluation.at_target = false;
  while (!all->d->converged && !all->d->late && start(all, a.q)) {
    const bool converged = attempt(solver, all->d, &a);
    take(all, a.E, converged);
  }
  solver->evaluation.at_target = at_target;
}

// -------------------------------------------------------------------- in lanes

static bool begin(void *context, int l) {
  attempts *all = context;
  sinew_lanes *lanes = &all->solver->lanes;
  double *q = all->solver->search.attempt;
  const bool more = start(all, q);
  if (more) {
    sinew_lanes_begin(&lanes->plan, q, 1, l, &lanes->second);
  }
  return more;
}

// Whether the scratch's attempt, which has converged in lanes, meets the targets.
static bool is_met(attempts *all, double *E) {
  sinew_solver *solver = all->solver;
  *E = solver->functions->evaluate(solver, all->d->targets, solver->search.attempt);
  return sinew_solver_converged(solver);
}

static bool end(void *context, int l) {
  attempts *all = context;
  sinew_solver *solver = all->solver;
  const sinew_lane_block *block = &solver->lanes.second;
  double E = block->E[l];
  all->d->steps += (int)block->steps[l];
  sinew_lanes_read(&solver->lanes, &solver->problem, block, l, solver->search.attempt);
  const bool converged = (block->converged >> l & 1u) != 0 && is_met(all, &E);
  take(all, E, converged);
  return !converged;
}

static bool is_late(void *context) {
  attempts *all = context;
  all->d->late = sinew_solver_is_late(all->solver, all->d->deadline);
  return all->d->late;
}

static void run_in_lanes(attempts *all) {
  sinew_lanes *lanes = &all->solver->lanes;
  const sinew_lane_jobs jobs = {.begin = begin, .end = end, .is_late = is_late, .context = all};
  sinew_lane_rules rules = lanes->rules;
  rules.damping = LANE_DAMPING;
  rules.keep = LANE_KEEP;
  rules.slow = LANE_SLOW;
  rules.most = LANE_STEPS;
  lanes->second.active = 0;
  sinew_lanes_set_targets(&lanes->plan, all->d->targets, 0, lanes->second.lanes, &lanes->second);
  sinew_lanes_run(lanes, &rules, &lanes->second, &jobs);
}

// -------------------------------------------------------------------- descents

// Descends from a candidate, as long as it may become better than the best one by SAME. Then it
// replaces it. same counts the descents that ended at the best one or were on their way there.
static void descend(sinew_solver *solver, double *q, int *left, int *same, sinew_descent *d) {
  sinew_descent one = *d;
  one.q = q;
  one.steps = 0;
  one.most_steps = *left < SINEW_LAST_DESCENT_STEPS ? *left : SINEW_LAST_DESCENT_STEPS;
  one.wanted = d->E / SAME;
  one.expected = INFINITY;
  sinew_descend_last(solver, &one);
  *left -= one.steps;
  d->steps += one.steps;
  d->late = one.late;
  *same = SAME * one.E < d->E ? 1 : *same + (sinew_min(one.E, one.expected) <= SAME * d->E);
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
  const int dofs = solver->problem.pattern.dof_count;
  int left = WORK / (dofs > 0 ? dofs : 1), same = 1;
  sinew_descend_last(solver, d);
  if (d->converged || left <= SCALAR_STARTS || is_far(solver, d->E)) {
    return;
  }
  attempts all = {.solver = solver, .seeds = seeds, .left = starts, .d = d};
  all.best = no_candidates(solver, SINEW_NEAREST_ROWS);
  if (sinew_lanes_ready(solver)) {
    run_in_lanes(&all);
  } else {
    run_one_by_one(&all);
  }
  for (int i = 0;
       i < all.best.count && i < DESCENTS && same < ENOUGH && left > 0 && !d->converged && !d->late;
       ++i) {
    descend(solver, all.best.q[i], &left, &same, d);
  }
}
