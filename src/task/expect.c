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
// What turns a column u into the v of H_jk = u_j . v_k (rows.h), k nearer the root, for an error e
// or what is left of it. Position: with f = |e|^2 / 2 and d^2 s / dq_j dq_k = w_k x J_j, H_jk =
// J_j . J_k - e . (w_k x J_j) = J_j . (J_k + w_k x e): the second factor is k's column not at the
// point but at its target. Orientation: H_jk = w_j . (I - r^/2 + d r^r^) w_k, the matrix being the
// inverse left Jacobian of SO(3) at r.
//
// Source: the tensor method of Schnabel and Frank, Tensor methods for nonlinear
// equations, 1984, and Bouaricha and Schnabel, Tensor methods for nonlinear least
// squares problems, 1999, keep the whole term; to weigh it by a first step's residual
// is ours.
#include "math/rotation.h"
#include "task/columns.h"

#include <string.h>

// What is left of three rows' error, in its own unit.
static void left_of(const double error[3], double share, const double *left, double weight,
                    double out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = share * error[i] + left[i] / weight;
  }
}

void sinew_task_set_expect(sinew_task_set *set, const sinew_state *state, const double *left,
                           double share) {
  static const double nothing[6] = {0.0};
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    const sinew_row_block *block = &set->rows.blocks[t];
    const double *rest = left != NULL ? left + block->row : nothing;
    double error[3], turn[3], inverse[9];
    double *second = set->rows.second + block->value_start;
    if (!plan->whole) {
      memcpy(second, set->rows.values + block->value_start,
             (size_t)block->path_count * (size_t)block->row_count * sizeof(double));
      continue;
    }
    left_of(plan->error, share, rest, plan->scale, error);
    if (block->row_count == 6) {
      left_of(plan->turn, share, rest + 3, plan->task.orientation_weight, turn);
      sinew_rotation_left_jacobian_inverse(turn, inverse);
    }
    sinew_task_columns_bent(set, state, plan, error, inverse, second);
  }
}
