// A limb of a pose in a crowd's Newton step: the elimination of its columns (crowd_eliminate.h)
// with six entries each, side by side, and P and z at hand. Their substitution is in
// crowd_newton.h.
#ifndef SINEW_KERNEL_CROWD_LIMB_H
#define SINEW_KERNEL_CROWD_LIMB_H

#include "kernel/crowd_eliminate.h"

// P, its lower triangle by rows, and z of the columns eliminated so far.
typedef struct pose_sums {
  lane P[21], z[6];
  bool empty; // there are none: P and z are 0, and not filled
} pose_sums;

LANE void pose_fill_empty(pose_sums *sums) {
  if (sums->empty) {
    crowd_zero(21, sums->P);
    crowd_zero(6, sums->z);
    sums->empty = false;
  }
}

LANE lane pose_dot(const lane *a, const lane *b) {
  return lane_fma(
      a[0], b[0],
      lane_fma(a[1], b[1],
               lane_fma(a[2], b[2], lane_fma(a[3], b[3], lane_fma(a[4], b[4], a[5] * b[5])))));
}

// w = u - P v
LANE void pose_reduce(const pose_sums *sums, const lane *u, const lane *v, lane w[6]) {
  for (int i = 0; i < 6; ++i) {
    lane sum = u[i];
    for (int j = 0; j < 6; ++j) {
      const int place = j <= i ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
      sum = lane_fnma(sums->P[place], v[j], sum);
    }
    w[i] = sum;
  }
}

// P += w w^T / d and z += w y / d of count columns, 0 where a bound is active; z += w x there.
// empty: both are 0.
LANE void pose_grow(int count, bool empty, lane w[][6], const lane *inverse, const lane *y,
                    const lane *given, pose_sums *sums) {
  lane share[3][6];
  for (int k = 0; k < count; ++k) {
    const lane solved = lane_fma(inverse[k], y[k], given[k]);
    for (int i = 0; i < 6; ++i) {
      share[k][i] = inverse[k] * w[k][i];
      sums->z[i] = empty && k == 0 ? w[k][i] * solved : lane_fma(w[k][i], solved, sums->z[i]);
    }
  }
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      lane sum = empty ? share[0][i] * w[0][j] : sums->P[i * (i + 1) / 2 + j];
      for (int k = empty ? 1 : 0; k < count; ++k) {
        sum = lane_fma(share[k][i], w[k][j], sum);
      }
      sums->P[i * (i + 1) / 2 + j] = sum;
    }
  }
}

// One column, whose entries are at at.
LANE void pose_eliminate(newton *step, int at, const lane *held, bool bounded, int column,
                         pose_sums *sums) {
  const lane_mask moves = newton_moves(held, bounded, column);
  const lane *v = step->v + at;
  lane w[1][6];
  pose_reduce(sums, step->u + at, v, w[0]);
  const lane y = step->g[column] - pose_dot(v, sums->z);
  const lane inverse = newton_pivot(step, pose_dot(w[0], v) + step->mu, moves, column);
  const lane given = newton_given(step, moves, bounded, column);
  pose_grow(1, false, w, &inverse, &y, &given, sums);
  lanes_copy(6, w[0], step->schur + at);
  step->y[column] = y;
}

// w_j -= s w_k, y_j -= s y_k
LANE void pose_eliminate_within(lane s, const lane from[6], lane from_y, lane to[6], lane *to_y) {
  for (int i = 0; i < 6; ++i) {
    to[i] = lane_fnma(s, from[i], to[i]);
  }
  *to_y = lane_fnma(s, from_y, *to_y);
}

// The three columns of a spherical joint: as eliminate_spherical(). empty: P and z are 0.
LANE void pose_eliminate_spherical(newton *step, int at, const lane *held, bool bounded, bool empty,
                                   int column, pose_sums *sums) {
  const lane half = lane_of(0.5), *v = step->v + at;
  lane_mask moves[3];
  lane w[3][6], D[3][3], kept[3], given[3], y[3], pivot[3], *off = step->off + column;
  for (int k = 0; k < 3; ++k) {
    moves[k] = newton_moves(held, bounded, column + k);
    given[k] = newton_given(step, moves[k], bounded, column + k);
    y[k] = step->g[column + k];
    if (empty) {
      lanes_copy(6, step->u + at + 6 * k, w[k]);
    } else {
      y[k] = y[k] - pose_dot(v + 6 * k, sums->z);
      pose_reduce(sums, step->u + at + 6 * k, v + 6 * k, w[k]);
    }
    D[k][k] = pose_dot(w[k], v + 6 * k) + step->mu;
  }
  for (int j = 1; j < 3; ++j) {
    for (int k = 0; k < j; ++k) {
      lane mean = pose_dot(w[j], v + 6 * k);
      if (step->u != step->v) {
        mean = half * (mean + pose_dot(w[k], v + 6 * j));
      }
      D[j][k] = lane_keep(mask_and(moves[j], moves[k]), mean);
      kept[j + k - 1] = mean;
      if (bounded) { // what active bounds add to the right-hand sides of the others
        y[j] = lane_fnma(mean, lane_keep(moves[j], given[k]), y[j]);
        y[k] = lane_fnma(mean, lane_keep(moves[k], given[j]), y[k]);
      }
    }
  }
  pivot[2] = newton_pivot(step, D[2][2], moves[2], column + 2);
  off[2] = D[2][1] * pivot[2];
  off[1] = D[2][0] * pivot[2];
  pivot[1] = newton_pivot(step, lane_fnma(off[2], D[2][1], D[1][1]), moves[1], column + 1);
  const lane c = lane_fnma(off[1], D[2][1], D[1][0]);
  off[0] = c * pivot[1];
  pivot[0] = newton_pivot(step, lane_fnma(off[0], c, lane_fnma(off[1], D[2][0], D[0][0])), moves[0],
                          column);
  pose_eliminate_within(off[2], w[2], y[2], w[1], &y[1]);
  pose_eliminate_within(off[1], w[2], y[2], w[0], &y[0]);
  pose_eliminate_within(off[0], w[1], y[1], w[0], &y[0]);
  pose_grow(3, empty, w, pivot, y, given, sums);
  for (int k = 0; k < 3; ++k) {
    lanes_copy(6, w[k], step->schur + at + 6 * k);
  }
  lanes_copy(3, y, step->y + column);
  for (int j = 1; bounded && j < 3; ++j) { // D where a column is at an active bound
    for (int k = 0; k < j; ++k) {
      off[j + k - 1] = lane_select(mask_and(moves[j], moves[k]), off[j + k - 1], kept[j + k - 1]);
    }
  }
}

// The tiles of a pose whose first one is tile, and its z.
LANE void pose_put_sums(const newton *step, int tile, const pose_sums *sums) {
  lane_tile *tiles[2][2] = {
      {&step->P[tile_at(tile, tile)], NULL},
      {&step->P[tile_at(tile + 1, tile)], &step->P[tile_at(tile + 1, tile + 1)]}};
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j <= i; ++j) {
      tiles[i / 3][j / 3]->a[i % 3][j % 3] = sums->P[i * (i + 1) / 2 + j];
    }
    step->z[3 * tile + i] = sums->z[i];
  }
}

// w = u - P v of count columns.
LANE void pose_reduce_columns(const newton *step, int at, int count, const pose_sums *sums) {
  for (int k = 0; k < count; ++k, at += 6) {
    lane w[6];
    pose_reduce(sums, step->u + at, step->v + at, w);
    lanes_copy(6, w, step->schur + at);
  }
}

// Columns from last down to first of a segment of the limb; at: of the last one.
LANE void pose_eliminate_columns(const sinew_crowd_plan *plan, newton *step, const lane *held,
                                 bool bounded, int last, int first, pose_sums *sums) {
  int at = plan->incidences[plan->incidence_start[last]].value;
  for (int column = last; column >= first; --column, at -= 6) {
    if (plan->spherical[column] != SINEW_SPHERICAL_NONE) {
      column -= 2;
      at -= 12;
      if (SINEW_CROWD_IS_FAST && sums->empty) {
        pose_eliminate_spherical(step, at, held, bounded, true, column, sums);
        sums->empty = false;
      } else {
        pose_fill_empty(sums);
        pose_eliminate_spherical(step, at, held, bounded, false, column, sums);
      }
    } else {
      pose_fill_empty(sums);
      pose_eliminate(step, at, held, bounded, column, sums);
    }
  }
}

#endif
