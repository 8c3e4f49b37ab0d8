// The solver: tasks and targets to joint values.
//
// Damped least squares whose damping grows with the error: mu = c E + floor, E
// half the squared residual (Chan and Lawrence, General inverse kinematics with
// the error damped pseudoinverse, 1988; Sugihara, Solvability-unconcerned inverse
// kinematics by the Levenberg-Marquardt method, 2011). In a solve, a step that
// does not lower the error is taken back and mu raised; so the error only falls,
// and a solve ends at a goal, at a limit, or where the error is least nearby.
#include "base/error.h"
#include "math/vector.h"
#include "solve/reach.h"
#include "step/box.h"
#include "task/task.h"

#include <string.h>

#define COOKIE UINT32_C(0x534c5645)

// Errors beyond one size of the figure (E = 1/2) add no more damping: how far
// away a target is says nothing of how the figure should move.
#define MOST_ERROR 0.5

// A step that was taken back is tried again with this much more damping, and
// each that is kept lets go of some.
#define HARDER 8.0
#define EASIER 0.25
#define HARDEST 1e14

// A step has gained next to nothing where it removes less than this share of E;
// a descent ends after so many in a row, or where the error is across all that
// joints can do.
#define LITTLE 1e-4
#define PATIENCE 12
#define STATIONARY 1e-14

struct sinew_solver {
  sinew_allocator allocator;
  const sinew_model *model;
  sinew_solver_def def;
  sinew_state state;
  sinew_task_set set;
  sinew_dls_scratch dls;
  double *lower, *upper;         // nv, in force
  double *gains;                 // nv, 0 where frozen
  double *strength;              // nv, as set, not looking at frozen ones
  unsigned char *frozen;         // nv
  double *box_lower, *box_upper; // a slot each, scaled
  double *e;                     // a row each: the error that steps aim at
  double *x;                     // a slot each
  double *gradient;              // a slot each
  double *q;                     // nq, the trial
  double *best;                  // nq
};

sinew_solver_def sinew_default_solver_def(void) {
  return (sinew_solver_def){
      .cookie = COOKIE,
      .task_capacity = 8,
      .position_tolerance = 1e-6,
      .orientation_tolerance = 1e-6,
      .max_steps = 200,
      .error_damping = 0.1,
      .damping_floor = 1e-12,
      .max_turn = 1.0,
      .error_gain = 1.0,
  };
}

const char *sinew_outcome_string(sinew_outcome outcome) {
  static const char *const words[SINEW_OUTCOME_COUNT] = {
      "converged", "out_of_reach", "blocked_by_limits", "stalled", "step_limit"};
  return (int)outcome >= 0 && outcome < SINEW_OUTCOME_COUNT ? words[outcome] : "unknown";
}

// ---------------------------------------------------------------- creation

static void solver_layout(sinew_arena *arena, sinew_solver *solver, const sinew_model *model) {
  const size_t nv = (size_t)model->nv, nq = (size_t)model->nq;
  const int capacity = solver->def.task_capacity;
  sinew_state_layout(arena, &solver->state, model);
  sinew_task_set_layout(arena, model, capacity, &solver->set);
  sinew_dls_layout(arena, 6 * capacity, model->nv, solver->def.dls_form, &solver->dls);
  solver->lower = sinew_arena_take(arena, nv, sizeof(double));
  solver->upper = sinew_arena_take(arena, nv, sizeof(double));
  solver->gains = sinew_arena_take(arena, nv, sizeof(double));
  solver->strength = sinew_arena_take(arena, nv, sizeof(double));
  solver->frozen = sinew_arena_take(arena, nv, 1);
  solver->box_lower = sinew_arena_take(arena, nv, sizeof(double));
  solver->box_upper = sinew_arena_take(arena, nv, sizeof(double));
  solver->e = sinew_arena_take(arena, 6 * (size_t)capacity, sizeof(double));
  solver->x = sinew_arena_take(arena, nv, sizeof(double));
  solver->gradient = sinew_arena_take(arena, nv, sizeof(double));
  solver->q = sinew_arena_take(arena, nq, sizeof(double));
  solver->best = sinew_arena_take(arena, nq, sizeof(double));
}

static sinew_result check_def(const sinew_solver_def *def, sinew_error *error) {
  const char *field = NULL;
  if (def == NULL || def->cookie != COOKIE) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "the definition does not come from sinew_default_solver_def()");
  }
  // Written so that a NaN is refused too.
  field = !(def->task_capacity >= 0 && def->task_capacity <= 100000) ? "task_capacity" : field;
  field = !(def->position_tolerance > 0.0) ? "position_tolerance" : field;
  field = !(def->orientation_tolerance > 0.0) ? "orientation_tolerance" : field;
  field = !(def->max_steps >= 0) ? "max_steps" : field;
  field =
      !(def->error_damping >= 0.0 && def->error_damping <= SINEW_HUGE) ? "error_damping" : field;
  field =
      !(def->damping_floor >= 0.0 && def->damping_floor <= SINEW_HUGE) ? "damping_floor" : field;
  field = !(def->max_turn > 0.0) ? "max_turn" : field;
  field = !(def->error_gain > 0.0 && def->error_gain <= 1.0) ? "error_gain" : field;
  field = !(def->time_step >= 0.0 && def->time_step <= SINEW_HUGE) ? "time_step" : field;
  field = (int)def->dls_form < 0 || def->dls_form > SINEW_DLS_STACKED ? "dls_form" : field;
  return field == NULL ? SINEW_OK
                       : sinew_error_set(error, SINEW_ERROR_ARGUMENT, field, "out of its range");
}

sinew_result sinew_solver_create(const sinew_solver_def *def, const sinew_model *model,
                                 sinew_solver **solver, sinew_error *error) {
  if (model == NULL || solver == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model or solver is NULL");
  }
  *solver = NULL;
  const sinew_result result = check_def(def, error);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_solver head = {.def = *def, .model = model};
  head.allocator = sinew_allocator_complete(&def->allocator);
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  solver_layout(&arena, &head, model);
  sinew_solver *made = sinew_allocate(&head.allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the solver (%zu bytes)",
                           arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  solver_layout(&arena, made, model);
  for (int v = 0; v < model->nv; ++v) {
    made->gains[v] = made->strength[v] = 1.0;
  }
  sinew_solver_set_limits(made, NULL, NULL);
  sinew_task_set_plan(&made->set, model, NULL, 0, made->gains);
  *solver = made;
  return SINEW_OK;
}

void sinew_solver_destroy(sinew_solver *solver) {
  if (solver != NULL) {
    const sinew_allocator allocator = solver->allocator;
    sinew_release(&allocator, solver);
  }
}

void sinew_solver_reset(sinew_solver *solver) {
  (void)solver;
}

// ---------------------------------------------------------------- settings

sinew_result sinew_solver_set_tasks(sinew_solver *solver, const sinew_task *tasks, int count,
                                    sinew_error *error) {
  if (count < 0 || (count > 0 && tasks == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "tasks is NULL or count negative");
  }
  if (count > solver->def.task_capacity) {
    return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                           "%d tasks are more than task_capacity, %d", count,
                           solver->def.task_capacity);
  }
  for (int t = 0; t < count; ++t) {
    const sinew_result result = sinew_task_check(&tasks[t], solver->model, t, error);
    if (result != SINEW_OK) {
      return result;
    }
  }
  sinew_task_set_plan(&solver->set, solver->model, tasks, count, solver->gains);
  return SINEW_OK;
}

static void apply_gains(sinew_solver *solver) {
  for (int v = 0; v < solver->model->nv; ++v) {
    solver->gains[v] = solver->frozen[v] ? 0.0 : solver->strength[v];
  }
  sinew_task_set_plan(&solver->set, solver->model, NULL, 0, solver->gains);
}

sinew_result sinew_solver_set_frozen(sinew_solver *solver, const unsigned char *frozen) {
  for (int v = 0; v < solver->model->nv; ++v) {
    solver->frozen[v] = frozen != NULL && frozen[v] != 0;
  }
  apply_gains(solver);
  return SINEW_OK;
}

sinew_result sinew_solver_set_gains(sinew_solver *solver, const double *gains) {
  for (int v = 0; gains != NULL && v < solver->model->nv; ++v) {
    if (!(gains[v] >= 0.0 && gains[v] <= 1e6)) {
      return SINEW_ERROR_ARGUMENT;
    }
  }
  for (int v = 0; v < solver->model->nv; ++v) {
    solver->strength[v] = gains != NULL ? gains[v] : 1.0;
  }
  apply_gains(solver);
  return SINEW_OK;
}

sinew_result sinew_solver_set_limits(sinew_solver *solver, const double *lower,
                                     const double *upper) {
  const sinew_model *model = solver->model;
  lower = lower != NULL ? lower : model->lower;
  upper = upper != NULL ? upper : model->upper;
  for (int v = 0; v < model->nv; ++v) {
    if (!(lower[v] <= upper[v]) || lower[v] == INFINITY || upper[v] == -INFINITY) {
      return SINEW_ERROR_ARGUMENT;
    }
  }
  memcpy(solver->lower, lower, (size_t)model->nv * sizeof(double));
  memcpy(solver->upper, upper, (size_t)model->nv * sizeof(double));
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    for (int i = joint->nv - 3; joint->nq > joint->nv && i < joint->nv; ++i) {
      solver->lower[joint->v_index + i] = -INFINITY;
      solver->upper[joint->v_index + i] = INFINITY;
    }
  }
  return SINEW_OK;
}

// ------------------------------------------------------------- one evaluation

static sinew_result check_call(const sinew_solver *solver, const sinew_target *targets, int count,
                               const double *q) {
  if (count != solver->set.count || (count > 0 && targets == NULL) || q == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  if (!sinew_state_accepts(solver->model, q)) {
    return SINEW_ERROR_NOT_FINITE;
  }
  for (int t = 0; t < count; ++t) {
    if (!sinew_target_usable(&targets[t], &solver->set.plans[t].task)) {
      return SINEW_ERROR_NOT_FINITE;
    }
  }
  return SINEW_OK;
}

// Poses and residual at q; returns E.
static double evaluate(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_state_place_some(&solver->state, q, solver->set.nodes, solver->set.node_count);
  return sinew_task_set_residual(&solver->set, &solver->state, targets);
}

// How far a task is from its tolerance: at most 1 where it is within.
static double task_distance(const sinew_solver *solver, const sinew_task_plan *plan) {
  return sinew_max(plan->position_error / solver->def.position_tolerance,
                   plan->orientation_error / solver->def.orientation_tolerance);
}

static bool is_converged(const sinew_solver *solver) {
  for (int t = 0; t < solver->set.count; ++t) {
    if (!(task_distance(solver, &solver->set.plans[t]) <= 1.0)) {
      return false;
    }
  }
  return true;
}

static void fill_report(const sinew_solver *solver, sinew_outcome outcome, int steps,
                        int limiting_joint, sinew_report *report) {
  if (report == NULL) {
    return;
  }
  *report = (sinew_report){
      .outcome = outcome, .steps = steps, .limiting_joint = limiting_joint, .worst_task = -1};
  double worst = -1.0;
  for (int t = 0; t < solver->set.count; ++t) {
    const sinew_task_plan *plan = &solver->set.plans[t];
    const double far = task_distance(solver, plan);
    report->position_error = sinew_max(report->position_error, plan->position_error);
    report->orientation_error = sinew_max(report->orientation_error, plan->orientation_error);
    report->worst_task = far > worst ? t : report->worst_task;
    worst = sinew_max(worst, far);
  }
}

sinew_result sinew_solver_task_error(const sinew_solver *solver, int task, double *position_error,
                                     double *orientation_error) {
  if (task < 0 || task >= solver->set.count) {
    return SINEW_ERROR_INDEX;
  }
  if (position_error != NULL) {
    *position_error = solver->set.plans[task].position_error;
  }
  if (orientation_error != NULL) {
    *orientation_error = solver->set.plans[task].orientation_error;
  }
  return SINEW_OK;
}

// ------------------------------------------------------------------ one step

// The box of x: from limits, and from speeds where there is a time step. With
// r = speed dt: lower = min(r, max(l - q, -r)), upper = max(-r, min(u - q, r)), so
// that a joint outside its limits moves in at the rate allowed.
static void fill_box(sinew_solver *solver, const double *q, double dt) {
  const sinew_task_set *set = &solver->set;
  const sinew_model *model = solver->model;
  for (int slot = 0; slot < set->rows.dof_count; ++slot) {
    const int v = set->dof_of_slot[slot];
    double lower = -INFINITY, upper = INFINITY;
    if (model->ball_axis[v] < 0) {
      lower = solver->lower[v] - q[model->q_of_v[v]];
      upper = solver->upper[v] - q[model->q_of_v[v]];
    }
    if (dt > 0.0) {
      const double most = model->velocity[v] * dt;
      lower = sinew_min(most, sinew_max(lower, -most));
      upper = sinew_max(-most, sinew_min(upper, most));
    }
    const double scale = set->gain[slot] * set->unit[slot];
    solver->box_lower[slot] = lower / scale;
    solver->box_upper[slot] = upper / scale;
  }
}

// x, the step for the error e, within the box; then, in turns, clamped.
static void find_step(sinew_solver *solver, double mu) {
  const sinew_task_set *set = &solver->set;
  const sinew_dls_problem problem = {.rows = &set->rows,
                                     .e = solver->e,
                                     .gradient = solver->gradient,
                                     .mu = mu,
                                     .lower = solver->box_lower,
                                     .upper = solver->box_upper,
                                     .form = solver->def.dls_form};
  sinew_box_solve(&problem, &solver->dls, solver->x);
  for (int slot = 0; slot < set->rows.dof_count; ++slot) {
    solver->x[slot] *= set->gain[slot];
  }
  sinew_clamp_max_abs(set->rows.dof_count, solver->def.max_turn, solver->x);
}

// Turns the ball whose slots begin at slot; returns the slot after them.
static int turn_ball(const sinew_solver *solver, int slot, double *q) {
  const sinew_task_set *set = &solver->set;
  const sinew_model *model = solver->model;
  const int at = model->q_of_v[set->dof_of_slot[slot]];
  double w[3] = {0.0, 0.0, 0.0}, turn[4];
  for (; slot < set->rows.dof_count; ++slot) {
    const int v = set->dof_of_slot[slot];
    if (model->ball_axis[v] < 0 || model->q_of_v[v] != at) {
      break;
    }
    w[model->ball_axis[v]] = solver->x[slot];
  }
  sinew_quaternion_exp(w, turn);
  sinew_quaternion_multiply(q + at, turn, q + at);
  sinew_quaternion_normalize(q + at);
  return slot;
}

// out = q moved by x. Degrees of freedom that are not in use keep their bits;
// rounding takes none out of limits that it was within.
static void apply_step(const sinew_solver *solver, const double *q, double *out) {
  const sinew_task_set *set = &solver->set;
  const sinew_model *model = solver->model;
  memcpy(out, q, (size_t)model->nq * sizeof(double));
  for (int slot = 0; slot < set->rows.dof_count;) {
    const int v = set->dof_of_slot[slot], at = model->q_of_v[v];
    if (model->ball_axis[v] >= 0) {
      slot = turn_ball(solver, slot, out);
      continue;
    }
    const double moved = q[at] + solver->x[slot] * set->unit[slot];
    out[at] =
        sinew_clamp(moved, sinew_min(solver->lower[v], q[at]), sinew_max(solver->upper[v], q[at]));
    ++slot;
  }
}

static double damping(const sinew_solver *solver, double E) {
  return solver->def.error_damping * sinew_min(E, MOST_ERROR) + solver->def.damping_floor;
}

// Jacobian, error, gradient and box at q, where the state was evaluated last.
static void linearize(sinew_solver *solver, const double *q, double dt) {
  const sinew_rows *rows = &solver->set.rows;
  sinew_task_set_jacobian(&solver->set, &solver->state);
  memcpy(solver->e, rows->residual, (size_t)rows->row_count * sizeof(double));
  sinew_rows_gradient(rows, solver->e, solver->gradient);
  fill_box(solver, q, dt);
}

// ---------------------------------------------------------------------- update

sinew_result sinew_solver_update(sinew_solver *solver, const sinew_target *targets, int count,
                                 double *q, sinew_report *report) {
  const sinew_result result = check_call(solver, targets, count, q);
  if (result != SINEW_OK) {
    return result;
  }
  const sinew_solver_def *def = &solver->def;
  const double E = evaluate(solver, targets, q);
  const bool converged = is_converged(solver);
  fill_report(solver, converged ? SINEW_OUTCOME_CONVERGED : SINEW_OUTCOME_STEP_LIMIT, 1, -1,
              report);
  sinew_task_set_feed_forward(&solver->set, solver->model, targets, def->error_gain,
                              def->time_step);
  linearize(solver, q, def->time_step);
  find_step(solver, damping(solver, E));
  apply_step(solver, q, solver->q);
  memcpy(q, solver->q, (size_t)solver->model->nq * sizeof(double));
  return SINEW_OK;
}

// ----------------------------------------------------------------------- solve

// A solve under way.
typedef struct descent {
  const sinew_target *targets;
  double *q;     // the best so far
  double E;      // there
  double harder; // factor on the damping, from steps that were taken back
  int steps;
  int slow; // steps in a row that gained next to nothing
  bool converged;
} descent;

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

// Steps from d->q until a goal, a stationary point or the last step.
static void descend(sinew_solver *solver, descent *d) {
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  d->E = evaluate(solver, d->targets, d->q);
  d->converged = is_converged(solver);
  d->harder = 1.0;
  d->slow = 0;
  bool moved = true;
  while (!d->converged && d->steps < solver->def.max_steps) {
    if (moved) {
      linearize(solver, d->q, 0.0);
    }
    find_step(solver, d->harder * damping(solver, d->E));
    apply_step(solver, d->q, solver->q);
    const double E = evaluate(solver, d->targets, solver->q);
    ++d->steps;
    moved = E < d->E;
    const double gain = (d->E - E) / d->E;
    if (moved) {
      memcpy(d->q, solver->q, bytes);
      d->E = E;
      d->harder = sinew_max(1.0, d->harder * EASIER);
      d->converged = is_converged(solver);
    } else {
      d->harder *= HARDER;
    }
    d->slow = gain < LITTLE ? d->slow + 1 : 0;
    if (d->slow > 0 &&
        (d->slow >= PATIENCE || d->harder > HARDEST || descent_left(solver, d->E) < STATIONARY)) {
      break;
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

// The joint whose limit holds back most of the error, or -1 where none does.
static int find_limiting_joint(const sinew_solver *solver) {
  int worst = -1;
  double most = 0.0;
  for (int slot = 0; slot < solver->set.rows.dof_count; ++slot) {
    const double pull = fabs(solver->gradient[slot]);
    if (is_blocked(solver, slot) && pull > most) {
      most = pull;
      worst = solver->set.dof_of_slot[slot];
    }
  }
  return worst < 0 ? -1 : joint_of_dof(solver->model, worst);
}

// Why a descent ended short of its goal.
static sinew_outcome explain(sinew_solver *solver, const descent *d, int *limiting_joint) {
  evaluate(solver, d->targets, d->q);
  linearize(solver, d->q, 0.0);
  if (sinew_reach_excludes(&solver->set, solver->model, d->targets, solver->lower, solver->upper,
                           solver->gains, d->q)) {
    return SINEW_OUTCOME_OUT_OF_REACH;
  }
  if (d->steps >= solver->def.max_steps) {
    return SINEW_OUTCOME_STEP_LIMIT;
  }
  *limiting_joint = find_limiting_joint(solver);
  return *limiting_joint >= 0 ? SINEW_OUTCOME_BLOCKED_BY_LIMITS : SINEW_OUTCOME_STALLED;
}

sinew_result sinew_solver_solve(sinew_solver *solver, const sinew_target *targets, int count,
                                double *q, sinew_report *report) {
  const sinew_result result = check_call(solver, targets, count, q);
  if (result != SINEW_OK) {
    return result;
  }
  bring_inside(solver, q);
  descent d = {.targets = targets, .q = q};
  descend(solver, &d);
  sinew_outcome outcome = SINEW_OUTCOME_CONVERGED;
  int limiting_joint = -1;
  if (!d.converged) {
    outcome = explain(solver, &d, &limiting_joint);
  }
  fill_report(solver, outcome, d.steps, limiting_joint, report);
  return SINEW_OK;
}
