// The search: attempts from many starts.
//
// Starts come from seed/seeds.h, attempts are run by attempts.h, solutions compared by ranking.c. A
// search for more than the first solution ends after many consecutive starts without a new
// solution.
#include "solve/straight.h"
#include "solve/search.h"
#include "math/vector.h"
#include "solve/closed.h"
#include "solve/isolated.h"
#include "solve/nearest.h"
#include "solve/open.h"
#include "solve/slides.h"
#include "solve/solutions.h"

#include <string.h>

// A search for one solution ends after this many starts without a new solution, and one more for
// each solution known.
#define STARTS_WITHOUT_NEW 60

// The same for all solutions: where they are known not to be all (isolated.h, balance), and where
// nothing tells. On half of the arms of docs/global.md, 30 starts miss as few as 60 do; but where
// few of them converge they say little: HITS_BALANCED must have converged to known ones.
#define STARTS_UNBALANCED 200
#define STARTS_BALANCED 30
#define HITS_BALANCED 12

// A search without limits that has found no solution from this many starts is abandoned.
#define STARTS_OPEN 100

// A dropped attempt with a smaller E may be near a solution that is near a singularity, where
// damped steps gain little and an attempt may end anywhere along a curve. Most with an E above
// NEAR_SOLUTION are local minima, so that these are not refined any more once REFINED_IN_VAIN of
// them have led nowhere since the last new solution.
#define NEAR_SOLUTION 1e-8
#define PERHAPS_NEAR_SOLUTION 1e-4
#define REFINED_IN_VAIN 3

// A solution that is this far outside the limits [rad] at most may be within its tolerance inside.
#define NEAR_LIMIT 0.05

// A start replaces that of the seed as the best failure only if its E is below this share.
#define BETTER_SHARE 0.98

// If the first solution is wanted, a seed that is far (SINEW_SEED_IS_FAR) is tried after this many
// postures of a bank: on ten arms from random seeds that takes 5.9 updates per solution instead of
// 10.
#define POSTURES_BEFORE 3

// The limit on postures of a bank, if the first solution is wanted.
#define FEW_POSTURES 8

void sinew_search_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                         sinew_search_scratch *scratch) {
  const size_t nq = (size_t)model->nq;
  scratch->attempt = sinew_arena_take(arena, nq, sizeof(double));
  scratch->seed = sinew_arena_take(arena, nq, sizeof(double));
  scratch->answer = sinew_arena_take(arena, nq, sizeof(double));
  scratch->spare = sinew_arena_take(arena, nq, sizeof(double));
  scratch->known = sinew_arena_take(arena, SINEW_KNOWN_ALL * nq, sizeof(double));
  scratch->nearest = sinew_arena_take(arena, SINEW_NEAREST_ROWS * nq, sizeof(double));
  scratch->partners = sinew_arena_take(arena, SINEW_PARTNERS * nq, sizeof(double));
  scratch->lower = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  scratch->upper = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  scratch->kept = sinew_arena_take(arena, nq, sizeof(double));
  scratch->kept_errors = sinew_arena_take(arena, (size_t)tasks, sizeof(double));
  sinew_seed_scratch_layout(arena, model, &scratch->seeds);
}

// ------------------------------------------------------------------ search

// Whether the first solution ends the search.
static bool is_first(const sinew_search *s) {
  return !s->all && s->def->mode == SINEW_GLOBAL_FIRST;
}

static size_t bytes_of(const sinew_search *s) {
  return (size_t)s->solver->model->nq * sizeof(double);
}

static double *known_of(const sinew_search *s, int i) {
  return s->known + (size_t)i * (size_t)s->solver->model->nq;
}

static double *partner_of(const sinew_search *s, int i) {
  return s->solver->search.partners + (size_t)i * (size_t)s->solver->model->nq;
}

static bool has_solution(const sinew_search *s) {
  return s->answered || s->found > 0;
}

// Whether different solutions are kept. If they are not points there are infinitely many.
static bool collects(const sinew_search *s) {
  return s->all || (s->points && !is_first(s));
}

// ------------------------------------------------------------------ starts

static bool is_known(const sinew_search *s, const double *q) {
  for (int i = 0; i < s->found; ++i) {
    if (sinew_problem_is_same(&s->solver->problem, s->def->distinct, known_of(s, i), q)) {
      return true;
    }
  }
  return false;
}

// After how many starts without a new solution the search ends.
static int enough_starts(const sinew_search *s) {
  const bool whole = s->balance == 0 && s->hits_without_new >= HITS_BALANCED;
  const int enough = !s->isolated || s->inexact > 0 ? STARTS_WITHOUT_NEW
                     : s->balanced && whole         ? STARTS_BALANCED
                     : s->balanced                  ? STARTS_UNBALANCED
                                                    : STARTS_WITHOUT_NEW;
  return enough + s->found;
}

// q = the next start that follows from the solutions found; false: there is none.
static bool follow(sinew_search *s, double *q) {
  if (s->closed_starts > 0) {
    const double *row =
        s->solver->search.nearest + (size_t)--s->closed_starts * (size_t)s->solver->model->nq;
    memcpy(q, row, bytes_of(s));
    return true;
  }
  if (s->partners > 0) {
    memcpy(q, partner_of(s, --s->partners), bytes_of(s));
    return true;
  }
  return sinew_seeds_follow(s->seeds, q);
}

static bool start(void *context, int number, double *q) {
  sinew_search *s = context;
  if (s->started >= s->most && !(has_solution(s) && s->started < s->def->max_starts)) {
    return false;
  }
  const bool caller = number == s->seeds->caller_number;
  if (!caller && follow(s, q)) {
    ++s->started;
    return true;
  }
  if (!caller && s->starts_without_new >= (has_solution(s) ? enough_starts(s)
                                           : s->open       ? STARTS_OPEN
                                                           : s->most)) {
    return false;
  }
  ++s->started;
  const sinew_seed_kind kind = sinew_seeds_next(s->seeds, number, q);
  if (kind != SINEW_SEED_CALLER) {
    ++s->starts_without_new;
  }
  if (s->slides && kind != SINEW_SEED_KEPT) {
    sinew_slides_bring_start_near(s->solver, s->targets, caller || s->local, q);
  }
  return true;
}

// --------------------------------------------------------------- solutions

// out = q, its angles changed by whole turns to be near the seed's. If rounding takes a solution at
// the limit of the tolerance beyond it, out = q.
static void unwind_near(sinew_search *s, const double *q, double *out) {
  memcpy(out, q, bytes_of(s));
  sinew_problem_unwind_near(&s->solver->problem, s->seed, out);
  if (s->attempts.evaluated && memcmp(out, q, bytes_of(s)) == 0) {
    return;
  }
  s->solver->functions->evaluate(s->solver, s->targets, out);
  if (!sinew_solver_converged(s->solver)) {
    memcpy(out, q, bytes_of(s));
    s->solver->functions->evaluate(s->solver, s->targets, out);
  }
}

// Makes a solution the answer if it is the best so far. Returns whether it counts as new.
static bool improve(sinew_search *s, const double *q) {
  bool is_new;
  if (!sinew_search_improves(s, q, &is_new)) {
    return false;
  }
  memcpy(s->solver->search.answer, q, bytes_of(s));
  s->answered = true;
  if (!collects(s)) {
    s->seeds->solution_count = 1;
    sinew_seeds_restart_mirrors(s->seeds);
  }
  return is_new;
}

static int farthest(const sinew_search *s) {
  int far = 0;
  double most = -1.0;
  for (int i = 0; i < s->found; ++i) {
    const double d = sinew_search_distance(s, known_of(s, i));
    far = d > most ? i : far;
    most = sinew_max(most, d);
  }
  return far;
}

// Keeps a solution; if there is no room, the nearest ones are kept. Returns whether it was kept.
bool sinew_search_keep(sinew_search *s, const double *q) {
  int place = s->found;
  if (place == s->room) {
    place = farthest(s);
    if (sinew_search_distance(s, q) >= sinew_search_distance(s, known_of(s, place))) {
      return false;
    }
  }
  memcpy(known_of(s, place), q, bytes_of(s));
  s->found += place == s->found;
  return true;
}

bool sinew_search_add(sinew_search *s, const double *q) {
  const bool kept = sinew_search_keep(s, q);
  s->seeds->solution_count = s->seeds->known_count = s->found;
  return kept;
}

// Whether the search can end: with the first solution, the seed itself, or as many samples as were
// asked for.
static bool is_enough(const sinew_search *s) {
  if (s->all) {
    return !s->points && s->found == s->room;
  }
  return is_first(s) || (s->def->mode == SINEW_GLOBAL_NEAREST && s->least == 0.0);
}

// Moves a solution to a minimum of the cost of lower levels, where each does, and asks whether it
// is accepted.
static bool accepts(sinew_search *s, double *q) {
  if (s->each) {
    s->whole->functions->descend_lower(s->whole, q, false);
    s->solver->functions->evaluate(s->solver, s->targets, q);
  }
  s->rejected = !s->all && s->def->accept != NULL && !s->def->accept(s->def->accept_context, q);
  return !s->rejected;
}

static bool solution(void *context, int attempt, const double *q) {
  sinew_search *s = context;
  double *near = s->solver->search.spare;
  (void)attempt;
  s->seeds->kept = NULL;
  if (collects(s) && is_known(s, q)) {
    ++s->hits_without_new;
    return true;
  }
  if (s->isolated) {
    sinew_search_take_refined(s, q);
    return true;
  }
  unwind_near(s, q, near);
  if (!accepts(s, near)) {
    if (!has_solution(s)) {
      memcpy(s->solver->search.answer, near, bytes_of(s));
    }
    return true;
  }
  bool is_new = collects(s) && sinew_search_add(s, near);
  is_new = (!s->all && improve(s, near)) || is_new;
  s->starts_without_new = is_new ? 0 : s->starts_without_new;
  return !is_enough(s);
}

static bool may_be_near_solution(const sinew_search *s, double E) {
  return s->isolated &&
         (E < NEAR_SOLUTION || (E < PERHAPS_NEAR_SOLUTION && s->refined_in_vain < REFINED_IN_VAIN));
}

// Without a solution, the dropped attempt with the smallest E is the answer, or that from the seed
// if others are only slightly better.
static void dropped(void *context, int attempt, const double *q, double E) {
  sinew_search *s = context;
  if (may_be_near_solution(s, E) && !is_known(s, q)) {
    sinew_search_take_refined(s, q);
  }
  if (has_solution(s) || s->rejected) {
    return;
  }
  sinew_attempts_keep(s->solver, s->targets, q, E, s->seeds);
  const bool first = s->failed++ == 0;
  if (first || E < BETTER_SHARE * s->least_E ||
      (attempt == s->seeds->caller_number && BETTER_SHARE * E <= s->least_E)) {
    s->least_E = E;
    memcpy(s->solver->search.answer, q, bytes_of(s));
  }
  if (first || (s->failed == SINEW_NEAREST_PROOF && !s->local)) {
    const sinew_descent d = {.targets = s->targets, .q = s->solver->search.answer};
    const bool excluded = first ? sinew_descent_is_excluded(s->solver, &d)
                                : sinew_descent_is_disproved(s->solver, &d);
    s->unproven = !first && !excluded;
    s->most =
        excluded && s->most > SINEW_ATTEMPTS_OUT_OF_REACH ? SINEW_ATTEMPTS_OUT_OF_REACH : s->most;
  }
}

// -------------------------------------------------------------------- run

bool sinew_search_has_points(const sinew_solver *solver) {
  return solver->evaluation.rows.dof_count <= solver->evaluation.rows.row_count;
}

sinew_search sinew_search_of(sinew_solver *solver, const sinew_global_def *def,
                             const sinew_target *targets, const double *seed, bool all) {
  return (sinew_search){.solver = solver,
                        .def = def,
                        .targets = targets,
                        .all_targets = targets,
                        .seed = seed,
                        .deadline = sinew_solver_deadline(solver),
                        .all = all,
                        .points = sinew_search_has_points(solver),
                        .known = solver->search.known,
                        .room = all ? SINEW_KNOWN_ALL : SINEW_KNOWN};
}

// Whether there are starts that are made for the targets.
static bool is_banked(const sinew_search *s) {
  return s->def->bank != NULL || s->def->network != NULL;
}

// The number of the caller's start. In lanes it is 0, since starts run beside each other.
static int caller_number(const sinew_search *s) {
  const bool banked = is_first(s) && is_banked(s) && !sinew_lanes_ready(s->solver);
  const bool far = banked && s->solver->functions->evaluate(
                                 s->solver, s->targets, s->solver->search.seed) > SINEW_SEED_IS_FAR;
  return far ? POSTURES_BEFORE : 0;
}

// Prepares the starts of a search. The caller's configuration is in the scratch.
static void begin_seeds(sinew_search *s) {
  sinew_search_scratch *scratch = &s->solver->search;
  sinew_seeds *seeds = s->seeds = &scratch->starts;
  sinew_seeds_begin(seeds, &s->solver->problem, &scratch->seeds);
  seeds->targets = s->all_targets;
  seeds->caller = scratch->seed;
  seeds->caller_number = caller_number(s);
  seeds->caller_again = s->slides && !s->local;
  seeds->near = !s->all && s->def->mode == SINEW_GLOBAL_NEAREST;
  seeds->bank = s->def->bank;
  seeds->network = s->def->network;
  seeds->most_outputs = is_first(s) ? SINEW_SEED_FEW_OUTPUTS : SINEW_SEED_POSTURES;
  seeds->most_postures = is_first(s) ? FEW_POSTURES : SINEW_SEED_POSTURES;
  seeds->solutions = collects(s) ? s->known : scratch->answer;
  seeds->distinct = 5.0 * s->def->distinct;
  seeds->known = s->known;
  seeds->kept = scratch->kept;
  seeds->kept_errors = scratch->kept_errors;
}

// Brings a solution that was found without limits within them, by whole turns or, where it is just
// outside, by a small change. Returns whether that succeeds.
static bool bring_within(sinew_search *s, double *q) {
  const sinew_problem *problem = &s->solver->problem;
  double *outside = s->solver->search.attempt;
  double change = 0.0;
  sinew_square J;
  sinew_problem_unwind_into_limits(problem, q);
  sinew_problem_unwind_near(problem, s->seed, q);
  memcpy(outside, q, bytes_of(s));
  sinew_problem_clamp(problem, q);
  for (int i = 0; i < s->solver->model->nq; ++i) {
    change = sinew_max(change, fabs(q[i] - outside[i]));
  }
  if (change > NEAR_LIMIT) {
    return false;
  }
  s->solver->functions->evaluate(s->solver, s->targets, q);
  if (change > 0.0 && s->isolated && !sinew_solver_converged(s->solver)) {
    sinew_isolated_refine(s->solver, s->targets, q, &J);
    s->solver->functions->evaluate(s->solver, s->targets, q);
  }
  return sinew_solver_converged(s->solver);
}

// Keeps the solutions that are within limits.
static void keep_within(sinew_search *s) {
  double *q = s->solver->search.spare;
  const int found = s->found;
  s->found = 0;
  for (int i = 0; i < found; ++i) {
    memcpy(q, known_of(s, i), bytes_of(s));
    if (bring_within(s, q) && !is_known(s, q)) {
      memcpy(known_of(s, s->found++), q, bytes_of(s));
    }
  }
}

// Runs the attempts until the search ends; steps add up.
static void run_attempts(sinew_search *s) {
  const int steps = s->attempts.steps;
  s->starts_without_new = s->hits_without_new = s->failed = 0;
  s->unproven = false;
  s->refined_in_vain = s->inexact = 0;
  s->least_E = INFINITY;
  s->isolated = s->all && sinew_isolated_applies(s->solver);
  s->balanced = s->isolated && sinew_isolated_is_balanced(s->solver);
  begin_seeds(s);
  sinew_attempts_run(s->solver, &s->attempts);
  s->attempts.steps += steps;
}

// All solutions without limits, then those within. If there is none the search starts again within
// limits, since the nearest configuration within them is wanted.
static void run_open(sinew_search *s) {
  sinew_open_begin(s->solver);
  run_attempts(s);
  sinew_open_end(s->solver);
  s->open = false;
  keep_within(s);
  if (s->found == 0) {
    sinew_problem_bring_into_limits(&s->solver->problem, s->solver->search.answer);
  }
  if (s->found == 0 && !s->attempts.late) {
    s->balance = s->partners = 0;
    s->most = s->def->max_starts - sinew_nearest_reserve(s->solver, s->def->max_starts);
    run_attempts(s);
  }
}

// The solutions were found without attempts. One that is wanted is evaluated for the report.
static void report_closed(sinew_search *s, sinew_descent *rest) {
  double *answer = s->solver->search.answer;
  *rest = (sinew_descent){.targets = s->targets, .q = answer, .deadline = s->deadline};
  rest->converged = s->all;
  if (!s->all) {
    s->solver->functions->evaluate(s->solver, s->targets, answer);
    rest->converged = sinew_solver_converged(s->solver);
  }
}

void sinew_search_run(sinew_search *s, sinew_descent *rest) {
  sinew_solver *solver = s->solver;
  const sinew_problem *problem = &solver->problem;
  s->attempts = (sinew_attempts){.targets = s->targets,
                                 .deadline = s->deadline,
                                 .start = start,
                                 .solution = solution,
                                 .dropped = dropped,
                                 .context = s,
                                 .one = is_first(s),
                                 .by_method = s->local,
                                 .far = is_banked(s) ? SINEW_SEED_IS_FAR : INFINITY};
  memcpy(solver->search.seed, s->seed, bytes_of(s));
  sinew_problem_bring_into_limits(problem, solver->search.seed);
  if (s->whole != NULL) {
    sinew_levels_bring_into_limits(s->whole, problem, true, solver->search.seed);
    sinew_leave_straight(s->whole, false, solver->search.seed);
  }
  memcpy(solver->search.answer, solver->search.seed, bytes_of(s));
  const int reserve = s->local ? 0 : sinew_nearest_reserve(solver, s->def->max_starts);
  s->most = s->def->max_starts - reserve;
  s->slides = problem->has_long_slides;
  if (sinew_closed_run(s)) {
    report_closed(s, rest);
    return;
  }
  if (s->open) {
    run_open(s);
  } else {
    run_attempts(s);
  }
  if (has_solution(s)) { // none that a closed form would have
    s->completeness = SINEW_SOLUTIONS_SEARCHED;
  }
  *rest = (sinew_descent){.targets = s->targets,
                          .q = solver->search.answer,
                          .most_steps = s->local ? solver->def.budget.max_steps
                                                 : s->attempts.steps + SINEW_LAST_DESCENT_STEPS,
                          .steps = s->attempts.steps,
                          .deadline = s->attempts.deadline,
                          .late = s->attempts.late};
  // A first solution has just been evaluated; others are evaluated by the last descent.
  s->rejected = s->rejected && !has_solution(s);
  if (s->rejected) {
    return;
  }
  rest->converged = s->answered && is_first(s) && sinew_solver_converged(solver);
  rest->unproven = s->unproven;
  if (!rest->converged && !(s->all && s->found > 0)) {
    sinew_nearest_find(solver, s->seeds, has_solution(s) ? 0 : reserve, rest);
    if (rest->converged && !has_solution(s)) { // the last descent has found the only one
      rest->converged = accepts(s, rest->q);
    }
  }
}

sinew_outcome sinew_search_explain(const sinew_search *s, sinew_descent *rest,
                                   int *limiting_joint) {
  *limiting_joint = -1;
  if (s->rejected) {
    s->solver->functions->evaluate(s->solver, s->targets, s->solver->search.answer);
    return SINEW_OUTCOME_REJECTED;
  }
  if (rest->converged) {
    return SINEW_OUTCOME_CONVERGED;
  }
  // A search is not limited by steps: the limit of its last descent is not reported.
  rest->most_steps = s->local ? rest->most_steps : rest->steps + 1;
  const sinew_outcome outcome = sinew_descent_explain(s->solver, rest, limiting_joint);
  if (outcome == SINEW_OUTCOME_OUT_OF_REACH) {
    sinew_descent_measure_reach(s->solver);
  }
  return outcome;
}

void sinew_search_take(sinew_search *s, const double *q) {
  solution(s, 0, q);
}

bool sinew_search_is_known(const sinew_search *s, const double *q) {
  return is_known(s, q);
}

bool sinew_search_bring_within(sinew_search *s, double *q) {
  return bring_within(s, q);
}
