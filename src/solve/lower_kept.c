// What the step of a lower level may cost the levels above it. Compiled for each instruction set.
#include "math/vector.h"
#include "policy/levels.h"
#include "solve/lower_step.h"

// After so many updates with targets at rest lower levels may cost less and less, so that figures
// come to rest: where a higher level cannot be met, its error changes in second order along a
// motion that a lower level begins and that level takes back.
#define REST_UPDATES 100.0
// What rounding errors may add to a residual in sizes, with room to spare.
#define ROUNDING 1e-11
// What the residual of level 0 may be between the steps of a descent where a step may reach a
// range, and where an update leaves it to level 1; and between other steps of a descent, whose
// second-order terms are then still small beside what a step gains (of .03 to .1 all take as long).
#define LOOSE 1e-3
#define VERY_LOOSE 0.07
// The residual of each level up to which an update may be left to the step of one level alone: some
// times the motion of a target in a part of an update (policy/tracking.h).
#define ALONE 0.06

// How far off a task of a higher level may be: at most worst times its error at q, plus a share of
// the tolerance, or least of the tolerance where that is more.
typedef struct allowance {
  double worst, share, least;
} allowance;

static bool is_within(double error, double before, double tolerance, const allowance *allowed) {
  return error <= sinew_max(allowed->worst * before + allowed->share * tolerance,
                            allowed->least * tolerance);
}

static inline bool are_within(sinew_solver *solver, int k, const allowance *allowed) {
  const sinew_tolerances *tolerance = &solver->def.tolerances;
  const sinew_level *at = &solver->levels->list[k];
  const double *before = solver->levels->errors + 2 * at->first;
  bool within = true;
  for (int t = 0; within && t < at->problem->count; ++t) {
    const sinew_task_evaluation *task = &at->evaluation->tasks[t];
    within = is_within(task->position_error, before[2 * t], tolerance->position, allowed) &&
             is_within(task->orientation_error, before[2 * t + 1], tolerance->orientation, allowed);
  }
  return within;
}

double sinew_lower_rest_factor(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  const double rest = sinew_lower_is_update(levels)
                          ? sinew_min(solver->history.updates_at_rest, levels->rest)
                          : 0.0;
  const double ratio = REST_UPDATES / sinew_max(rest, REST_UPDATES), two = ratio * ratio;
  const double least = ROUNDING * solver->problem.size / solver->def.tolerances.position;
  return sinew_min(sinew_max((two * two) * (two * two), least), 1.0);
}

bool sinew_lower_is_met(sinew_solver *solver) {
  if (SINEW_UNLIKELY(solver->levels->loose)) {
    const double most = solver->levels->slacks > 0 ? LOOSE : VERY_LOOSE;
    return solver->levels->list[0].evaluation->E <= 0.5 * most * most;
  }
  const allowance met = {.least = solver->levels->met * sinew_lower_rest_factor(solver)};
  const int count = sinew_lower_is_alone(solver) ? solver->levels->alone : 1;
  bool all = true;
  for (int j = 0; all && j < count; ++j) {
    all = are_within(solver, j, &met);
  }
  return all;
}

bool sinew_lower_targets_move(const sinew_solver *solver, const sinew_level *at) {
  const sinew_target *targets = solver->levels->targets + at->first;
  bool moves = false;
  for (int t = 0; t < at->problem->count; ++t) {
    for (int i = 0; i < 6; ++i) {
      moves |= targets[t].twist[i] != 0.0;
    }
  }
  return moves;
}

int sinew_lower_count_active(const sinew_solver *solver) {
  const signed char *active = sinew_solver_last_active(solver);
  int count = 0;
  for (int c = 0; !solver->linear.open && c < solver->problem.pattern.dof_count; ++c) {
    count += active[solver->problem.dof_of_column[c]] != 0;
  }
  return count;
}

bool sinew_solver_lower_meets(const sinew_solver *solver, double E, bool all) {
  const sinew_levels *levels = solver->levels;
  bool small = levels->count > 0 && E <= 0.5 * LOOSE * LOOSE;
  if (all) {
    small = levels->count > 0 && levels->failed == 0 && E <= 0.5 * ALONE * ALONE;
    for (int j = 1; small && levels->known && j < levels->alone; ++j) {
      small = levels->update[j].evaluation->E <= 0.5 * ALONE * ALONE &&
              !sinew_lower_feeds_forward(solver, &levels->update[j]);
    }
  }
  return small && !sinew_lower_top_ends_elsewhere(solver);
}

bool sinew_lower_is_kept(sinew_solver *solver, int k, bool near) {
  const double factor = sinew_lower_rest_factor(solver);
  const double share = LEVELS_COST / solver->levels->depth * factor;
  const double met = solver->levels->met * factor;
  const allowance part = {.worst = 1.0, .share = share, .least = sinew_min(share, met)};
  const allowance none = {.worst = 1.0, .least = met};
  const bool alone = sinew_lower_is_alone(solver);
  bool kept = true;
  if (solver->levels->loose) {
    return sinew_lower_is_met(solver);
  }
  for (int j = 0; kept && j < k; ++j) {
    kept = are_within(solver, j, near && (j == 0 || alone) ? &none : &part);
  }
  return kept;
}
