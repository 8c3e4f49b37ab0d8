// Hard tasks of a solver: memory, checks, reports. The rows of a step are in hard.c.
#include "base/error.h"
#include "math/vector.h"
#include "policy/gradient.h"
#include "solve/solver.h"

#include <string.h>

// The most columns of a task: joints that drive others have several.
static size_t most_columns(const sinew_model *model) {
  return 3 * (size_t)model->node_count;
}

void sinew_hard_layout(sinew_arena *arena, const sinew_solver_def *def, const sinew_model *model,
                       sinew_hard *hard) {
  const size_t rows = (size_t)def->hard_rows, n = rows > 0 ? (size_t)model->nv : 0;
  const size_t columns = rows > 0 ? most_columns(model) : 0;
  hard->capacity = def->hard_rows;
  const size_t nq = rows > 0 ? (size_t)model->nq : 0;
  hard->q = sinew_arena_take(arena, nq, sizeof(double));
  hard->before = sinew_arena_take(arena, nq, sizeof(double));
  hard->sides = sinew_arena_take(arena, rows, sizeof *hard->sides);
  hard->ended = sinew_arena_take(arena, rows, sizeof *hard->ended);
  hard->task = sinew_arena_take(arena, rows, sizeof(int));
  hard->entries = sinew_arena_take(arena, rows * n, sizeof(double));
  hard->lower = sinew_arena_take(arena, rows, sizeof(double));
  hard->upper = sinew_arena_take(arena, rows, sizeof(double));
  hard->outer_lower = sinew_arena_take(arena, n, sizeof(double));
  hard->outer_upper = sinew_arena_take(arena, n, sizeof(double));
  hard->joint_lower = sinew_arena_take(arena, n, sizeof(double));
  hard->joint_upper = sinew_arena_take(arena, n, sizeof(double));
  hard->narrow_lower = sinew_arena_take(arena, n, sizeof(double));
  hard->narrow_upper = sinew_arena_take(arena, n, sizeof(double));
  hard->best = sinew_arena_take(arena, n, sizeof(double));
  hard->rank = sinew_arena_take(arena, 2 * n + rows, 1);
  hard->curvature = sinew_arena_take(arena, n * n, sizeof(double));
  hard->twists = sinew_arena_take(arena, 6 * columns, sizeof(double));
  hard->column = sinew_arena_take(arena, columns, sizeof(int));
  hard->node = sinew_arena_take(arena, columns, sizeof(int));
  hard->barrier = sinew_arena_take(arena, rows, sizeof(double));
  hard->most_return = sinew_arena_take(arena, rows, sizeof(double));
  hard->reached = sinew_arena_take(arena, rows, 1);
  hard->multiplier = sinew_arena_take(arena, rows, sizeof(double));
  hard->beyond = sinew_arena_take(arena, rows, sizeof(double));
  hard->at = sinew_arena_take(arena, rows, 1);
  hard->yielded = sinew_arena_take(arena, rows, sizeof(double));
  hard->has_yielded = sinew_arena_take(arena, rows, sizeof(bool));
  if (rows > 0) {
    sinew_constrained_layout(arena, model->nv, def->hard_rows, &hard->scratch);
  }
}

sinew_result sinew_hard_check_update(sinew_solver *solver) {
  const char *with = solver->hard.total == 0                           ? NULL
                     : solver->def.step.method != SINEW_METHOD_DEFAULT ? "another step.method"
                                                                       : NULL;
  return with == NULL ? SINEW_OK
                      : sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                                        "updates do not keep hard tasks with %s", with);
}

sinew_result sinew_hard_check_tasks(const sinew_solver *solver, const sinew_task *tasks, int count,
                                    sinew_error *error) {
  int rows = 0;
  for (int t = 0; t < count; ++t) {
    rows += sinew_task_hard_rows(&tasks[t], 1);
    if (rows > solver->hard.capacity) {
      return sinew_error_set(error, SINEW_ERROR_CAPACITY, NULL,
                             "task %d: hard: the ranges of hard tasks are more than hard_rows, %d",
                             t, solver->hard.capacity);
    }
  }
  return SINEW_OK;
}

void sinew_hard_set_tasks(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  hard->total = 0;
  for (int t = 0; hard->capacity > 0 && t < solver->problem.count; ++t) {
    const int rows = sinew_task_hard_rows(&solver->problem.tasks[t].task, 1);
    for (int i = 0; i < rows; ++i) {
      hard->sides[hard->total] = (sinew_task_side){0};
      hard->task[hard->total++] = t;
    }
  }
  sinew_hard_reset(solver);
}

void sinew_hard_reset(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  if (hard->capacity > 0) {
    const size_t rows = (size_t)hard->capacity;
    memset(hard->multiplier, 0, rows * sizeof(double));
    memset(hard->beyond, 0, rows * sizeof(double));
    memset(hard->at, 0, rows);
    memset(hard->yielded, 0, rows * sizeof(double));
    memset(hard->has_yielded, 0, rows * sizeof(bool));
    memset(hard->scratch.program.active, 0, 2 * (size_t)solver->model->nv + rows);
  }
}

bool sinew_hard_note_further(sinew_solver *solver, int row) {
  sinew_hard *hard = &solver->hard;
  const sinew_task_side *was = &hard->sides[row], *ended = &hard->ended[row];
  const double unit = sinew_hard_unit(was, solver->problem.size);
  const double moved = sinew_hard_outside(ended, unit) - sinew_hard_outside(was, unit);
  const bool further = moved > SINEW_HARD_KEPT;
  hard->has_yielded[row] |= further;
  hard->beyond[row] = hard->has_yielded[row] ? sinew_hard_beyond(ended) : 0.0;
  return further;
}

bool sinew_hard_measure_end(sinew_solver *solver, const double *q) {
  sinew_hard *hard = &solver->hard;
  const sinew_task_evaluation *at = solver->evaluation.tasks;
  bool broken = false;
  if (hard->total == 0 || hard->targets == NULL || solver->escape.length > 0) {
    return false;
  }
  for (int t = 0; t < solver->problem.count; ++t) { // those before the update
    solver->track.errors[2 * t] = at[t].position_error;
    solver->track.errors[2 * t + 1] = at[t].orientation_error;
  }
  solver->functions->evaluate(solver, hard->targets, q);
  sinew_hard_find_sides(solver, hard->targets, hard->ended);
  for (int i = 0; i < hard->total; ++i) {
    const sinew_task *task = &solver->problem.tasks[hard->task[i]].task;
    broken |= sinew_hard_note_further(solver, i) && sinew_hard_rank(task) < SINEW_RANK_ACCELERATION;
  }
  for (int t = 0; t < solver->problem.count; ++t) {
    solver->evaluation.tasks[t].position_error = solver->track.errors[2 * t];
    solver->evaluation.tasks[t].orientation_error = solver->track.errors[2 * t + 1];
  }
  return broken;
}

double sinew_hard_free_gradient(const sinew_solver *solver) {
  const sinew_hard *hard = &solver->hard;
  const sinew_linearization *linear = &solver->linear;
  const int n = solver->problem.pattern.dof_count;
  double sum = 0.0;
  for (int column = 0; column < n; ++column) {
    double g = linear->gradient[column];
    for (int i = 0; i < hard->count; ++i) {
      g -= hard->multiplier[i] * hard->entries[i * n + column];
    }
    g = linear->open ? g : gradient_free(g, linear->lower[column], linear->upper[column]);
    sum += g * g;
  }
  return sqrt(sum);
}

void sinew_hard_scale_column(sinew_hard *hard, int n, int column, double s) {
  for (int i = 0; i < hard->count; ++i) {
    hard->entries[i * n + column] *= s;
  }
  hard->outer_lower[column] /= s;
  hard->outer_upper[column] /= s;
}

// The end that a side is at to a tolerance; beyond <- how far it is beyond that end, if by more.
static int find_end(const sinew_task_side *side, double tolerance, double *beyond) {
  const int end = side->upper <= tolerance ? 1 : side->lower >= -tolerance ? -1 : 0;
  const double over = end > 0 ? -side->upper : end < 0 ? -side->lower : 0.0;
  *beyond = fabs(over) > tolerance ? over : 0.0;
  return end;
}

void sinew_hard_measure(sinew_solver *solver, const sinew_target *targets, const double *q) {
  sinew_hard *hard = &solver->hard;
  const sinew_tolerances *tolerances = &solver->def.tolerances;
  if (hard->total == 0) {
    return;
  }
  sinew_hard_reset(solver);
  solver->functions->evaluate(solver, targets, q);
  sinew_hard_find_sides(solver, targets, hard->sides);
  for (int i = 0; i < hard->total; ++i) {
    const sinew_task_side *side = &hard->sides[i];
    const double tolerance = side->angle ? tolerances->orientation : tolerances->position;
    hard->at[i] = (signed char)find_end(side, tolerance, &hard->beyond[i]);
  }
}

bool sinew_hard_is_kept(sinew_solver *solver, const sinew_target *targets, const double *before,
                        const double *after) {
  sinew_hard *hard = &solver->hard;
  bool kept = true;
  if (hard->total == 0) {
    return true;
  }
  solver->functions->evaluate(solver, targets, before);
  sinew_hard_find_sides(solver, targets, hard->sides);
  solver->functions->evaluate(solver, targets, after);
  sinew_hard_find_sides(solver, targets, hard->ended);
  for (int i = 0; kept && i < hard->total; ++i) {
    const double unit = sinew_hard_unit(&hard->sides[i], solver->problem.size);
    kept = sinew_hard_outside(&hard->ended[i], unit) <=
           sinew_hard_outside(&hard->sides[i], unit) + SINEW_HARD_KEPT;
  }
  return kept;
}

// -------------------------------------------------------------------- queries

int sinew_solver_hard_row_count(const sinew_solver *solver) {
  SINEW_ASSERT(solver != NULL);
  return solver->hard.total;
}

sinew_result sinew_solver_hard_row(const sinew_solver *solver, int row,
                                   sinew_hard_row_report *report) {
  SINEW_ASSERT(solver != NULL && report != NULL);
  const sinew_hard *hard = &solver->hard;
  if (row < 0 || row >= hard->total) {
    return SINEW_ERROR_INDEX;
  }
  const int t = hard->task[row];
  const double multiplier = hard->multiplier[row];
  const int side = (multiplier > 0.0) - (multiplier < 0.0);
  *report = (sinew_hard_row_report){.task = sinew_influence_task(solver, t),
                                    .axis = hard->sides[row].axis,
                                    .rank = sinew_hard_rank(&solver->problem.tasks[t].task),
                                    .side = side != 0 ? side : hard->at[row],
                                    .yielded = hard->beyond[row]};
  return SINEW_OK;
}
