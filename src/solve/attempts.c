// Attempts: one after the other, or in the lanes of the processor. Each update is
//
//   x = J^T (J J^T + mu I)^-1 e,   mu = c min(E, 1/2) + floor         policy/damping.h
//
// Since there are many starts, an attempt should be short: its damping vanishes with the error,
// each step is kept whether it lowers the error or not, and the attempt is dropped as soon as it
// gains little. On ten arms from random starts that takes 12.6 updates per solution; with steps
// that raise the error taken back and repeated with more damping it takes 16.5.
//
// In lanes, a first attempt that starts near its goal runs alone, since most often it converges. If
// only one solution is wanted, so do a few more, one after the other. Else all lanes are filled,
// and a lane whose attempt has ended takes the next start.
//
// Source: Chan and Lawrence, General inverse kinematics with the error damped pseudoinverse, 1988.
#include "solve/attempts.h"
#include "math/vector.h"
#include "policy/damping.h"
#include "policy/rules.h"
#include "policy/stall.h"
#include "solve/descent.h"

// After the first LATER attempts, one in ONE_IN has limits LONGER times as high.
#define LATER 24
#define ONE_IN 4
#define LONGER 5

int sinew_attempt_limit_factor(int attempt) {
  return attempt >= LATER && attempt % ONE_IN == 0 ? LONGER : 1;
}

// Whether an attempt is dropped. most: the limit on its steps; longer: factor on the limits; far:
// the largest E. An attempt that is near its goal and has just gained may exceed its steps.
static bool is_dropped(const sinew_attempt *a, int most, int longer, double far) {
  const bool arriving = a->E < STALL_ATTEMPT_NEAR && a->slow == 0;
  const double most_slow = STALL_ATTEMPT_WAIT * longer - 1;
  const double most_steps = arriving ? (double)INFINITY : most * longer;
  return mask_bits(stall_is_dropped(most_slow, most_steps, far, a->slow, a->steps, a->E)) != 0;
}

void sinew_attempt_begin(sinew_solver *solver, const sinew_target *targets, sinew_attempt *a) {
  a->E = a->least = solver->functions->evaluate(solver, targets, a->q);
  a->steps = a->slow = 0;
}

bool sinew_attempt_is_dropped(const sinew_solver *solver, const sinew_attempt *a) {
  const int most = stall_steps(STALL_ATTEMPT_STEPS, solver->problem.pattern.dof_count);
  return is_dropped(a, most, 1, INFINITY);
}

void sinew_attempt_step(sinew_solver *solver, const sinew_target *targets, sinew_attempt *a) {
  solver->functions->linearize(solver, a->q, 0.0, false);
  solver->functions->find_damped_step(
      solver, damping_of_error(SEARCH_DAMPING, SCALAR_SEARCH_DAMPING_FLOOR, a->E));
  solver->functions->apply_step(solver, a->q, a->q);
  a->E = solver->functions->evaluate(solver, targets, a->q);
  ++a->steps;
  const lane_mask gains = stall_gains(STALL_ATTEMPT_KEEP, a->E, a->least);
  a->slow = (int)stall_count(gains, a->slow);
  a->least = lane_select(gains, a->E, a->least);
}

// An attempt from a->q; returns whether it converged. It is dropped if E exceeds far.
static bool descend(sinew_solver *solver, sinew_attempts *attempts, int longer, double far,
                    sinew_attempt *a) {
  const int dofs = solver->problem.pattern.dof_count;
  const int most = stall_steps(STALL_ATTEMPT_STEPS, dofs);
  const bool at_target = solver->evaluation.at_target;
  bool converged = false;
  solver->evaluation.at_target = false;
  sinew_attempt_begin(solver, attempts->targets, a);
  while (!(converged = sinew_solver_converged(solver))) {
    attempts->late = sinew_solver_is_late(solver, attempts->deadline);
    if (attempts->late || is_dropped(a, most, longer, far)) {
      break;
    }
    sinew_attempt_step(solver, attempts->targets, a);
  }
  solver->evaluation.at_target = at_target;
  return converged;
}

void sinew_attempts_keep(sinew_solver *solver, const sinew_target *targets, const double *q,
                         double E, sinew_seeds *seeds) {
  if (sinew_seeds_wants(seeds, E)) {
    solver->functions->evaluate(solver, targets, q);
    sinew_seeds_keep(seeds, q, E, &solver->evaluation.rows);
  }
}

// ---------------------------------------------------------- one by one

// Reports the end of an attempt. Returns whether to continue.
static bool report_end(sinew_attempts *attempts, int number, const double *q, bool converged,
                       double E) {
  if (converged) {
    return attempts->solution(attempts->context, number, q);
  }
  attempts->dropped(attempts->context, number, q, E);
  return true;
}

static void run_one_by_one(sinew_solver *solver, sinew_attempts *attempts) {
  sinew_attempt a = {.q = solver->search.attempt};
  for (int i = 0; !attempts->late && attempts->start(attempts->context, i, a.q); ++i) {
    const bool converged = descend(solver, attempts, sinew_attempt_limit_factor(i), INFINITY, &a);
    attempts->evaluated = true;
    attempts->steps += a.steps;
    if (!report_end(attempts, i, a.q, converged, a.E)) {
      return;
    }
  }
}

// Damped least squares converges fastest for targets within reach; Newton's method is for the last
// descent, where targets may be out of reach.
static sinew_method first_method(const sinew_solver *solver) {
  const sinew_method method = solver->def.step.method;
  return method == SINEW_METHOD_DEFAULT ? SINEW_METHOD_DLS : method;
}

// By the solver's method. A quarter of the steps is reserved for the last descent.
static void run_by_method(sinew_solver *solver, sinew_attempts *attempts) {
  const int most = solver->def.budget.max_steps, enough = most - most / 4;
  sinew_descent d = {.targets = attempts->targets,
                     .q = solver->search.attempt,
                     .most_steps = most,
                     .deadline = attempts->deadline};
  for (int i = 0;
       !d.late && (i == 0 || d.steps < enough) && attempts->start(attempts->context, i, d.q); ++i) {
    sinew_descend(solver, first_method(solver), STALL_FIRST_DESCENTS, &d);
    attempts->steps = d.steps;
    attempts->evaluated = d.converged; // else the last step may have been taken back
    attempts->late = d.late;
    if (!report_end(attempts, i, d.q, d.converged, d.E)) {
      return;
    }
  }
}

// -------------------------------------------------------------- in lanes

// Half the squared residual below which a first attempt runs alone, and its limit on updates.
#define ALONE 0.05
#define ALONE_UPDATES 6.0

// How many more attempts run alone if one solution of a chain is wanted, and their limit on
// updates. On ten arms from random seeds a solve takes 1.5 us with a bank and 2.7 us without,
// instead of 2.6 and 3.3 us with all lanes filled at once; the slowest of a thousand take 2 us
// longer.
#define NEXT_ALONE 3
#define NEXT_UPDATES 12.0

// A search in lanes.
typedef struct wide {
  sinew_solver *solver;
  sinew_attempts *attempts;
  int next;                    // number of the next start
  int number[SINEW_LANE_MOST]; // of the attempt in each lane
} wide;

// Gives a lane the next start, if there is one. Where there was none, a solution that another lane
// has found since may have led to more.
static bool begin(void *context, int l) {
  wide *w = context;
  sinew_lanes *lanes = &w->solver->lanes;
  double *q = w->solver->search.attempt;
  const bool more = w->attempts->start(w->attempts->context, w->next, q);
  if (more) {
    sinew_lanes_begin(&lanes->plan, q, sinew_attempt_limit_factor(w->next), l, &lanes->block);
    w->number[l] = w->next++;
  }
  return more;
}

// Whether a lane's solution q meets the targets as given.
static bool is_met(sinew_solver *solver, const sinew_target *targets, const double *q) {
  if (!sinew_lanes_need_verification(&solver->lanes, targets, q)) {
    return true;
  }
  solver->functions->evaluate(solver, targets, q);
  return sinew_solver_converged(solver);
}

// Reports the end of an attempt in a lane of a block. Returns whether to continue.
static bool report_lane(sinew_solver *solver, sinew_attempts *attempts,
                        const sinew_lane_block *block, int l, int number) {
  double *q = solver->search.attempt;
  attempts->steps += (int)block->steps[l];
  sinew_lanes_read(&solver->lanes, &solver->problem, block, l, q);
  const bool converged = (block->converged >> l & 1u) != 0 && is_met(solver, attempts->targets, q);
  attempts->evaluated = false;
  const double E = block->E[l];
  return report_end(attempts, number, q, converged, isnan(E) ? INFINITY : E);
}

static bool end(void *context, int l) {
  wide *w = context;
  return report_lane(w->solver, w->attempts, &w->solver->lanes.block, l, w->number[l]);
}

static bool is_late(void *context) {
  wide *w = context;
  w->attempts->late = sinew_solver_is_late(w->solver, w->attempts->deadline);
  return w->attempts->late;
}

// An attempt that is unfinished when the search ends. Its steps count. If time was up its
// configuration is reported as dropped, since there may be no other.
static void leave(void *context, int l) {
  wide *w = context;
  const sinew_lane_block *block = &w->solver->lanes.block;
  sinew_attempts *attempts = w->attempts;
  double *q = w->solver->search.attempt;
  attempts->steps += (int)block->steps[l];
  if (attempts->late) {
    sinew_lanes_read(&w->solver->lanes, &w->solver->problem, block, l, q);
    const double E = w->solver->functions->evaluate(w->solver, attempts->targets, q);
    attempts->dropped(attempts->context, w->number[l], q, E);
  }
}

// An attempt alone, from search.attempt; returns whether it converged. It is dropped if E exceeds
// far or after most updates.
static bool run_alone(sinew_solver *solver, int number, double far, double most) {
  const sinew_lanes *lanes = &solver->lanes;
  sinew_lane_block *one = &solver->lanes.one;
  sinew_lane_rules rules = lanes->rules;
  sinew_lanes_begin(&lanes->plan, solver->search.attempt, sinew_attempt_limit_factor(number), 0,
                    one);
  rules.most = most;
  rules.far = far;
  lanes->single->descend(&lanes->plan, &rules, one);
  return one->converged != 0;
}

// Whether attempts run alone even if they start far from their goal. The kernel of one lane is fast
// enough for chains only.
static bool runs_alone(const wide *w) {
  return w->attempts->one && w->solver->lanes.plan.chain;
}

// The first attempt of a tree alone, by the solver's scalar steps: their elimination along the tree
// costs little compared with an update of all lanes. Returns false if the search is to end.
static bool begin_tree(wide *w) {
  sinew_solver *solver = w->solver;
  sinew_attempt a = {.q = solver->search.attempt};
  const bool converged = descend(solver, w->attempts, 1, w->attempts->far, &a);
  w->attempts->evaluated = converged;
  w->attempts->steps += a.steps;
  return report_end(w->attempts, 0, a.q, converged, a.E) && !w->attempts->late;
}

// The first attempt alone, while it is near enough to its goal. If it is not, or does not converge,
// it continues from its present configuration in a lane beside others. Returns false if the search
// is to end.
static bool begin_first(wide *w) {
  sinew_solver *solver = w->solver;
  solver->lanes.block.active = 0;
  if (w->attempts->one && !solver->lanes.plan.chain) {
    return begin_tree(w);
  }
  sinew_lane_block *one = &solver->lanes.one;
  sinew_lanes_set_targets(&solver->lanes.plan, w->attempts->targets, 0, 1, one);
  const bool any = runs_alone(w);
  if (run_alone(solver, 0, any ? w->attempts->far : ALONE, any ? NEXT_UPDATES : ALONE_UPDATES)) {
    return report_lane(solver, w->attempts, one, 0, 0);
  }
  w->attempts->steps += (int)one->steps[0];
  sinew_lanes_read(&solver->lanes, &solver->problem, one, 0, solver->search.attempt);
  sinew_lanes_begin(&solver->lanes.plan, solver->search.attempt, sinew_attempt_limit_factor(0), 0,
                    &solver->lanes.block);
  w->number[0] = 0;
  return true;
}

// The next attempts alone as well: about half the time one converges, in less time than an update
// of all lanes takes. Returns false if the search is to end.
static bool try_next(wide *w) {
  sinew_solver *solver = w->solver;
  const int tries = runs_alone(w) ? NEXT_ALONE : 0;
  for (int i = 0; i < tries; ++i) {
    if (!w->attempts->start(w->attempts->context, w->next, solver->search.attempt)) {
      return true;
    }
    run_alone(solver, w->next, INFINITY, NEXT_UPDATES);
    if (!report_lane(solver, w->attempts, &solver->lanes.one, 0, w->next++)) {
      return false;
    }
  }
  return true;
}

static void run_in_lanes(sinew_solver *solver, sinew_attempts *attempts) {
  wide w = {.solver = solver, .attempts = attempts};
  sinew_lanes *lanes = &solver->lanes;
  if (!attempts->start(attempts->context, w.next++, solver->search.attempt) || !begin_first(&w) ||
      !try_next(&w)) {
    return;
  }
  sinew_lanes_set_targets(&lanes->plan, attempts->targets, 0, lanes->block.lanes, &lanes->block);
  const sinew_lane_jobs jobs = {begin, end, is_late, leave, &w};
  sinew_lanes_run(lanes, &lanes->rules, &lanes->block, &jobs);
}

void sinew_attempts_run(sinew_solver *solver, sinew_attempts *attempts) {
  attempts->steps = 0;
  attempts->late = false;
  attempts->evaluated = false;
  if (attempts->by_method) {
    run_by_method(solver, attempts);
  } else if (sinew_lanes_ready(solver)) {
    run_in_lanes(solver, attempts);
  } else {
    run_one_by_one(solver, attempts);
  }
}
