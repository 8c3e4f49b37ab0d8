// One update of any tree with any number of effectors: the equations of chain.h, with arrays in
// memory.
//
// The rows of an effector are position, then orientation, each times its weight. The tiles of
// A = J J^T are sums over the columns that two effectors share: J is as sparse as the tree.
#ifndef SINEW_KERNEL_TREE_H
#define SINEW_KERNEL_TREE_H

#include "kernel/forward.h"
#include "kernel/stop_test.h"
#include "kernel/tiles.h"

// A figure's arrays in a block's scratch. Poses are not needed once J is filled: the arrays of the
// step overlap them.
typedef struct tree_scratch {
  lane *J;                            // value_count: column by column, effector by effector
  lane *e;                            // rows
  lane_pose *poses;                   // nodes, after their motion
  lane *y;                            // rows
  lane_tile *A, *C;                   // lower tiles
  lane *lower, *upper, *x, *gradient; // active columns
} tree_scratch;

LANE tree_scratch tree_scratch_of(const sinew_lane_plan *plan, double *memory) {
  const int tiles = plan->row_count / 3 * (plan->row_count / 3 + 1) / 2;
  tree_scratch s;
  s.J = (lane *)(void *)memory;
  s.e = s.J + plan->value_count;
  lane *next = s.e + plan->row_count;
  s.poses = (lane_pose *)(void *)next;
  s.y = next;
  s.A = (lane_tile *)(void *)(s.y + plan->row_count);
  s.C = s.A + tiles;
  s.lower = (lane *)(void *)(s.C + tiles);
  s.upper = s.lower + plan->active_count;
  s.x = s.upper + plan->active_count;
  s.gradient = s.x + plan->active_count;
  return s;
}

// -------------------------------------------------------------------- forward

// Rotates a pose by a unit quaternion.
LANE void rotate_spherical(const lane q[4], lane_pose *at) {
  lane R[9];
  lane_quaternion_matrix(q, R);
  for (int i = 0; i < 3; ++i) {
    const lane x = at->X[i], y = at->Y[i], z = at->Z[i];
    at->X[i] = lane_fma(x, R[0], lane_fma(y, R[3], z * R[6]));
    at->Y[i] = lane_fma(x, R[1], lane_fma(y, R[4], z * R[7]));
    at->Z[i] = lane_fma(x, R[2], lane_fma(y, R[5], z * R[8]));
  }
}

LANE void tree_forward(const sinew_lane_plan *plan, const double *q, lane_pose *poses) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane_pose root = {
      {one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
  for (int k = 0; k < plan->node_count; ++k) {
    const sinew_lane_node *node = &plan->nodes[k];
    lane_pose at = node->parent < 0 ? root : poses[node->parent];
    const double *value = q + node->q * SINEW_LANES;
    place(node, &at);
    if (node->kind == SINEW_NODE_SPHERICAL) {
      lane quaternion[4];
      for (int i = 0; i < 4; ++i) {
        quaternion[i] = lane_load(value + i * SINEW_LANES);
      }
      rotate_spherical(quaternion, &at);
    } else {
      const lane motion = lane_of(node->ratio) * lane_load(value);
      move(node, motion, &at);
      if (node->kind == SINEW_NODE_SCREW) {
        add_scaled(lane_of(node->pitch) * (motion + lane_of(node->offset)), at.Z, at.p);
      }
    }
    poses[k] = at;
  }
}

// ------------------------------------------------------- residual and columns

// The largest errors of all effectors so far, and half the squared norm of all rows.
typedef struct tree_errors {
  lane position, angle, E;
} tree_errors;

// An effector's tip, and the factors that transform columns to the axes of its rows if these are
// not the plan's.
typedef struct tree_tip {
  lane t[3];
  lane linear[9], angular[9]; // row-major
} tree_tip;

LANE lane length_of_rows(const sinew_lane_effector *effector, int first, const lane v[3]) {
  lane sum = lane_of(0.0);
  for (int i = 0; i < 3; ++i) {
    sum = effector->selected[first + i] ? lane_fma(v[i], v[i], sum) : sum;
  }
  return sum;
}

// TARGET: axes D_i of the target itself. A vector's rows are D_i . v, and those of angular
// columns have the inverse right Jacobian of r = angle u as a factor (task/frame_rows.c):
// d J_r^-1 = d + d x r / 2 + k (d x r) x r, k = (1 - (angle / 2) cot(angle / 2)) / angle^2.
LANE void tree_target_axes(const sinew_lane_effector *effector, const lane D[9], const lane r[3],
                           lane angle, tree_tip *tip) {
  const lane small = lane_of(1e-2), half = lane_of(0.5) * angle;
  const lane_mask is_small = lane_less(angle, small);
  const lane whole = lane_select(is_small, lane_of(1.0), angle);
  lane s, c;
  lane_sincos(half, &s, &c);
  s = lane_select(is_small, lane_of(1.0), s);
  const lane series = lane_fma(angle * angle, lane_of(1.0 / 720.0), lane_of(1.0 / 12.0));
  const lane k = lane_select(is_small, series, (lane_of(1.0) - half * c / s) / (whole * whole));
  for (int i = 0; i < 3; ++i) {
    lane d[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)}, once[3], twice[3];
    for (int j = 0; j < 3; ++j) {
      add_scaled(lane_of(effector->R[3 * j + i]), D + 3 * j, d);
    }
    cross3(d, r, once);
    cross3(once, r, twice);
    for (int j = 0; j < 3; ++j) {
      tip->linear[3 * i + j] = effector->selected[i] ? d[j] : lane_of(0.0);
      tip->angular[3 * i + j] = effector->selected[3 + i]
                                    ? lane_fma(k, twice[j], lane_fma(lane_of(0.5), once[j], d[j]))
                                    : lane_of(0.0);
    }
  }
}

LANE void tree_rotate(const lane factor[9], const lane v[3], lane out[3]) {
  const lane x = v[0], y = v[1], z = v[2];
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(factor[3 * i], x, lane_fma(factor[3 * i + 1], y, factor[3 * i + 2] * z));
  }
}

// ACROSS: r = theta / sin(theta) a x g rotates the axis a onto the target's g. Rotations about a
// have no effect and are projected out: I - a a^T.
LANE lane tree_direction(const sinew_lane_effector *effector, const lane_pose *at, const lane g[3],
                         lane r[3], tree_tip *tip) {
  const lane zero = lane_of(0.0);
  lane a[3] = {zero, zero, zero}, v[3], any[3];
  add_scaled(lane_of(effector->axis[0]), at->X, a);
  add_scaled(lane_of(effector->axis[1]), at->Y, a);
  add_scaled(lane_of(effector->axis[2]), at->Z, a);
  cross3(a, g, v);
  // A vector perpendicular to a: its cross product with x, or with z if a is not near z.
  const lane_mask upright = lane_less(lane_of(0.8), lane_abs(a[2]));
  any[0] = lane_select(upright, zero, a[1]);
  any[1] = lane_select(upright, a[2], -a[0]);
  any[2] = lane_select(upright, -a[1], zero);
  const lane length = lane_sqrt(dot3(any, any));
  for (int i = 0; i < 3; ++i) {
    any[i] = any[i] / length;
    for (int j = 0; j < 3; ++j) {
      tip->angular[3 * i + j] = lane_fnma(a[i], a[j], lane_of(i == j ? 1.0 : 0.0));
    }
  }
  const lane s = lane_sqrt(dot3(v, v)), angle = lane_angle(s, dot3(a, g));
  rotation_along(s, angle, v, any, r);
  return angle;
}

// TARGET: the rotation vector from axes R to D, and its length. Where some components of r are left
// out the others are the error, and near half a turn the direction of r that rotation_between()
// computes is exact to 1e-16 / sin(angle) only.
LANE lane tree_rotation(const lane_pose *R, const lane D[9], lane r[3]) {
  lane rotation[9]; // D R^T
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      rotation[3 * i + j] =
          lane_fma(D[i], R->X[j], lane_fma(D[3 + i], R->Y[j], D[6 + i] * R->Z[j]));
    }
  }
  return lane_rotation_log(rotation, r);
}

LANE void tree_residual_angular(const sinew_lane_effector *effector, const lane_pose *at,
                                const lane D[9], lane r[3], tree_tip *tip, tree_errors *errors) {
  lane angle;
  if (effector->rows == SINEW_LANE_DIRECTION) {
    angle = tree_direction(effector, at, D, r, tip);
  } else if (effector->rows == SINEW_LANE_TARGET) {
    angle = tree_rotation(at, D, r);
  } else {
    angle = rotation_between(at, D, r);
  }
  if (effector->rows == SINEW_LANE_TARGET) {
    lane rows[3];
    tree_target_axes(effector, D, r, angle, tip);
    // J_r^-1 r = r: the factor transforms r itself to the target's axes.
    tree_rotate(tip->angular, r, rows);
    angle = lane_sqrt(length_of_rows(effector, 3, rows));
    lanes_copy(3, rows, r);
  }
  errors->angle = lane_max(errors->angle, angle);
}

LANE void tree_residual_linear(const sinew_lane_effector *effector, const double *target,
                               const lane D[9], lane e[3], tree_tip *tip, tree_errors *errors) {
  lane square;
  for (int i = 0; i < 3; ++i) {
    e[i] = lane_load(target + (9 + i) * SINEW_LANES) - tip->t[i];
  }
  if (effector->rows == SINEW_LANE_TARGET) {
    const lane none[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)};
    if (!effector->angular) { // otherwise the factors are filled already
      tree_target_axes(effector, D, none, lane_of(0.0), tip);
    }
    tree_rotate(tip->linear, e, e);
    square = length_of_rows(effector, 0, e);
  } else {
    square = dot3(e, e);
  }
  errors->position = lane_max(errors->position, square); // its root follows at the end
}

// Fills an effector's rows of e, and tip for its columns.
LANE void tree_residual(const sinew_lane_effector *effector, const lane_pose *at,
                        const double *target, lane *e, tree_tip *tip, tree_errors *errors) {
  lane D[9], rows[6];
  for (int i = 0; i < 9; ++i) {
    D[i] = lane_load(target + i * SINEW_LANES);
  }
  for (int i = 0; i < 3; ++i) {
    tip->t[i] = lane_fma(at->X[i], lane_of(effector->p[0]),
                         lane_fma(at->Y[i], lane_of(effector->p[1]),
                                  lane_fma(at->Z[i], lane_of(effector->p[2]), at->p[i])));
  }
  lane *angular = effector->linear ? rows + 3 : rows;
  if (effector->angular) {
    tree_residual_angular(effector, at, D, angular, tip, errors);
  }
  if (effector->linear) {
    tree_residual_linear(effector, target, D, rows, tip, errors);
  }
  for (int i = 0; i < effector->row_count; ++i) {
    const bool position = effector->linear && i < 3;
    e[i] = lane_of(position ? effector->position_weight : effector->orientation_weight) * rows[i];
    errors->E = lane_fma(lane_of(0.5) * e[i], e[i], errors->E);
  }
}

// Adds one entry's column.
LANE void tree_column(const sinew_lane_effector *effector, const sinew_lane_node *node,
                      const sinew_lane_entry *entry, const lane_pose *at, const tree_tip *tip,
                      lane *column) {
  const lane *z = node->kind != SINEW_NODE_SPHERICAL ? at->Z
                  : entry->i == 0                    ? at->X
                  : entry->i == 1                    ? at->Y
                                                     : at->Z;
  if (effector->linear) {
    lane linear[3] = {z[0], z[1], z[2]};
    if (node->kind != SINEW_NODE_PRISMATIC) {
      const lane arm[3] = {tip->t[0] - at->p[0], tip->t[1] - at->p[1], tip->t[2] - at->p[2]};
      cross3(z, arm, linear);
    }
    if (node->kind == SINEW_NODE_SCREW) {
      add_scaled(lane_of(node->pitch), z, linear);
    }
    if (effector->rows == SINEW_LANE_TARGET) {
      tree_rotate(tip->linear, linear, linear);
    }
    add_scaled(lane_of(entry->ratio * effector->position_weight), linear, column);
  }
  if (effector->angular && node->kind != SINEW_NODE_PRISMATIC) {
    lane angular[3] = {z[0], z[1], z[2]};
    if (effector->rows != SINEW_LANE_WORLD) {
      tree_rotate(tip->angular, angular, angular);
    }
    add_scaled(lane_of(entry->ratio * effector->orientation_weight), angular,
               column + (effector->linear ? 3 : 0));
  }
}

LANE void tree_columns(const sinew_lane_plan *plan, const sinew_lane_effector *effector,
                       const tree_tip *tip, const lane_pose *poses, lane *J) {
  const lane zero = lane_of(0.0);
  lane *values = J + effector->value_start;
  for (int i = 0; i < effector->row_count * effector->column_count; ++i) {
    values[i] = zero;
  }
  for (int i = 0; i < effector->entry_count; ++i) {
    const sinew_lane_entry *entry = &plan->entries[effector->entry_start + i];
    tree_column(effector, &plan->nodes[entry->node], entry, &poses[entry->node], tip,
                values + entry->k * effector->row_count);
  }
}

// ----------------------------------------------------------------------- step

// out (active columns) = J^T v.
LANE void tree_gradient(const sinew_lane_plan *plan, const lane *J, const lane *v, lane *out) {
  for (int active_column = 0; active_column < plan->active_count; ++active_column) {
    out[active_column] = lane_of(0.0);
  }
  for (int f = 0; f < plan->effector_count; ++f) {
    const sinew_lane_effector *effector = &plan->effectors[f];
    const lane *column = J + effector->value_start;
    for (int k = 0; k < effector->column_count; ++k) {
      lane *sum = &out[plan->columns[effector->column_start + k]];
      for (int i = 0; i < effector->row_count; ++i) {
        *sum = lane_fma(column[i], v[effector->row + i], *sum);
      }
      column += effector->row_count;
    }
  }
}

// Sets bounds and columns of joints at active bounds to 0.
LANE void tree_activate_bounds(const sinew_lane_plan *plan, tree_scratch *s) {
  const lane zero = lane_of(0.0);
  for (int active_column = 0; active_column < plan->active_count; ++active_column) {
    const lane_mask low = mask_and(lane_less_equal(zero, s->lower[active_column]),
                                   lane_less(s->gradient[active_column], zero));
    const lane_mask high = mask_and(lane_less_equal(s->upper[active_column], zero),
                                    lane_less(zero, s->gradient[active_column]));
    const lane_mask active = mask_or(low, high);
    if (mask_bits(active) == 0) {
      continue;
    }
    s->lower[active_column] = lane_select(active, zero, s->lower[active_column]);
    s->upper[active_column] = lane_select(active, zero, s->upper[active_column]);
    for (int f = 0; f < plan->effector_count; ++f) {
      const sinew_lane_effector *effector = &plan->effectors[f];
      const int k = plan->column_of[f * plan->active_count + active_column];
      lane *column = s->J + effector->value_start + k * effector->row_count;
      for (int i = 0; k >= 0 && i < effector->row_count; ++i) {
        column[i] = lane_select(active, zero, column[i]);
      }
    }
  }
}

// The sum of a b^T over the columns that two effectors share, for three rows of each.
LANE void tile_of_columns(const sinew_lane_plan *plan, int f, int row_f, int g, int row_g,
                          const lane *J, lane_tile *tile) {
  const sinew_lane_effector *a = &plan->effectors[f], *b = &plan->effectors[g];
  const int *column_of = plan->column_of + g * plan->active_count;
  *tile = (lane_tile){{{lane_of(0.0)}}};
  for (int k = 0; k < a->column_count; ++k) {
    const int shared = column_of[plan->columns[a->column_start + k]];
    if (shared < 0) {
      continue;
    }
    const lane *u = J + a->value_start + k * a->row_count + row_f;
    const lane *v = J + b->value_start + shared * b->row_count + row_g;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        tile->a[i][j] = lane_fma(u[i], v[j], tile->a[i][j]);
      }
    }
  }
}

// A = J J^T + mu I
LANE void tree_matrix(const sinew_lane_plan *plan, const lane *J, lane mu, lane_tile *A) {
  for (int f = 0; f < plan->effector_count; ++f) {
    const sinew_lane_effector *a = &plan->effectors[f];
    for (int row = 0; row < a->row_count; row += 3) {
      const int i = (a->row + row) / 3;
      for (int g = 0; g <= f; ++g) {
        const sinew_lane_effector *b = &plan->effectors[g];
        const int most = g == f ? row + 3 : b->row_count;
        for (int column = 0; column < most; column += 3) {
          tile_of_columns(plan, f, row, g, column, J, &A[tile_at(i, (b->row + column) / 3)]);
        }
      }
      lane_tile *diagonal = &A[tile_at(i, i)];
      for (int r = 0; r < 3; ++r) {
        diagonal->a[r][r] = diagonal->a[r][r] + mu;
      }
    }
  }
}

// Bounds of the step x: those of the change of values in lanes, divided by the gains.
LANE void tree_limits(const sinew_lane_plan *plan, double max_turn, const double *q,
                      tree_scratch *s) {
  for (int active_column = 0; active_column < plan->active_count; ++active_column) {
    s->lower[active_column] = lane_of(-max_turn);
    s->upper[active_column] = lane_of(max_turn);
    if (plan->quaternion_axis[active_column] < 0) {
      const lane at = lane_load(q + plan->q_of_column[active_column] * SINEW_LANES);
      s->lower[active_column] =
          lane_max(lane_of(plan->lower[active_column]) - at, s->lower[active_column]);
      s->upper[active_column] =
          lane_min(lane_of(plan->upper[active_column]) - at, s->upper[active_column]);
    }
    const lane inverse = lane_of(1.0 / plan->gain[active_column]);
    s->lower[active_column] = s->lower[active_column] * inverse;
    s->upper[active_column] = s->upper[active_column] * inverse;
  }
}

// ----------------------------------------------------------------------- move

// Moves the spherical joint whose first active degree of freedom is active_column; others may be
// inactive.
LANE int move_spherical(const sinew_lane_plan *plan, int active_column, lane_mask goes,
                        const lane *x, double *values) {
  lane w[3] = {lane_of(0.0), lane_of(0.0), lane_of(0.0)}, q[4], was[4];
  const int at = plan->q_of_column[active_column];
  int next = active_column;
  while (next < plan->active_count && plan->q_of_column[next] == at) {
    w[plan->quaternion_axis[next]] = x[next];
    ++next;
  }
  for (int i = 0; i < 4; ++i) {
    q[i] = was[i] = lane_load(values + (at + i) * SINEW_LANES);
  }
  lane_quaternion_apply(w, q);
  for (int i = 0; i < 4; ++i) {
    lane_store(values + (at + i) * SINEW_LANES, lane_select(goes, q[i], was[i]));
  }
  return next;
}

LANE void tree_move(const sinew_lane_plan *plan, lane_mask goes, const lane *x, double *values) {
  for (int active_column = 0; active_column < plan->active_count;) {
    if (plan->quaternion_axis[active_column] >= 0) {
      active_column = move_spherical(plan, active_column, goes, x, values);
      continue;
    }
    double *place_of_q = values + plan->q_of_column[active_column] * SINEW_LANES;
    const lane q = lane_load(place_of_q);
    // Values do not leave their limits by rounding.
    const lane moved = lane_min(lane_max(q + x[active_column], lane_of(plan->lower[active_column])),
                                lane_of(plan->upper[active_column]));
    lane_store(place_of_q, lane_select(goes, moved, q));
    ++active_column;
  }
}

// Errors, rows and columns of all effectors at q.
LANE tree_errors tree_linearize(const sinew_lane_plan *plan, const sinew_lane_block *block,
                                tree_scratch *s) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  const lane_pose root = {
      {one, zero, zero}, {zero, one, zero}, {zero, zero, one}, {zero, zero, zero}};
  tree_errors errors = {zero, zero, zero};
  tree_forward(plan, block->q, s->poses);
  for (int f = 0; f < plan->effector_count; ++f) {
    const sinew_lane_effector *effector = &plan->effectors[f];
    const lane_pose *at = effector->node < 0 ? &root : &s->poses[effector->node];
    tree_tip tip = {.linear = {lane_of(0.0)}, .angular = {lane_of(0.0)}};
    tree_residual(effector, at, block->targets + 12 * f * SINEW_LANES, s->e + effector->row, &tip,
                  &errors);
    tree_columns(plan, effector, &tip, s->poses, s->J);
  }
  errors.position = lane_sqrt(errors.position);
  return errors;
}

LANE void tree_update(const sinew_lane_plan *plan, const sinew_lane_rules *rules,
                      sinew_lane_block *block) {
  tree_scratch s = tree_scratch_of(plan, block->scratch);
  const int tiles = plan->row_count / 3;
  const tree_errors errors = tree_linearize(plan, block, &s);
  const lane_mask goes = lanes_test(rules, errors.E, errors.position, errors.angle, block);
  if (mask_bits(goes) == 0) {
    return;
  }
  const lane mu = lanes_damping(rules, errors.E);

  tree_limits(plan, rules->max_turn, block->q, &s);
  tree_gradient(plan, s.J, s.e, s.gradient);
  tree_activate_bounds(plan, &s);
  tree_matrix(plan, s.J, mu, s.A);
  tiles_factor(tiles, s.A, s.C);
  for (int i = 0; i < plan->row_count; ++i) {
    s.y[i] = s.e[i];
  }
  tiles_solve(tiles, s.A, s.y);
  tree_gradient(plan, s.J, s.y, s.x);
  for (int active_column = 0; active_column < plan->active_count; ++active_column) {
    const lane x =
        lane_min(lane_max(s.x[active_column], s.lower[active_column]), s.upper[active_column]);
    s.x[active_column] = lane_of(plan->gain[active_column]) * x;
  }
  tree_move(plan, goes, s.x, block->q);
}

#endif
