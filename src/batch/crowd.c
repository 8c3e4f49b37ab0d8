// Crowds: creation, workers, updates. The plan of an update is made once; figures are updated in
// groups of as many as there are lanes.
#include "base/definition.h"
#include "base/error.h"
#include "batch/bases.h"
#include "batch/crowd.h"
#include "batch/plain.h"
#include "kernel/dispatch.h"
#include "solve/solver.h"

#include <string.h>

// The alignment of vectors in bytes.
#define ALIGNMENT 64

void sinew_crowd_def_init(sinew_crowd_def *def, size_t size) {
  const sinew_crowd_def defaults = {.cookie = SINEW_COOKIE_CROWD,
                                    .size = sizeof defaults,
                                    .solver = sinew_default_solver_def(),
                                    .figures = 1,
                                    .lanes = 0};
  sinew_definition_init(def, size, &defaults);
}

// ---------------------------------------------------------------- creation

static sinew_result check_def(const sinew_crowd_def *def, const sinew_model *model, int count,
                              sinew_error *error) {
  static const sinew_definition definition = {SINEW_COOKIE_CROWD, sizeof *def, "sinew_crowd_def",
                                              "sinew_default_crowd_def()", NULL};
  if (sinew_definition_check(def, &definition, -1, error) != SINEW_OK) {
    return SINEW_ERROR_ARGUMENT;
  }
  sinew_solver_def solver = def->solver;
  solver.task_capacity = count;
  if (def->solver.step.method != SINEW_METHOD_DEFAULT &&
      def->solver.step.method != SINEW_METHOD_DLS) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "solver.step.method",
                           "crowds support DEFAULT and DLS only");
  }
  if (def->solver.step.target_jacobian) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "solver.step.target_jacobian",
                           "crowds do not support the target Jacobian");
  }
  if (def->solver.tracking.escape) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "solver.tracking.escape",
                           "crowds do not leave local minima");
  }
  if (sinew_crowd_kernel_find(def->lanes) == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "lanes",
                           "this processor or this build does not have %d", def->lanes);
  }
  return sinew_solver_def_check(&solver, model, error);
}

// A crowd has room for a posture and nothing else below its tasks.
static sinew_result check_posture(const sinew_crowd_def *def, const sinew_model *model,
                                  sinew_error *error) {
  const sinew_objective *posture = def->posture;
  if (posture == NULL) {
    return SINEW_OK;
  }
  const sinew_result result = sinew_objective_check(posture, model, SINEW_MOST_LEVELS, 0, error);
  if (result != SINEW_OK) {
    return result;
  }
  if (posture->kind != SINEW_OBJECTIVE_POSTURE || posture->level != 1) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "posture",
                           "crowds take an objective of kind POSTURE and level 1 alone");
  }
  if (def->solver.step.method != SINEW_METHOD_DEFAULT) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, "posture",
                           "crowds take one with the DEFAULT method alone");
  }
  return SINEW_OK;
}

static sinew_result check_tasks(const sinew_crowd_def *def, const sinew_model *model,
                                const sinew_task *tasks, int count, sinew_error *error) {
  const bool tracking = def->solver.step.method == SINEW_METHOD_DEFAULT;
  if (count > 0 && tasks == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "tasks is NULL");
  }
  sinew_result result = SINEW_OK;
  for (int t = 0; t < count && result == SINEW_OK; ++t) {
    result = sinew_task_check(&tasks[t], model, t, error);
    if (result == SINEW_OK && !sinew_task_is_searched(&tasks[t])) {
      result = sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                               "task %d: a crowd takes tasks of level 0 that are required", t);
    }
    if (result == SINEW_OK && tasks[t].influence != 1.0) {
      result =
          sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                          "task %d: influence %g, a crowd takes 1 alone", t, tasks[t].influence);
    }
    if (result == SINEW_OK && tasks[t].gain != 1.0) {
      result = sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                               "task %d: gain %g, a crowd takes 1 alone", t, tasks[t].gain);
    }
    if (result == SINEW_OK && tasks[t].hard && !tracking) {
      result = sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                               "task %d: hard: needs the DEFAULT method", t);
    }
  }
  return result;
}

// Whether kernels can run a posture of a model: without a time step, and with the same weight for
// all axes of a spherical joint.
static bool posture_in_lanes(const sinew_crowd_def *def, const sinew_model *model) {
  const double *weights = def->posture->weights;
  bool even = true;
  for (int v = 0; weights != NULL && v + 2 < model->nv; ++v) {
    even &= model->quaternion_axis[v] != 0 ||
            (weights[v] == weights[v + 1] && weights[v + 1] == weights[v + 2]);
  }
  return even && !(def->solver.tracking.time_step > 0.0);
}

// Whether kernels can run the problem, with all its features, and the posture.
static bool runs_in_lanes(const sinew_crowd_def *def, const sinew_crowd *crowd) {
  const unsigned can =
      crowd->plan.rules.tracking ? SINEW_CROWD_DEFAULT_FEATURES : SINEW_CROWD_DLS_FEATURES;
  return (sinew_problem_features(&crowd->problem) & ~can) == 0 &&
         (def->posture == NULL || posture_in_lanes(def, crowd->model));
}

static void fill_rules(const sinew_solver_def *def, double size, sinew_crowd_rules *rules) {
  *rules = (sinew_crowd_rules){.tracking = def->step.method == SINEW_METHOD_DEFAULT,
                               .error_clamp = def->step.error_clamp / size,
                               .adaptive = def->step.error_clamp_adaptive,
                               .error_damping = def->step.error_damping,
                               .lambda = def->step.damping / size,
                               .damping_floor = def->step.damping_floor,
                               .damping_scale = def->step.damping_scale,
                               .max_turn = def->step.max_turn,
                               .max_change = def->tracking.max_change,
                               .error_gain = def->tracking.error_gain};
  rules->clamped = !rules->tracking && def->step.error_clamp < INFINITY;
}

// The index of each task's values among the targets, and which of them are quaternions.
static void fill_targets(sinew_crowd *crowd) {
  int at = 0;
  for (int t = 0; t < crowd->problem.count; ++t) {
    const sinew_task *task = &crowd->problem.tasks[t].task;
    const unsigned fields = crowd->problem.tasks[t].fields;
    crowd->plan.position_start[t] = at;
    crowd->plan.rotation_start[t] = at + ((fields & SINEW_TARGET_POSITION) != 0 ? 3 : 0);
    if ((fields & SINEW_TARGET_ROTATION) != 0) {
      crowd->quaternions[crowd->quaternion_count++] = crowd->plan.rotation_start[t];
    }
    at += sinew_task_target_size(task);
  }
  crowd->plan.target_size = at;
}

static void fill_rotations(sinew_crowd *crowd) {
  const sinew_model *model = crowd->model;
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    if (joint->nq > joint->nv) {
      crowd->rotations[crowd->rotation_count++] = joint->q_index + joint->nq - 4;
    }
  }
}

static void crowd_layout(sinew_arena *arena, int count, sinew_crowd *crowd) {
  sinew_problem_layout(arena, crowd->model, count, &crowd->problem);
  sinew_crowd_plan_layout(arena, crowd->model, count, &crowd->plan);
  crowd->quaternions = sinew_arena_take(arena, (size_t)count, sizeof(int));
  crowd->rotations = sinew_arena_take(arena, (size_t)crowd->model->joint_count, sizeof(int));
  crowd->tasks = sinew_arena_take(arena, (size_t)count, sizeof *crowd->tasks);
  crowd->weights = sinew_arena_take(arena, (size_t)crowd->model->nv, sizeof(double));
}

// Memory for vectors, aligned.
static double *take_vectors(sinew_arena *arena, size_t count, int lanes) {
  return sinew_arena_take_aligned(arena, count, (size_t)lanes * sizeof(double), ALIGNMENT);
}

// A crowd without its problem, plan and groups.
static sinew_crowd *allocate_crowd(const sinew_crowd_def *def, const sinew_model *model,
                                   int count) {
  sinew_crowd head = {.model = model,
                      .kernel = sinew_crowd_kernel_find(def->lanes),
                      .solver = def->solver,
                      .figures = def->figures,
                      .position_tolerance = def->solver.tolerances.position,
                      .orientation_tolerance = def->solver.tolerances.orientation};
  head.allocator = sinew_allocator_complete(&def->solver.allocator);
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  crowd_layout(&arena, count, &head);
  sinew_crowd *crowd = sinew_allocate(&head.allocator, arena.used);
  if (crowd != NULL) {
    *crowd = head;
    arena = (sinew_arena){(unsigned char *)crowd, 0};
    sinew_arena_take(&arena, 1, sizeof head);
    crowd_layout(&arena, count, crowd);
  }
  return crowd;
}

// The definition's gains and limits have been checked.
static void compile_problem(const sinew_crowd_def *def, const sinew_task *tasks, int count,
                            sinew_crowd *crowd) {
  crowd->problem.tolerance = def->solver.tolerances.position;
  crowd->problem.eliminated = true;
  sinew_problem_begin(&crowd->problem, crowd->model);
  sinew_problem_set_frozen(&crowd->problem, def->frozen);
  sinew_expect_ok(sinew_problem_set_gains(&crowd->problem, def->gains, NULL));
  sinew_expect_ok(sinew_problem_set_limits(&crowd->problem, def->lower, def->upper, NULL));
  sinew_problem_set_tasks(&crowd->problem, tasks, count);
  crowd->counts = crowd->problem.counted > 0;
  for (int t = 0; t < count; ++t) {
    crowd->tasks[t] = tasks[t];
  }
}

// The posture's values become the plan's, its weights the crowd's.
static void take_posture(const sinew_objective *objective, sinew_crowd *crowd) {
  double *value = crowd->plan.posture.value;
  if (objective->posture != NULL) {
    memcpy(value, objective->posture, (size_t)crowd->model->nq * sizeof *value);
  } else {
    sinew_configuration_start(crowd->model, value);
  }
  sinew_configuration_normalize(crowd->model, value);
  crowd->posed = true;
  crowd->posture = *objective;
  crowd->posture.posture = value;
  if (objective->weights != NULL) {
    memcpy(crowd->weights, objective->weights, (size_t)crowd->model->nv * sizeof(double));
    crowd->posture.weights = crowd->weights;
  }
}

static void plan_crowd(const sinew_crowd_def *def, sinew_crowd *crowd) {
  fill_targets(crowd);
  fill_rotations(crowd);
  crowd->plain = !runs_in_lanes(def, crowd);
  if (def->posture != NULL) {
    take_posture(def->posture, crowd);
  }
  const sinew_crowd_posture_def posture = {.weights = crowd->posture.weights,
                                           .weight = crowd->posture.weight,
                                           .gain = crowd->posture.gain,
                                           .position_tolerance = crowd->position_tolerance,
                                           .orientation_tolerance = crowd->orientation_tolerance};
  if (!crowd->plain) {
    sinew_crowd_plan_fill(&crowd->plan, &crowd->problem, crowd->posed ? &posture : NULL,
                          def->solver.tracking.time_step);
  }
}

static int task_count_of(const sinew_problem *problem, int component) {
  return problem->component_start[component + 1] - problem->component_start[component];
}

static void parts_layout(sinew_arena *arena, const sinew_crowd *crowd, sinew_crowd_part *parts) {
  for (int k = 0; k < crowd->problem.component_count; ++k) {
    const int tasks = task_count_of(&crowd->problem, k);
    sinew_problem_layout(arena, crowd->model, tasks, &parts[k].problem);
    sinew_crowd_plan_layout(arena, crowd->model, tasks, &parts[k].plan);
  }
}

static void plan_part(const sinew_crowd *crowd, int component, sinew_crowd_part *part) {
  const sinew_problem *whole = &crowd->problem;
  sinew_problem_set_component(&part->problem, whole, component);
  part->plan.rules = crowd->plan.rules;
  part->plan.target_size = crowd->plan.target_size;
  for (int i = 0; i < task_count_of(whole, component); ++i) {
    const int t = whole->component_tasks[whole->component_start[component] + i];
    part->plan.position_start[i] = crowd->plan.position_start[t];
    part->plan.rotation_start[i] = crowd->plan.rotation_start[t];
  }
  sinew_crowd_plan_fill(&part->plan, &part->problem, NULL, crowd->plan.time_step);
}

// The components of the problem, where there are several: each is updated by itself, as in
// solve/update.c.
static sinew_result make_parts(sinew_crowd *crowd, sinew_error *error) {
  const size_t count = (size_t)crowd->problem.component_count;
  if (crowd->plain) {
    return sinew_crowd_plain_begin(crowd, error);
  }
  crowd->history_values = crowd->plan.history.count;
  if (!crowd->plan.rules.tracking || crowd->plan.posture.used ||
      !sinew_problem_updates_apart(&crowd->problem)) {
    return SINEW_OK;
  }
  sinew_arena arena = {NULL, 0};
  sinew_crowd_part *measured = sinew_allocate(&crowd->allocator, count * sizeof *measured);
  if (measured != NULL) {
    sinew_arena_take(&arena, count, sizeof *measured);
    parts_layout(&arena, crowd, measured);
    sinew_release(&crowd->allocator, measured);
    crowd->parts = sinew_allocate(&crowd->allocator, arena.used);
  }
  if (crowd->parts == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for %zu components", count);
  }
  arena = (sinew_arena){(unsigned char *)crowd->parts, 0};
  sinew_arena_take(&arena, count, sizeof *crowd->parts);
  memset(crowd->parts, 0, count * sizeof *crowd->parts);
  parts_layout(&arena, crowd, crowd->parts);
  crowd->part_count = (int)count;
  crowd->history_values = 0;
  for (int k = 0; k < crowd->part_count; ++k) {
    plan_part(crowd, k, &crowd->parts[k]);
    crowd->parts[k].history = crowd->history_values;
    crowd->history_values += crowd->parts[k].plan.history.count;
  }
  return SINEW_OK;
}

// The history of a figure's group.
static double *history_of(const sinew_crowd *crowd, size_t figure) {
  const size_t lanes = (size_t)crowd->kernel->lanes;
  return crowd->groups + figure / lanes * lanes * (size_t)crowd->history_values;
}

static void clear_history(sinew_crowd *crowd, size_t first, size_t count) {
  const size_t lanes = (size_t)crowd->kernel->lanes;
  for (size_t f = first; f < crowd->figures && f - first < count; ++f) {
    sinew_crowd_clear_lane(crowd, history_of(crowd, f), (int)(f % lanes));
  }
}

static sinew_result make_groups(sinew_crowd *crowd, sinew_error *error) {
  const size_t lanes = (size_t)crowd->kernel->lanes;
  const size_t groups = crowd->figures / lanes + (crowd->figures % lanes != 0);
  const size_t values = (size_t)crowd->history_values;
  sinew_arena arena = {NULL, 0};
  const size_t vectors = groups > SIZE_MAX / 4096 / values ? SIZE_MAX : groups * values;
  take_vectors(&arena, vectors, crowd->kernel->lanes);
  void *memory = sinew_allocate(&crowd->allocator, arena.used);
  if (memory == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for %zu figures",
                           crowd->figures);
  }
  crowd->memory = memory;
  arena = (sinew_arena){memory, 0};
  crowd->groups = take_vectors(&arena, vectors, crowd->kernel->lanes);
  clear_history(crowd, 0, crowd->figures);
  return SINEW_OK;
}

sinew_result sinew_crowd_create(const sinew_crowd_def *def, const sinew_model *model,
                                const sinew_task *tasks, int count, sinew_crowd **crowd,
                                sinew_error *error) {
  if (crowd == NULL || model == NULL || count < 0) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "crowd or model is NULL, or count negative");
  }
  *crowd = NULL;
  sinew_result result = check_def(def, model, count, error);
  if (result == SINEW_OK) {
    result = sinew_gains_check(model, def->gains, error);
  }
  if (result == SINEW_OK) {
    result = sinew_limits_check(model, def->lower, def->upper, error);
  }
  if (result == SINEW_OK) {
    result = check_tasks(def, model, tasks, count, error);
  }
  if (result == SINEW_OK) {
    result = check_posture(def, model, error);
  }
  if (result != SINEW_OK) {
    return result;
  }
  sinew_crowd *made = allocate_crowd(def, model, count);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL, "no memory for the crowd's plan");
  }
  compile_problem(def, tasks, count, made);
  fill_rules(&def->solver, made->problem.size, &made->plan.rules);
  plan_crowd(def, made);
  result = make_parts(made, error);
  if (result == SINEW_OK) {
    sinew_crowd_find_bases(made);
    result = make_groups(made, error);
  }
  if (result != SINEW_OK) {
    sinew_crowd_destroy(made);
    return result;
  }
  *crowd = made;
  return SINEW_OK;
}

void sinew_crowd_destroy(sinew_crowd *crowd) {
  if (crowd != NULL) {
    const sinew_allocator allocator = crowd->allocator;
    sinew_release(&allocator, crowd->memory);
    sinew_release(&allocator, crowd->parts);
    sinew_release(&allocator, crowd->cleared);
    sinew_release(&allocator, crowd);
  }
}

int sinew_crowd_lanes(const sinew_crowd *crowd) {
  SINEW_ASSERT(crowd != NULL);
  return crowd->kernel->lanes;
}

bool sinew_crowd_in_lanes(const sinew_crowd *crowd) {
  SINEW_ASSERT(crowd != NULL);
  return !crowd->plain;
}

int sinew_crowd_target_size(const sinew_crowd *crowd) {
  SINEW_ASSERT(crowd != NULL);
  return crowd->plan.target_size;
}

void sinew_crowd_reset(sinew_crowd *crowd, size_t first, size_t count) {
  SINEW_ASSERT(crowd != NULL);
  clear_history(crowd, first, count);
}

// ----------------------------------------------------------------- workers

// The scratch of an update: of a component after another, or of the whole.
static size_t scratch_of(const sinew_crowd *crowd) {
  size_t most = crowd->parts == NULL ? crowd->plan.space[SINEW_CROWD_SPACES] : 0;
  for (int k = 0; k < crowd->part_count; ++k) {
    const size_t space = crowd->parts[k].plan.space[SINEW_CROWD_SPACES];
    most = space > most ? space : most;
  }
  return most;
}

static void worker_layout(sinew_arena *arena, const sinew_crowd *crowd,
                          sinew_crowd_worker *worker) {
  const int lanes = crowd->kernel->lanes;
  sinew_crowd_block *block = &worker->block;
  block->q = take_vectors(arena, (size_t)crowd->model->nq, lanes);
  block->targets = take_vectors(arena, (size_t)crowd->plan.target_size, lanes);
  block->position_error = take_vectors(arena, 1, lanes);
  block->orientation_error = take_vectors(arena, 1, lanes);
  block->stationary = take_vectors(arena, 1, lanes);
  block->scratch = take_vectors(arena, scratch_of(crowd), lanes);
  worker->part = take_vectors(arena, 3, lanes);
  worker->history = take_vectors(arena, (size_t)crowd->history_values, lanes);
  worker->tracks = take_vectors(arena, (size_t)crowd->history_values, lanes);
  worker->plain_targets =
      sinew_arena_take(arena, (size_t)crowd->problem.count, sizeof *worker->plain_targets);
  worker->plain_q = sinew_arena_take(arena, (size_t)crowd->model->nq, sizeof(double));
  if (crowd->registers) {
    worker->part_targets =
        sinew_arena_take(arena, (size_t)crowd->problem.count, sizeof *worker->part_targets);
    worker->before = sinew_arena_take(arena, 2 * (size_t)lanes, sizeof(double));
    sinew_state_layout(arena, &worker->state, crowd->model);
  }
}

sinew_result sinew_crowd_worker_create(const sinew_crowd *crowd, sinew_crowd_worker **worker,
                                       sinew_error *error) {
  SINEW_ASSERT(crowd != NULL && worker != NULL);
  *worker = NULL;
  sinew_crowd_worker head = {.allocator = crowd->allocator, .crowd = crowd};
  sinew_arena arena = {NULL, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  worker_layout(&arena, crowd, &head);
  sinew_crowd_worker *made = sinew_allocate(&crowd->allocator, arena.used);
  if (made == NULL) {
    return sinew_error_set(error, SINEW_ERROR_MEMORY, NULL,
                           "no memory for the crowd's worker (%zu bytes)", arena.used);
  }
  *made = head;
  arena = (sinew_arena){(unsigned char *)made, 0};
  sinew_arena_take(&arena, 1, sizeof head);
  worker_layout(&arena, crowd, made);
  if (crowd->plain) {
    const sinew_result result = sinew_crowd_plain_create(crowd, &made->plain, error);
    if (result != SINEW_OK) {
      sinew_crowd_worker_destroy(made);
      return result;
    }
  }
  *worker = made;
  return SINEW_OK;
}

const sinew_error *sinew_crowd_worker_last_error(const sinew_crowd_worker *worker) {
  SINEW_ASSERT(worker != NULL);
  return &worker->error;
}

void sinew_crowd_worker_destroy(sinew_crowd_worker *worker) {
  if (worker != NULL) {
    const sinew_allocator allocator = worker->allocator;
    sinew_solver_destroy(worker->plain);
    sinew_release(&allocator, worker);
  }
}

// ------------------------------------------------------------------ update

// A group of figures in an update: those of lanes first to end - 1 are to be updated.
typedef struct part {
  sinew_crowd_group group;
  const sinew_crowd_arrays *arrays;
  size_t figure; // of lane 0
  int first, end;
} part;

static double *part_q(const part *self, int lane) {
  return self->arrays->q + (self->figure + (size_t)lane) * self->arrays->q_stride;
}

static void read_part(part *self) {
  const double *q[SINEW_CROWD_MOST_LANES], *targets[SINEW_CROWD_MOST_LANES];
  unsigned present = 0;
  for (int l = self->first; l < self->end; ++l) {
    q[l] = part_q(self, l);
    targets[l] = self->arrays->targets + (self->figure + (size_t)l) * self->arrays->target_stride;
    present |= 1u << l;
  }
  sinew_crowd_put(&self->group, present, q, targets);
}

static void write_part(const part *self) {
  double *q[SINEW_CROWD_MOST_LANES];
  for (int l = self->first; l < self->end; ++l) {
    q[l] = part_q(self, l);
  }
  sinew_crowd_get_q(&self->group, q);
  for (int l = self->first; self->arrays->rows != NULL && l < self->end; ++l) {
    self->arrays->rows[self->figure + (size_t)l] = sinew_crowd_row(&self->group, l);
  }
}

// Strides of 0 stand for arrays without gaps.
static sinew_result complete_arrays(const sinew_crowd *crowd, const sinew_crowd_arrays *given,
                                    sinew_crowd_arrays *arrays, sinew_error *error) {
  const size_t size = (size_t)crowd->plan.target_size, nq = (size_t)crowd->model->nq;
  *arrays = *given;
  arrays->target_stride = given->target_stride != 0 ? given->target_stride : size;
  arrays->q_stride = given->q_stride != 0 ? given->q_stride : nq;
  if ((given->targets == NULL && size > 0) || (given->q == NULL && nq > 0)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "targets or q is NULL");
  }
  if (arrays->target_stride < size || arrays->q_stride < nq) {
    const bool targets = arrays->target_stride < size;
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, targets ? "target_stride" : "q_stride",
                           "%zu is less than %zu values",
                           targets ? arrays->target_stride : arrays->q_stride, targets ? size : nq);
  }
  return SINEW_OK;
}

// Checks the arguments of sinew_crowd_update() and completes its arrays.
static sinew_result check_call(const sinew_crowd *crowd, sinew_crowd_worker *worker,
                               const sinew_crowd_arrays *given, size_t first, size_t count,
                               sinew_crowd_arrays *arrays) {
  sinew_error *error = &worker->error;
  if (crowd == NULL || given == NULL) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "crowd or arrays is NULL");
  }
  if (worker->crowd != crowd) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "the worker belongs to another crowd");
  }
  if (first > crowd->figures || count > crowd->figures - first) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL,
                           "figures %zu and %zu more are beyond the crowd's %zu", first, count,
                           crowd->figures);
  }
  return complete_arrays(crowd, given, arrays, error);
}

sinew_result sinew_crowd_update(sinew_crowd *crowd, sinew_crowd_worker *worker,
                                const sinew_crowd_arrays *arrays, size_t first, size_t count) {
  sinew_crowd_arrays full = {0};
  if (worker == NULL) {
    return SINEW_ERROR_ARGUMENT;
  }
  const sinew_result result = check_call(crowd, worker, arrays, first, count, &full);
  if (result != SINEW_OK) {
    return result;
  }
  const size_t lanes = (size_t)crowd->kernel->lanes, end = first + count;
  part work = {.group = {.crowd = crowd, .worker = worker, .noted = full.rows != NULL},
               .arrays = &full};
  for (size_t figure = first / lanes * lanes; figure < end; figure += lanes) {
    work.figure = figure;
    work.first = figure < first ? (int)(first - figure) : 0;
    work.end = end - figure < lanes ? (int)(end - figure) : (int)lanes;
    work.group.history = history_of(crowd, figure);
    read_part(&work);
    sinew_crowd_update_group(&work.group);
    write_part(&work);
  }
  return SINEW_OK;
}
