// Elimination of one segment, column by column:
//
//   w = u - P v,  d = w . v + mu,  y = g - v . z,  P <- P + w w^T / d,  z <- z + w y / d
//
// and substitution x = (y - w . r) / d, r <- r + v x. See newton.c.
//
// Three single columns of a point, or the three of a spherical joint, are eliminated together
// (three.h, root_frame.h): their w are made of the same P, D = L^T diag(d) L, and w and y become
// L^-T w and L^-T y. Except in root-frame coordinates, which root_frame.h treats, substitution is
//
//   x_0 = a_0,  x_1 = a_1 - L10 x_0,  x_2 = a_2 - L20 x_0 - L21 x_1,  a_k = (y_k - w_k . r) / d_k
//
// A fixed column, whose x is given, has w, d and y as the others; of those nearer the root it
// changes the right-hand sides alone, and its equation has the remainder l:
//
//   z <- z + w x        l = y - w . r - d x,  r <- r + v x
//
// Where P and z do not grow (segment.h) a column takes from those eliminated before it:
//
//   w_j <- w_j - w_k (w_k . v_j) / d_k,  y_j <- y_j - y_k (w_k . v_j) / d_k
#include "step/segment.h"
#include "math/rows.h"
#include "math/vector.h"
#include "simd/four.h"
#include "simd/pair.h"
#include "step/point.h"
#include "step/root_frame.h"
#include "step/segment_columns.h"
#include "step/segment_pose.h"
#include "step/segment_spherical.h"

#include <string.h>

// ----------------------------------------------------------------- elimination

// Eliminates one column. Returns false where the pivot is not positive.
SINEW_SPECIALISED bool eliminate_column(int r, const sinew_segment *s, int j) {
  const double *u = s->u + j * r, *v = s->v + j * r;
  double *w = s->w + j * r, d = s->mu, y = s->right[j];
  for (int a = 0; a < r; ++a) {
    double sum = u[a];
    for (int b = 0; b < r; ++b) {
      sum -= s->P[a * s->stride + b] * v[b];
    }
    w[a] = sum;
    d += sum * v[a];
    y -= v[a] * s->z[a];
  }
  const double inverse = 1.0 / d;
  if (!(d > 0.5 * s->mu)) {
    s->pivot[j] = inverse;
    return false;
  }
  for (int a = 0; a < r && !(s->top && j == 0); ++a) {
    const double t = w[a] * inverse;
    for (int b = 0; b < r; ++b) {
      s->P[a * s->stride + b] += t * w[b];
    }
    s->z[a] += t * y;
  }
  s->pivot[j] = inverse;
  s->y[j] = y;
  return true;
}

// Eliminates one column for any r of at least 4.
static bool eliminate_fours(int r, const sinew_segment *s, int j) {
  const double *v = s->v + j * r;
  double *w = s->w + j * r, d = s->mu, y = s->right[j];
  sinew_four d4 = SINEW_FOUR_OF(0.0), y4 = d4;
  int a = 0;
  reduce_any(r, s, s->u + j * r, v, w);
  if (!grows(r, s)) {
    y -= take_from(r, s, j, j + 1);
  }
  for (; a + 4 <= r; a += 4) {
    const sinew_four va = sinew_four_load(v + a);
    d4 += sinew_four_load(w + a) * va;
    y4 += sinew_four_load(s->z + a) * va;
  }
  for (; a < r; ++a) {
    d += w[a] * v[a];
    y -= v[a] * s->z[a];
  }
  d += (d4[0] + d4[1]) + (d4[2] + d4[3]);
  y -= (y4[0] + y4[1]) + (y4[2] + y4[3]);
  const double inverse = 1.0 / d;
  s->pivot[j] = inverse;
  if (!(d > 0.5 * s->mu)) {
    return false;
  }
  if (grows(r, s) && !(s->top && j == 0)) {
    add_any(r, s, w, inverse, y);
  }
  s->y[j] = y;
  return true;
}

// Eliminates one column for a constant even r, with w in registers.
SINEW_ALWAYS_INLINE bool eliminate_pairs(int r, const sinew_segment *s, int j) {
  const double *v = s->v + j * r;
  double *w = s->w + j * r;
  sinew_pair sum[6], d2 = {s->mu, 0.0}, y2 = {s->right[j], 0.0};
  reduce_pairs(r, s, j, sum);
  for (int a = 0; a < r; a += 2) {
    const sinew_pair va = sinew_pair_load(v + a);
    d2 += sum[a / 2] * va;
    y2 -= sinew_pair_load(s->z + a) * va;
    sinew_pair_store(w + a, sum[a / 2]);
  }
  const double d = d2[0] + d2[1], y = y2[0] + y2[1];
  const double inverse = 1.0 / d;
  if (!(d > 0.5 * s->mu)) {
    s->pivot[j] = inverse;
    return false;
  }
  for (int b = 0; b < r && !(s->top && j == 0); ++b) {
    const double t = w[b] * inverse;
    double *row = s->P + b * s->stride;
    for (int a = 0; a < r; a += 2) {
      sinew_pair_store(row + a, sinew_pair_load(row + a) + sinew_pair_of(t) * sum[a / 2]);
    }
    s->z[b] += t * y;
  }
  s->pivot[j] = inverse;
  s->y[j] = y;
  return true;
}

SINEW_ALWAYS_INLINE bool eliminate_point(const sinew_segment *s, int j, sinew_point *p) {
  const sinew_column v = sinew_column_load(s->v + 3 * j),
                     w = sinew_point_reduce(p, sinew_column_load(s->u + 3 * j), v);
  const double d = sinew_column_plus_dot(s->mu, w, v),
               y = s->right[j] - sinew_column_dot(v, p->sum);
  const double inverse = 1.0 / d;
  if (!(d > 0.5 * s->mu)) {
    s->pivot[j] = inverse;
    return false;
  }
  sinew_point_add(p, w, inverse, y);
  sinew_column_store(s->w + 3 * j, w);
  s->pivot[j] = inverse;
  s->y[j] = y;
  return true;
}

// A fixed column of a point.
SINEW_ALWAYS_INLINE void reduce_fixed_point(const sinew_segment *s, int j, sinew_point *p) {
  const sinew_column v = sinew_column_load(s->v + 3 * j),
                     w = sinew_point_reduce(p, sinew_column_load(s->u + 3 * j), v);
  s->pivot[j] = sinew_column_plus_dot(s->mu, w, v);
  s->y[j] = s->right[j] - sinew_column_dot(v, p->sum);
  p->sum = sinew_column_minus(p->sum, -s->x[j], w);
  sinew_column_store(s->w + 3 * j, w);
}

// Eliminates the single columns j, j + 1, j + 2 together (three.h). first: no column has been
// eliminated before, and p is only written.
SINEW_ALWAYS_INLINE int eliminate_points(const sinew_segment *s, int j, bool first,
                                         sinew_point *p) {
  const double *u = s->u + 3 * j, *v = s->v + 3 * j, mu = s->mu;
  double *w = s->w + 3 * j, *off_diagonal = s->off_diagonal + j, *pivot = s->pivot + j,
         *y = s->y + j;
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
    s->pivot[j + f.bad] = sinew_three_bad_pivot(&f);
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
    sinew_point_add(p, w2, f.pivot2, y[2]);
  }
  sinew_column_store(w + 6, w2);
  w1 = sinew_column_minus(w1, f.L21, w2);
  sinew_point_add(p, w1, f.pivot1, y[1]);
  sinew_column_store(w + 3, w1);
  w0 = sinew_column_minus(sinew_column_minus(w0, f.L20, w2), f.L10, w1);
  sinew_point_add(p, w0, f.pivot0, y[0]);
  sinew_column_store(w, w0);
  pivot[0] = f.pivot0;
  pivot[1] = f.pivot1;
  pivot[2] = f.pivot2;
  off_diagonal[0] = f.L10;
  off_diagonal[1] = f.L20;
  off_diagonal[2] = f.L21;
  return -1;
}

// Whether columns j, j + 1 and j + 2 of a point are those of a spherical joint in root-frame
// angular coordinates with no fixed column.
SINEW_ALWAYS_INLINE bool is_root_frame(const sinew_segment *s, int j) {
  return s->point && is_spherical(s, j) && s->spherical[j] == SINEW_SPHERICAL_ROOT_FRAME &&
         none_fixed(s, j);
}

// Whether the single columns j, j + 1 and j + 2 are eliminated together. j is a multiple of 3, so
// that elimination and substitution find the same groups.
SINEW_ALWAYS_INLINE bool are_three(const sinew_segment *s, int j) {
  return j % 3 == 0 && j + 3 <= s->count && !is_spherical(s, j) && !is_spherical(s, j + 1) &&
         !is_spherical(s, j + 2) && none_fixed(s, j);
}

// --------------------------------------------------------- consecutive columns

// Eliminates consecutive spherical joints in root-frame coordinates, from the last column *j to the
// first. Returns the column whose pivot is not positive, or -1. *j becomes the next column to
// eliminate.
SINEW_ALWAYS_INLINE int eliminate_root_frame(const sinew_segment *s, int *j) {
  sinew_root_frame_sums p = sinew_root_frame_sums_load(s);
  int at = *j - 2, bad;
  do {
    p = sinew_root_frame_eliminate(s, at, &p, &bad);
    at -= 3;
  } while (bad < 0 && at >= 0 && is_spherical(s, at + 2) && is_root_frame(s, at));
  sinew_root_frame_sums_store(&p, s);
  *j = at + 2;
  return bad;
}

// The same for consecutive columns of revolute and prismatic joints.
SINEW_ALWAYS_INLINE int eliminate_single(const sinew_segment *s, int *j) {
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
  for (; bad < 0 && at >= 0 && !is_spherical(s, at); --at) {
    if (at >= 2 && are_three(s, at - 2)) {
      at -= 2;
      bad = eliminate_points(s, at, false, &p);
    } else if (is_fixed(s, at)) {
      reduce_fixed_point(s, at, &p);
    } else {
      bad = eliminate_point(s, at, &p) ? -1 : at;
    }
  }
  sinew_point_store(&p, s);
  *j = at;
  return bad;
}

// Returns the column whose pivot is not positive, or -1.
SINEW_ALWAYS_INLINE int eliminate_chain(const sinew_segment *s) {
  int bad = -1;
  for (int j = s->count - 1; j >= 0 && bad < 0;) {
    if (!is_spherical(s, j)) {
      bad = eliminate_single(s, &j);
    } else if (is_root_frame(s, j - 2)) {
      bad = eliminate_root_frame(s, &j);
    } else {
      bad = eliminate_spherical(3, s, j - 2);
      j -= 3;
    }
  }
  return bad;
}

// How the columns of other joints than spherical ones are eliminated.
typedef enum column_form { ONE_BY_ONE, BY_PAIRS, BY_FOURS } column_form;

SINEW_SPECIALISED int eliminate_columns(int r, const sinew_segment *s, column_form form) {
  for (int j = s->count; j-- > 0;) {
    if (is_spherical(s, j)) {
      j -= 2;
      const int bad = eliminate_spherical(r, s, j);
      if (bad >= 0) {
        return bad;
      }
    } else if (is_fixed(s, j)) {
      reduce_fixed(r, s, j);
    } else if (!(form == BY_PAIRS && !SMALL ? eliminate_pairs(r, s, j)
                 : form == BY_FOURS         ? eliminate_fours(r, s, j)
                                            : eliminate_column(r, s, j))) {
      return j;
    }
  }
  return -1;
}

// The columns of a pose, with P and z in registers. Returns the column whose pivot is not positive,
// or -1.
static int eliminate_pose(const sinew_segment *s) {
  six P[6], z;
  int bad = -1;
  six_load_sums(s, P, &z);
  for (int j = s->count - 1; j >= 0 && bad < 0; --j) {
    if (is_spherical(s, j) && !none_fixed(s, j - 2)) {
      six_store_sums(s, P, &z);
      j -= 2;
      bad = eliminate_spherical(6, s, j);
      six_load_sums(s, P, &z);
    } else if (is_spherical(s, j) || (j >= 2 && are_three(s, j - 2))) {
      j -= 2;
      bad = eliminate_sixes(s, j, P, &z);
    } else if (!eliminate_six(s, j, P, &z)) {
      bad = j;
    }
  }
  six_store_sums(s, P, &z);
  return bad;
}

int sinew_segment_eliminate(const sinew_segment *s) {
  if (s->r == 3) {
    return eliminate_chain(s);
  }
  switch (SMALL ? 0 : s->r) {
  case 6:
    return eliminate_pose(s);
  case 12:
    return eliminate_columns(12, s, BY_PAIRS);
  default:
    return s->r < 4 ? eliminate_columns(s->r, s, ONE_BY_ONE) : eliminate_columns(s->r, s, BY_FOURS);
  }
}

// ---------------------------------------------------------------- substitution

SINEW_SPECIALISED double substitute_column(int n, const sinew_segment *s, int j, double least,
                                           double *r) {
  const double *w = s->w + j * n, *v = s->v + j * n;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += w[i] * r[i];
  }
  const double x = sinew_segment_at_least((s->y[j] - sum) * s->pivot[j], least);
  for (int i = 0; i < n; ++i) {
    r[i] += x * v[i];
  }
  return x;
}

// Three columns that were eliminated together. Only the off-diagonals of L make one x depend on
// another.
SINEW_ALWAYS_INLINE void substitute_points(const sinew_segment *s, int j, sinew_column *r,
                                           double *x) {
  const double *w = s->w + 3 * j, *v = s->v + 3 * j, *off_diagonal = s->off_diagonal + j;
  const double x0 = (s->y[j] - sinew_column_dot(sinew_column_load(w), *r)) * s->pivot[j];
  const double a1 =
      (s->y[j + 1] - sinew_column_dot(sinew_column_load(w + 3), *r)) * s->pivot[j + 1];
  const double a2 =
      (s->y[j + 2] - sinew_column_dot(sinew_column_load(w + 6), *r)) * s->pivot[j + 2];
  const double x1 = a1 - off_diagonal[0] * x0,
               x2 = a2 - off_diagonal[1] * x0 - off_diagonal[2] * x1;
  *r = sinew_column_minus(*r, -x0, sinew_column_load(v));
  *r = sinew_column_minus(*r, -x1, sinew_column_load(v + 3));
  *r = sinew_column_minus(*r, -x2, sinew_column_load(v + 6));
  x[j] = x0;
  x[j + 1] = x1;
  x[j + 2] = x2;
}

SINEW_ALWAYS_INLINE void substitute_point(const sinew_segment *s, int j, double least,
                                          sinew_column *r, double *x) {
  const double wr = sinew_column_dot(sinew_column_load(s->w + 3 * j), *r);
  x[j] = sinew_segment_at_least((s->y[j] - wr) * s->pivot[j], least);
  *r = sinew_column_minus(*r, -x[j], sinew_column_load(s->v + 3 * j));
}

SINEW_ALWAYS_INLINE void substitute_fixed_point(const sinew_segment *s, int j, sinew_column *r,
                                                const double *x) {
  const double wr = sinew_column_dot(sinew_column_load(s->w + 3 * j), *r);
  s->rest[j] = s->y[j] - wr - s->pivot[j] * x[j];
  *r = sinew_column_minus(*r, -x[j], sinew_column_load(s->v + 3 * j));
}

// The minimum of |x| of columns j, j + 1, j + 2: least for column bad, 0 for the others.
static void find_minimum(int j, int bad, double least, double out[3]) {
  for (int k = 0; k < 3; ++k) {
    out[k] = j + k == bad ? least : 0.0;
  }
}

// Consecutive spherical joints in root-frame coordinates, from column *j on. *j becomes the column
// after them.
SINEW_ALWAYS_INLINE void substitute_root_frame(const sinew_segment *s, int *j, int bad,
                                               double least, double *r, double *x) {
  sinew_root_frame_partial sum = {r[0], r[1], r[2]};
  double minimum[3];
  int at = *j;
  for (; at < s->count && is_root_frame(s, at); at += 3) {
    if (bad >= at && bad < at + 3) {
      find_minimum(at, bad, least, minimum);
      sum = sinew_root_frame_substitute(s, at, minimum, sum, x);
    } else {
      sum = sinew_root_frame_substitute(s, at, NULL, sum, x);
    }
  }
  r[0] = sum.x;
  r[1] = sum.y;
  r[2] = sum.z;
  *j = at;
}

// Consecutive columns of revolute and prismatic joints, likewise.
SINEW_ALWAYS_INLINE void substitute_single(const sinew_segment *s, int *j, int bad, double least,
                                           double *r, double *x) {
  sinew_column sum = sinew_column_load(r);
  int at = *j;
  for (; at < s->count && !is_spherical(s, at); ++at) {
    if (are_three(s, at) && !(bad >= at && bad < at + 3)) {
      substitute_points(s, at, &sum, x);
      at += 2;
    } else if (is_fixed(s, at)) {
      substitute_fixed_point(s, at, &sum, x);
    } else {
      substitute_point(s, at, at == bad ? least : 0.0, &sum, x);
    }
  }
  sinew_column_store(r, sum);
  *j = at;
}

SINEW_ALWAYS_INLINE void substitute_chain(const sinew_segment *s, int bad, double least, double *r,
                                          double *x) {
  for (int j = 0; j < s->count;) {
    if (!is_spherical(s, j)) {
      substitute_single(s, &j, bad, least, r, x);
    } else if (is_root_frame(s, j)) {
      substitute_root_frame(s, &j, bad, least, r, x);
    } else {
      double minimum[3];
      find_minimum(j, bad, least, minimum);
      substitute_spherical(3, s, j, minimum, r, x);
      j += 3;
    }
  }
}

SINEW_SPECIALISED void substitute_columns(int n, const sinew_segment *s, int bad, double least,
                                          double *r, double *x) {
  for (int j = 0; j < s->count; ++j) {
    if (is_spherical(s, j)) {
      double minimum[3];
      find_minimum(j, bad, least, minimum);
      substitute_spherical(n, s, j, minimum, r, x);
      j += 2;
    } else if (is_fixed(s, j)) {
      substitute_fixed(n, s, j, r, x);
    } else {
      x[j] = substitute_column(n, s, j, j == bad ? least : 0.0, r);
    }
  }
}

// The columns of a pose.
static void substitute_pose(const sinew_segment *s, int bad, double least, double *r, double *x) {
  six sum = six_load(r);
  for (int j = 0; j < s->count; ++j) {
    const bool whole = !(bad >= j && bad < j + 3) && none_fixed_of_three(s, j);
    if (whole && (is_spherical(s, j) || are_three(s, j))) {
      substitute_sixes(s, j, &sum, x);
      j += 2;
    } else if (is_spherical(s, j)) {
      double minimum[3];
      find_minimum(j, bad, least, minimum);
      six_store(r, &sum);
      substitute_spherical(6, s, j, minimum, r, x);
      sum = six_load(r);
      j += 2;
    } else {
      substitute_six(s, j, j == bad ? least : 0.0, &sum, x);
    }
  }
  six_store(r, &sum);
}

void sinew_segment_substitute(const sinew_segment *s, int bad, double least, double *r, double *x) {
  if (s->r == 3) {
    substitute_chain(s, bad, least, r, x);
  } else if (s->r == 6 && !SMALL) {
    substitute_pose(s, bad, least, r, x);
  } else {
    substitute_columns(s->r, s, bad, least, r, x);
  }
}
