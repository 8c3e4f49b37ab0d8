// One update of a chain: one effector, all six rows of its pose, turns and slides.
//
// Forward: the axes X, Y, Z of each node in turn, and its origin p. A node's column of the
// Jacobian is [z x (t - p); z] where it turns and [z; 0] where it slides, t being the tip.
//
// Residual: e = target - t, and r = log(D R^T), for the target's axes D. With v = sum of R_i x
// D_i / 2 over the three axes, which is sin(theta) u, and cos(theta) = (sum of R_i . D_i - 1)
// / 2, r = theta / sin(theta) v (tests hold it against other logarithms).
//
// Step: x = J_F^T (J_F J_F^T + mu I)^-1 e, mu = c E + floor, over the columns F that are free.
// Held are those whose limit is reached and whose gradient points beyond; what the step would
// take beyond its limit stops there. To solve anew for what is then held, as step/box.h does,
// saves 3 % of the updates and makes each cost half as much again.
#ifndef SINEW_LANE_CHAIN_H
#define SINEW_LANE_CHAIN_H

#include "lane/elementary.h"
#include "lane/judge.h"
#include "lane/solve6.h"

// How often limits are looked at anew within an update.
#define CHAIN_ROUNDS 3

typedef struct chain_pose {
  lane X[3], Y[3], Z[3], p[3];
} chain_pose;

// The columns of one node: linear above angular.
typedef struct chain_column {
  lane v[6];
} chain_column;

LANE void add_scaled(lane s, const lane v[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(s, v[i], out[i]);
  }
}

LANE void cross3(const lane a[3], const lane b[3], lane out[3]) {
  out[0] = lane_fnma(a[2], b[1], a[1] * b[2]);
  out[1] = lane_fnma(a[0], b[2], a[2] * b[0]);
  out[2] = lane_fnma(a[1], b[0], a[0] * b[1]);
}

LANE lane dot3(const lane a[3], const lane b[3]) {
  return lane_fma(a[0], b[0], lane_fma(a[1], b[1], a[2] * b[2]));
}

// (u, v) turned: u <- c u + s v, v <- c v - s u.
LANE void turn_axes(lane c, lane s, lane u[3], lane v[3]) {
  for (int i = 0; i < 3; ++i) {
    const lane was = u[i];
    u[i] = lane_fma(s, v[i], c * was);
    v[i] = lane_fnma(s, was, c * v[i]);
  }
}

LANE void quarter_axes(lane Y[3], lane Z[3]) {
  for (int i = 0; i < 3; ++i) {
    const lane was = Y[i];
    Y[i] = Z[i];
    Z[i] = -was;
  }
}

LANE void place_general(const sinew_lane_node *node, chain_pose *at) {
  chain_pose out = *at;
  for (int i = 0; i < 3; ++i) {
    const lane x = at->X[i], y = at->Y[i], z = at->Z[i];
    const double *R = node->R;
    out.X[i] = lane_fma(x, lane_of(R[0]), lane_fma(y, lane_of(R[3]), z * lane_of(R[6])));
    out.Y[i] = lane_fma(x, lane_of(R[1]), lane_fma(y, lane_of(R[4]), z * lane_of(R[7])));
    out.Z[i] = lane_fma(x, lane_of(R[2]), lane_fma(y, lane_of(R[5]), z * lane_of(R[8])));
    out.p[i] =
        lane_fma(x, lane_of(node->p[0]),
                 lane_fma(y, lane_of(node->p[1]), lane_fma(z, lane_of(node->p[2]), at->p[i])));
  }
  *at = out;
}

// From a parent's moved frame to where a node's motion begins.
LANE void place(const sinew_lane_node *node, chain_pose *at) {
  switch (node->form) {
  case SINEW_LANE_SAME:
    return;
  case SINEW_LANE_GENERAL:
    place_general(node, at);
    return;
  case SINEW_LANE_ALIGNED:
    break;
  case SINEW_LANE_QUARTER:
    quarter_axes(at->Y, at->Z);
    break;
  case SINEW_LANE_INCLINED:
    turn_axes(lane_of(node->c), lane_of(node->s), at->Y, at->Z);
    break;
  }
  if (node->a != 0.0) {
    add_scaled(lane_of(node->a), at->X, at->p);
  }
}

// A node's own motion, for its value in the lanes; axis and origin are where its column
// is taken.
LANE void move(const sinew_lane_node *node, lane value, chain_pose *at) {
  const lane d = lane_of(node->d);
  if (node->kind == SINEW_NODE_TURN) {
    lane s, c;
    lane_sincos(value + lane_of(node->offset), &s, &c);
    turn_axes(c, s, at->X, at->Y);
    if (node->d != 0.0) {
      add_scaled(d, at->Z, at->p);
    }
    return;
  }
  if (node->turn != 0.0) {
    turn_axes(lane_of(node->turn_c), lane_of(node->turn_s), at->X, at->Y);
  }
  add_scaled(value + lane_of(node->offset) + d, at->Z, at->p);
}

// The rotation vector from axes R to D, and its length.
LANE lane rotation_between(const chain_pose *R, const lane D[9], lane r[3]) {
  lane v[3], w[3], u[3];
  cross3(R->X, D, v);
  cross3(R->Y, D + 3, w);
  cross3(R->Z, D + 6, u);
  for (int i = 0; i < 3; ++i) {
    v[i] = v[i] + w[i] + u[i]; // 2 sin(theta) u
  }
  const lane c = dot3(R->X, D) + dot3(R->Y, D + 3) + dot3(R->Z, D + 6) - lane_of(1.0);
  const lane s = lane_sqrt(dot3(v, v));
  const lane angle = lane_angle(s, c);
  // Where the sine is lost the turn is none or half; half ones leave by any axis.
  const lane_mask plain = lane_less(lane_of(1e-12), s);
  const lane scale = lane_select(plain, angle / lane_select(plain, s, lane_of(1.0)), lane_of(0.5));
  for (int i = 0; i < 3; ++i) {
    r[i] = scale * v[i];
  }
  return angle;
}

// J_F^T y over the columns; the gradient where y is e.
LANE lane column_dot(const chain_column *column, const lane y[6]) {
  return lane_fma(column->v[0], y[0], lane_fma(column->v[1], y[1], column->v[2] * y[2])) +
         lane_fma(column->v[3], y[3], lane_fma(column->v[4], y[4], column->v[5] * y[5]));
}

LANE void mask_column(lane_mask out, chain_column *column) {
  const lane zero = lane_of(0.0);
  for (int i = 0; i < 6; ++i) {
    column->v[i] = lane_select(out, zero, column->v[i]);
  }
}

// A = J J^T over the columns that are free: what rests on a limit, and would go beyond it,
// stays, and its column becomes 0.
LANE void chain_matrix(int n, const lane e[6], lane *lower, lane *upper, chain_column *columns,
                       lane_matrix6 *A) {
  const lane zero = lane_of(0.0);
  for (int i = 0; i < 21; ++i) {
    A->a[i] = zero;
  }
  for (int j = 0; j < n; ++j) {
    const lane g = column_dot(&columns[j], e);
    const lane_mask low = mask_and(lane_less_equal(zero, lower[j]), lane_less(g, zero));
    const lane_mask high = mask_and(lane_less_equal(upper[j], zero), lane_less(zero, g));
    const lane_mask rests = mask_or(low, high);
    mask_column(rests, &columns[j]);
    lower[j] = lane_select(rests, zero, lower[j]);
    upper[j] = lane_select(rests, zero, upper[j]);
    matrix6_add(A, columns[j].v);
  }
}

// x within lower and upper, which are used up, as are columns.
LANE void chain_step(int n, lane mu, const lane e[6], lane *lower, lane *upper,
                     chain_column *columns, lane *x) {
  lane_matrix6 A;
  lane y[6];
  chain_matrix(n, e, lower, upper, columns, &A);
  matrix6_solve(&A, mu, e, y);
  for (int j = 0; j < n; ++j) {
    x[j] = lane_min(lane_max(column_dot(&columns[j], y), lower[j]), upper[j]);
  }
}

// Poses at q, and each node's axis and origin: z above p.
LANE void chain_forward(const sinew_lane_plan *plan, int n, const double *q, lane (*axes)[6],
                        chain_pose *at) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  *at = (chain_pose){{one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
  for (int j = 0; j < n; ++j) {
    const sinew_lane_node *node = &plan->nodes[j];
    place(node, at);
    for (int i = 0; i < 3; ++i) {
      axes[j][i] = at->Z[i];
      axes[j][3 + i] = at->p[i];
    }
    move(node, lane_load(q + node->q * SINEW_LANES), at);
  }
}

// The columns of all nodes for a tip at t.
LANE void chain_columns(const sinew_lane_plan *plan, int n, const lane t[3], lane (*axes)[6],
                        chain_column *columns) {
  const lane zero = lane_of(0.0);
  for (int j = 0; j < n; ++j) {
    const lane *z = axes[j];
    const lane arm[3] = {t[0] - axes[j][3], t[1] - axes[j][4], t[2] - axes[j][5]};
    if (plan->nodes[j].kind == SINEW_NODE_TURN) {
      cross3(z, arm, columns[j].v);
      columns[j].v[3] = z[0];
      columns[j].v[4] = z[1];
      columns[j].v[5] = z[2];
    } else {
      columns[j] = (chain_column){{z[0], z[1], z[2], zero, zero, zero}};
    }
  }
}

// One update of every lane. Lanes that have ended, or hold nothing, keep their q.
LANE void chain_update(const sinew_lane_plan *plan, const sinew_lane_rules *rules, int n,
                       sinew_lane_block *block) {
  lane axes[SINEW_LANE_CHAIN_MOST][6], lower[SINEW_LANE_CHAIN_MOST], upper[SINEW_LANE_CHAIN_MOST];
  lane x[SINEW_LANE_CHAIN_MOST], D[9], t[3], e[6];
  chain_column columns[SINEW_LANE_CHAIN_MOST];
  chain_pose at;
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

  const lane_mask goes = lanes_judge(rules, E, lane_sqrt(away2), angle, block);
  chain_columns(plan, n, t, axes, columns);
  for (int j = 0; j < n; ++j) {
    const lane q = lane_load(block->q + plan->nodes[j].q * SINEW_LANES);
    lower[j] = lane_max(lane_of(plan->lower[j]) - q, lane_of(-rules->max_turn));
    upper[j] = lane_min(lane_of(plan->upper[j]) - q, lane_of(rules->max_turn));
  }
  const lane mu =
      lane_fma(lane_of(rules->damping), lane_min(E, lane_of(0.5)), lane_of(rules->floor));
  chain_step(n, mu, e, lower, upper, columns, x);
  for (int j = 0; j < n; ++j) {
    double *place_of_q = block->q + plan->nodes[j].q * SINEW_LANES;
    const lane q = lane_load(place_of_q);
    // Rounding takes nothing out of its limits.
    const lane moved =
        lane_min(lane_max(q + x[j], lane_of(plan->lower[j])), lane_of(plan->upper[j]));
    lane_store(place_of_q, lane_select(goes, moved, q));
  }
}

#endif
