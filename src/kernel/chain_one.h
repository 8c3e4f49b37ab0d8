// One update of a chain for a single problem: the equations of chain.h, with vectors over the
// joints of one figure instead of over problems.
//
// The time of a single problem is that of its longest chain of dependent operations, from q to the
// new q, which is kept short. Sines and cosines of all joints are computed at once. The axes of a
// pose are vectors of three. With the angle u of a joint and alpha of its placement,
//   X' = cos u X + sin u Y_alpha,  Y' = cos u Y_alpha - sin u X,  Z' = cos alpha Z - sin alpha Y,
//   Y_alpha = cos alpha Y + sin alpha Z
// The products of sines and cosines do not depend on the pose, so that each joint adds two
// dependent operations, for every form of placement. The rows of J are vectors over the joints, and
// the elements of J J^T are their scalar products. If no joint is at a limit, which is known before
// the error, J J^T does not depend on the error. The logarithm of a small rotation is a polynomial.
#ifndef SINEW_KERNEL_CHAIN_ONE_H
#define SINEW_KERNEL_CHAIN_ONE_H

#include "kernel/chain.h"
#include "simd/fused_four.h"

#define ONE_GROUPS (SINEW_LANE_CHAIN_MOST / 4)

// The state between updates.
typedef struct one_state {
  four q[ONE_GROUPS];
  four D[3], next[3]; // the target's axes, and the same as four_next() has them
  four target;        // its position
} one_state;

typedef struct one_pose {
  four X, Y, Z, p;
} one_pose;

// The Jacobian's rows, linear above angular, by groups of four joints; and the bounds of the step.
typedef struct one_rows {
  four J[6][ONE_GROUPS], lower[ONE_GROUPS], upper[ONE_GROUPS];
} one_rows;

// The motions of all joints: cosine and sine of their angles, the products of these with those of
// the placements, and distances along z.
typedef struct one_motions {
  double c[SINEW_LANE_CHAIN_MOST], s[SINEW_LANE_CHAIN_MOST];
  double cc[SINEW_LANE_CHAIN_MOST], cs[SINEW_LANE_CHAIN_MOST];
  double sc[SINEW_LANE_CHAIN_MOST], ss[SINEW_LANE_CHAIN_MOST];
  double distance[SINEW_LANE_CHAIN_MOST];
} one_motions;

LANE void one_load(const sinew_lane_plan *plan, int groups, const sinew_lane_block *block,
                   one_state *state) {
  const double *t = block->targets;
  const int n = plan->node_count, *at = plan->across.q;
  for (int g = 0; g < groups; ++g) {
    const int j = 4 * g;
    state->q[g] =
        four_make(j < n ? block->q[at[j]] : 0.0, j + 1 < n ? block->q[at[j + 1]] : 0.0,
                  j + 2 < n ? block->q[at[j + 2]] : 0.0, j + 3 < n ? block->q[at[j + 3]] : 0.0);
  }
  for (int i = 0; i < 3; ++i) {
    state->D[i] = four_make(t[3 * i], t[3 * i + 1], t[3 * i + 2], 0.0);
    state->next[i] = four_next(state->D[i]);
  }
  state->target = four_make(t[9], t[10], t[11], 0.0);
}

LANE void one_store(const sinew_lane_plan *plan, int groups, const one_state *state,
                    sinew_lane_block *block) {
  for (int g = 0; g < groups; ++g) {
    double q[4];
    four_store(q, state->q[g]);
    for (int j = 4 * g; j < 4 * g + 4 && j < plan->node_count; ++j) {
      block->q[plan->across.q[j]] = q[j - 4 * g];
    }
  }
}

// ------------------------------------------------------------------ forward

LANE void one_move(const sinew_lane_row *row, int groups, const four *q, one_motions *out) {
  for (int g = 0; g < groups; ++g) {
    const int j = 4 * g;
    const four placed_c = four_load(row->c + j), placed_s = four_load(row->s + j);
    const four turns = four_load(row->turns + j);
    four s, c;
    four_sincos(four_fma(turns, q[g], four_load(row->angle + j)), &s, &c);
    four_store(out->c + j, c);
    four_store(out->s + j, s);
    four_store(out->cc + j, four_multiply(c, placed_c));
    four_store(out->cs + j, four_multiply(c, placed_s));
    four_store(out->sc + j, four_multiply(s, placed_c));
    four_store(out->ss + j, four_multiply(s, placed_s));
    four_store(out->distance + j,
               four_fma(four_subtract(four_of(1.0), turns), q[g], four_load(row->distance + j)));
  }
}

// The placement of a node of GENERAL form, which few chains have.
LANE void one_place(const sinew_lane_node *node, one_pose *at) {
  const double *R = node->R, *p = node->p;
  const one_pose was = *at;
  at->X = four_fma(was.X, four_of(R[0]),
                   four_fma(was.Y, four_of(R[3]), four_multiply(was.Z, four_of(R[6]))));
  at->Y = four_fma(was.X, four_of(R[1]),
                   four_fma(was.Y, four_of(R[4]), four_multiply(was.Z, four_of(R[7]))));
  at->Z = four_fma(was.X, four_of(R[2]),
                   four_fma(was.Y, four_of(R[5]), four_multiply(was.Z, four_of(R[8]))));
  at->p = four_fma(was.X, four_of(p[0]),
                   four_fma(was.Y, four_of(p[1]), four_fma(was.Z, four_of(p[2]), was.p)));
}

// Poses at the motions, and each joint's axis and origin.
LANE void one_forward(const sinew_lane_plan *plan, const one_motions *m, double (*z)[4],
                      double (*p)[4], one_pose *at) {
  const sinew_lane_row *row = &plan->across;
  *at = (one_pose){four_make(1.0, 0.0, 0.0, 0.0), four_make(0.0, 1.0, 0.0, 0.0),
                   four_make(0.0, 0.0, 1.0, 0.0), four_of(0.0)};
  for (int j = 0; j < plan->node_count; ++j) {
    if (SINEW_UNLIKELY(row->general >> j & 1u)) {
      one_place(&plan->nodes[j], at);
    }
    const four X = at->X, Y = at->Y, Z = at->Z;
    at->X = four_fma(four_of(m->sc[j]), Y,
                     four_fma(four_of(m->c[j]), X, four_multiply(four_of(m->ss[j]), Z)));
    at->Y = four_fma(four_of(m->cc[j]), Y,
                     four_fnma(four_of(m->s[j]), X, four_multiply(four_of(m->cs[j]), Z)));
    at->Z = four_fnma(four_of(row->s[j]), Y, four_multiply(four_of(row->c[j]), Z));
    at->p = four_fma(four_of(row->a[j]), X, at->p);
    at->p = four_fma(four_of(m->distance[j]), at->Z, at->p);
    four_store(z[j], at->Z);
    four_store(p[j], at->p);
  }
}

// ---------------------------------------------------------------- residual

// The rotation vector of a large rotation, by rotation_between().
static __attribute__((noinline)) double one_far_log(const one_pose *at, const double *target,
                                                    double r[3]) {
  const four axes[3] = {at->X, at->Y, at->Z};
  lane_pose pose = {.p = {0.0, 0.0, 0.0}};
  for (int i = 0; i < 3; ++i) {
    pose.X[i] = four_at(axes[0], i);
    pose.Y[i] = four_at(axes[1], i);
    pose.Z[i] = four_at(axes[2], i);
  }
  return rotation_between(&pose, target, r);
}

// e, linear and angular, and their squared norms.
LANE void one_residual(const one_state *state, const double *target, const one_pose *at, four t,
                       double e[6], double *away2, double *angle2) {
  const four away = four_subtract(state->target, t);
  const four along =
      four_fma(at->X, state->D[0], four_fma(at->Y, state->D[1], four_multiply(at->Z, state->D[2])));
  const four plus = four_fma(at->X, state->next[0],
                             four_fma(at->Y, state->next[1], four_multiply(at->Z, state->next[2])));
  const four minus = four_fma(
      four_next(at->X), state->D[0],
      four_fma(four_next(at->Y), state->D[1], four_multiply(four_next(at->Z), state->D[2])));
  const four v = four_subtract(plus, minus); // 2 sin(theta) u, its components shifted by one
  const four sums = four_sums(along, four_multiply(v, v), four_multiply(away, away), four_of(0.0));
  const double w = 3.0 - four_at(sums, 0);
  *away2 = four_at(sums, 2);
  e[0] = four_at(away, 0);
  e[1] = four_at(away, 1);
  e[2] = four_at(away, 2);
  if (SINEW_LIKELY(w <= LANE_LOG_SCALE_MOST)) {
    const double scale = lane_log_scale(w);
    *angle2 = scale * scale * four_at(sums, 1);
    e[3] = scale * four_at(v, 1);
    e[4] = scale * four_at(v, 2);
    e[5] = scale * four_at(v, 0);
  } else {
    const double angle = one_far_log(at, target, e + 3);
    *angle2 = angle * angle;
  }
}

// --------------------------------------------------------------------- step

// The rows of the Jacobian for a tip at t.
LANE void one_jacobian(const sinew_lane_row *row, int groups, four t, double (*z)[4],
                       double (*p)[4], one_rows *out) {
  const four tx = four_spread(t, 0), ty = four_spread(t, 1), tz = four_spread(t, 2);
  for (int g = 0; g < groups; ++g) {
    four axis[3], arm[3];
    four_columns(z[4 * g], 4, axis);
    four_columns(p[4 * g], 4, arm);
    arm[0] = four_subtract(tx, arm[0]);
    arm[1] = four_subtract(ty, arm[1]);
    arm[2] = four_subtract(tz, arm[2]);
    out->J[0][g] = four_fnma(axis[2], arm[1], four_multiply(axis[1], arm[2]));
    out->J[1][g] = four_fnma(axis[0], arm[2], four_multiply(axis[2], arm[0]));
    out->J[2][g] = four_fnma(axis[1], arm[0], four_multiply(axis[0], arm[1]));
    for (int i = 0; i < 3; ++i) {
      out->J[3 + i][g] = axis[i];
    }
    if (row->has_prismatic) {
      const four turns = four_load(row->turns + 4 * g);
      const four slides = four_subtract(four_of(1.0), turns);
      for (int i = 0; i < 3; ++i) {
        out->J[i][g] = four_fma(turns, out->J[i][g], four_multiply(slides, axis[i]));
        out->J[3 + i][g] = four_multiply(turns, axis[i]);
      }
    }
  }
}

// J^T y; components of y are used in the order in which they are computed.
LANE four one_dot(const one_rows *rows, int g, const double y[6]) {
  four x = four_multiply(rows->J[5][g], four_of(y[5]));
  for (int i = 4; i >= 0; --i) {
    x = four_fma(rows->J[i][g], four_of(y[i]), x);
  }
  return x;
}

// The bounds of the step. Joints at active bounds have bounds and columns of 0.
LANE void one_limits(const sinew_lane_row *row, const sinew_lane_rules *rules, int groups,
                     const four *q, const double e[6], one_rows *rows) {
  const four zero = four_of(0.0);
  four active = zero;
  for (int g = 0; g < groups; ++g) {
    rows->lower[g] =
        four_max(four_subtract(four_load(row->lower + 4 * g), q[g]), four_of(-rules->max_turn));
    rows->upper[g] =
        four_min(four_subtract(four_load(row->upper + 4 * g), q[g]), four_of(rules->max_turn));
    active = four_or(active, four_or(four_less_equal(zero, rows->lower[g]),
                                     four_less_equal(rows->upper[g], zero)));
  }
  if (!four_any(active)) {
    return;
  }
  for (int g = 0; g < groups; ++g) {
    const four d = one_dot(rows, g, e);
    active = four_or(four_and(four_less_equal(zero, rows->lower[g]), four_less(d, zero)),
                     four_and(four_less_equal(rows->upper[g], zero), four_less(zero, d)));
    rows->lower[g] = four_without(active, rows->lower[g]);
    rows->upper[g] = four_without(active, rows->upper[g]);
    for (int i = 0; i < 6; ++i) {
      rows->J[i][g] = four_without(active, rows->J[i][g]);
    }
  }
}

LANE four one_product(const one_rows *rows, int groups, int i, int k) {
  four sum = four_multiply(rows->J[i][0], rows->J[k][0]);
  for (int g = 1; g < groups; ++g) {
    sum = four_fma(rows->J[i][g], rows->J[k][g], sum);
  }
  return sum;
}

// J J^T, its lower triangle by rows as in solve6.h, followed by three unused values.
LANE void one_matrix(const one_rows *rows, int groups, double A[24]) {
  static const unsigned char of[24][2] = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {2, 2},
                                          {3, 0}, {3, 1}, {3, 2}, {3, 3}, {4, 0}, {4, 1},
                                          {4, 2}, {4, 3}, {4, 4}, {5, 0}, {5, 1}, {5, 2},
                                          {5, 3}, {5, 4}, {5, 5}, {5, 5}, {5, 5}, {5, 5}};
#pragma GCC unroll 6
  for (int k = 0; k < 24; k += 4) {
    four_store(A + k, four_sums(one_product(rows, groups, of[k][0], of[k][1]),
                                one_product(rows, groups, of[k + 1][0], of[k + 1][1]),
                                one_product(rows, groups, of[k + 2][0], of[k + 2][1]),
                                one_product(rows, groups, of[k + 3][0], of[k + 3][1])));
  }
}

// One update; false if the attempt has ended.
LANE bool one_update(const sinew_lane_plan *plan, const sinew_lane_rules *rules, int groups,
                     one_state *state, sinew_lane_block *block) {
  const sinew_lane_row *row = &plan->across;
  const double *tip = plan->effectors[0].p;
  double z[SINEW_LANE_CHAIN_MOST][4], p[SINEW_LANE_CHAIN_MOST][4], e[6], A[24], y[6];
  double away2, angle2;
  one_motions motions;
  one_rows rows;
  one_pose at;
  for (int j = plan->node_count; j < 4 * groups; ++j) {
    four_store(z[j], four_of(0.0));
    four_store(p[j], four_of(0.0));
  }
  one_move(row, groups, state->q, &motions);
  one_forward(plan, &motions, z, p, &at);
  const four t = four_fma(four_of(tip[1]), at.Y,
                          four_fma(four_of(tip[0]), at.X, four_fma(four_of(tip[2]), at.Z, at.p)));
  one_residual(state, block->targets, &at, t, e, &away2, &angle2);
  const double E = 0.5 * (angle2 + away2);
  const lane_mask goes = lanes_test(rules, E, lane_sqrt(away2), lane_sqrt(angle2), block);
  if (mask_bits(goes) == 0) {
    return false;
  }
  one_jacobian(row, groups, t, z, p, &rows);
  one_limits(row, rules, groups, state->q, e, &rows);
  one_matrix(&rows, groups, A);
  matrix6_solve(A, lanes_damping(rules, E), e, y);
  for (int g = 0; g < groups; ++g) {
    const four x = four_min(four_max(one_dot(&rows, g, y), rows.lower[g]), rows.upper[g]);
    // Values do not leave their limits by rounding.
    state->q[g] = four_min(four_max(four_add(state->q[g], x), four_load(row->lower + 4 * g)),
                           four_load(row->upper + 4 * g));
  }
  return true;
}

LANE void one_run(const sinew_lane_plan *plan, const sinew_lane_rules *rules, int groups, bool loop,
                  sinew_lane_block *block) {
  one_state state;
  one_load(plan, groups, block, &state);
  while (one_update(plan, rules, groups, &state, block) && loop) {
  }
  one_store(plan, groups, &state, block);
}

// One update or, with loop, updates until the attempt has ended.
LANE void chain_one(const sinew_lane_plan *plan, const sinew_lane_rules *rules, bool loop,
                    sinew_lane_block *block) {
  if (plan->node_count <= 8) {
    one_run(plan, rules, 2, loop, block);
  } else {
    one_run(plan, rules, ONE_GROUPS, loop, block);
  }
}

#endif
