// Levels: their memory, tasks, and what follows from tasks and objectives. Calls are in levels.c.
#include "base/error.h"
#include "math/vector.h"
#include "solve/levels.h"
#include "solve/solver.h"
#include "solve/value_columns.h"

#include <string.h>

// ---------------------------------------------------------------- memory

static void lower_layout(sinew_arena *arena, const sinew_solver *solver, const sinew_model *model,
                         sinew_lower_level *level) {
  const int capacity = solver->def.task_capacity;
  sinew_problem_layout(arena, model, capacity, &level->problem);
  sinew_evaluation_layout(arena, model, capacity, false, &level->evaluation);
  sinew_overshoot_layout(arena, model->nv, &level->overshoot);
}

// Read alone: what has no room for levels sets none of this.
sinew_levels *sinew_levels_none(void) {
  static const sinew_levels none = {.most = 0};
  return (sinew_levels *)&none;
}

static void left_out_layout(sinew_arena *arena, const sinew_solver *solver,
                            const sinew_model *model, sinew_left_out *left) {
  const size_t capacity = (size_t)solver->def.task_capacity, nv = (size_t)model->nv;
  for (int i = 0; i <= LEFT_OUT_UPDATES; ++i) {
    sinew_past_update *past = &left->past[i];
    past->q = sinew_arena_take_fours(arena, (size_t)model->nq, 0.0);
    past->step = sinew_arena_take_fours(arena, nv, 0.0);
    past->targets = sinew_arena_take(arena, capacity, sizeof *past->targets);
    past->history.step = past->step;
    past->history.targets = past->targets;
    past->history.active = sinew_arena_take(arena, 2 * nv, 1);
    past->history.kept_error = sinew_arena_take(arena, 6 * capacity, sizeof(double));
    past->history.removed = sinew_arena_take(arena, 6 * capacity, sizeof(double));
  }
}

void sinew_levels_layout(sinew_arena *arena, sinew_solver *solver, const sinew_model *model) {
  const size_t capacity = (size_t)solver->def.task_capacity, nv = (size_t)model->nv;
  const size_t nq = (size_t)model->nq, nodes = (size_t)model->node_count;
  const size_t objectives = (size_t)solver->def.lower.objectives;
  const int slacks = sinew_levels_range_room(&solver->def);
  const int m = 6 * solver->def.task_capacity + solver->def.lower.rows + slacks;
  const size_t each = solver->def.lower.rows > 5 ? (size_t)solver->def.lower.rows + 1 : 6;
  const size_t stride = (size_t)sinew_level_stride(model->nv + slacks);
  const size_t marks = (size_t)sinew_levels_marks(&solver->def, model);
  solver->levels = sinew_levels_none();
  if (solver->def.lower.levels == 0) {
    return;
  }
  sinew_levels measuring = {.most = 0}, *taken = sinew_arena_take(arena, 1, sizeof *taken);
  sinew_levels *levels = taken != NULL ? taken : &measuring;
  solver->levels = taken;
  levels->most = solver->def.lower.levels;
  sinew_left_out *left_out = sinew_arena_take(arena, 1, sizeof *left_out), unused = {.some = false};
  left_out_layout(arena, solver, model, left_out != NULL ? left_out : &unused);
  levels->left_out = left_out;
  sinew_lower_level *lower = sinew_arena_take(arena, (size_t)levels->most, sizeof *levels->lower);
  for (int k = 0; k < levels->most; ++k) {
    sinew_lower_level measured = {.share = 1.0, .kept = 1.0};
    lower_layout(arena, solver, model, lower != NULL ? &lower[k] : &measured);
  }
  levels->lower = lower;
  levels->hard = sinew_arena_take(arena, 1, sizeof *levels->hard);
  levels->soft = sinew_arena_take(arena, 1, sizeof *levels->soft);
  sinew_lower_level measured = {.share = 1.0, .kept = 1.0};
  lower_layout(arena, solver, model, levels->hard != NULL ? levels->hard : &measured);
  lower_layout(arena, solver, model, levels->soft != NULL ? levels->soft : &measured);
  levels->search = sinew_arena_take(arena, 1, sizeof *levels->search);
  levels->split = sinew_arena_take(arena, capacity, sizeof(int));
  levels->update = sinew_arena_take(arena, (size_t)levels->most + 2, sizeof *levels->update);
  levels->descent = sinew_arena_take(arena, (size_t)levels->most + 2, sizeof *levels->descent);
  levels->costs = sinew_arena_take(arena, (size_t)levels->most + 1, sizeof *levels->costs);
  levels->least_costs =
      sinew_arena_take(arena, (size_t)levels->most + 1, sizeof *levels->least_costs);
  levels->order = sinew_arena_take(arena, capacity, sizeof(int));
  levels->tasks = sinew_arena_take(arena, capacity, sizeof *levels->tasks);
  levels->targets = sinew_arena_take(arena, capacity, sizeof *levels->targets);
  levels->recorded = sinew_arena_take(arena, capacity, sizeof *levels->recorded);
  levels->objectives = sinew_arena_take(arena, objectives, sizeof *levels->objectives);
  levels->weights =
      sinew_arena_take(arena, objectives * (size_t)sinew_level_stride(model->nv), sizeof(double));
  levels->postures =
      sinew_arena_take(arena, objectives * (size_t)sinew_level_stride(model->nq), sizeof(double));
  levels->measured = sinew_arena_take(arena, objectives, sizeof *levels->measured);
  levels->rates = sinew_arena_take(arena, objectives > 0 ? 2 * each * (nv + 1) : 0, sizeof(double));
  levels->dof_of_column = sinew_arena_take(arena, nv, sizeof(int));
  levels->column_of_dof = sinew_arena_take(arena, nv, sizeof(int));
  levels->nodes = sinew_arena_take(arena, nodes, sizeof(int));
  levels->mark = sinew_arena_take(arena, nodes > nv ? nodes : nv, 1);
  levels->cones = sinew_arena_take(arena, (size_t)model->cone_count, sizeof *levels->cones);
  levels->settled = sinew_arena_take(arena, stride, 1);
  levels->active = sinew_arena_take(arena, (size_t)levels->most * marks, 1);
  levels->ranges = sinew_arena_take(arena, (size_t)slacks, sizeof *levels->ranges);
  levels->range_rows = sinew_arena_take(arena, (size_t)slacks * nv, sizeof(double));
  levels->slack_range = sinew_arena_take(arena, (size_t)slacks, sizeof(int));
  sinew_level_layout(arena, m, model->nv + slacks, &levels->scratch);
  levels->J = sinew_arena_take(arena, (size_t)m * stride, sizeof(double));
  // Those of a level are written in fours from its first row on.
  double **const rows[] = {&levels->e,        &levels->slackness, &levels->kept,
                           &levels->residual, &levels->left,      &levels->multiplier};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    *rows[i] = sinew_arena_take(arena, (size_t)sinew_level_stride(m) + 4, sizeof(double));
  }
  sinew_backward_differences_layout(arena, m, &levels->beyond);
  levels->errors = sinew_arena_take(arena, 2 * capacity, sizeof(double));
  double **const columns[] = {&levels->scale,   &levels->inverse_scale, &levels->D,   &levels->g,
                              &levels->lower_x, &levels->upper_x,       &levels->x,   &levels->part,
                              &levels->moved,   &levels->aim,           &levels->last};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; ++i) {
    *columns[i] = sinew_arena_take(arena, stride, sizeof(double));
  }
  double **const values[] = {&levels->q, &levels->before, &levels->start, &levels->top,
                             &levels->next};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
    *values[i] = sinew_arena_take_fours(arena, nq, 0.0);
  }
}

// ---------------------------------------------------------------- compiling

// Marks the degrees of freedom that an objective moves.
static void mark_objectives(const sinew_levels *levels, const sinew_problem *problem) {
  const int nv = problem->model->nv;
  for (int i = 0; i < levels->objective_count; ++i) {
    for (int v = 0; levels->objectives[i].weight > 0.0 && v < nv; ++v) {
      levels->mark[v] |= levels->objectives[i].weights[v] > 0.0 && problem->gains[v] > 0.0;
    }
  }
}

static void mark_columns(const sinew_problem *problem, unsigned char *mark) {
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    mark[problem->dof_of_column[column]] = 1;
  }
}

static void mark_nodes(const sinew_problem *problem, unsigned char *mark) {
  for (int i = 0; i < problem->node_count; ++i) {
    mark[problem->nodes[i]] = 1;
  }
}

// The nodes that move the point of an objective.
static void mark_paths(const sinew_levels *levels, const sinew_model *model) {
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    int n = -1;
    if (objective->kind == SINEW_OBJECTIVE_MANIPULABILITY) {
      n = model->link_node[objective->task->link];
    } else if (objective->kind == SINEW_OBJECTIVE_POLE) {
      n = model->link_node[objective->links[2]];
    }
    for (; n >= 0; n = model->nodes[n].parent) {
      levels->mark[n] = 1;
    }
  }
}

// The next update is as the first one.
static void forget_updates(sinew_solver *solver) {
  for (int k = 0; k < solver->levels->most; ++k) {
    sinew_lower_level *level = &solver->levels->lower[k];
    sinew_overshoot_reset(&level->overshoot);
    level->share = level->kept = 1.0;
    level->longer = false;
    level->keeps = 0;
  }
  solver->levels->rest = -1.0;
  sinew_left_out *left = solver->levels->left_out;
  left->some = left->saved = false;
  left->count = left->whole = left->next = 0;
  left->now = left->past;
  const size_t marks = (size_t)sinew_levels_marks(&solver->def, solver->model);
  memset(solver->levels->active, 0, (size_t)solver->levels->most * marks);
}

// Columns and nodes of the problems of all levels, which have been compiled.
static void compile(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  const sinew_problem *problem = &solver->problem;
  const sinew_model *model = solver->model;
  levels->n = levels->node_count = 0;
  levels->zeros.list = NULL;
  levels->speeds = false;
  levels->even = true;
  forget_updates(solver);
  memset(levels->mark, 0, (size_t)model->nv);
  mark_columns(problem, levels->mark);
  for (int k = 0; k < levels->count; ++k) {
    mark_columns(&levels->lower[k].problem, levels->mark);
  }
  mark_objectives(levels, problem);
  for (int v = 0; v < model->nv; ++v) {
    levels->column_of_dof[v] = levels->mark[v] ? levels->n : -1;
    if (levels->mark[v]) {
      levels->scale[levels->n] = problem->gains[v] * (model->angular[v] ? 1.0 : problem->size);
      levels->even &= problem->gains[v] == 1.0;
      levels->dof_of_column[levels->n++] = v;
      levels->speeds |=
          solver->motion.speed[v] < INFINITY || solver->motion.acceleration[v] < INFINITY;
    }
  }
  levels->values = sinew_has_value_columns(problem) && levels->n == problem->pattern.dof_count;
  levels->all_values = levels->values && levels->n == model->nq;
  for (int c = levels->n; c % 4 != 0; ++c) {
    levels->scale[c] = 1.0;
  }
  for (int c = 0; c < sinew_level_stride(levels->n); ++c) {
    levels->inverse_scale[c] = 1.0 / levels->scale[c];
  }
  sinew_level_cones_compile(solver, levels);
  memset(levels->mark, 0, (size_t)model->node_count);
  mark_nodes(problem, levels->mark);
  mark_paths(levels, model);
  for (int k = 0; k < levels->count; ++k) {
    mark_nodes(&levels->lower[k].problem, levels->mark);
  }
  for (int n = 0; n < model->node_count; ++n) {
    if (levels->mark[n]) {
      levels->nodes[levels->node_count++] = n;
    }
  }
}

static sinew_level level_of(sinew_lower_level *lower, int first, int number) {
  return (sinew_level){&lower->problem, &lower->evaluation, first, number};
}

// The ranges of a level's tasks, of hard ones or of others, as far as there is room.
static void take_ranges(sinew_solver *solver, int level, bool hard) {
  sinew_levels *levels = solver->levels;
  const sinew_problem *problem = levels->update[level].problem;
  const int room = sinew_levels_range_room(&solver->def);
  for (int t = 0; t < problem->count; ++t) {
    const sinew_task *task = &problem->tasks[t].task;
    const int sides = task->hard == hard ? sinew_task_side_count(task) : 0;
    for (int i = 0; levels->range_count + sides - i <= room && i < sides; ++i) {
      const int row = hard ? levels->range_count : -1;
      levels->ranges[levels->range_count++] =
          (sinew_level_range){.level = level, .task = t, .hard_row = row};
    }
  }
}

// The first level below with an objective; the last one where none has any.
static int find_alone(const sinew_levels *levels) {
  int first = levels->count;
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    const bool first_yet = objective->weight > 0.0 && objective->level < first;
    first = first_yet ? objective->level : first;
  }
  return first;
}

// The levels of updates and of descents.
static void list(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  const sinew_level top = {&solver->problem, &solver->evaluation, 0, 0};
  int first = solver->problem.count, at = 0;
  levels->update[0] = top;
  levels->descent[at++] = levels->apart ? level_of(levels->hard, 0, 0) : top;
  if (levels->apart) {
    levels->descent[at++] = level_of(levels->soft, levels->hard_count, 0);
  }
  for (int k = 1; k <= levels->count; ++k) {
    levels->update[k] = level_of(&levels->lower[k - 1], first, k);
    levels->descent[at++] = levels->update[k];
    first += levels->lower[k - 1].problem.count;
  }
  levels->range_count = 0;
  take_ranges(solver, 0, true);
  for (int k = 0; k < levels->count; ++k) {
    take_ranges(solver, k, false);
  }
  levels->placed_nodes = 0;
  levels->alone = find_alone(levels);
  levels->failed = levels->idle = levels->waited = 0;
  levels->expects = false;
  levels->search->model = NULL; // not compiled
}

void sinew_levels_take(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  levels->used = levels->apart;
  levels->moves = levels->poses = levels->poles = levels->calls = false;
  levels->count = 0;
  for (int t = 0; t < levels->task_count; ++t) {
    const sinew_leveled_task *task = &levels->tasks[t];
    levels->count = task->level > levels->count ? task->level : levels->count;
  }
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    if (!(objective->weight > 0.0)) {
      continue; // as if it did not exist
    }
    levels->count = objective->level > levels->count ? objective->level : levels->count;
    levels->moves |=
        objective->kind == SINEW_OBJECTIVE_DAMPING || objective->kind == SINEW_OBJECTIVE_LOW_CHANGE;
    levels->calls |= objective->kind == SINEW_OBJECTIVE_CALLBACK;
    levels->poles |= objective->kind == SINEW_OBJECTIVE_POLE;
    levels->poses |= levels->poles || objective->kind == SINEW_OBJECTIVE_MANIPULABILITY;
  }
  levels->used |= levels->count > 0;
  compile(solver);
  list(solver);
}

static void begin(sinew_solver *solver, sinew_lower_level *level) {
  sinew_problem_share(&level->problem, &solver->problem);
  level->problem.body_frame_only = true;
  sinew_problem_refresh(&level->problem);
  sinew_evaluation_begin(&level->evaluation, &level->problem, true);
}

void sinew_levels_begin(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  for (int k = 0; k < levels->most; ++k) {
    begin(solver, &levels->lower[k]);
  }
  if (levels->most > 0) {
    begin(solver, levels->hard);
    levels->hard->problem.body_frame_only = solver->problem.body_frame_only;
    begin(solver, levels->soft);
    sinew_levels_take(solver);
  }
}

static void refresh(sinew_lower_level *level) {
  sinew_problem_refresh(&level->problem);
  sinew_evaluation_begin(&level->evaluation, &level->problem, false);
}

void sinew_levels_refresh(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  for (int k = 0; k < levels->count; ++k) {
    refresh(&levels->lower[k]);
  }
  if (levels->apart) {
    refresh(levels->hard);
    refresh(levels->soft);
  }
  if (levels->most > 0) {
    compile(solver);
    list(solver);
  }
}

void sinew_levels_reset(sinew_solver *solver) {
  if (solver->levels->most > 0) {
    sinew_zero((size_t)solver->model->nv, solver->levels->last);
    solver->levels->failed = solver->levels->idle = solver->levels->waited = 0;
    solver->levels->was_alone = solver->levels->expects = false;
    forget_updates(solver);
  }
}

// ---------------------------------------------------------------- tasks

sinew_result sinew_levels_check_tasks(const sinew_solver *solver, const sinew_task *tasks,
                                      int count, sinew_error *error) {
  const int most = solver->def.lower.levels;
  for (int t = 0; t < count; ++t) {
    if (tasks[t].level > most) {
      return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                             "task %d: level %d is more than lower.levels, %d", t, tasks[t].level,
                             most);
    }
    if (most == 0 && !sinew_task_is_required(&tasks[t])) {
      return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                             "task %d: one that is not required needs lower.levels of 1 or more",
                             t);
    }
  }
  return SINEW_OK;
}

static bool precedes(const sinew_task *a, const sinew_task *b) {
  return a->level != b->level ? a->level < b->level
                              : sinew_task_is_required(a) && !sinew_task_is_required(b);
}

// Tasks by level, those that are required first, else as the caller has them.
static void sort_tasks(sinew_levels *levels, const sinew_task *tasks, int count) {
  for (int t = 0; t < count; ++t) {
    int at = t;
    for (; at > 0 && precedes(&tasks[t], &tasks[levels->order[at - 1]]); --at) {
      levels->order[at] = levels->order[at - 1];
    }
    levels->order[at] = t;
  }
}

// Compiles the tasks at first and after it that have a level, count of them; returns the next.
static int set_level(sinew_lower_level *level, const sinew_levels *levels, const sinew_task *tasks,
                     int first, int count, double size) {
  sinew_problem_set_some(&level->problem, tasks, levels->order + first, count, size);
  sinew_evaluation_begin(&level->evaluation, &level->problem, true);
  return first + count;
}

// How many of the tasks in order from first on have the same level, and are required where that is
// asked for.
static int count_level(const sinew_levels *levels, int first, int level, bool required) {
  int count = 0;
  while (first + count < levels->task_count) {
    const sinew_leveled_task *task = &levels->tasks[levels->order[first + count]];
    if (task->level != level || (required && !task->required)) {
      break;
    }
    ++count;
  }
  return count;
}

void sinew_levels_set_tasks(sinew_solver *solver, const sinew_task *tasks, int count) {
  sinew_levels *levels = solver->levels;
  if (levels->most == 0) {
    sinew_problem_set_tasks(&solver->problem, tasks, count);
    return;
  }
  const double size = sinew_tasks_size(solver->model, tasks, count);
  sort_tasks(levels, tasks, count);
  levels->task_count = count;
  for (int t = 0; t < count; ++t) {
    levels->tasks[t] = (sinew_leveled_task){.level = tasks[t].level,
                                            .required = sinew_task_is_required(&tasks[t])};
  }
  const int top = count_level(levels, 0, 0, false);
  levels->hard_count = count_level(levels, 0, 0, true);
  levels->apart = levels->hard_count < top;
  sinew_problem_set_some(&solver->problem, tasks, levels->order, top, size);
  if (levels->apart) {
    set_level(levels->hard, levels, tasks, 0, levels->hard_count, size);
    set_level(levels->soft, levels, tasks, levels->hard_count, top - levels->hard_count, size);
  }
  for (int i = 0, first = 0; i < count; ++i) {
    sinew_leveled_task *task = &levels->tasks[levels->order[i]];
    first = i > 0 && levels->tasks[levels->order[i - 1]].level != task->level ? i : first;
    task->index = i - first;
  }
  for (int k = 1, first = top; k <= levels->most; ++k) {
    first = set_level(&levels->lower[k - 1], levels, tasks, first,
                      count_level(levels, first, k, false), size);
  }
  sinew_levels_take(solver);
}
