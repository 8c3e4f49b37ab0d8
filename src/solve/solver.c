// The solver: creation, destruction and settings.
#include "base/definition.h"
#include "base/error.h"
#include "math/vector.h"
#include "policy/tracking.h"
#include "solve/methods.h"
#include "step/kept_factor.h"

#include <string.h>

const char *sinew_outcome_string(sinew_outcome outcome) {
  static const char *const words[SINEW_OUTCOME_COUNT] = {
      "converged",  "out_of_reach", "blocked_by_limits", "stalled", "step_limit",
      "time_limit", "bad_input",    "no_task",           "rejected"};
  return (int)outcome >= 0 && outcome < SINEW_OUTCOME_COUNT ? words[outcome] : "unknown";
}

const char *sinew_damping_law_string(sinew_damping_law law) {
  static const char *const words[SINEW_DAMPING_COUNT] = {
      "error",   "constant", "manipulability", "smallest", "filter",    "filter-two",
      "optimal", "bound",    "chan-lawrence",  "sugihara", "gain-ratio"};
  return (int)law >= 0 && law < SINEW_DAMPING_COUNT ? words[law] : "unknown";
}

const sinew_method_info *sinew_method_info_of(int method) {
  return method >= 0 && method < SINEW_METHOD_COUNT
             ? &sinew_method_row_of((sinew_method)method)->info
             : NULL;
}

const char *sinew_completeness_string(sinew_completeness completeness) {
  static const char *const words[] = {"searched", "complete to a grid", "complete"};
  return (int)completeness >= 0 && completeness <= SINEW_SOLUTIONS_COMPLETE ? words[completeness]
                                                                            : "unknown";
}

const char *sinew_method_string(sinew_method method) {
  const sinew_method_info *info = sinew_method_info_of((int)method);
  return info != NULL ? info->name : "unknown";
}

// ---------------------------------------------------------------- creation

#ifdef SINEW_X86_64
extern const sinew_solver_functions sinew_solver_functions_of_set_avx2;
#endif

const sinew_solver_functions *sinew_solver_functions_for(sinew_instruction_set set) {
#ifdef SINEW_X86_64
  if (set >= SINEW_INSTRUCTION_SET_AVX2) {
    return &sinew_solver_functions_of_set_avx2;
  }
#endif
  (void)set;
  return &sinew_solver_functions_of_set;
}

// Whether updates or solves take Newton's step.
static bool uses_newton(const sinew_solver_def *def) {
  return def->step.method == SINEW_METHOD_DEFAULT ||
         sinew_method_row_of(def->step.method)->second_order;
}

// Damped least squares is used by every method's search, Newton's step by the default's updates.
static void step_layout(sinew_arena *arena, sinew_solver *solver, const sinew_model *model) {
  const size_t capacity = (size_t)solver->def.task_capacity;
  const sinew_method_row *row = sinew_method_row_of(solver->def.step.method);
  const sinew_step_size size = {6 * solver->def.task_capacity, model->nv,
                                (sinew_dls_system)solver->def.step.dls_form};
  unsigned char *own = (unsigned char *)&solver->step + row->scratch;
  const size_t start = arena->used;
  sinew_dls_layout(arena, &size, &solver->step.dls);
  if (uses_newton(&solver->def)) { // in the same memory, but for what steps keep
    const size_t end = arena->used;
    arena->used = start;
    sinew_newton_layout_step(arena, &size, &solver->step.newton);
    arena->used = arena->used > end ? arena->used : end;
    sinew_newton_layout_kept(arena, &size, &solver->step.newton);
    solver->step.expected = sinew_arena_take(arena, 6 * capacity, sizeof(double));
  }
  if (solver->def.step.method == SINEW_METHOD_DEFAULT) {
    solver->history.targets = sinew_arena_take(arena, capacity, sizeof *solver->history.targets);
    solver->track.targets = sinew_arena_take(arena, capacity, sizeof *solver->track.targets);
    solver->track.moved = sinew_arena_take_fours(arena, (size_t)model->nv, 0.0);
    const bool settles = model->cone_count > 0 || solver->def.hard_rows > 0;
    solver->track.last = sinew_arena_take(arena, settles ? (size_t)model->nv : 0, sizeof(double));
    solver->track.q = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
    if (solver->def.tracking.escape) {
      sinew_escape_layout(arena, model, &solver->escape);
    }
  } else {
    solver->history.before = sinew_arena_take(arena, capacity, sizeof *solver->history.before);
  }
  sinew_damping_layout(arena, &size, solver->def.step.damping_law, &solver->damping);
  if (own != (unsigned char *)&solver->step.dls && own != (unsigned char *)&solver->step.newton) {
    row->rule.layout(arena, &size, own);
  }
}

static void solver_layout(sinew_arena *arena, sinew_solver *solver, const sinew_model *model) {
  const size_t nv = (size_t)model->nv, nq = (size_t)model->nq;
  const int capacity = solver->def.task_capacity;
  sinew_state_layout(arena, &solver->state, model);
  sinew_problem_layout(arena, model, capacity, &solver->problem);
  sinew_evaluation_layout(arena, model, capacity, uses_newton(&solver->def), &solver->evaluation);
  step_layout(arena, solver, model);
  solver->linear.lower = sinew_arena_take_fours(arena, nv, -INFINITY);
  solver->linear.upper = sinew_arena_take_fours(arena, nv, INFINITY);
  const bool cones = model->cone_count > 0;
  solver->cones = sinew_arena_take(arena, (size_t)model->cone_count, sizeof *solver->cones);
  solver->linear.least = cones ? sinew_arena_take(arena, nv, sizeof(double)) : solver->linear.lower;
  solver->linear.most = cones ? sinew_arena_take(arena, nv, sizeof(double)) : solver->linear.upper;
  sinew_hard_layout(arena, &solver->def, model, &solver->hard);
  solver->linear.e = sinew_arena_take(arena, 6 * (size_t)capacity, sizeof(double));
  solver->step.split = sinew_arena_take(arena, (size_t)capacity, sizeof(int));
  solver->track.errors = sinew_arena_take(arena, 2 * (size_t)capacity, sizeof(double));
  solver->history.step = sinew_arena_take_fours(arena, nv, 0.0);
  solver->history.active = sinew_arena_take(arena, 2 * nv, 1);
  const bool predicts = solver->def.step.method == SINEW_METHOD_DEFAULT;
  const size_t kept = predicts ? 6 * (size_t)capacity : 0;
  solver->history.kept_error = sinew_arena_take(arena, kept, sizeof(double));
  solver->history.removed = sinew_arena_take(arena, kept, sizeof(double));
  solver->linear.x = sinew_arena_take_fours(arena, nv, 0.0);
  if (sinew_method_row_of(solver->def.step.method)->pose_step != NULL) {
    sinew_pose_layout(arena, model, capacity, &solver->pose);
  }
  if (sinew_method_row_of(solver->def.step.method)->remembers) {
    solver->moved = sinew_arena_take(arena, nv, sizeof(double));
  }
  if (solver->def.step.method == SINEW_METHOD_WEIGHTED) {
    solver->weights = sinew_arena_take(arena, nv * nv, sizeof(double));
  }
  solver->linear.gradient = sinew_arena_take(arena, nv, sizeof(double));
  solver->q = sinew_arena_take(arena, nq, sizeof(double));
  solver->given = sinew_arena_take(arena, model->function_count > 0 ? nq : 0, sizeof(double));
  sinew_motion_limits_layout(arena, model, &solver->motion);
  sinew_search_layout(arena, model, capacity, &solver->search);
  sinew_lanes_layout(arena, model, capacity, &solver->lanes);
  sinew_reach_layout(arena, capacity, &solver->reach);
  sinew_components_layout(arena, solver, model);
  sinew_levels_layout(arena, solver, model);
  sinew_influence_layout(arena, &solver->def, model, &solver->influence);
  sinew_task_gains_layout(arena, solver->def.task_capacity, &solver->gains);
  sinew_loops_layout(arena, &solver->def, &solver->loops);
}

// W, or I.
static void set_weights(sinew_solver *solver, const double *W) {
  const size_t nv = (size_t)solver->model->nv;
  for (size_t i = 0; solver->weights != NULL && i < nv * nv; ++i) {
    solver->weights[i] = W != NULL ? W[i] : i % (nv + 1) == 0;
  }
}

// The head, and where the model has limits of swing and twist, a copy of it with its own.
static void head_layout(sinew_arena *arena, const sinew_model *model, sinew_solver *solver) {
  sinew_arena_take(arena, 1, sizeof *solver);
  const size_t cones = (size_t)model->cone_count;
  sinew_model *copy = sinew_arena_take(arena, cones > 0 ? 1 : 0, sizeof *copy);
  sinew_cone *own = sinew_arena_take(arena, cones, sizeof *own);
  if (arena->base != NULL && cones > 0) {
    *copy = *model;
    copy->cones = own;
    memcpy(own, model->cones, cones * sizeof *own);
    solver->model = copy;
  }
}

sinew_result sinew_solver_create(const sinew_solver_def *def, const sinew_model *model,
                                 sinew_solver **solver, sinew_error *error) {
  if (model == NULL || solver == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "model or solver is NULL");
  }
  *solver = NULL;
  const sinew_result result = sinew_solver_def_check(def, model, error);
  if (result != SINEW_OK) {
    return result;
  }
  sinew_solver head = {.def = *def, .model = model, .given_model = model};
  head.allocator = sinew_allocator_complete(&def->allocator);
  if (def->step.method == SINEW_METHOD_LM) {
    head.def.step.damping_law = SINEW_DAMPING_GAIN_RATIO;
  }
  if (sinew_damping_needs_rows(def->step.damping_law)) {
    head.def.step.dls_form = SINEW_DLS_ROWS;
  }
  if (def->lanes >= 0 && !sinew_lanes_choose(def->lanes, &head.lanes)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "lanes",
                           "this processor or this build does not have %d", def->lanes);
  }
  sinew_arena arena = {NULL, 0};
  head_layout(&arena, model, &head);
  solver_layout(&arena, &head, model);
  sinew_solver *made = sinew_allocate(&head.allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the solver (%zu bytes)",
                           arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  head_layout(&arena, model, made);
  model = made->model;
  solver_layout(&arena, made, model);
  sinew_reach_begin(&made->reach);
  made->functions = sinew_solver_functions_for(sinew_instruction_set_detect());
  set_weights(made, NULL);
  made->history.updates_at_rest = made->history.recent = made->history.motion = -1.0;
  made->history.cut = true;
  made->track.share = 1.0;
  made->problem.body_frame_only = sinew_method_row_of(def->step.method)->body_frame_only;
  made->evaluation.at_target =
      def->step.target_jacobian && sinew_method_obeys(def->step.method, "step.target_jacobian");
  made->problem.tolerance = def->tolerances.position;
  sinew_problem_begin(&made->problem, model);
  sinew_motion_limits_begin(made);
  sinew_evaluation_begin(&made->evaluation, &made->problem, true);
  sinew_levels_begin(made);
  sinew_seed_scratch_begin(&made->search.seeds, model);
  sinew_seed_scratch_fit(&made->search.seeds, &made->problem);
  const sinew_result created = sinew_influence_create(made, error);
  if (created != SINEW_OK) {
    sinew_solver_destroy(made);
    return created;
  }
  *solver = made;
  return SINEW_OK;
}

void sinew_solver_destroy(sinew_solver *solver) {
  if (solver != NULL) {
    const sinew_allocator allocator = solver->allocator;
    sinew_influence_destroy(solver);
    sinew_release(&allocator, solver);
  }
}

// ---------------------------------------------------------------- settings

// Forgets the kept prediction: rows, limits or gains may be others now.
static void forget_prediction(sinew_solver *solver) {
  const bool predicts = solver->def.step.method == SINEW_METHOD_DEFAULT;
  const size_t rows = predicts ? 6 * (size_t)solver->def.task_capacity : 0;
  solver->history.keeps = 0.0;
  solver->history.steady = false;
  if (predicts) {
    sinew_factor_forget(&solver->step.newton);
  }
  sinew_zero(rows, solver->history.kept_error);
  sinew_zero(rows, solver->history.removed);
}

// Updates what depends on the problem after it was compiled again: the pattern, and the history, in
// which inactive degrees of freedom have no last step.
static void take_problem(sinew_solver *solver, bool tasks) {
  sinew_evaluation_begin(&solver->evaluation, &solver->problem, tasks);
  sinew_seed_scratch_fit(&solver->search.seeds, &solver->problem);
  solver->linear.open = false;
  sinew_escape_reset(&solver->escape);
  sinew_solver_forget(solver);
  for (int v = 0; v < solver->model->nv; ++v) {
    solver->history.step[v] = solver->problem.column_of_dof[v] >= 0 ? solver->history.step[v] : 0.0;
  }
  sinew_hard_set_tasks(solver);
  sinew_loops_set_tasks(solver);
  if (tasks) { // the targets of the last update are those of others, and the new ones may be far
    solver->history.updates_at_rest = solver->history.recent = solver->history.motion = -1.0;
    solver->history.spread = TRACKING_SPREAD_PARTS;
  } else if (solver->history.updates_at_rest > 0.0) {
    solver->history.updates_at_rest = 0.0;
  }
  solver->history.caution = 1.0;
  solver->track.placement = 0;
  forget_prediction(solver);
  sinew_components *components = &solver->components;
  for (int k = 0; k < components->count && components->tracked; ++k) {
    double *rest = &components->solvers[k].history.updates_at_rest;
    *rest = *rest > 0.0 ? 0.0 : *rest;
    components->solvers[k].history.caution = 1.0;
    components->solvers[k].history.keeps = 0.0;
    components->solvers[k].history.steady = false;
  }
  components->tracked = components->tracked && !tasks;
  solver->lanes.planned = components->ready = solver->closed.known = false;
  if (!tasks) {
    sinew_levels_refresh(solver);
  }
}

void sinew_solver_compile(sinew_solver *solver) {
  sinew_problem_refresh(&solver->problem);
  take_problem(solver, false);
}

static sinew_result check_tasks(sinew_solver *solver, const sinew_task *tasks, int count) {
  sinew_error *error = &solver->error;
  if (count < 0 || (count > 0 && tasks == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "tasks is NULL or count negative");
  }
  if (count > solver->def.task_capacity) {
    return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                           "%d tasks are more than task_capacity, %d", count,
                           solver->def.task_capacity);
  }
  sinew_result result = SINEW_OK;
  for (int t = 0; t < count && result == SINEW_OK; ++t) {
    result = sinew_task_check(&tasks[t], solver->model, t, error);
  }
  if (result == SINEW_OK) {
    result = sinew_task_check_frames(tasks, count, solver->model, error);
  }
  if (result == SINEW_OK) {
    result = sinew_hard_check_tasks(solver, tasks, count, error);
  }
  if (result == SINEW_OK) {
    result = sinew_influence_check(solver, tasks, count, NULL);
  }
  return result == SINEW_OK ? sinew_levels_check_tasks(solver, tasks, count, error) : result;
}

void sinew_solver_take_tasks(sinew_solver *solver, const sinew_task *tasks, int count,
                             bool moving) {
  const double size = solver->problem.size, spread = solver->history.spread;
  sinew_levels_set_tasks(solver, tasks, count);
  take_problem(solver, true);
  solver->history.spread = moving ? spread : solver->history.spread;
  for (int v = 0; size != solver->problem.size && v < solver->model->nv; ++v) {
    solver->history.step[v] *= solver->model->angular[v] ? 1.0 : size / solver->problem.size;
  }
  for (int t = 0; t < solver->problem.count; ++t) {
    solver->step.split[t] = solver->problem.tasks[t].linear_rows;
  }
  solver->history.has_before = false;
}

sinew_result sinew_solver_set_tasks(sinew_solver *solver, const sinew_task *tasks, int count,
                                    sinew_error *error) {
  SINEW_ASSERT(solver != NULL);
  if (check_tasks(solver, tasks, count) != SINEW_OK) {
    if (error != NULL) {
      *error = solver->error;
    }
    return solver->error.code;
  }
  sinew_influence_set_tasks(solver, tasks, count);
  return SINEW_OK;
}

sinew_result sinew_solver_set_frozen(sinew_solver *solver, const unsigned char *frozen) {
  SINEW_ASSERT(solver != NULL);
  sinew_result result = SINEW_OK;
  sinew_problem_set_frozen(&solver->problem, frozen);
  take_problem(solver, false);
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_frozen(solver->influence.solvers[s], frozen);
  }
  return result;
}

sinew_result sinew_solver_set_gains(sinew_solver *solver, const double *gains) {
  SINEW_ASSERT(solver != NULL);
  sinew_result result = sinew_problem_set_gains(&solver->problem, gains, &solver->error);
  if (result == SINEW_OK) {
    take_problem(solver, false);
  }
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_gains(solver->influence.solvers[s], gains);
  }
  return result;
}

static sinew_result check_weights(sinew_solver *solver, const double *W) {
  const size_t nv = (size_t)solver->model->nv;
  if (solver->weights == NULL) {
    return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                           "weights are for the method weighted, not for %s",
                           sinew_method_string(solver->def.step.method));
  }
  const sinew_result result = sinew_weights_check(solver->model, W, &solver->error);
  if (result != SINEW_OK) {
    return result;
  }
  memcpy(solver->step.weighted.L, W, nv * nv * sizeof(double));
  if (!sinew_weighted_factor(solver->model->nv, solver->step.weighted.L)) {
    return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                           "the matrix of weights is not positive definite");
  }
  return SINEW_OK;
}

sinew_result sinew_solver_set_weights(sinew_solver *solver, const double *W) {
  SINEW_ASSERT(solver != NULL);
  sinew_result result = W != NULL ? check_weights(solver, W) : SINEW_OK;
  if (result == SINEW_OK) {
    set_weights(solver, W);
  }
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_set_weights(solver->influence.solvers[s], W);
  }
  return result;
}

static inline sinew_result update(sinew_solver *solver, const sinew_target *targets, int count,
                                  double *q, sinew_report *report) {
  const sinew_result result = solver->hard.total > 0 && sinew_hard_check_update(solver) != SINEW_OK
                                  ? sinew_solver_refuse(solver, report)
                                  : sinew_solver_update_tasks(solver, targets, count, q, report);
  if (result == SINEW_OK && solver->def.tracking.time_step > 0.0) {
    sinew_motion_limits_end_update(solver, q);
  }
  return result;
}

static sinew_result update_with_influence(sinew_solver *solver, const sinew_target *targets,
                                          int count, double *q, sinew_report *report) {
  const sinew_result result =
      sinew_influence_begin(solver, SINEW_INFLUENCE_UPDATE, NULL, &targets, &count, q, report);
  return result != SINEW_OK
             ? result
             : sinew_influence_end(solver, update(solver, targets, count, q, report), report);
}

sinew_result sinew_solver_update(sinew_solver *solver, const sinew_target *targets, int count,
                                 double *q, sinew_report *report) {
  SINEW_ASSERT(solver != NULL);
  sinew_solver_begin_call(solver, q);
  const sinew_result result = solver->influence.used
                                  ? update_with_influence(solver, targets, count, q, report)
                                  : update(solver, targets, count, q, report);
  return sinew_solver_end_call(solver, result, q, report);
}

const sinew_error *sinew_solver_last_error(const sinew_solver *solver) {
  SINEW_ASSERT(solver != NULL);
  return &solver->error;
}

int sinew_solver_systems(const sinew_solver *solver) {
  SINEW_ASSERT(solver != NULL);
  return solver->step.systems;
}

int sinew_solver_most_systems(const sinew_solver *solver) {
  SINEW_ASSERT(solver != NULL);
  return solver->step.most_systems;
}

void sinew_solver_forget(sinew_solver *solver) {
  sinew_damping_reset(solver->damping);
  solver->has_moved = false;
}

void sinew_solver_reset(sinew_solver *solver) {
  SINEW_ASSERT(solver != NULL);
  solver->history.has_before = false;
  solver->history.gradient = solver->history.predicted = solver->history.spread = 0.0;
  solver->history.updates_at_rest = solver->history.recent = solver->history.motion = -1.0;
  solver->history.cut = true;
  forget_prediction(solver);
  solver->components.tracked = false;
  sinew_escape_reset(&solver->escape);
  sinew_solver_forget(solver);
  sinew_levels_reset(solver);
  memset(solver->history.step, 0, (size_t)solver->model->nv * sizeof(double));
  memset(solver->history.active, 0, 2 * (size_t)solver->model->nv);
  sinew_motion_limits_reset(solver);
  sinew_hard_reset(solver);
  for (int s = 0; s < solver->influence.most; ++s) {
    sinew_solver_reset(solver->influence.solvers[s]);
  }
}

sinew_result sinew_solver_task_error(const sinew_solver *solver, int task, double *position_error,
                                     double *orientation_error) {
  SINEW_ASSERT(solver != NULL);
  const sinew_levels *levels = solver->levels;
  double position = -1.0, orientation = -1.0;
  if (solver->influence.used) {
    if (task < 0 || task >= solver->influence.count) {
      return SINEW_ERROR_INDEX;
    }
    task = sinew_influence_find(&solver->influence, task);
  } else if (task < 0 || task >= (levels->used ? levels->task_count : solver->problem.count)) {
    return SINEW_ERROR_INDEX;
  }
  if (task >= 0 && levels->used) {
    position = levels->tasks[task].position_error;
    orientation = levels->tasks[task].orientation_error;
  } else if (task >= 0 && solver->problem.tasks[task].row_count > 0) {
    position = solver->evaluation.tasks[task].position_error;
    orientation = solver->evaluation.tasks[task].orientation_error;
  }
  if (position_error != NULL) {
    *position_error = position;
  }
  if (orientation_error != NULL) {
    *orientation_error = orientation;
  }
  return SINEW_OK;
}
