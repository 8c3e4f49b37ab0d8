// The step of one lower level, and how it keeps the levels above. Levels, their memory and the
// fields that these read are those of solve/levels.h: levels.list, depth, met, longest and loose
// are the call's, levels.top is q before the step and levels.next that after it.
#ifndef SINEW_SOLVE_LOWER_STEP_H
#define SINEW_SOLVE_LOWER_STEP_H

#include "solve/solver.h"
#include "solve/value_columns.h"

// Whether the step of the first lower level is to be the update's only one.
static inline bool sinew_lower_is_alone(const sinew_solver *solver) {
  return solver->track.postponed && solver->track.steps == 0;
}

// Whether the call is an update. An update begins with the active bounds of the last one, and a
// correction with those before it. A descent does not, so that nothing before the call has any
// effect.
static inline bool sinew_lower_is_update(const sinew_levels *levels) {
  return SINEW_LIKELY(levels->list == levels->update);
}

// Whether limits of speed or acceleration bound the steps: those of updates.
static inline bool sinew_lower_has_speeds(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  return levels->speeds && solver->def.tracking.time_step > 0.0 && sinew_lower_is_update(levels);
}

// The share of the way to a limit, or to an end of a range, that a step may go: all of it where no
// motion is shown. A motion of an update that ends there would stop at once. influence: that of the
// range's task, 1 for a limit.
static inline double sinew_lower_barrier(const sinew_levels *levels, double influence) {
  return sinew_lower_is_update(levels) ? sinew_hard_barrier(influence) : 1.0;
}

// way <- from one configuration to another [rad; sizes], nv, joint by joint.
void sinew_lower_find_way_of_joints(const sinew_solver *solver, const double *from,
                                    const double *to, double *way);

// The same. The arrays have room for whole fours.
static inline void sinew_lower_find_way(const sinew_solver *solver, const double *from,
                                        const double *to, double *way) {
  if (sinew_levels_have_all_values(solver)) {
    sinew_value_columns_difference(&solver->problem, from, to, way);
  } else {
    sinew_lower_find_way_of_joints(solver, from, to, way);
  }
}

// The motion of the call until q [rad; sizes], nv.
static inline void sinew_lower_measure_motion(const sinew_solver *solver, const double *q,
                                              double *motion) {
  sinew_lower_find_way(solver, solver->levels->start, q, motion);
}

// levels.moved <- the same, only where an objective or a limit reads it.
static inline void sinew_lower_find_motion(const sinew_solver *solver, const double *q,
                                           double *motion) {
  const sinew_levels *levels = solver->levels;
  if (levels->moves || sinew_lower_has_speeds(solver)) {
    sinew_lower_measure_motion(solver, q, motion);
  }
}

// Level k of the call.
static inline const sinew_level *sinew_lower_level_of(const sinew_solver *solver, int k) {
  return &solver->levels->list[k];
}

// Evaluates one at the configuration that has been placed. Returns half its squared residual.
static inline double sinew_lower_evaluate(const sinew_solver *solver, const sinew_level *at) {
  return sinew_evaluate_residual(at->problem, &solver->state, solver->levels->targets + at->first,
                                 at->evaluation);
}

// Whether a step of an update is not to bring level 0 to its targets: some of its last ones have
// failed to. Those with which it would be the only one are to.
static inline bool sinew_lower_keeps(const sinew_solver *solver, int k) {
  return SINEW_UNLIKELY(sinew_lower_is_update(solver->levels) && !solver->track.postponed &&
                        solver->levels->lower[k - 1].keeps > 0);
}

// levels.x <- the step of level k at levels.top, levels.cost <- the level's cost there. Returns
// whether the level has anything to do. near: whether level 0 is corrected to its targets.
bool sinew_lower_find_step(sinew_solver *solver, int k, sinew_level_rows *rows, bool *near);

// levels.D <- max(D, least) + damping; columns of larger weight are settled for the levels below.
// last: there are none.
void sinew_lower_fill_weights(const sinew_levels *levels, bool last, double least, double damping);

// levels.D += more (D + the squares of the columns of the level's rows, which follow the fixed
// ones).
void sinew_lower_raise_weights(sinew_levels *levels, double more, int fixed);

// levels.slackness <- what the step of level k may leave of the rows of higher levels. Returns
// whether any is above 0.
bool sinew_lower_soften_rows(const sinew_solver *solver, int k);

// Scales levels.x so that no joint moves further than levels.longest. Returns the factor.
double sinew_lower_limit_length(sinew_levels *levels, const double *gains);

// levels.best_share <- the share of levels.x after which the level's cost is least, by the
// curvature of higher levels along it. share: that of the trial, whose excess is levels.residual.
void sinew_lower_measure_curvature(sinew_levels *levels, const sinew_level_rows *rows,
                                   double share);

// levels.next <- levels.top moved by a share of levels.x and corrected. rows: those of the step;
// rows.n becomes 0 once they have been replaced. Returns whether higher levels are kept.
bool sinew_lower_try_share(sinew_solver *solver, int k, sinew_level_rows *rows, bool near,
                           double share);

// The rows of the levels above k at levels.next, where these are evaluated, and the bounds of a
// correction from there.
void sinew_lower_linearize_next(sinew_solver *solver, int k);

// A factor on what the steps of an update may leave of what they should keep: 1, and less and less
// while targets rest.
double sinew_lower_rest_factor(const sinew_solver *solver);

// Whether level 0 is where corrections bring it.
bool sinew_lower_is_met(sinew_solver *solver);

// Whether level k has cost none of those above it more than its part of a tenth of the tolerance;
// near: level 0, which corrections bring to its targets, nothing.
bool sinew_lower_is_kept(sinew_solver *solver, int k, bool near);

// Whether a target of a level has a twist.
bool sinew_lower_targets_move(const sinew_solver *solver, const sinew_level *at);

// Whether it is fed forward in an update: the level's steps then lead to where its targets are
// after a time step.
static inline bool sinew_lower_feeds_forward(const sinew_solver *solver, const sinew_level *at) {
  return solver->def.tracking.time_step > 0.0 && sinew_lower_targets_move(solver, at);
}

// Whether the update of level 0 itself ends short of its targets or ahead of them: after a share of
// the way, by the motion of targets that is fed forward, or where max_change holds it back. Lower
// levels then leave it where that is.
static inline bool sinew_lower_top_ends_elsewhere(const sinew_solver *solver) {
  return solver->def.tracking.error_gain != 1.0 || solver->track.held_back ||
         sinew_lower_feeds_forward(solver, &solver->levels->update[0]);
}

// The number of active bounds of the step of level 0.
int sinew_lower_count_active(const sinew_solver *solver);

// The cost of level k at q: half its squared residual, with the motion that is fed forward, and its
// objectives.
double sinew_lower_cost(sinew_solver *solver, int k, const double *q);

// For the levels below, columns that this level's objectives determine stay.
void sinew_lower_settle(const sinew_levels *levels);

// In an update with accelerations whose targets below level 0 rest: narrows the bounds of a step so
// that joints can stop where the level leads them (motion_aim.c). Overwrites levels.x, part and
// aim. near: as above.
void sinew_lower_aim(sinew_solver *solver, const sinew_level_rows *rows, bool near);

#endif
