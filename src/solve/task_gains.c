// Gains of tasks: see task_gains.h.
#include "solve/task_gains.h"
#include "kinematics/mass.h"
#include "solve/solver.h"

#include <string.h>

void sinew_task_gains_layout(sinew_arena *arena, int capacity, sinew_task_gains *gains) {
  gains->recorded = sinew_arena_take(arena, (size_t)capacity, sizeof *gains->recorded);
  gains->goals = sinew_arena_take(arena, (size_t)capacity, sizeof *gains->goals);
}

void sinew_task_gains_begin(sinew_solver *solver) {
  bool used = solver->problem.has_task_gains;
  for (int k = 0; k < solver->levels->count; ++k) {
    used |= solver->levels->lower[k].problem.has_task_gains;
  }
  solver->gains.used = used && !solver->gains.ignored;
}

static void watch_targets(sinew_solver *solver, const sinew_target *targets) {
  sinew_task_gains *gains = &solver->gains;
  gains->moved = false;
  for (int t = 0; t < solver->problem.count; ++t) {
    const unsigned read = solver->problem.tasks[t].fields;
    gains->moved |= !sinew_target_is_recorded(&targets[t], read, &gains->recorded[t]);
    sinew_target_record(&targets[t], read, &gains->recorded[t]);
  }
}

// The targets of a level become goals; out may be the same memory. Velocities that are fed forward
// stay: only the error is left in part.
static void aim(const sinew_solver *solver, const sinew_problem *problem, const double centre[3],
                const sinew_target *targets, sinew_target *out) {
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    const sinew_target target = targets[t];
    sinew_task_offset found, offset = {.weight = 0.0};
    if (task->task.gain < 1.0 && task->row_count > 0) {
      sinew_task_find_offset(task, &solver->state, centre, &target, &found);
      sinew_task_add_offset(1.0 - task->task.gain, &found, &offset);
    }
    sinew_task_move_target(task, &offset, &target, &out[t]);
    memcpy(out[t].twist, target.twist, sizeof target.twist);
  }
}

const sinew_target *sinew_task_gains_aim(sinew_solver *solver, const sinew_target *targets,
                                         const double *q) {
  const sinew_levels *levels = solver->levels;
  double centre[3] = {0.0, 0.0, 0.0};
  watch_targets(solver, targets);
  sinew_state_place(&solver->state, q);
  if (solver->model->mass > 0.0) {
    sinew_state_centres(&solver->state, solver->evaluation.centres, centre);
  }
  for (int k = 0; k < levels->count; ++k) {
    sinew_target *below = levels->targets + levels->update[k + 1].first;
    aim(solver, &levels->lower[k].problem, centre, below, below);
  }
  sinew_target *goals = levels->used ? levels->targets : solver->gains.goals;
  aim(solver, &solver->problem, centre, targets, goals);
  return goals;
}
