// Ranges of tasks of level 0 in the steps of lower levels: see level_hard.h.
#include "solve/level_hard.h"
#include "math/vector.h"
#include "solve/level_rows.h"

#include <string.h>

// The weight of s, of a step and of a correction: so small that s has no effect on them while it is
// within its bounds.
#define WEIGHT 1e-12
#define CORRECTION_WEIGHT 1e-15

// A row may be reached where it is no further away than this times the most that joints which each
// move by levels.longest change it.
#define REACHED 2.0

static double unit_of(const sinew_solver *solver, int row) {
  return sinew_hard_unit(&solver->hard.sides[row], solver->problem.size);
}

// How far row i may go up and down in a step. It is not brought in: level 0 does that.
static double most_up(const sinew_solver *solver, int i) {
  return sinew_max(SINEW_HARD_BARRIER * solver->hard.sides[i].upper, 0.0) / unit_of(solver, i);
}

static double most_down(const sinew_solver *solver, int i) {
  return sinew_min(SINEW_HARD_BARRIER * solver->hard.sides[i].lower, 0.0) / unit_of(solver, i);
}

// How far row i may be from where a step should leave it: of a task that is not hard, what its
// level may be off.
static double most_excess(const sinew_solver *solver, int i) {
  const sinew_tolerances *tolerances = &solver->def.tolerances;
  const bool angle = solver->hard.sides[i].angle;
  const double tolerance = angle ? tolerances->orientation : tolerances->position;
  return i < solver->hard.total ? SINEW_HARD_KEPT
                                : solver->levels->met * tolerance / unit_of(solver, i);
}

static bool may_be_reached(const sinew_solver *solver, int i) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  double most = 0.0;
  for (int column = 0; column < n; ++column) {
    most += fabs(solver->hard.entries[i * n + column]) / problem->gain[column];
  }
  most *= REACHED * solver->levels->longest;
  return !(most_up(solver, i) > most && -most_down(solver, i) > most);
}

bool sinew_level_hard_may_be_left(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  bool inside = true;
  if (hard->total == 0) {
    return true;
  }
  sinew_hard_find_sides(solver, solver->levels->targets, hard->total, hard->ended);
  for (int i = 0; inside && i < hard->total; ++i) {
    inside = sinew_hard_outside(&hard->ended[i],
                                sinew_hard_unit(&hard->ended[i], solver->problem.size)) <=
             SINEW_HARD_KEPT;
  }
  if (inside) {
    sinew_zero((size_t)hard->total, hard->multiplier);
    sinew_zero((size_t)hard->total, hard->yielded);
    sinew_zero((size_t)hard->total, hard->beyond);
    memset(hard->at, 0, (size_t)hard->total);
  }
  return inside;
}

void sinew_level_hard_begin(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  sinew_hard *hard = &solver->hard;
  levels->slacks = 0;
  if (hard->all == 0 || levels->list != levels->update) {
    return;
  }
  solver->evaluation.in_cones = false;
  sinew_hard_find_sides(solver, levels->targets, hard->all, hard->sides);
  sinew_hard_find_rows(solver, hard->all, hard->sides);
  for (int i = 0; i < hard->all; ++i) {
    hard->reached[i] = 0;
    if (may_be_reached(solver, i)) {
      levels->slack_row[levels->slacks++] = i;
    }
  }
}

static void write_rows(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count, stride = sinew_levels_stride(levels);
  double *J = levels->J + levels->above * stride, *row = J;
  sinew_zero((size_t)(levels->slacks * stride), J);
  for (int j = 0; j < levels->slacks; ++j, row += stride) {
    const double *entries = solver->hard.entries + levels->slack_row[j] * n;
    for (int column = 0; column < n; ++column) {
      row[levels->column_of_dof[problem->dof_of_column[column]]] = entries[column];
    }
  }
  sinew_level_turn_rows(solver, problem, levels->slacks, J);
  for (int j = 0; j < levels->slacks; ++j) {
    J[j * stride + levels->n + j] = -1.0;
  }
}

static void set_column(sinew_levels *levels, int j, double lower, double upper, double weight) {
  const int c = levels->n + j;
  levels->lower_x[c] = lower;
  levels->upper_x[c] = upper;
  levels->D[c] = weight;
  levels->g[c] = 0.0;
}

void sinew_level_hard_write(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  if (levels->slacks > 0) {
    write_rows(solver);
  }
  for (int j = 0; j < levels->slacks; ++j) {
    const int i = levels->slack_row[j];
    set_column(levels, j, most_down(solver, i), most_up(solver, i), WEIGHT);
  }
}

void sinew_level_hard_take(sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  for (int j = 0; j < levels->slacks; ++j) {
    solver->hard.reached[levels->slack_row[j]] = levels->scratch.held[levels->n + j];
  }
}

// What a row may still go up and down after it has moved from levels.top.
static void find_ends(const sinew_solver *solver, int i, double moved, double *down, double *up) {
  const sinew_task_side *was = &solver->hard.sides[i];
  *up = sinew_max(was->upper, 0.0) / unit_of(solver, i) - moved;
  *down = sinew_min(was->lower, 0.0) / unit_of(solver, i) - moved;
}

static double moved_by(const sinew_solver *solver, int i) {
  return sinew_hard_moved(&solver->hard.sides[i], &solver->hard.ended[i]) / unit_of(solver, i);
}

// Whether row i, of column j, is to end where the share of the step ends to first order: at the
// bound that has held the step back. By its curvature it might come back in the next one.
static bool is_to_end(const sinew_solver *solver, int i, int j, double share) {
  const double s = share * solver->levels->x[solver->levels->n + j];
  const signed char reached = solver->hard.reached[i];
  return reached != 0 &&
         fabs(s - (reached > 0 ? most_up(solver, i) : most_down(solver, i))) <= SINEW_HARD_KEPT;
}

double sinew_level_hard_find_excess(sinew_solver *solver, double share) {
  sinew_levels *levels = solver->levels;
  sinew_hard *hard = &solver->hard;
  double square = 0.0;
  if (levels->slacks > 0) {
    sinew_hard_find_sides(solver, levels->targets, hard->all, hard->ended);
  }
  for (int j = 0; j < levels->slacks; ++j) {
    const int i = levels->slack_row[j];
    const double moved = moved_by(solver, i);
    double down, up;
    find_ends(solver, i, moved, &down, &up);
    const double excess = is_to_end(solver, i, j, share)
                              ? share * levels->x[levels->n + j] - moved
                              : sinew_min(up, 0.0) + sinew_max(down, 0.0);
    levels->residual[levels->above + j] = excess;
    square += fabs(excess) > most_excess(solver, i) ? excess * excess : 0.0;
  }
  return square;
}

void sinew_level_hard_write_again(sinew_solver *solver, double share) {
  sinew_levels *levels = solver->levels;
  if (levels->slacks > 0) {
    sinew_hard_find_rows(solver, solver->hard.all, solver->hard.ended);
    write_rows(solver);
  }
  for (int j = 0; j < levels->slacks; ++j) {
    const int i = levels->slack_row[j];
    const double excess = levels->residual[levels->above + j];
    double down = excess, up = excess;
    if (!is_to_end(solver, i, j, share)) {
      find_ends(solver, i, moved_by(solver, i), &down, &up);
    }
    set_column(levels, j, down - excess, up - excess, CORRECTION_WEIGHT);
  }
}

bool sinew_level_hard_is_kept(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  const bool update = hard->all > 0 && solver->levels->list == solver->levels->update;
  bool kept = true;
  if (update) {
    sinew_hard_find_sides(solver, solver->levels->targets, hard->all, hard->ended);
  }
  for (int i = 0; update && kept && i < hard->all; ++i) {
    const double unit = unit_of(solver, i);
    kept = sinew_hard_outside(&hard->ended[i], unit) <=
           sinew_hard_outside(&hard->sides[i], unit) + most_excess(solver, i);
  }
  return kept;
}

void sinew_level_hard_end(sinew_solver *solver) {
  sinew_hard *hard = &solver->hard;
  const bool update = solver->levels->list == solver->levels->update;
  for (int i = 0; update && i < hard->total; ++i) {
    hard->at[i] = hard->reached[i] != 0 ? hard->reached[i] : hard->at[i];
    hard->beyond[i] = sinew_hard_beyond(&hard->ended[i], hard->yielded[i]);
  }
}
