// Free balls of a point: three columns u_k = e_k x a, v_k = e_k x b, and P in whole columns.
//
// With X, Y, Z the columns of P and z what is beside it (newton.c)
//
//   P v_x = b_y Z - b_z Y,  P v_y = b_z X - b_x Z,  P v_z = b_x Y - b_y X,
//   w_j . v_k = (b x w_j)_k,  v_k . z = (b x z)_k,
//
// and the mean of u_j . v_k and u_k . v_j, which is what H has, is more than u_j . v_k by half of
// (a x b)_z for j, k = y, x, of -(a x b)_y for z, x, and of (a x b)_x for z, y.
//
// Where w and y are of three columns, they hold what x = y - w r is found by at once, nothing tied.
#ifndef SINEW_STEP_FREE_BALL_H
#define SINEW_STEP_FREE_BALL_H

#include "math/ball.h"
#include "step/stretch.h"
#include "step/three.h"

typedef struct sinew_ball_point {
  sinew_four X, Y, Z, sum; // P and z; the fourth of each is nothing
} sinew_ball_point;

SINEW_ALWAYS_INLINE sinew_ball_point sinew_ball_point_load(const sinew_stretch *s) {
  const double *P = s->P;
  return (sinew_ball_point){sinew_four_load3(P), sinew_four_load3(P + s->stride),
                            sinew_four_load3(P + 2 * s->stride), sinew_four_load3(s->z)};
}

SINEW_ALWAYS_INLINE void sinew_ball_point_store(const sinew_ball_point *p, const sinew_stretch *s) {
  sinew_four_store3(s->P, p->X);
  sinew_four_store3(s->P + s->stride, p->Y);
  sinew_four_store3(s->P + 2 * s->stride, p->Z);
  sinew_four_store3(s->z, p->sum);
}

// b x v as (z, x, y), given b and (y, z, x) of it.
SINEW_ALWAYS_INLINE sinew_four sinew_ball_cross(sinew_four b, sinew_four next, sinew_four v) {
  return b * sinew_four_next(v) - next * v;
}

// P + w w^T / d, z + w y / d, given t = w / d. What is new is returned, so that it stays in
// registers.
SINEW_ALWAYS_INLINE sinew_ball_point sinew_ball_take_up(const sinew_ball_point *p, sinew_four w,
                                                        sinew_four t, double y) {
  return (sinew_ball_point){p->X + t * SINEW_FOUR_SPREAD(w, 0), p->Y + t * SINEW_FOUR_SPREAD(w, 1),
                            p->Z + t * SINEW_FOUR_SPREAD(w, 2), p->sum + t * SINEW_FOUR_OF(y)};
}

// A ball on its way out of the matrix: w = u - P v, its corner of the matrix, and y = g - v . z.
typedef struct sinew_ball_reduced {
  sinew_four w0, w1, w2;
  sinew_three D;
  double y0, y1, y2;
} sinew_ball_reduced;

// Columns j, j + 1, j + 2.
SINEW_ALWAYS_INLINE sinew_ball_reduced sinew_ball_reduce(const sinew_stretch *s, int j,
                                                         const sinew_ball_point *p) {
  const double *u = s->u + 3 * j, *v = s->v + 3 * j, *g = s->right + j;
  const double ax = sinew_spherical_columns_x(u), ay = sinew_spherical_columns_y(u),
               az = sinew_spherical_columns_z(u);
  const double x = sinew_spherical_columns_x(v), y = sinew_spherical_columns_y(v),
               z = sinew_spherical_columns_z(v);
  const sinew_four bx = SINEW_FOUR_OF(x), by = SINEW_FOUR_OF(y), bz = SINEW_FOUR_OF(z);
  const sinew_four b = {x, y, z, z}, next = {y, z, x, x};
  const sinew_four w0 = sinew_four_load(u) - (by * p->Z - bz * p->Y),
                   w1 = sinew_four_load(u + 3) - (bz * p->X - bx * p->Z),
                   w2 = SINEW_FOUR_SHUFFLE(sinew_four_load(u + 5), 1, 2, 3, 3) -
                        (bx * p->Y - by * p->X);
  const sinew_four D0 = sinew_ball_cross(b, next, w0), D1 = sinew_ball_cross(b, next, w1),
                   D2 = sinew_ball_cross(b, next, w2), vz = sinew_ball_cross(b, next, p->sum);
  return (sinew_ball_reduced){.w0 = w0,
                              .w1 = w1,
                              .w2 = w2,
                              .D = {.D00 = D0[1] + s->mu,
                                    .D10 = D1[1] + 0.5 * (ax * y - ay * x),
                                    .D11 = D1[2] + s->mu,
                                    .D20 = D2[1] + 0.5 * (ax * z - az * x),
                                    .D21 = D2[2] + 0.5 * (ay * z - az * y),
                                    .D22 = D2[0] + s->mu},
                              .y0 = g[0] - vz[1],
                              .y1 = g[1] - vz[2],
                              .y2 = g[2] - vz[0]};
}

// P and z with the ball taken up, and what its substitution needs.
SINEW_ALWAYS_INLINE sinew_ball_point sinew_ball_take(const sinew_stretch *s, int j,
                                                     const sinew_ball_reduced *ball,
                                                     const sinew_three_factor *f,
                                                     const sinew_ball_point *from) {
  const double y2 = ball->y2, y1 = ball->y1 - f->L21 * y2,
               y0 = ball->y0 - (f->L20 * y2 + f->L10 * y1);
  const sinew_four L10 = SINEW_FOUR_OF(f->L10), L20 = SINEW_FOUR_OF(f->L20),
                   L21 = SINEW_FOUR_OF(f->L21);
  const sinew_four w2 = ball->w2, w1 = ball->w1 - L21 * w2, w0 = (ball->w0 - L20 * w2) - L10 * w1;
  const sinew_four t2 = w2 * SINEW_FOUR_OF(f->pivot2), t1 = w1 * SINEW_FOUR_OF(f->pivot1),
                   t0 = w0 * SINEW_FOUR_OF(f->pivot0);
  sinew_ball_point p = sinew_ball_take_up(from, w2, t2, y2);
  p = sinew_ball_take_up(&p, w1, t1, y1);
  p = sinew_ball_take_up(&p, w0, t0, y0);
  const sinew_four free1 = t1 - L10 * t0;
  double *w = s->w + 3 * j, *out = s->y + j, *links = s->links + j;
  sinew_four_store(w, t0);
  sinew_four_store(w + 3, free1);
  sinew_four_store3(w + 6, (t2 - L20 * t0) - L21 * free1);
  out[0] = y0 * f->pivot0;
  out[1] = y1 * f->pivot1 - f->L10 * out[0];
  out[2] = y2 * f->pivot2 - f->L20 * out[0] - f->L21 * out[1];
  links[0] = f->L10;
  links[1] = f->L20;
  links[2] = f->L21;
  return p;
}

// Both. bad is the column whose pivot is not positive, or -1.
SINEW_ALWAYS_INLINE sinew_ball_point sinew_ball_eliminate(const sinew_stretch *s, int j,
                                                          const sinew_ball_point *p, int *bad) {
  const sinew_ball_reduced ball = sinew_ball_reduce(s, j, p);
  const sinew_three_factor f = sinew_three_factor_of(ball.D, s->mu);
  *bad = f.bad >= 0 ? j + f.bad : -1;
  return *bad >= 0 ? *p : sinew_ball_take(s, j, &ball, &f, p);
}

// x, at least least where that is more: off a ridge.
SINEW_ALWAYS_INLINE double sinew_turn_at_least(double x, double least) {
  return fabs(x) < least ? copysign(least, x) : x;
}

// x off a ridge: what one turns by more, the next ones follow.
static inline void sinew_ball_leave_ridge(const double *links, const double *least, double x[3]) {
  const double x0 = sinew_turn_at_least(x[0], least[0]), more0 = x0 - x[0];
  const double tied1 = x[1] - links[0] * more0;
  const double x1 = sinew_turn_at_least(tied1, least[1]), more1 = x1 - x[1];
  x[2] = sinew_turn_at_least(x[2] - links[1] * more0 - links[2] * more1, least[2]);
  x[1] = x1;
  x[0] = x0;
}

// What the rest so far comes to, entry by entry: it is to stay in registers.
typedef struct sinew_ball_rest {
  double x, y, z;
} sinew_ball_rest;

// Entry k of y - w r.
SINEW_ALWAYS_INLINE double sinew_ball_part(const double *y, const double *w, int k,
                                           sinew_ball_rest r) {
  return (y[k] - w[3 * k] * r.x) - (w[3 * k + 1] * r.y + w[3 * k + 2] * r.z);
}

// least: of each of the three, where the elimination met a ridge (NULL: nowhere). Returns r + v x.
SINEW_ALWAYS_INLINE sinew_ball_rest sinew_ball_substitute(const sinew_stretch *s, int j,
                                                          const double *least, sinew_ball_rest r,
                                                          double *out) {
  const double *w = s->w + 3 * j, *v = s->v + 3 * j, *y = s->y + j;
  const double bx = sinew_spherical_columns_x(v), by = sinew_spherical_columns_y(v),
               bz = sinew_spherical_columns_z(v);
  double x0 = sinew_ball_part(y, w, 0, r), x1 = sinew_ball_part(y, w, 1, r),
         x2 = sinew_ball_part(y, w, 2, r);
  if (least != NULL) {
    double x[3] = {x0, x1, x2};
    sinew_ball_leave_ridge(s->links + j, least, x);
    x0 = x[0];
    x1 = x[1];
    x2 = x[2];
  }
  out[j] = x0;
  out[j + 1] = x1;
  out[j + 2] = x2;
  return (sinew_ball_rest){(r.x + x1 * bz) - x2 * by, // x cross b
                           (r.y + x2 * bx) - x0 * bz, (r.z + x0 * by) - x1 * bx};
}

#endif
