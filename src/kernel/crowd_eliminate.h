// The elimination of a crowd's Newton step, from the tips to the root: see crowd_newton.h.
#ifndef SINEW_KERNEL_CROWD_ELIMINATE_H
#define SINEW_KERNEL_CROWD_ELIMINATE_H

#include "kernel/crowd_box.h"
#include "kernel/tiles.h"

// The arrays of the elimination, and its progress.
typedef struct newton {
  const lane *u, *v, *g;
  const lane *x; // of active bounds
  lane_tile *P;
  lane *z, *schur, *y, *off, *w;
  lane *pivot; // 1 / d; at active bounds d
  lane *rest;  // of columns at active bounds
  lane mu, curvature_share;
  lane_mask failed; // H + mu I is not positive definite
  lane ridge;       // the column of the last pivot with negative curvature, or -1
  bool ridges;      // whether any figure has one
  // Of a segment that does not grow: its last column + 1, else 0; the tiles of P that are not 0.
  int end;
  const unsigned char *touched;
} newton;

// ------------------------------------------------------------------ elimination

// 1 / d if the column is eliminated, else 0; records failures. Keeps 1 / d or d.
LANE lane newton_pivot(newton *self, lane d, lane_mask moves, int column) {
  const lane half = lane_of(0.5);
  const lane_mask sound = lane_less(half * self->mu, d);
  const lane_mask fails = mask_and(moves, mask_not(mask_or(sound, self->failed)));
  if (mask_bits(fails) != 0) {
    const lane least = half * (lane_of(1.0) - self->curvature_share) * self->mu;
    const lane_mask negative = mask_and(fails, mask_not(lane_less(least, d)));
    self->ridge = lane_select(negative, lane_of(column), self->ridge);
    self->failed = mask_or(self->failed, fails);
    self->ridges = true;
  }
  const lane inverse = lane_of(1.0) / lane_select(sound, d, lane_of(1.0));
  self->pivot[column] = lane_select(moves, inverse, d);
  return lane_keep(moves, inverse);
}

// x of a column at an active bound, else 0.
LANE lane newton_given(const newton *self, lane_mask moves, bool bounded, int column) {
  return bounded ? lane_keep(mask_not(moves), self->x[column]) : lane_of(0.0);
}

LANE lane_mask newton_moves(const lane *held, bool bounded, int column) {
  return bounded ? bound_is_inactive(held[column]) : lane_less(lane_of(0.0), lane_of(1.0));
}

// Columns from last down to first, all of which have a single incidence, the same tile: its
// diagonal tile of P and its z stay in registers.
LANE void eliminate_segment(newton *self, const sinew_crowd_incidence *incidence, const lane *held,
                            bool bounded, int last, int first) {
  const int tile = incidence->tile;
  lane(*P)[3] = self->P[tile_at(tile, tile)].a;
  lane *z = self->z + 3 * tile;
  lane p00 = P[0][0], p10 = P[1][0], p11 = P[1][1], p20 = P[2][0], p21 = P[2][1], p22 = P[2][2];
  lane z0 = z[0], z1 = z[1], z2 = z[2];
  int at = incidence->value;
  for (int column = last; column >= first; --column, at -= incidence->stride) {
    const lane *u = self->u + at, *v = self->v + at;
    const lane_mask moves = newton_moves(held, bounded, column);
    const lane w0 = lane_fnma(p20, v[2], lane_fnma(p10, v[1], lane_fnma(p00, v[0], u[0])));
    const lane w1 = lane_fnma(p21, v[2], lane_fnma(p11, v[1], lane_fnma(p10, v[0], u[1])));
    const lane w2 = lane_fnma(p22, v[2], lane_fnma(p21, v[1], lane_fnma(p20, v[0], u[2])));
    const lane d = lane_fma(w0, v[0], lane_fma(w1, v[1], lane_fma(w2, v[2], self->mu)));
    const lane y = lane_fnma(v[0], z0, lane_fnma(v[1], z1, lane_fnma(v[2], z2, self->g[column])));
    const lane inverse = newton_pivot(self, d, moves, column);
    const lane given = newton_given(self, moves, bounded, column);
    const lane s0 = w0 * inverse, s1 = w1 * inverse, s2 = w2 * inverse;
    p00 = lane_fma(s0, w0, p00);
    p10 = lane_fma(s1, w0, p10);
    p11 = lane_fma(s1, w1, p11);
    p20 = lane_fma(s2, w0, p20);
    p21 = lane_fma(s2, w1, p21);
    p22 = lane_fma(s2, w2, p22);
    z0 = lane_fma(w0, given, lane_fma(s0, y, z0));
    z1 = lane_fma(w1, given, lane_fma(s1, y, z1));
    z2 = lane_fma(w2, given, lane_fma(s2, y, z2));
    self->schur[at] = w0;
    self->schur[at + 1] = w1;
    self->schur[at + 2] = w2;
    self->y[column] = y;
  }
  P[0][0] = p00;
  P[1][0] = p10;
  P[1][1] = p11;
  P[2][0] = p20;
  P[2][1] = p21;
  P[2][2] = p22;
  z[0] = z0;
  z[1] = z1;
  z[2] = z2;
}

// w -= P v for a tile below the diagonal, for one above it (stored below), and for one on it, of
// which the lower triangle is stored.
LANE void schur_below(const lane_tile *P, const lane *v, lane w[3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      w[r] = lane_fnma(P->a[r][c], v[c], w[r]);
    }
  }
}

LANE void schur_above(const lane_tile *P, const lane *v, lane w[3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      w[r] = lane_fnma(P->a[c][r], v[c], w[r]);
    }
  }
}

LANE void schur_same(const lane_tile *P, const lane *v, lane w[3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      w[r] = lane_fnma(c <= r ? P->a[r][c] : P->a[c][r], v[c], w[r]);
    }
  }
}

// w = u - P v for the rows of incidence a: the Schur update.
LANE void schur_rows(const newton *self, const sinew_crowd_incidence *incidences, int count, int a,
                     lane w[3]) {
  const lane *u = self->u + incidences[a].value;
  w[0] = u[0];
  w[1] = u[1];
  w[2] = u[2];
  for (int b = 0; b < a; ++b) {
    const int tile = tile_at(incidences[a].tile, incidences[b].tile);
    if (self->end == 0 || self->touched[tile] != 0) {
      schur_below(&self->P[tile], self->v + incidences[b].value, w);
    }
  }
  schur_same(&self->P[tile_at(incidences[a].tile, incidences[a].tile)],
             self->v + incidences[a].value, w);
  for (int b = a + 1; b < count; ++b) {
    const int tile = tile_at(incidences[b].tile, incidences[a].tile);
    if (self->end == 0 || self->touched[tile] != 0) {
      schur_above(&self->P[tile], self->v + incidences[b].value, w);
    }
  }
}

// P += s w^T and z += s y + w x for the rows of incidence a, s = w / d, x as given.
LANE void grow_rows(newton *self, const sinew_crowd_incidence *incidences, int a, const lane *w,
                    lane inverse, lane y, lane given) {
  const lane s[3] = {inverse * w[3 * a], inverse * w[3 * a + 1], inverse * w[3 * a + 2]};
  lane *z = self->z + 3 * incidences[a].tile;
  for (int r = 0; r < 3; ++r) {
    z[r] = lane_fma(w[3 * a + r], given, lane_fma(s[r], y, z[r]));
  }
  for (int b = 0; b < a; ++b) {
    lane_tile *P = &self->P[tile_at(incidences[a].tile, incidences[b].tile)];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) {
        P->a[r][c] = lane_fma(s[r], w[3 * b + c], P->a[r][c]);
      }
    }
  }
  lane_tile *P = &self->P[tile_at(incidences[a].tile, incidences[a].tile)];
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c <= r; ++c) {
      P->a[r][c] = lane_fma(s[r], w[3 * a + c], P->a[r][c]);
    }
  }
}

// w for the rows of incidence a; d += v . w, y -= v . z
LANE void schur_slot(newton *self, const sinew_crowd_incidence *incidences, int count, int a,
                     lane *w, lane *d, lane *y) {
  const lane *v = self->v + incidences[a].value, *z = self->z + 3 * incidences[a].tile;
  lane schur[3];
  schur_rows(self, incidences, count, a, schur);
  for (int i = 0; i < 3; ++i) {
    *d = lane_fma(schur[i], v[i], *d);
    *y = lane_fnma(v[i], z[i], *y);
    w[3 * a + i] = schur[i];
    self->schur[incidences[a].value + i] = schur[i];
  }
}

// v_j . w_k over all tiles, w after its Schur update.
LANE lane schur_dot(const newton *self, const sinew_crowd_incidence *incidences, int count, int j,
                    int k) {
  lane sum = lane_of(0.0);
  for (int a = 0; a < count; ++a) {
    const lane *v = self->v + incidences[a].value + j * incidences[a].stride;
    const lane *w = self->schur + incidences[a].value + k * incidences[a].stride;
    sum = lane_fma(v[0], w[0], lane_fma(v[1], w[1], lane_fma(v[2], w[2], sum)));
  }
  return sum;
}

// w and y of a column.
LANE void reduce_slot(newton *self, const sinew_crowd_incidence *incidences, int count,
                      int column) {
  lane y = self->g[column];
  for (int a = 0; a < count; ++a) {
    const lane *v = self->v + incidences[a].value, *z = self->z + 3 * incidences[a].tile;
    lane schur[3];
    schur_rows(self, incidences, count, a, schur);
    for (int i = 0; i < 3; ++i) {
      y = lane_fnma(v[i], z[i], y);
      self->schur[incidences[a].value + i] = schur[i];
    }
  }
  self->y[column] = y;
}

#ifdef SINEW_SMALL // one column after the other

LANE void reduce_three(newton *self, const sinew_crowd_incidence *incidences, int count,
                       int column) {
  for (int k = 0; k < 3; ++k) {
    reduce_slot(self, incidences + k * count, count, column + k);
  }
}

LANE void corner_of_three(const newton *self, const sinew_crowd_incidence *incidences, int count,
                          lane D[3][3]) {
  for (int j = 0; j < 3; ++j) {
    for (int k = 0; k < 3; ++k) {
      D[j][k] = schur_dot(self, incidences, count, j, k);
    }
  }
}

LANE void grow_by_three(newton *self, const sinew_crowd_incidence *incidences, int count,
                        const lane inverse[3], const lane y[3], const lane given[3]) {
  for (int k = 0; k < 3; ++k) {
    for (int a = 0; a < count; ++a) {
      memcpy(self->w + 3 * a, self->schur + incidences[k * count + a].value, 3 * sizeof *self->w);
    }
    for (int a = 0; a < count; ++a) {
      grow_rows(self, incidences + k * count, a, self->w, inverse[k], y[k], given[k]);
    }
  }
}

#else

// P times three columns, of which P is read once: w_k -= P v_k for a tile below the diagonal, one
// above it (stored below), and one on it. The columns are stride apart.
LANE void schur_three(const lane_tile *P, bool transposed, bool symmetric, const lane *v,
                      int stride, lane w[3][3]) {
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      const bool swap = symmetric ? c > r : transposed;
      const lane p = swap ? P->a[c][r] : P->a[r][c];
      for (int k = 0; k < 3; ++k) {
        w[k][r] = lane_fnma(p, v[k * stride + c], w[k][r]);
      }
    }
  }
}

// w and y of three consecutive columns.
LANE void reduce_three(newton *self, const sinew_crowd_incidence *incidences, int count,
                       int column) {
  lane y[3] = {self->g[column], self->g[column + 1], self->g[column + 2]};
  for (int a = 0; a < count; ++a) {
    const int at = incidences[a].value, stride = incidences[a].stride, tile = incidences[a].tile;
    const lane *z = self->z + 3 * tile;
    lane w[3][3];
    for (int k = 0; k < 3; ++k) {
      lanes_copy(3, self->u + at + k * stride, w[k]);
    }
    for (int b = 0; b < count; ++b) {
      const int other = incidences[b].tile;
      const int index = b <= a ? tile_at(tile, other) : tile_at(other, tile);
      const lane *v = self->v + incidences[b].value;
      if (self->end > 0 && self->touched[index] == 0) {
        continue;
      }
      if (b < a) {
        schur_three(&self->P[index], false, false, v, incidences[b].stride, w);
      } else if (b == a) {
        schur_three(&self->P[index], false, true, v, incidences[b].stride, w);
      } else {
        schur_three(&self->P[index], true, false, v, incidences[b].stride, w);
      }
    }
    for (int k = 0; k < 3; ++k) {
      const lane *v = self->v + at + k * stride;
      y[k] = lane_fnma(v[0], z[0], lane_fnma(v[1], z[1], lane_fnma(v[2], z[2], y[k])));
      lanes_copy(3, w[k], self->schur + at + k * stride);
    }
  }
  lanes_copy(3, y, self->y + column);
}

// D_jk = v_j . w_k of three consecutive columns.
LANE void corner_of_three(const newton *self, const sinew_crowd_incidence *incidences, int count,
                          lane D[3][3]) {
  for (int j = 0; j < 3; ++j) {
    D[j][0] = D[j][1] = D[j][2] = lane_of(0.0);
  }
  for (int a = 0; a < count; ++a) {
    const lane *v = self->v + incidences[a].value, *w = self->schur + incidences[a].value;
    const int stride = incidences[a].stride;
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        const lane *x = v + j * stride, *y = w + k * stride;
        D[j][k] = lane_fma(x[0], y[0], lane_fma(x[1], y[1], lane_fma(x[2], y[2], D[j][k])));
      }
    }
  }
}

// P += sum_k s_k w_k^T and z += sum_k s_k y_k + w_k x_k, s_k = w_k / d_k, of three consecutive
// columns; P is read once.
LANE void grow_by_three(newton *self, const sinew_crowd_incidence *incidences, int count,
                        const lane inverse[3], const lane y[3], const lane given[3]) {
  for (int a = 0; a < count; ++a) {
    lane s[3][3], *z = self->z + 3 * incidences[a].tile;
    for (int k = 0; k < 3; ++k) {
      const lane *w = self->schur + incidences[a].value + k * incidences[a].stride;
      for (int r = 0; r < 3; ++r) {
        s[k][r] = inverse[k] * w[r];
        z[r] = lane_fma(w[r], given[k], lane_fma(s[k][r], y[k], z[r]));
      }
    }
    for (int b = 0; b <= a; ++b) {
      lane_tile *P = &self->P[tile_at(incidences[a].tile, incidences[b].tile)];
      const lane *w = self->schur + incidences[b].value;
      const int stride = incidences[b].stride;
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < (b < a ? 3 : r + 1); ++c) {
          lane sum = P->a[r][c];
          for (int k = 0; k < 3; ++k) {
            sum = lane_fma(s[k][r], w[k * stride + c], sum);
          }
          P->a[r][c] = sum;
        }
      }
    }
  }
}

#endif

// w_j -= s w_k, y_j -= s y_k
LANE void eliminate_within(newton *self, const sinew_crowd_incidence *incidences, int count,
                           int column, int j, int k, lane s) {
  for (int a = 0; a < count; ++a) {
    lane *w = self->schur + incidences[a].value;
    for (int i = 0; i < 3; ++i) {
      lane *to = w + j * incidences[a].stride + i;
      *to = lane_fnma(s, w[k * incidences[a].stride + i], *to);
    }
  }
  self->y[column + j] = lane_fnma(s, self->y[column + k], self->y[column + j]);
}

// w and y less what the columns from first on have not added to P and z.
LANE void take_from(newton *self, const sinew_crowd_incidence *incidences, int count,
                    const lane *held, bool bounded, int column, int first) {
  for (int k = first; k < self->end; ++k) {
    const lane_mask moves = newton_moves(held, bounded, k);
    const lane share = schur_dot(self, incidences, count, 0, k - column);
    eliminate_within(self, incidences, count, column, 0, k - column,
                     lane_keep(moves, share * self->pivot[k]));
    self->y[column] = lane_fnma(share, newton_given(self, moves, bounded, k), self->y[column]);
  }
}

// One column of a segment that does not grow.
LANE void eliminate_apart(newton *self, const sinew_crowd_incidence *incidences, int count,
                          const lane *held, bool bounded, int column) {
  reduce_slot(self, incidences, count, column);
  take_from(self, incidences, count, held, bounded, column, column + 1);
  newton_pivot(self, schur_dot(self, incidences, count, 0, 0) + self->mu,
               newton_moves(held, bounded, column), column);
}

// One column, any number of incidences.
LANE void eliminate_slot(newton *self, const sinew_crowd_incidence *incidences, int count,
                         const lane *held, bool bounded, int column) {
  if (self->end > 0) {
    eliminate_apart(self, incidences, count, held, bounded, column);
    return;
  }
  const lane_mask moves = newton_moves(held, bounded, column);
  lane *w = self->w;
  lane d = self->mu, y = self->g[column];
  for (int a = 0; a < count; ++a) {
    schur_slot(self, incidences, count, a, w, &d, &y);
  }
  const lane inverse = newton_pivot(self, d, moves, column);
  const lane given = newton_given(self, moves, bounded, column);
  for (int a = 0; a < count; ++a) {
    grow_rows(self, incidences, a, w, inverse, y, given);
  }
  self->y[column] = y;
}

// The same for two incidences, a pose or two points: w in registers.
LANE void eliminate_slot_two(newton *self, const sinew_crowd_incidence *incidences,
                             const lane *held, bool bounded, int column) {
  const lane_mask moves = newton_moves(held, bounded, column);
  lane w[6], d = self->mu, y = self->g[column];
  schur_slot(self, incidences, 2, 0, w, &d, &y);
  schur_slot(self, incidences, 2, 1, w, &d, &y);
  const lane inverse = newton_pivot(self, d, moves, column);
  const lane given = newton_given(self, moves, bounded, column);
  grow_rows(self, incidences, 0, w, inverse, y, given);
  grow_rows(self, incidences, 1, w, inverse, y, given);
  self->y[column] = y;
}

// The three columns of a spherical joint at once: see step/segment.c. Each has count incidences.
LANE void eliminate_spherical(newton *self, const sinew_crowd_incidence *incidences, int count,
                              const lane *held, bool bounded, int column) {
  const lane half = lane_of(0.5);
  lane_mask moves[3];
  lane D[3][3], kept[3], given[3];
  for (int k = 0; k < 3; ++k) {
    moves[k] = newton_moves(held, bounded, column + k);
    given[k] = newton_given(self, moves[k], bounded, column + k);
  }
  reduce_three(self, incidences, count, column);
  for (int k = 0; k < 3 && self->end > column + 3; ++k) {
    take_from(self, incidences + k * count, count, held, bounded, column + k, column + 3);
  }
  corner_of_three(self, incidences, count, D);
  for (int j = 0; j < 3; ++j) {
    D[j][j] = D[j][j] + self->mu;
    for (int k = 0; k < j; ++k) {
      const lane mean = half * (D[j][k] + D[k][j]);
      D[j][k] = lane_keep(mask_and(moves[j], moves[k]), mean);
      kept[j + k - 1] = mean;
      if (bounded) { // what active bounds add to the right-hand sides of the others
        lane *y = self->y + column;
        y[j] = lane_fnma(mean, lane_keep(moves[j], given[k]), y[j]);
        y[k] = lane_fnma(mean, lane_keep(moves[k], given[j]), y[k]);
      }
    }
  }
  lane pivot[3], *off = self->off + column;
  pivot[2] = newton_pivot(self, D[2][2], moves[2], column + 2);
  off[2] = D[2][1] * pivot[2];
  off[1] = D[2][0] * pivot[2];
  pivot[1] = newton_pivot(self, lane_fnma(off[2], D[2][1], D[1][1]), moves[1], column + 1);
  const lane c = lane_fnma(off[1], D[2][1], D[1][0]);
  off[0] = c * pivot[1];
  const lane d = lane_fnma(off[0], c, lane_fnma(off[1], D[2][0], D[0][0]));
  pivot[0] = newton_pivot(self, d, moves[0], column);
  eliminate_within(self, incidences, count, column, 1, 2, off[2]);
  eliminate_within(self, incidences, count, column, 0, 2, off[1]);
  eliminate_within(self, incidences, count, column, 0, 1, off[0]);
  if (self->end == 0) {
    grow_by_three(self, incidences, count, pivot, self->y + column, given);
  }
  for (int j = 1; bounded && j < 3; ++j) { // D where a column is at an active bound
    for (int k = 0; k < j; ++k) {
      off[j + k - 1] = lane_select(mask_and(moves[j], moves[k]), off[j + k - 1], kept[j + k - 1]);
    }
  }
}

// From the tips to the root.
LANE void eliminate_all(const crowd *self, newton *step, const lane *held, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_incidence *incidences = plan->incidences;
  const int *start = plan->incidence_start;
  const int tiles = plan->lanes.row_count / 3;
  crowd_zero(9 * tile_at(tiles, 0), &step->P->a[0][0]);
  crowd_zero(3 * tiles, step->z);
  step->failed = mask_of_bits(0);
  for (int r = plan->segment_count - 1; r >= 0; --r) {
    const int first = plan->segments[r].first, last = first + plan->segments[r].count - 1;
    const int count = start[first + 1] - start[first];
    step->end = plan->segments[r].grows ? 0 : last + 1;
    if (count == 1 && !plan->segments[r].spherical) {
      eliminate_segment(step, &incidences[start[last]], held, bounded, last, first);
      continue;
    }
    for (int column = last; column >= first; --column) {
      if (plan->spherical[column] != SINEW_SPHERICAL_NONE) {
        column -= 2;
        eliminate_spherical(step, &incidences[start[column]], count, held, bounded, column);
      } else if (count == 2) {
        eliminate_slot_two(step, &incidences[start[column]], held, bounded, column);
      } else {
        eliminate_slot(step, &incidences[start[column]], count, held, bounded, column);
      }
    }
  }
}

#endif
