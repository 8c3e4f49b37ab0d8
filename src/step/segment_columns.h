// Products and sums of a segment's columns (segment.h) of any number r of rows.
#ifndef SINEW_STEP_SEGMENT_COLUMNS_H
#define SINEW_STEP_SEGMENT_COLUMNS_H

#include "math/rows.h"
#include "simd/four.h"
#include "simd/pair.h"
#include "step/segment.h"

#include <string.h>

// Functions are of r, the number of rows. Each r that is frequent has a copy with loops of known
// length, except in small builds, where only points (r = 3) have code of their own.
#ifdef SINEW_SMALL
#define SMALL 1
#else
#define SMALL 0
#endif

// count fours, constant, of w = u - P v, in registers. P is symmetric and is read by rows.
SINEW_ALWAYS_INLINE void reduce_fours(int count, int r, const double *P, int stride,
                                      const double *u, const double *v, sinew_four *sum) {
  for (int i = 0; i < count; ++i) {
    sum[i] = sinew_four_load(u + 4 * i);
  }
  for (int b = 0; b < r; ++b) {
    const sinew_four vb = SINEW_FOUR_OF(v[b]);
    for (int i = 0; i < count; ++i) {
      sum[i] -= sinew_four_load(P + b * stride + 4 * i) * vb;
    }
  }
}

SINEW_SPECIALISED void reduce_block(int count, int r, const double *P, int stride, const double *u,
                                    const double *v, double *w) {
  sinew_four sum[4];
  reduce_fours(count, r, P, stride, u, v, sum);
  for (int i = 0; i < count; ++i) {
    sinew_four_store(w + 4 * i, sum[i]);
  }
}

// w = u - P v for any r of at least 4. w may be u: the last four entries, some of which are in the
// blocks before them too, are computed first.
static void reduce_any(int r, const sinew_segment *s, const double *u, const double *v, double *w) {
  const int stride = s->stride, last = r - 4;
  sinew_four end;
  int a = 0;
  reduce_fours(1, r, s->P + last, stride, u + last, v, &end);
  for (; a + 16 <= r; a += 16) {
    reduce_block(4, r, s->P + a, stride, u + a, v, w + a);
  }
  for (; a + 8 <= r; a += 8) {
    reduce_block(2, r, s->P + a, stride, u + a, v, w + a);
  }
  if (a < last) {
    reduce_block(1, r, s->P + a, stride, u + a, v, w + a);
  }
  sinew_four_store(w + last, end);
}

// P += t w^T, z += t y for t = w / d.
static void add_any(int r, const sinew_segment *s, const double *w, double inverse, double y) {
  for (int b = 0; b < r; ++b) {
    const double t = w[b] * inverse;
    const sinew_four all = SINEW_FOUR_OF(t);
    double *row = s->P + b * s->stride;
    int a = 0;
    for (; a + 4 <= r; a += 4) {
      sinew_four_store(row + a, sinew_four_load(row + a) + all * sinew_four_load(w + a));
    }
    for (; a < r; ++a) {
      row[a] += t * w[a];
    }
    s->z[b] += t * y;
  }
}

// a . b of r values, at least 4.
static double dot_fours(int r, const double *a, const double *b) {
  sinew_four sum = SINEW_FOUR_OF(0.0);
  double rest = 0.0;
  int i = 0;
  for (; i + 4 <= r; i += 4) {
    sum += sinew_four_load(a + i) * sinew_four_load(b + i);
  }
  for (; i < r; ++i) {
    rest += a[i] * b[i];
  }
  return rest + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

// a -= t b
static void subtract_fours(int r, double t, const double *b, double *a) {
  int i = 0;
  for (; i + 4 <= r; i += 4) {
    sinew_four_store(a + i, sinew_four_load(a + i) - SINEW_FOUR_OF(t) * sinew_four_load(b + i));
  }
  for (; i < r; ++i) {
    a[i] -= t * b[i];
  }
}

SINEW_SPECIALISED double dot_of(int r, const double *a, const double *b) {
  sinew_pair sum = {0.0, 0.0};
  int i = 0;
  for (; i + 2 <= r; i += 2) {
    sum += sinew_pair_load(a + i) * sinew_pair_load(b + i);
  }
  return (sum[0] + sum[1]) + (i < r ? a[i] * b[i] : 0.0);
}

// a += t b
SINEW_SPECIALISED void add_to(int r, double t, const double *b, double *a) {
  int i = 0;
  for (; i + 2 <= r; i += 2) {
    sinew_pair_store(a + i, sinew_pair_load(a + i) + sinew_pair_of(t) * sinew_pair_load(b + i));
  }
  if (i < r) {
    a[i] += t * b[i];
  }
}

// a += t0 w0 + t1 w1 + t2 w2, the three w contiguous.
SINEW_SPECIALISED void add_three(int r, double t0, double t1, double t2, const double *w,
                                 double *a) {
  const double *w1 = w + r, *w2 = w1 + r;
  int i = 0;
  for (; i + 4 <= r; i += 4) {
    const sinew_four sum = sinew_four_load(a + i) + SINEW_FOUR_OF(t0) * sinew_four_load(w + i);
    sinew_four_store(a + i, sum + (SINEW_FOUR_OF(t1) * sinew_four_load(w1 + i) +
                                   SINEW_FOUR_OF(t2) * sinew_four_load(w2 + i)));
  }
  for (; i + 2 <= r; i += 2) {
    const sinew_pair sum = sinew_pair_load(a + i) + sinew_pair_of(t0) * sinew_pair_load(w + i);
    sinew_pair_store(a + i, sum + (sinew_pair_of(t1) * sinew_pair_load(w1 + i) +
                                   sinew_pair_of(t2) * sinew_pair_load(w2 + i)));
  }
  if (i < r) {
    a[i] += t0 * w[i] + (t1 * w1[i] + t2 * w2[i]);
  }
}

// sum = u - P v of column j, for a constant even r: two entries at a time. P is symmetric and is
// read by rows.
SINEW_ALWAYS_INLINE void reduce_pairs(int r, const sinew_segment *s, int j, sinew_pair sum[6]) {
  const double *v = s->v + j * r;
  for (int a = 0; a < r; a += 2) {
    sum[a / 2] = sinew_pair_load(s->u + j * r + a);
  }
  for (int b = 0; b < r; ++b) {
    const sinew_pair vb = sinew_pair_of(v[b]);
    for (int a = 0; a < r; a += 2) {
      sum[a / 2] -= sinew_pair_load(s->P + b * s->stride + a) * vb;
    }
  }
}

// w = u - P v. P is symmetric and is read by rows. w may be u.
SINEW_SPECIALISED void reduce_column(int r, const sinew_segment *s, int j) {
  const double *v = s->v + j * r;
  double *w = s->w + j * r;
  if (!SMALL && (r == 6 || r == 12)) {
    sinew_pair sum[6];
    reduce_pairs(r, s, j, sum);
    memcpy(w, sum, (size_t)r * sizeof(double));
  } else if (r >= 4) {
    reduce_any(r, s, s->u + j * r, v, w);
  } else {
    memmove(w, s->u + j * r, (size_t)r * sizeof(double));
    for (int b = 0; b < r; ++b) {
      add_to(r, -v[b], s->P + b * s->stride, w);
    }
  }
}

SINEW_ALWAYS_INLINE bool is_fixed(const sinew_segment *s, int j) {
  return s->fixed != NULL && s->fixed[j] != 0;
}

SINEW_ALWAYS_INLINE bool none_fixed(const sinew_segment *s, int j) {
  return !is_fixed(s, j) && !is_fixed(s, j + 1) && !is_fixed(s, j + 2);
}

SINEW_ALWAYS_INLINE bool is_spherical(const sinew_segment *s, int j) {
  return s->spherical != NULL && s->spherical[j] != SINEW_SPHERICAL_NONE;
}

// Whether there are three columns from j on, none of them fixed.
SINEW_ALWAYS_INLINE bool none_fixed_of_three(const sinew_segment *s, int j) {
  return j + 3 <= s->count && none_fixed(s, j);
}

SINEW_ALWAYS_INLINE bool grows(int r, const sinew_segment *s) {
  return sinew_segment_grows(s->top, r, s->count);
}

// w of column j less what those from first on have not added to P. Returns what they would have
// taken from y.
static double take_from(int r, const sinew_segment *s, int j, int first) {
  double *w = s->w + j * r, y = 0.0;
  for (int k = first; k < s->count; ++k) {
    const double *from = s->w + k * r, share = dot_fours(r, from, s->v + j * r);
    if (is_fixed(s, k)) {
      y += share * s->x[k];
    } else {
      subtract_fours(r, share * s->pivot[k], from, w);
      y += share * s->pivot[k] * s->y[k];
    }
  }
  return y;
}

#endif
