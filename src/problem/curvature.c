// The second-order term of Newton's matrix, weighted by the predicted residual.
//
// With S the second derivatives of the effectors' positions, half the squared residual after a step
// x is
//
//   |e - J x - x.S x / 2|^2 / 2
//
// Its term of second order in S is weighted not by e but by the residual that the step leaves,
// e - J x. Within reach that is nearly 0, so the lag of a frame does not change H. In directions
// that J does not determine, H would otherwise be the curvature from that lag alone, of either
// sign. At rest out of reach the residual is all of e, and H is exact.
//
// H_jk = u_j . v_k (rows.h), k nearer the root, u the columns of J and v those of rows.second, for
// the predicted error e and rotation error r:
//
//   position: f = |e|^2 / 2, d^2 s / dq_j dq_k = w_k x J_j, so that
//     H_jk = J_j . J_k - e . (w_k x J_j) = J_j . (J_k + w_k x e):
//     v_k is k's column taken not at the point but at its target
//   orientation: H_jk = w_j . (I - [r]/2 + d [r]^2) w_k, [r] the cross product matrix of r:
//     v_k = J_l(r)^-1 w_k, J_l the left Jacobian of SO(3)
//
// Source: the tensor method of Schnabel and Frank, Tensor methods for nonlinear
// equations, 1984, and Bouaricha and Schnabel, Tensor methods for nonlinear least
// squares problems, 1999, keep the whole term. The weight by the
// residual of a first step is specific to this library.
#include "math/rotation.h"
#include "math/vector.h"
#include "problem/columns.h"

#include <string.h>

// One column of the other kinds. Those of prismatic joints have no second-order term; that of
// coupled joints and of joints with a function is omitted.
static void add_second_other(const sinew_problem *problem, const sinew_state *state,
                             const sinew_compiled_task *task, const sinew_task_span *span,
                             const double error[3], const double inverse[9], const double *u,
                             double *v) {
  const sinew_node *node = &state->model->nodes[span->node];
  const double scale = problem->scale[span->column];
  double axis[3], moved[3];
  memcpy(v, u, (size_t)task->row_count * sizeof(double));
  if (span->shared || node->kind == SINEW_NODE_PRISMATIC || node->kind == SINEW_NODE_FUNCTION) {
    return;
  }
  sinew_frame_column(&state->frames[span->node], node->kind == SINEW_NODE_SPHERICAL ? span->i : 2,
                     axis);
  sinew_cross(axis, error, moved);
  for (int k = 0; k < 3; ++k) {
    v[k] += scale * task->scale * moved[k];
  }
  if (task->row_count == 6) {
    sinew_rotate(inverse, axis, axis);
    sinew_scale(scale * task->task.orientation_weight, axis, v + 3);
  }
}

static void add_second_others(const sinew_problem *problem, const sinew_state *state, int t,
                              const double *left, double share, sinew_evaluation *out) {
  const sinew_compiled_task *task = &problem->tasks[t];
  const int start = out->rows.blocks[t].value_start;
  double error[3], turn[3], inverse[9];
  sinew_predicted_error(task, &out->tasks[t], left, share, error, turn);
  if (task->row_count == 6) {
    sinew_rotation_left_jacobian_inverse(turn, inverse);
  }
  for (int c = 0; c < task->span_count; ++c) {
    const sinew_task_span *span = &problem->spans[task->span_start + c];
    const int at = start + span->k * task->row_count;
    if (span->kind == SINEW_SPAN_OTHER) {
      add_second_other(problem, state, task, span, error, inverse, out->rows.values + at,
                       out->rows.second + at);
    }
  }
}

void sinew_evaluate_curvature(const sinew_problem *problem, const sinew_state *state,
                              const double *left, double share, sinew_evaluation *out) {
  if (problem->closed) {
    sinew_zero((size_t)out->rows.value_count, out->rows.second);
  }
  sinew_fill_columns_predicted(problem, state, left, share, out);
  for (int t = 0; !problem->plain && t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    const sinew_row_block *block = &out->rows.blocks[t];
    if (!task->whole) {
      memcpy(out->rows.second + block->value_start, out->rows.values + block->value_start,
             (size_t)block->path_count * (size_t)block->row_count * sizeof(double));
    } else if (task->added) {
      add_second_others(problem, state, t, left != NULL ? left + block->row : NULL, share, out);
    }
  }
}
