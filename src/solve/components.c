// Components of a problem (problem/components.c), compiled as problems of their own. In updates
// each follows its own targets: one that is out of reach neither slows the others nor uses their
// share of the bound on change.
//
// A component's solver is a copy of the whole one with other tasks. It shares the scratch memory,
// since components are solved one after another. What is compiled is kept in memory of their own:
// the sizes of arrays are linear in the number of tasks, so that components of n tasks in all take
// no more than one of n and the others of one.
#include "solve/components.h"
#include "solve/solver.h"

#include <string.h>

// The limit on what alignment adds to a component's memory [bytes].
#define ALIGNMENT 4096

// What is compiled for a component of so many tasks.
static void component_layout(sinew_arena *arena, const sinew_model *model, int tasks,
                             sinew_solver *part) {
  sinew_problem_layout(arena, model, tasks, &part->problem);
  part->step.split = sinew_arena_take(arena, (size_t)tasks, sizeof(int));
  if (part->lanes.kernel != NULL) {
    sinew_lane_plan_layout(arena, model, tasks, &part->lanes.plan);
  }
}

static size_t component_bytes(const sinew_solver *solver, const sinew_model *model, int tasks) {
  sinew_arena arena = {NULL, 0};
  sinew_solver measured = {.lanes = {.kernel = solver->lanes.kernel}};
  component_layout(&arena, model, tasks, &measured);
  return arena.used < SIZE_MAX - ALIGNMENT ? arena.used + ALIGNMENT : SIZE_MAX / 2;
}

void sinew_components_layout(sinew_arena *arena, sinew_solver *solver, const sinew_model *model) {
  sinew_components *all = &solver->components;
  const int capacity = solver->def.task_capacity;
  all->most = capacity > 1 ? sinew_problem_most_components(model, capacity) : 0;
  if (all->most == 0) {
    return;
  }
  const size_t largest = component_bytes(solver, model, capacity);
  const size_t others = component_bytes(solver, model, 1);
  const size_t count = (size_t)all->most - 1;
  all->bytes =
      count == 0 || others < (SIZE_MAX / 2 - largest) / count ? largest + count * others : SIZE_MAX;
  all->solvers = sinew_arena_take(arena, (size_t)all->most, sizeof *all->solvers);
  all->targets = sinew_arena_take(arena, (size_t)capacity, sizeof *all->targets);
  all->q = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  all->errors = sinew_arena_take(arena, 2 * (size_t)capacity, sizeof(double));
  all->memory = sinew_arena_take(arena, all->bytes, 1);
}

// Gives a component its part of the history's arrays; not every method has both.
static void share_history(const sinew_solver *solver, int first, sinew_solver *part) {
  const sinew_history *whole = &solver->history;
  part->history.targets = whole->targets != NULL ? whole->targets + first : NULL;
  part->history.before = whole->before != NULL ? whole->before + first : NULL;
  part->history.kept_error = whole->kept_error != NULL ? whole->kept_error + 6 * first : NULL;
  part->history.removed = whole->removed != NULL ? whole->removed + 6 * first : NULL;
  part->history.step = solver->history.step;
  part->history.active = solver->history.active;
}

// Compiles a component into the arena. Its history stays, if it has one.
static void compile(const sinew_solver *solver, int component, sinew_arena *arena,
                    sinew_solver *part) {
  const sinew_problem *whole = &solver->problem;
  const int first = whole->component_start[component];
  const int count = whole->component_start[component + 1] - first;
  const sinew_history history = part->history;
  *part = *solver;
  part->history = solver->components.tracked ? history : solver->history;
  share_history(solver, first, part);
  part->components = (sinew_components){.most = 0};
  component_layout(arena, solver->model, count, part);
  part->lanes.planned = part->closed.known = false;
  part->linear.open = false;
  sinew_problem_set_component(&part->problem, whole, component);
  sinew_evaluation_begin(&part->evaluation, &part->problem, false);
  sinew_seed_scratch_fit(&part->search.seeds, &part->problem);
  if (solver->loops.count > 0) {
    sinew_loops_set_tasks(part);
  }
  for (int t = 0; t < count; ++t) {
    part->step.split[t] = part->problem.tasks[t].linear_rows;
  }
}

int sinew_components_count(sinew_solver *solver) {
  sinew_components *all = &solver->components;
  if (!all->ready) {
    const sinew_problem *problem = &solver->problem;
    sinew_arena arena = {all->memory, 0};
    const int before = all->count;
    all->ready = true;
    // Targets relative to other links may divide a chain into more components than there is room
    // for.
    const bool fits = problem->component_count <= all->most;
    all->count = problem->separable && fits ? problem->component_count : 0;
    all->tracked = all->tracked && all->count == before;
    for (int k = 0; k < all->count; ++k) {
      compile(solver, k, &arena, &all->solvers[k]);
    }
    SINEW_ASSERT(all->count <= all->most && arena.used <= all->bytes);
  }
  return all->count;
}

bool sinew_solver_in_lanes(sinew_solver *solver) {
  SINEW_ASSERT(solver != NULL);
  const sinew_problem *problem = &solver->problem;
  // Lower levels descend one problem after the other, and goals are found for one.
  if (solver->levels->used || solver->influence.used) {
    return false;
  }
  const int count = sinew_components_count(solver);
  // Tasks that no joint moves belong to no component, and lanes would leave them out.
  bool ready = count == 0 || problem->component_start[count] == problem->counted;
  for (int k = 0; ready && k < count; ++k) {
    ready = sinew_lanes_ready(sinew_component_solver(solver, k));
  }
  return count == 0 ? sinew_lanes_ready(solver) : ready;
}

static void forget_targets(sinew_history *history) {
  history->updates_at_rest = history->recent = history->motion = -1.0;
  history->has_before = false;
  history->keeps = 0.0;
  history->steady = false;
}

void sinew_components_track(sinew_solver *solver) {
  sinew_components *all = &solver->components;
  for (int k = 0; !all->tracked && k < all->count; ++k) {
    sinew_solver *part = &all->solvers[k];
    part->history = solver->history;
    share_history(solver, solver->problem.component_start[k], part);
    forget_targets(&part->history);
  }
  forget_targets(&solver->history); // if it is solved as a whole later
  all->tracked = true;
  solver->history.cut = false;
}

sinew_solver *sinew_component_solver(sinew_solver *solver, int component) {
  sinew_solver *part = &solver->components.solvers[component];
  part->linear.open = false; // bounds are in memory that components share
  return part;
}

int sinew_component_task(const sinew_solver *solver, int component, int task) {
  const sinew_problem *problem = &solver->problem;
  return problem->component_tasks[problem->component_start[component] + task];
}

const sinew_target *sinew_component_targets(const sinew_solver *solver, int component,
                                            const sinew_target *targets, sinew_target *out) {
  const sinew_problem *problem = &solver->problem;
  const int first = problem->component_start[component];
  const int count = problem->component_start[component + 1] - first;
  for (int k = 0; k < count; ++k) {
    out[k] = targets[problem->component_tasks[first + k]];
  }
  return out;
}
