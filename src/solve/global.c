// The calls of global.h, and sinew_solver_solve_local(): checks, components, reports.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "solve/closed.h"
#include "solve/components.h"
#include "solve/open.h"
#include "solve/product.h"
#include "solve/search.h"

#include <string.h>

void sinew_global_def_init(sinew_global_def *def, size_t size) {
  const sinew_global_def defaults = {
      .cookie = SINEW_COOKIE_GLOBAL, .size = sizeof defaults, .max_starts = 1000, .distinct = 0.01};
  sinew_definition_init(def, size, &defaults);
}

static bool network_fits(const sinew_network *network, const sinew_solver *solver) {
  bool same = network->model == solver->given_model && network->task_count == solver->problem.count;
  for (int t = 0; same && t < network->task_count; ++t) {
    same = sinew_network_fits_task(network, t, &solver->problem.tasks[t].task);
  }
  return same;
}

static bool fits(const sinew_bank *bank, const sinew_solver *solver) {
  bool same = bank->model == solver->given_model && bank->task_count == solver->problem.count;
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
  if (def->network != NULL && !network_fits(def->network, solver)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "network",
                           "it was made for another model or for other tasks");
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

// A search for the required tasks of level 0, where levels are used, after the checks of a call.
static sinew_result begin(sinew_search *s, const sinew_target *targets, int count, const double *q,
                          sinew_report *report) {
  sinew_solver *solver = s->solver;
  if (!solver->levels->used) {
    return check(solver, s->def, targets, count, q, report);
  }
  s->solver = sinew_levels_search_solver(solver);
  s->whole = solver;
  s->targets = s->all_targets = solver->levels->targets;
  s->points = sinew_search_has_points(s->solver);
  s->each = !s->all && (s->def->accept != NULL || s->def->mode == SINEW_GLOBAL_BEST);
  const sinew_result result = check_def(s->solver, s->def, &solver->error) == SINEW_OK
                                  ? sinew_levels_take_targets(solver, targets, count, q, report)
                                  : sinew_solver_refuse(solver, report);
  if (result == SINEW_OK) {
    memcpy(solver->levels->start, q, (size_t)solver->model->nq * sizeof(double));
  }
  return result;
}

static size_t bytes_of(const sinew_search *s) {
  return (size_t)s->solver->model->nq * sizeof(double);
}

// Fills the report with the outcome of the search.
static void report_on(const sinew_search *s, sinew_descent *rest, sinew_report *report) {
  int limiting_joint;
  const sinew_outcome outcome = sinew_search_explain(s, rest, &limiting_joint);
  sinew_solver_report(s->solver, outcome, rest->steps, limiting_joint, report);
  if (report != NULL) {
    report->completeness = s->completeness;
    report->continuum = s->all ? s->continuum : 0;
  }
}

// -------------------------------------------------------------- components

// The solution of components, one after another.
typedef struct separate {
  sinew_outcome outcome; // of those so far
  int limiting_joint;
  int steps;
} separate;

// The deadline of the next of several components: each has an equal share of the time left.
static double share_of_time(const sinew_search *s, int left) {
  const sinew_budget *budget = &s->solver->def.budget;
  if (!(s->deadline < INFINITY)) {
    return s->deadline;
  }
  const double time = budget->clock(budget->clock_context);
  return time + sinew_max(0.0, s->deadline - time) / left;
}

// The search for a component's tasks.
static sinew_search component_search(const sinew_search *whole, int k, double deadline) {
  sinew_search s = *whole;
  s.solver = sinew_component_solver(whole->solver, k);
  s.targets =
      sinew_component_targets(whole->solver, k, whole->targets, whole->solver->components.targets);
  s.points = sinew_search_has_points(s.solver);
  s.deadline = deadline;
  return s;
}

// Adds the outcome of component k to those before it.
static void add_outcome(const sinew_search *whole, int k, const sinew_search *s,
                        sinew_descent *rest, separate *sum) {
  int limiting_joint;
  const sinew_outcome outcome = sinew_search_explain(s, rest, &limiting_joint);
  if (sinew_outcome_rank(outcome) > sinew_outcome_rank(sum->outcome)) {
    sum->outcome = outcome;
    sum->limiting_joint = limiting_joint;
    if (outcome == SINEW_OUTCOME_OUT_OF_REACH) {
      sinew_reach_proof *proof = &whole->solver->reach.proof;
      *proof = s->solver->reach.proof;
      proof->task = sinew_component_task(whole->solver, k, proof->task);
    }
  }
  sum->steps += rest->steps;
}

// Solves component k; q, the seed, receives its values.
static void solve_component(const sinew_search *whole, int k, double deadline, double *q,
                            separate *sum) {
  sinew_search s = component_search(whole, k, deadline);
  sinew_descent rest;
  sinew_search_run(&s, &rest);
  add_outcome(whole, k, &s, &rest, sum);
  memcpy(q, rest.q, bytes_of(&s));
}

static void solve_components(const sinew_search *s, int count, int later, double *q,
                             separate *sum) {
  for (int k = 0; k < count; ++k) {
    solve_component(s, k, share_of_time(s, later + count - k), q, sum);
  }
}

// The outcome of all components at q, for the report. Leaves the evaluation there.
static void conclude(const sinew_search *s, double *q, separate *sum, sinew_report *report) {
  sinew_solver *solver = s->solver;
  solver->functions->evaluate(solver, s->targets, q);
  const sinew_descent end = {.targets = s->targets, .q = q};
  const bool converged = sinew_solver_converged(solver);
  if (!converged && sum->outcome != SINEW_OUTCOME_OUT_OF_REACH &&
      sinew_descent_is_excluded(solver, &end) && sinew_descent_is_disproved(solver, &end)) {
    sum->limiting_joint = -1;
    sum->outcome = SINEW_OUTCOME_OUT_OF_REACH; // a task that no joint moves, or two together
    sinew_descent_measure_reach(solver);
  } else if (!converged && sum->outcome == SINEW_OUTCOME_CONVERGED) {
    sum->outcome = SINEW_OUTCOME_STALLED; // a task that no joint moves belongs to no component
  }
  sinew_solver_report(solver, sum->outcome, sum->steps, sum->limiting_joint, report);
}

// Searches for one solution, of each component by itself where there are several; q receives it. A
// component without a solution costs no other its own. Returns whether q has converged and is the
// solver's evaluation.
static bool solve(sinew_search *s, double *q, sinew_report *report) {
  sinew_solver *solver = s->solver;
  const bool separate_parts = s->def->accept == NULL && !s->each; // else q is judged as a whole
  const int count = separate_parts ? sinew_components_count(solver) : 0;
  if (count == 0) {
    sinew_descent rest;
    sinew_search_run(s, &rest);
    report_on(s, &rest, report);
    memcpy(q, solver->search.answer, bytes_of(s));
    return rest.converged;
  }
  separate sum = {.outcome = SINEW_OUTCOME_CONVERGED, .limiting_joint = -1};
  const bool scored = s->def->mode == SINEW_GLOBAL_BEST && s->def->score != NULL;
  if (scored) { // a score is of all values: so that it is of solutions, there is one first
    sinew_search first = *s;
    sinew_global_def def = *s->def;
    def.mode = SINEW_GLOBAL_FIRST;
    first.def = &def;
    solve_components(&first, count, count, q, &sum);
  }
  if (!scored || sum.outcome == SINEW_OUTCOME_CONVERGED) {
    solve_components(s, count, 0, q, &sum);
  }
  conclude(s, q, &sum, report);
  return false;
}

// Where levels are used: a solution's lower levels descend, and the report becomes one on all
// tasks. converged: q is known to have, and evaluated. descends: else lower levels are where they
// should be.
static void finish(const sinew_search *s, bool converged, bool descends, double *q,
                   sinew_report *report) {
  sinew_solver *whole = s->whole;
  if (whole == NULL) {
    sinew_hard_measure(s->solver, s->targets, q);
    return;
  }
  bool evaluated = false; // all levels, at q
  if (!converged) {
    s->solver->functions->evaluate(s->solver, s->targets, q);
  }
  if (descends && !s->each && !s->all && sinew_solver_converged(s->solver)) {
    whole->functions->descend_lower(whole, q, true);
    evaluated = whole->levels->evaluated > 0 && !whole->levels->apart;
  }
  if (!evaluated) {
    whole->functions->evaluate(whole, s->targets, q);
  }
  sinew_hard_measure(whole, s->targets, q);
  sinew_levels_measure(whole, q, evaluated);
  sinew_levels_report(whole, true, report);
}

// The share of the time limit that is left for the ranges of hard tasks.
#define HARD_TIME 0.25

// The report on q, to which the ranges of hard tasks have moved the answer. That targets are out of
// reach does not depend on q.
static void report_on_way(const sinew_search *s, const sinew_hard_way *way, double *q,
                          sinew_report *report) {
  sinew_solver *solver = s->solver;
  const sinew_report found = *report;
  const sinew_descent end = {.targets = s->targets,
                             .q = q,
                             .late = way->late,
                             .steps = way->limited ? 1 : 0,
                             .most_steps = 1};
  sinew_outcome outcome = SINEW_OUTCOME_CONVERGED;
  int limiting_joint = -1;
  solver->functions->evaluate(solver, s->targets, q);
  if (!sinew_solver_converged(solver)) {
    outcome = sinew_descent_explain(solver, &end, &limiting_joint);
    if (outcome == SINEW_OUTCOME_OUT_OF_REACH) {
      sinew_descent_measure_reach(solver);
    }
  } else if (s->def->accept != NULL && !s->def->accept(s->def->accept_context, q)) {
    outcome = SINEW_OUTCOME_REJECTED;
  }
  sinew_solver_report(solver, outcome, found.steps + way->updates, limiting_joint, report);
  report->completeness = found.completeness;
  report->continuum = found.continuum;
  finish(s, false, false, q, report);
  if (found.outcome == SINEW_OUTCOME_OUT_OF_REACH) {
    report->outcome = found.outcome;
    report->limiting_joint = found.limiting_joint;
    report->reach_task = found.reach_task;
    report->reach = found.reach;
    report->target_distance = found.target_distance;
  }
}

// Moves what is outside of the ranges of hard tasks inside, at the end of a search.
static void keep_hard(const sinew_search *s, const sinew_target *targets, int count,
                      double deadline, double *q, sinew_report *report) {
  sinew_solver *solver = s->solver, *whole = s->whole != NULL ? s->whole : solver;
  sinew_hard_way way = {.most = whole->def.budget.max_steps, .deadline = deadline};
  solver->functions->evaluate(solver, s->targets, q);
  way.met = sinew_solver_converged(solver);
  sinew_hard_bring_inside(whole, targets, count, &way, q);
  if (way.updates > 0) {
    report_on_way(s, &way, q, report);
  }
}

// Searches for an answer, q, after begin().
static void run(sinew_search *s, const sinew_target *targets, int count, double *q,
                sinew_report *report) {
  const sinew_solver *whole = s->whole != NULL ? s->whole : s->solver;
  const double limit = whole->def.budget.time_limit, deadline = s->deadline;
  const bool hard = whole->hard.total > 0;
  sinew_report own = {.outcome = SINEW_OUTCOME_CONVERGED};
  sinew_report *filled = hard && report == NULL ? &own : report;
  s->deadline -= hard && limit < INFINITY ? HARD_TIME * limit : 0.0;
  const bool converged = solve(s, q, filled);
  finish(s, converged, true, q, filled);
  if (hard && filled->outcome != SINEW_OUTCOME_REJECTED) {
    keep_hard(s, targets, count, deadline, q, filled);
  }
}

// Begins a search with influences: their stages read the settings, which are checked first.
static sinew_result begin_influence(sinew_solver *solver, const sinew_global_def *def,
                                    const sinew_target **targets, int *count, const double *q,
                                    sinew_report *report) {
  const bool used = solver->influence.used;
  const sinew_solver *own =
      used && solver->levels->used ? sinew_levels_search_solver(solver) : solver;
  return used && def != NULL && check_def(own, def, &solver->error) != SINEW_OK
             ? sinew_solver_refuse(solver, report)
             : sinew_influence_begin(solver, SINEW_INFLUENCE_SEARCH, def, targets, count, q,
                                     report);
}

static sinew_result search(sinew_solver *solver, const sinew_global_def *def,
                           const sinew_target *targets, int count, double *q,
                           sinew_report *report) {
  const sinew_global_def defaults = sinew_default_global_def();
  sinew_search s = sinew_search_of(solver, def != NULL ? def : &defaults, targets, q, false);
  const sinew_result result = begin(&s, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  run(&s, targets, count, q, report);
  return SINEW_OK;
}

sinew_result sinew_solver_search(sinew_solver *solver, const sinew_global_def *def,
                                 const sinew_target *targets, int count, double *q,
                                 sinew_report *report) {
  SINEW_ASSERT(solver != NULL);
  sinew_solver_begin_call(solver, q);
  sinew_result result = begin_influence(solver, def, &targets, &count, q, report);
  if (result == SINEW_OK) {
    result = sinew_influence_end(solver, search(solver, def, targets, count, q, report), report);
  }
  return sinew_solver_end_call(solver, result, q, report);
}

sinew_result sinew_solver_solve(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report) {
  return sinew_solver_search(solver, NULL, targets, count, q, report);
}

static sinew_result solve_local(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report) {
  sinew_global_def def = sinew_default_global_def();
  def.max_starts = solver->def.budget.max_starts;
  sinew_search s = sinew_search_of(solver, &def, targets, q, false);
  const sinew_result result = begin(&s, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  s.local = true;
  run(&s, targets, count, q, report);
  return SINEW_OK;
}

sinew_result sinew_solver_solve_local(sinew_solver *solver, const sinew_target *targets, int count,
                                      double *q, sinew_report *report) {
  sinew_solver_begin_call(solver, q);
  sinew_result result =
      sinew_influence_begin(solver, SINEW_INFLUENCE_LOCAL, NULL, &targets, &count, q, report);
  if (result == SINEW_OK) {
    result = sinew_influence_end(solver, solve_local(solver, targets, count, q, report), report);
  }
  return sinew_solver_end_call(solver, result, q, report);
}

// ------------------------------------------------------------- all solutions

static sinew_solutions solutions_of(const sinew_search *s, int count, int capacity, double *rows) {
  return (sinew_solutions){.solver = s->solver,
                           .weights = s->def->distances,
                           .to = s->seed,
                           .deadline = s->attempts.deadline,
                           .count = count,
                           .capacity = capacity,
                           .rows = rows,
                           .late = s->attempts.late};
}

// Searches for all solutions. Afterwards the known ones are the nearest, in order, and no more than
// the capacity. A search keeps SINEW_KNOWN_ALL; where there is room for more it can be used.
static void run_all(sinew_search *s, int capacity, double *room, sinew_descent *rest) {
  s->open = s->points && sinew_open_applies(s->solver);
  if (room != NULL && !s->open && (capacity >= SINEW_KNOWN_ALL || !s->points)) {
    s->known = room;
    s->room = capacity;
  }
  sinew_search_run(s, rest);
  if (s->found == 0 && rest->converged) {
    sinew_search_take(s, rest->q);
  }
  if (!s->sorted) {
    sinew_solutions all = solutions_of(s, s->found, s->room, s->known);
    sinew_solutions_sort(&all);
  }
  s->found = s->found < capacity ? s->found : capacity;
  rest->converged = rest->converged || s->found > 0;
}

// Adds images, if they are asked for, to sorted solutions. Returns how many there are then.
static int add_images(sinew_solutions *all, bool images) {
  if (images) {
    sinew_solutions_add_images(all);
  }
  return all->count;
}

// All solutions of a problem as a whole.
static int solve_all_together(sinew_search *s, int capacity, double *solutions,
                              sinew_report *report) {
  sinew_descent rest;
  run_all(s, capacity, solutions, &rest);
  if (s->found > 0) {
    if (s->known != solutions) {
      memcpy(solutions, s->known, (size_t)s->found * bytes_of(s));
    }
    sinew_solutions all = solutions_of(s, s->found, capacity, solutions);
    s->found = add_images(&all, s->def->images);
    if (!sinew_closed_report(s)) {
      s->solver->functions->evaluate(s->solver, s->targets, solutions);
    }
  }
  report_on(s, &rest, report);
  finish(s, false, true, s->found > 0 ? solutions : rest.q, report);
  return s->found;
}

// The combinations of components' solutions so far.
typedef struct product {
  sinew_solutions all;
  double count, points; // without regard to the capacity: of all, and of those without a part that
                        // is one of a continuum
  sinew_completeness completeness;
} product;

// Adds the solutions of component k. q receives the nearest or, if there is none, what the search
// ended with.
static void take_component(product *p, int k, const sinew_search *part, const double *end,
                           double *q) {
  sinew_component_copy(&part->solver->problem, part->found > 0 ? part->known : end, q);
  if (part->found == 0) {
    p->all.count = 0;
  } else if (p->all.count > 0) {
    sinew_solutions_multiply(&p->all, k, part->known, part->found);
  }
  p->all.late = p->all.late || part->attempts.late;
  p->count *= part->found;
  p->points *= sinew_max(0.0, part->found - part->continuum);
  p->completeness = part->completeness < p->completeness ? part->completeness : p->completeness;
}

// All combinations of the components' solutions, the nearest where there are more than capacity. A
// component without a solution leaves none.
static int solve_all_apart(sinew_search *s, int count, int capacity, double *solutions,
                           sinew_report *report) {
  double *q = s->solver->components.q;
  separate sum = {.outcome = SINEW_OUTCOME_CONVERGED, .limiting_joint = -1};
  product p = {.all = solutions_of(s, 1, capacity, solutions),
               .count = 1.0,
               .points = 1.0,
               .completeness = SINEW_SOLUTIONS_COMPLETE};
  memcpy(q, s->seed, bytes_of(s));
  if (s->whole != NULL) {
    sinew_levels_bring_into_limits(s->whole, &s->solver->problem, true, q);
  }
  memcpy(solutions, q, bytes_of(s));
  for (int k = 0; k < count; ++k) {
    sinew_search part = component_search(s, k, share_of_time(s, count - k));
    sinew_descent rest;
    part.room = part.points || capacity > SINEW_KNOWN_ALL ? SINEW_KNOWN_ALL : capacity;
    run_all(&part, capacity, NULL, &rest);
    add_outcome(s, k, &part, &rest, &sum);
    take_component(&p, k, &part, rest.q, q);
  }
  conclude(s, q, &sum, report);
  s->found = sinew_solver_converged(s->solver) ? p.all.count : 0;
  if (s->found > 0) {
    p.all.deadline = s->deadline;
    sinew_solutions_sort(&p.all); // sums of the components' distances are rounded in another order
    s->found = add_images(&p.all, s->def->images);
  }
  if (report != NULL && s->found > 0) {
    report->completeness = p.completeness;
    report->continuum = (int)sinew_min(p.count - p.points, s->found);
  }
  finish(s, false, true, q, report);
  return s->found;
}

static sinew_result solve_all(sinew_solver *solver, const sinew_global_def *def,
                              const sinew_target *targets, int count, const double *seed,
                              int capacity, double *solutions, int *found, sinew_report *report) {
  const sinew_global_def defaults = sinew_default_global_def();
  sinew_search s = sinew_search_of(solver, def != NULL ? def : &defaults, targets, seed, true);
  if (found != NULL) {
    *found = 0;
  }
  if (capacity < 1 || solutions == NULL || found == NULL) {
    sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL, "%s",
                    capacity < 1 ? "capacity is not >= 1" : "solutions or found is NULL");
    return sinew_solver_refuse(solver, report);
  }
  const sinew_result result = begin(&s, targets, count, seed, report);
  if (result != SINEW_OK) {
    return result;
  }
  if (s.solver->problem.counted == 0) { // without rows every configuration would be a solution
    sinew_solver_report(s.solver, SINEW_OUTCOME_NO_TASK, 0, -1, report);
    return SINEW_OK;
  }
  const int components = sinew_components_count(s.solver);
  *found = components > 1 ? solve_all_apart(&s, components, capacity, solutions, report)
                          : solve_all_together(&s, capacity, solutions, report);
  return SINEW_OK;
}

sinew_result sinew_solver_solve_all(sinew_solver *solver, const sinew_global_def *def,
                                    const sinew_target *targets, int count, const double *seed,
                                    int capacity, double *solutions, int *found,
                                    sinew_report *report) {
  SINEW_ASSERT(solver != NULL);
  if (found != NULL) {
    *found = 0;
  }
  sinew_solver_begin_call(solver, NULL);
  sinew_result result = begin_influence(solver, def, &targets, &count, seed, report);
  if (result == SINEW_OK) {
    result = sinew_influence_end(
        solver, solve_all(solver, def, targets, count, seed, capacity, solutions, found, report),
        report);
  }
  result = sinew_solver_end_call(solver, result, NULL, report);
  if (result != SINEW_OK && found != NULL) {
    *found = 0;
  }
  return result;
}
