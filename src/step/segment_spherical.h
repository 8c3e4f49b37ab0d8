// The three columns of a spherical joint in a segment (segment.h), of any number r of rows, and
// fixed columns, which a spherical joint may have.
#ifndef SINEW_STEP_SEGMENT_SPHERICAL_H
#define SINEW_STEP_SEGMENT_SPHERICAL_H

#include "step/segment_columns.h"
#include "step/three.h"

// ----------------------------------------------------------------- elimination

// w, y and d of a fixed column; d is in the place of its pivot.
SINEW_SPECIALISED void reduce_fixed(int r, const sinew_segment *s, int j) {
  const double *v = s->v + j * r, *w = s->w + j * r;
  reduce_column(r, s, j);
  s->y[j] = s->right[j] - dot_of(r, v, s->z);
  if (grows(r, s)) {
    add_to(r, s->x[j], w, s->z);
  } else {
    s->y[j] -= take_from(r, s, j, j + 1);
  }
  s->pivot[j] = dot_of(r, w, v) + s->mu;
}

// D_jk = (w_j . v_k + w_k . v_j) / 2, plus mu for j = k.
SINEW_SPECIALISED double corner_of(int r, const sinew_segment *s, int j, int k) {
  const double jk = dot_of(r, s->w + j * r, s->v + k * r);
  return j == k ? jk + s->mu : 0.5 * (jk + dot_of(r, s->w + k * r, s->v + j * r));
}

// Where three values have D_10, D_20 and D_21, and L_10, L_20 and L_21.
static const int corner_index[3][3] = {{-1, 0, 1}, {0, -1, 2}, {1, 2, -1}};

// Whether entry i of these is of a fixed column.
SINEW_ALWAYS_INLINE bool is_of_fixed(const sinew_segment *s, int j, int i) {
  return is_fixed(s, j + i / 2) || is_fixed(s, j + (i + 3) / 2);
}

// D without the fixed ones of a spherical joint's three columns: these change the right-hand sides
// of the others, y_k - D_ki x_i.
static sinew_three without_fixed(const sinew_segment *s, int j, const sinew_three *D) {
  const double mu = 1.0 + s->mu;
  double off[3] = {D->D10, D->D20, D->D21};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 3; ++i) {
      if (i != k && is_fixed(s, j + i) && !is_fixed(s, j + k)) {
        s->y[j + k] -= off[corner_index[k][i]] * s->x[j + i];
      }
    }
  }
  for (int i = 0; i < 3; ++i) {
    off[i] = is_of_fixed(s, j, i) ? 0.0 : off[i];
  }
  return (sinew_three){.D00 = is_fixed(s, j) ? mu : D->D00,
                       .D11 = is_fixed(s, j + 1) ? mu : D->D11,
                       .D22 = is_fixed(s, j + 2) ? mu : D->D22,
                       .D10 = off[0],
                       .D20 = off[1],
                       .D21 = off[2]};
}

// What the fixed ones of three columns add to z, x w, and to P, nothing; keeps of them d and D.
static void keep_fixed(const sinew_segment *s, int j, const sinew_three *D, double inverse[3],
                       double share[3]) {
  const double d[3] = {D->D00, D->D11, D->D22}, off[3] = {D->D10, D->D20, D->D21};
  for (int i = 0; i < 3; ++i) {
    if (is_fixed(s, j + i)) {
      inverse[i] = 0.0;
      share[i] = s->x[j + i];
      s->pivot[j + i] = d[i];
    }
    if (is_of_fixed(s, j, i)) {
      s->off_diagonal[j + i] = off[i];
    }
  }
}

// Eliminates the three columns of a spherical joint, for any r.
SINEW_SPECIALISED int eliminate_spherical(int r, const sinew_segment *s, int j) {
  double *w0 = s->w + j * r, *w1 = w0 + r, *w2 = w1 + r, *y = s->y + j;
  for (int k = 0; k < 3; ++k) {
    reduce_column(r, s, j + k);
    y[k] = s->right[j + k] - dot_of(r, s->v + (j + k) * r, s->z);
    y[k] -= grows(r, s) ? 0.0 : take_from(r, s, j + k, j + 3);
  }
  const bool whole = none_fixed(s, j);
  const sinew_three D = {corner_of(r, s, j, j),         corner_of(r, s, j + 1, j),
                         corner_of(r, s, j + 1, j + 1), corner_of(r, s, j + 2, j),
                         corner_of(r, s, j + 2, j + 1), corner_of(r, s, j + 2, j + 2)};
  const sinew_three_factor f = sinew_three_factor_of(whole ? D : without_fixed(s, j, &D), s->mu);
  if (f.bad >= 0) {
    s->pivot[j + f.bad] = sinew_three_bad_pivot(&f);
    return j + f.bad;
  }
  add_to(r, -f.L21, w2, w1);
  add_to(r, -f.L20, w2, w0);
  add_to(r, -f.L10, w1, w0);
  y[1] -= f.L21 * y[2];
  y[0] -= f.L20 * y[2] + f.L10 * y[1];
  double inverse[3] = {f.pivot0, f.pivot1, f.pivot2};
  double share[3] = {y[0] * inverse[0], y[1] * inverse[1], y[2] * inverse[2]};
  memcpy(s->pivot + j, inverse, sizeof inverse);
  s->off_diagonal[j] = f.L10;
  s->off_diagonal[j + 1] = f.L20;
  s->off_diagonal[j + 2] = f.L21;
  if (!whole) {
    keep_fixed(s, j, &D, inverse, share);
  }
  if (!grows(r, s)) {
    return -1;
  }
  for (int b = 0; b < r; ++b) {
    add_three(r, w0[b] * inverse[0], w1[b] * inverse[1], w2[b] * inverse[2], w0,
              s->P + b * s->stride);
  }
  add_three(r, share[0], share[1], share[2], w0, s->z);
  return -1;
}

// ---------------------------------------------------------------- substitution

// A fixed column keeps its x.
SINEW_SPECIALISED void substitute_fixed(int n, const sinew_segment *s, int j, double *r,
                                        const double *x) {
  s->rest[j] = s->y[j] - dot_of(n, s->w + j * n, r) - s->pivot[j] * x[j];
  add_to(n, x[j], s->v + j * n, r);
}

// The off-diagonal of L, 0 where a column is fixed.
SINEW_ALWAYS_INLINE double off_diagonal_of(const sinew_segment *s, int j, int i) {
  return is_of_fixed(s, j, i) ? 0.0 : s->off_diagonal[j + i];
}

// The three columns of a spherical joint, for any r. Fixed columns keep x.
SINEW_SPECIALISED void substitute_spherical(int n, const sinew_segment *s, int j,
                                            const double *least, double *r, double *x) {
  double part[3], rest[3];
  for (int k = 0; k < 3; ++k) {
    rest[k] = s->y[j + k] - dot_of(n, s->w + (j + k) * n, r);
    part[k] = rest[k] * s->pivot[j + k];
  }
  part[0] = sinew_segment_at_least(part[0], least[0]);
  part[1] = sinew_segment_at_least(part[1] - off_diagonal_of(s, j, 0) * part[0], least[1]);
  part[2] -= off_diagonal_of(s, j, 1) * part[0] + off_diagonal_of(s, j, 2) * part[1];
  part[2] = sinew_segment_at_least(part[2], least[2]);
  for (int k = 0; k < 3; ++k) {
    x[j + k] = is_fixed(s, j + k) ? x[j + k] : part[k];
    add_to(n, x[j + k], s->v + (j + k) * n, r);
  }
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; is_fixed(s, j + k) && i < 3; ++i) {
      rest[k] -= (i == k ? s->pivot[j + k] : s->off_diagonal[j + corner_index[k][i]]) * x[j + i];
    }
    if (is_fixed(s, j + k)) {
      s->rest[j + k] = rest[k];
    }
  }
}

#endif
