// Products with a block-sparse stack of rows:
//
//   g = J^T e,   r <- r - J x,   A = J J^T,   H = J^T J,   |J|^2 = sum of J_ij^2
//
// J = [J_1; J_2; ...], a block for each task, whose columns are 0 outside of the task's path.
// Blocks of three rows (points) and of six (poses) have code of their own. See rows.h.
#include "math/rows.h"
#include "math/root_frame_columns.h"
#include "math/vector.h"
#include "simd/four.h"

#include <stddef.h>
#include <string.h>

// a . b of six values each: a pose.
SINEW_ALWAYS_INLINE double dot_pose(const sinew_pair a[3], const double *b) {
  const sinew_pair sum =
      a[0] * sinew_pair_load(b) + a[1] * sinew_pair_load(b + 2) + a[2] * sinew_pair_load(b + 4);
  return sum[0] + sum[1];
}

SINEW_ALWAYS_INLINE void gradient_pose(const sinew_rows *rows, const sinew_row_block *block,
                                       const double *e, double *g) {
  const sinew_pair e6[3] = {sinew_pair_load(e), sinew_pair_load(e + 2), sinew_pair_load(e + 4)};
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  for (int k = 0; k < block->path_count; ++k, column += 6) {
    g[path[k]] += dot_pose(e6, column);
  }
}

// Columns from k on, of r rows.
SINEW_ALWAYS_INLINE void block_gradient(const sinew_rows *rows, const sinew_row_block *block, int k,
                                        int r, const double *e, double *g) {
  const double *column = rows->values + block->value_start + k * r;
  const int *path = rows->path + block->path_start;
  for (; k < block->path_count; ++k, column += r) {
    double sum = 0.0;
    for (int i = 0; i < r; ++i) {
      sum += column[i] * e[i];
    }
    g[path[k]] += sum;
  }
}

SINEW_ALWAYS_INLINE void gradient_point(const sinew_rows *rows, const sinew_row_block *block,
                                        const double *e, double *g) {
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  const sinew_four first = {e[0], e[1], e[2], e[0]}, second = {e[1], e[2], e[0], e[1]},
                   third = {e[2], e[0], e[1], e[2]};
  int k = 0;
  for (; k + 4 <= block->path_count; k += 4, column += 12) {
    const sinew_four products[3] = {sinew_four_load(column) * first,
                                    sinew_four_load(column + 4) * second,
                                    sinew_four_load(column + 8) * third};
    sinew_four parts[3];
    sinew_four_split3(products, parts);
    const sinew_four sum = parts[0] + parts[1] + parts[2];
    for (int i = 0; i < 4; ++i) {
      g[path[k + i]] += sum[i];
    }
  }
  block_gradient(rows, block, k, 3, e, g);
}

void sinew_rows_gradient(const sinew_rows *rows, const double *e, double *g) {
  for (int j = 0; j < rows->dof_count; ++j) {
    g[j] = 0.0;
  }
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    if (block->row_count == 6) {
      gradient_pose(rows, block, e + block->row, g);
    } else if (block->row_count == 3) {
      gradient_point(rows, block, e + block->row, g);
    } else {
      block_gradient(rows, block, 0, block->row_count, e + block->row, g);
    }
  }
}

double sinew_rows_square_norm(const sinew_rows *rows) {
  sinew_four even = SINEW_FOUR_OF(0.0), odd = even;
  double rest = 0.0;
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const double *values = rows->values + block->value_start;
    const int count = block->path_count * block->row_count;
    int i = 0;
    for (; i + 8 <= count; i += 8) {
      const sinew_four v = sinew_four_load(values + i), w = sinew_four_load(values + i + 4);
      even += v * v;
      odd += w * w;
    }
    for (; i < count; ++i) {
      rest += values[i] * values[i];
    }
  }
  const sinew_four both = even + odd;
  return (both[0] + both[1]) + (both[2] + both[3]) + rest;
}

SINEW_ALWAYS_INLINE void subtract_pose(const sinew_rows *rows, const sinew_row_block *block,
                                       const double *x, double *r) {
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  sinew_pair r6[3] = {sinew_pair_load(r), sinew_pair_load(r + 2), sinew_pair_load(r + 4)};
  for (int k = 0; k < block->path_count; ++k, column += 6) {
    const sinew_pair xx = {x[path[k]], x[path[k]]};
    for (int i = 0; i < 3; ++i) {
      r6[i] -= xx * sinew_pair_load(column + 2 * i);
    }
  }
  memcpy(r, r6, sizeof r6);
}

// Columns from k on, of n rows.
SINEW_ALWAYS_INLINE void subtract_block(const sinew_rows *rows, const sinew_row_block *block, int k,
                                        int n, const double *x, double *r) {
  const double *column = rows->values + block->value_start + k * n;
  const int *path = rows->path + block->path_start;
  for (; k < block->path_count; ++k, column += n) {
    const double value = x[path[k]];
    for (int i = 0; i < n; ++i) {
      r[i] -= column[i] * value;
    }
  }
}

SINEW_ALWAYS_INLINE void subtract_point(const sinew_rows *rows, const sinew_row_block *block,
                                        const double *x, double *r) {
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  double r3[3] = {r[0], r[1], r[2]};
  int k = 0;
  if (block->path_count >= 4) {
    sinew_four sum[3] = {SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0), SINEW_FOUR_OF(0.0)}, parts[3];
    for (; k + 4 <= block->path_count; k += 4, column += 12) {
      const sinew_four four = {x[path[k]], x[path[k + 1]], x[path[k + 2]], x[path[k + 3]]};
      sum[0] += sinew_four_load(column) * SINEW_FOUR_SHUFFLE(four, 0, 0, 0, 1);
      sum[1] += sinew_four_load(column + 4) * SINEW_FOUR_SHUFFLE(four, 1, 1, 2, 2);
      sum[2] += sinew_four_load(column + 8) * SINEW_FOUR_SHUFFLE(four, 2, 3, 3, 3);
    }
    sinew_four_split3(sum, parts);
    for (int i = 0; i < 3; ++i) {
      r3[i] -= (parts[i][0] + parts[i][1]) + (parts[i][2] + parts[i][3]);
    }
  }
  subtract_block(rows, block, k, 3, x, r3);
  memcpy(r, r3, sizeof r3);
}

void sinew_rows_subtract(const sinew_rows *rows, const double *x, double *r) {
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    if (block->row_count == 6) {
      subtract_pose(rows, block, x, r + block->row);
    } else if (block->row_count == 3) {
      subtract_point(rows, block, x, r + block->row);
    } else {
      subtract_block(rows, block, 0, block->row_count, x, r + block->row);
    }
  }
}

// A = sum of c c^T over the columns of a block of six rows: a pose. The lower
// triangle in twelve pairs, which stay in registers.
SINEW_ALWAYS_INLINE void outer_pose(const sinew_rows *rows, const sinew_row_block *block,
                                    const signed char *held, int m, double *A) {
  sinew_pair sum[12] = {{0.0}};
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  for (int k = 0; k < block->path_count; ++k, column += 6) {
    if (held != NULL && held[path[k]] != 0) {
      continue;
    }
    const sinew_pair c0 = sinew_pair_load(column), c1 = sinew_pair_load(column + 2),
                     c2 = sinew_pair_load(column + 4);
    for (int i = 0, s = 0; i < 6; ++i) {
      const sinew_pair ci = {column[i], column[i]};
      sum[s++] += ci * c0;
      if (i >= 2) {
        sum[s++] += ci * c1;
      }
      if (i >= 4) {
        sum[s++] += ci * c2;
      }
    }
  }
  for (int i = 0, s = 0; i < 6; ++i) {
    for (int j = 0; j <= i; j += 2, ++s) {
      A[i * m + j] = sum[s][0];
      A[i * m + j + 1] = sum[s][1]; // may be above the diagonal, which is not read
    }
  }
}

// A degree of freedom that two blocks share: number k of the path of one, l of the other's.
typedef struct common_place {
  int k, l;
  bool more; // whether there is one
} common_place;

// Finds the next one from there on, by a merge of both rising paths. Branches of a tree have ranges
// of numbers that do not overlap: where they part the merge ends.
SINEW_SPECIALISED common_place find_common(const int *path, int count, const int *other,
                                           int other_count, int k, int l) {
  while (k < count && l < other_count) {
    const int a = path[k], b = other[l];
    if (a == b) {
      return (common_place){k, l, true};
    }
    if (path[count - 1] < b || other[other_count - 1] < a) {
      break;
    }
    k += a < b;
    l += a > b;
  }
  return (common_place){k, l, false};
}

// The corner of A at (a, b) = sum of a_k b_l^T over the degrees of freedom that blocks a
// and b share. ra and rb are the numbers of rows; the corner goes to sum.
SINEW_ALWAYS_INLINE void outer_pair(const sinew_rows *rows, const sinew_row_block *a,
                                    const sinew_row_block *b, int ra, int rb,
                                    const signed char *held, double *sum, int stride) {
  const int *path_a = rows->path + a->path_start, *path_b = rows->path + b->path_start;
  for (int i = 0; i < ra; ++i) {
    for (int j = 0; j < rb; ++j) {
      sum[i * stride + j] = 0.0;
    }
  }
  for (common_place at = find_common(path_a, a->path_count, path_b, b->path_count, 0, 0); at.more;
       at = find_common(path_a, a->path_count, path_b, b->path_count, at.k + 1, at.l + 1)) {
    if (held == NULL || held[path_a[at.k]] == 0) {
      const double *ca = rows->values + a->value_start + at.k * ra;
      const double *cb = rows->values + b->value_start + at.l * rb;
      for (int i = 0; i < ra; ++i) {
        for (int j = 0; j < rb; ++j) {
          sum[i * stride + j] += ca[i] * cb[j];
        }
      }
    }
  }
}

// The same of a pose and another block with r rows, at most six: r rows of six sums, which stay in
// registers.
SINEW_SPECIALISED void outer_with_pose(const sinew_rows *rows, const sinew_row_block *pose,
                                       const sinew_row_block *other, int r, const signed char *held,
                                       double *sum) {
  const int *path = rows->path + pose->path_start, *others = rows->path + other->path_start;
  sinew_four first[6];
  sinew_pair last[6];
  for (int i = 0; i < r; ++i) {
    first[i] = SINEW_FOUR_OF(0.0);
    last[i] = sinew_pair_of(0.0);
  }
  for (common_place at = find_common(path, pose->path_count, others, other->path_count, 0, 0);
       at.more;
       at = find_common(path, pose->path_count, others, other->path_count, at.k + 1, at.l + 1)) {
    if (held == NULL || held[path[at.k]] == 0) {
      const double *a = rows->values + pose->value_start + 6 * at.k;
      const double *b = rows->values + other->value_start + r * at.l;
      const sinew_four a_first = sinew_four_load(a);
      const sinew_pair a_last = sinew_pair_load(a + 4);
      for (int i = 0; i < r; ++i) {
        first[i] += SINEW_FOUR_OF(b[i]) * a_first;
        last[i] += sinew_pair_of(b[i]) * a_last;
      }
    }
  }
  for (int i = 0; i < r; ++i) {
    sinew_four_store(sum + 6 * i, first[i]);
    sinew_pair_store(sum + 6 * i + 4, last[i]);
  }
}

// Two different blocks of six rows, or of six and three.
SINEW_ALWAYS_INLINE void outer_poses(const sinew_rows *rows, const sinew_row_block *a,
                                     const sinew_row_block *b, const signed char *held, int m,
                                     double *A) {
  double sum[36];
  if (b->row_count == 3) {
    outer_with_pose(rows, a, b, 3, held, sum);
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 3; ++j) {
        A[i * m + j] = sum[6 * j + i];
      }
    }
    return;
  }
  if (a->row_count == 3) {
    outer_with_pose(rows, b, a, 3, held, sum);
  } else {
    outer_with_pose(rows, b, a, 6, held, sum);
  }
  for (int i = 0; i < a->row_count; ++i) {
    memcpy(A + i * m, sum + 6 * i, 6 * sizeof(double));
  }
}

// Two points: the corner stays in registers.
SINEW_ALWAYS_INLINE void outer_points(const sinew_rows *rows, const sinew_row_block *a,
                                      const sinew_row_block *b, const signed char *held, int m,
                                      double *A) {
  double sum[9];
  outer_pair(rows, a, b, 3, 3, held, sum, 3);
  for (int i = 0; i < 3; ++i) {
    memcpy(A + i * m, sum + 3 * i, 3 * sizeof(double));
  }
}

// The lower corner of a block of three rows with itself: a point. Three columns of the sum at once.
SINEW_ALWAYS_INLINE void outer_point(const sinew_rows *rows, const sinew_row_block *block,
                                     const signed char *held, int m, double *A) {
  const double *c = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  sinew_four x = SINEW_FOUR_OF(0.0), y = x, z = x;
  for (int k = 0; k < block->path_count; ++k, c += 3) {
    if (held == NULL || held[path[k]] == 0) {
      const sinew_four column = sinew_four_load3(c);
      x += column * SINEW_FOUR_SPREAD(column, 0);
      y += column * SINEW_FOUR_SPREAD(column, 1);
      z += column * SINEW_FOUR_SPREAD(column, 2);
    }
  }
  A[0] = x[0];
  A[m] = x[1];
  A[m + 1] = y[1];
  A[2 * m] = x[2];
  A[2 * m + 1] = y[2];
  A[2 * m + 2] = z[2];
}

// The same, with spherical joints among the columns. The three columns e_i x a of one in root-frame
// coordinates, if no bound is active, add |a|^2 I - a a^T.
SINEW_ALWAYS_INLINE void outer_spherical(const sinew_rows *rows, const sinew_row_block *block,
                                         const signed char *held, int m, double *A) {
  const double *c = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  sinew_pair yy_zz = {0.0, 0.0}, xy_xz = yy_zz, sum_xx_yx = yy_zz, sum_yy_zz = yy_zz;
  double xx = 0.0, yz = 0.0, sum_zx = 0.0, sum_zy = 0.0;
  for (int k = 0; k < block->path_count; ++k, c += 3) {
    if (held == NULL && rows->spherical[path[k]] == SINEW_SPHERICAL_ROOT_FRAME) {
      const sinew_pair a_yz = sinew_pair_load(c + 2);
      const double a_x = sinew_spherical_columns_x(c);
      yy_zz += a_yz * a_yz;
      xy_xz += a_yz * sinew_pair_of(a_x);
      xx += a_x * a_x;
      yz += a_yz[0] * a_yz[1];
      k += 2;
      c += 6;
    } else if (held == NULL || held[path[k]] == 0) {
      const sinew_pair a_yz = sinew_pair_load(c + 1);
      sum_xx_yx += sinew_pair_load(c) * sinew_pair_of(c[0]);
      sum_yy_zz += a_yz * a_yz;
      sum_zx += c[2] * c[0];
      sum_zy += a_yz[0] * a_yz[1];
    }
  }
  A[0] = sum_xx_yx[0] + (yy_zz[0] + yy_zz[1]);
  A[m] = sum_xx_yx[1] - xy_xz[0];
  A[m + 1] = sum_yy_zz[0] + (xx + yy_zz[1]);
  A[2 * m] = sum_zx - xy_xz[1];
  A[2 * m + 1] = sum_zy - yz;
  A[2 * m + 2] = sum_yy_zz[1] + (xx + yy_zz[0]);
}

SINEW_ALWAYS_INLINE void outer_blocks(const sinew_rows *rows, const sinew_row_block *a,
                                      const sinew_row_block *b, const signed char *held, int m,
                                      double *A) {
  const int ra = a->row_count, rb = b->row_count;
  double *corner = A + a->row * m + b->row;
  if (a == b && ra == 6) {
    outer_pose(rows, a, held, m, corner);
  } else if (a == b && a->point && rows->spherical != NULL) {
    outer_spherical(rows, a, held, m, corner);
  } else if (a == b && ra == 3) {
    outer_point(rows, a, held, m, corner);
  } else if (ra == 3 && rb == 3) {
    outer_points(rows, a, b, held, m, corner);
  } else if ((ra == 6 && rb == 6) || (ra == 6 && rb == 3) || (ra == 3 && rb == 6)) {
    outer_poses(rows, a, b, held, m, corner);
  } else {
    outer_pair(rows, a, b, ra, rb, held, corner, m);
  }
}

void sinew_rows_outer(const sinew_rows *rows, const signed char *held, double *A) {
  for (int a = 0; a < rows->block_count; ++a) {
    for (int b = 0; b <= a; ++b) {
      outer_blocks(rows, &rows->blocks[a], &rows->blocks[b], held, rows->row_count, A);
    }
  }
}

// a . b of r values each.
SINEW_SPECIALISED double dot(int r, const double *a, const double *b) {
  if (r == 6) {
    const sinew_pair a6[3] = {sinew_pair_load(a), sinew_pair_load(a + 2), sinew_pair_load(a + 4)};
    return dot_pose(a6, b);
  }
  double sum = 0.0;
  for (int i = 0; i < r; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

SINEW_SPECIALISED void inner_block(const sinew_rows *rows, const sinew_row_block *block, int r,
                                   const int *index, int f, double *H) {
  const int *path = rows->path + block->path_start;
  const double *values = rows->values + block->value_start;
  for (int k = 0; k < block->path_count; ++k) {
    const int i = index[path[k]];
    if (i < 0) {
      continue;
    }
    for (int l = 0; l <= k; ++l) { // paths rise, and so do indices
      const int j = index[path[l]];
      if (j >= 0) {
        H[i * f + j] += dot(r, values + k * r, values + l * r);
      }
    }
  }
}

void sinew_rows_inner(const sinew_rows *rows, const int *index, int f, double *H) {
  memset(H, 0, (size_t)f * (size_t)f * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    if (block->row_count == 6) {
      inner_block(rows, block, 6, index, f, H);
    } else {
      inner_block(rows, block, block->row_count, index, f, H);
    }
  }
}
