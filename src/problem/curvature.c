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
#include "problem/columns.h"

#include <string.h>

// Columns of slides know no curvature; those of coupled joints stay of first order.
static void bend_other(const sinew_problem *problem, const sinew_state *state,
                       const sinew_compiled_task *task, const sinew_task_span *span,
                       const double error[3], const double inverse[9], const double *u, double *v) {
  const sinew_node *node = &state->model->nodes[span->node];
  const double scale = problem->scale[span->slot];
  double axis[3], moved[3];
  memcpy(v, u, (size_t)task->row_count * sizeof(double));
  if (span->shared || node->kind == SINEW_NODE_SLIDE) {
    return;
  }
  sinew_frame_column(&state->frames[span->node], node->kind == SINEW_NODE_BALL ? span->i : 2, axis);
  sinew_cross(axis, error, moved);
  for (int k = 0; k < 3; ++k) {
    v[k] += scale * task->scale * moved[k];
  }
  if (task->row_count == 6) {
    sinew_rotate(inverse, axis, axis);
    sinew_scale(scale * task->task.orientation_weight, axis, v + 3);
  }
}

static void bend_others(const sinew_problem *problem, const sinew_state *state, int t,
                        const double *left, double share, sinew_evaluation *out) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const int start = out->rows.blocks[t].value_start;
  double error[3], turn[3], inverse[9];
  sinew_expected_error(task, &out->tasks[t], left, share, error, turn);
  if (task->row_count == 6) {
    sinew_rotation_left_jacobian_inverse(turn, inverse);
  }
  for (int c = 0; c < task->span_count; ++c) {
    const sinew_task_span *span = &problem->spans[task->span_start + c];
    const int at = start + span->k * task->row_count;
    if (span->kind == SINEW_SPAN_OTHER) {
      bend_other(problem, state, task, span, error, inverse, out->rows.values + at,
                 out->rows.second + at);
    }
  }
}

void sinew_evaluate_curvature(const sinew_problem *problem, const sinew_state *state,
                              const double *left, double share, sinew_evaluation *out) {
  sinew_fill_columns_expected(problem, state, left, share, out);
  for (int t = 0; !problem->plain && t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    const sinew_row_block *block = &out->rows.blocks[t];
    if (!task->whole) {
      memcpy(out->rows.second + block->value_start, out->rows.values + block->value_start,
             (size_t)block->path_count * (size_t)block->row_count * sizeof(double));
    } else if (task->added) {
      bend_others(problem, state, t, left != NULL ? left + block->row : NULL, share, out);
    }
  }
}
