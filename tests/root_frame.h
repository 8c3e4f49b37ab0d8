// Rotation vectors of free spherical joints (task/task.h), from root-frame to body-frame
// coordinates.
#ifndef TESTS_ROOT_FRAME_H
#define TESTS_ROOT_FRAME_H

#include "inspect.h"

// v (nv): the entries of free spherical joints are transformed from root-frame coordinates to
// body-frame ones, R^T v, with R the moved frames at the solver's last evaluation.
static inline void root_frame_to_body(const sinew_solver *solver, double *v) {
  for (int n = 0; n < solver->model->node_count; ++n) {
    const sinew_node *node = &solver->model->nodes[n];
    if (node->kind == SINEW_NODE_SPHERICAL && solver->problem.free[node->v] != 0) {
      double R[9];
      sinew_frame_get(&solver->state.frames[n], R, NULL);
      sinew_rotate_back(R, v + node->v, v + node->v);
    }
  }
}

#endif
