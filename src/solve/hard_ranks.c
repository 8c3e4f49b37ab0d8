// Which bounds and rows of a step with hard tasks yield first: see hard.h.
#include "math/vector.h"
#include "solve/solver.h"

#include <string.h>

// Ranks of a step are those of sinew_qp_rank times EFFECTS: there is room between two of them for
// accelerations by their joints' effects on rows, each EFFECT_RATIO times the one before.
#define EFFECTS 32
#define EFFECT_RATIO 1.25

sinew_qp_rank sinew_hard_rank(const sinew_task *task) {
  switch (task->kind) {
  case SINEW_TASK_PLANE:
    return task->center_of_mass ? SINEW_RANK_POLYGON : SINEW_RANK_CLEARANCE;
  case SINEW_TASK_DISTANCE:
    return SINEW_RANK_CLEARANCE;
  default:
    return SINEW_RANK_INTERVAL;
  }
}

// The greater the effect of a joint on a row, beside that of the joint with the greatest, the
// larger: from 0 to EFFECTS - 1.
static int rank_effect(double share) {
  int effect = EFFECTS - 1;
  for (double least = 1.0 / EFFECT_RATIO; effect > 0 && share < least; least /= EFFECT_RATIO) {
    --effect;
  }
  return effect;
}

// Where accelerations contradict a row, those of the joints with the greatest effect on it yield:
// they have to yield least.
static void rank_accelerations(const sinew_solver *solver, unsigned char *rank) {
  const sinew_hard *hard = &solver->hard;
  const int n = solver->problem.pattern.dof_count;
  for (int i = 0; i < hard->count; ++i) {
    const double *row = hard->entries + (size_t)i * (size_t)n;
    const double most = sinew_largest(n, row);
    for (int j = 0; most > 0.0 && j < n; ++j) {
      const int effect = EFFECTS * SINEW_RANK_ACCELERATION + rank_effect(fabs(row[j]) / most);
      rank[j] = effect > rank[j] ? (unsigned char)effect : rank[j];
    }
  }
}

void sinew_hard_fill_ranks(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  unsigned char *rank = solver->hard.rank;
  memset(rank, EFFECTS * SINEW_RANK_POSITION, (size_t)n);
  memset(rank + n, EFFECTS * SINEW_RANK_ACCELERATION, (size_t)n);
  if (solver->motion.has_accelerations) {
    rank_accelerations(solver, rank + n);
  }
  for (int g = 0; problem->cone_count > 0 && g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    for (int i = 0; group->cone >= 0 && i < group->count; ++i) {
      rank[group->column + i] = EFFECTS * SINEW_RANK_CONE;
    }
  }
  for (int i = 0; i < solver->hard.count; ++i) {
    const sinew_task *task = &problem->tasks[solver->hard.task[i]].task;
    rank[2 * n + i] = (unsigned char)(EFFECTS * sinew_hard_rank(task));
  }
}
