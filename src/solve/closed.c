// See closed.h.
#include "solve/closed.h"
#include "math/vector.h"
#include "solve/search.h"

#include <string.h>

// Where a closed form's error is not only rounding it is refined by so many steps, to this one at
// most.
#define ACCEPTED 1e-10
#define REFINE_STEPS 3

// Values of the redundant coordinate of seven joints.
#define SINEW_SWEEP 64
#define NO_KEY (-1.0)
#define MOST_ROWS (SINEW_SWEEP * SINEW_ARM_SOLUTIONS)

// A solution may be this far outside the limits [rad] and still be brought within them.
#define HARDLY 0.05

const sinew_family *sinew_closed_family(sinew_solver *solver, const double *q) {
  sinew_closed *closed = &solver->closed;
  if (!closed->known || !sinew_family_holds(&closed->family, q)) {
    sinew_family_find(&solver->problem, q, &closed->family);
    closed->known = true;
  }
  return &closed->family;
}

// The family that searches would use.
static const sinew_family *family_of(sinew_solver *solver, const double *q) {
  SINEW_ASSERT(solver != NULL && q != NULL);
  return sinew_closed_family(solver->levels->used ? sinew_levels_search_solver(solver) : solver, q);
}

const char *sinew_solver_family(sinew_solver *solver, const double *q) {
  const sinew_family *family = family_of(solver, q);
  return sinew_family_is_exact(family) ? sinew_family_string(family) : NULL;
}

const char *sinew_solver_nearby_family(sinew_solver *solver, const double *q, double *deviation) {
  const sinew_family *family = family_of(solver, q);
  if (family->kind == SINEW_FAMILY_NONE) {
    return NULL;
  }
  if (deviation != NULL) {
    *deviation = family->deviation;
  }
  return sinew_family_string(family);
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
    if (found[i].error > SINEW_ARM_EXACT) {
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

// Sorts the known rows by their distances, in keys: as many buckets of equal width as there are
// rows, then by insertion, since a bucket has few rows.
static void sort_known(sinew_search *s, const double *keys) {
  const size_t nq = (size_t)s->solver->model->nq;
  const int count = s->found;
  unsigned short order[MOST_ROWS], next[MOST_ROWS], start[MOST_ROWS + 1] = {0};
  double least = INFINITY, most = 0.0;
  for (int i = 0; i < count; ++i) {
    least = sinew_min(least, keys[i]);
    most = sinew_max(most, keys[i]);
  }
  const double by = most > least ? (count - 1) / (most - least) : 0.0;
  for (int i = 0; i < count; ++i) {
    next[i] = (unsigned short)((keys[i] - least) * by);
    ++start[next[i] + 1];
  }
  for (int i = 0; i < count; ++i) {
    start[i + 1] = (unsigned short)(start[i + 1] + start[i]);
  }
  for (int i = 0; i < count; ++i) {
    order[start[next[i]]++] = (unsigned short)i;
  }
  for (int i = 1; i < count; ++i) {
    const unsigned short row = order[i];
    int at = i;
    for (; at > 0 && keys[order[at - 1]] > keys[row]; --at) {
      order[at] = order[at - 1];
    }
    order[at] = row;
  }
  // Each cycle of the order moves its rows by one place.
  double *spare = s->solver->search.spare;
  for (int i = 0; i < count; ++i) {
    if (order[i] == i) {
      continue;
    }
    int at = i;
    memcpy(spare, s->known + (size_t)i * nq, bytes_of(s));
    while (order[at] != i) {
      const int from = order[at];
      memcpy(s->known + (size_t)at * nq, s->known + (size_t)from * nq, bytes_of(s));
      order[at] = (unsigned short)at;
      at = from;
    }
    memcpy(s->known + (size_t)at * nq, spare, bytes_of(s));
    order[at] = (unsigned short)at;
  }
}

static void measure_and_sort(sinew_search *s) {
  double keys[MOST_ROWS];
  keys[0] = 0.0;
  for (int i = 0; i < s->found; ++i) {
    keys[i] = sinew_search_distance(s, s->known + (size_t)i * (size_t)s->solver->model->nq);
  }
  sort_known(s, keys);
}

// ------------------------------------------------------- branches side by side

// The ranges of all axes but the given one, which is -1 where none is.
static void ranges_of(const sinew_search *s, const sinew_family *family, int given,
                      sinew_arm_range *ranges) {
  const sinew_problem *problem = &s->solver->problem;
  for (int i = 0, k = 0; i < family->arm.count; ++i) {
    const int v = problem->dof_of_column[i];
    if (i != given) {
      ranges[k++] =
          (sinew_arm_range){.lower = problem->lower[v],
                            .upper = problem->upper[v],
                            .near = s->solver->search.seed[family->at[i]],
                            .from = s->seed[family->at[i]],
                            .weight = s->def->distances != NULL ? s->def->distances[v] : 1.0};
    }
  }
}

// Whether a row's error is at most a bound, by forward kinematics.
static bool is_within(const sinew_arm_plan *plan, const sinew_arm_set *set, int row, double most) {
  return set->turn[row] <= most * most && set->gap[row] <= most * plan->size * (most * plan->size);
}

// Refines what is not exact, whose errors are then unknown; false: some row is not exact after
// that, either.
static bool refine_rows(const sinew_arm_plan *plan, const double *R, const double *p,
                        sinew_arm_set *set) {
  const int count = plan->own.count;
  const unsigned others = set->exists & ~set->exact;
  for (int row = 0; others >> row != 0; ++row) {
    if ((others >> row & 1u) == 0) {
      continue;
    }
    sinew_angle a[SINEW_ARM_MOST];
    if (count != 6 && is_within(plan, set, row, ACCEPTED)) {
      continue;
    }
    if (count != 6) {
      return false;
    }
    for (int i = 0; i < count; ++i) {
      a[i] = (sinew_angle){set->c[i][row], set->s[i][row]};
    }
    if (!(sinew_arm_refine(&plan->own, plan->size, R, p, REFINE_STEPS, a) <= ACCEPTED)) {
      return false;
    }
    for (int i = 0; i < count; ++i) {
      set->value[i][row] = sinew_angle_value(a[i]);
    }
    set->turn[row] = set->gap[row] = INFINITY;
  }
  return true;
}

// Whether a row that is outside the limits may be within them up to the tolerance.
static bool is_hardly_outside(const sinew_arm_set *set, int count, const sinew_arm_range *ranges,
                              int row) {
  bool near = true;
  for (int i = 0; near && i < count; ++i) {
    const double x = set->value[i][row];
    near = x >= ranges[i].lower - HARDLY && x <= ranges[i].upper + HARDLY;
  }
  return near;
}

// Whether a row of known is a configuration: the angles' differences decide where one is large.
static bool is_same_row(const sinew_search *s, const sinew_family *family, const double *a,
                        const double *b) {
  const double most = s->def->distinct;
  for (int i = 0; i < family->arm.count; ++i) {
    const double d = fabs(a[family->at[i]] - b[family->at[i]]);
    if (d >= most && d <= 2.0 * SINEW_PI - most) {
      return false;
    }
  }
  return sinew_problem_is_same(&s->solver->problem, most, a, b);
}

// Where the angles of a set are in a configuration, and the given one of seven.
typedef struct places {
  int count, at[SINEW_ARM_MOST];
  int given; // -1: none
  double value;
  bool whole; // these are all of its values
} places;

static places places_of(const sinew_search *s, const sinew_family *family, int given,
                        double value) {
  places p = {.given = -1, .value = value, .whole = family->arm.count == s->solver->model->nq};
  for (int i = 0; i < family->arm.count; ++i) {
    if (i == given) {
      p.given = family->at[i];
    } else {
      p.at[p.count++] = family->at[i];
    }
  }
  return p;
}

// A row of a set as a configuration.
static void write_row(const sinew_search *s, const places *p, const sinew_arm_set *set, int row,
                      double *q) {
  if (!p->whole) {
    memcpy(q, s->solver->search.seed, bytes_of(s));
  }
  for (int i = 0; i < p->count; ++i) {
    q[p->at[i]] = set->value[i][row];
  }
  if (p->given >= 0) {
    q[p->given] = p->value;
  }
}

// The rows that are within limits, or may be: as many as returned, from the nearest on.
static int find_wanted(const sinew_family *family, const sinew_arm_set *set, int count,
                       const sinew_arm_range *ranges, sinew_arm_placed *placed) {
  const unsigned outside = family->arm.count == 6 ? set->exists & ~placed->within : 0;
  int rows = 0;
  for (int row = 0; row < SINEW_ARM_BRANCHES; ++row) {
    rows += (int)(placed->within >> row & 1u);
  }
  for (int row = 0; row < SINEW_ARM_BRANCHES && outside >> row != 0; ++row) {
    if ((outside >> row & 1u) != 0 && is_hardly_outside(set, count, ranges, row)) {
      placed->order[rows++] = row;
    }
  }
  return rows;
}

// Keeps the rows of a set that are within limits, from the nearest on. given: the axis that is not
// in the set, with its value, or -1. keys receives their distances; where there is no room for all
// that are wanted, or a row is brought within limits, keys[0] becomes NO_KEY. Returns the row of
// the first one kept, -1 if it was changed or there is none.
static int keep_rows(sinew_search *s, const sinew_family *family, sinew_arm_set *set,
                     const sinew_arm_range *ranges, int given, double value, double *keys) {
  const places to = places_of(s, family, given, value);
  const int first = s->found;
  const size_t nq = (size_t)s->solver->model->nq;
  sinew_arm_placed placed;
  int kept = -1;
  if (set->exists == 0) {
    return kept;
  }
  s->solver->functions->place_branches(set, to.count, ranges, s->def->distinct, &placed);
  const int rows = find_wanted(family, set, to.count, ranges, &placed);
  for (int r = 0; r < rows; ++r) {
    const int row = placed.order[r];
    const bool room = s->found < s->room, within = (placed.within >> row & 1u) != 0;
    double *q = room ? s->known + (size_t)s->found * nq : s->solver->search.spare;
    write_row(s, &to, set, row, q);
    bool known = !within && !sinew_search_bring_within(s, q);
    // Where there is no room, rows of other sets may have been replaced.
    const bool alike = placed.alike || !within || !room;
    for (int j = room ? first : 0; alike && j < s->found && !known; ++j) {
      known = is_same_row(s, family, s->known + (size_t)j * nq, q);
    }
    if (!known && room) {
      kept = s->found == first && within ? row : kept;
      keys[s->found++] = placed.distance[row];
    } else if (!known) {
      sinew_search_keep(s, q);
    }
    keys[0] = known || (within && room) ? keys[0] : NO_KEY;
  }
  return kept;
}

// Angles beyond this [rad], whole turns from those of the set, are rounded by much more: their
// poses have other errors.
#define LARGE_ANGLE 25.0

// The errors of the first solution, the nearest, if it is a row of a set as it is.
static void take_errors(sinew_search *s, const sinew_arm_set *set, int row) {
  double largest = 0.0;
  for (int i = 0; row >= 0 && i < s->solver->model->nq; ++i) {
    largest = sinew_max(largest, fabs(s->known[i]));
  }
  if (row >= 0 && set->turn[row] < INFINITY && largest < LARGE_ANGLE &&
      s->solver->model->function_count == 0) {
    s->measured = true;
    s->position_error = sqrt(set->gap[row]);
    s->orientation_error = sqrt(set->turn[row]);
  }
}

bool sinew_closed_report(const sinew_search *s) {
  if (s->measured) {
    sinew_task_evaluation *task = &s->solver->evaluation.tasks[0];
    task->position_error = s->position_error;
    task->orientation_error = s->orientation_error;
  }
  return s->measured;
}

// Solves side by side and refines. Returns false where the axes must be solved one branch after
// another; a set without rows is unreachable.
static bool solve_side_by_side(const sinew_search *s, const sinew_arm_plan *plan, const double *R,
                               const double *p, double swivel, sinew_arm_set *set) {
  const sinew_arm_result result = s->solver->functions->solve_branches(plan, R, p, swivel, set);
  if (result == SINEW_ARM_UNREACHABLE) {
    set->exists = 0;
  }
  return result == SINEW_ARM_UNREACHABLE ||
         (result == SINEW_ARM_SOLVED && refine_rows(plan, R, p, set));
}

// Six axes: all solutions, or false at a pose that is singular or out of reach.
static bool keep_branches(sinew_search *s, const sinew_family *family, const double *R) {
  sinew_arm_set set;
  sinew_arm_range ranges[SINEW_ARM_MOST];
  double keys[SINEW_ARM_BRANCHES] = {0.0};
  if (!solve_side_by_side(s, &family->plan, R, s->targets[0].position, 0.0, &set) ||
      set.exists == 0) {
    return false;
  }
  ranges_of(s, family, -1, ranges);
  const int row = keep_rows(s, family, &set, ranges, -1, 0.0, keys);
  s->sorted = keys[0] != NO_KEY;
  if (s->sorted) {
    take_errors(s, &set, row);
  }
  return true;
}

// The one solution that is wanted of many; false: none is within limits.
static bool choose_among(sinew_search *s, const sinew_family *family, sinew_arm_solution *found,
                         int count) {
  double *q = s->solver->search.spare;
  s->least = INFINITY;
  for (int i = 0; i < count; ++i) {
    if (accept(s, family, &found[i], q)) {
      const double cost = sinew_search_cost(s, q);
      if (cost < s->least) {
        s->least = cost;
        memcpy(s->solver->search.answer, q, bytes_of(s));
        s->answered = true;
      }
    }
  }
  return s->answered;
}

// All solutions that a search of one angle finds.
static bool run_pair(sinew_search *s, const sinew_family *family) {
  sinew_arm_solution found[SINEW_ARM_SOLUTIONS];
  double R[9];
  if (!s->all && s->def->mode == SINEW_GLOBAL_FIRST) { // the search is faster
    return false;
  }
  sinew_family_rotation(family, &s->targets[0], R);
  const int count =
      s->solver->functions->solve_pair(&family->plan, R, s->targets[0].position, found);
  if (!sinew_family_is_exact(family)) {
    make_starts(s, family, R, found, count);
    return false;
  }
  s->completeness = SINEW_SOLUTIONS_GRID;
  if (!s->all) {
    return choose_among(s, family, found, count);
  }
  collect(s, family, R, found, count);
  measure_and_sort(s);
  s->sorted = true;
  return s->found > 0;
}

static bool run_six(sinew_search *s, const sinew_family *family) {
  sinew_arm_solution found[SINEW_ARM_SOLUTIONS];
  double R[9], seed[SINEW_ARM_MOST];
  sinew_family_rotation(family, &s->targets[0], R);
  s->completeness = sinew_family_is_exact(family) ? SINEW_SOLUTIONS_COMPLETE : s->completeness;
  if (sinew_family_is_exact(family) && keep_branches(s, family, R)) {
    return s->found > 0;
  }
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
    measure_and_sort(s);
    s->sorted = true;
  }
  return s->found > 0;
}

// ------------------------------------------------------------ seven joints

// Keeps the accepted solutions at one value of the redundant coordinate. R, p: of the six joints.
static void collect_at(sinew_search *s, const sinew_family *family, const sinew_arm_plan *plan,
                       const double *R, const double *p, sinew_angle given,
                       sinew_arm_solution *found, int count) {
  const int first = s->found, k = family->given;
  const bool exact = sinew_family_is_exact(family);
  const size_t nq = (size_t)s->solver->model->nq;
  double *q = s->solver->search.spare;
  for (int i = 0; i < count; ++i) {
    sinew_arm_solution *one = &found[i];
    // All seven axes move, and so the swivel: not where it is to be the given one.
    if (one->error > SINEW_ARM_EXACT && (k >= 0 || !exact)) {
      one->error = sinew_arm_refine(&plan->own, plan->size, R, p, REFINE_STEPS, one->a);
    }
    if (k >= 0) {
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
        s->continuum += one->any && s->found < s->room && exact;
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

// Keeps the accepted solutions at one value of the redundant coordinate; of a form that is not
// exact those that Newton steps lead to from them.
static void solve_at(sinew_search *s, const sinew_family *family, const double *R, double value,
                     const double *seed, const sinew_arm_range *ranges, double *keys) {
  const double *p = s->targets[0].position;
  const sinew_angle angle = sinew_angle_of(value);
  const bool exact = sinew_family_is_exact(family);
  sinew_arm_solution found[SINEW_ARM_SOLUTIONS];
  sinew_arm_set set;
  sinew_arm_plan scratch;
  double R_six[9], p_six[3], six[SINEW_ARM_MOST];
  if (family->kind == SINEW_FAMILY_SRS) {
    if (exact && solve_side_by_side(s, &family->plan, R, p, value, &set)) {
      const int row = keep_rows(s, family, &set, ranges, -1, 0.0, keys);
      if (s->def->swivel != NULL && keys[0] != NO_KEY) {
        take_errors(s, &set, row);
      }
      return;
    }
    keys[0] = NO_KEY;
    const int count = sinew_arm_solve_srs(&family->plan, R, p, value, seed, found);
    collect_at(s, family, &family->plan, R, p, angle, found, count);
    return;
  }
  const int k = family->given;
  const sinew_arm_plan *plan = sinew_family_plan_at(family, angle, R, p, R_six, p_six, &scratch);
  if (exact && solve_side_by_side(s, plan, R_six, p_six, 0.0, &set)) {
    keep_rows(s, family, &set, ranges, k, value, keys);
    return;
  }
  keys[0] = NO_KEY;
  memcpy(six, seed, (size_t)k * sizeof *six);
  memcpy(six + k, seed + k + 1, (size_t)(6 - k) * sizeof *six);
  const int count = sinew_arm_solve(plan, R_six, p_six, six, found);
  collect_at(s, family, plan, R_six, p_six, angle, found, count);
}

// All solutions at the values of a grid; of a form that is not exact those near them.
static bool run_seven(sinew_search *s, const sinew_family *family) {
  double R[9], seed[SINEW_ARM_MOST], lower = -SINEW_PI, upper = SINEW_PI;
  const double *swivel = family->kind == SINEW_FAMILY_SRS ? s->def->swivel : NULL;
  sinew_arm_range ranges[SINEW_ARM_MOST];
  double keys[MOST_ROWS];
  keys[0] = 0.0;
  sinew_family_rotation(family, &s->targets[0], R);
  for (int i = 0; i < family->arm.count; ++i) {
    seed[i] = s->seed[family->at[i]];
  }
  if (family->kind == SINEW_FAMILY_SEVEN) {
    range_of(s, family, &lower, &upper);
  }
  ranges_of(s, family, family->given, ranges);
  if (swivel != NULL) {
    solve_at(s, family, R, *swivel, seed, ranges, keys);
  }
  for (int i = 0; i < SINEW_SWEEP && swivel == NULL; ++i) {
    solve_at(s, family, R, lower + (i + 0.5) * (upper - lower) / SINEW_SWEEP, seed, ranges, keys);
  }
  if (keys[0] == NO_KEY) {
    measure_and_sort(s);
  } else if (swivel == NULL) { // at one value they are sorted
    sort_known(s, keys);
  }
  s->sorted = true;
  if (sinew_family_is_exact(family)) {
    s->completeness = swivel != NULL ? SINEW_SOLUTIONS_COMPLETE : SINEW_SOLUTIONS_GRID;
  }
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
  const sinew_family *family = sinew_closed_family(s->solver, s->seed);
  if (count == 7) {
    return family->kind != SINEW_FAMILY_NONE && run_seven(s, family);
  }
  if (family->kind != SINEW_FAMILY_SIX) {
    return false;
  }
  if (family->form == SINEW_ARM_PAIR) {
    return run_pair(s, family);
  }
  if (!run_six(s, family)) {
    return false;
  }
  if (!s->all) {
    choose(s);
  }
  return true;
}
