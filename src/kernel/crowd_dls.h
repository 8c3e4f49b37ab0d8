// A crowd's damped least squares: x = J^T (J J^T + mu I)^-1 e (Buss 2009, eq. 11), by tiles.
#ifndef SINEW_KERNEL_CROWD_DLS_H
#define SINEW_KERNEL_CROWD_DLS_H

#include "kernel/crowd_newton.h"
#include "kernel/tiles.h"

// Damping below this share of the trace would be lost in rounding.
#define CROWD_ROUNDING 4e-15

// The lower triangle of a tile on the diagonal; the rest is not read.
LANE void outer_same(int count, const lane *u, int stride, lane_tile *tile) {
  lane s00 = lane_of(0.0), s10 = s00, s11 = s00, s20 = s00, s21 = s00, s22 = s00;
  for (int i = 0; i < count; ++i, u += stride) {
    s00 = lane_fma(u[0], u[0], s00);
    s10 = lane_fma(u[1], u[0], s10);
    s11 = lane_fma(u[1], u[1], s11);
    s20 = lane_fma(u[2], u[0], s20);
    s21 = lane_fma(u[2], u[1], s21);
    s22 = lane_fma(u[2], u[2], s22);
  }
  tile->a[0][0] = s00;
  tile->a[1][0] = s10;
  tile->a[1][1] = s11;
  tile->a[2][0] = s20;
  tile->a[2][1] = s21;
  tile->a[2][2] = s22;
}

LANE void outer_add(const lane *u, const lane *v, lane_tile *sum) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      sum->a[r][c] = lane_fma(u[r], v[c], sum->a[r][c]);
    }
  }
}

// A = J J^T
LANE void crowd_outer(const crowd *self, const lane *J, lane_tile *A) {
  const sinew_crowd_plan *plan = self->plan;
  for (int p = 0; p < plan->pair_count; ++p) {
    const sinew_crowd_pair *pair = &plan->pairs[p];
    const lane *u = J + pair->a, *v = J + pair->b;
    if (u == v && pair->common_count > 0) {
      outer_same(pair->common_count, u, pair->stride_a, &A[pair->tile]);
      continue;
    }
    lane_tile sum = {{{lane_of(0.0)}}};
    if (pair->straight) {
      for (int i = 0; i < pair->common_count; ++i, u += pair->stride_a, v += pair->stride_b) {
        outer_add(u, v, &sum);
      }
    } else {
      const sinew_crowd_common *commons = plan->commons + pair->common_start;
      for (int i = 0; i < pair->common_count; ++i) {
        outer_add(u + commons[i].a * pair->stride_a, v + commons[i].b * pair->stride_b, &sum);
      }
    }
    tile_copy(&sum, &A[pair->tile]);
  }
}

// y <- (J J^T + mu I)^-1 y; returns the mu that was used.
LANE_APART lane crowd_solve_rows(const crowd *self, const lane *J, lane mu, lane *y) {
  const int tiles = self->plan->lanes.row_count / 3;
  lane_tile *A = (lane_tile *)(void *)crowd_of(self, SINEW_CROWD_A);
  lane_tile *C = (lane_tile *)(void *)crowd_of(self, SINEW_CROWD_M);
  lane trace = lane_of(0.0);
  crowd_outer(self, J, A);
  for (int i = 0; i < tiles; ++i) {
    const lane_tile *tile = &A[tile_at(i, i)];
    trace = trace + (tile->a[0][0] + tile->a[1][1] + tile->a[2][2]);
  }
  mu = lane_max(mu, lane_max(lane_of(CROWD_ROUNDING) * trace, lane_of(1e-30)));
  for (int i = 0; i < tiles; ++i) {
    lane_tile *tile = &A[tile_at(i, i)];
    for (int r = 0; r < 3; ++r) {
      tile->a[r][r] = tile->a[r][r] + mu;
    }
  }
  if (tiles == 2) {
    tiles_solve_two(A, y);
  } else {
    tiles_factor(tiles, A, C);
    tiles_solve(tiles, A, y);
  }
  return mu;
}

// With active bounds B: e <- e - J_B x_B, and columns of 0 for B.
LANE const lane *dls_without_active(const crowd *self, lane *right) {
  const sinew_crowd_plan *plan = self->plan;
  const lane zero = lane_of(0.0);
  const lane *J = crowd_of(self, SINEW_CROWD_J), *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane *J_free = crowd_of(self, SINEW_CROWD_J_INACTIVE);
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    const lane_mask moves = bound_is_inactive(held[column]);
    crowd_add_column(self, J, column, lane_select(moves, zero, -x[column]), right);
    for (int t = plan->incidence_start[column]; t < plan->incidence_start[column + 1]; ++t) {
      const int at = plan->incidences[t].value;
      for (int i = 0; i < 3; ++i) {
        J_free[at + i] = lane_select(moves, J[at + i], zero);
      }
    }
  }
  return J_free;
}

// Fills x for the error e within the box, from an initial working set.
LANE void crowd_dls_boxed(const crowd *self, lane mu) {
  const int rows = self->plan->lanes.row_count, n = self->plan->lanes.active_count;
  const lane *J = crowd_of(self, SINEW_CROWD_J), *e = crowd_of(self, SINEW_CROWD_E);
  lane *right = crowd_of(self, SINEW_CROWD_RIGHT), *x = crowd_of(self, SINEW_CROWD_X);
  lane *unconstrained = crowd_of(self, SINEW_CROWD_UNCONSTRAINED);
  const lane *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  box_progress progress;
  lane largest = mu;
  box_begin(&progress);
  do {
    const lane *J_free = J;
    memcpy(right, e, (size_t)rows * sizeof *e);
    if (box_any_held(self)) {
      J_free = dls_without_active(self, right);
    }
    const lane least = lane_select(progress.steady, largest, mu);
    largest = lane_max(largest, crowd_solve_rows(self, J_free, least, right));
    crowd_gradient(self, J, right, unconstrained);
    for (int column = 0; column < n; ++column) {
      x[column] = lane_select(bound_is_inactive(held[column]), unconstrained[column], x[column]);
    }
  } while (box_continues(self, &progress, mask_of_bits(0)));
}

// Fills x, the step for the error e, within the box if there is one.
LANE void crowd_dls(const crowd *self, lane mu, bool bounded) {
  lane *right = crowd_of(self, SINEW_CROWD_RIGHT);
  const lane *J = crowd_of(self, SINEW_CROWD_J);
  if (bounded) {
    box_initial_set(self);
    crowd_dls_boxed(self, mu);
  } else {
    memcpy(right, crowd_of(self, SINEW_CROWD_E),
           (size_t)self->plan->lanes.row_count * sizeof *right);
    crowd_solve_rows(self, J, mu, right);
    crowd_gradient(self, J, right, crowd_of(self, SINEW_CROWD_X));
  }
  crowd_apply_gains(self);
}

// The same of the default method, whose damping is not below a floor: where the columns of several
// effectors are solved for together, as for Newton's step. From the active bounds of the last step.
LANE void crowd_first_order_boxed(const crowd *self, lane mu) {
  box_recall_set(self);
  if (self->plan->trunk_count > 0) {
    newton_boxed(self, SINEW_CROWD_J, &mu, 0.0);
  } else {
    crowd_dls_boxed(self, mu);
  }
}

LANE lane crowd_square_of(int count, const lane *a) {
  lane sum = lane_of(0.0);
  for (int i = 0; i < count; ++i) {
    sum = lane_fma(a[i], a[i], sum);
  }
  return sum;
}

// The same step; returns |e - J x| / |e|, at most 1.
LANE lane crowd_dls_ratio(const crowd *self, lane mu, bool bounded) {
  const int rows = self->plan->lanes.row_count;
  const lane *J = crowd_of(self, SINEW_CROWD_J), *e = crowd_of(self, SINEW_CROWD_E);
  lane *x = crowd_of(self, SINEW_CROWD_X), *left = crowd_of(self, SINEW_CROWD_PREDICTED);
  const lane zero = lane_of(0.0), one = lane_of(1.0), before = crowd_square_of(rows, e);
  lane factor = one;
  memcpy(left, e, (size_t)rows * sizeof *left);
  if (bounded) {
    crowd_first_order_boxed(self, mu);
    crowd_subtract(self, J, x, left);
  } else { // e - J x = mu y, x = J^T y
    factor = crowd_solve_rows(self, J, mu, left);
    crowd_gradient(self, J, left, x);
  }
  crowd_apply_gains(self);
  const lane_mask some = lane_less(zero, before);
  const lane after = factor * lane_sqrt(crowd_square_of(rows, left));
  const lane ratio = after / lane_sqrt(lane_select(some, before, one));
  return lane_select(some, lane_min(ratio, one), zero);
}

// The residual e - J x after that step. Without a box it is mu y, and x is not needed.
LANE void crowd_predict_residual(const crowd *self, lane mu, bool bounded) {
  const int rows = self->plan->lanes.row_count;
  lane *left = crowd_of(self, SINEW_CROWD_PREDICTED);
  memcpy(left, crowd_of(self, SINEW_CROWD_E), (size_t)rows * sizeof *left);
  if (bounded) {
    crowd_first_order_boxed(self, mu);
    crowd_subtract(self, crowd_of(self, SINEW_CROWD_J), crowd_of(self, SINEW_CROWD_X), left);
    return;
  }
  mu = crowd_solve_rows(self, crowd_of(self, SINEW_CROWD_J), mu, left);
  for (int i = 0; i < rows; ++i) {
    left[i] = mu * left[i];
  }
}

#endif
