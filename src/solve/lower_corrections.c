// The corrections of a step of one lower level: what it has done to higher levels in second order
// is removed, so that these keep what they should. Compiled for each instruction set.
//
//   next = top + share x
//   J c = residual of higher levels at next, less what it should be;  next <- next + c
//
// J is that of the step for the first corrections. Where these do not help, or joints meet limits,
// it is that at the trial, and c is within the bounds.
#include "math/vector.h"
#include "policy/levels.h"
#include "simd/four.h"
#include "solve/level_ranges.h"
#include "solve/level_rows.h"
#include "solve/lower_step.h"

#include <string.h>

// Corrections of one trial, and those after which the rows are evaluated again.
#define CORRECTIONS 6
#define SAME_ROWS 2
#define ALONE_CORRECTIONS 3
// What a correction of an update may leave of the excess that it removes, if others are to follow.
#define HELPS 0.5
// D of corrections within bounds.
#define MIN_DAMPING 1e-9

// Evaluates the levels above k at q.
static void evaluate_above(sinew_solver *solver, int k, const double *q) {
  sinew_levels *levels = solver->levels;
  const bool top = k == 1; // its own nodes suffice
  sinew_state_place_some(&solver->state, q, top ? solver->problem.nodes : levels->nodes,
                         top ? solver->problem.node_count : levels->node_count);
  levels->evaluated = top && solver->problem.node_count < levels->node_count ? 0 : k;
  for (int j = 0; j < k; ++j) {
    const sinew_level *at = sinew_lower_level_of(solver, j);
    sinew_lower_evaluate(solver, at);
  }
}

// A correction by the rows at the trial, within bounds, where those at q are too far from it, or
// joints meet limits.
static void correct_again(sinew_solver *solver, int k, double share) {
  sinew_levels *levels = solver->levels;
  sinew_lower_linearize_next(solver, k);
  for (int c = 0; c < levels->n; ++c) {
    levels->D[c] = MIN_DAMPING;
  }
  sinew_zero((size_t)levels->n, levels->g);
  sinew_level_ranges_write_again(solver, share);
  const sinew_level_rows rows = {.n = levels->n + levels->slacks,
                                 .slacks = levels->slacks,
                                 .wanted = levels->above + levels->slacks,
                                 .known = levels->above,
                                 .J = levels->J,
                                 .e = levels->residual,
                                 .D = levels->D,
                                 .g = levels->g,
                                 .lower = levels->lower_x,
                                 .upper = levels->upper_x};
  solver->step.systems +=
      sinew_level_solve(&rows, sinew_lower_is_update(levels), &levels->scratch, levels->part);
}

static double find_excess_of_ranges(sinew_solver *solver, double share) {
  return solver->levels->slacks > 0 ? sinew_level_ranges_find_excess(solver, share) : 0.0;
}

// The residuals of higher levels and of ranges at the trial, with a share of levels.x, less
// what they are to be. Returns their square.
static double find_excess(sinew_solver *solver, int k, double share) {
  sinew_levels *levels = solver->levels;
  int row = 0;
  for (int j = 0; j < k; ++j) {
    const sinew_level *at = sinew_lower_level_of(solver, j);
    const double *residual = at->evaluation->rows.residual;
    const int count = at->problem->pattern.row_count;
    for (int r = 0; r < count; r += 4) {
      sinew_four_store(levels->residual + row + r,
                       sinew_four_load(residual + r) - sinew_four_load(levels->kept + row + r));
    }
    row += count;
  }
  return sinew_square_sum(row, levels->residual) + find_excess_of_ranges(solver, share);
}

// Moves the trial with a share of levels.x so that the excess becomes 0. rows: NULL where they are
// to be evaluated again.
static void correct(sinew_solver *solver, int k, const sinew_level_rows *rows, double share) {
  sinew_levels *levels = solver->levels;
  if (rows != NULL) {
    sinew_level_correct(rows, &levels->scratch, levels->residual, levels->part);
  } else {
    correct_again(solver, k, share);
  }
  if (SINEW_UNLIKELY(levels->cone_count > 0)) {
    sinew_level_cones_to_joints(levels, levels->part);
  }
  const double most = sinew_four_largest(levels->n, levels->part);
  sinew_level_move(solver, levels->next, levels->part,
                   most > levels->longest ? levels->longest / most : 1.0, levels->next);
}

// Whether the whole motion of the update is within speed limits: rotations of spherical joints do
// not add up exactly.
static bool keeps_speeds(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  const double dt = solver->def.tracking.time_step, *speed = solver->motion.speed;
  double *v = levels->aim;
  bool kept = true;
  if (!sinew_lower_has_speeds(solver)) {
    return true;
  }
  sinew_configuration_difference(model, levels->start, levels->next, v);
  for (int i = 0; i < model->nv; ++i) {
    kept &= !(fabs(v[i]) > speed[i] * dt * (1.0 + 1e-12));
  }
  return kept;
}

// Whether the trial may be as it is: a step alone meets all levels above, which is more than that
// it costs them nothing.
static bool leaves_nothing(sinew_solver *solver, int k, bool alone, bool near, bool met) {
  return alone ? met : (!near || met) && sinew_lower_is_kept(solver, k, near);
}

// met: whether level 0 is where corrections bring it.
static bool needs_no_correction(sinew_solver *solver, int k, bool alone, bool near, bool met,
                                double share) {
  return leaves_nothing(solver, k, alone, near, met) && find_excess_of_ranges(solver, share) == 0.0;
}

// Prepares corrections by the rows of the step, once. Without them its rows are evaluated again.
static void begin_corrections(sinew_levels *levels, sinew_level_rows *rows) {
  if (rows->n > 0 && !levels->factored) {
    levels->factored = true;
    rows->n = sinew_level_begin_corrections(rows, &levels->scratch) ? rows->n : 0;
  }
}

bool sinew_lower_try_share(sinew_solver *solver, int k, sinew_level_rows *rows, bool near,
                           double share) {
  sinew_levels *levels = solver->levels;
  const bool alone = sinew_lower_is_alone(solver);
  const bool same = sinew_lower_is_update(levels) && !near; // corrections by the same rows only
  const int most = alone ? ALONE_CORRECTIONS : same ? SAME_ROWS : CORRECTIONS;
  sinew_level_move(solver, levels->top, levels->x, share, levels->next);
  const bool meets = near || solver->track.postponed; // whether level 0 is to be met
  double last = INFINITY;
  bool met = meets && levels->above == 0 && sinew_lower_is_met(solver);
  levels->evaluated = 0;
  for (int round = 0; levels->above > 0; ++round) {
    evaluate_above(solver, k, levels->next);
    met = meets && sinew_lower_is_met(solver);
    const bool ends = round == most || needs_no_correction(solver, k, alone, near, met, share);
    if (ends && !(alone && round == 0)) {
      break;
    }
    const double excess = find_excess(solver, k, share);
    if (SINEW_UNLIKELY(levels->measures) && round == 0) {
      sinew_lower_measure_curvature(levels, rows, share);
    }
    if (alone && round == 0) { // also where no correction follows: the next update expects it
      for (int r = 0; r < levels->above; r += 4) {
        sinew_four_store(levels->left + r,
                         sinew_four_load(levels->residual + r) - sinew_four_load(levels->left + r));
      }
      sinew_backward_differences_take(&levels->beyond, levels->above, levels->left);
    }
    if (ends) {
      break;
    }
    const bool helps = !sinew_lower_is_update(levels) || excess <= HELPS * HELPS * last;
    if (!helps && (rows->n == 0 || same)) {
      break;
    }
    last = excess;
    if (!helps || round >= SAME_ROWS) {
      rows->n = 0;
    }
    begin_corrections(levels, rows);
    correct(solver, k, rows->n > 0 ? rows : NULL, share);
  }
  return (alone || sinew_lower_is_kept(solver, k, near)) &&
         (levels->range_count == 0 || sinew_level_ranges_are_kept(solver)) &&
         keeps_speeds(solver) && (!solver->track.postponed || met);
}
