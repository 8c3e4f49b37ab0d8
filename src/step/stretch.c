// One stretch, column by column: w = u - P v, d = w . v + mu, P <- P + w w^T / d. See newton.c.
#include "step/stretch.h"
#include "math/pair.h"
#include "math/vector.h"

#include <string.h>

// ----------------------------------------------------------------- elimination

// One column. False where the pivot is not positive.
SINEW_ALWAYS_INLINE bool eliminate_column(int r, const sinew_stretch *s, int j) {
  const double *u = s->u + j * r, *v = s->v + j * r;
  double *w = s->w + j * r, d = s->mu, rest = s->right[j];
  for (int a = 0; a < r; ++a) {
    double sum = u[a];
    for (int b = 0; b < r; ++b) {
      sum -= s->P[a * s->stride + b] * v[b];
    }
    w[a] = sum;
    d += sum * v[a];
    rest -= v[a] * s->z[a];
  }
  if (!(d > 0.5 * s->mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  for (int a = 0; a < r && !(s->top && j == 0); ++a) {
    const double t = w[a] * inverse;
    for (int b = 0; b < r; ++b) {
      s->P[a * s->stride + b] += t * w[b];
    }
    s->z[a] += t * rest;
  }
  s->pivot[j] = inverse;
  s->y[j] = rest;
  return true;
}

// The same for an even r that is known: two entries at once, w in registers, P by its rows,
// which are its columns.
SINEW_ALWAYS_INLINE bool eliminate_pairs(int r, const sinew_stretch *s, int j) {
  const double *v = s->v + j * r;
  double *w = s->w + j * r;
  sinew_pair sum[6], d2 = {s->mu, 0.0}, rest2 = {s->right[j], 0.0};
  for (int a = 0; a < r; a += 2) {
    sum[a / 2] = sinew_pair_load(s->u + j * r + a);
  }
  for (int b = 0; b < r; ++b) {
    const sinew_pair vb = sinew_pair_of(v[b]);
    for (int a = 0; a < r; a += 2) {
      sum[a / 2] -= sinew_pair_load(s->P + b * s->stride + a) * vb;
    }
  }
  for (int a = 0; a < r; a += 2) {
    const sinew_pair va = sinew_pair_load(v + a);
    d2 += sum[a / 2] * va;
    rest2 -= sinew_pair_load(s->z + a) * va;
    sinew_pair_store(w + a, sum[a / 2]);
  }
  const double d = d2[0] + d2[1], rest = rest2[0] + rest2[1];
  if (!(d > 0.5 * s->mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  for (int b = 0; b < r && !(s->top && j == 0); ++b) {
    const double t = w[b] * inverse;
    double *row = s->P + b * s->stride;
    for (int a = 0; a < r; a += 2) {
      sinew_pair_store(row + a, sinew_pair_load(row + a) + sinew_pair_of(t) * sum[a / 2]);
    }
    s->z[b] += t * rest;
  }
  s->pivot[j] = inverse;
  s->y[j] = rest;
  return true;
}

// A column of a point, x and y side by side.
typedef struct vector {
  sinew_pair xy;
  double z;
} vector;

SINEW_ALWAYS_INLINE vector load_vector(const double *v) {
  return (vector){sinew_pair_load(v), v[2]};
}

SINEW_ALWAYS_INLINE void store_vector(double *out, vector v) {
  sinew_pair_store(out, v.xy);
  out[2] = v.z;
}

SINEW_ALWAYS_INLINE double dot(vector a, vector b) {
  const sinew_pair xy = a.xy * b.xy;
  return (xy[0] + xy[1]) + a.z * b.z;
}

// s + a . b, as soon as a is known
SINEW_ALWAYS_INLINE double plus_dot(double s, vector a, vector b) {
  const sinew_pair xy = a.xy * b.xy;
  return (s + a.z * b.z) + (xy[0] + xy[1]);
}

// a - s b
SINEW_ALWAYS_INLINE vector minus(vector a, double s, vector b) {
  return (vector){a.xy - sinew_pair_of(s) * b.xy, a.z - s * b.z};
}

// A point's P, symmetric, and its z: few enough to stay in registers.
typedef struct point {
  sinew_pair x, y, z; // the first two entries of P's columns
  double zz;
  vector sum; // z
} point;

static point load_point(const sinew_stretch *s) {
  const double *P = s->P;
  const int n = s->stride;
  return (point){sinew_pair_load(P), sinew_pair_load(P + n), sinew_pair_load(P + 2 * n),
                 P[2 * n + 2], load_vector(s->z)};
}

static void store_point(const point *p, const sinew_stretch *s) {
  const int n = s->stride;
  store_vector(s->P, (vector){p->x, p->z[0]});
  store_vector(s->P + n, (vector){p->y, p->z[1]});
  store_vector(s->P + 2 * n, (vector){p->z, p->zz});
  store_vector(s->z, p->sum);
}

// w = u - P v
SINEW_ALWAYS_INLINE vector reduce(const point *p, vector u, vector v) {
  const sinew_pair zxy = p->z * v.xy;
  return (vector){(u.xy - p->x * sinew_pair_of(v.xy[0])) -
                      (p->y * sinew_pair_of(v.xy[1]) + p->z * sinew_pair_of(v.z)),
                  (u.z - p->zz * v.z) - (zxy[0] + zxy[1])};
}

// P <- P + w w^T / d, z <- z + w y / d
SINEW_ALWAYS_INLINE void take_up(point *p, vector w, double inverse, double y) {
  const sinew_pair t = w.xy * sinew_pair_of(inverse);
  const double tz = w.z * inverse;
  p->x += t * sinew_pair_of(w.xy[0]);
  p->y += t * sinew_pair_of(w.xy[1]);
  p->z += t * sinew_pair_of(w.z);
  p->zz += tz * w.z;
  p->sum.xy += t * sinew_pair_of(y);
  p->sum.z += tz * y;
}

SINEW_ALWAYS_INLINE bool eliminate_point(const sinew_stretch *s, int j, point *p) {
  const vector v = load_vector(s->v + 3 * j), w = reduce(p, load_vector(s->u + 3 * j), v);
  const double d = plus_dot(s->mu, w, v), y = s->right[j] - dot(v, p->sum);
  if (!(d > 0.5 * s->mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  take_up(p, w, inverse, y);
  store_vector(s->w + 3 * j, w);
  s->pivot[j] = inverse;
  s->y[j] = y;
  return true;
}

// Three columns j, j + 1, j + 2 at once, the last first as ever. A column waits for the pivot
// before it, and a pivot's division for its column; here all three w are made of the same P, the
// 3 x 3 matrix D_kl = w_k . v_l, l <= k, is eliminated by itself, and its pivots
//
//   d_2 = D_22,  d_1 = M / d_2,  d_0 = N / (M d_2),
//   M = D_22 D_11 - D_21^2,  C = D_22 D_10 - D_21 D_20,  N = (D_22 D_00 - D_20^2) M - C^2
//
// are divided by side by side. What cancels in M and N is what cancels in the pivots. Returns the
// last whose pivot is not positive, -1, or APART where products might overflow.
enum { APART = -2 };
#define ORDINARY 1e60

SINEW_ALWAYS_INLINE int eliminate_points(const sinew_stretch *s, int j, point *p) {
  const double *u = s->u + 3 * j, *v = s->v + 3 * j, mu = s->mu;
  double *w = s->w + 3 * j, *links = s->links + j, *pivot = s->pivot + j, *y = s->y + j;
  const vector v0 = load_vector(v), v1 = load_vector(v + 3), v2 = load_vector(v + 6);
  vector w2 = reduce(p, load_vector(u + 6), v2), w1 = reduce(p, load_vector(u + 3), v1),
         w0 = reduce(p, load_vector(u), v0);
  const double D22 = dot(w2, v2) + mu, D21 = dot(w2, v1), D20 = dot(w2, v0), D11 = dot(w1, v1) + mu,
               D10 = dot(w1, v0), D00 = dot(w0, v0) + mu;
  if (!(D22 < ORDINARY && D11 < ORDINARY && D00 < ORDINARY)) {
    return APART;
  }
  const double M = D22 * D11 - D21 * D21, C = D22 * D10 - D21 * D20,
               N = (D22 * D00 - D20 * D20) * M - C * C;
  if (!(D22 > 0.5 * mu && M > 0.5 * mu * D22 && N > 0.5 * mu * (M * D22))) {
    return j + (!(D22 > 0.5 * mu) ? 2 : !(M > 0.5 * mu * D22) ? 1 : 0);
  }
  const double inverse_M = 1.0 / M, L10 = C * inverse_M;
  pivot[2] = 1.0 / D22;
  pivot[1] = D22 * inverse_M;
  pivot[0] = D22 * M / N;
  const double L21 = D21 * pivot[2], L20 = D20 * pivot[2];
  y[2] = s->right[j + 2] - dot(v2, p->sum);
  y[1] = s->right[j + 1] - dot(v1, p->sum) - L21 * y[2];
  y[0] = s->right[j] - dot(v0, p->sum) - (L20 * y[2] + L10 * y[1]);
  take_up(p, w2, pivot[2], y[2]);
  store_vector(w + 6, w2);
  w1 = minus(w1, L21, w2);
  take_up(p, w1, pivot[1], y[1]);
  store_vector(w + 3, w1);
  w0 = minus(minus(w0, L20, w2), L10, w1);
  take_up(p, w0, pivot[0], y[0]);
  store_vector(w, w0);
  links[0] = L10;
  links[1] = L20;
  links[2] = L21;
  return -1;
}

static bool is_held(const sinew_stretch *s, int j) {
  return s->held != NULL && s->held[j] != 0;
}

// Whether columns j, j + 1 and j + 2 are eliminated at once. Threes are counted from the first, so
// that both ways find the same.
static bool are_three(const sinew_stretch *s, int j) {
  return j % 3 == 0 && j + 3 <= s->count && !is_held(s, j) && !is_held(s, j + 1) &&
         !is_held(s, j + 2);
}

// Three columns, at once where that can be; links tell substitution whether it was.
SINEW_ALWAYS_INLINE int eliminate_three(const sinew_stretch *s, int j, point *p) {
  const int bad = eliminate_points(s, j, p);
  if (bad != APART) {
    return bad;
  }
  s->links[j] = INFINITY;
  for (int k = j + 2; k >= j; --k) {
    if (!eliminate_point(s, k, p)) {
      return k;
    }
  }
  return -1;
}

// Returns the column whose pivot is not positive, or -1.
static int eliminate_chain(const sinew_stretch *s) {
  point p = load_point(s);
  for (int j = s->count; j-- > 0;) {
    int bad = -1;
    if (j >= 2 && are_three(s, j - 2)) {
      j -= 2;
      bad = eliminate_three(s, j, &p);
    } else if (!is_held(s, j)) {
      bad = eliminate_point(s, j, &p) ? -1 : j;
    }
    if (bad >= 0) {
      return bad;
    }
  }
  if (!s->top) {
    store_point(&p, s);
  }
  return -1;
}

SINEW_ALWAYS_INLINE int eliminate_columns(int r, const sinew_stretch *s, bool pairs) {
  for (int j = s->count; j-- > 0;) {
    if (!is_held(s, j) && !(pairs ? eliminate_pairs(r, s, j) : eliminate_column(r, s, j))) {
      return j;
    }
  }
  return -1;
}

int sinew_stretch_eliminate(const sinew_stretch *s) {
  switch (s->r) {
  case 3:
    return eliminate_chain(s);
  case 6:
    return eliminate_columns(6, s, true);
  case 12:
    return eliminate_columns(12, s, true);
  default:
    return eliminate_columns(s->r, s, false);
  }
}

// ---------------------------------------------------------------- substitution

SINEW_ALWAYS_INLINE double substitute_column(int n, const sinew_stretch *s, int j, double least,
                                             double *r) {
  const double *w = s->w + j * n, *v = s->v + j * n;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += w[i] * r[i];
  }
  const double wish = (s->y[j] - sum) * s->pivot[j];
  const double x = fabs(wish) < least ? copysign(least, wish) : wish;
  for (int i = 0; i < n; ++i) {
    r[i] += x * v[i];
  }
  return x;
}

// Three columns that were eliminated at once: all but what ties them waits for nothing.
SINEW_ALWAYS_INLINE void substitute_points(const sinew_stretch *s, int j, vector *r, double *x) {
  const double *w = s->w + 3 * j, *v = s->v + 3 * j, *links = s->links + j;
  const double x0 = (s->y[j] - dot(load_vector(w), *r)) * s->pivot[j];
  const double a1 = (s->y[j + 1] - dot(load_vector(w + 3), *r)) * s->pivot[j + 1];
  const double a2 = (s->y[j + 2] - dot(load_vector(w + 6), *r)) * s->pivot[j + 2];
  const double x1 = a1 - links[0] * x0, x2 = a2 - links[1] * x0 - links[2] * x1;
  *r = minus(*r, -x0, load_vector(v));
  *r = minus(*r, -x1, load_vector(v + 3));
  *r = minus(*r, -x2, load_vector(v + 6));
  x[j] = x0;
  x[j + 1] = x1;
  x[j + 2] = x2;
}

SINEW_ALWAYS_INLINE void substitute_point(const sinew_stretch *s, int j, double least, vector *r,
                                          double *x) {
  const double wish = (s->y[j] - dot(load_vector(s->w + 3 * j), *r)) * s->pivot[j];
  x[j] = fabs(wish) < least ? copysign(least, wish) : wish;
  *r = minus(*r, -x[j], load_vector(s->v + 3 * j));
}

static void substitute_chain(const sinew_stretch *s, int bad, double least, double *r, double *x) {
  vector sum = load_vector(r);
  for (int j = 0; j < s->count; ++j) {
    if (are_three(s, j) && s->links[j] < INFINITY && !(bad >= j && bad < j + 3)) {
      substitute_points(s, j, &sum, x);
      j += 2;
    } else if (!is_held(s, j)) {
      substitute_point(s, j, j == bad ? least : 0.0, &sum, x);
    }
  }
  store_vector(r, sum);
}

void sinew_stretch_substitute(const sinew_stretch *s, int bad, double least, double *r, double *x) {
  if (s->r == 3) {
    substitute_chain(s, bad, least, r, x);
    return;
  }
  for (int j = 0; j < s->count; ++j) {
    const double turn = j == bad ? least : 0.0;
    if (!is_held(s, j)) {
      x[j] =
          s->r == 6 ? substitute_column(6, s, j, turn, r) : substitute_column(s->r, s, j, turn, r);
    }
  }
}
