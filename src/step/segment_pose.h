// Columns of a pose in a segment (segment.h), with their six entries, P and z in registers.
#ifndef SINEW_STEP_SEGMENT_POSE_H
#define SINEW_STEP_SEGMENT_POSE_H

#include "step/segment_columns.h"
#include "step/three.h"

// Six entries in registers.
typedef struct six {
  sinew_four first;
  sinew_pair last;
} six;

SINEW_ALWAYS_INLINE six six_load(const double *a) {
  return (six){sinew_four_load(a), sinew_pair_load(a + 4)};
}

SINEW_ALWAYS_INLINE void six_store(double *to, const six *a) {
  sinew_four_store(to, a->first);
  sinew_pair_store(to + 4, a->last);
}

// a + t b
SINEW_ALWAYS_INLINE six six_add(const six *a, double t, const six *b) {
  return (six){a->first + SINEW_FOUR_OF(t) * b->first, a->last + sinew_pair_of(t) * b->last};
}

SINEW_ALWAYS_INLINE double six_dot(const six *a, const six *b) {
  const sinew_four p = a->first * b->first;
  const sinew_pair q = a->last * b->last,
                   sum = q + ((sinew_pair){p[0], p[1]} + (sinew_pair){p[2], p[3]});
  return sum[0] + sum[1];
}

// w of column j of a pose less P v. In three sums, which do not wait for each other.
SINEW_ALWAYS_INLINE six six_reduce(const sinew_segment *s, int j, const six P[6]) {
  const double *v = s->v + 6 * j;
  const six none = {SINEW_FOUR_OF(0.0), sinew_pair_of(0.0)};
  six sum[3] = {six_load(s->u + 6 * j), none, none};
  for (int b = 0; b < 6; ++b) {
    sum[b % 3] = six_add(&sum[b % 3], -v[b], &P[b]);
  }
  sum[1] = six_add(&sum[1], 1.0, &sum[2]);
  return six_add(&sum[0], 1.0, &sum[1]);
}

// P += t w^T, z += t y for t = w / d, of a column of a pose whose w has been stored.
SINEW_ALWAYS_INLINE void six_grow(const double *stored, const six *w, double inverse, double y,
                                  six P[6], six *z) {
  for (int b = 0; b < 6; ++b) {
    P[b] = six_add(&P[b], stored[b] * inverse, w);
  }
  *z = six_add(z, y * inverse, w);
}

// Eliminates column j of a pose, or takes a fixed one into z. Returns false where its pivot is not
// positive.
SINEW_ALWAYS_INLINE bool eliminate_six(const sinew_segment *s, int j, six P[6], six *z) {
  const six v = six_load(s->v + 6 * j), w = six_reduce(s, j, P);
  const double d = six_dot(&w, &v) + s->mu, y = s->right[j] - six_dot(z, &v);
  six_store(s->w + 6 * j, &w);
  s->y[j] = y;
  if (is_fixed(s, j)) {
    s->pivot[j] = d;
    *z = six_add(z, s->x[j], &w);
    return true;
  }
  s->pivot[j] = 1.0 / d;
  if (d > 0.5 * s->mu) {
    six_grow(s->w + 6 * j, &w, s->pivot[j], y, P, z);
    return true;
  }
  return false;
}

// Eliminates columns j, j + 1 and j + 2 of a pose together (three.h): those of a spherical joint,
// or single ones. Returns the column whose pivot is not positive, or -1.
SINEW_ALWAYS_INLINE int eliminate_sixes(const sinew_segment *s, int j, six P[6], six *z) {
  const six v0 = six_load(s->v + 6 * j), v1 = six_load(s->v + 6 * j + 6),
            v2 = six_load(s->v + 6 * j + 12), w2 = six_reduce(s, j + 2, P);
  six w0 = six_reduce(s, j, P), w1 = six_reduce(s, j + 1, P);
  double *y = s->y + j, *w = s->w + 6 * j;
  sinew_three D = {.D00 = six_dot(&w0, &v0) + s->mu,
                   .D10 = six_dot(&w1, &v0),
                   .D11 = six_dot(&w1, &v1) + s->mu,
                   .D20 = six_dot(&w2, &v0),
                   .D21 = six_dot(&w2, &v1),
                   .D22 = six_dot(&w2, &v2) + s->mu};
  if (s->u != s->v && is_spherical(s, j)) {
    D.D10 = 0.5 * (D.D10 + six_dot(&w0, &v1));
    D.D20 = 0.5 * (D.D20 + six_dot(&w0, &v2));
    D.D21 = 0.5 * (D.D21 + six_dot(&w1, &v2));
  }
  const sinew_three_factor f = sinew_three_factor_of(D, s->mu);
  if (f.bad >= 0) {
    s->pivot[j + f.bad] = sinew_three_bad_pivot(&f);
    return j + f.bad;
  }
  y[2] = s->right[j + 2] - six_dot(z, &v2);
  y[1] = s->right[j + 1] - six_dot(z, &v1) - f.L21 * y[2];
  y[0] = s->right[j] - six_dot(z, &v0) - (f.L20 * y[2] + f.L10 * y[1]);
  w1 = six_add(&w1, -f.L21, &w2);
  w0 = six_add(&w0, -f.L20, &w2);
  w0 = six_add(&w0, -f.L10, &w1);
  six_store(w, &w0);
  six_store(w + 6, &w1);
  six_store(w + 12, &w2);
  six_grow(w + 12, &w2, f.pivot2, y[2], P, z);
  six_grow(w + 6, &w1, f.pivot1, y[1], P, z);
  six_grow(w, &w0, f.pivot0, y[0], P, z);
  s->pivot[j] = f.pivot0;
  s->pivot[j + 1] = f.pivot1;
  s->pivot[j + 2] = f.pivot2;
  s->off_diagonal[j] = f.L10;
  s->off_diagonal[j + 1] = f.L20;
  s->off_diagonal[j + 2] = f.L21;
  return -1;
}

SINEW_ALWAYS_INLINE void six_load_sums(const sinew_segment *s, six P[6], six *z) {
  for (int b = 0; b < 6; ++b) {
    P[b] = six_load(s->P + b * s->stride);
  }
  *z = six_load(s->z);
}

SINEW_ALWAYS_INLINE void six_store_sums(const sinew_segment *s, const six P[6], const six *z) {
  for (int b = 0; b < 6; ++b) {
    six_store(s->P + b * s->stride, &P[b]);
  }
  six_store(s->z, z);
}

// Three columns of a pose that were eliminated together.
SINEW_ALWAYS_INLINE void substitute_sixes(const sinew_segment *s, int j, six *r, double *x) {
  const double *w = s->w + 6 * j, *v = s->v + 6 * j, *off_diagonal = s->off_diagonal + j;
  const six w0 = six_load(w), w1 = six_load(w + 6), w2 = six_load(w + 12), v0 = six_load(v),
            v1 = six_load(v + 6), v2 = six_load(v + 12);
  const double x0 = (s->y[j] - six_dot(&w0, r)) * s->pivot[j],
               a1 = (s->y[j + 1] - six_dot(&w1, r)) * s->pivot[j + 1],
               a2 = (s->y[j + 2] - six_dot(&w2, r)) * s->pivot[j + 2];
  const double x1 = a1 - off_diagonal[0] * x0,
               x2 = a2 - off_diagonal[1] * x0 - off_diagonal[2] * x1;
  *r = six_add(r, x0, &v0);
  *r = six_add(r, x1, &v1);
  *r = six_add(r, x2, &v2);
  x[j] = x0;
  x[j + 1] = x1;
  x[j + 2] = x2;
}

SINEW_ALWAYS_INLINE void substitute_six(const sinew_segment *s, int j, double least, six *r,
                                        double *x) {
  const six w = six_load(s->w + 6 * j), v = six_load(s->v + 6 * j);
  const double rest = s->y[j] - six_dot(&w, r);
  if (is_fixed(s, j)) {
    s->rest[j] = rest - s->pivot[j] * x[j];
  } else {
    x[j] = sinew_segment_at_least(rest * s->pivot[j], least);
  }
  *r = six_add(r, x[j], &v);
}

#endif
