// The curve on which six axes of which 2 and 3 are parallel, and 4 and 5 meet, have solutions, and
// four points of it: the mathematics is at the head of pair.c, which alone includes this.
#ifndef SINEW_ANALYTIC_PAIR_CURVE_H
#define SINEW_ANALYTIC_PAIR_CURVE_H

#include "analytic/families.h"
#include "simd/elementary.h"

// k + c cos g + s sin g
typedef struct wave {
  double k, c, s;
} wave;

// e . R_1^T u, u linear in the cosine and sine of g: constant + cosine c_1 + sine s_1.
typedef struct entry {
  wave constant, cosine, sine;
} entry;

typedef struct curve {
  entry x[3], y[3]; // along n and two vectors across it
  double d;
  double P1[2], P2[2], P3[2], K[2], KK, PP; // PP = |P_2|^2 + |P_3|^2
  double T[2];                              // h_4* P_3
  double by_P3;                             // 1 / |P_3|^2
  double h4n, h45;                          // h_4 . n, h_4 . h_5
} curve;

// A closed loop of the curve: an arc of g, or a circle with one sign of sqrt(D).
typedef struct closed_loop {
  bool arc;
  double middle, half; // of an arc; of a circle g = t
  double sign;         // of a circle
} closed_loop;

// Four points of a loop.
typedef struct points {
  lane cg, sg, c1, s1; // joints 6 and 1
  lane w[2], m, E, A, B, N;
} points;

LANE lane at_angle(const wave *v, lane c, lane s) {
  return lane_of(v->k) + lane_of(v->c) * c + lane_of(v->s) * s;
}

LANE lane entry_at(const entry *e, const points *at) {
  return at_angle(&e->constant, at->cg, at->sg) + at->c1 * at_angle(&e->cosine, at->cg, at->sg) +
         at->s1 * at_angle(&e->sine, at->cg, at->sg);
}

// The rest of a point whose g and joint 1 are known.
LANE void finish_point(const curve *c, points *at) {
  lane y[3];
  for (int i = 0; i < 3; ++i) {
    y[i] = entry_at(&c->y[i], at);
  }
  for (int i = 0; i < 2; ++i) {
    at->w[i] = entry_at(&c->x[1 + i], at) - lane_of(c->P1[i]);
  }
  const lane *w = at->w;
  const lane L = w[0] * w[0] + w[1] * w[1];
  at->m = lane_of(0.5) * (L - lane_of(c->PP));
  at->E = lane_of(c->KK) - at->m * at->m;
  // y w*, then T
  const lane re = y[1] * w[0] + y[2] * w[1], im = y[2] * w[0] - y[1] * w[1];
  const lane T_re = lane_of(c->T[0]) * re - lane_of(c->T[1]) * im;
  const lane T_im = lane_of(c->T[0]) * im + lane_of(c->T[1]) * re;
  at->A = (lane_of(c->h4n) * y[0] - lane_of(c->h45)) * L +
          T_re * (lane_of(1.0) + at->m * lane_of(c->by_P3));
  at->B = T_im * lane_of(c->by_P3);
  at->N = at->A * at->A - at->B * at->B * at->E;
}

// Joint 1 for a value of g. root: of D, with its sign.
LANE void place_first(points *at, lane a, lane b, lane d, lane root) {
  const lane by = lane_of(1.0) / lane_max(a * a + b * b, lane_of(DBL_MIN));
  at->c1 = (a * d - b * root) * by;
  at->s1 = (b * d + a * root) * by;
}

// Points of a loop at t; other: with the other sign of sqrt(D), or NULL.
LANE void find_points(const curve *c, const closed_loop *loop, lane t, points *at, points *other) {
  lane sine, cosine, g = t, sign = lane_of(loop->sign);
  if (loop->arc) {
    lane_sincos(t, &sine, &cosine);
    g = lane_of(loop->middle) + lane_of(loop->half) * cosine;
    sign = lane_with_sign(lane_of(1.0), sine);
  }
  lane_sincos(g, &at->sg, &at->cg);
  const lane a = at_angle(&c->x[0].cosine, at->cg, at->sg);
  const lane b = at_angle(&c->x[0].sine, at->cg, at->sg);
  const lane d = lane_of(c->d) - at_angle(&c->x[0].constant, at->cg, at->sg);
  const lane root = sign * lane_sqrt(lane_max(a * a + b * b - d * d, lane_of(0.0)));
  if (other != NULL) {
    other->cg = at->cg;
    other->sg = at->sg;
    place_first(other, a, b, d, -root);
    finish_point(c, other);
  }
  place_first(at, a, b, d, root);
  finish_point(c, at);
}

// ----------------------------------------------------------------- the curve

static inline void make_entry(const double e[3], const double h[3], const double u[3][3],
                              entry *out) {
  double *const to[3][3] = {{&out->constant.k, &out->constant.c, &out->constant.s},
                            {&out->cosine.k, &out->cosine.c, &out->cosine.s},
                            {&out->sine.k, &out->sine.c, &out->sine.s}};
  for (int i = 0; i < 3; ++i) {
    double across[3];
    const double along = sinew_dot(e, h) * sinew_dot(h, u[i]);
    sinew_cross(h, u[i], across);
    *to[0][i] = along;
    *to[1][i] = sinew_dot(e, u[i]) - along;
    *to[2][i] = -sinew_dot(e, across);
  }
}

// R R(h_6, -g) v = u[0] + cos g u[1] + sin g u[2]
static inline void unroll(const double R[9], const double h[3], const double v[3], double u[3][3]) {
  const double along = sinew_dot(h, v);
  double part[3];
  sinew_scale(along, h, part);
  sinew_rotate(R, part, u[0]);
  for (int i = 0; i < 3; ++i) {
    part[i] = v[i] - part[i];
  }
  sinew_rotate(R, part, u[1]);
  sinew_cross(v, h, part);
  sinew_rotate(R, part, u[2]);
}

static inline void make_curve(const sinew_arm_work *w, curve *c) {
  const sinew_arm *arm = w->arm;
  const double *n = arm->h[1];
  double e[3][3], u[3][3], plane[4][2];
  memcpy(e[0], n, sizeof e[0]);
  sinew_basis_perpendicular(n, e[1], e[2]); // i is a quarter turn about n
  unroll(w->R, arm->h[5], arm->P[5], u);
  for (int i = 0; i < 3; ++i) {
    u[0][i] = w->x[i] - u[0][i];
    u[1][i] = -u[1][i];
    u[2][i] = -u[2][i];
  }
  for (int i = 0; i < 3; ++i) {
    make_entry(e[i], arm->h[0], (const double(*)[3])u, &c->x[i]);
  }
  unroll(w->R, arm->h[5], arm->h[4], u);
  for (int i = 0; i < 3; ++i) {
    make_entry(e[i], arm->h[0], (const double(*)[3])u, &c->y[i]);
  }
  const double *const of[4] = {arm->P[1], arm->P[2], arm->P[3], arm->h[3]};
  for (int k = 0; k < 4; ++k) {
    for (int i = 0; i < 2; ++i) {
      plane[k][i] = sinew_dot(e[1 + i], of[k]);
    }
  }
  memcpy(c->P1, plane[0], sizeof c->P1);
  memcpy(c->P2, plane[1], sizeof c->P2);
  memcpy(c->P3, plane[2], sizeof c->P3);
  const double *P2 = c->P2, *P3 = c->P3, *h4 = plane[3];
  c->d = sinew_dot(n, arm->P[1]) + sinew_dot(n, arm->P[2]) + sinew_dot(n, arm->P[3]);
  c->K[0] = P2[0] * P3[0] + P2[1] * P3[1];
  c->K[1] = P2[0] * P3[1] - P2[1] * P3[0];
  c->KK = c->K[0] * c->K[0] + c->K[1] * c->K[1];
  const double square = P3[0] * P3[0] + P3[1] * P3[1];
  c->PP = P2[0] * P2[0] + P2[1] * P2[1] + square;
  c->by_P3 = 1.0 / square;
  c->T[0] = h4[0] * P3[0] + h4[1] * P3[1];
  c->T[1] = h4[0] * P3[1] - h4[1] * P3[0];
  c->h4n = sinew_dot(arm->h[3], n);
  c->h45 = sinew_dot(arm->h[3], arm->h[4]);
}

#endif
