// Level 0 after updates that have left steps of it to lower levels. Compiled for each instruction
// set.
//
// An update by one level alone, or whose further steps a lower level replaces, ends at the targets
// of level 0. Its history (last motion, prediction, active bounds) is then not the one that all its
// steps would have left. Later updates read this history: where they end at their targets, too,
// that does not matter. Where one does not, it could end further off than without lower levels:
//
//   the last updates d, d - 1, .. 1:  all steps of level 0 from where the figure was then
//   this update:                      the same, then lower levels
//
// The first of these begins with a history that may be another. What it leaves depends on this by
// the bound on the change of its motion above all: where that shortens one of its steps, d doubles.
//
// So level 0 costs what it does without lower levels where that is of use, and only there.
#include "math/vector.h"
#include "policy/levels.h"
#include "simd/four.h"
#include "solve/lower_step.h"
#include "solve/solver.h"

#include <string.h>

// The share of its residual that an update of level 0 leaves at most, where it needs no bend.
#define REMOVED 0.1
// d at first. Of 2.4 million updates of twelve arms 10 cost more than a tenth of the tolerance with
// 1, 3 with 2 and 2 with 3, those after bends of straight limbs.
#define LAST_UPDATES 3

// Copies all but the memory itself. The targets and the motion of a past update are its own.
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

// ---------------------------------------------------------------- records

// An update so many before this one.
static sinew_past_update *past_update(sinew_left_out *left, int before) {
  return &left->past[(left->next - before) & LEFT_OUT_UPDATES];
}

// What an update changes that is left to one level alone.
static void record(const sinew_solver *solver, sinew_past_update *this) {
  this->alone = true;
  this->parts = solver->history.parts;
  sinew_four_copy(solver->model->nv, solver->history.step, this->step);
  for (int t = 0; t < solver->problem.count; ++t) {
    this->targets[t] = solver->history.targets[t];
  }
}

void sinew_left_out_save(sinew_solver *solver, const double *q) {
  sinew_left_out *left = solver->levels->left_out;
  sinew_past_update *this = left->now;
  if (!left->usable || sinew_lower_feeds_forward(solver, &solver->levels->update[0])) {
    return; // the record of targets is without the motion that is fed forward
  }
  this->alone = false;
  this->parts = solver->history.parts;
  copy_history(solver, &solver->history, &this->history);
  memcpy(this->q, q, (size_t)solver->model->nq * sizeof *q);
  left->saved = true;
}

void sinew_left_out_note(sinew_solver *solver, bool alone) {
  sinew_left_out *left = solver->levels->left_out;
  left->some = left->usable;
  if (alone) {
    record(solver, left->now);
  }
}

// ---------------------------------------------------------------- taken again

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

// The history before an update so many before this one. Updates by one level alone change little of
// it and record only that; the rest is recorded by the first later update of another kind.
static void restore(sinew_solver *solver, int before) {
  sinew_left_out *left = solver->levels->left_out;
  const sinew_past_update *from = past_update(left, before), *whole = from;
  for (int i = before; whole->alone; whole = past_update(left, --i)) {
  }
  sinew_history history = whole->history;
  history.targets = from->targets;
  history.step = from->step;
  history.parts = from->parts;
  history.updates_at_rest = from->rest;
  history.recent = from->recent;
  history.motion = from->motion;
  copy_history(solver, &history, &solver->history);
}

// Takes all steps of level 0 from where an update so many before this one began.
static void take_again(sinew_solver *solver, int before, sinew_report *report, double *q) {
  sinew_left_out *left = solver->levels->left_out;
  const sinew_target *targets =
      before > 0 ? past_update(left, before - 1)->targets : solver->levels->targets;
  memcpy(q, past_update(left, before)->q, (size_t)solver->model->nq * sizeof *q);
  sinew_solver_evaluate(solver, targets, q);
  sinew_solver_track(solver, targets, q, report);
}

// From the update on that is so many before this one. Returns whether its last motion has not
// mattered to it, if that is asked.
static bool take_from(sinew_solver *solver, int first, bool asked, double *q) {
  sinew_report *report = solver->track.now.report;
  bool independent = true;
  restore(solver, first);
  for (int before = first; before >= 0 && independent; --before) {
    take_again(solver, before, before > 0 ? NULL : report, q);
    independent = !(asked && before == first && solver->track.held);
  }
  solver->track.now.report = report;
  return independent;
}

bool sinew_left_out_take(sinew_solver *solver, double *q) {
  sinew_levels *levels = solver->levels;
  sinew_left_out *left = levels->left_out;
  if (is_close(solver, q)) {
    return false;
  }
  const bool bent = levels->bent;
  const int count = left->count;
  levels->bent = true;  // no step is left to lower levels
  left->usable = false; // and none is recorded
  for (int d = LAST_UPDATES < count ? LAST_UPDATES : count; !take_from(solver, d, d < count, q);) {
    d = 2 * d < count ? 2 * d : count;
  }
  levels->bent = bent;
  left->usable = true;
  left->count = 0;
  solver->track.evaluated = false;
  sinew_levels_bring_into_limits(solver, &solver->problem, false, q);
  levels->idle = levels->waited = 0;
  return true;
}

// E after the update of level 0 from q alone.
static double error_after(sinew_solver *solver, const double *q) {
  sinew_levels *levels = solver->levels;
  sinew_left_out *left = levels->left_out;
  sinew_past_update *this = left->now;
  const bool bent = levels->bent, usable = left->usable;
  copy_history(solver, &solver->history, &this->history);
  memcpy(levels->next, q, (size_t)solver->model->nq * sizeof *q);
  levels->bent = true; // no step is left to lower levels
  left->usable = false;
  sinew_solver_take_update(solver, levels->targets, solver->problem.count, levels->next, NULL);
  levels->bent = bent;
  left->usable = usable;
  copy_history(solver, &this->history, &solver->history);
  return sinew_solver_evaluate(solver, levels->targets, levels->next);
}

bool sinew_level_0_arrives(sinew_solver *solver, const double *q, const double *bent) {
  if (solver->history.cut || solver->motion.has_accelerations || solver->hard.total > 0 ||
      solver->gains.used || solver->influence.used || solver->escape.candidate.q != NULL) {
    return false;
  }
  const double before = sinew_solver_evaluate(solver, solver->levels->targets, q);
  const double after = error_after(solver, q);
  return after <= REMOVED * REMOVED * before || sinew_solver_converged(solver) ||
         error_after(solver, bent) > after;
}
