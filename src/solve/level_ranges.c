// Ranges of tasks in the steps of the levels below them: see level_ranges.h.
#include "solve/level_ranges.h"
#include "math/vector.h"
#include "solve/level_rows.h"
#include "solve/lower_step.h"

#include <string.h>

// The weight of s, of a step and of a correction: so small that s has no effect on them while it is
// within its bounds.
#define WEIGHT 1e-12
#define CORRECTION_WEIGHT 1e-15

// A row may be reached where it is no further away than this times the most that joints which each
// move by levels.longest change it.
#define REACHED 2.0

static double unit_of(const sinew_solver *solver, const sinew_level_range *range) {
  return sinew_hard_unit(&range->was, solver->problem.size);
}

// The share of the way to its end that a row may go in a step.
static double barrier(const sinew_solver *solver, const sinew_level_range *range) {
  const sinew_levels *levels = solver->levels;
  const int place = levels->update[range->level].first + range->task;
  return sinew_lower_barrier(levels, sinew_influence_of(solver, place));
}

// How far a row may go up and down in a step. It is not brought in: its own level does that.
static double most_up(const sinew_solver *solver, const sinew_level_range *range) {
  return sinew_max(barrier(solver, range) * range->was.upper, 0.0) / unit_of(solver, range);
}

static double most_down(const sinew_solver *solver, const sinew_level_range *range) {
  return sinew_min(barrier(solver, range) * range->was.lower, 0.0) / unit_of(solver, range);
}

// How far a row may be from where a step should leave it: of a task that is not hard, what its
// level may be off.
static double most_excess(const sinew_solver *solver, const sinew_level_range *range) {
  const sinew_tolerances *tolerances = &solver->def.tolerances;
  const double tolerance = range->was.angle ? tolerances->orientation : tolerances->position;
  return range->hard_row >= 0 ? SINEW_HARD_KEPT
                              : solver->levels->met * tolerance / unit_of(solver, range);
}

// Where a range's task is in the call: those of level 0 that are not required are a level of their
// own in a descent.
typedef struct place {
  int level, task;
} place;

static place place_of(const sinew_levels *levels, const sinew_level_range *range) {
  const bool apart = levels->list == levels->descent && levels->apart;
  place at = {range->level, range->task};
  if (apart && range->level == 0 && range->task >= levels->hard_count) {
    at = (place){1, range->task - levels->hard_count};
  } else if (apart && range->level > 0) {
    ++at.level;
  }
  return at;
}

static const sinew_compiled_task *task_at(const sinew_levels *levels, place at) {
  return &levels->list[at.level].problem->tasks[at.task];
}

static bool is_above(const sinew_levels *levels, const sinew_level_range *range) {
  return place_of(levels, range).level < levels->ranged;
}

// The ranges of the levels above; those of one task follow each other. ended: at levels.next.
static void find_sides(sinew_solver *solver, bool ended) {
  sinew_levels *levels = solver->levels;
  for (int i = 0, sides; i < levels->range_count; i += sides) {
    sinew_level_range *range = &levels->ranges[i];
    const place at = place_of(levels, range);
    const sinew_level *level = &levels->list[at.level];
    const sinew_compiled_task *task = task_at(levels, at);
    sinew_task_side found[SINEW_MOST_SIDES];
    sides = sinew_task_side_count(&task->task);
    if (at.level >= levels->ranged) {
      continue;
    }
    sinew_task_find_sides(task, &solver->state, &levels->targets[level->first + at.task],
                          &level->evaluation->tasks[at.task], found);
    for (int k = 0; k < sides; ++k) {
      *(ended ? &range[k].ended : &range[k].was) = found[k];
    }
  }
}

// The sides whose rows are written together, of one task at least.
#define TOGETHER (4 * SINEW_MOST_SIDES)

// The number of sides from range i on: those of its task, and of the next ones with the same
// columns.
static int count_together(const sinew_levels *levels, int i) {
  const place first = place_of(levels, &levels->ranges[i]);
  const sinew_level *level = &levels->list[first.level];
  int sides = sinew_task_side_count(&task_at(levels, first)->task);
  while (i + sides < levels->range_count) {
    const place at = place_of(levels, &levels->ranges[i + sides]);
    if (at.level != first.level || sides + SINEW_MOST_SIDES > TOGETHER ||
        !sinew_hard_have_same_columns(level->problem, level->evaluation, first.task, at.task)) {
      break;
    }
    sides += sinew_task_side_count(&task_at(levels, at)->task);
  }
  return sides;
}

// levels.range_rows <- rows over the columns of their levels.
static void find_rows(sinew_solver *solver, bool ended) {
  sinew_levels *levels = solver->levels;
  const int nv = solver->model->nv;
  for (int i = 0, sides; i < levels->range_count; i += sides) {
    const sinew_level_range *range = &levels->ranges[i];
    const place at = place_of(levels, range);
    const sinew_level *level = &levels->list[at.level];
    sinew_task_side found[TOGETHER];
    if (at.level >= levels->ranged) {
      sides = sinew_task_side_count(&task_at(levels, at)->task);
      continue;
    }
    sides = count_together(levels, i);
    for (int k = 0; k < sides; ++k) {
      found[k] = ended ? range[k].ended : range[k].was;
    }
    level->evaluation->in_cones = false;
    sinew_hard_write_rows(level->problem, &solver->state, level->evaluation, at.task, sides, found,
                          nv, levels->range_rows + i * nv);
  }
}

static bool may_be_reached(const sinew_solver *solver, int i) {
  const sinew_levels *levels = solver->levels;
  const sinew_level_range *range = &levels->ranges[i];
  const sinew_problem *problem = levels->list[place_of(levels, range).level].problem;
  const double *row = levels->range_rows + i * solver->model->nv;
  double most = 0.0;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    most += fabs(row[column]) / problem->gain[column];
  }
  most *= REACHED * levels->longest;
  return !(most_up(solver, range) > most && -most_down(solver, range) > most);
}

bool sinew_level_ranges_may_be_left(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  bool inside = true;
  sinew_hard_find_sides(solver, solver->levels->targets, hard->ended);
  for (int i = 0; inside && i < hard->total; ++i) {
    const double unit = sinew_hard_unit(&hard->ended[i], solver->problem.size);
    inside = sinew_hard_outside(&hard->ended[i], unit) <= SINEW_HARD_KEPT;
  }
  if (inside) {
    sinew_zero((size_t)hard->total, hard->multiplier);
    sinew_zero((size_t)hard->total, hard->yielded);
    sinew_zero((size_t)hard->total, hard->beyond);
    memset(hard->has_yielded, 0, (size_t)hard->total * sizeof(bool));
    memset(hard->at, 0, (size_t)hard->total);
  }
  return inside;
}

void sinew_level_ranges_begin(sinew_solver *solver, int k) {
  sinew_levels *levels = solver->levels;
  levels->ranged = k;
  find_sides(solver, false);
  find_rows(solver, false);
  for (int i = 0; i < levels->range_count; ++i) {
    levels->ranges[i].reached = 0;
    if (is_above(levels, &levels->ranges[i]) && may_be_reached(solver, i)) {
      levels->slack_range[levels->slacks++] = i;
    }
  }
}

// The range of column j after the n.
static sinew_level_range *range_of(const sinew_levels *levels, int j) {
  return &levels->ranges[levels->slack_range[j]];
}

static void write_rows(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  const int stride = sinew_levels_stride(levels);
  double *row = levels->J + levels->above * stride;
  sinew_zero((size_t)(levels->slacks * stride), row);
  for (int j = 0; j < levels->slacks; ++j, row += stride) {
    const int level = place_of(levels, range_of(levels, j)).level;
    const sinew_problem *problem = levels->list[level].problem;
    const double *from = levels->range_rows + levels->slack_range[j] * solver->model->nv;
    for (int column = 0; column < problem->pattern.dof_count; ++column) {
      row[levels->column_of_dof[problem->dof_of_column[column]]] = from[column];
    }
    sinew_level_turn_rows(solver, problem, 1, row);
    row[levels->n + j] = -1.0;
  }
}

static void set_column(sinew_levels *levels, int j, double lower, double upper, double weight) {
  const int c = levels->n + j;
  levels->lower_x[c] = lower;
  levels->upper_x[c] = upper;
  levels->D[c] = weight;
  levels->g[c] = 0.0;
}

void sinew_level_ranges_write(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  write_rows(solver);
  for (int j = 0; j < levels->slacks; ++j) {
    const sinew_level_range *range = range_of(levels, j);
    set_column(levels, j, most_down(solver, range), most_up(solver, range), WEIGHT);
  }
}

void sinew_level_ranges_recall(sinew_solver *solver, const signed char *active) {
  const sinew_levels *levels = solver->levels;
  for (int j = 0; j < levels->slacks; ++j) {
    levels->scratch.held[levels->n + j] = active[levels->slack_range[j]];
  }
}

void sinew_level_ranges_keep_active(sinew_solver *solver, signed char *active) {
  const sinew_levels *levels = solver->levels;
  memset(active, 0, (size_t)levels->range_count);
  for (int j = 0; j < levels->slacks; ++j) {
    active[levels->slack_range[j]] = levels->scratch.held[levels->n + j];
  }
}

void sinew_level_ranges_note_reached(sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  for (int j = 0; j < levels->slacks; ++j) {
    range_of(levels, j)->reached = levels->scratch.held[levels->n + j];
  }
}

// By how much a row's quantity has moved from levels.top to levels.next.
static double moved_by(const sinew_solver *solver, const sinew_level_range *range) {
  return sinew_hard_moved(&range->was, &range->ended) / unit_of(solver, range);
}

// What a row may still go up and down after it has moved from levels.top.
static void find_ends(const sinew_solver *solver, const sinew_level_range *range, double *down,
                      double *up) {
  const double unit = unit_of(solver, range), moved = moved_by(solver, range);
  *up = sinew_max(range->was.upper, 0.0) / unit - moved;
  *down = sinew_min(range->was.lower, 0.0) / unit - moved;
}

// Whether the row of column j is to end where the share of the step ends to first order: at the
// bound that has held the step back. By its curvature it might come back in the next one.
static bool is_to_end(const sinew_solver *solver, int j, double share) {
  const sinew_level_range *range = range_of(solver->levels, j);
  const double s = share * solver->levels->x[solver->levels->n + j];
  return range->reached != 0 &&
         fabs(s - (range->reached > 0 ? most_up(solver, range) : most_down(solver, range))) <=
             SINEW_HARD_KEPT;
}

double sinew_level_ranges_find_excess(sinew_solver *solver, double share) {
  sinew_levels *levels = solver->levels;
  const double factor = sinew_lower_rest_factor(solver);
  double square = 0.0;
  if (levels->slacks > 0) {
    find_sides(solver, true);
  }
  for (int j = 0; j < levels->slacks; ++j) {
    const sinew_level_range *range = range_of(levels, j);
    double down, up;
    find_ends(solver, range, &down, &up);
    const double excess = is_to_end(solver, j, share)
                              ? share * levels->x[levels->n + j] - moved_by(solver, range)
                              : sinew_min(up, 0.0) + sinew_max(down, 0.0);
    levels->residual[levels->above + j] = excess;
    square += fabs(excess) > factor * most_excess(solver, range) ? excess * excess : 0.0;
  }
  return square;
}

void sinew_level_ranges_write_again(sinew_solver *solver, double share) {
  sinew_levels *levels = solver->levels;
  if (levels->slacks > 0) {
    find_rows(solver, true);
    write_rows(solver);
  }
  for (int j = 0; j < levels->slacks; ++j) {
    const double excess = levels->residual[levels->above + j];
    double down = excess, up = excess;
    if (!is_to_end(solver, j, share)) {
      find_ends(solver, range_of(levels, j), &down, &up);
    }
    set_column(levels, j, down - excess, up - excess, CORRECTION_WEIGHT);
  }
}

bool sinew_level_ranges_are_kept(sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  bool kept = true;
  find_sides(solver, true);
  for (int i = 0; kept && i < levels->range_count; ++i) {
    const sinew_level_range *range = &levels->ranges[i];
    const double unit = unit_of(solver, range);
    kept = !is_above(levels, range) ||
           sinew_hard_outside(&range->ended, unit) <=
               sinew_hard_outside(&range->was, unit) + most_excess(solver, range);
  }
  return kept;
}

void sinew_level_ranges_end(sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  sinew_hard *hard = &solver->hard;
  for (int i = 0; i < levels->range_count; ++i) {
    const sinew_level_range *range = &levels->ranges[i];
    const int row = range->hard_row;
    if (row >= 0 && is_above(levels, range)) {
      hard->at[row] = range->reached != 0 ? range->reached : hard->at[row];
      hard->beyond[row] = hard->has_yielded[row] ? sinew_hard_beyond(&range->ended) : 0.0;
    }
  }
}
