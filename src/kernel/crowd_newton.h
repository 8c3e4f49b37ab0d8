// A crowd's Newton step: (H + mu I) x = g without forming H. See step/newton.c for the
// mathematics; here P is symmetric and kept as its lower tiles.
#ifndef SINEW_KERNEL_CROWD_NEWTON_H
#define SINEW_KERNEL_CROWD_NEWTON_H

#include "kernel/crowd_box.h"
#include "kernel/tiles.h"

// Damping where H is not positive definite grows by this, and doubles.
#define CROWD_RAISE 1e-4
#define CROWD_ATTEMPTS 200

// What elimination keeps, and how it goes.
typedef struct newton {
  const lane *u, *v, *g;
  lane_tile *P;
  lane *z, *bent, *pivot, *y, *links, *w;
  lane mu;
  lane_mask failed; // H + mu I has been seen to be not positive definite
  lane ridge;       // the slot where that was seen last, or -1
} newton;

// ------------------------------------------------------------------ elimination

// 1 / d where the slot is eliminated, else 0; notes failures.
LANE lane newton_pivot(newton *self, lane d, lane_mask moves, int slot) {
  const lane zero = lane_of(0.0), half = lane_of(0.5);
  const lane_mask sound = lane_less(half * self->mu, d);
  const lane_mask fails = mask_and(moves, mask_not(mask_or(sound, self->failed)));
  self->ridge = lane_select(fails, lane_of(slot), self->ridge);
  self->failed = mask_or(self->failed, fails);
  return lane_select(moves, lane_of(1.0) / lane_select(sound, d, lane_of(1.0)), zero);
}

LANE lane_mask newton_moves(const lane *held, bool bounded, int slot) {
  return bounded ? is_free(held[slot]) : lane_less(lane_of(0.0), lane_of(1.0));
}

// Slots from last down to first, all of which touch one tile and no other: its corner of P and
// z stay in registers.
LANE void eliminate_run(newton *self, const sinew_crowd_touch *touch, const lane *held,
                        bool bounded, int last, int first) {
  const int tile = touch->tile;
  lane(*P)[3] = self->P[tile_at(tile, tile)].a;
  lane *z = self->z + 3 * tile;
  lane p00 = P[0][0], p10 = P[1][0], p11 = P[1][1], p20 = P[2][0], p21 = P[2][1], p22 = P[2][2];
  lane z0 = z[0], z1 = z[1], z2 = z[2];
  int at = touch->value;
  for (int slot = last; slot >= first; --slot, at -= touch->stride) {
    const lane *u = self->u + at, *v = self->v + at;
    const lane_mask moves = newton_moves(held, bounded, slot);
    const lane w0 = lane_fnma(p20, v[2], lane_fnma(p10, v[1], lane_fnma(p00, v[0], u[0])));
    const lane w1 = lane_fnma(p21, v[2], lane_fnma(p11, v[1], lane_fnma(p10, v[0], u[1])));
    const lane w2 = lane_fnma(p22, v[2], lane_fnma(p21, v[1], lane_fnma(p20, v[0], u[2])));
    const lane d = lane_fma(w0, v[0], lane_fma(w1, v[1], lane_fma(w2, v[2], self->mu)));
    const lane y = lane_fnma(v[0], z0, lane_fnma(v[1], z1, lane_fnma(v[2], z2, self->g[slot])));
    const lane inverse = newton_pivot(self, d, moves, slot);
    const lane s0 = w0 * inverse, s1 = w1 * inverse, s2 = w2 * inverse;
    p00 = lane_fma(s0, w0, p00);
    p10 = lane_fma(s1, w0, p10);
    p11 = lane_fma(s1, w1, p11);
    p20 = lane_fma(s2, w0, p20);
    p21 = lane_fma(s2, w1, p21);
    p22 = lane_fma(s2, w2, p22);
    z0 = lane_fma(s0, y, z0);
    z1 = lane_fma(s1, y, z1);
    z2 = lane_fma(s2, y, z2);
    self->bent[at] = w0;
    self->bent[at + 1] = w1;
    self->bent[at + 2] = w2;
    self->pivot[slot] = inverse;
    self->y[slot] = y;
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

// w -= P v for a tile below the diagonal, for one above it (P as it stands below), and for one
// on it, of which the lower triangle is kept.
LANE void bend_below(const lane_tile *P, const lane *v, lane w[3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      w[r] = lane_fnma(P->a[r][c], v[c], w[r]);
    }
  }
}

LANE void bend_above(const lane_tile *P, const lane *v, lane w[3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      w[r] = lane_fnma(P->a[c][r], v[c], w[r]);
    }
  }
}

LANE void bend_same(const lane_tile *P, const lane *v, lane w[3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      w[r] = lane_fnma(c <= r ? P->a[r][c] : P->a[c][r], v[c], w[r]);
    }
  }
}

// w = u - P v for the rows of touch a.
LANE void bend_rows(const newton *self, const sinew_crowd_touch *touches, int count, int a,
                    lane w[3]) {
  const lane *u = self->u + touches[a].value;
  w[0] = u[0];
  w[1] = u[1];
  w[2] = u[2];
  for (int b = 0; b < a; ++b) {
    bend_below(&self->P[tile_at(touches[a].tile, touches[b].tile)], self->v + touches[b].value, w);
  }
  bend_same(&self->P[tile_at(touches[a].tile, touches[a].tile)], self->v + touches[a].value, w);
  for (int b = a + 1; b < count; ++b) {
    bend_above(&self->P[tile_at(touches[b].tile, touches[a].tile)], self->v + touches[b].value, w);
  }
}

// P += s w^T for the rows of touch a, s = w / d.
LANE void grow_rows(newton *self, const sinew_crowd_touch *touches, int a, const lane *w,
                    lane inverse, lane y) {
  const lane s[3] = {inverse * w[3 * a], inverse * w[3 * a + 1], inverse * w[3 * a + 2]};
  lane *z = self->z + 3 * touches[a].tile;
  for (int r = 0; r < 3; ++r) {
    z[r] = lane_fma(s[r], y, z[r]);
  }
  for (int b = 0; b <= a; ++b) {
    lane_tile *P = &self->P[tile_at(touches[a].tile, touches[b].tile)];
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) { // what is above the diagonal is not read
        P->a[r][c] = lane_fma(s[r], w[3 * b + c], P->a[r][c]);
      }
    }
  }
}

// One slot, any number of tiles.
LANE void eliminate_slot(newton *self, const sinew_crowd_touch *touches, int count, lane_mask moves,
                         int slot) {
  lane *w = self->w;
  lane d = self->mu, y = self->g[slot];
  for (int a = 0; a < count; ++a) {
    const lane *v = self->v + touches[a].value, *z = self->z + 3 * touches[a].tile;
    lane bent[3];
    bend_rows(self, touches, count, a, bent);
    for (int i = 0; i < 3; ++i) {
      d = lane_fma(bent[i], v[i], d);
      y = lane_fnma(v[i], z[i], y);
      w[3 * a + i] = bent[i];
      self->bent[touches[a].value + i] = bent[i];
    }
  }
  const lane inverse = newton_pivot(self, d, moves, slot);
  for (int a = 0; a < count; ++a) {
    grow_rows(self, touches, a, w, inverse, y);
  }
  self->pivot[slot] = inverse;
  self->y[slot] = y;
}

// v_j . w_k over all tiles, w as it stands in bent.
LANE lane bent_dot(const newton *self, const sinew_crowd_touch *touches, int count, int j, int k) {
  lane sum = lane_of(0.0);
  for (int a = 0; a < count; ++a) {
    const lane *v = self->v + touches[a].value + j * touches[a].stride;
    const lane *w = self->bent + touches[a].value + k * touches[a].stride;
    sum = lane_fma(v[0], w[0], lane_fma(v[1], w[1], lane_fma(v[2], w[2], sum)));
  }
  return sum;
}

// w_k of a ball's three, and y_k; 0 where held.
LANE void bend_of_ball(newton *self, const sinew_crowd_touch *touches, int count, lane_mask moves,
                       int slot, int k) {
  const lane zero = lane_of(0.0);
  lane y = self->g[slot + k];
  for (int a = 0; a < count; ++a) {
    const lane *v = self->v + touches[a].value, *z = self->z + 3 * touches[a].tile;
    lane bent[3];
    bend_rows(self, touches, count, a, bent);
    for (int i = 0; i < 3; ++i) {
      y = lane_fnma(v[i], z[i], y);
      self->bent[touches[a].value + i] = lane_select(moves, bent[i], zero);
    }
  }
  self->y[slot + k] = lane_select(moves, y, zero);
}

// w_j -= s w_k, y_j -= s y_k
LANE void untie(newton *self, const sinew_crowd_touch *touches, int count, int slot, int j, int k,
                lane s) {
  for (int a = 0; a < count; ++a) {
    lane *w = self->bent + touches[a].value;
    for (int i = 0; i < 3; ++i) {
      lane *to = w + j * touches[a].stride + i;
      *to = lane_fnma(s, w[k * touches[a].stride + i], *to);
    }
  }
  self->y[slot + j] = lane_fnma(s, self->y[slot + k], self->y[slot + j]);
}

// A ball's three at once: see step/stretch.c. touches are count for each of the three.
LANE void eliminate_ball(newton *self, const sinew_crowd_touch *touches, int count,
                         const lane *held, bool bounded, int slot) {
  const lane half = lane_of(0.5), zero = lane_of(0.0);
  lane_mask moves[3];
  lane D[3][3];
  for (int k = 0; k < 3; ++k) {
    moves[k] = newton_moves(held, bounded, slot + k);
    bend_of_ball(self, touches + k * count, count, moves[k], slot, k);
  }
  for (int j = 0; j < 3; ++j) {
    D[j][j] = bent_dot(self, touches, count, j, j) + self->mu;
    for (int k = 0; k < j; ++k) {
      const lane mean =
          half * (bent_dot(self, touches, count, j, k) + bent_dot(self, touches, count, k, j));
      D[j][k] = lane_select(mask_and(moves[j], moves[k]), mean, zero);
    }
  }
  lane *pivot = self->pivot + slot, *links = self->links + slot;
  pivot[2] = newton_pivot(self, D[2][2], moves[2], slot + 2);
  links[2] = D[2][1] * pivot[2];
  links[1] = D[2][0] * pivot[2];
  pivot[1] = newton_pivot(self, lane_fnma(links[2], D[2][1], D[1][1]), moves[1], slot + 1);
  const lane c = lane_fnma(links[1], D[2][1], D[1][0]);
  links[0] = c * pivot[1];
  const lane d = lane_fnma(links[0], c, lane_fnma(links[1], D[2][0], D[0][0]));
  pivot[0] = newton_pivot(self, d, moves[0], slot);
  untie(self, touches, count, slot, 1, 2, links[2]);
  untie(self, touches, count, slot, 0, 2, links[1]);
  untie(self, touches, count, slot, 0, 1, links[0]);
  for (int k = 0; k < 3; ++k) {
    for (int a = 0; a < count; ++a) {
      memcpy(self->w + 3 * a, self->bent + touches[k * count + a].value, 3 * sizeof *self->w);
    }
    for (int a = 0; a < count; ++a) {
      grow_rows(self, touches + k * count, a, self->w, pivot[k], self->y[slot + k]);
    }
  }
}

// From the tips to the root.
LANE void eliminate_all(const crowd *self, newton *step, const lane *held, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_touch *touches = plan->touches;
  const int *start = plan->touch_start;
  const int tiles = plan->lanes.row_count / 3;
  crowd_zero(9 * tile_at(tiles, 0), &step->P->a[0][0]);
  crowd_zero(3 * tiles, step->z);
  step->failed = mask_of_bits(0);
  for (int r = plan->run_count - 1; r >= 0; --r) {
    const int first = plan->runs[r].first, last = first + plan->runs[r].count - 1;
    const int count = start[first + 1] - start[first];
    if (count == 1 && !plan->runs[r].balls) {
      eliminate_run(step, &touches[start[last]], held, bounded, last, first);
      continue;
    }
    for (int slot = last; slot >= first; --slot) {
      if (plan->balls[slot] != SINEW_BALL_NONE) {
        slot -= 2;
        eliminate_ball(step, &touches[start[slot]], count, held, bounded, slot);
      } else {
        eliminate_slot(step, &touches[start[slot]], count, newton_moves(held, bounded, slot), slot);
      }
    }
  }
}

// x of one slot from what is nearer the root: sum is w . r, tied what ties it to others of a ball.
// Off a ridge it moves by least at least. What r gains is moved times v.
LANE lane newton_value(const crowd *self, const newton *step, lane least, int slot, lane sum,
                       lane tied, bool bounded, lane *moved) {
  lane *x = crowd_of(self, SINEW_CROWD_X);
  lane value = lane_fma(step->y[slot] - sum, step->pivot[slot], -tied);
  const lane_mask here = lane_less(lane_abs(step->ridge - lane_of(slot)), lane_of(0.5));
  if (mask_bits(here) != 0) {
    const lane_mask small = lane_less(lane_abs(value), least);
    value = lane_select(mask_and(here, small), lane_with_sign(least, value), value);
  }
  *moved = value;
  if (bounded) {
    const lane_mask moves = is_free(crowd_of(self, SINEW_CROWD_HELD)[slot]);
    value = lane_select(moves, value, x[slot]);
    *moved = lane_select(moves, value, lane_of(0.0));
  }
  x[slot] = value;
  return value;
}

// A run that touches one tile.
LANE void substitute_run(const crowd *self, const newton *step, lane least,
                         const sinew_crowd_touch *touch, bool bounded, int first, int end) {
  lane *r = crowd_of(self, SINEW_CROWD_RIGHT) + 3 * touch->tile;
  lane r0 = r[0], r1 = r[1], r2 = r[2];
  int at = touch->value;
  for (int slot = first; slot < end; ++slot, at += touch->stride) {
    const lane *w = step->bent + at, *v = step->v + at;
    lane moved;
    newton_value(self, step, least, slot, lane_fma(w[0], r0, lane_fma(w[1], r1, w[2] * r2)),
                 lane_of(0.0), bounded, &moved);
    r0 = lane_fma(moved, v[0], r0);
    r1 = lane_fma(moved, v[1], r1);
    r2 = lane_fma(moved, v[2], r2);
  }
  r[0] = r0;
  r[1] = r1;
  r[2] = r2;
}

// A ball's three.
LANE void substitute_ball(const crowd *self, const newton *step, lane least, bool bounded, int slot,
                          lane *r) {
  const lane *links = step->links + slot;
  lane sum[3], moved[3];
  for (int k = 0; k < 3; ++k) {
    sum[k] = crowd_dot_column(self, step->bent, slot + k, r);
  }
  newton_value(self, step, least, slot, sum[0], lane_of(0.0), bounded, &moved[0]);
  newton_value(self, step, least, slot + 1, sum[1], links[0] * moved[0], bounded, &moved[1]);
  newton_value(self, step, least, slot + 2, sum[2],
               lane_fma(links[1], moved[0], links[2] * moved[1]), bounded, &moved[2]);
  for (int k = 0; k < 3; ++k) {
    crowd_add_column(self, step->v, slot + k, moved[k], r);
  }
}

// From the root outward.
LANE void newton_substitute(const crowd *self, const newton *step, double ridge, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  lane *r = crowd_of(self, SINEW_CROWD_RIGHT);
  const lane least = lane_of(ridge);
  crowd_zero(plan->lanes.row_count, r);
  for (int i = 0; i < plan->run_count; ++i) {
    const int first = plan->runs[i].first, end = first + plan->runs[i].count;
    const int start = plan->touch_start[first];
    if (plan->touch_start[first + 1] - start == 1 && !plan->runs[i].balls) {
      substitute_run(self, step, least, &plan->touches[start], bounded, first, end);
      continue;
    }
    for (int slot = first; slot < end; ++slot) {
      if (plan->balls[slot] != SINEW_BALL_NONE) {
        substitute_ball(self, step, least, bounded, slot, r);
        slot += 2;
        continue;
      }
      lane moved;
      newton_value(self, step, least, slot, crowd_dot_column(self, step->bent, slot, r),
                   lane_of(0.0), bounded, &moved);
      crowd_add_column(self, step->v, slot, moved, r);
    }
  }
}

// ------------------------------------------------------------------------ held

// out += what the mean of u_j . v_k and u_k . v_j within a ball is more than the first.
LANE void add_mean(const crowd *self, const newton *step, int slot, const lane *x, lane *out) {
  const sinew_crowd_plan *plan = self->plan;
  for (int j = 1; j < 3; ++j) {
    for (int k = 0; k < j; ++k) {
      lane more = lane_of(0.0);
      for (int t = plan->touch_start[slot]; t < plan->touch_start[slot + 1]; ++t) {
        const int at = plan->touches[t].value, stride = plan->touches[t].stride;
        const lane *u = step->u + at, *v = step->v + at;
        more = more + dot3(u + k * stride, v + j * stride) - dot3(u + j * stride, v + k * stride);
      }
      more = lane_of(0.5) * more;
      out[slot + j] = lane_fma(more, x[slot + k], out[slot + j]);
      out[slot + k] = lane_fma(more, x[slot + j], out[slot + k]);
    }
  }
}

// out = H x.
LANE void newton_multiply(const crowd *self, const newton *step, const lane *x, lane *out) {
  const int n = self->plan->lanes.slot_count, rows = self->plan->lanes.row_count;
  lane *r = crowd_of(self, SINEW_CROWD_RIGHT);
  crowd_zero(rows, r);
  for (int slot = 0; slot < n; ++slot) { // what is nearer the root, and itself
    crowd_add_column(self, step->v, slot, x[slot], r);
    out[slot] = crowd_dot_column(self, step->u, slot, r);
  }
  crowd_zero(rows, r);
  for (int slot = n; slot-- > 0;) { // what is further out
    out[slot] = out[slot] + crowd_dot_column(self, step->v, slot, r);
    crowd_add_column(self, step->u, slot, x[slot], r);
  }
  for (int slot = 0; slot < n; ++slot) {
    if (self->plan->balls[slot] != SINEW_BALL_NONE) {
      add_mean(self, step, slot, x, out);
      slot += 2;
    }
  }
}

// Solves with damping mu, raised until H + mu I is positive definite; mu tells how far. Those
// held keep x.
LANE void newton_solve(const crowd *self, newton *step, lane *mu, double ridge, bool bounded) {
  const int n = self->plan->lanes.slot_count;
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT), *held = crowd_of(self, SINEW_CROWD_HELD);
  lane *x = crowd_of(self, SINEW_CROWD_X), *product = crowd_of(self, SINEW_CROWD_PRODUCT);
  const bool some_held = bounded && box_any_held(self);
  step->g = g;
  step->mu = *mu;
  step->ridge = lane_of(-1.0);
  if (some_held) {
    for (int slot = 0; slot < n; ++slot) {
      x[slot] = lane_select(is_free(held[slot]), lane_of(0.0), x[slot]);
    }
    newton_multiply(self, step, x, product);
    for (int slot = 0; slot < n; ++slot) {
      product[slot] = g[slot] - product[slot];
    }
    step->g = product;
  }
  for (int attempt = 0; attempt < CROWD_ATTEMPTS; ++attempt) {
    eliminate_all(self, step, held, some_held);
    if (mask_bits(step->failed) == 0) {
      break;
    }
    const lane more = lane_fma(lane_of(2.0), step->mu, lane_of(CROWD_RAISE));
    step->mu = lane_select(step->failed, more, step->mu);
  }
  newton_substitute(self, step, ridge, some_held);
  *mu = step->mu;
}

// x where free; where held, x moved by the gradient of the model there.
LANE void newton_wishes(const crowd *self, const newton *step) {
  const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT), *held = crowd_of(self, SINEW_CROWD_HELD);
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane *wish = crowd_of(self, SINEW_CROWD_WISH), *product = crowd_of(self, SINEW_CROWD_PRODUCT);
  newton_multiply(self, step, x, product);
  for (int slot = 0; slot < self->plan->lanes.slot_count; ++slot) {
    const lane slope = g[slot] - product[slot] - step->mu * x[slot];
    wish[slot] = lane_select(is_free(held[slot]), x[slot], x[slot] + slope);
  }
}

// Fills x, within the box where there is one, in turns; mu becomes the damping that was needed.
LANE void crowd_newton(const crowd *self, lane *mu, double ridge, bool bounded) {
  newton step = {.u = crowd_of(self, SINEW_CROWD_J),
                 .v = crowd_of(self, SINEW_CROWD_V),
                 .P = (lane_tile *)(void *)crowd_of(self, SINEW_CROWD_A),
                 .z = crowd_of(self, SINEW_CROWD_Z),
                 .bent = crowd_of(self, SINEW_CROWD_BENT),
                 .pivot = crowd_of(self, SINEW_CROWD_PIVOT),
                 .y = crowd_of(self, SINEW_CROWD_Y),
                 .links = crowd_of(self, SINEW_CROWD_LINKS),
                 .w = crowd_of(self, SINEW_CROWD_W)};
  if (!bounded) {
    newton_solve(self, &step, mu, ridge, false);
    crowd_to_turns(self);
    return;
  }
  const lane asked = *mu;
  box_way way = {0, false};
  box_guess(self);
  do {
    *mu = asked;
    newton_solve(self, &step, mu, ridge, true);
    newton_wishes(self, &step);
  } while (box_goes_on(self, &way));
  crowd_to_turns(self);
}

#endif
