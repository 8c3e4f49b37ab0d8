// The answer of a solve into the ranges of its hard tasks, where not all tasks can be met: searches
// weigh what is outside of a range against other errors, updates keep it. These begin where the
// search ends, with targets at rest and without limits of motion, until they hardly move.
#include "math/vector.h"
#include "solve/descent.h"
#include "solve/solver.h"

#include <string.h>

// The most updates, and the change of q in one below which they end [rad, sizes of the figure].
#define MOST_UPDATES 500
#define AT_REST 1e-11

// Whether a side is outside at q.
static bool is_outside(sinew_solver *solver, const sinew_target *targets, const double *q) {
  const sinew_hard *hard = &solver->hard;
  bool outside = false;
  solver->functions->evaluate(solver, targets, q);
  sinew_hard_find_sides(solver, targets, hard->ended);
  for (int i = 0; i < hard->total; ++i) {
    const double unit = sinew_hard_unit(&hard->ended[i], solver->problem.size);
    outside |= sinew_hard_outside(&hard->ended[i], unit) > SINEW_HARD_KEPT;
  }
  return outside;
}

// The largest change between two configurations.
static double moved(const sinew_solver *solver, const double *before, const double *after) {
  double most = 0.0;
  for (int i = 0; i < solver->model->nq; ++i) {
    most = sinew_max(most, fabs(after[i] - before[i]));
  }
  return most / sinew_max(1.0, solver->problem.size);
}

// Returns the number of updates.
static int follow(sinew_solver *solver, const sinew_target *targets, int count, double deadline,
                  double *q) {
  double *last = solver->hard.last;
  int updates = 0;
  bool moves = true;
  while (moves && updates < MOST_UPDATES && !sinew_solver_is_late(solver, deadline)) {
    memcpy(last, q, (size_t)solver->model->nq * sizeof *q);
    const sinew_result result = solver->levels->used
                                    ? sinew_levels_update(solver, targets, count, q, NULL)
                                    : solver->functions->update(solver, targets, count, q, NULL);
    moves = result == SINEW_OK && moved(solver, last, q) > AT_REST;
    ++updates;
  }
  return updates;
}

int sinew_hard_bring_inside(sinew_solver *solver, const sinew_target *targets, int count,
                            double deadline, double *q) {
  const sinew_target *own = solver->levels->used ? solver->levels->targets : targets;
  if (solver->hard.total == 0 || solver->def.step.method != SINEW_METHOD_DEFAULT ||
      !is_outside(solver, own, q)) {
    return 0;
  }
  const sinew_tracking_def tracking = solver->def.tracking;
  solver->gains.ignored = true;
  solver->def.tracking.time_step = 0.0;
  solver->def.tracking.error_gain = 1.0;
  solver->def.tracking.escape = false;
  solver->def.tracking.keep_base = true; // the search has brought it near
  sinew_solver_reset(solver);
  const int updates = follow(solver, targets, count, deadline, q);
  sinew_solver_reset(solver);
  solver->gains.ignored = false;
  solver->def.tracking = tracking;
  return updates;
}
