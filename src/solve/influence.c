// Influence h of tasks, 0 to 1. With v_1 > v_2 > ... > v_k the different influences between 0 and
// 1, v_0 = 1, and q_s what the call would return without the tasks of influence v_(s+1) or less,
//
//   goal_i = h_i target_i + sum of (v_s - v_(s+1)) place_i(q_s) over s with h_i <= v_(s+1)
//
// place_i(q) is the target that task i would meet at q. The call is then made with the goals of all
// tasks whose influence is not 0. Where the targets can be met together and rows are linear, the
// result is the piecewise linear interpolation of q_s and of the result with all targets, which is
// continuous in every h, at 0 and 1 and where two influences cross as well. With one task alone q_0
// is where the figure is, and the goal is h of the way.
//
// Where h_1 and h_2 cross, the rate of the result jumps by that of h_1 - h_2 times
// q_1 + q_2 - q_0 - q_12, of results with one task, none and both. No law avoids that by which each
// task goes its share, equal influences go as one and weights of results are not negative: let c be
// the weight of q_12. Shares make those of q_1 and q_2 h_1 - c and h_2 - c, so c <= min(h_1, h_2);
// c(h, h) = h. Then c falls by t or more from (h, h) to (h - t, h) and does not grow to (h + t, h).
//
// Each stage s is a solver of its own with the same settings. In updates it takes over the motion
// of the solver itself, from which limits of change count.
// Source: Lee, Mansard, Park, Intermediate desired value approach for task transition of robots in
// kinematic control, 2012, for one task.
#include "solve/influence.h"
#include "base/error.h"
#include "kinematics/mass.h"
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

void sinew_influence_layout(sinew_arena *arena, const sinew_solver_def *def,
                            const sinew_model *model, sinew_influence *influence) {
  const size_t capacity = (size_t)def->task_capacity, most = (size_t)def->influences;
  influence->most = def->influences;
  if (most == 0) {
    return;
  }
  influence->tasks = sinew_arena_take(arena, capacity, sizeof *influence->tasks);
  influence->chosen = sinew_arena_take(arena, capacity, sizeof *influence->chosen);
  influence->number = sinew_arena_take(arena, capacity, sizeof(int));
  influence->values = sinew_arena_take(arena, capacity, sizeof(double));
  influence->solvers = sinew_arena_take(arena, most, sizeof *influence->solvers);
  influence->parts = sinew_arena_take(arena, (1 + most) * capacity, 1);
  sinew_target **const targets[] = {&influence->targets, &influence->goals, &influence->own};
  for (size_t i = 0; i < sizeof targets / sizeof targets[0]; ++i) {
    *targets[i] = sinew_arena_take(arena, capacity, sizeof(sinew_target));
  }
  influence->offsets = sinew_arena_take(arena, capacity, sizeof *influence->offsets);
  influence->q = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
}

sinew_result sinew_influence_create(sinew_solver *solver, sinew_error *error) {
  sinew_solver_def def = solver->def;
  sinew_result result = SINEW_OK;
  def.influences = 0;
  for (int s = 0; s < solver->influence.most && result == SINEW_OK; ++s) {
    result = sinew_solver_create(&def, solver->given_model, &solver->influence.solvers[s], error);
  }
  return result;
}

void sinew_influence_destroy(sinew_solver *solver) {
  for (int s = 0; s < solver->influence.most; ++s) {
    sinew_solver_destroy(solver->influence.solvers[s]);
  }
}

// ------------------------------------------------------------------ influences

// Inserts an influence between 0 and 1 into falling values, unless it is there. Returns how many.
static int insert(double value, int count, double *values) {
  int at = count;
  while (at > 0 && values[at - 1] < value) {
    --at;
  }
  if (!(value > 0.0 && value < 1.0) || (at > 0 && values[at - 1] == value)) {
    return count;
  }
  memmove(values + at + 1, values + at, (size_t)(count - at) * sizeof *values);
  values[at] = value;
  return count + 1;
}

sinew_result sinew_influence_check(sinew_solver *solver, const sinew_task *tasks, int count,
                                   const double *influences) {
  const sinew_influence *influence = &solver->influence;
  double values[SINEW_MOST_INFLUENCES + 1];
  int different = 0;
  for (int t = 0; t < count; ++t) {
    const double h = influences != NULL ? influences[t] : tasks[t].influence;
    if (!(h >= 0.0 && h <= 1.0)) {
      return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                             "task %d: influence %g is not within 0 and 1", t, h);
    }
    different = insert(h, different, values);
    if (h < 1.0 && (influence->most == 0 || different > influence->most)) {
      return sinew_error_set(&solver->error, SINEW_ERROR_CAPACITY, NULL,
                             "task %d: influence %g is one more than the solver has room for: its "
                             "influences are %d",
                             t, h, influence->most);
    }
  }
  return SINEW_OK;
}

// The tasks whose influence is above a value become those of a solver, if they were others. again:
// in any case, as new tasks.
static void choose(sinew_solver *solver, sinew_solver *part, double least, bool again,
                   unsigned char *row) {
  const sinew_influence *influence = &solver->influence;
  bool same = !again;
  int chosen = 0;
  for (int t = 0; t < influence->count; ++t) {
    const bool takes_part = influence->tasks[t].influence > least;
    same &= row[t] == takes_part;
    row[t] = takes_part;
    if (takes_part) {
      influence->chosen[chosen++] = influence->tasks[t];
    }
  }
  if (!same) {
    sinew_solver_take_tasks(part, influence->chosen, chosen, !again);
  }
}

enum { NOT_KNOWN = 2 };

// What follows from the influences of the tasks. again: these are new.
static void plan(sinew_solver *solver, bool again) {
  sinew_influence *influence = &solver->influence;
  const int capacity = solver->def.task_capacity;
  influence->used = false;
  influence->stages = influence->active = 0;
  for (int t = 0; t < influence->count; ++t) {
    const double h = influence->tasks[t].influence;
    influence->used |= h < 1.0;
    influence->stages = insert(h, influence->stages, influence->values);
    if (h > 0.0) {
      influence->number[influence->active++] = t;
    }
  }
  choose(solver, solver, 0.0, again, influence->parts);
  for (int s = 0; s < influence->most; ++s) {
    unsigned char *row = influence->parts + (size_t)(1 + s) * (size_t)capacity;
    if (s < influence->stages) {
      choose(solver, influence->solvers[s], influence->values[s], again, row);
    } else {
      memset(row, NOT_KNOWN, (size_t)capacity);
    }
  }
}

void sinew_influence_set_tasks(sinew_solver *solver, const sinew_task *tasks, int count) {
  sinew_influence *influence = &solver->influence;
  if (influence->most == 0) {
    sinew_solver_take_tasks(solver, tasks, count, false);
    return;
  }
  influence->count = count;
  if (count > 0) {
    memcpy(influence->tasks, tasks, (size_t)count * sizeof *tasks);
  }
  plan(solver, true);
}

sinew_result sinew_solver_set_influences(sinew_solver *solver, const double *influences,
                                         int count) {
  SINEW_ASSERT(solver != NULL);
  sinew_influence *influence = &solver->influence;
  if (influence->most == 0) {
    return sinew_error_set(&solver->error, SINEW_ERROR_CAPACITY, NULL,
                           "the solver has no room for influences: its influences are 0");
  }
  if (count != influence->count || (count > 0 && influences == NULL)) {
    return sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                           "count of influences is %d, of tasks %d, or influences is NULL", count,
                           influence->count);
  }
  const sinew_result result = sinew_influence_check(solver, influence->tasks, count, influences);
  if (result == SINEW_OK) {
    for (int t = 0; t < count; ++t) {
      influence->tasks[t].influence = influences[t];
    }
    plan(solver, false);
  }
  return result;
}

int sinew_influence_find(const sinew_influence *influence, int task) {
  for (int i = 0; i < influence->active; ++i) {
    if (influence->number[i] == task) {
      return i;
    }
  }
  return -1;
}

int sinew_influence_task(const sinew_solver *solver, int place) {
  const int i = solver->levels->most > 0 ? solver->levels->order[place] : place;
  return solver->influence.used ? solver->influence.number[i] : i;
}

double sinew_influence_of(const sinew_solver *solver, int place) {
  const sinew_influence *influence = &solver->influence;
  return influence->used ? influence->tasks[sinew_influence_task(solver, place)].influence : 1.0;
}

// ----------------------------------------------------------------------- calls

static sinew_result explain(sinew_solver *solver, const sinew_target *targets, int count,
                            const double *q) {
  const sinew_influence *influence = &solver->influence;
  sinew_error *error = &solver->error;
  if (count != influence->count) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "count of targets is %d, of tasks %d",
                           count, influence->count);
  }
  if (q == NULL || (count > 0 && targets == NULL)) {
    return sinew_error_set(error, SINEW_ERROR_ARGUMENT, NULL, "%s is NULL",
                           q == NULL ? "q" : "targets");
  }
  sinew_result result = sinew_configuration_explain(solver->model, q, error);
  for (int t = 0; t < count && result == SINEW_OK; ++t) {
    const unsigned fields = sinew_task_target_fields(&influence->tasks[t]);
    const int i = sinew_influence_find(influence, t);
    result = sinew_target_explain(&targets[t], fields, t, error);
    if (result == SINEW_OK && i >= 0 && (fields & SINEW_TARGET_POSITION) != 0) {
      result = sinew_target_explain_distance(targets[t].position,
                                             sinew_levels_task(solver, i)->resolved, t, error);
    }
  }
  return result;
}

sinew_result sinew_influence_take(sinew_solver *solver, const sinew_target **targets, int *count,
                                  const double *q, sinew_report *report) {
  sinew_influence *influence = &solver->influence;
  const sinew_target *given = *targets;
  if (!influence->used) {
    return SINEW_OK;
  }
  if (explain(solver, given, *count, q) != SINEW_OK) {
    return sinew_solver_refuse(solver, report);
  }
  for (int i = 0; i < influence->active; ++i) {
    influence->targets[i] = given[influence->number[i]];
  }
  *targets = influence->targets;
  *count = influence->active;
  return SINEW_OK;
}

// Rates of a stage become those of the solver: motion counts from its last.
static void take_motion(const sinew_solver *solver, sinew_solver *stage) {
  const sinew_model *model = solver->model;
  const double ratio = solver->problem.size / stage->problem.size;
  const size_t bytes = (size_t)model->nv * sizeof(double);
  for (int v = 0; v < model->nv; ++v) {
    stage->history.step[v] = solver->history.step[v] * (model->angular[v] ? 1.0 : ratio);
  }
  stage->history.cut = solver->history.cut;
  stage->history.spread = solver->history.spread;
  stage->history.parts = solver->history.parts;
  memcpy(stage->motion.last, solver->motion.last, bytes);
  stage->motion.begun = solver->motion.begun;
  if (solver->levels->most > 0) {
    memcpy(stage->levels->last, solver->levels->last, bytes);
  }
}

// influence.q <- what the call returns for the tasks of stage s.
static sinew_result run_stage(sinew_solver *solver, int s, sinew_influence_call call,
                              const sinew_global_def *def, const double *q) {
  sinew_influence *influence = &solver->influence;
  sinew_solver *stage = influence->solvers[s];
  sinew_result result = SINEW_OK;
  int count = 0;
  memcpy(influence->q, q, (size_t)solver->model->nq * sizeof *q);
  for (int i = 0; i < influence->active; ++i) {
    if (influence->tasks[influence->number[i]].influence > influence->values[s]) {
      influence->own[count++] = influence->targets[i];
    }
  }
  if (count == 0 && !stage->levels->used) {
    return SINEW_OK;
  }
  stage->def.budget.time_limit = solver->def.budget.time_limit;
  if (call == SINEW_INFLUENCE_UPDATE) {
    take_motion(solver, stage);
    result = sinew_solver_update(stage, influence->own, count, influence->q, NULL);
  } else if (call == SINEW_INFLUENCE_LOCAL) {
    result = sinew_solver_solve_local(stage, influence->own, count, influence->q, NULL);
  } else {
    sinew_global_def own = def != NULL ? *def : sinew_default_global_def();
    own.bank = NULL; // a bank and a network are for all tasks
    own.network = NULL;
    own.accept = NULL;
    result = sinew_solver_search(stage, &own, influence->own, count, influence->q, NULL);
  }
  influence->systems += stage->step.systems;
  if (result != SINEW_OK) {
    solver->error = stage->error;
  }
  return result;
}

// Adds the offsets at influence.q of the tasks that are not in stage s.
static void add_offsets(sinew_solver *solver, int s) {
  sinew_influence *influence = &solver->influence;
  const double above = s > 0 ? influence->values[s - 1] : 1.0, here = influence->values[s];
  double centre[3] = {0.0, 0.0, 0.0};
  sinew_state_place(&solver->state, influence->q);
  if (solver->model->mass > 0.0) {
    sinew_state_centres(&solver->state, solver->evaluation.centres, centre);
  }
  for (int i = 0; i < influence->active; ++i) {
    sinew_task_offset offset;
    if (influence->tasks[influence->number[i]].influence <= here) {
      sinew_task_find_offset(sinew_levels_task(solver, i), &solver->state, centre,
                             &influence->targets[i], &offset);
      sinew_task_add_offset(above - here, &offset, &influence->offsets[i]);
    }
  }
}

sinew_result sinew_influence_begin(sinew_solver *solver, sinew_influence_call call,
                                   const sinew_global_def *def, const sinew_target **targets,
                                   int *count, const double *q, sinew_report *report) {
  sinew_influence *influence = &solver->influence;
  if (!influence->used) {
    return SINEW_OK;
  }
  sinew_result result = sinew_influence_take(solver, targets, count, q, report);
  if (result != SINEW_OK) {
    return result;
  }
  influence->systems = 0;
  influence->time_limit = solver->def.budget.time_limit;
  solver->def.budget.time_limit /= 1 + influence->stages;
  for (int i = 0; i < influence->active; ++i) {
    influence->offsets[i] = (sinew_task_offset){.weight = 0.0};
  }
  for (int s = 0; s < influence->stages; ++s) {
    result = run_stage(solver, s, call, def, q);
    if (result != SINEW_OK) {
      solver->def.budget.time_limit = influence->time_limit;
      return sinew_solver_refuse(solver, report);
    }
    add_offsets(solver, s);
  }
  for (int i = 0; i < influence->active; ++i) {
    sinew_task_move_target(sinew_levels_task(solver, i), &influence->offsets[i],
                           &influence->targets[i], &influence->goals[i]);
  }
  *targets = influence->goals;
  return SINEW_OK;
}

sinew_result sinew_influence_end(sinew_solver *solver, sinew_result result, sinew_report *report) {
  const sinew_influence *influence = &solver->influence;
  if (!influence->used) {
    return result;
  }
  solver->def.budget.time_limit = influence->time_limit;
  solver->step.systems += influence->systems;
  if (report != NULL && report->worst_task >= 0) {
    report->worst_task = influence->number[report->worst_task];
  }
  if (report != NULL && report->reach_task >= 0) {
    report->reach_task = influence->number[report->reach_task];
  }
  return result;
}
