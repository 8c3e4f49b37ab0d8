// The steps of lower levels of an update, after level 0 has moved q to q1. Compiled for each
// instruction set.
//
//   for level k = 1, 2, ...
//     x = the level's step (solve/lower_step.h), no joint further than LEVELS_LONGEST
//     next = q + x, corrected
//     where that is far beyond the best share of x by the curvature of higher levels
//       (solve/lower_curvature.c): next with the best share
//     while a task of a higher level is further off than at q by more than a tenth of the
//       tolerance: LEVELS_SHORTER x, for LEVELS_TRIALS trials
//     q = next
//
// Where they have nothing to move they are left out for some updates (waits()).
//
// Where track.c leaves the update to one level alone, the step of that level is the first one, for
// all tasks above it.
#include "math/vector.h"
#include "policy/levels.h"
#include "simd/four.h"
#include "solve/level_ranges.h"
#include "solve/lower_step.h"
#include "solve/value_columns.h"

#include <string.h>

// The share of the last of LEVELS_TRIALS trials. Where level 0 keeps its error they begin with what
// was kept of the last step, or four times that if it was the first one tried; but for steps of
// less than LONG of what level 0 moves.
#define LEAST_SHARE (LEVELS_SHORTER * LEVELS_SHORTER)
#define LONG 0.1
// An update that has taken so many systems or more has at most MANY_TRIALS of them, and does not
// try more than was kept: its time is bounded. The next one goes on with the share after the last
// trial.
#define MANY_SYSTEMS 3
#define MANY_TRIALS 2
// A trial whose best share is less than so much of its own is repeated with the best one. .4 leaves
// a fourth more updates that alternate (tests/test_level_edges.c), .95 as many.
#define TOO_LONG 0.7
// What rounding errors may add to a level's cost, a share.
#define COST_ROUNDING 1e-12
// Updates after one by a level alone has failed, before it is tried again; and after a step that
// was to bring level 0 to its targets has, in which it leaves level 0 where it is.
#define FAILED_UPDATES 8
// Lower levels are left out for as many updates as delay at most this share of what level 0 moves,
// as the steps since the last one show: for so many at first, and while targets of level 0 move for
// twice as many each time, up to MOST_IDLE.
#define DELAY (1.0 / 30.0)
#define IDLE_UPDATES 8
#define MOST_IDLE 32
// Of figures with limits of swing and twist, whose cost shortens a step that overshoots, steps are
// watched after so many updates with targets at rest: what is left is then lost in rounding errors
// of the cost.
#define CONES_REST 100.0

void sinew_lower_find_way_of_joints(const sinew_solver *solver, const double *from,
                                    const double *to, double *way) {
  sinew_configuration_difference(solver->model, from, to, way);
  for (int v = 0; v < solver->model->nv; ++v) {
    way[v] /= solver->model->angular[v] ? 1.0 : solver->problem.size;
  }
}

void sinew_lower_settle(const sinew_levels *levels) {
  for (int c = 0; c < levels->n; ++c) {
    levels->settled[c] = levels->settled[c] != 0 ? SINEW_LEVEL_SETTLED : 0;
  }
}

// Whether the level's cost has not risen at next, but for rounding errors. Limits of swing and
// twist are curved, and so is what higher levels leave: a step that would raise it is shortened, so
// that no figure oscillates. While the targets of level 0 move, what level 0 does may raise it.
static bool may_move(sinew_solver *solver, int k, double cost) {
  sinew_levels *levels = solver->levels;
  if (!(solver->history.updates_at_rest > 0.0)) {
    return true;
  }
  const bool fell = sinew_lower_cost(solver, k, levels->next) <= cost * (1.0 + COST_ROUNDING);
  sinew_lower_find_motion(solver, levels->top, levels->moved); // for the next trial
  return fell;
}

// Whether the best share of a step is measured and taken: not of steps far out of reach, which are
// to take little time, and not where all targets rest, where the cost decides (may_move()). Of
// limits of swing and twist x has other columns than its rows.
static bool takes_best_share(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  const bool rests = sinew_min(solver->history.updates_at_rest, levels->rest) > 0.0;
  return !solver->track.postponed && !levels->quick && !rests && levels->cone_count == 0;
}

// Whether the first trial of a step, with a share of it, has gone too far beyond the best one.
static bool goes_too_far(sinew_levels *levels, double share) {
  levels->measures = false;
  return levels->best_share < TOO_LONG * share;
}

// whole: the factor by which levels.x is shorter than the step that was found; share: what was
// taken of it.
static void watch_step(sinew_levels *levels, int k, bool alone, double whole, double share) {
  double *x = levels->part, *s = levels->aim;
  for (int c = 0; c < levels->n; c += 4) { // without slacks, which may follow
    const sinew_four taken =
        sinew_four_masked(sinew_four_inside(levels->n - c), sinew_four_load(levels->x + c));
    sinew_four_store(x + c, taken / SINEW_FOUR_OF(whole));
    sinew_four_store(s + c, taken * SINEW_FOUR_OF(share));
  }
  sinew_overshoot_watch(&levels->lower[k - 1].overshoot, alone, levels->n, x, s, levels->D);
}

// Which nodes the last trial of level k has placed at levels.next.
static void note_placement(sinew_solver *solver, int k) {
  sinew_levels *levels = solver->levels;
  levels->placement = *solver->state.placements;
  levels->placed_nodes = levels->above == 0 ? 0
                         : k == 1           ? solver->problem.node_count
                                            : levels->node_count;
}

// Whether x is not short beside what level 0 moves.
static bool is_long(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  return levels->x_most >= LONG * sinew_largest(solver->model->nv, solver->history.step);
}

// With which share trials begin: with what was kept of the last step, or if that was the first one
// tried with four times as much. An update that has taken many systems does not try more.
static double first_share(const sinew_lower_level *own, bool many) {
  return own->longer && !many ? sinew_min(own->kept / LEVELS_SHORTER, 1.0) : own->kept;
}

// The step of level k of an update from q. Returns whether it has moved q.
static bool take_level(sinew_solver *solver, int k, double *q) {
  sinew_levels *levels = solver->levels;
  sinew_lower_level *own = &levels->lower[k - 1];
  const int nq = solver->model->nq;
  sinew_level_rows rows;
  bool near = false;
  sinew_four_copy(nq, q, levels->top);
  sinew_lower_find_motion(solver, q, levels->moved);
  if (SINEW_UNLIKELY(!sinew_lower_find_step(solver, k, &rows, &near))) {
    return false;
  }
  levels->largest = sinew_max(levels->largest, levels->x_most);
  if (SINEW_UNLIKELY(levels->cone_count > 0)) {
    sinew_level_cones_to_joints(levels, levels->x);
  }
  own->keeps -= own->keeps > 0;
  const double whole = sinew_lower_limit_length(levels, solver->problem.gains);
  const bool alone = sinew_lower_is_alone(solver);
  levels->expects &= whole == 1.0;
  const double cost = levels->cost;
  const bool remembers = !near && is_long(solver);
  const bool many = remembers && solver->step.systems >= MANY_SYSTEMS;
  const double first = remembers ? first_share(own, many) : 1.0;
  double share = first;
  double least = solver->track.postponed ? 1.0 : LEAST_SHARE;
  int trials = many ? MANY_TRIALS : LEVELS_TRIALS;
  levels->measures = takes_best_share(solver);
  levels->best_share = INFINITY;
  for (; share >= least && trials > 0; share *= LEVELS_SHORTER, --trials) {
    bool kept = sinew_lower_try_share(solver, k, &rows, near, share);
    if (goes_too_far(levels, share)) {
      share = levels->best_share;
      levels->best_share = INFINITY;
      least = sinew_min(least, share);
      --trials;
      kept = sinew_lower_try_share(solver, k, &rows, near, share);
    }
    if (kept && may_move(solver, k, cost) &&
        (!alone || sinew_solver_end_alone(solver, levels->next))) {
      sinew_four_copy(nq, levels->next, q);
      if (SINEW_UNLIKELY(levels->range_count > 0)) {
        sinew_level_ranges_end(solver);
      }
      if (levels->cone_count == 0 || levels->rest > CONES_REST) { // else the cost decides, as above
        watch_step(levels, k, alone, whole, share);
      }
      note_placement(solver, k);
      if (SINEW_UNLIKELY(remembers)) {
        own->longer = share == first;
        own->kept = sinew_max(share, LEAST_SHARE);
      }
      return true;
    }
  }
  levels->evaluated = 0;
  own->keeps = near && !solver->track.postponed ? FAILED_UPDATES : own->keeps;
  own->kept = share >= least ? share : 1.0;
  own->longer = false;
  return false;
}

// Whether level 0 has been evaluated at the end of its update, with the nodes of all levels.
static bool top_is_evaluated(const sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  return solver->track.evaluated && problem->node_count == solver->levels->node_count &&
         problem->pattern.dof_count == solver->levels->n; // none has been brought into its limits
}

static void track_on(sinew_solver *solver, double *q) {
  sinew_solver_track_on(solver, solver->levels->targets, q);
  solver->levels->evaluated = top_is_evaluated(solver) ? 1 : 0;
}

// An update by the step of one level alone: with the tasks above it all met, whose order then does
// not matter. Returns the number of levels that have taken their step: 0 where that fails, and
// level 0 has taken its own.
static int take_alone(sinew_solver *solver, double *q) {
  sinew_levels *levels = solver->levels;
  const int k = levels->alone;
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  if (levels->known && memcmp(q, levels->before, bytes) == 0) {
    levels->evaluated = k;
  }
  if (take_level(solver, k, q)) {
    solver->track.postponed = false;
    for (int j = 1; j < k; ++j) { // which are met
      levels->lower[j - 1].left = 0.0;
    }
    if (k < levels->depth) {
      sinew_lower_settle(levels);
    }
    return k;
  }
  levels->failed = FAILED_UPDATES + 1;
  memset(levels->settled, 0, (size_t)sinew_level_stride(levels->n)); // read in fours
  track_on(solver, q);
  return 0;
}

// Whether lower levels may be left out in some updates: level 0 cannot be met, so that they do not
// bring it to its targets, and nothing that they read may change but q.
static bool may_wait(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  const bool still = levels->task_count == solver->problem.count || levels->rest > 0.0;
  return !solver->track.postponed && !solver->levels->quick && !levels->calls && still &&
         solver->influence.stages == 0 && !(solver->history.spread > 0.0) &&
         solver->history.predicted * sqrt(2.0 * solver->linear.E) > LEVELS_NEAR;
}

// Whether they are left out in this update. They are not once a bound has been released, which lets
// joints move.
static bool waits(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  levels->waited = may_wait(solver) ? levels->waited : 0;
  if (!may_wait(solver) || sinew_lower_count_active(solver) < levels->bounds) {
    levels->idle = 0;
  }
  if (solver->history.updates_at_rest > 0.0 && levels->idle > IDLE_UPDATES) {
    levels->idle = IDLE_UPDATES;
  }
  if (levels->idle == 0) {
    return false;
  }
  --levels->idle;
  for (int k = 0; k < levels->count; ++k) {
    sinew_overshoot_interrupt(&levels->lower[k].overshoot);
  }
  return true;
}

// For how many updates they are left out. Where the figure comes to rest that is IDLE_UPDATES or
// none, so that it is not delayed.
static int idle_updates(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  const bool rests = solver->history.updates_at_rest > 0.0;
  const int twice = 2 * levels->waited < MOST_IDLE ? 2 * levels->waited : MOST_IDLE;
  const int most = rests || twice < IDLE_UPDATES ? IDLE_UPDATES : twice;
  const double allowed = DELAY * sinew_largest(solver->model->nv, solver->history.step);
  const double each = levels->largest / (levels->waited + 1); // what they move in an update
  if (each * most < allowed) {
    return most;
  }
  return rests || !(each > 0.0) ? 0 : (int)(allowed / each);
}

// Decides for how many updates they are left out.
static void watch_motion(sinew_solver *solver, bool alone) {
  sinew_levels *levels = solver->levels;
  levels->idle = !alone && may_wait(solver) ? idle_updates(solver) : 0;
  if (levels->idle > 0) {
    levels->bounds = sinew_lower_count_active(solver);
  }
}

static void take_levels(sinew_solver *solver, int from, double *q) {
  sinew_levels *levels = solver->levels;
  for (int k = from; k <= levels->depth; ++k) {
    while (!take_level(solver, k, q) && solver->track.postponed) {
      track_on(solver, q);
    }
    if (solver->track.postponed) {
      sinew_solver_end_postponed(solver);
    }
    sinew_lower_settle(levels);
  }
}

static void take_all_levels(sinew_solver *solver, double *q) {
  sinew_levels *levels = solver->levels;
  levels->list = levels->update;
  levels->depth = levels->count;
  levels->met = LEVELS_MET;
  levels->longest = LEVELS_LONGEST;
  levels->evaluated = top_is_evaluated(solver) ? 1 : 0;
  for (int t = 0; levels->evaluated > 0 && t < solver->problem.count; ++t) {
    solver->evaluation.tasks[t].position_error = solver->track.errors[2 * t];
    solver->evaluation.tasks[t].orientation_error = solver->track.errors[2 * t + 1];
  }
  for (int c = 0; c < levels->n; c += 4) { // read in fours
    memset(levels->settled + c, 0, 4);
  }
  levels->largest = 0.0;
  const int taken = sinew_lower_is_alone(solver) ? take_alone(solver, q) : 0;
  levels->waited = taken == 0 ? levels->waited : 0;
  const bool left_out = taken == 0 && waits(solver);
  if (!left_out) {
    levels->quick = may_wait(solver) && !(solver->history.updates_at_rest > 0.0);
    take_levels(solver, taken + 1, q);
    levels->quick = false;
    watch_motion(solver, taken > 0);
  }
  levels->waited = left_out ? levels->waited + 1 : 0;
  levels->was_alone = taken > 0;
  levels->expects &= taken > 0;
  if (taken == 0) { // else known
    sinew_lower_measure_motion(solver, q, levels->last);
  }
}

void sinew_solver_lower(sinew_solver *solver, double *q) {
  const sinew_left_out *left = solver->levels->left_out;
  do {
    take_all_levels(solver, q);
  } while (!left->some && left->count > 0 && left->saved && sinew_left_out_take(solver, q));
}
