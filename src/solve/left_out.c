// Level 0 after updates that have left steps of it to lower levels. Compiled for each instruction
// set.
//
// An update by one level alone, or whose further steps a lower level replaces, ends at the targets
// of level 0. Its history (last motion, prediction, active bounds) is then not the one that all its
// steps would have left. Its next update reads this history: where it ends at its targets, too,
// that does not matter. Where it does not, it could end further off than without lower levels:
//
//   the last update: the steps that were left out, with the history of that time
//   this update:     all steps of level 0 from where the figure was, then lower levels
//
// So level 0 costs what it does without lower levels where that is of use, and only there.
#include "math/vector.h"
#include "policy/levels.h"
#include "solve/solver.h"

#include <string.h>

// The share of its residual that an update of level 0 leaves at most, where it needs no bend.
#define REMOVED 0.1

// Copies all but the memory itself.
static void copy_history(const sinew_solver *solver, const sinew_history *from, sinew_history *to) {
  const size_t tasks = (size_t)solver->problem.count, nv = (size_t)solver->model->nv;
  const size_t rows = (size_t)solver->problem.pattern.row_count;
  const sinew_history memory = *to;
  *to = *from;
  to->targets = memcpy(memory.targets, from->targets, tasks * sizeof *from->targets);
  to->step = memcpy(memory.step, from->step, nv * sizeof(double));
  to->active = memcpy(memory.active, from->active, 2 * nv);
  to->kept_error = memcpy(memory.kept_error, from->kept_error, rows * sizeof(double));
  to->removed = memcpy(memory.removed, from->removed, rows * sizeof(double));
}

void sinew_left_out_note(sinew_solver *solver) {
  sinew_left_out *left = solver->levels->left_out;
  const size_t nv = (size_t)solver->model->nv;
  left->some = true;
  left->steps = solver->track.steps;
  left->part_steps = solver->track.part_steps;
  left->now = solver->track.now;
  left->rest = solver->history.updates_at_rest;
  memcpy(left->step, solver->history.step, nv * sizeof(double));
  if (left->steps > 0) {
    memcpy(left->q, solver->levels->top, (size_t)solver->model->nq * sizeof(double));
    memcpy(left->moved, solver->track.moved, nv * sizeof(double));
  } else if (left->now.parts > 1) {
    const size_t tasks = (size_t)solver->problem.count;
    memcpy(left->targets, solver->history.targets, tasks * sizeof *left->targets);
  }
}

void sinew_left_out_save(sinew_solver *solver) {
  sinew_left_out *left = solver->levels->left_out;
  copy_history(solver, &solver->history, &left->history);
  left->saved = true;
  left->before = false;
}

// Whether level 0 is so close to its targets at q that its own update can end nearer by no more
// than a tenth of the tolerance.
static bool is_close(sinew_solver *solver, const double *q) {
  const sinew_tolerances *tolerances = &solver->def.tolerances;
  bool close = true;
  sinew_solver_evaluate(solver, solver->levels->targets, q);
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_task_evaluation *task = &solver->evaluation.tasks[t];
    close &= task->position_error <= LEVELS_COST * tolerances->position &&
             task->orientation_error <= LEVELS_COST * tolerances->orientation;
  }
  return close;
}

// The steps that the last update has left out: the history becomes that after all its steps.
static void take_last(sinew_solver *solver) {
  sinew_left_out *left = solver->levels->left_out;
  const size_t nv = (size_t)solver->model->nv;
  memcpy(solver->history.step, left->step, nv * sizeof(double));
  memcpy(solver->track.moved, left->moved, nv * sizeof(double));
  if (left->steps == 0 && left->now.parts > 1) {
    const size_t tasks = (size_t)solver->problem.count;
    memcpy(solver->history.targets, left->targets, tasks * sizeof *left->targets);
  }
  solver->history.updates_at_rest = left->rest;
  solver->history.spread = 0.0;
  solver->track.now = left->now;
  solver->track.now.whole = true;
  solver->track.now.report = NULL;
  solver->track.steps = left->steps;
  solver->track.part_steps = left->part_steps;
  sinew_solver_track_on(solver, left->history.targets, left->q);
}

bool sinew_left_out_take(sinew_solver *solver, double *q) {
  sinew_left_out *left = solver->levels->left_out;
  const sinew_track_update now = solver->track.now;
  left->saved = false;
  if (is_close(solver, q)) {
    return false;
  }
  copy_history(solver, &left->history, &solver->history);
  take_last(solver);
  solver->history.updates_at_rest = left->history.updates_at_rest;
  solver->history.spread = left->history.spread;
  solver->history.parts = left->now.parts;
  if (solver->problem.cone_count > 0) {
    sinew_track_scale_last(solver, now.parts);
  }
  memcpy(q, solver->levels->before, (size_t)solver->model->nq * sizeof *q);
  solver->track.now = now;
  solver->track.now.whole = true;
  solver->track.steps = 0;
  sinew_solver_track_on(solver, solver->levels->targets, q);
  solver->track.evaluated = false;
  sinew_levels_bring_into_limits(solver, &solver->problem, false, q);
  solver->levels->idle = solver->levels->waited = 0;
  return true;
}

bool sinew_level_0_arrives(sinew_solver *solver, const double *q) {
  sinew_levels *levels = solver->levels;
  const bool bent = levels->bent;
  if (solver->history.cut || solver->motion.has_accelerations || solver->hard.total > 0 ||
      solver->gains.used || solver->influence.used || solver->escape.candidate.q != NULL) {
    return false;
  }
  copy_history(solver, &solver->history, &levels->left_out->history);
  memcpy(levels->next, q, (size_t)solver->model->nq * sizeof *q);
  const double before = sinew_solver_evaluate(solver, levels->targets, q);
  levels->bent = true; // no step is left to lower levels
  sinew_solver_take_update(solver, levels->targets, solver->problem.count, levels->next, NULL);
  levels->bent = bent;
  copy_history(solver, &levels->left_out->history, &solver->history);
  const double after = sinew_solver_evaluate(solver, levels->targets, levels->next);
  return after <= REMOVED * REMOVED * before || sinew_solver_converged(solver);
}
