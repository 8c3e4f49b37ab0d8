// Levels: the targets, updates and reports of calls. Their memory and tasks are in level_setup.c,
// the steps of lower levels in lower_step.c and lower.c.
#include "solve/levels.h"
#include "base/error.h"
#include "math/vector.h"
#include "solve/lower_step.h"
#include "solve/straight.h"
#include "solve/solver.h"

#include <string.h>

// ---------------------------------------------------------------- tasks

// The problem and the evaluation of a level.
static const sinew_problem *problem_of(const sinew_solver *solver, int level) {
  return level == 0 ? &solver->problem : &solver->levels->lower[level - 1].problem;
}

static const sinew_evaluation *evaluation_of(const sinew_solver *solver, int level) {
  return level == 0 ? &solver->evaluation : &solver->levels->lower[level - 1].evaluation;
}

const sinew_compiled_task *sinew_levels_task(const sinew_solver *solver, int t) {
  if (!solver->levels->used) {
    return &solver->problem.tasks[t];
  }
  const sinew_leveled_task *task = &solver->levels->tasks[t];
  return &problem_of(solver, task->level)->tasks[task->index];
}

// ---------------------------------------------------------------- targets

static void sort_targets(sinew_solver *solver, const sinew_target *targets) {
  sinew_levels *levels = solver->levels;
  for (int i = 0; i < levels->task_count; ++i) {
    levels->targets[i] = targets[levels->order[i]];
  }
}

static sinew_result explain_targets(sinew_solver *solver, const sinew_target *targets) {
  sinew_result result = SINEW_OK;
  for (int t = 0; t < solver->levels->task_count && result == SINEW_OK; ++t) {
    const sinew_compiled_task *task = sinew_levels_task(solver, t);
    result = sinew_target_explain(&targets[t], task->fields, t, &solver->error);
    if (result == SINEW_OK && (task->fields & SINEW_TARGET_POSITION) != 0) {
      result =
          sinew_target_explain_distance(targets[t].position, task->resolved, t, &solver->error);
    }
  }
  return result;
}

sinew_result sinew_levels_take_targets(sinew_solver *solver, const sinew_target *targets, int count,
                                       const double *q, sinew_report *report) {
  sinew_levels *levels = solver->levels;
  bool usable = count == levels->task_count && (count == 0 || targets != NULL) && q != NULL &&
                sinew_state_accepts(solver->model, q);
  if (usable) {
    sort_targets(solver, targets);
    usable = sinew_problem_accepts(&solver->problem, levels->targets);
  }
  for (int k = 0; usable && k < levels->count; ++k) {
    const sinew_problem *problem = &levels->lower[k].problem;
    usable = problem->count == 0 ||
             sinew_problem_accepts(problem, levels->targets + levels->update[k + 1].first);
  }
  if (SINEW_LIKELY(usable)) {
    return SINEW_OK;
  }
  if (count != levels->task_count) {
    sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL,
                    "count of targets is %d, of tasks %d", count, levels->task_count);
  } else if (q == NULL || (count > 0 && targets == NULL)) {
    sinew_error_set(&solver->error, SINEW_ERROR_ARGUMENT, NULL, "%s is NULL",
                    q == NULL ? "q" : "targets");
  } else if (sinew_configuration_explain(solver->model, q, &solver->error) == SINEW_OK) {
    explain_targets(solver, targets);
  }
  return sinew_solver_refuse(solver, report);
}

// ---------------------------------------------------------------- reports

// Records the errors of the tasks of a level, or of all levels below.
static inline void record(sinew_solver *solver, bool below) {
  sinew_levels *levels = solver->levels;
  for (int t = 0; t < levels->task_count; ++t) {
    sinew_leveled_task *task = &levels->tasks[t];
    if ((task->level > 0) == below) {
      const sinew_task_evaluation *at = &evaluation_of(solver, task->level)->tasks[task->index];
      const bool counts = problem_of(solver, task->level)->tasks[task->index].row_count > 0;
      task->position_error = counts ? at->position_error : -1.0;
      task->orientation_error = counts ? at->orientation_error : -1.0;
    }
  }
}

// Whether the last update has left so many nodes where q, which it has returned, places them.
static bool are_placed(const sinew_solver *solver, const double *q, int nodes) {
  const sinew_levels *levels = solver->levels;
  return levels->placed_nodes >= nodes && levels->placement == *solver->state.placements &&
         solver->model->function_count == 0 &&
         memcmp(q, levels->next, (size_t)solver->model->nq * sizeof *q) == 0;
}

// placed: whether the nodes of all levels are placed at q.
static inline void measure(sinew_solver *solver, const double *q, bool placed) {
  sinew_levels *levels = solver->levels;
  if (!levels->known) {
    return;
  }
  if (!placed) {
    solver->state.functions->place_some(&solver->state, q, levels->nodes, levels->node_count);
  }
  for (int k = 0; k < levels->count; ++k) {
    const sinew_level *level = &levels->update[k + 1];
    sinew_evaluate_residual(level->problem, &solver->state, levels->targets + level->first,
                            level->evaluation);
  }
  record(solver, true);
}

void sinew_levels_measure(sinew_solver *solver, const double *q, bool evaluated) {
  solver->levels->known = solver->levels->task_count > solver->problem.count;
  if (solver->levels->known && evaluated) {
    record(solver, true);
  } else {
    measure(solver, q, false);
  }
}

// Fills the errors of a report from those of the required tasks. Returns whether all are met.
static bool fill_errors(const sinew_solver *solver, sinew_report *report) {
  const sinew_levels *levels = solver->levels;
  const sinew_tolerances *tolerances = &solver->def.tolerances;
  double worst = -1.0;
  report->position_error = report->orientation_error = 0.0;
  report->worst_task = -1;
  report->counted_tasks = 0;
  for (int t = 0; t < levels->task_count; ++t) {
    const sinew_leveled_task *task = &levels->tasks[t];
    if (!task->required || task->position_error < 0.0) {
      continue;
    }
    const double far = sinew_max(task->position_error / tolerances->position,
                                 task->orientation_error / tolerances->orientation);
    report->position_error = sinew_max(report->position_error, task->position_error);
    report->orientation_error = sinew_max(report->orientation_error, task->orientation_error);
    report->worst_task = far > worst ? t : report->worst_task;
    worst = sinew_max(worst, far);
    ++report->counted_tasks;
  }
  return worst <= 1.0;
}

void sinew_levels_report(sinew_solver *solver, bool local, sinew_report *report) {
  const sinew_levels *levels = solver->levels;
  record(solver, false);
  if (report == NULL) {
    return;
  }
  const bool met = fill_errors(solver, report);
  for (int t = 0; report->reach_task >= 0 && t < levels->task_count; ++t) {
    if (levels->tasks[t].level == 0 && levels->tasks[t].index == report->reach_task) {
      report->reach_task = t;
      break;
    }
  }
  if (report->counted_tasks == 0) {
    report->outcome = SINEW_OUTCOME_NO_TASK;
    report->position_error = report->orientation_error = -1.0;
  } else if (report->outcome == SINEW_OUTCOME_REJECTED) {
    return;
  } else if (met) {
    report->outcome = SINEW_OUTCOME_CONVERGED;
    report->limiting_joint = -1;
  } else if (report->outcome == SINEW_OUTCOME_CONVERGED ||
             report->outcome == SINEW_OUTCOME_NO_TASK) {
    report->outcome = local ? SINEW_OUTCOME_STALLED : SINEW_OUTCOME_STEP_LIMIT;
  }
}

// ---------------------------------------------------------------- calls

void sinew_levels_bring_others(const sinew_solver *solver, const sinew_problem *problem, bool fast,
                               double *q) {
  const sinew_levels *levels = solver->levels;
  for (int c = 0; c < levels->n; ++c) {
    const int v = levels->dof_of_column[c], at = solver->model->q_of_v[v];
    if (problem->column_of_dof[v] < 0 && solver->model->quaternion_axis[v] < 0) {
      const double most = fast ? INFINITY : sinew_motion_limits_most(solver, v);
      const double inside = sinew_clamp(q[at], solver->problem.lower[v], solver->problem.upper[v]);
      q[at] = sinew_clamp(inside, q[at] - most, q[at] + most);
    }
  }
  sinew_level_cones_bring_inside(solver, problem, fast, q);
}

// Joints that sinew_leave_straight() has moved stay there: limits of motion allow them no more.
static void keep_bent(const sinew_solver *solver, double *q) {
  const sinew_levels *levels = solver->levels;
  for (int j = 0; j < solver->model->joint_count; ++j) {
    const sinew_joint *joint = &solver->model->joints[j];
    const size_t at = (size_t)joint->q_index, size = (size_t)joint->nq * sizeof(double);
    if (joint->nq > 0 && memcmp(levels->before + at, levels->start + at, size) != 0) {
      memcpy(q + at, levels->before + at, size);
    }
  }
}

// levels.rest, from the targets of this update and of the last one.
static void watch_rest(sinew_levels *levels) {
  bool moved = levels->rest < 0.0;
  for (int k = 0; k < levels->count; ++k) {
    const sinew_problem *problem = &levels->lower[k].problem;
    const int first = levels->update[k + 1].first;
    for (int t = 0; t < problem->count; ++t) {
      const unsigned read = problem->tasks[t].fields;
      sinew_target *recorded = &levels->recorded[first + t];
      moved |= !sinew_target_is_recorded(&levels->targets[first + t], read, recorded);
      sinew_target_record(&levels->targets[first + t], read, recorded);
    }
  }
  levels->rest = moved ? 0.0 : levels->rest + 1.0;
}

// Takes the last update to the past ones, after one that has left out steps.
static void keep_last(sinew_left_out *left) {
  left->count += left->count < LEFT_OUT_UPDATES ? 1 : 0;
  left->next = (left->next + 1) & LEFT_OUT_UPDATES;
  left->now = &left->past[left->next];
}

// Takes the last update to the past ones, and records the history (left_out.c).
static void begin_left_out(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  sinew_left_out *left = levels->left_out;
  sinew_past_update *this = left->now;
  if (left->some) {
    if (this->alone) { // levels.before is to be overwritten
      double *before = levels->before;
      levels->before = this->q;
      this->q = before;
    }
    left->whole = 0;
    keep_last(left);
  } else if (left->count > 0) {
    const bool kept = left->saved && ++left->whole < LEFT_OUT_UPDATES;
    keep_last(left);
    left->count = kept ? left->count : 0;
  }
  left->some = left->saved = false;
  left->usable = !(solver->influence.used | solver->gains.used); // they have histories of their own
  left->count = left->usable ? left->count : 0;
  this = left->now;
  this->rest = solver->history.updates_at_rest;
  this->recent = solver->history.recent;
  this->motion = solver->history.motion;
}

// The steps of lower levels, but where the figure has been bent or is on its way to another
// configuration: they would end that.
static void finish_update(sinew_solver *solver, double *q) {
  sinew_levels *levels = solver->levels;
  if (!levels->bent) {
    sinew_levels_bring_into_limits(solver, &solver->problem, false, q);
  }
  if (!levels->bent && solver->escape.length == 0) {
    solver->functions->lower(solver, q);
    return;
  }
  if (SINEW_UNLIKELY(levels->bent)) {
    keep_bent(solver, q);
    memcpy(solver->motion.before, levels->start, (size_t)solver->model->nq * sizeof(double));
  }
  sinew_lower_measure_motion(solver, q, levels->last);
  levels->was_alone = levels->expects = false;
}

// The loops of level 0, after the steps of all levels.
static void close_loops(sinew_solver *solver, bool cut, double *q) {
  const sinew_levels *levels = solver->levels;
  for (int t = 0; t < solver->problem.count; ++t) {
    const sinew_leveled_task *task = &levels->tasks[levels->order[t]];
    solver->track.errors[2 * t] = task->position_error;
    solver->track.errors[2 * t + 1] = task->orientation_error;
  }
  sinew_loops_close(solver, levels->targets, cut, q);
}

// Bends straight limbs, unless that breaks a hard task, or level 0 ends nearer to its targets
// without it: then it would only cost its tasks something.
static void leave_straight(sinew_solver *solver, double *q) {
  sinew_levels *levels = solver->levels;
  const size_t bytes = (size_t)solver->model->nq * sizeof *q;
  levels->bent = levels->straight = false;
  if (!levels->poles && !sinew_was_at_rest(solver)) {
    return; // by a posture only at rest
  }
  levels->bent = sinew_leave_straight(solver, true, q);
  levels->straight = memcmp(levels->start, q, bytes) != 0;
  if (levels->straight &&
      ((levels->bent && !sinew_hard_is_kept(solver, levels->targets, levels->start, q)) ||
       sinew_level_0_arrives(solver, levels->start, q))) {
    memcpy(q, levels->start, bytes);
    levels->bent = levels->straight = false;
  }
}

// Level 0 alone would have begun where the limb was straight: later updates may need what that
// leaves of its history.
static void note_bend(const sinew_solver *solver) {
  const sinew_levels *levels = solver->levels;
  sinew_left_out *left = levels->left_out;
  if (left->saved && left->usable) {
    left->some = true;
    memcpy(left->now->q, levels->start, (size_t)solver->model->nq * sizeof(double));
  }
}

sinew_result sinew_levels_update(sinew_solver *solver, const sinew_target *targets, int count,
                                 double *values, sinew_report *report) {
  sinew_levels *levels = solver->levels;
  sinew_result result = sinew_levels_take_targets(solver, targets, count, values, report);
  if (SINEW_UNLIKELY(result != SINEW_OK)) {
    return result;
  }
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  double *q = memcpy(levels->q, values, bytes);
  watch_rest(levels);
  begin_left_out(solver);
  memcpy(levels->start, q, bytes);
  levels->failed -= levels->failed > 0 ? 1 : 0;
  leave_straight(solver, q);
  memcpy(levels->before, q, bytes);
  levels->known = levels->task_count > solver->problem.count;
  const bool placed =
      are_placed(solver, q, levels->known ? levels->node_count : solver->problem.node_count);
  measure(solver, q, placed);
  levels->placed = levels->known || placed;
  const bool cut = solver->history.cut;
  result = solver->functions->update(solver, levels->targets, solver->problem.count, q, report);
  levels->placed = false;
  if (result == SINEW_OK) {
    sinew_levels_report(solver, false, report);
    finish_update(solver, q);
    if (SINEW_UNLIKELY(levels->straight)) {
      note_bend(solver);
    }
    if (SINEW_UNLIKELY(solver->loops.count > 0)) {
      close_loops(solver, cut, q);
    }
    memcpy(values, q, bytes);
  }
  return result;
}

sinew_solver *sinew_levels_search_solver(sinew_solver *solver) {
  sinew_levels *levels = solver->levels;
  sinew_solver *search = levels->search;
  if (!levels->apart) {
    return solver;
  }
  if (search->model == NULL) {
    *search = *solver;
    search->problem = levels->hard->problem;
    search->levels = sinew_levels_none();
    search->lanes.planned = search->components.ready = search->closed.known = false;
    search->step.split = levels->split;
    sinew_evaluation_begin(&search->evaluation, &search->problem, false);
    sinew_seed_scratch_fit(&search->search.seeds, &search->problem);
    for (int t = 0; t < levels->hard_count; ++t) {
      search->step.split[t] = search->problem.tasks[t].linear_rows;
    }
  }
  search->linear.open = false; // bounds are in memory that both share
  return search;
}
