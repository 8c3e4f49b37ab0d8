// The search: attempts from many starts, and the choice among their solutions.
//
// Starts come from seed/seeds.h, attempts are run by attempts.h. A search for more than the first
// solution ends after many consecutive starts without a new solution.
#include "sinew/global.h"
#include "base/definition.h"
#include "base/error.h"
#include "math/ldlt.h"
#include "math/vector.h"
#include "solve/attempts.h"
#include "solve/components.h"
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
// nothing tells. On half of the arms of docs/global.md, 30 starts miss as few as 60 do.
#define STARTS_UNBALANCED 200
#define STARTS_BALANCED 30

// A search without limits that has found no solution from this many starts is abandoned.
#define STARTS_OPEN 100

// A dropped attempt with a smaller E may be near a solution that is near a singularity, where
// damped steps gain little.
#define NEAR_SOLUTION 1e-8

// A solution that is this far outside the limits [rad] at most may be within its tolerance inside.
#define NEAR_LIMIT 0.05

// A solution counts as new if it is nearer, or better, by this share.
#define NEW_SHARE 0.01

// A start between the best solution and the seed follows as long as each gains this share. If
// solutions form lines or surfaces, it converges to the nearest one.
#define NEARER_GAIN 0.001

// A start replaces that of the seed as the best failure only if its E is below this share.
#define BETTER_SHARE 0.98

// If the first solution is wanted, a seed that is far (SINEW_SEED_IS_FAR) is tried after this many
// postures of a bank: on ten arms from random seeds that takes 5.9 updates per solution instead of
// 10.
#define POSTURES_BEFORE 3

// The limit on postures of a bank, if the first solution is wanted.
#define FEW_POSTURES 8

void sinew_global_def_init(sinew_global_def *def, size_t size) {
  const sinew_global_def defaults = {
      .cookie = SINEW_COOKIE_GLOBAL, .size = sizeof defaults, .max_starts = 1000, .distinct = 0.01};
  sinew_definition_init(def, size, &defaults);
}

void sinew_search_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                         sinew_search_scratch *scratch) {
  const size_t nq = (size_t)model->nq;
  scratch->attempt = sinew_arena_take(arena, nq, sizeof(double));
  scratch->seed = sinew_arena_take(arena, nq, sizeof(double));
  scratch->answer = sinew_arena_take(arena, nq, sizeof(double));
  scratch->spare = sinew_arena_take(arena, nq, sizeof(double));
  scratch->known = sinew_arena_take(arena, SINEW_KNOWN_ALL * nq, sizeof(double));
  scratch->nearest = sinew_arena_take(arena, SINEW_NEAREST_STARTS * nq, sizeof(double));
  scratch->partners = sinew_arena_take(arena, SINEW_PARTNERS * nq, sizeof(double));
  scratch->lower = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  scratch->upper = sinew_arena_take(arena, (size_t)model->nv, sizeof(double));
  scratch->kept = sinew_arena_take(arena, nq, sizeof(double));
  scratch->kept_errors = sinew_arena_take(arena, (size_t)tasks, sizeof(double));
  sinew_seed_scratch_layout(arena, model, &scratch->seeds);
}

// ------------------------------------------------------------------ search

// A search in progress.
typedef struct search {
  sinew_solver *solver;
  const sinew_global_def *def;
  const sinew_target *targets;
  const sinew_target *all_targets; // of all tasks, where this is one component's search
  const double *seed;              // the caller's, from which distances are measured
  double deadline;                 // of the solver's clock, or INFINITY
  bool all;                        // all solutions are wanted, not one

  sinew_attempts attempts;
  sinew_seeds *seeds;     // of the solver's scratch
  int started, most;      // starts so far, and their limit
  int failed;             // attempts without a solution
  bool unproven;          // the full proof that there is no solution failed
  int starts_without_new; // since the last new solution, without those that follow from one
  bool slides;            // long prismatic joints first bring starts near the targets: slides.h
  bool local;             // descents use the solver's method

  bool points;     // solutions are isolated points: no more degrees of freedom than rows
  bool answered;   // one is wanted, and the scratch's answer is a solution
  double least;    // its cost: its distance, or its score times -1
  double *known;   // different solutions, if they are points or all are wanted
  int found, room; // rows of known: filled, and in all
  double least_E;  // the smallest E of attempts that were dropped

  bool isolated; // all are wanted, and they are isolated: they are refined
  bool open;     // limits are removed
  bool balanced; // a sum of signs other than 0 tells that some are missing
  int balance;   // the sum so far
  int partners;  // the number of starts near partners that wait
} search;

// Whether the first solution ends the search.
static bool is_first(const search *s) {
  return !s->all && s->def->mode == SINEW_GLOBAL_FIRST;
}

static size_t bytes_of(const search *s) {
  return (size_t)s->solver->model->nq * sizeof(double);
}

static double *known_of(const search *s, int i) {
  return s->known + (size_t)i * (size_t)s->solver->model->nq;
}

static double *partner_of(const search *s, int i) {
  return s->solver->search.partners + (size_t)i * (size_t)s->solver->model->nq;
}

static double distance_of(const search *s, const double *q) {
  return sinew_problem_distance(&s->solver->problem, s->def->distances, s->seed, q);
}

static bool has_solution(const search *s) {
  return s->answered || s->found > 0;
}

// Whether different solutions are kept. If they are not points there are infinitely many.
static bool collects(const search *s) {
  return s->all || (s->points && !is_first(s));
}

// ------------------------------------------------------------------ starts

static bool is_known(const search *s, const double *q) {
  for (int i = 0; i < s->found; ++i) {
    if (sinew_problem_is_same(&s->solver->problem, s->def->distinct, known_of(s, i), q)) {
      return true;
    }
  }
  return false;
}

// After how many starts without a new solution the search ends.
static int enough_starts(const search *s) {
  const int enough = !s->isolated                     ? STARTS_WITHOUT_NEW
                     : s->balanced && s->balance == 0 ? STARTS_BALANCED
                     : s->balanced                    ? STARTS_UNBALANCED
                                                      : STARTS_WITHOUT_NEW;
  return enough + s->found;
}

// q = the next start that follows from the solutions found; false: there is none.
static bool follow(search *s, double *q) {
  if (s->partners > 0) {
    memcpy(q, partner_of(s, --s->partners), bytes_of(s));
    return true;
  }
  return sinew_seeds_follow(s->seeds, q);
}

static bool start(void *context, int number, double *q) {
  search *s = context;
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
static void unwind_near(search *s, const double *q, double *out) {
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

// w = sqrt(det(J J^T)), or sqrt(det(J^T J)) if that matrix is smaller, at the last evaluation. The
// scratch of steps is large enough for either. Source: Yoshikawa, Manipulability of robotic
// mechanisms, 1985.
static double manipulability(sinew_solver *solver, const double *q) {
  const sinew_rows *rows = &solver->evaluation.rows;
  const sinew_dls_scratch *scratch = &solver->step.dls;
  const int m = rows->row_count, n = rows->dof_count, size = m < n ? m : n;
  solver->functions->linearize(solver, q, 0.0, false);
  if (m < n) {
    sinew_rows_outer(rows, NULL, scratch->matrix);
  } else {
    for (int i = 0; i < n; ++i) {
      scratch->index[i] = i;
    }
    sinew_rows_inner(rows, scratch->index, n, scratch->matrix);
  }
  if (!sinew_ldlt_factor(size, scratch->matrix, 0.0, scratch->factor)) {
    return 0.0;
  }
  double product = 1.0;
  for (int i = 0; i < size; ++i) {
    product /= sqrt(scratch->factor[i * size + i]); // the inverse of D
  }
  return product;
}

// The cost of a solution: 0 if the first is wanted, else its distance, or its score times -1.
static double cost_of(search *s, const double *q) {
  if (s->def->mode == SINEW_GLOBAL_FIRST) {
    return 0.0;
  }
  if (s->def->mode == SINEW_GLOBAL_NEAREST) {
    return distance_of(s, q);
  }
  const double score = s->def->score != NULL ? s->def->score(s->def->score_context, q)
                                             : manipulability(s->solver, q);
  return isnan(score) ? INFINITY : -score;
}

// Makes a solution the answer if it is the best so far. Returns whether it counts as new.
static bool improve(search *s, const double *q) {
  const bool first = !s->answered, nearest = s->def->mode == SINEW_GLOBAL_NEAREST;
  const double cost = cost_of(s, q);
  if (!first && !(cost < s->least)) {
    return false;
  }
  const bool is_new = first || !(cost >= s->least - NEW_SHARE * fabs(s->least));
  if (nearest && (first || !(cost >= s->least - NEARER_GAIN * fabs(s->least)))) {
    s->seeds->nearer = s->solver->search.answer;
  }
  memcpy(s->solver->search.answer, q, bytes_of(s));
  s->answered = true;
  s->least = cost;
  if (!collects(s)) {
    s->seeds->solution_count = 1;
    sinew_seeds_restart_mirrors(s->seeds);
  }
  return is_new;
}

static int farthest(const search *s) {
  int far = 0;
  double most = -1.0;
  for (int i = 0; i < s->found; ++i) {
    const double d = distance_of(s, known_of(s, i));
    far = d > most ? i : far;
    most = sinew_max(most, d);
  }
  return far;
}

// Keeps a solution; if there is no room, the nearest ones are kept. Returns whether it was kept.
static bool keep(search *s, const double *q) {
  int place = s->found;
  if (place == s->room) {
    place = farthest(s);
    if (distance_of(s, q) >= distance_of(s, known_of(s, place))) {
      return false;
    }
  }
  memcpy(known_of(s, place), q, bytes_of(s));
  s->found += place == s->found;
  s->seeds->solution_count = s->seeds->known_count = s->found;
  return true;
}

// Whether the search can end: with the first solution, the seed itself, or as many samples as were
// asked for.
static bool is_enough(const search *s) {
  if (s->all) {
    return !s->points && s->found == s->room;
  }
  return is_first(s) || (s->def->mode == SINEW_GLOBAL_NEAREST && s->least == 0.0);
}

// Adds a new solution's sign of det J to the balance, and its partner to the starts.
static void take_partner(search *s, const double *q, int sign) {
  const bool room = s->partners < SINEW_PARTNERS;
  double *row = room ? partner_of(s, s->partners) : s->solver->q;
  const sinew_partner partner =
      sinew_isolated_partner(s->solver, s->targets, q, s->def->distinct, row);
  s->partners += room && partner == SINEW_PARTNER_DISTINCT;
  s->balance += partner == SINEW_PARTNER_MERGED ? 0 : sign; // the signs of two that count as one
}

// Refines q, which is within or near the tolerance, and keeps it if it is a new solution.
static void take_isolated(search *s, const double *q) {
  double *near = s->solver->search.spare;
  sinew_square J;
  memcpy(near, q, bytes_of(s));
  if (!sinew_isolated_refine(s->solver, s->targets, near, &J)) {
    s->solver->functions->evaluate(s->solver, s->targets, near);
    if (!sinew_solver_converged(s->solver)) {
      return;
    }
  }
  if (is_known(s, near)) {
    return;
  }
  sinew_problem_unwind_near(&s->solver->problem, s->seed, near);
  s->starts_without_new = keep(s, near) ? 0 : s->starts_without_new;
  take_partner(s, near, J.sign);
}

static bool solution(void *context, int attempt, const double *q) {
  search *s = context;
  double *near = s->solver->search.spare;
  (void)attempt;
  s->seeds->kept = NULL;
  if (collects(s) && is_known(s, q)) {
    return true;
  }
  if (s->isolated) {
    take_isolated(s, q);
    return true;
  }
  unwind_near(s, q, near);
  bool is_new = collects(s) && keep(s, near);
  is_new = (!s->all && improve(s, near)) || is_new;
  s->starts_without_new = is_new ? 0 : s->starts_without_new;
  return !is_enough(s);
}

// Without a solution, the dropped attempt with the smallest E is the answer, or that from the seed
// if others are only slightly better.
static void dropped(void *context, int attempt, const double *q, double E) {
  search *s = context;
  if (s->isolated && E < NEAR_SOLUTION && !is_known(s, q)) {
    take_isolated(s, q);
  }
  if (has_solution(s)) {
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

// ------------------------------------------------------------------- calls

// Whether solutions are isolated points.
static bool has_points(const sinew_solver *solver) {
  return solver->evaluation.rows.dof_count <= solver->evaluation.rows.row_count;
}

// A search for problems that have been checked.
static search search_of(sinew_solver *solver, const sinew_global_def *def,
                        const sinew_target *targets, const double *seed, bool all) {
  return (search){.solver = solver,
                  .def = def,
                  .targets = targets,
                  .all_targets = targets,
                  .seed = seed,
                  .deadline = sinew_solver_deadline(solver),
                  .all = all,
                  .points = has_points(solver),
                  .known = solver->search.known,
                  .room = all ? SINEW_KNOWN_ALL : SINEW_KNOWN};
}

static bool fits(const sinew_bank *bank, const sinew_solver *solver) {
  bool same = bank->model == solver->model && bank->task_count == solver->problem.count;
  for (int t = 0; same && t < bank->task_count; ++t) {
    same = sinew_bank_task_fits(&bank->tasks[t], &solver->problem.tasks[t].task);
  }
  return same;
}

// The index of the first invalid weight, or -1.
static int find_bad_weight(const double *weights, int count) {
  for (int i = 0; weights != NULL && i < count; ++i) {
    if (!(weights[i] >= 0.0 && weights[i] <= SINEW_HUGE)) {
      return i;
    }
  }
  return -1;
}

static sinew_result check_def(const sinew_solver *solver, const sinew_global_def *def,
                              sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_GLOBAL, sizeof *def, "sinew_global_def",
                                              "sinew_default_global_def()", NULL};
  const sinew_result result = sinew_definition_check(def, &definition, -1, error);
  if (result != SINEW_OK) {
    return result;
  }
  if ((int)def->mode < SINEW_GLOBAL_FIRST || def->mode > SINEW_GLOBAL_BEST) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "mode", "%d does not exist",
                           (int)def->mode);
  }
  if (def->max_starts < 1) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "max_starts", "%d is not >= 1",
                           def->max_starts);
  }
  if (!(def->distinct > 0.0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "distinct", "%g is not > 0", def->distinct);
  }
  const int bad = find_bad_weight(def->distances, solver->model->nv);
  if (bad >= 0) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "distances",
                           "%g, the weight of degree of freedom %d, is not within 0 and 1e100",
                           def->distances[bad], bad);
  }
  return def->bank == NULL || fits(def->bank, solver)
             ? SINEW_OK
             : sinew_error_set(error, SINEW_ERROR_ARGUMENT, "bank",
                               "it was made for another model or for other tasks");
}

static sinew_result check(sinew_solver *solver, const sinew_global_def *def,
                          const sinew_target *targets, int count, const double *q,
                          sinew_report *report) {
  return check_def(solver, def, &solver->error) == SINEW_OK
             ? sinew_solver_check(solver, targets, count, q, report)
             : sinew_solver_refuse(solver, report);
}

// The number of the caller's start. In lanes it is 0, since starts run beside each other.
static int caller_number(const search *s) {
  const bool banked = is_first(s) && s->def->bank != NULL && !sinew_lanes_ready(s->solver);
  const bool far = banked && s->solver->functions->evaluate(
                                 s->solver, s->targets, s->solver->search.seed) > SINEW_SEED_IS_FAR;
  return far ? POSTURES_BEFORE : 0;
}

// Prepares the starts of a search. The caller's configuration is in the scratch.
static void begin_seeds(search *s) {
  sinew_search_scratch *scratch = &s->solver->search;
  sinew_seeds *seeds = s->seeds = &scratch->starts;
  sinew_seeds_begin(seeds, &s->solver->problem, &scratch->seeds);
  seeds->targets = s->all_targets;
  seeds->caller = scratch->seed;
  seeds->caller_number = caller_number(s);
  seeds->caller_again = s->slides && !s->local;
  seeds->near = !s->all && s->def->mode == SINEW_GLOBAL_NEAREST;
  seeds->bank = s->def->bank;
  seeds->most_postures = is_first(s) ? FEW_POSTURES : SINEW_SEED_POSTURES;
  seeds->solutions = collects(s) ? s->known : scratch->answer;
  seeds->distinct = 5.0 * s->def->distinct;
  seeds->known = s->known;
  seeds->kept = scratch->kept;
  seeds->kept_errors = scratch->kept_errors;
}

// Brings a solution that was found without limits within them, by whole turns or, where it is just
// outside, by a small change. Returns whether that succeeds.
static bool bring_within(search *s, double *q) {
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
static void keep_within(search *s) {
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
static void run_attempts(search *s) {
  const int steps = s->attempts.steps;
  s->starts_without_new = s->failed = 0;
  s->unproven = false;
  s->least_E = INFINITY;
  s->isolated = s->all && sinew_isolated_applies(s->solver);
  s->balanced = s->isolated && sinew_isolated_is_balanced(s->solver);
  begin_seeds(s);
  sinew_attempts_run(s->solver, &s->attempts);
  s->attempts.steps += steps;
}

// All solutions without limits, then those within. If there is none the search starts again within
// limits, since the nearest configuration within them is wanted.
static void run_open(search *s) {
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
    s->most = s->def->max_starts - sinew_nearest_reserve(s->def->max_starts);
    run_attempts(s);
  }
}

// Runs the attempts, then the last descent from the answer.
static void run(search *s, sinew_descent *rest) {
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
                                 .far = s->def->bank != NULL ? SINEW_SEED_IS_FAR : INFINITY};
  memcpy(solver->search.seed, s->seed, bytes_of(s));
  sinew_problem_bring_into_limits(problem, solver->search.seed);
  memcpy(solver->search.answer, solver->search.seed, bytes_of(s));
  const int reserve = s->local ? 0 : sinew_nearest_reserve(s->def->max_starts);
  s->most = s->def->max_starts - reserve;
  s->slides = problem->has_long_slides;
  if (s->open) {
    run_open(s);
  } else {
    run_attempts(s);
  }
  *rest = (sinew_descent){.targets = s->targets,
                          .q = solver->search.answer,
                          .most_steps = s->local ? solver->def.budget.max_steps
                                                 : s->attempts.steps + SINEW_LAST_DESCENT_STEPS,
                          .steps = s->attempts.steps,
                          .deadline = s->attempts.deadline,
                          .late = s->attempts.late};
  // A first solution has just been evaluated; others are evaluated by the last descent.
  rest->converged = s->answered && is_first(s) && sinew_solver_converged(solver);
  rest->unproven = s->unproven;
  if (!rest->converged && !(s->all && s->found > 0)) {
    sinew_nearest_find(solver, s->seeds, has_solution(s) ? 0 : reserve, rest);
  }
}

// Why a search ended as it did.
static sinew_outcome explain(const search *s, sinew_descent *rest, int *limiting_joint) {
  *limiting_joint = -1;
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

// Fills the report with the outcome of the search.
static void report_on(const search *s, sinew_descent *rest, sinew_report *report) {
  int limiting_joint;
  const sinew_outcome outcome = explain(s, rest, &limiting_joint);
  sinew_solver_report(s->solver, outcome, rest->steps, limiting_joint, report);
}

// -------------------------------------------------------------- components

// The solution of components, one after another.
typedef struct separate {
  sinew_outcome outcome; // of those so far
  int limiting_joint;
  int steps;
} separate;

// The deadline of the next of several components: each has an equal share of the time left.
static double share_of_time(const search *s, int left) {
  const sinew_budget *budget = &s->solver->def.budget;
  if (!(s->deadline < INFINITY)) {
    return s->deadline;
  }
  const double time = budget->clock(budget->clock_context);
  return time + sinew_max(0.0, s->deadline - time) / left;
}

// Solves component k; q, the seed, receives its values.
static void solve_component(const search *whole, int k, double deadline, double *q, separate *sum) {
  search s = *whole;
  sinew_descent rest;
  int limiting_joint;
  s.solver = sinew_component_solver(whole->solver, k);
  s.targets =
      sinew_component_targets(whole->solver, k, whole->targets, whole->solver->components.targets);
  s.points = has_points(s.solver);
  s.deadline = deadline;
  run(&s, &rest);
  const sinew_outcome outcome = explain(&s, &rest, &limiting_joint);
  if (sinew_outcome_rank(outcome) > sinew_outcome_rank(sum->outcome)) {
    sum->outcome = outcome;
    sum->limiting_joint = limiting_joint;
    if (outcome == SINEW_OUTCOME_OUT_OF_REACH) {
      const sinew_problem *problem = &whole->solver->problem;
      sinew_reach_proof *proof = &whole->solver->reach.proof;
      *proof = s.solver->reach.proof;
      proof->task = problem->component_tasks[problem->component_start[k] + proof->task];
    }
  }
  sum->steps += rest.steps;
  memcpy(q, rest.q, bytes_of(&s));
}

static void solve_components(const search *s, int count, int later, double *q, separate *sum) {
  for (int k = 0; k < count; ++k) {
    solve_component(s, k, share_of_time(s, later + count - k), q, sum);
  }
}

// Searches for one solution, of each component by itself where there are several; q receives it. A
// component without a solution costs no other its own.
static void solve(search *s, double *q, sinew_report *report) {
  sinew_solver *solver = s->solver;
  const int count = sinew_components_count(solver);
  if (count == 0) {
    sinew_descent rest;
    run(s, &rest);
    report_on(s, &rest, report);
    memcpy(q, solver->search.answer, bytes_of(s));
    return;
  }
  separate sum = {.outcome = SINEW_OUTCOME_CONVERGED, .limiting_joint = -1};
  const bool scored = s->def->mode == SINEW_GLOBAL_BEST && s->def->score != NULL;
  if (scored) { // a score is of all values: so that it is of solutions, there is one first
    search first = *s;
    sinew_global_def def = *s->def;
    def.mode = SINEW_GLOBAL_FIRST;
    first.def = &def;
    solve_components(&first, count, count, q, &sum);
  }
  if (!scored || sum.outcome == SINEW_OUTCOME_CONVERGED) {
    solve_components(s, count, 0, q, &sum);
  }
  solver->functions->evaluate(solver, s->targets, q);
  const sinew_descent end = {.targets = s->targets, .q = q};
  const bool converged = sinew_solver_converged(solver);
  if (!converged && sum.outcome != SINEW_OUTCOME_OUT_OF_REACH &&
      sinew_descent_is_excluded(solver, &end) && sinew_descent_is_disproved(solver, &end)) {
    sum.limiting_joint = -1;
    sum.outcome = SINEW_OUTCOME_OUT_OF_REACH; // a task that no joint moves, or two together
    sinew_descent_measure_reach(solver);
  } else if (!converged && sum.outcome == SINEW_OUTCOME_CONVERGED) {
    sum.outcome = SINEW_OUTCOME_STALLED; // a task that no joint moves belongs to no component
  }
  sinew_solver_report(solver, sum.outcome, sum.steps, sum.limiting_joint, report);
}

sinew_result sinew_solver_search(sinew_solver *solver, const sinew_global_def *def,
                                 const sinew_target *targets, int count, double *q,
                                 sinew_report *report) {
  SINEW_ASSERT(solver != NULL);
  const sinew_global_def defaults = sinew_default_global_def();
  search s = search_of(solver, def != NULL ? def : &defaults, targets, q, false);
  const sinew_result result = check(solver, s.def, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  solve(&s, q, report);
  return SINEW_OK;
}

sinew_result sinew_solver_solve(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report) {
  return sinew_solver_search(solver, NULL, targets, count, q, report);
}

sinew_result sinew_solver_solve_local(sinew_solver *solver, const sinew_target *targets, int count,
                                      double *q, sinew_report *report) {
  const sinew_result result = sinew_solver_check(solver, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_global_def def = sinew_default_global_def();
  def.max_starts = solver->def.budget.max_starts;
  search s = search_of(solver, &def, targets, q, false);
  s.local = true;
  solve(&s, q, report);
  return SINEW_OK;
}

// Writes the nearest known solutions, and their images if asked for.
static void write_all(search *s, int capacity, double *solutions) {
  sinew_solutions all = {.solver = s->solver,
                         .weights = s->def->distances,
                         .to = s->seed,
                         .deadline = s->attempts.deadline,
                         .count = s->found,
                         .capacity = capacity,
                         .rows = s->known,
                         .late = s->attempts.late};
  sinew_solutions_sort(&all);
  all.count = all.count < capacity ? all.count : capacity;
  if (s->known != solutions) {
    memcpy(solutions, s->known, (size_t)all.count * bytes_of(s));
  }
  all.rows = solutions;
  if (s->def->images) {
    sinew_solutions_add_images(&all);
  }
  s->found = all.count;
}

sinew_result sinew_solver_solve_all(sinew_solver *solver, const sinew_global_def *def,
                                    const sinew_target *targets, int count, const double *seed,
                                    int capacity, double *solutions, int *found,
                                    sinew_report *report) {
  SINEW_ASSERT(solver != NULL);
  const sinew_global_def defaults = sinew_default_global_def();
  search s = search_of(solver, def != NULL ? def : &defaults, targets, seed, true);
  if (found != NULL) {
    *found = 0;
  }
  if (capacity < 1 || solutions == NULL || found == NULL) {
    sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL, "%s",
                    capacity < 1 ? "capacity is not >= 1" : "solutions or found is NULL");
    return sinew_solver_refuse(solver, report);
  }
  const sinew_result result = check(solver, s.def, targets, count, seed, report);
  if (result != SINEW_OK) {
    return result;
  }
  if (solver->problem.counted == 0) { // without rows every configuration would be a solution
    sinew_solver_report(solver, SINEW_OUTCOME_NO_TASK, 0, -1, report);
    return SINEW_OK;
  }
  s.open = s.points && sinew_open_applies(solver);
  if (!s.open && (capacity >= SINEW_KNOWN_ALL || !s.points)) {
    s.known = solutions;
    s.room = capacity;
  }
  sinew_descent rest;
  run(&s, &rest);
  if (s.found == 0 && rest.converged) {
    solution(&s, 0, rest.q);
  }
  if (s.found > 0) {
    write_all(&s, capacity, solutions);
    solver->functions->evaluate(solver, targets, solutions);
    rest.converged = true;
  }
  *found = s.found;
  report_on(&s, &rest, report);
  return SINEW_OK;
}
