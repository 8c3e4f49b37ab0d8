// Columns of a single point, three entries each, with P and z in registers:
//
//   w = u - P v,  P <- P + w w^T / d,  z <- z + w y / d
#ifndef SINEW_STEP_POINT_H
#define SINEW_STEP_POINT_H

#include "simd/pair.h"
#include "step/segment.h"
#include "step/three.h"

// A column of a point. x and y share a vector register.
typedef struct sinew_column {
  sinew_pair xy;
  double z;
} sinew_column;

SINEW_ALWAYS_INLINE sinew_column sinew_column_load(const double *v) {
  return (sinew_column){sinew_pair_load(v), v[2]};
}

SINEW_ALWAYS_INLINE void sinew_column_store(double *out, sinew_column v) {
  sinew_pair_store(out, v.xy);
  out[2] = v.z;
}

SINEW_ALWAYS_INLINE double sinew_column_dot(sinew_column a, sinew_column b) {
  const sinew_pair xy = a.xy * b.xy;
  return (xy[0] + xy[1]) + a.z * b.z;
}

// s + a . b. The term of z is added first: a.xy is ready last.
SINEW_ALWAYS_INLINE double sinew_column_plus_dot(double s, sinew_column a, sinew_column b) {
  const sinew_pair xy = a.xy * b.xy;
  return (s + a.z * b.z) + (xy[0] + xy[1]);
}

// a - s b
SINEW_ALWAYS_INLINE sinew_column sinew_column_minus(sinew_column a, double s, sinew_column b) {
  return (sinew_column){a.xy - sinew_pair_of(s) * b.xy, a.z - s * b.z};
}

// P, symmetric, and z.
typedef struct sinew_point {
  sinew_pair x, y, z; // the first two entries of P's columns
  double zz;
  sinew_column sum; // z
} sinew_point;

SINEW_ALWAYS_INLINE sinew_point sinew_point_load(const sinew_segment *s) {
  const double *P = s->P;
  const int n = s->stride;
  return (sinew_point){sinew_pair_load(P), sinew_pair_load(P + n), sinew_pair_load(P + 2 * n),
                       P[2 * n + 2], sinew_column_load(s->z)};
}

SINEW_ALWAYS_INLINE void sinew_point_store(const sinew_point *p, const sinew_segment *s) {
  const int n = s->stride;
  sinew_column_store(s->P, (sinew_column){p->x, p->z[0]});
  sinew_column_store(s->P + n, (sinew_column){p->y, p->z[1]});
  sinew_column_store(s->P + 2 * n, (sinew_column){p->z, p->zz});
  sinew_column_store(s->z, p->sum);
}

// w = u - P v
SINEW_ALWAYS_INLINE sinew_column sinew_point_reduce(const sinew_point *p, sinew_column u,
                                                    sinew_column v) {
  const sinew_pair zxy = p->z * v.xy;
  return (sinew_column){(u.xy - p->x * sinew_pair_of(v.xy[0])) -
                            (p->y * sinew_pair_of(v.xy[1]) + p->z * sinew_pair_of(v.z)),
                        (u.z - p->zz * v.z) - (zxy[0] + zxy[1])};
}

// P <- P + w w^T / d, z <- z + w y / d. Returns w / d.
SINEW_ALWAYS_INLINE sinew_column sinew_point_add(sinew_point *p, sinew_column w, double inverse,
                                                 double y) {
  const sinew_column t = {w.xy * sinew_pair_of(inverse), w.z * inverse};
  p->x += t.xy * sinew_pair_of(w.xy[0]);
  p->y += t.xy * sinew_pair_of(w.xy[1]);
  p->z += t.xy * sinew_pair_of(w.z);
  p->zz += t.z * w.z;
  p->sum.xy += t.xy * sinew_pair_of(y);
  p->sum.z += t.z * y;
  return t;
}

// The same for the first column: P = 0 and z = 0 before.
SINEW_ALWAYS_INLINE void sinew_point_start(sinew_point *p, sinew_column w, double inverse,
                                           double y) {
  const sinew_column t = {w.xy * sinew_pair_of(inverse), w.z * inverse};
  *p = (sinew_point){.x = t.xy * sinew_pair_of(w.xy[0]),
                     .y = t.xy * sinew_pair_of(w.xy[1]),
                     .z = t.xy * sinew_pair_of(w.z),
                     .zz = t.z * w.z,
                     .sum = {t.xy * sinew_pair_of(y), t.z * y}};
}

#endif
