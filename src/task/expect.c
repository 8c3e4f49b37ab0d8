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
#include "math/vector.h"
#include "task/columns.h"

#include <string.h>

// Columns of slides know no curvature; those of coupled joints stay of first order.
static void bend_other(const sinew_task_set *set, const sinew_state *state,
                       const sinew_task_plan *plan, const sinew_task_span *span,
                       const double error[3], const double inverse[9], const double *u, double *v) {
  const sinew_node *node = &state->model->nodes[span->node];
  const double scale = set->scale[span->slot];
  double axis[3], moved[3];
  memcpy(v, u, (size_t)plan->row_count * sizeof(double));
  if (span->shared || node->kind == SINEW_NODE_SLIDE) {
    return;
  }
  sinew_frame_column(&state->frames[span->node], node->kind == SINEW_NODE_BALL ? span->i : 2, axis);
  sinew_cross(axis, error, moved);
  for (int k = 0; k < 3; ++k) {
    v[k] += scale * plan->scale * moved[k];
  }
  if (plan->row_count == 6) {
    sinew_rotate(inverse, axis, axis);
    sinew_scale(scale * plan->task.orientation_weight, axis, v + 3);
  }
}

static void bend_others(const sinew_task_set *set, const sinew_state *state,
                        const sinew_task_plan *plan, const double *left, double share) {
  const int start = set->rows.blocks[plan - set->plans].value_start;
  double error[3], turn[3], inverse[9];
  sinew_task_expected_error(plan, left, share, error, turn);
  if (plan->row_count == 6) {
    sinew_rotation_left_jacobian_inverse(turn, inverse);
  }
  for (int c = 0; c < plan->span_count; ++c) {
    const sinew_task_span *span = &set->spans[plan->span_start + c];
    const int at = start + span->k * plan->row_count;
    if (span->kind == SINEW_SPAN_OTHER) {
      bend_other(set, state, plan, span, error, inverse, set->rows.values + at,
                 set->rows.second + at);
    }
  }
}

void sinew_task_set_expect(sinew_task_set *set, const sinew_state *state, const double *left,
                           double share) {
  sinew_task_columns_expected(set, state, left, share);
  for (int t = 0; !set->plain && t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    const sinew_row_block *block = &set->rows.blocks[t];
    if (!plan->whole) {
      memcpy(set->rows.second + block->value_start, set->rows.values + block->value_start,
             (size_t)block->path_count * (size_t)block->row_count * sizeof(double));
    } else if (plan->added) {
      bend_others(set, state, plan, left != NULL ? left + block->row : NULL, share);
    }
  }
}
