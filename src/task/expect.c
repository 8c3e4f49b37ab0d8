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
#include "kinematics/jacobian.h"
#include "math/pair.h"
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

// v of column i of a node: u, and what is left, crossed with the axis; its turning part brought
// over by the matrix, where there are rows of it.
SINEW_ALWAYS_INLINE void bend(int r, const sinew_frame *frame, int i, const double error[3],
                              const double inverse[9], double linear_scale, double angular_scale,
                              const double *u, double *v) {
  double axis[3], moved[3];
  sinew_frame_column(frame, i, axis);
  sinew_cross(axis, error, moved);
  for (int k = 0; k < 3; ++k) {
    v[k] = u[k] + linear_scale * moved[k];
  }
  if (r == 6) {
    sinew_rotate(inverse, axis, axis);
    sinew_scale(angular_scale, axis, v + 3);
  }
}

SINEW_ALWAYS_INLINE void bend_ball(int r, const sinew_frame *frame, const double error[3],
                                   const double inverse[9], const double *scale, double position,
                                   double orientation, const double *u, double *v) {
  if (r == 6) {
    for (int i = 0; i < 3; ++i) {
      bend(6, frame, i, error, inverse, scale[i] * position, scale[i] * orientation, u + 6 * i,
           v + 6 * i);
    }
    return;
  }
  const double weights[3] = {scale[0] * position, scale[1] * position, scale[2] * position};
  const sinew_ball_columns moved = sinew_ball_cross(frame, error, weights);
  for (int i = 0; i < 4; ++i) {
    sinew_pair_store(v + 2 * i, sinew_pair_load(u + 2 * i) + moved.pair[i]);
  }
  v[8] = u[8] + moved.last;
}

// Columns of slides know no curvature; those of coupled joints stay of first order.
SINEW_ALWAYS_INLINE void bend_other(int r, const sinew_state *state, const sinew_task_span *span,
                                    const double error[3], const double inverse[9],
                                    double linear_scale, double angular_scale, const double *u,
                                    double *v) {
  const sinew_node *node = &state->model->nodes[span->node];
  if (span->shared || node->kind == SINEW_NODE_SLIDE) {
    memcpy(v, u, (size_t)r * sizeof(double));
  } else {
    const int i = node->kind == SINEW_NODE_BALL ? span->i : 2;
    bend(r, &state->frames[span->node], i, error, inverse, linear_scale, angular_scale, u, v);
  }
}

// v of a whole point or pose.
SINEW_ALWAYS_INLINE void expect_plain(const sinew_task_set *set, const sinew_state *state,
                                      const sinew_task_plan *plan, int r, const double error[3],
                                      const double inverse[9]) {
  const int start = set->rows.blocks[plan - set->plans].value_start;
  const double position = plan->scale, orientation = plan->task.orientation_weight;
  const double *values = set->rows.values + start, *scales = set->scale;
  double *second = set->rows.second + start;
  const sinew_frame *frames = state->frames;
  const sinew_task_span *span = set->spans + plan->span_start, *end = span + plan->span_count;
  for (; span < end; ++span) {
    const sinew_frame *frame = &frames[span->node];
    const double *scale = scales + span->slot, *u = values + span->k * r;
    double *v = second + span->k * r;
    if (span->kind == SINEW_SPAN_TURN) {
      bend(r, frame, 2, error, inverse, scale[0] * position, scale[0] * orientation, u, v);
    } else if (span->kind == SINEW_SPAN_BALL) {
      bend_ball(r, frame, error, inverse, scale, position, orientation, u, v);
    } else {
      bend_other(r, state, span, error, inverse, scale[0] * position, scale[0] * orientation, u, v);
    }
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
    if (!plan->whole) {
      memcpy(set->rows.second + block->value_start, set->rows.values + block->value_start,
             (size_t)block->path_count * (size_t)block->row_count * sizeof(double));
      continue;
    }
    left_of(plan->error, share, rest, plan->scale, error);
    if (block->row_count == 6) {
      left_of(plan->turn, share, rest + 3, plan->task.orientation_weight, turn);
      sinew_rotation_left_jacobian_inverse(turn, inverse);
      expect_plain(set, state, plan, 6, error, inverse);
    } else {
      expect_plain(set, state, plan, 3, error, NULL);
    }
  }
}
