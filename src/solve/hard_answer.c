// The answer of a solve into the ranges of its hard tasks, where not all tasks can be met: searches
// weigh what is outside of a range against other errors, updates keep it. These begin where the
// search ends, with targets at rest, without limits of motion and with the default settings of
// tracking, until they hardly move.
#include "math/vector.h"
#include "solve/descent.h"
#include "solve/solver.h"

#include <string.h>

// The change of q in an update below which they end [rad, sizes of the figure].
#define AT_REST 1e-11

// Whether a side is outside at q; met: by more than the tolerance.
static bool is_outside(sinew_solver *solver, const sinew_target *targets, bool met,
                       const double *q) {
  const sinew_hard *hard = &solver->hard;
  const sinew_tolerances *tolerances = &solver->def.tolerances;
  bool outside = false;
  solver->functions->evaluate(solver, targets, q);
  sinew_hard_find_sides(solver, targets, hard->ended);
  for (int i = 0; i < hard->total; ++i) {
    const sinew_task_side *side = &hard->ended[i];
    const double unit = sinew_hard_unit(side, solver->problem.size);
    const double tolerance = side->angle ? tolerances->orientation : tolerances->position;
    outside |= sinew_hard_outside(side, unit) > (met ? tolerance / unit : SINEW_HARD_KEPT);
  }
  return outside;
}

static bool has_moved(sinew_solver *solver, const double *before, const double *after) {
  const sinew_model *model = solver->model;
  double *v = solver->hard.best, most = 0.0;
  sinew_configuration_difference(model, before, after, v);
  for (int i = 0; i < model->nv; ++i) {
    most = sinew_max(most, fabs(v[i]) / (model->angular[i] ? 1.0 : solver->problem.size));
  }
  return most > AT_REST;
}

static void follow(sinew_solver *solver, const sinew_target *targets, int count,
                   sinew_hard_way *way, double *q) {
  double *before = solver->hard.before;
  bool moves = true;
  while (moves && !way->late && !way->limited) {
    memcpy(before, q, (size_t)solver->model->nq * sizeof *q);
    const sinew_result result = sinew_solver_update_tasks(solver, targets, count, q, NULL);
    moves = result == SINEW_OK && has_moved(solver, before, q);
    ++way->updates;
    way->limited = moves && way->updates >= way->most;
    way->late = moves && sinew_solver_is_late(solver, way->deadline);
  }
}

void sinew_hard_bring_inside(sinew_solver *solver, const sinew_target *targets, int count,
                             sinew_hard_way *way, double *q) {
  const sinew_target *own = solver->levels->used ? solver->levels->targets : targets;
  if (solver->hard.total == 0 || solver->def.step.method != SINEW_METHOD_DEFAULT ||
      !is_outside(solver, own, way->met, q)) {
    return;
  }
  way->limited = way->most <= 0;
  way->late = sinew_solver_is_late(solver, way->deadline);
  if (way->limited || way->late) {
    return;
  }
  const sinew_solver_def defaults = sinew_default_solver_def();
  const sinew_tracking_def tracking = solver->def.tracking;
  double *const candidate = solver->escape.candidate.q;
  sinew_solver_reset(solver);
  solver->gains.ignored = true;
  solver->escape.candidate.q = NULL; // none is looked for
  solver->def.tracking = defaults.tracking;
  solver->def.tracking.keep_base = true; // the search has brought it near
  follow(solver, targets, count, way, q);
  solver->gains.ignored = false;
  solver->escape.candidate.q = candidate;
  solver->def.tracking = tracking;
  sinew_solver_reset(solver);
}
