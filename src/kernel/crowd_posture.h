// A posture of level 1 in a crowd's update: solve/lower.c in lanes, for one objective. After the
// step of level 0 joints move by x, the minimum of
//
//   sum_j D_j (x_j - p_j)^2 / 2   over the bounds,   J x = e
//
// p the way to the posture, e the residual where it is small and can be removed, else 0: it is then
// kept. With multipliers y, one a row, and F the columns without an active bound,
// x_F = p + D^-1 J^T y, and
//
//   (J_F D_F^-1 J_F^T + mu I) y = e - J_F p - J_B x_B
//
// mu as rho in step/level.c. What x changes of the residual in second order is corrected by the
// least further x. A figure whose effectors are then further off than before moves a quarter as
// far, and in the end not at all.
#ifndef SINEW_KERNEL_CROWD_POSTURE_H
#define SINEW_KERNEL_CROWD_POSTURE_H

#include "kernel/crowd_apply.h"
#include "kernel/crowd_dls.h"
#include "policy/levels.h"
#include "step/level.h"

// Corrections of a trial.
#define POSTURE_CORRECTIONS 4

// The rotation vector from a spherical joint's orientation to that of the posture, in its own axes.
LANE_APART void posture_turn(const crowd *self, int at, lane w[3]) {
  const double *value = self->plan->posture.value + at;
  lane q[4], turn[4];
  crowd_load_unit(self, at, q);
  const lane inverse[4] = {q[0], -q[1], -q[2], -q[3]};
  const lane rest[4] = {lane_of(value[0]), lane_of(value[1]), lane_of(value[2]), lane_of(value[3])};
  lane_quaternion_multiply(inverse, rest, turn);
  lane_quaternion_log(turn, w);
}

// w: from the axes of a spherical joint to those of its columns.
LANE void posture_to_columns(const crowd *self, int column, lane w[3]) {
  const int cone = self->plan->cone_of_column[column];
  const int node = self->plan->root_frames ? self->plan->free_node[column] : -1;
  lane out[3];
  if (cone >= 0) {
    for (int i = 0; i < 3; ++i) {
      out[i] = dot3(crowd_cone_step(self, cone)->row[i], w);
    }
    lanes_copy(3, out, w);
  } else if (node >= 0) {
    lane turn[3];
    rotate_by(crowd_of(self, SINEW_CROWD_POSES) + 12 * node, w, turn);
    const double *R = self->plan->lanes.base_R;
    for (int i = 0; i < 3; ++i) {
      w[i] = lane_fma(lane_of(R[3 * i]), turn[0],
                      lane_fma(lane_of(R[3 * i + 1]), turn[1], lane_of(R[3 * i + 2]) * turn[2]));
    }
  }
}

// The way to the posture, in columns.
LANE void find_posture_way(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  const double *share = plan->posture.share;
  lane *way = crowd_of(self, SINEW_CROWD_PRODUCT);
  for (int column = 0; column < plan->lanes.active_count;) {
    const int at = plan->lanes.q_of_column[column];
    if (plan->lanes.quaternion_axis[column] < 0) {
      const lane left =
          lane_of(plan->posture.value[at]) - lane_load(self->block->q + at * SINEW_LANES);
      way[column] = lane_of(share[column] / plan->unit[column]) * left;
      ++column;
      continue;
    }
    const int end = crowd_after_spherical(&plan->lanes, column);
    lane w[3];
    posture_turn(self, at, w);
    posture_to_columns(self, column, w);
    for (; column < end; ++column) {
      way[column] = lane_of(share[column]) * w[plan->lanes.quaternion_axis[column]];
    }
  }
}

// J D^-1/2 without the columns at active bounds; returns mu.
LANE lane scale_posture_columns(const crowd *self, bool held) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *J = crowd_of(self, SINEW_CROWD_J), *active = crowd_of(self, SINEW_CROWD_ACTIVE);
  lane *scaled = crowd_of(self, SINEW_CROWD_J_INACTIVE), square = lane_of(0.0);
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    const lane root = lane_of(sqrt(plan->posture.inverse[column]));
    const lane factor =
        held ? lane_select(bound_is_inactive(active[column]), root, lane_of(0.0)) : root;
    for (int t = plan->incidence_start[column]; t < plan->incidence_start[column + 1]; ++t) {
      const int at = plan->incidences[t].value;
      for (int i = 0; i < 3; ++i) {
        scaled[at + i] = factor * J[at + i];
        square = lane_fma(scaled[at + i], scaled[at + i], square);
      }
    }
  }
  const int rows = plan->lanes.row_count;
  return lane_of(SINEW_LEVEL_FIXED / (rows > 0 ? rows : 1)) * square;
}

// right <- y for it; x is p + D^-1 J^T y.
LANE void solve_posture_rows(const crowd *self, bool held, lane *right) {
  if (self->plan->lanes.row_count > 0) {
    const lane mu = scale_posture_columns(self, held);
    crowd_solve_rows(self, crowd_of(self, SINEW_CROWD_J_INACTIVE), mu, right);
  }
}

// right <- e - J_F p - J_B x_B
LANE void posture_right(const crowd *self, bool held, lane *right) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *way = crowd_of(self, SINEW_CROWD_PRODUCT), *x = crowd_of(self, SINEW_CROWD_X);
  const lane *active = crowd_of(self, SINEW_CROWD_ACTIVE);
  memcpy(right, crowd_of(self, SINEW_CROWD_PREDICTED),
         (size_t)plan->lanes.row_count * sizeof(lane));
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    const lane step =
        held ? lane_select(bound_is_inactive(active[column]), way[column], x[column]) : way[column];
    crowd_add_column(self, crowd_of(self, SINEW_CROWD_J), column, -step, right);
  }
}

// unconstrained <- p + D^-1 J^T y, and x where no bound is active.
LANE void fill_posture_step(const crowd *self, bool held, const lane *right) {
  const int n = self->plan->lanes.active_count;
  const lane *way = crowd_of(self, SINEW_CROWD_PRODUCT);
  const lane *active = crowd_of(self, SINEW_CROWD_ACTIVE);
  lane *unconstrained = crowd_of(self, SINEW_CROWD_UNCONSTRAINED);
  lane *x = crowd_of(self, SINEW_CROWD_X);
  crowd_gradient(self, crowd_of(self, SINEW_CROWD_J), right, unconstrained);
  for (int column = 0; column < n; ++column) {
    unconstrained[column] =
        lane_fma(lane_of(self->plan->posture.inverse[column]), unconstrained[column], way[column]);
    x[column] =
        held ? lane_select(bound_is_inactive(active[column]), unconstrained[column], x[column])
             : unconstrained[column];
  }
}

// The bounds, of which 0 is within.
LANE void bound_posture(const crowd *self) {
  lane *lower = crowd_of(self, SINEW_CROWD_LOWER), *upper = crowd_of(self, SINEW_CROWD_UPPER);
  crowd_limits(self);
  crowd_cones_bound(self);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    lower[column] = lane_min(lower[column], lane_of(0.0));
    upper[column] = lane_max(upper[column], lane_of(0.0));
  }
}

// x, before gains, for the way in PRODUCT and e in PREDICTED.
LANE_APART void find_posture_step(const crowd *self, bool bounded) {
  lane *right = crowd_of(self, SINEW_CROWD_RIGHT);
  const int n = self->plan->lanes.active_count;
  if (bounded) {
    box_progress progress;
    bound_posture(self);
    memcpy(crowd_of(self, SINEW_CROWD_GRADIENT), crowd_of(self, SINEW_CROWD_PRODUCT),
           (size_t)n * sizeof(lane));
    box_begin(&progress);
    box_initial_set(self);
    do {
      posture_right(self, true, right);
      solve_posture_rows(self, true, right);
      fill_posture_step(self, true, right);
    } while (box_continues(self, &progress, mask_of_bits(0)));
  } else {
    posture_right(self, false, right);
    solve_posture_rows(self, false, right);
    fill_posture_step(self, false, right);
  }
}

// Where x removes what it is to of the residual, to first order.
LANE lane_mask removes_residual(const crowd *self) {
  const int rows = self->plan->lanes.row_count;
  lane *right = crowd_of(self, SINEW_CROWD_RIGHT);
  memcpy(right, crowd_of(self, SINEW_CROWD_PREDICTED), (size_t)rows * sizeof(lane));
  const lane before = crowd_square_of(rows, right);
  crowd_subtract(self, crowd_of(self, SINEW_CROWD_J), crowd_of(self, SINEW_CROWD_X), right);
  const lane most = lane_fma(lane_of(LEVELS_LEFT * LEVELS_LEFT), before,
                             lane_of(LEVELS_LEAST_LEFT * LEVELS_LEAST_LEFT));
  return lane_less_equal(crowd_square_of(rows, right), most);
}

// The residual to keep, and e: all of it is removed where it is near.
LANE void keep_residual(const crowd *self, lane_mask near) {
  const lane *before = crowd_of(self, SINEW_CROWD_Z), zero = lane_of(0.0);
  lane *kept = crowd_of(self, SINEW_CROWD_LEFT), *e = crowd_of(self, SINEW_CROWD_PREDICTED);
  for (int i = 0; i < self->plan->lanes.row_count; ++i) {
    kept[i] = lane_select(near, zero, before[i]);
    e[i] = lane_select(near, before[i], zero);
  }
}

// x, of the joints.
LANE_APART void posture_to_joints(const crowd *self) {
  crowd_apply_gains(self);
  to_body_frames(self);
}

LANE_APART void apply_posture(const crowd *self, bool bounded) {
  crowd_apply(self, bounded);
}

LANE_APART void evaluate_posture(crowd *self) {
  evaluate_poses(self);
  crowd_residual(self);
}

// The step of the level, with the residual that it keeps.
LANE void choose_posture_step(const crowd *self, lane_mask held_back, bool bounded) {
  lane_mask near = mask_and(lane_less_equal(self->E, lane_of(0.5 * LEVELS_NEAR * LEVELS_NEAR)),
                            mask_not(held_back));
  if (self->plan->rules.error_gain != 1.0) {
    near = mask_of_bits(0);
  }
  find_posture_way(self);
  keep_residual(self, near);
  find_posture_step(self, bounded);
  const lane_mask removes = removes_residual(self);
  if (mask_bits(mask_and(near, mask_not(removes))) != 0) {
    keep_residual(self, mask_and(near, removes));
    find_posture_step(self, bounded);
  }
  posture_to_joints(self);
}

// ------------------------------------------------------- what no task moves

// The motion of a joint that no task moves: w[0], or a rotation vector.
LANE void loose_way(const crowd *self, const sinew_crowd_loose *loose, lane w[3]) {
  if (loose->spherical) {
    posture_turn(self, loose->q, w);
    for (int i = 0; i < 3; ++i) {
      w[i] = lane_of(loose->share[i]) * w[i];
    }
    return;
  }
  const lane left = lane_of(self->plan->posture.value[loose->q]) -
                    lane_load(self->block->q + loose->q * SINEW_LANES);
  w[0] = lane_of(loose->share[0] / loose->unit) * left;
  w[1] = w[2] = lane_of(0.0);
}

LANE lane largest_of_loose(const crowd *self) {
  lane most = lane_of(0.0);
  for (int k = 0; k < self->plan->posture.loose_count; ++k) {
    lane w[3];
    loose_way(self, &self->plan->posture.loose[k], w);
    for (int i = 0; i < 3; ++i) {
      most = lane_max(most, lane_abs(w[i]));
    }
  }
  return most;
}

LANE void move_loose(const crowd *self, lane share) {
  for (int k = 0; k < self->plan->posture.loose_count; ++k) {
    const sinew_crowd_loose *loose = &self->plan->posture.loose[k];
    lane w[3];
    loose_way(self, loose, w);
    for (int i = 0; i < 3; ++i) {
      w[i] = share * w[i];
    }
    if (loose->spherical) {
      lane q[4];
      crowd_load_unit(self, loose->q, q);
      crowd_turn(self, loose->q, q, loose->cone, w);
    } else {
      double *value = self->block->q + loose->q * SINEW_LANES;
      const lane q = lane_load(value), moved = lane_fma(w[0], lane_of(loose->unit), q);
      const lane low = lane_min(q, lane_of(loose->lower)),
                 high = lane_max(q, lane_of(loose->upper));
      lane_store(value, lane_select(self->moving, lane_min(lane_max(moved, low), high), q));
    }
  }
}

// --------------------------------------------------------------- residuals

// |a| of three rows.
LANE lane posture_row_length(const lane *a) {
  return lane_sqrt(dot3(a, a));
}

// Where the residual of some three rows differs from the one to keep by more than a share of the
// tolerance; PREDICTED <- by how much.
LANE lane_mask posture_left(const crowd *self) {
  const lane *e = crowd_of(self, SINEW_CROWD_E), *kept = crowd_of(self, SINEW_CROWD_LEFT);
  lane *right = crowd_of(self, SINEW_CROWD_PREDICTED);
  lane_mask left = mask_of_bits(0);
  for (int r = 0; r < self->plan->lanes.row_count; r += 3) {
    for (int i = 0; i < 3; ++i) {
      right[r + i] = e[r + i] - kept[r + i];
    }
    left = mask_or(
        left, lane_less(lane_of(self->plan->posture.met[r / 3]), posture_row_length(right + r)));
  }
  return left;
}

// Where some effector is further off than before by more than it may be.
LANE lane_mask posture_costs(const crowd *self) {
  const lane *e = crowd_of(self, SINEW_CROWD_E), *kept = crowd_of(self, SINEW_CROWD_LEFT);
  const lane *before = crowd_of(self, SINEW_CROWD_Z);
  lane_mask costs = mask_of_bits(0);
  for (int r = 0; r < self->plan->lanes.row_count; r += 3) {
    const lane part = lane_of(LEVELS_COST / LEVELS_MET * self->plan->posture.met[r / 3]);
    const lane most = lane_max(posture_row_length(kept + r) + part, posture_row_length(before + r));
    costs = mask_or(costs, lane_less(most, posture_row_length(e + r)));
  }
  return costs;
}

// The rows at poses that are known.
LANE_APART void find_posture_rows(const crowd *self, bool bounded) {
  for (int k = 0; bounded && k < self->plan->cone_count; ++k) {
    crowd_cone_begin(self, k, lane_of(INFINITY));
  }
  crowd_columns(self);
}

// A correction of the figures that move: the least x that removes what is left.
LANE void correct_posture(const crowd *self, bool bounded) {
  lane *way = crowd_of(self, SINEW_CROWD_PRODUCT);
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    way[column] = lane_of(0.0);
  }
  find_posture_rows(self, bounded);
  find_posture_step(self, bounded);
  posture_to_joints(self);
  crowd_clamp_turns(self);
  apply_posture(self, bounded);
}

// --------------------------------------------------------------- the update

LANE void keep_values(const crowd *self) {
  lane *kept = crowd_of(self, SINEW_CROWD_Q);
  for (int i = 0; i < self->plan->lanes.nq; ++i) {
    kept[i] = lane_load(self->block->q + i * SINEW_LANES);
  }
}

// And the quaternions that the next trial begins with.
LANE void restore_values(const crowd *self, lane_mask where) {
  const lane *kept = crowd_of(self, SINEW_CROWD_Q);
  for (int i = 0; i < self->plan->lanes.nq; ++i) {
    double *value = self->block->q + i * SINEW_LANES;
    lane_store(value, lane_select(where, kept[i], lane_load(value)));
  }
  crowd_fill_units(self);
}

// The figures that move, by a share of the step that is kept, corrected; returns those that may
// not.
LANE lane_mask try_posture(crowd *self, lane share, bool bounded) {
  const lane *kept = crowd_of(self, SINEW_CROWD_KEPT);
  lane *x = crowd_of(self, SINEW_CROWD_X);
  const lane_mask trying = self->moving;
  for (int column = 0; column < self->plan->lanes.active_count; ++column) {
    x[column] = share * kept[column];
  }
  apply_posture(self, bounded);
  move_loose(self, share);
  for (int round = 0;; ++round) {
    evaluate_posture(self);
    self->moving = mask_and(self->moving, posture_left(self));
    if (round == POSTURE_CORRECTIONS || mask_bits(self->moving) == 0) {
      break;
    }
    correct_posture(self, bounded);
  }
  return mask_and(trying, posture_costs(self));
}

// held_back: the figures that max_change keeps from their targets, where a posture leaves them.
LANE_APART void crowd_posture(crowd *self, lane_mask held_back, bool bounded) {
  const int n = self->plan->lanes.active_count;
  self->moving = mask_all();
  self->part = lane_of(1.0);
  evaluate_posture(self);
  memcpy(crowd_of(self, SINEW_CROWD_Z), crowd_of(self, SINEW_CROWD_E),
         (size_t)self->plan->lanes.row_count * sizeof(lane));
  find_posture_rows(self, bounded);
  choose_posture_step(self, held_back, bounded);
  memcpy(crowd_of(self, SINEW_CROWD_KEPT), crowd_of(self, SINEW_CROWD_X), (size_t)n * sizeof(lane));
  keep_values(self);
  const lane most = lane_max(crowd_largest(self), largest_of_loose(self));
  const lane longest = lane_of(LEVELS_LONGEST), one = lane_of(1.0);
  lane share = lane_select(lane_less(longest, most), longest / lane_max(most, longest), one);
  for (int trial = 0; trial < LEVELS_TRIALS && mask_bits(self->moving) != 0; ++trial) {
    self->moving = try_posture(self, share, bounded);
    restore_values(self, self->moving);
    share = lane_of(LEVELS_SHORTER) * share;
  }
  self->moving = mask_all();
}

#endif
