// What objectives add to the step of a level: docs/levels.md has the equations. Compiled for each
// instruction set.
#include "math/vector.h"
#include "solve/solver.h"

// Adds w (x_v - aim_v), in the unit of objectives, to D and g.
static void add_objective(sinew_levels *levels, const double *gains, const double *weights,
                          double share, const double *aim) {
  for (int c = 0; c < levels->n; ++c) {
    const int v = levels->dof_of_column[c];
    const double w = weights[v] * gains[v];
    levels->D[c] += w * w;
    levels->g[c] += w * weights[v] * share * aim[v];
    levels->cost += 0.5 * (weights[v] * share * aim[v]) * (weights[v] * share * aim[v]);
  }
}

void sinew_levels_add_objectives(sinew_solver *solver, int k, const double *q) {
  sinew_levels *levels = solver->levels;
  const sinew_model *model = solver->model;
  const bool solve = levels->list == levels->descent;
  const int number = levels->list[k].number;
  double *aim = levels->aim;
  for (int i = 0; i < levels->objective_count; ++i) {
    const sinew_objective *objective = &levels->objectives[i];
    double share = 1.0;
    if (objective->level != number || (solve && objective->kind == SINEW_OBJECTIVE_LOW_CHANGE)) {
      continue;
    }
    switch (objective->kind) {
    case SINEW_OBJECTIVE_POSTURE:
      sinew_configuration_difference(model, q, objective->posture, aim);
      share = solve ? 1.0 : objective->gain;
      for (int v = 0; v < model->nv; ++v) {
        aim[v] /= model->angular[v] ? 1.0 : solver->problem.size;
      }
      break;
    case SINEW_OBJECTIVE_LOW_CHANGE:
      for (int v = 0; v < model->nv; ++v) {
        aim[v] = levels->last[v] - levels->moved[v];
      }
      break;
    default: // DAMPING
      for (int v = 0; v < model->nv; ++v) {
        aim[v] = -levels->moved[v];
      }
    }
    add_objective(levels, solver->problem.gains, objective->weights, share, aim);
  }
}
