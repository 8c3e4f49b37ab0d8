// One stretch, column by column: w = u - P v, d = w . v + mu, P <- P + w w^T / d. See newton.c.
// Three turns of a point, or a ball, are eliminated at once: three.h, ball.h.
#include "step/stretch.h"
#include "math/rows.h"
#include "math/vector.h"
#include "simd/pair.h"
#include "step/free_ball.h"
#include "step/point.h"

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

// sum = u - P v of column j, for an even r that is known: two entries at once, P by its rows, which
// are its columns.
SINEW_ALWAYS_INLINE void reduce_pairs(int r, const sinew_stretch *s, int j, sinew_pair sum[6]) {
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

// One column of such an r, w in registers.
SINEW_ALWAYS_INLINE bool eliminate_pairs(int r, const sinew_stretch *s, int j) {
  const double *v = s->v + j * r;
  double *w = s->w + j * r;
  sinew_pair sum[6], d2 = {s->mu, 0.0}, rest2 = {s->right[j], 0.0};
  reduce_pairs(r, s, j, sum);
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

SINEW_ALWAYS_INLINE bool eliminate_point(const sinew_stretch *s, int j, sinew_point *p) {
  const sinew_column v = sinew_column_load(s->v + 3 * j),
                     w = sinew_point_reduce(p, sinew_column_load(s->u + 3 * j), v);
  const double d = sinew_column_plus_dot(s->mu, w, v),
               y = s->right[j] - sinew_column_dot(v, p->sum);
  if (!(d > 0.5 * s->mu)) {
    return false;
  }
  const double inverse = 1.0 / d;
  sinew_point_take_up(p, w, inverse, y);
  sinew_column_store(s->w + 3 * j, w);
  s->pivot[j] = inverse;
  s->y[j] = y;
  return true;
}

// Three columns j, j + 1, j + 2 at once, of turns alone: see three.h. first: nothing has been
// eliminated before, and p is made.
SINEW_ALWAYS_INLINE int eliminate_points(const sinew_stretch *s, int j, bool first,
                                         sinew_point *p) {
  const double *u = s->u + 3 * j, *v = s->v + 3 * j, mu = s->mu;
  double *w = s->w + 3 * j, *links = s->links + j, *pivot = s->pivot + j, *y = s->y + j;
  const sinew_column v0 = sinew_column_load(v), v1 = sinew_column_load(v + 3),
                     v2 = sinew_column_load(v + 6);
  sinew_column w0 = sinew_column_load(u), w1 = sinew_column_load(u + 3),
               w2 = sinew_column_load(u + 6);
  if (!first) {
    w0 = sinew_point_reduce(p, w0, v0);
    w1 = sinew_point_reduce(p, w1, v1);
    w2 = sinew_point_reduce(p, w2, v2);
  }
  const sinew_three D = {.D00 = sinew_column_dot(w0, v0) + mu,
                         .D10 = sinew_column_dot(w1, v0),
                         .D11 = sinew_column_dot(w1, v1) + mu,
                         .D20 = sinew_column_dot(w2, v0),
                         .D21 = sinew_column_dot(w2, v1),
                         .D22 = sinew_column_dot(w2, v2) + mu};
  const sinew_three_factor f = sinew_three_factor_of(D, mu);
  if (f.bad >= 0) {
    return j + f.bad;
  }
  const double g2 = s->right[j + 2] - (first ? 0.0 : sinew_column_dot(v2, p->sum)),
               g1 = s->right[j + 1] - (first ? 0.0 : sinew_column_dot(v1, p->sum)),
               g0 = s->right[j] - (first ? 0.0 : sinew_column_dot(v0, p->sum));
  y[2] = g2;
  y[1] = g1 - f.L21 * y[2];
  y[0] = g0 - (f.L20 * y[2] + f.L10 * y[1]);
  if (first) {
    sinew_point_start(p, w2, f.pivot2, y[2]);
  } else {
    sinew_point_take_up(p, w2, f.pivot2, y[2]);
  }
  sinew_column_store(w + 6, w2);
  w1 = sinew_column_minus(w1, f.L21, w2);
  sinew_point_take_up(p, w1, f.pivot1, y[1]);
  sinew_column_store(w + 3, w1);
  w0 = sinew_column_minus(sinew_column_minus(w0, f.L20, w2), f.L10, w1);
  sinew_point_take_up(p, w0, f.pivot0, y[0]);
  sinew_column_store(w, w0);
  pivot[0] = f.pivot0;
  pivot[1] = f.pivot1;
  pivot[2] = f.pivot2;
  links[0] = f.L10;
  links[1] = f.L20;
  links[2] = f.L21;
  return -1;
}

SINEW_ALWAYS_INLINE bool is_held(const sinew_stretch *s, int j) {
  return s->held != NULL && s->held[j] != 0;
}

SINEW_ALWAYS_INLINE bool none_held(const sinew_stretch *s, int j) {
  return !is_held(s, j) && !is_held(s, j + 1) && !is_held(s, j + 2);
}

SINEW_ALWAYS_INLINE bool is_ball(const sinew_stretch *s, int j) {
  return s->balls != NULL && s->balls[j] != SINEW_SPHERICAL_NONE;
}

// Whether columns j, j + 1 and j + 2 are those of a free ball of a point (point.h).
SINEW_ALWAYS_INLINE bool is_free_ball(const sinew_stretch *s, int j) {
  return s->point && is_ball(s, j) && s->balls[j] == SINEW_SPHERICAL_ROOT_FRAME && none_held(s, j);
}

// Whether columns j, j + 1 and j + 2, of turns alone, are eliminated at once. Threes are counted
// from the first, so that both ways find the same.
SINEW_ALWAYS_INLINE bool are_three(const sinew_stretch *s, int j) {
  return j % 3 == 0 && j + 3 <= s->count && !is_ball(s, j) && !is_ball(s, j + 1) &&
         !is_ball(s, j + 2) && none_held(s, j);
}

// ----------------------------------------------------------------------- balls

SINEW_ALWAYS_INLINE double dot_of(int r, const double *a, const double *b) {
  sinew_pair sum = {0.0, 0.0};
  int i = 0;
  for (; i + 2 <= r; i += 2) {
    sum += sinew_pair_load(a + i) * sinew_pair_load(b + i);
  }
  return (sum[0] + sum[1]) + (i < r ? a[i] * b[i] : 0.0);
}

// a += t b
SINEW_ALWAYS_INLINE void add_to(int r, double t, const double *b, double *a) {
  int i = 0;
  for (; i + 2 <= r; i += 2) {
    sinew_pair_store(a + i, sinew_pair_load(a + i) + sinew_pair_of(t) * sinew_pair_load(b + i));
  }
  if (i < r) {
    a[i] += t * b[i];
  }
}

// a += t0 w0 + t1 w1 + t2 w2, the three w one after another.
SINEW_ALWAYS_INLINE void add_three(int r, double t0, double t1, double t2, const double *w,
                                   double *a) {
  const double *w1 = w + r, *w2 = w1 + r;
  int i = 0;
  for (; i + 2 <= r; i += 2) {
    const sinew_pair sum = sinew_pair_load(a + i) + sinew_pair_of(t0) * sinew_pair_load(w + i);
    sinew_pair_store(a + i, sum + (sinew_pair_of(t1) * sinew_pair_load(w1 + i) +
                                   sinew_pair_of(t2) * sinew_pair_load(w2 + i)));
  }
  if (i < r) {
    a[i] += t0 * w[i] + (t1 * w1[i] + t2 * w2[i]);
  }
}

// w = u - P v, P by its rows, which are its columns; 0 where held. w may be u.
SINEW_ALWAYS_INLINE void reduce_column(int r, const sinew_stretch *s, int j) {
  const double *v = s->v + j * r;
  double *w = s->w + j * r;
  if (r == 6 || r == 12) {
    sinew_pair sum[6];
    reduce_pairs(r, s, j, sum);
    memcpy(w, sum, (size_t)r * sizeof(double));
  } else {
    memmove(w, s->u + j * r, (size_t)r * sizeof(double));
    for (int b = 0; b < r; ++b) {
      add_to(r, -v[b], s->P + b * s->stride, w);
    }
  }
  if (is_held(s, j)) {
    memset(w, 0, (size_t)r * sizeof(double));
  }
}

// The mean of w_j . v_k and w_k . v_j; rows and columns of those held have their diagonal alone.
SINEW_ALWAYS_INLINE double corner_of(int r, const sinew_stretch *s, int j, int k) {
  if (is_held(s, j) || is_held(s, k)) {
    return j == k ? 1.0 + s->mu : 0.0;
  }
  const double jk = dot_of(r, s->w + j * r, s->v + k * r);
  return j == k ? jk + s->mu : 0.5 * (jk + dot_of(r, s->w + k * r, s->v + j * r));
}

// The three columns of a ball, any rows.
SINEW_ALWAYS_INLINE int eliminate_ball(int r, const sinew_stretch *s, int j) {
  double *w0 = s->w + j * r, *w1 = w0 + r, *w2 = w1 + r, *y = s->y + j;
  for (int k = 0; k < 3; ++k) {
    reduce_column(r, s, j + k);
    y[k] = is_held(s, j + k) ? 0.0 : s->right[j + k] - dot_of(r, s->v + (j + k) * r, s->z);
  }
  const sinew_three D = {corner_of(r, s, j, j),         corner_of(r, s, j + 1, j),
                         corner_of(r, s, j + 1, j + 1), corner_of(r, s, j + 2, j),
                         corner_of(r, s, j + 2, j + 1), corner_of(r, s, j + 2, j + 2)};
  const sinew_three_factor f = sinew_three_factor_of(D, s->mu);
  if (f.bad >= 0) {
    return j + f.bad;
  }
  add_to(r, -f.L21, w2, w1);
  add_to(r, -f.L20, w2, w0);
  add_to(r, -f.L10, w1, w0);
  y[1] -= f.L21 * y[2];
  y[0] -= f.L20 * y[2] + f.L10 * y[1];
  const double pivot[3] = {f.pivot0, f.pivot1, f.pivot2};
  for (int b = 0; b < r; ++b) {
    add_three(r, w0[b] * f.pivot0, w1[b] * f.pivot1, w2[b] * f.pivot2, w0, s->P + b * s->stride);
  }
  add_three(r, y[0] * f.pivot0, y[1] * f.pivot1, y[2] * f.pivot2, w0, s->z);
  memcpy(s->pivot + j, pivot, sizeof pivot);
  s->links[j] = f.L10;
  s->links[j + 1] = f.L20;
  s->links[j + 2] = f.L21;
  return -1;
}

// A run of free balls, the last of whose columns is j, and as many before it as there are. Returns
// the column whose pivot is not positive, or -1; j is the one before the run.
SINEW_ALWAYS_INLINE int eliminate_free_balls(const sinew_stretch *s, int *j) {
  sinew_ball_point p = sinew_ball_point_load(s);
  int at = *j - 2, bad;
  do {
    p = sinew_ball_eliminate(s, at, &p, &bad);
    at -= 3;
  } while (bad < 0 && at >= 0 && is_ball(s, at + 2) && is_free_ball(s, at));
  sinew_ball_point_store(&p, s);
  *j = at + 2;
  return bad;
}

// A run of columns that are no balls'.
SINEW_ALWAYS_INLINE int eliminate_turns(const sinew_stretch *s, int *j) {
  int at = *j, bad = -1;
  sinew_point p;
  if (s->tip && at == s->count - 1 && at >= 2 && are_three(s, at - 2)) {
    at -= 3;
    bad = eliminate_points(s, at + 1, true, &p);
    if (bad >= 0) {
      return bad;
    }
  } else {
    p = sinew_point_load(s);
  }
  for (; bad < 0 && at >= 0 && !is_ball(s, at); --at) {
    if (at >= 2 && are_three(s, at - 2)) {
      at -= 2;
      bad = eliminate_points(s, at, false, &p);
    } else if (!is_held(s, at)) {
      bad = eliminate_point(s, at, &p) ? -1 : at;
    }
  }
  sinew_point_store(&p, s);
  *j = at;
  return bad;
}

// Returns the column whose pivot is not positive, or -1.
SINEW_ALWAYS_INLINE int eliminate_chain(const sinew_stretch *s) {
  int bad = -1;
  for (int j = s->count - 1; j >= 0 && bad < 0;) {
    if (!is_ball(s, j)) {
      bad = eliminate_turns(s, &j);
    } else if (is_free_ball(s, j - 2)) {
      bad = eliminate_free_balls(s, &j);
    } else {
      bad = eliminate_ball(3, s, j - 2);
      j -= 3;
    }
  }
  return bad;
}

SINEW_ALWAYS_INLINE int eliminate_columns(int r, const sinew_stretch *s, bool pairs) {
  for (int j = s->count; j-- > 0;) {
    if (is_ball(s, j)) {
      j -= 2;
      const int bad = eliminate_ball(r, s, j);
      if (bad >= 0) {
        return bad;
      }
    } else if (!is_held(s, j) && !(pairs ? eliminate_pairs(r, s, j) : eliminate_column(r, s, j))) {
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
  const double x = sinew_turn_at_least(wish, least);
  for (int i = 0; i < n; ++i) {
    r[i] += x * v[i];
  }
  return x;
}

// Three columns that were eliminated at once: all but what ties them waits for nothing.
SINEW_ALWAYS_INLINE void substitute_points(const sinew_stretch *s, int j, sinew_column *r,
                                           double *x) {
  const double *w = s->w + 3 * j, *v = s->v + 3 * j, *links = s->links + j;
  const double x0 = (s->y[j] - sinew_column_dot(sinew_column_load(w), *r)) * s->pivot[j];
  const double a1 =
      (s->y[j + 1] - sinew_column_dot(sinew_column_load(w + 3), *r)) * s->pivot[j + 1];
  const double a2 =
      (s->y[j + 2] - sinew_column_dot(sinew_column_load(w + 6), *r)) * s->pivot[j + 2];
  const double x1 = a1 - links[0] * x0, x2 = a2 - links[1] * x0 - links[2] * x1;
  *r = sinew_column_minus(*r, -x0, sinew_column_load(v));
  *r = sinew_column_minus(*r, -x1, sinew_column_load(v + 3));
  *r = sinew_column_minus(*r, -x2, sinew_column_load(v + 6));
  x[j] = x0;
  x[j + 1] = x1;
  x[j + 2] = x2;
}

SINEW_ALWAYS_INLINE void substitute_point(const sinew_stretch *s, int j, double least,
                                          sinew_column *r, double *x) {
  const double wish =
      (s->y[j] - sinew_column_dot(sinew_column_load(s->w + 3 * j), *r)) * s->pivot[j];
  x[j] = sinew_turn_at_least(wish, least);
  *r = sinew_column_minus(*r, -x[j], sinew_column_load(s->v + 3 * j));
}

// The three columns of a ball, any rows. Those held keep x.
SINEW_ALWAYS_INLINE void substitute_ball(int n, const sinew_stretch *s, int j, const double *least,
                                         double *r, double *x) {
  double part[3];
  for (int k = 0; k < 3; ++k) {
    part[k] = (s->y[j + k] - dot_of(n, s->w + (j + k) * n, r)) * s->pivot[j + k];
  }
  part[0] = sinew_turn_at_least(part[0], least[0]);
  part[1] = sinew_turn_at_least(part[1] - s->links[j] * part[0], least[1]);
  part[2] -= s->links[j + 1] * part[0] + s->links[j + 2] * part[1];
  part[2] = sinew_turn_at_least(part[2], least[2]);
  for (int k = 0; k < 3; ++k) {
    if (!is_held(s, j + k)) {
      add_to(n, part[k], s->v + (j + k) * n, r);
      x[j + k] = part[k];
    }
  }
}

// The least that each of three turns by: least for column bad alone.
static void find_least(int j, int bad, double least, double out[3]) {
  for (int k = 0; k < 3; ++k) {
    out[k] = j + k == bad ? least : 0.0;
  }
}

// A run of free balls from column j on; j is the one after it.
SINEW_ALWAYS_INLINE void substitute_free_balls(const sinew_stretch *s, int *j, int bad,
                                               double least, double *r, double *x) {
  sinew_ball_rest rest = {r[0], r[1], r[2]};
  double turns[3];
  int at = *j;
  for (; at < s->count && is_free_ball(s, at); at += 3) {
    if (bad >= at && bad < at + 3) {
      find_least(at, bad, least, turns);
      rest = sinew_ball_substitute(s, at, turns, rest, x);
    } else {
      rest = sinew_ball_substitute(s, at, NULL, rest, x);
    }
  }
  r[0] = rest.x;
  r[1] = rest.y;
  r[2] = rest.z;
  *j = at;
}

// A run of columns that are no balls'.
SINEW_ALWAYS_INLINE void substitute_turns(const sinew_stretch *s, int *j, int bad, double least,
                                          double *r, double *x) {
  sinew_column sum = sinew_column_load(r);
  int at = *j;
  for (; at < s->count && !is_ball(s, at); ++at) {
    if (are_three(s, at) && !(bad >= at && bad < at + 3)) {
      substitute_points(s, at, &sum, x);
      at += 2;
    } else if (!is_held(s, at)) {
      substitute_point(s, at, at == bad ? least : 0.0, &sum, x);
    }
  }
  sinew_column_store(r, sum);
  *j = at;
}

SINEW_ALWAYS_INLINE void substitute_chain(const sinew_stretch *s, int bad, double least, double *r,
                                          double *x) {
  for (int j = 0; j < s->count;) {
    if (!is_ball(s, j)) {
      substitute_turns(s, &j, bad, least, r, x);
    } else if (is_free_ball(s, j)) {
      substitute_free_balls(s, &j, bad, least, r, x);
    } else {
      double turns[3];
      find_least(j, bad, least, turns);
      substitute_ball(3, s, j, turns, r, x);
      j += 3;
    }
  }
}

SINEW_ALWAYS_INLINE void substitute_columns(int n, const sinew_stretch *s, int bad, double least,
                                            double *r, double *x) {
  for (int j = 0; j < s->count; ++j) {
    if (is_ball(s, j)) {
      double turns[3];
      find_least(j, bad, least, turns);
      substitute_ball(n, s, j, turns, r, x);
      j += 2;
    } else if (!is_held(s, j)) {
      x[j] = substitute_column(n, s, j, j == bad ? least : 0.0, r);
    }
  }
}

void sinew_stretch_substitute(const sinew_stretch *s, int bad, double least, double *r, double *x) {
  if (s->r == 3) {
    substitute_chain(s, bad, least, r, x);
  } else if (s->r == 6) {
    substitute_columns(6, s, bad, least, r, x);
  } else {
    substitute_columns(s->r, s, bad, least, r, x);
  }
}
