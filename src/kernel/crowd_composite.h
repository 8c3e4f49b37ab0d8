// The trunk's system of a crowd's Newton step by twists, for the effectors whose rows are a whole
// pose each. The matrices of 6 x 6 of all effectors that a column moves are added before they are
// multiplied by the twists, as the inertias of composite rigid bodies are (Walker and Orin 1982);
// else there would be a product of two columns for each effector.
//
// With the twist xi = (L; a) of a column, at a point c near the effectors, those of J and V in the
// rows of an effector are X xi and Y xi. With its tip at c + s, the weights p and o, the residual
// (e'; r') as in crowd_expect.h, the left Jacobian J_l of SO(3) and d = s + e',
//
//   X = (p 1, -p [s]; 0, o 1),   Y = (p 1, -p [d]; 0, K),   K = o J_l(r')^-1
//
// After the limb has been eliminated, with P and z, w_j . v_k = xi_j . M xi_k and v . z = xi . h:
//
//   M = (X - P Y)^T Y,   h = Y^T z
//
// M is the sum of a symmetric matrix and N = (0, -[mu]; -[mu], [nu]), 0 without curvature:
//
//   mu = p^2 e' / 2,   nu = -(p^2 s x e' + o^2 r') / 2
#ifndef SINEW_KERNEL_CROWD_COMPOSITE_H
#define SINEW_KERNEL_CROWD_COMPOSITE_H

#include "kernel/crowd_limb.h"

#include <stddef.h>

// M and h of an effector, or a sum of them: the lower triangles of the symmetric part's blocks on
// the diagonal, its block of rows of L and columns of a, and N, not filled without curvature.
typedef struct lane_composite {
  lane LL[6], LA[9], AA[6], h[6], mu[3], nu[3];
} lane_composite;

_Static_assert(sizeof(lane_composite) == SINEW_CROWD_COMPOSITE_VALUES * sizeof(lane), "crowd.h");

LANE bool limb_has_twists(const sinew_crowd_limb *limb) {
  return SINEW_CROWD_IS_FAST && limb->twists;
}

LANE bool crowd_has_twists(const crowd *self) {
  return SINEW_CROWD_IS_FAST && self->plan->twists;
}

LANE lane *twist_of(const crowd *self, int place) {
  return crowd_of(self, SINEW_CROWD_TWISTS) + 6 * place;
}

// c, which is stored after the twists.
LANE lane *twist_point(const crowd *self) {
  return twist_of(self, self->plan->trunk_count);
}

// Fills the twists of the trunk's columns, from poses and the axes of cones.
LANE_APART void crowd_fill_twists(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  lane *c = twist_point(self);
  lanes_copy(3, poses + 12 * plan->twist_node + 9, c);
  for (int place = 0; place < plan->trunk_count; ++place) {
    const int number = plan->composites[place].entry;
    lane axis[3], *twist = twist_of(self, place);
    if (number >= 0) {
      const sinew_lane_entry *entry = &plan->lanes.entries[number];
      entry_axis(self, entry, axis);
      entry_column(&plan->lanes.nodes[entry->node], entry->ratio, poses + 12 * entry->node, axis, c,
                   twist, twist + 3);
    }
  }
}

// ------------------------------------------------------------------ effectors

// X and Y of an effector.
typedef struct twist_rows {
  double p, o;
  lane s[3], e[3], r[3];
  lane d[3]; // p d
  lane K[9]; // row-major; without curvature o 1, and not filled
} twist_rows;

LANE void twist_rows_of(const crowd *self, int t, bool curved, twist_rows *rows) {
  const sinew_lane_effector *effector = &self->plan->lanes.effectors[t];
  const lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t, *c = twist_point(self);
  const lane *second = crowd_of(self, SINEW_CROWD_SECOND) + SINEW_CROWD_SECOND_VALUES * t;
  rows->p = effector->position_weight;
  rows->o = effector->orientation_weight;
  for (int i = 0; i < 3; ++i) {
    rows->s[i] = tip[i] - c[i];
    rows->e[i] = curved ? second[i] : lane_of(0.0);
    rows->r[i] = curved ? second[3 + i] : lane_of(0.0);
    rows->d[i] = lane_of(rows->p) * (curved ? rows->s[i] + rows->e[i] : rows->s[i]);
  }
  if (curved) {
    lanes_copy(9, second + 6, rows->K);
  }
}

// out = p d x a + K^T b: a row of P Y, whose columns of a are these.
LANE void twist_transposed(const twist_rows *rows, bool curved, const lane a[3], const lane b[3],
                           lane out[3]) {
  const lane *K = rows->K;
  cross3(rows->d, a, out);
  for (int i = 0; i < 3; ++i) {
    out[i] = curved
                 ? lane_fma(K[i], b[0], lane_fma(K[3 + i], b[1], lane_fma(K[6 + i], b[2], out[i])))
                 : lane_fma(lane_of(rows->o), b[i], out[i]);
  }
}

// M of rows whose P Y is, in its columns of a, top and bottom.
LANE void composite_fill(const twist_rows *rows, bool curved, const pose_sums *sums, lane top[][3],
                         lane bottom[][3], lane_composite *out) {
  const double p = rows->p, o = rows->o;
  const lane pp = lane_of(p * p), half = lane_of(0.5), *s = rows->s, *d = rows->d, *K = rows->K;
  const lane along = lane_of(p) * dot3(s, d); // p^2 s . d
  lane half_way[3];
  for (int i = 0; i < 3; ++i) {
    half_way[i] = pp * (curved ? lane_fma(half, rows->e[i], s[i]) : s[i]);
  }
  const lane *h = half_way, zero = lane_of(0.0);
  const lane cross[9] = {zero, -h[2], h[1], h[2], zero, -h[0], -h[1], h[0], zero};
  for (int i = 0; i < 3; ++i) {
    const lane column[3] = {top[0][i], top[1][i], top[2][i]};
    lane turned[3]; // column i of p [d] top
    cross3(d, column, turned);
    for (int j = 0; j < 3; ++j) {
      out->LA[3 * i + j] = lane_fnma(lane_of(p), top[i][j], -cross[3 * i + j]);
    }
    for (int j = i; j < 3; ++j) {
      const int at = j * (j + 1) / 2 + i;
      lane sum = lane_fma(s[i], d[j], s[j] * d[i]) * lane_of(-0.5 * p) - turned[j];
      if (curved) {
        sum = lane_fma(half * lane_of(o), K[3 * i + j] + K[3 * j + i], sum);
        sum = lane_fnma(K[j], bottom[0][i], sum);
        sum = lane_fnma(K[3 + j], bottom[1][i], lane_fnma(K[6 + j], bottom[2][i], sum));
      } else {
        sum = lane_fnma(lane_of(o), bottom[j][i], i == j ? sum + lane_of(o * o) : sum);
      }
      out->AA[at] = i == j ? sum + along : sum;
      out->LL[at] = i == j ? lane_fnma(pp, sums->P[at], pp) : -pp * sums->P[at];
    }
  }
}

// M and h of an effector whose limb has been eliminated.
LANE void composite_of(const crowd *self, int t, bool curved, const pose_sums *sums) {
  lane_composite *out = (lane_composite *)(void *)crowd_of(self, SINEW_CROWD_COMPOSITES) + t;
  const lane *P = sums->P, *z = sums->z;
  lane top[3][3], bottom[3][3];
  twist_rows rows;
  twist_rows_of(self, t, curved, &rows);
  const lane A[3][3] = {{P[0], P[1], P[3]}, {P[1], P[2], P[4]}, {P[3], P[4], P[5]}};
  const lane B[3][3] = {{P[6], P[7], P[8]}, {P[10], P[11], P[12]}, {P[15], P[16], P[17]}};
  const lane C[3][3] = {{P[9], P[13], P[18]}, {P[13], P[14], P[19]}, {P[18], P[19], P[20]}};
  for (int i = 0; i < 3; ++i) {
    const lane column[3] = {B[0][i], B[1][i], B[2][i]};
    twist_transposed(&rows, curved, A[i], column, top[i]);
    twist_transposed(&rows, curved, B[i], C[i], bottom[i]);
  }
  composite_fill(&rows, curved, sums, top, bottom, out);
  twist_transposed(&rows, curved, z, z + 3, out->h + 3);
  for (int i = 0; i < 3; ++i) {
    out->h[i] = lane_of(rows.p) * z[i];
  }
  if (curved) {
    const lane pp = lane_of(-0.5 * rows.p * rows.p), oo = lane_of(-0.5 * rows.o * rows.o);
    lane across[3];
    cross3(rows.s, rows.e, across);
    for (int i = 0; i < 3; ++i) {
      out->mu[i] = -pp * rows.e[i];
      out->nu[i] = lane_fma(pp, across[i], oo * rows.r[i]);
    }
  }
}

// r = Y xi
LANE void twist_motion(const crowd *self, int t, bool curved, const lane xi[6], lane r[6]) {
  lane turned[3];
  twist_rows rows;
  twist_rows_of(self, t, curved, &rows);
  cross3(rows.d, xi + 3, turned);
  for (int i = 0; i < 3; ++i) {
    r[i] = lane_fma(lane_of(rows.p), xi[i], -turned[i]);
    r[3 + i] = curved ? dot3(rows.K + 3 * i, xi + 3) : lane_of(rows.o) * xi[3 + i];
  }
}

// ----------------------------------------------------------------- the system

// The sum of the effectors that a column moves, from that of the column after it.
LANE void composite_sum(const crowd *self, const sinew_crowd_composite *of, bool curved,
                        lane_composite *sum) {
  const size_t values = (curved ? sizeof *sum : offsetof(lane_composite, mu)) / sizeof(lane);
  const lane_composite *all =
      (const lane_composite *)(const void *)crowd_of(self, SINEW_CROWD_COMPOSITES);
  for (int i = 0; i < of->add_count; ++i) {
    const lane *from = (const lane *)&all[self->plan->added_effectors[of->add_start + i]];
    lane *to = (lane *)sum;
    for (size_t k = 0; k < values; ++k) {
      to[k] = of->restarts && i == 0 ? from[k] : to[k] + from[k];
    }
  }
}

// out = the symmetric part of M times xi.
LANE void composite_apply(const lane_composite *of, const lane xi[6], lane out[6]) {
  const lane *LL = of->LL, *LA = of->LA, *AA = of->AA, *a = xi + 3;
  for (int i = 0; i < 3; ++i) {
    const lane *row = LA + 3 * i;
    const int second = i < 1 ? 1 : i * (i + 1) / 2 + 1; // of LL and AA: i, 1
    const int first = i * (i + 1) / 2, third = i < 2 ? 3 + i : 5;
    lane linear = lane_fma(row[0], a[0], lane_fma(row[1], a[1], row[2] * a[2]));
    lane angular = lane_fma(LA[i], xi[0], lane_fma(LA[3 + i], xi[1], LA[6 + i] * xi[2]));
    linear =
        lane_fma(LL[first], xi[0], lane_fma(LL[second], xi[1], lane_fma(LL[third], xi[2], linear)));
    angular =
        lane_fma(AA[first], a[0], lane_fma(AA[second], a[1], lane_fma(AA[third], a[2], angular)));
    out[i] = linear;
    out[3 + i] = angular;
  }
}

// out = mean - N xi: M^T xi.
LANE void composite_apply_all(const lane_composite *of, const lane xi[6], const lane mean[6],
                              lane out[6]) {
  lane linear[3], angular[3], about[3];
  cross3(of->mu, xi + 3, linear);
  cross3(of->mu, xi, angular);
  cross3(of->nu, xi + 3, about);
  for (int i = 0; i < 3; ++i) {
    out[i] = mean[i] + linear[i];
    out[3 + i] = mean[3 + i] + (angular[i] - about[i]);
  }
}

// S and y -= xi . h of all these effectors. Of a spherical joint S is symmetric: crowd_trunk.h.
LANE void composite_system(const crowd *self, bool curved, lane *S, lane *y) {
  const sinew_crowd_plan *plan = self->plan;
  lane_composite sum;
  for (int place = plan->trunk_count - 1; place >= 0; --place) {
    const sinew_crowd_composite *of = &plan->composites[place];
    const int within = plan->trunk_within[place];
    const lane *xi = twist_of(self, place);
    lane *row = S + place * (place + 1) / 2, mean[6], all[6];
    if (of->above < place) { // some columns before it move none of its effectors
      crowd_zero(place + 1, row);
    }
    if (of->entry < 0) {
      continue;
    }
    composite_sum(self, of, curved, &sum);
    y[place] = y[place] - pose_dot(xi, sum.h);
    composite_apply(&sum, xi, mean);
    if (curved) {
      composite_apply_all(&sum, xi, mean, all);
    }
    const int *before = plan->limbs[of->limb].trunk;
    for (int k = 0; k <= of->above; ++k) {
      const bool same = !curved || k >= of->above - within;
      row[before[k]] = pose_dot(same ? mean : all, twist_of(self, before[k]));
    }
  }
}

#endif
