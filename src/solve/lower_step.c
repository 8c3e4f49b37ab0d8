// The rows, bounds and step of one lower level. Compiled for each instruction set.
//
//   x = minimum of the level's rows and objectives within the bounds, J x = the residual of higher
//       levels at q, less what it should be, for their rows J
//
// All rows are those at q, so that x moves higher levels in second order alone; corrections remove
// that (lower_corrections.c). Where level 0 has no solution nearby its residual at q is kept
// instead of removed, and so are those of the other levels, which may have none at all.
// Sources: step/level.h; Nakamura, Hanafusa, Yoshikawa, Task-priority based redundancy control of
// robot manipulators, 1987.
#include "math/rotation.h"
#include "math/vector.h"
#include "policy/levels.h"
#include "simd/four.h"
#include "solve/level_ranges.h"
#include "solve/level_rows.h"
#include "solve/lower_step.h"
#include "solve/value_columns.h"

#include <string.h>

// Working sets of a step where level 0 cannot be met and targets move: the minimum may take many
// where little is left to move.
#define FEW_ROUNDS 3
// The same as LEVELS_LEFT where all levels are met by the step of one.
#define ALONE_LEFT 1e-2
// The damping of a level with tasks, a factor on half its squared residual, at most 1/2.
#define ERROR_DAMPING 0.1

// ---------------------------------------------------------------- rows

// Evaluates the level that a step is for, unless that has been done: in an update its residual has
// the targets' own motion in a time step besides, as that of level 0 has (track.c). Levels above
// keep the residual they are left with. Returns half its square.
static double evaluate_wanted(const sinew_solver *solver, int k) {
  const sinew_level *at = sinew_lower_level_of(solver, k);
  const double E =
      solver->levels->evaluated > k ? at->evaluation->E : sinew_lower_evaluate(solver, at);
  if (!sinew_lower_is_update(solver->levels) || !sinew_lower_feeds_forward(solver, at)) {
    return E;
  }
  sinew_evaluation_feed_forward(at->problem, solver->levels->targets + at->first, 1.0,
                                solver->def.tracking.time_step, at->evaluation);
  const double length = sinew_length(at->evaluation->rows.row_count, at->evaluation->rows.residual);
  return 0.5 * length * length;
}

// Writes the rows of an evaluated level from a row of J on, which are 0 where they are.
static void linearize_level(const sinew_solver *solver, const sinew_level *at, int row) {
  at->evaluation->in_cones = false;
  sinew_level_write_rows(solver, at->problem, at->evaluation,
                         solver->levels->J + row * sinew_levels_stride(solver->levels));
}

// ---------------------------------------------------------------- bounds

// The bounds of x from limits and, in an update, what speeds and accelerations leave after the
// motion until q (levels.moved). x = 0 is within them. step: not for a correction, so
// that settled columns stay.
static inline bool fill_bounds(sinew_solver *solver, const double *q, bool step, bool alone) {
  sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  const double dt = solver->def.tracking.time_step;
  const bool brakes = step && alone && !solver->linear.open, slow = sinew_lower_has_speeds(solver);
  const double way = step ? sinew_lower_barrier(levels, 1.0) : 1.0; // to its limit, of a joint
  bool bounded = false;
  if (!slow && !(step && sinew_levels_have_settled(levels)) &&
      sinew_levels_have_value_columns(solver)) {
    return sinew_value_columns_bound_level(solver, q, way, brakes);
  }
  for (int c = 0; c < levels->n; ++c) {
    const int v = levels->dof_of_column[c];
    double lower = -INFINITY, upper = INFINITY;
    if (model->quaternion_axis[v] < 0) {
      const double at = q[model->q_of_v[v]];
      lower = way * (solver->problem.lower[v] - at);
      upper = way * (solver->problem.upper[v] - at);
    }
    if (slow) {
      const double moved = levels->moved[v] * (model->angular[v] ? 1.0 : solver->problem.size);
      const double most = solver->motion.speed[v] * dt;
      const bool bounds = solver->motion.q != NULL;
      lower = sinew_max(lower, sinew_max(-most, bounds ? solver->motion.lower[v] : -most) - moved);
      upper = sinew_min(upper, sinew_min(most, bounds ? solver->motion.upper[v] : most) - moved);
    }
    levels->lower_x[c] = sinew_min(lower, 0.0) / levels->scale[c];
    levels->upper_x[c] = sinew_max(upper, 0.0) / levels->scale[c];
    if (brakes && solver->problem.column_of_dof[v] >= 0) { // brakes ahead of limits
      const int column = solver->problem.column_of_dof[v];
      levels->lower_x[c] = sinew_max(levels->lower_x[c], solver->linear.lower[column]);
      levels->upper_x[c] = sinew_min(levels->upper_x[c], solver->linear.upper[column]);
    }
    if (step && (levels->settled[c] & SINEW_LEVEL_SETTLED) != 0) {
      levels->lower_x[c] = levels->upper_x[c] = 0.0;
    }
    bounded |= levels->lower_x[c] > -INFINITY || levels->upper_x[c] < INFINITY;
  }
  return sinew_level_cones_bound(solver) || bounded;
}

// ---------------------------------------------------------------- one level

// The step of a descent is to reach levels.factor times what the level's rows and objectives do.
static void lengthen(sinew_levels *levels, int fixed) {
  for (int c = 0; c < levels->n; ++c) {
    levels->g[c] *= levels->factor;
  }
  for (int r = fixed; r < fixed + levels->wanted; ++r) {
    levels->e[r] *= levels->factor;
  }
}

// Rows, D and g of level k, whose rows follow the fixed ones. Returns whether it has anything to
// do.
static bool fill_level(sinew_solver *solver, int k, int fixed) {
  sinew_levels *levels = solver->levels;
  const int stride = sinew_levels_stride(levels);
  const int wanted = sinew_lower_level_of(solver, k)->problem->pattern.row_count;
  double damping = 0.0;
  levels->cost = 0.0;
  for (int c = 0; c < stride; c += 4) {
    sinew_four_store(levels->D + c, SINEW_FOUR_OF(0.0));
    sinew_four_store(levels->g + c, SINEW_FOUR_OF(0.0));
  }
  sinew_four_zero(fixed, levels->e);
  if (wanted > 0) {
    const sinew_level *at = sinew_lower_level_of(solver, k);
    levels->cost = evaluate_wanted(solver, k);
    damping = ERROR_DAMPING * sinew_min(levels->cost, 0.5);
    sinew_zero((size_t)(wanted * stride), levels->J + fixed * stride);
    linearize_level(solver, at, fixed);
    memcpy(levels->e + fixed, at->evaluation->rows.residual, (size_t)wanted * sizeof(double));
  }
  levels->wanted = wanted + sinew_levels_add_objectives(solver, k, levels->top, fixed + wanted);
  const double most = sinew_four_largest(levels->n, levels->D); // none is negative
  const double least = sinew_max(LEVELS_LEAST_SHARE * most, LEVELS_LEAST_WEIGHT);
  const double more =
      sinew_lower_is_update(levels) ? levels->lower[k - 1].overshoot.factor - 1.0 : 0.0;
  sinew_lower_fill_weights(levels, k == levels->depth, least, damping);
  if (more > 0.0) {
    sinew_lower_raise_weights(levels, more, fixed);
  }
  for (int r = fixed + wanted; r < fixed + levels->wanted; ++r) {
    for (int c = 0; c < levels->n; ++c) {
      levels->settled[c] |=
          (unsigned char)(levels->J[r * stride + c] != 0.0 ? SINEW_LEVEL_SETTLED_HERE : 0);
    }
  }
  if (SINEW_UNLIKELY(levels->cone_count > 0)) {
    sinew_level_cones_turn_rows(levels, levels->wanted - wanted,
                                levels->J + (fixed + wanted) * stride);
  }
  if (!sinew_lower_is_update(levels)) {
    lengthen(levels, fixed);
  }
  return levels->wanted > 0 || most > 0.0;
}

// The share of levels.x after which no joint moves further than levels.longest.
static double share_of_length(const sinew_levels *levels, const double *gains) {
  double most = levels->even ? levels->x_most : 0.0;
  for (int c = 0; !levels->even && c < levels->n; ++c) {
    most = sinew_max(most, fabs(levels->x[c] * gains[levels->dof_of_column[c]]));
  }
  return most > levels->longest ? levels->longest / most : 1.0;
}

double sinew_lower_limit_length(sinew_levels *levels, const double *gains) {
  if (SINEW_UNLIKELY(levels->cone_count > 0)) { // x has other coordinates now
    levels->x_most = sinew_four_largest(levels->n, levels->x);
  }
  const double share = sinew_min(levels->share, share_of_length(levels, gains));
  for (int c = 0; SINEW_UNLIKELY(share < 1.0) && c < levels->n + levels->slacks; ++c) {
    levels->x[c] *= share;
  }
  levels->x_most *= share;
  levels->limited = share;
  return share;
}

// ---------------------------------------------------------- higher levels

// Writes the rows of the levels above k.
static inline void linearize_above(sinew_solver *solver, int k) {
  int row = 0;
  sinew_level_clear_rows(solver, k);
  for (int j = 0; j < k; ++j) {
    const sinew_level *at = sinew_lower_level_of(solver, j);
    linearize_level(solver, at, row);
    row += at->problem->pattern.row_count;
  }
}

void sinew_lower_linearize_next(sinew_solver *solver, int k) {
  sinew_level_cones_begin(solver, solver->levels->next);
  linearize_above(solver, k);
  fill_bounds(solver, solver->levels->next, false, false);
}

// levels.kept, residual <- those of an evaluated level's rows, from a row on. What is written past
// them is overwritten by the next level.
static void keep_rows(sinew_levels *levels, const sinew_level *at, int row, bool removed) {
  const double *from = at->evaluation->rows.residual;
  const sinew_four zero = SINEW_FOUR_OF(0.0);
  for (int r = 0; r < at->problem->pattern.row_count; r += 4) {
    const sinew_four residual = sinew_four_load(from + r);
    sinew_four_store(levels->kept + row + r, removed ? zero : residual);
    sinew_four_store(levels->residual + row + r, removed ? residual : zero);
  }
}

// Whether bounds keep the step of level 0 from removing more than LEVELS_LEFT of the residual.
// Those of lower levels have the same bounds.
static bool top_is_held(const sinew_solver *solver) {
  return !solver->track.postponed && solver->history.predicted > LEVELS_LEFT &&
         sinew_lower_count_active(solver) > 0;
}

// Evaluates the levels above k at levels.top, but for those that have been evaluated there: their
// rows, the errors that they have, the residuals that they should keep, and the excess. Returns the
// number of rows.
static int begin_above(sinew_solver *solver, int k, bool alone, bool *near) {
  sinew_levels *levels = solver->levels;
  const bool elsewhere = sinew_lower_is_update(levels) &&
                         (sinew_lower_top_ends_elsewhere(solver) || top_is_held(solver));
  int row = 0;
  if (levels->evaluated == 0) {
    sinew_state_place_some(&solver->state, levels->top, levels->nodes, levels->node_count);
  }
  if (SINEW_UNLIKELY(levels->cone_count > 0)) {
    sinew_level_cones_begin(solver, levels->top);
  }
  for (int j = 0; j < k; ++j) {
    const sinew_level *at = sinew_lower_level_of(solver, j);
    const double E = j < levels->evaluated ? at->evaluation->E : sinew_lower_evaluate(solver, at);
    *near = j == 0 ? (E <= 0.5 * LEVELS_NEAR * LEVELS_NEAR && !elsewhere) || alone || levels->loose
                   : *near;
    for (int t = 0; t < at->problem->count; ++t) {
      levels->errors[2 * (at->first + t)] = at->evaluation->tasks[t].position_error;
      levels->errors[2 * (at->first + t) + 1] = at->evaluation->tasks[t].orientation_error;
    }
    keep_rows(levels, at, row, alone || (j == 0 && *near));
    row += at->problem->pattern.row_count;
  }
  levels->evaluated = levels->evaluated > k ? levels->evaluated : k;
  levels->slacks = 0;
  if (SINEW_UNLIKELY(levels->range_count > 0)) {
    sinew_level_ranges_begin(solver, k);
  }
  linearize_above(solver, k);
  return row;
}

// --------------------------------------------------------------- the step

// After updates that were left out the active bounds are old. Those that x = 0 is not at are
// dropped: against rows that are to keep what they are they may leave no x.
static void drop_old_bounds(const sinew_levels *levels, signed char *held) {
  for (int c = 0; SINEW_UNLIKELY(levels->waited > 0) && c < levels->n; ++c) {
    if ((held[c] > 0 && levels->upper_x[c] > 0.0) || (held[c] < 0 && levels->lower_x[c] < 0.0)) {
      held[c] = 0;
    }
  }
}

static inline void solve_level(sinew_solver *solver, int k, const sinew_level_rows *rows) {
  sinew_levels *levels = solver->levels;
  const bool begun = sinew_lower_is_update(levels);
  signed char *held = levels->scratch.held;
  const int columns = sinew_level_stride(solver->model->nv);
  signed char *active =
      begun ? levels->active + (k - 1) * sinew_levels_marks(&solver->def, solver->model) : NULL;
  if (begun) {
    sinew_level_copy_marks(levels->n, active, held);
    if (SINEW_UNLIKELY(levels->slacks > 0)) {
      sinew_level_ranges_recall(solver, active + columns);
    }
    drop_old_bounds(levels, held);
  } else if (levels->warm) { // of other ranges in each step
    memset(held + levels->n, 0, (size_t)levels->slacks);
  }
  solver->step.systems +=
      sinew_level_solve(rows, begun || levels->warm, &levels->scratch, levels->x);
  if (begun) {
    sinew_level_copy_marks(levels->n, held, active);
    if (SINEW_UNLIKELY(levels->range_count > 0)) {
      sinew_level_ranges_keep_active(solver, active + columns);
    }
  }
  if (SINEW_UNLIKELY(levels->slacks > 0)) {
    sinew_level_ranges_note_reached(solver);
  }
}

// The number of rows whose residual the step is to remove: those of level 0, or of all levels
// above.
static int removed_rows(const sinew_solver *solver, bool alone) {
  const sinew_level *top = sinew_lower_level_of(solver, 0);
  return alone ? solver->levels->above : top->problem->pattern.row_count;
}

// Whether x removes the residual to first order, within ranges. If not, targets contradict each
// other, or bounds or ranges are in the way. levels.left <- what x leaves.
static bool removes_residual(const sinew_solver *solver, const sinew_level_rows *rows, bool alone) {
  const sinew_levels *levels = solver->levels;
  const double left = alone ? ALONE_LEFT : LEVELS_LEFT;
  const int count = removed_rows(solver, alone);
  const double before = sinew_square_sum(count, rows->e);
  return (levels->slacks == 0 ||
          sinew_level_left(rows, &levels->scratch, levels->above, levels->slacks, levels->x,
                           NULL) <= SINEW_HARD_KEPT * SINEW_HARD_KEPT) &&
         sinew_level_left(rows, &levels->scratch, 0, count, levels->x, levels->left) <=
             left * left * before + LEVELS_LEAST_LEFT * LEVELS_LEAST_LEFT;
}

// From now on the residual of level 0 is kept instead of removed.
static void keep_residual(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  for (int r = 0; r < removed_rows(solver, false); ++r) {
    levels->kept[r] += levels->residual[r];
    levels->residual[r] = levels->e[r] = 0.0;
  }
}

// From one update to the next what x leaves in second order changes little, and evenly: x
// anticipates it, which saves corrections.
static void expect_second_order(sinew_levels *levels) {
  if (SINEW_UNLIKELY(!levels->expects)) {
    sinew_backward_differences_reset(&levels->beyond);
  }
  sinew_backward_differences_add(&levels->beyond, levels->above, levels->e);
  levels->expects = true;
}

// A step that is shortened may go as far as its bounds after that, not before: a figure far from
// its targets would otherwise come to its limits and ranges in ever shorter steps. How much it will
// be shortened is what the last update's was.
static void widen_bounds(sinew_levels *levels, double share) {
  for (int c = 0; SINEW_UNLIKELY(share < 1.0) && c < levels->n + levels->slacks; ++c) {
    levels->lower_x[c] /= share;
    levels->upper_x[c] /= share;
  }
}

// levels.share <- the largest share of x that is within the bounds before they were widened.
static void find_share(sinew_levels *levels, double widened) {
  levels->share = 1.0;
  for (int c = 0; SINEW_UNLIKELY(widened < 1.0) && c < levels->n + levels->slacks; ++c) {
    levels->share = levels->scratch.held[c] != 0 ? widened : levels->share;
  }
}

static sinew_level_rows rows_of_step(sinew_solver *solver, bool alone) {
  sinew_levels *levels = solver->levels;
  const bool bounded = fill_bounds(solver, levels->top, true, alone) || levels->slacks > 0;
  if (SINEW_UNLIKELY(levels->slacks > 0)) {
    sinew_level_ranges_write(solver);
  }
  return (sinew_level_rows){.n = levels->n + levels->slacks,
                            .slacks = levels->slacks,
                            .fixed = levels->above + levels->slacks,
                            .wanted = levels->wanted,
                            .known = levels->above,
                            .J = levels->J,
                            .e = levels->e,
                            .D = levels->D,
                            .g = levels->g,
                            .lower = bounded ? levels->lower_x : NULL,
                            .upper = bounded ? levels->upper_x : NULL,
                            .rounds = levels->quick ? FEW_ROUNDS : 0};
}

// What a step of an update leaves of its tasks' residual.
static void note_left(const sinew_levels *levels, sinew_lower_level *own,
                      const sinew_level_rows *rows) {
  if (sinew_lower_is_update(levels) && own->problem.pattern.row_count > 0) {
    own->left = sinew_level_left(rows, &levels->scratch, rows->fixed,
                                 own->problem.pattern.row_count, levels->x, NULL);
  }
}

bool sinew_lower_find_step(sinew_solver *solver, int k, sinew_level_rows *rows, bool *near) {
  sinew_levels *levels = solver->levels;
  const bool alone = sinew_lower_is_alone(solver);
  levels->above = begin_above(solver, k, alone, near);
  if (SINEW_UNLIKELY(!fill_level(solver, k, levels->above + levels->slacks))) {
    return false;
  }
  if (levels->loose || sinew_lower_is_update(levels)) { // x removes what corrections would have to
    memcpy(levels->e, levels->residual, (size_t)levels->above * sizeof(double));
  }
  if (alone) {
    expect_second_order(levels);
  }
  const double widened = sinew_lower_is_update(levels) ? levels->lower[k - 1].share : 1.0;
  *rows = rows_of_step(solver, alone);
  if (k > 1 && !alone && sinew_lower_is_update(levels) && sinew_lower_soften_rows(solver, k)) {
    rows->soft = levels->slackness;
  }
  widen_bounds(levels, widened);
  if (SINEW_UNLIKELY(levels->cone_count > 0)) {
    sinew_level_cones_turn_weights(solver, rows);
  }
  if (SINEW_UNLIKELY(solver->motion.q != NULL)) {
    sinew_lower_aim(solver, rows, *near);
  }
  if (*near && sinew_lower_keeps(solver, k)) {
    *near = false;
    keep_residual(solver);
  }
  solve_level(solver, k, rows);
  if (sinew_lower_is_update(levels) && *near && (k == 1 || alone || levels->slacks > 0) &&
      !removes_residual(solver, rows, alone)) {
    if (alone) {
      return false;
    }
    *near = false;
    keep_residual(solver);
    solve_level(solver, k, rows);
  }
  note_left(levels, &levels->lower[k - 1], rows);
  find_share(levels, widened);
  levels->x_most = sinew_four_largest(levels->n, levels->x);
  if (sinew_lower_is_update(levels)) {
    levels->lower[k - 1].share = share_of_length(levels, solver->problem.gains);
  }
  levels->factored = sinew_lower_is_update(levels);
  return !levels->factored || sinew_level_begin_corrections(rows, &levels->scratch);
}

double sinew_lower_cost(sinew_solver *solver, int k, const double *q) {
  sinew_levels *levels = solver->levels;
  const sinew_level *at = sinew_lower_level_of(solver, k);
  levels->cost = 0.0;
  if ((at->problem->pattern.row_count > 0 || levels->poses) && levels->evaluated == 0) {
    sinew_state_place_some(&solver->state, q, levels->nodes, levels->node_count);
  }
  if (at->problem->pattern.row_count > 0) {
    levels->cost = evaluate_wanted(solver, k);
  }
  sinew_lower_find_motion(solver, q, levels->moved);
  sinew_levels_add_objectives(solver, k, q, -1);
  return levels->cost;
}
