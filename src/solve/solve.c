// Solve to tolerance.
//
// Descents by Levenberg and Marquardt's rule: a step that does not lower the error
// is taken back and tried again with more damping, so the error only falls, and a
// descent ends at a goal, at a limit, or where the error is least nearby. One that
// gains little is dropped soon, and another begun from elsewhere: the same places
// in every run. Sources: Levenberg 1944, Marquardt 1963; see method.c.
#include "base/error.h"
#include "math/vector.h"
#include "solve/reach.h"
#include "solve/solver.h"

#include <string.h>

// A step that was taken back is tried again with this much more damping, and
// each that is kept lets go of some.
#define HARDER 8.0
#define EASIER 0.25
#define HARDEST 1e14

// A step that removes less than SLOW of E has it asked whether anything is left to
// gain: not where the squared cosine between the error and all that free joints can
// do is below STATIONARY. The last descent goes on until steps gain less than LITTLE.
#define SLOW 1e-3
#define LITTLE 1e-6
#define STATIONARY 1e-14

// A joint whose gradient stands for less than this share of the error is not pushed.
#define NOTHING 1e-20

// Other starts: their random numbers; how many are worth their time where a goal
// is proven to be out of reach; and the share of the error at which another start
// is better than the seed's and not merely elsewhere.
#define RESTART_SEED 7
#define ATTEMPTS_OUT_OF_REACH 3
#define CLEARLY 0.98

// A solve under way.
typedef struct descent {
  const sinew_target *targets;
  double *q; // where it is
  double E;  // there
  int steps; // of all descents so far
  bool converged;
  double deadline; // of the clock
  bool late;
} descent;

// When a descent gives up: after so many steps in a row that each gain less than
// a share of E.
typedef struct patience {
  double little;
  int steps;
  bool by_size; // errors beyond a size of the figure count as in worth()
} patience;

// Whether a joint at a limit is pushed beyond it.
static bool is_blocked(const sinew_solver *solver, int slot) {
  const double g = solver->gradient[slot];
  return (solver->box_upper[slot] <= 0.0 && g > 0.0) || (solver->box_lower[slot] >= 0.0 && g < 0.0);
}

// How much of the error a small step could still remove: the squared cosine
// between it and what the free joints can move it along.
static double descent_left(const sinew_solver *solver, double E) {
  const sinew_rows *rows = &solver->set.rows;
  double g2 = 0.0, J2 = 0.0;
  for (int slot = 0; slot < rows->dof_count; ++slot) {
    g2 += is_blocked(solver, slot) ? 0.0 : solver->gradient[slot] * solver->gradient[slot];
  }
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    for (int i = 0; i < block->path_count * block->row_count; ++i) {
      J2 += rows->values[block->value_start + i] * rows->values[block->value_start + i];
    }
  }
  return g2 > 0.0 ? g2 / (2.0 * E * J2) : 0.0;
}

// Whether the time is up; the clock is only asked where there is a limit.
static bool is_late(const sinew_solver *solver, descent *d) {
  if (d->deadline < INFINITY && !d->late) {
    d->late = !(solver->def.clock(solver->def.clock_context) < d->deadline);
  }
  return d->late;
}

// What a gain in E may be measured against: E itself; of errors beyond one size of the
// figure (E = 1/2), a size times the error, so that getting closer by a share of the
// size counts the same however far the target is.
static double worth(double E) {
  return E <= 0.5 ? E : sqrt(0.5 * E);
}

// Steps from d->q until a goal, a stationary point, the end of patience or of
// the budget. A step that does not lower E is taken back and tried again with
// more damping.
static void descend(sinew_solver *solver, sinew_method method, patience wait, descent *d) {
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  double harder = 1.0;
  int slow = 0;
  bool moved = true;
  d->E = sinew_solver_evaluate(solver, d->targets, d->q);
  d->converged = sinew_solver_converged(solver);
  while (!d->converged && d->steps < solver->def.max_steps && !is_late(solver, d)) {
    if (moved) {
      sinew_solver_linearize(solver, d->q, 0.0, method == SINEW_METHOD_NEWTON);
    }
    sinew_solver_find_step(solver, method, harder);
    sinew_solver_apply_step(solver, d->q, solver->q);
    const double E = sinew_solver_evaluate(solver, d->targets, solver->q);
    const double gain = (d->E - E) / (wait.by_size ? worth(d->E) : d->E);
    ++d->steps;
    moved = E < d->E;
    if (moved) {
      memcpy(d->q, solver->q, bytes);
      d->E = E;
      d->converged = sinew_solver_converged(solver);
    }
    harder = moved ? sinew_max(1.0, harder * EASIER) : harder * HARDER;
    slow = gain < wait.little ? slow + 1 : 0;
    if (slow >= wait.steps || harder > HARDEST ||
        (gain < SLOW && descent_left(solver, d->E) < STATIONARY)) {
      break;
    }
  }
}

// Whether a slot is the first of a ball's three, all in use.
static bool is_whole_ball(const sinew_task_set *set, const sinew_model *model, int slot) {
  const int v = set->dof_of_slot[slot];
  return model->ball_axis[v] == 0 && slot + 2 < set->rows.dof_count &&
         set->dof_of_slot[slot + 2] == v + 2;
}

// Another place to start from: random values for all that may move. A ball that may
// turn about some of its axes only stays where it is.
static void restart(sinew_solver *solver, int attempt, double *q) {
  const sinew_task_set *set = &solver->set;
  const uint64_t stream = sinew_random_bits(RESTART_SEED, (uint64_t)attempt);
  sinew_configuration_random(solver->model, RESTART_SEED, (uint64_t)attempt, solver->q);
  for (int slot = 0; slot < set->rows.dof_count; ++slot) {
    const int v = set->dof_of_slot[slot], at = solver->model->q_of_v[v];
    if (solver->model->ball_axis[v] < 0) {
      const double lower = solver->lower[v], upper = solver->upper[v];
      const bool bounded = sinew_is_usable(lower) && sinew_is_usable(upper);
      const double u = sinew_random_uniform(stream, (uint64_t)v);
      q[at] = sinew_clamp(bounded ? lower + u * (upper - lower) : solver->q[at], lower, upper);
    } else if (is_whole_ball(set, solver->model, slot)) {
      memcpy(q + at, solver->q + at, 4 * sizeof(double));
    }
  }
}

// Values in use that start outside their limits are brought to them.
static void bring_inside(const sinew_solver *solver, double *q) {
  const sinew_task_set *set = &solver->set;
  for (int slot = 0; slot < set->rows.dof_count; ++slot) {
    const int v = set->dof_of_slot[slot], at = solver->model->q_of_v[v];
    if (solver->model->ball_axis[v] < 0) {
      q[at] = sinew_clamp(q[at], solver->lower[v], solver->upper[v]);
    } else if (solver->model->ball_axis[v] == 0) {
      sinew_quaternion_normalize(q + at);
    }
  }
}

static int joint_of_dof(const sinew_model *model, int v) {
  int j = 0;
  while (model->joints[j].driver >= 0 || v < model->joints[j].v_index ||
         v >= model->joints[j].v_index + model->joints[j].nv) {
    ++j;
  }
  return j;
}

// How much of the error the gradient of one degree of freedom stands for: the squared
// cosine between the two.
static double pull_of(const sinew_solver *solver, int slot, double E) {
  const sinew_rows *rows = &solver->set.rows;
  double J2 = 0.0;
  for (int t = rows->touch_start[slot]; t < rows->touch_start[slot + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->touches[t].block];
    const double *column =
        rows->values + block->value_start + rows->touches[t].k * block->row_count;
    for (int i = 0; i < block->row_count; ++i) {
      J2 += column[i] * column[i];
    }
  }
  const double g = solver->gradient[slot];
  return J2 > 0.0 && E > 0.0 ? g * g / (2.0 * E * J2) : 0.0;
}

// The joint whose limit holds back most of the error, or -1 where none does: a gradient
// that is the rounding of nothing blocks nothing.
static int find_limiting_joint(const sinew_solver *solver) {
  int worst = -1;
  double most = 0.0;
  for (int slot = 0; slot < solver->set.rows.dof_count; ++slot) {
    const double pull = pull_of(solver, slot, solver->E);
    if (is_blocked(solver, slot) && pull > sinew_max(most, NOTHING)) {
      most = pull;
      worst = solver->set.dof_of_slot[slot];
    }
  }
  return worst < 0 ? -1 : joint_of_dof(solver->model, worst);
}

// Whether it is proven that no configuration meets all targets.
static bool is_excluded(const sinew_solver *solver, const descent *d) {
  return sinew_reach_excludes(&solver->set, solver->model, d->targets, solver->lower, solver->upper,
                              d->q);
}

// Why a descent ended short of its goal.
static sinew_outcome explain(sinew_solver *solver, const descent *d, int *limiting_joint) {
  sinew_solver_evaluate(solver, d->targets, d->q);
  sinew_solver_linearize(solver, d->q, 0.0, false);
  if (is_excluded(solver, d)) {
    return SINEW_OUTCOME_OUT_OF_REACH;
  }
  if (d->late || d->steps >= solver->def.max_steps) {
    return d->late ? SINEW_OUTCOME_TIME_LIMIT : SINEW_OUTCOME_STEP_LIMIT;
  }
  *limiting_joint = find_limiting_joint(solver);
  return *limiting_joint >= 0 ? SINEW_OUTCOME_BLOCKED_BY_LIMITS : SINEW_OUTCOME_STALLED;
}

// Damped least squares is the quickest towards what can be reached; Newton's step
// comes to rest where nothing can.
static sinew_method first_method(const sinew_solver *solver) {
  const sinew_method method = solver->def.method;
  return method == SINEW_METHOD_DEFAULT ? SINEW_METHOD_DLS : method;
}

static sinew_method last_method(const sinew_solver *solver) {
  const sinew_method method = solver->def.method;
  return method == SINEW_METHOD_DEFAULT ? SINEW_METHOD_NEWTON : method;
}

// Descents from the seed, then from elsewhere, each dropped as soon as it gains
// little; q is then the best of them. A descent from elsewhere replaces the seed's
// only if it is clearly better.
static void attempt_all(sinew_solver *solver, int most, descent *d) {
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  const int enough = solver->def.max_steps - solver->def.max_steps / 4;
  const patience brief = {.little = 0.02, .steps = 4};
  double least = INFINITY;
  for (int attempt = 0; attempt < most && !d->converged; ++attempt) {
    if (attempt > 0) {
      if (d->steps >= enough || d->late) {
        break;
      }
      restart(solver, attempt, d->q);
    }
    descend(solver, first_method(solver), brief, d);
    if (d->converged || d->E < CLEARLY * least) {
      least = d->E;
      memcpy(solver->best, d->q, bytes);
    }
    if (attempt == 0 && !d->converged && is_excluded(solver, d)) {
      most = most < ATTEMPTS_OUT_OF_REACH ? most : ATTEMPTS_OUT_OF_REACH;
    }
  }
  memcpy(d->q, solver->best, bytes);
}

sinew_result sinew_solver_solve(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report) {
  const sinew_result result = sinew_solver_check(solver, targets, count, q);
  if (result != SINEW_OK) {
    return result;
  }
  descent d = {.targets = targets, .q = q, .deadline = INFINITY};
  if (solver->def.time_limit < INFINITY) {
    d.deadline = solver->def.clock(solver->def.clock_context) + solver->def.time_limit;
  }
  bring_inside(solver, q);
  attempt_all(solver, solver->def.max_attempts, &d);
  sinew_outcome outcome = SINEW_OUTCOME_CONVERGED;
  int limiting_joint = -1;
  if (!d.converged) {
    const patience long_wait = {.little = LITTLE, .steps = 12, .by_size = true};
    descend(solver, last_method(solver), long_wait, &d);
  }
  if (!d.converged) {
    outcome = explain(solver, &d, &limiting_joint);
  }
  sinew_solver_report(solver, outcome, d.steps, limiting_joint, report);
  return SINEW_OK;
}
