// Turns of free balls (task/task.h), between their own axes and the root link's.
#ifndef FREE_BALLS_H
#define FREE_BALLS_H

#include "inspect.h"

// v (nv): what free balls turn by about the root link's axes, made turns about their own, R^T v, R
// their moved frames where the solver was evaluated last.
static inline void free_balls_bring(const sinew_solver *solver, double *v) {
  for (int n = 0; n < solver->model->node_count; ++n) {
    const sinew_node *node = &solver->model->nodes[n];
    if (node->kind == SINEW_NODE_BALL && solver->problem.free[node->v] != 0) {
      double R[9];
      sinew_frame_get(&solver->state.frames[n], R, NULL);
      sinew_rotate_back(R, v + node->v, v + node->v);
    }
  }
}

#endif
