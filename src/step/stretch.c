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

// A point's P and z, in registers: P is symmetric.
typedef struct point {
  double xx, yx, yy, zx, zy, zz;
  double z[3];
} point;

static point load_point(const sinew_stretch *s) {
  const double *P = s->P;
  const int n = s->stride;
  return (point){
      P[0], P[n], P[n + 1], P[2 * n], P[2 * n + 1], P[2 * n + 2], {s->z[0], s->z[1], s->z[2]}};
}

static void store_point(const point *p, const sinew_stretch *s) {
  const int n = s->stride;
  const double rows[9] = {p->xx, p->yx, p->zx, p->yx, p->yy, p->zy, p->zx, p->zy, p->zz};
  for (int i = 0; i < 3; ++i) {
    memcpy(s->P + i * n, rows + 3 * i, 3 * sizeof(double));
    s->z[i] = p->z[i];
  }
}

// w = u - P v
SINEW_ALWAYS_INLINE void reduce(const point *p, const double u[3], const double v[3], double w[3]) {
  w[0] = u[0] - ((p->xx * v[0] + p->yx * v[1]) + p->zx * v[2]);
  w[1] = u[1] - ((p->yx * v[0] + p->yy * v[1]) + p->zy * v[2]);
  w[2] = u[2] - ((p->zx * v[0] + p->zy * v[1]) + p->zz * v[2]);
}

// P <- P + w w^T / d, z <- z + w y / d
SINEW_ALWAYS_INLINE void take_up(point *p, const double w[3], double inverse, double y) {
  const double x = w[0] * inverse, t = w[1] * inverse, u = w[2] * inverse;
  p->xx += x * w[0];
  p->yx += t * w[0];
  p->yy += t * w[1];
  p->zx += u * w[0];
  p->zy += u * w[1];
  p->zz += u * w[2];
  p->z[0] += x * y;
  p->z[1] += t * y;
  p->z[2] += u * y;
}

SINEW_ALWAYS_INLINE bool eliminate_point(const sinew_stretch *s, int j, point *p) {
  const double *v = s->v + 3 * j;
  double w[3];
  reduce(p, s->u + 3 * j, v, w);
  const double d = sinew_dot(w, v) + s->mu, y = s->right[j] - sinew_dot(v, p->z);
  if (!(d > 0.5 * s->mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  take_up(p, w, inverse, y);
  memcpy(s->w + 3 * j, w, sizeof w);
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
// last whose pivot is not positive, or -1.
SINEW_ALWAYS_INLINE int eliminate_points(const sinew_stretch *s, int j, point *p) {
  const double *v0 = s->v + 3 * j, *v1 = v0 + 3, *v2 = v0 + 6, mu = s->mu;
  double *links = s->links + j, w0[3], w1[3], w2[3];
  reduce(p, s->u + 3 * j, v0, w0);
  reduce(p, s->u + 3 * j + 3, v1, w1);
  reduce(p, s->u + 3 * j + 6, v2, w2);
  const double D22 = sinew_dot(w2, v2) + mu, D21 = sinew_dot(w2, v1), D20 = sinew_dot(w2, v0),
               D11 = sinew_dot(w1, v1) + mu, D10 = sinew_dot(w1, v0), D00 = sinew_dot(w0, v0) + mu;
  const double M = D22 * D11 - D21 * D21, C = D22 * D10 - D21 * D20,
               N = (D22 * D00 - D20 * D20) * M - C * C;
  if (!(D22 > 0.5 * mu && M > 0.5 * mu * D22 && N > 0.5 * mu * (M * D22))) {
    return j + (!(D22 > 0.5 * mu) ? 2 : !(M > 0.5 * mu * D22) ? 1 : 0);
  }
  const double inverse2 = 1.0 / D22, inverse_M = 1.0 / M, inverse0 = D22 * M / N;
  const double L21 = D21 * inverse2, L20 = D20 * inverse2, L10 = C * inverse_M;
  for (int i = 0; i < 3; ++i) {
    w1[i] -= L21 * w2[i];
    w0[i] -= L20 * w2[i] + L10 * w1[i];
  }
  const double y2 = s->right[j + 2] - sinew_dot(v2, p->z);
  const double y1 = s->right[j + 1] - sinew_dot(v1, p->z) - L21 * y2;
  const double y0 = s->right[j] - sinew_dot(v0, p->z) - (L20 * y2 + L10 * y1);
  take_up(p, w2, inverse2, y2);
  take_up(p, w1, D22 * inverse_M, y1);
  take_up(p, w0, inverse0, y0);
  memcpy(s->w + 3 * j, w0, sizeof w0);
  memcpy(s->w + 3 * j + 3, w1, sizeof w1);
  memcpy(s->w + 3 * j + 6, w2, sizeof w2);
  const double pivots[3] = {inverse0, D22 * inverse_M, inverse2}, y[3] = {y0, y1, y2};
  memcpy(s->pivot + j, pivots, sizeof pivots);
  memcpy(s->y + j, y, sizeof y);
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

// Returns the column whose pivot is not positive, or -1.
static int eliminate_chain(const sinew_stretch *s) {
  point p = load_point(s);
  for (int j = s->count; j-- > 0;) {
    int bad = -1;
    if (j >= 2 && are_three(s, j - 2)) {
      j -= 2;
      bad = eliminate_points(s, j, &p);
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
SINEW_ALWAYS_INLINE void substitute_points(const sinew_stretch *s, int j, double r[3], double *x) {
  const double *w = s->w + 3 * j, *v = s->v + 3 * j, *links = s->links + j;
  const double a0 = (s->y[j] - sinew_dot(w, r)) * s->pivot[j];
  const double a1 = (s->y[j + 1] - sinew_dot(w + 3, r)) * s->pivot[j + 1];
  const double a2 = (s->y[j + 2] - sinew_dot(w + 6, r)) * s->pivot[j + 2];
  const double x1 = a1 - links[0] * a0, x2 = a2 - links[1] * a0 - links[2] * x1;
  for (int i = 0; i < 3; ++i) {
    r[i] += (v[i] * a0 + v[3 + i] * x1) + v[6 + i] * x2;
  }
  x[j] = a0;
  x[j + 1] = x1;
  x[j + 2] = x2;
}

void sinew_stretch_substitute(const sinew_stretch *s, int bad, double least, double *r, double *x) {
  if (s->r == 3) {
    double r3[3] = {r[0], r[1], r[2]};
    for (int j = 0; j < s->count; ++j) {
      if (are_three(s, j) && !(bad >= j && bad < j + 3)) {
        substitute_points(s, j, r3, x);
        j += 2;
      } else if (!is_held(s, j)) {
        x[j] = substitute_column(3, s, j, j == bad ? least : 0.0, r3);
      }
    }
    memcpy(r, r3, sizeof r3);
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
