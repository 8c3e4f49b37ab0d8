// Spherical joints in root-frame angular coordinates that move one point: three columns
// u_k = e_k x a, v_k = e_k x b.
//
// With X, Y, Z the columns of P (newton.c)
//
//   P v_x = b_y Z - b_z Y,  P v_y = b_z X - b_x Z,  P v_z = b_x Y - b_y X,
//   w_j . v_k = (b x w_j)_k,  v_k . z = (b x z)_k,
//
// The entry of H is the symmetric part (u_j . v_k + u_k . v_j) / 2. It exceeds u_j . v_k by
// (a x b)_z / 2 for j, k = y, x, by -(a x b)_y / 2 for z, x, and by (a x b)_x / 2 for z, y.
//
// Of these columns the segment stores w <- L^-1 diag(1 / d) L^-T w, and y likewise, so that
// x = y - w r needs no off-diagonals of L.
#ifndef SINEW_STEP_ROOT_FRAME_H
#define SINEW_STEP_ROOT_FRAME_H

#include "math/root_frame_columns.h"
#include "step/segment.h"
#include "step/three.h"

typedef struct sinew_root_frame_sums {
  sinew_four X, Y, Z, sum; // columns of P, and z; their fourth entries are not used
} sinew_root_frame_sums;

SINEW_ALWAYS_INLINE sinew_root_frame_sums sinew_root_frame_sums_load(const sinew_segment *s) {
  const double *P = s->P;
  return (sinew_root_frame_sums){sinew_four_load3(P), sinew_four_load3(P + s->stride),
                                 sinew_four_load3(P + 2 * s->stride), sinew_four_load3(s->z)};
}

SINEW_ALWAYS_INLINE void sinew_root_frame_sums_store(const sinew_root_frame_sums *p,
                                                     const sinew_segment *s) {
  sinew_four_store3(s->P, p->X);
  sinew_four_store3(s->P + s->stride, p->Y);
  sinew_four_store3(s->P + 2 * s->stride, p->Z);
  sinew_four_store3(s->z, p->sum);
}

// b x v in the order (z, x, y), given b and next = (b_y, b_z, b_x).
SINEW_ALWAYS_INLINE sinew_four sinew_root_frame_cross(sinew_four b, sinew_four next, sinew_four v) {
  return b * sinew_four_next(v) - next * v;
}

// P + w w^T / d and z + w y / d, given t = w / d. Returned by value, so that it stays in registers.
SINEW_ALWAYS_INLINE sinew_root_frame_sums sinew_root_frame_add(const sinew_root_frame_sums *p,
                                                               sinew_four w, sinew_four t,
                                                               double y) {
  return (sinew_root_frame_sums){p->X + t * SINEW_FOUR_SPREAD(w, 0),
                                 p->Y + t * SINEW_FOUR_SPREAD(w, 1),
                                 p->Z + t * SINEW_FOUR_SPREAD(w, 2), p->sum + t * SINEW_FOUR_OF(y)};
}

// w = u - P v, D_jk = (w_j . v_k + w_k . v_j) / 2 + mu delta_jk and y = g - v . z of one joint.
typedef struct sinew_root_frame_reduced {
  sinew_four w0, w1, w2;
  sinew_three D;
  double y0, y1, y2;
} sinew_root_frame_reduced;

// Columns j, j + 1, j + 2.
SINEW_ALWAYS_INLINE sinew_root_frame_reduced
sinew_root_frame_reduce(const sinew_segment *s, int j, const sinew_root_frame_sums *p) {
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
  const sinew_four D0 = sinew_root_frame_cross(b, next, w0),
                   D1 = sinew_root_frame_cross(b, next, w1),
                   D2 = sinew_root_frame_cross(b, next, w2),
                   vz = sinew_root_frame_cross(b, next, p->sum);
  return (sinew_root_frame_reduced){.w0 = w0,
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

// Returns P and z with the joint's update of rank 3, and stores what its substitution reads.
SINEW_ALWAYS_INLINE sinew_root_frame_sums
sinew_root_frame_update(const sinew_segment *s, int j, const sinew_root_frame_reduced *joint,
                        const sinew_three_factor *f, const sinew_root_frame_sums *from) {
  const double y2 = joint->y2, y1 = joint->y1 - f->L21 * y2,
               y0 = joint->y0 - (f->L20 * y2 + f->L10 * y1);
  const sinew_four L10 = SINEW_FOUR_OF(f->L10), L20 = SINEW_FOUR_OF(f->L20),
                   L21 = SINEW_FOUR_OF(f->L21);
  const sinew_four w2 = joint->w2, w1 = joint->w1 - L21 * w2,
                   w0 = (joint->w0 - L20 * w2) - L10 * w1;
  const sinew_four t2 = w2 * SINEW_FOUR_OF(f->pivot2), t1 = w1 * SINEW_FOUR_OF(f->pivot1),
                   t0 = w0 * SINEW_FOUR_OF(f->pivot0);
  sinew_root_frame_sums p = sinew_root_frame_add(from, w2, t2, y2);
  p = sinew_root_frame_add(&p, w1, t1, y1);
  p = sinew_root_frame_add(&p, w0, t0, y0);
  const sinew_four row1 = t1 - L10 * t0;
  double *w = s->w + 3 * j, *out = s->y + j, *off_diagonal = s->off_diagonal + j;
  sinew_four_store(w, t0);
  sinew_four_store(w + 3, row1);
  sinew_four_store3(w + 6, (t2 - L20 * t0) - L21 * row1);
  out[0] = y0 * f->pivot0;
  out[1] = y1 * f->pivot1 - f->L10 * out[0];
  out[2] = y2 * f->pivot2 - f->L20 * out[0] - f->L21 * out[1];
  off_diagonal[0] = f->L10;
  off_diagonal[1] = f->L20;
  off_diagonal[2] = f->L21;
  return p;
}

// Reduces, factors and updates. bad is the column whose pivot d is not positive, with 1 / d, or -1.
SINEW_ALWAYS_INLINE sinew_root_frame_sums sinew_root_frame_eliminate(const sinew_segment *s, int j,
                                                                     const sinew_root_frame_sums *p,
                                                                     int *bad) {
  const sinew_root_frame_reduced joint = sinew_root_frame_reduce(s, j, p);
  const sinew_three_factor f = sinew_three_factor_of(joint.D, s->mu);
  *bad = -1;
  if (f.bad >= 0) {
    *bad = j + f.bad;
    s->pivot[*bad] = sinew_three_bad_pivot(&f);
    return *p;
  }
  return sinew_root_frame_update(s, j, &joint, &f, p);
}

// x, with |x| raised to least: a step away from negative curvature.
SINEW_ALWAYS_INLINE double sinew_segment_at_least(double x, double least) {
  return fabs(x) < least ? copysign(least, x) : x;
}

// Raises |x_k| to least_k. An increase of x_0 or x_1 changes the next ones by the off-diagonals of
// L.
static inline void sinew_root_frame_raise(const double *off_diagonal, const double *least,
                                          double x[3]) {
  const double x0 = sinew_segment_at_least(x[0], least[0]), more0 = x0 - x[0];
  const double next1 = x[1] - off_diagonal[0] * more0;
  const double x1 = sinew_segment_at_least(next1, least[1]), more1 = x1 - x[1];
  x[2] = sinew_segment_at_least(x[2] - off_diagonal[1] * more0 - off_diagonal[2] * more1, least[2]);
  x[1] = x1;
  x[0] = x0;
}

// r, the sum of v x so far, in scalars so that it stays in registers.
typedef struct sinew_root_frame_partial {
  double x, y, z;
} sinew_root_frame_partial;

// Entry k of y - w r.
SINEW_ALWAYS_INLINE double sinew_root_frame_entry(const double *y, const double *w, int k,
                                                  sinew_root_frame_partial r) {
  return (y[k] - w[3 * k] * r.x) - (w[3 * k + 1] * r.y + w[3 * k + 2] * r.z);
}

// least: minimum of |x| of each of the three columns, where a pivot was not positive; NULL: none
// was. Returns r + v x.
SINEW_ALWAYS_INLINE sinew_root_frame_partial sinew_root_frame_substitute(const sinew_segment *s,
                                                                         int j, const double *least,
                                                                         sinew_root_frame_partial r,
                                                                         double *out) {
  const double *w = s->w + 3 * j, *v = s->v + 3 * j, *y = s->y + j;
  const double bx = sinew_spherical_columns_x(v), by = sinew_spherical_columns_y(v),
               bz = sinew_spherical_columns_z(v);
  double x0 = sinew_root_frame_entry(y, w, 0, r), x1 = sinew_root_frame_entry(y, w, 1, r),
         x2 = sinew_root_frame_entry(y, w, 2, r);
  if (least != NULL) {
    double x[3] = {x0, x1, x2};
    sinew_root_frame_raise(s->off_diagonal + j, least, x);
    x0 = x[0];
    x1 = x[1];
    x2 = x[2];
  }
  out[j] = x0;
  out[j + 1] = x1;
  out[j + 2] = x2;
  return (sinew_root_frame_partial){(r.x + x1 * bz) - x2 * by, // x cross b
                                    (r.y + x2 * bx) - x0 * bz, (r.z + x0 * by) - x1 * bx};
}

#endif
