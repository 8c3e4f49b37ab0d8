// The curvature that a step will meet.
//
// Half the squared residual as a step x sees it is |e - J x - x.S x / 2|^2 / 2, S the
// second derivatives of the way an effector takes. Its term of second order in S is
// weighted not by e but by what the step leaves of it, e - J x: within reach nothing,
// so that a lag of a frame does not bend H, which there has directions that J does not
// know and where any curvature, of either sign, would decide alone; at rest out of
// reach all of e, and H is exact. So columns v (rows.h) are taken at the place where
// the target would be seen after the step that is expected.
//
// Source: the tensor method of Schnabel and Frank, Tensor methods for nonlinear
// equations, 1984, and Bouaricha and Schnabel, Tensor methods for nonlinear least
// squares problems, 1999, keep the whole term; to weigh it by a first step's residual
// is ours.
#include "kinematics/jacobian.h"
#include "math/rotation.h"
#include "math/vector.h"
#include "task/task.h"

#include <string.h>

// What is left of three rows' error, in its own unit.
static void left_of(const double error[3], double share, const double *left, double weight,
                    double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = share * error[i] + left[i] / weight;
  }
}

// v of a whole point or pose: u, and what is left, crossed.
static void expect_plain(const sinew_task_set *set, const sinew_state *state,
                         const sinew_task_plan *plan, const double *left, double share) {
  const sinew_row_block *block = &set->rows.blocks[plan - set->plans];
  const int *path = set->rows.path + block->path_start;
  const int r = block->row_count;
  const double position = plan->task.position_weight / state->model->size;
  const double orientation = plan->task.orientation_weight;
  double error[3], turn[3], inverse[9];
  left_of(plan->error, share, left + block->row, position, error);
  if (r == 6) {
    left_of(plan->turn, share, left + block->row + 3, orientation, turn);
    sinew_rotation_left_jacobian_inverse(turn, inverse);
  }
  for (int c = 0; c < plan->column_count; ++c) {
    const sinew_task_column *column = &set->columns[plan->column_start + c];
    if (column->shared) { // columns of coupled joints stay of first order
      continue;
    }
    const double scale = set->scale[path[column->k]];
    double *out = set->rows.second + block->value_start + column->k * r;
    double linear[3], angular[3], moved[3];
    sinew_node_column(state, column->node, column->i, plan->s, linear, angular);
    sinew_cross(angular, error, moved);
    if (r == 6) {
      sinew_rotate(inverse, angular, angular);
    }
    for (int i = 0; i < 3; ++i) {
      out[i] += scale * position * moved[i];
      if (r == 6) {
        out[3 + i] = scale * orientation * angular[i];
      }
    }
  }
}

void sinew_task_set_expect(sinew_task_set *set, const sinew_state *state, const double *left,
                           double share) {
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    const sinew_row_block *block = &set->rows.blocks[t];
    memcpy(set->rows.second + block->value_start, set->rows.values + block->value_start,
           (size_t)block->path_count * (size_t)block->row_count * sizeof(double));
    if (plan->whole) {
      expect_plain(set, state, plan, left, share);
    }
  }
}
