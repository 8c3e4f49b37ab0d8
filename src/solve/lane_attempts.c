// Attempts in lanes.
//
// A first attempt that begins near its goal goes alone, by the kernel of one lane: most often
// nothing else is needed. So do a few more, one after the other, where one solution is all that
// is wanted. Else all lanes are filled, and one that has ended takes the next start. What ends at
// the same update is told in the order of its starts, so that the course of a search depends on the
// number of lanes and on nothing else.
#include "solve/lane_attempts.h"
#include "solve/descent.h"

// Half the squared residual below which a first attempt goes alone, and its most updates.
#define ALONE 0.05
#define ALONE_UPDATES 6.0

// How many more go alone where one solution of a chain is wanted, and their most updates. On ten
// arms from random seeds that takes 1.5 us a solve with a bank and 2.7 without, in place of 2.6
// and 3.3 where all lanes are filled at once; the slowest of a thousand take 2 us more.
#define NEXT_ALONE 3
#define NEXT_UPDATES 12.0

typedef struct wide {
  sinew_solver *solver;
  sinew_attempts *attempts;
  sinew_lane_block *block;
  int next;                     // start
  bool more;                    // there are more starts
  int attempt[SINEW_LANE_MOST]; // of each lane
} wide;

// Gives a lane the next start, if there is one.
static void begin(wide *w, int lane) {
  double *q = w->solver->global.attempt;
  w->block->active &= ~(1u << lane);
  w->more = w->more && w->attempts->start(w->attempts->context, w->next, q);
  if (w->more) {
    sinew_lanes_place(&w->solver->lanes.plan, q, w->next, lane, w->block);
    w->attempt[lane] = w->next++;
  }
}

// The lane among those in a set whose attempt began first.
static int earliest(const wide *w, unsigned set) {
  int found = -1;
  for (int lane = 0; lane < w->block->lanes; ++lane) {
    if ((set >> lane & 1u) != 0 && (found < 0 || w->attempt[lane] < w->attempt[found])) {
      found = lane;
    }
  }
  return found;
}

// Whether a lane's answer, which is in q, meets the targets themselves.
static bool is_met(sinew_solver *solver, const sinew_target *targets, const double *q) {
  if (!sinew_lanes_in_doubt(&solver->lanes.plan, targets, q)) {
    return true;
  }
  sinew_solver_evaluate(solver, targets, q);
  return sinew_solver_converged(solver);
}

// Tells how an attempt has ended; whether to go on.
static bool tell(sinew_solver *solver, sinew_attempts *attempts, const sinew_lane_block *block,
                 int lane, int attempt) {
  double *q = solver->global.attempt;
  attempts->steps += (int)block->steps[lane];
  sinew_lanes_read(solver, block, lane, q);
  if ((block->converged >> lane & 1u) != 0 && is_met(solver, attempts->targets, q)) {
    return attempts->solution(attempts->context, attempt, q);
  }
  const double E = block->E[lane];
  attempts->dropped(attempts->context, attempt, q, isnan(E) ? INFINITY : E);
  return true;
}

// Steps of attempts that nobody waits for any more.
static void count_rest(const wide *w, unsigned ended) {
  for (int lane = 0; lane < w->block->lanes; ++lane) {
    if ((w->block->active & ~ended) >> lane & 1u) {
      w->attempts->steps += (int)w->block->steps[lane];
    }
  }
}

// Tells where attempts are that time leaves under way: there may be nothing else to tell.
static void tell_rest(const wide *w) {
  sinew_attempts *attempts = w->attempts;
  double *q = w->solver->global.attempt;
  unsigned left = w->block->active;
  for (int lane = earliest(w, left); lane >= 0; lane = earliest(w, left)) {
    sinew_lanes_read(w->solver, w->block, lane, q);
    const double E = sinew_solver_evaluate(w->solver, attempts->targets, q);
    attempts->dropped(attempts->context, w->attempt[lane], q, E);
    left &= ~(1u << lane);
  }
}

static void run_wide(wide *w) {
  const sinew_lanes *lanes = &w->solver->lanes;
  while (w->block->active != 0) {
    w->attempts->late = sinew_solver_is_late(w->solver, w->attempts->deadline);
    if (w->attempts->late) {
      count_rest(w, 0u);
      tell_rest(w);
      return;
    }
    lanes->kernel->descend(&lanes->plan, &lanes->rules, w->block);
    unsigned ended = w->block->converged | w->block->dropped;
    const unsigned free = ended;
    for (int lane = earliest(w, ended); lane >= 0; lane = earliest(w, ended)) {
      if (!tell(w->solver, w->attempts, w->block, lane, w->attempt[lane])) {
        count_rest(w, free);
        return;
      }
      ended &= ~(1u << lane);
    }
    for (int lane = 0; lane < w->block->lanes; ++lane) {
      if (free >> lane & 1u) {
        begin(w, lane);
      }
    }
  }
}

// An attempt on its own, from global.attempt: true where it arrives. Given up where it is further
// than far, or has had most updates.
static bool run_alone(sinew_solver *solver, int attempt, double far, double most) {
  const sinew_lanes *lanes = &solver->lanes;
  sinew_lane_block *one = &solver->lanes.one;
  sinew_lane_rules rules = lanes->rules;
  sinew_lanes_place(&lanes->plan, solver->global.attempt, attempt, 0, one);
  rules.most = most;
  rules.far = far;
  lanes->single->descend(&lanes->plan, &rules, one);
  return one->converged != 0;
}

// Whether attempts are tried alone though they begin far from their goal. The kernel of one lane
// is quick enough for chains only.
static bool goes_alone(const wide *w) {
  return w->attempts->one && w->solver->lanes.plan.chain;
}

// The first attempt alone, as long as it is near enough to its goal. Where it is not, or where that
// has led nowhere, it goes on among others from where it is. False: enough.
static bool begin_first(wide *w) {
  sinew_solver *solver = w->solver;
  sinew_lane_block *one = &solver->lanes.one;
  sinew_lanes_aim(&solver->lanes.plan, w->attempts->targets, 0, 1, one);
  w->block->active = 0;
  const bool on = goes_alone(w);
  if (run_alone(solver, 0, on ? w->attempts->far : ALONE, on ? NEXT_UPDATES : ALONE_UPDATES)) {
    return tell(solver, w->attempts, one, 0, 0);
  }
  w->attempts->steps += (int)one->steps[0];
  sinew_lanes_read(solver, one, 0, solver->global.attempt);
  sinew_lanes_place(&solver->lanes.plan, solver->global.attempt, 0, 0, w->block);
  w->attempt[0] = 0;
  return true;
}

// The next ones alone as well: as likely as not one arrives, in less time than all lanes take
// together. False: enough.
static bool try_next(wide *w) {
  sinew_solver *solver = w->solver;
  const int tries = goes_alone(w) ? NEXT_ALONE : 0;
  for (int i = 0; i < tries; ++i) {
    w->more = w->attempts->start(w->attempts->context, w->next, solver->global.attempt);
    if (!w->more) {
      return true;
    }
    run_alone(solver, w->next, INFINITY, NEXT_UPDATES);
    if (!tell(solver, w->attempts, &solver->lanes.one, 0, w->next++)) {
      return false;
    }
  }
  return true;
}

void sinew_lane_attempts_run(sinew_solver *solver, sinew_attempts *attempts) {
  wide w = {.solver = solver, .attempts = attempts, .block = &solver->lanes.block, .more = true};
  attempts->steps = 0;
  attempts->late = false;
  if (!attempts->start(attempts->context, w.next++, solver->global.attempt) || !begin_first(&w) ||
      !try_next(&w)) {
    return;
  }
  sinew_lanes_aim(&solver->lanes.plan, attempts->targets, 0, w.block->lanes, w.block);
  for (int lane = 0; lane < w.block->lanes; ++lane) {
    if ((w.block->active >> lane & 1u) == 0) {
      begin(&w, lane);
    }
  }
  run_wide(&w);
}
