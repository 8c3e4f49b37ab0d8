// Floating bases of a crowd's figures: see bases.h. A figure after another, by the functions of the
// solver, so that all widths give the same bits.
#include "batch/bases.h"
#include "math/vector.h"
#include "solve/registration.h"

void sinew_crowd_find_bases(sinew_crowd *crowd) {
  if (crowd->plain) {
    return;
  }
  if (crowd->parts == NULL) {
    crowd->registers = sinew_registration_find(&crowd->problem, &crowd->solver, &crowd->base);
  }
  for (int k = 0; k < crowd->part_count; ++k) {
    sinew_crowd_part *part = &crowd->parts[k];
    part->registers = sinew_registration_find(&part->problem, &crowd->solver, &part->base);
    crowd->registers |= part->registers;
  }
}

// Where the history of a problem says that a lane's next update is the first after a reset.
static double *cut_of(const sinew_crowd_group *group, const sinew_crowd_plan *plan, int start,
                      int lane) {
  return group->history + (start + plan->history.cut) * group->crowd->kernel->lanes + lane;
}

static bool register_whole(const sinew_crowd_group *group, int lane) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_worker *worker = group->worker;
  const bool moved =
      sinew_registration_move(&crowd->problem, &crowd->base, &crowd->solver.tolerances,
                              &worker->state, worker->plain_targets, worker->plain_q);
  *cut_of(group, &crowd->plan, 0, lane) = moved ? 2.0 : 1.0;
  return moved;
}

static bool register_part(const sinew_crowd_group *group, int component, int lane) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_part *part = &crowd->parts[component];
  const sinew_crowd_worker *worker = group->worker;
  for (int i = 0; i < part->problem.count; ++i) {
    const int t = crowd->problem.component_tasks[crowd->problem.component_start[component] + i];
    worker->part_targets[i] = worker->plain_targets[t];
  }
  const bool moved = sinew_registration_move(&part->problem, &part->base, &crowd->solver.tolerances,
                                             &worker->state, worker->part_targets, worker->plain_q);
  *cut_of(group, &part->plan, part->history, lane) = moved ? 2.0 : 1.0;
  return moved;
}

// The largest errors of the figure where the state has it.
static void note_errors(const sinew_crowd_group *group, int lane) {
  const sinew_problem *problem = &group->crowd->problem;
  const sinew_crowd_worker *worker = group->worker;
  double position = 0.0, orientation = 0.0, row[6];
  for (int t = 0; t < problem->count; ++t) {
    sinew_task_evaluation at = {.position_error = 0.0};
    if (problem->tasks[t].row_count > 0) {
      sinew_task_residual(&problem->tasks[t], &worker->state, &worker->plain_targets[t], &at, row);
      position = sinew_max(position, at.position_error);
      orientation = sinew_max(orientation, at.orientation_error);
    }
  }
  worker->before[2 * lane] = position;
  worker->before[2 * lane + 1] = orientation;
}

// Returns whether a base of the lane's figure has moved.
static bool register_lane(const sinew_crowd_group *group, int lane) {
  const sinew_crowd *crowd = group->crowd;
  sinew_crowd_worker *worker = group->worker;
  bool moved = false;
  sinew_crowd_read_lane(group, lane);
  sinew_state_place(&worker->state, worker->plain_q);
  if (crowd->parts == NULL) {
    moved = register_whole(group, lane);
  }
  for (int k = 0; k < crowd->part_count; ++k) {
    moved |= crowd->parts[k].registers && register_part(group, k, lane);
  }
  if (moved) {
    note_errors(group, lane);
    sinew_crowd_write_lane(group, lane);
  }
  return moved;
}

// Whether the next update of a lane's figure is the first after a reset, which all parts of a
// figure have together.
static bool is_cut(const sinew_crowd_group *group, int lane) {
  const sinew_crowd *crowd = group->crowd;
  const sinew_crowd_plan *plan = crowd->parts == NULL ? &crowd->plan : &crowd->parts->plan;
  return *cut_of(group, plan, 0, lane) > 0.5;
}

unsigned sinew_crowd_register(const sinew_crowd_group *group) {
  unsigned registered = 0;
  for (int l = 0; group->crowd->registers && l < group->crowd->kernel->lanes; ++l) {
    if ((group->usable >> l & 1u) != 0 && is_cut(group, l) && register_lane(group, l)) {
      registered |= 1u << l;
    }
  }
  return registered;
}

void sinew_crowd_end_registration(const sinew_crowd_group *group, unsigned registered) {
  const sinew_crowd_worker *worker = group->worker;
  for (int l = 0; l < group->crowd->kernel->lanes; ++l) {
    if ((registered >> l & 1u) != 0) {
      worker->block.position_error[l] = worker->before[2 * l];
      worker->block.orientation_error[l] = worker->before[2 * l + 1];
      worker->block.stationary[l] = 0.0;
    }
  }
}
