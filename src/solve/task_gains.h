// Gains of tasks: the share of a task's error that an update aims to remove.
//
//   goal = target + (1 - gain) (place(q) - target)
//
// place(q) is the target that the task would meet at q, before the update: task/blend.c. The update
// then follows the goals, with all that it does for targets; the errors that it reports are those
// of the targets.
#ifndef SINEW_SOLVE_TASK_GAINS_H
#define SINEW_SOLVE_TASK_GAINS_H

#include "base/memory.h"
#include "task/task.h"

struct sinew_solver;

typedef struct sinew_task_gains {
  bool used;              // in this update: whether some task, of any level, has a gain below 1
  bool ignored;           // in updates that end a solve
  bool moved;             // whether a target of level 0 has moved since the last update: goals move
                          // with the figure
  sinew_target *recorded; // tasks: targets of the last update, the fields that are read
  sinew_target *goals;    // tasks
} sinew_task_gains;

void sinew_task_gains_layout(sinew_arena *arena, int capacity, sinew_task_gains *gains);

// Begins an update: sets used.
void sinew_task_gains_begin(struct sinew_solver *solver);

// The goals of an update that begins at q, of the tasks of level 0; those of lower levels take the
// place of levels.targets. targets: of level 0. All nodes are then placed at q.
const sinew_target *sinew_task_gains_aim(struct sinew_solver *solver, const sinew_target *targets,
                                         const double *q);

#endif
