// One update of a chain of revolute and prismatic joints with one effector and all six rows of its
// pose.
//
// Forward kinematics: the axes X, Y, Z and the origin p of each node. With the axis z and the tip
// t,
//
//   column of J = [z x (t - p); z] (revolute),  [z; 0] (prismatic)
//
// Residual, for the target's axes D:
//
//   e = target - t,   r = log(D R^T) = theta / sin(theta) v,
//   v = sum_i R_i x D_i / 2 = sin(theta) u,   cos(theta) = (sum_i R_i . D_i - 1) / 2
//
// Step, over the columns F that are not at an active bound:
//
//   x = J_F^T (J_F J_F^T + mu I)^-1 e,   mu = c min(E, 1/2) + floor
//
// A bound is active if the limit is reached and the gradient points beyond it. A joint that the
// step would move beyond its limit stops there. Solving again with these bounds active, as
// step/box.h does, saves 3 % of the updates and makes each cost half as much again.
//
// Source of the step: Chan and Lawrence 1988.
#ifndef SINEW_KERNEL_CHAIN_H
#define SINEW_KERNEL_CHAIN_H

#include "kernel/forward.h"
#include "kernel/stop_test.h"
#include "kernel/solve6.h"

// The columns of one node: linear above angular.
typedef struct chain_column {
  lane v[6];
} chain_column;

// J_F^T y over the columns; the gradient where y is e.
LANE lane column_dot(const chain_column *column, const lane y[6]) {
  return lane_fma(column->v[0], y[0], lane_fma(column->v[1], y[1], column->v[2] * y[2])) +
         lane_fma(column->v[3], y[3], lane_fma(column->v[4], y[4], column->v[5] * y[5]));
}

// Poses at q, and each node's axis and origin: z above p.
LANE void chain_forward(const sinew_lane_plan *plan, int n, const double *q, lane (*axes)[6],
                        lane_pose *at) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  *at = (lane_pose){{one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
  for (int j = 0; j < n; ++j) {
    const sinew_lane_node *node = &plan->nodes[j];
    place(node, at);
    move(node, lane_load(q + node->q * SINEW_LANES), at);
    for (int i = 0; i < 3; ++i) {
      axes[j][i] = at->Z[i];
      axes[j][3 + i] = at->p[i];
    }
  }
}

// The column of one node for a tip at t; axis: z above p.
LANE void chain_column_of(const sinew_lane_node *node, const lane t[3], const lane axis[6],
                          lane v[6]) {
  const lane zero = lane_of(0.0);
  const lane arm[3] = {t[0] - axis[3], t[1] - axis[4], t[2] - axis[5]};
  const bool turns = node->kind == SINEW_NODE_REVOLUTE;
  lane moment[3];
  cross3(axis, arm, moment);
  for (int i = 0; i < 3; ++i) {
    v[i] = turns ? moment[i] : axis[i];
    v[3 + i] = turns ? axis[i] : zero;
  }
}

// All columns. Those of joints at active bounds are 0.
LANE void chain_columns(const sinew_lane_plan *plan, int n, const double *q, const lane t[3],
                        const lane e[6], lane (*axes)[6], chain_column *columns) {
  const lane zero = lane_of(0.0);
  for (int j = 0; j < n; ++j) {
    const lane at = lane_load(q + plan->nodes[j].q * SINEW_LANES);
    chain_column column;
    chain_column_of(&plan->nodes[j], t, axes[j], column.v);
    const lane g = column_dot(&column, e);
    const lane_mask low =
        mask_and(lane_less_equal(at, lane_of(plan->lower[j])), lane_less(g, zero));
    const lane_mask high =
        mask_and(lane_less_equal(lane_of(plan->upper[j]), at), lane_less(zero, g));
    const lane_mask free = mask_not(mask_or(low, high));
    for (int i = 0; i < 6; ++i) {
      columns[j].v[i] = lane_keep(free, column.v[i]);
    }
  }
}

// A = J J^T over the columns, in parts that fit into registers.
LANE void chain_matrix(int n, const chain_column *columns, lane_matrix6 *A) {
  *A = (lane_matrix6){{lane_of(0.0)}};
  for (int j = 0; j < n; ++j) {
    matrix6_add_upper(A, columns[j].v);
  }
  for (int j = 0; j < n; ++j) {
    matrix6_add_middle(A, columns[j].v);
  }
  for (int j = 0; j < n; ++j) {
    matrix6_add_lower(A, columns[j].v);
  }
}

// One update of every lane. Lanes whose attempt has ended, and idle ones, keep their q.
LANE void chain_update(const sinew_lane_plan *plan, const sinew_lane_rules *rules, int n,
                       sinew_lane_block *block) {
  lane axes[SINEW_LANE_CHAIN_MOST][6], D[9], t[3], e[6], y[6];
  chain_column columns[SINEW_LANE_CHAIN_MOST];
  lane_matrix6 A;
  lane_pose at;
  const sinew_lane_effector *effector = &plan->effectors[0];

  chain_forward(plan, n, block->q, axes, &at);
  for (int i = 0; i < 3; ++i) {
    t[i] = lane_fma(at.X[i], lane_of(effector->p[0]),
                    lane_fma(at.Y[i], lane_of(effector->p[1]),
                             lane_fma(at.Z[i], lane_of(effector->p[2]), at.p[i])));
    e[i] = lane_load(block->targets + (9 + i) * SINEW_LANES) - t[i];
  }
  for (int i = 0; i < 9; ++i) {
    D[i] = lane_load(block->targets + i * SINEW_LANES);
  }
  const lane angle = rotation_between(&at, D, e + 3);
  const lane away2 = dot3(e, e);
  const lane E = lane_of(0.5) * lane_fma(angle, angle, away2);

  const lane_mask goes = lanes_test(rules, E, lane_sqrt(away2), angle, block);
  if (mask_bits(goes) == 0) {
    return;
  }
  chain_columns(plan, n, block->q, t, e, axes, columns);
  chain_matrix(n, columns, &A);
  matrix6_solve(A.a, lanes_damping(rules, E), e, y);
  const lane least = lane_of(-rules->max_turn), most = lane_of(rules->max_turn);
  for (int j = 0; j < n; ++j) {
    double *place_of_q = block->q + plan->nodes[j].q * SINEW_LANES;
    const lane q = lane_load(place_of_q);
    const lane x = lane_min(lane_max(column_dot(&columns[j], y), least), most);
    const lane moved = lane_min(lane_max(q + x, lane_of(plan->lower[j])), lane_of(plan->upper[j]));
    lane_store(place_of_q, lane_select(goes, moved, q));
  }
}

#endif
