// Products with a block-sparse stack of rows. See rows.h.
#include "math/rows.h"
#include "math/pair.h"
#include "math/vector.h"

#include <stddef.h>
#include <string.h>

// a . b of six values each: a pose.
SINEW_ALWAYS_INLINE double dot_pose(const sinew_pair a[3], const double *b) {
  const sinew_pair sum =
      a[0] * sinew_pair_load(b) + a[1] * sinew_pair_load(b + 2) + a[2] * sinew_pair_load(b + 4);
  return sum[0] + sum[1];
}

static void gradient_pose(const sinew_rows *rows, const sinew_row_block *block, const double *e,
                          double *g) {
  const sinew_pair e6[3] = {sinew_pair_load(e), sinew_pair_load(e + 2), sinew_pair_load(e + 4)};
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  for (int k = 0; k < block->path_count; ++k, column += 6) {
    g[path[k]] += dot_pose(e6, column);
  }
}

SINEW_ALWAYS_INLINE void block_gradient(const sinew_rows *rows, const sinew_row_block *block, int r,
                                        const double *e, double *g) {
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  for (int k = 0; k < block->path_count; ++k, column += r) {
    double sum = 0.0;
    for (int i = 0; i < r; ++i) {
      sum += column[i] * e[i];
    }
    g[path[k]] += sum;
  }
}

void sinew_rows_gradient(const sinew_rows *rows, const double *e, double *g) {
  memset(g, 0, (size_t)rows->dof_count * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    if (block->row_count == 6) {
      gradient_pose(rows, block, e + block->row, g);
    } else if (block->row_count == 3) {
      block_gradient(rows, block, 3, e + block->row, g);
    } else {
      block_gradient(rows, block, block->row_count, e + block->row, g);
    }
  }
}

double sinew_rows_square(const sinew_rows *rows) {
  double sum = 0.0;
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    sum +=
        sinew_square_sum(block->path_count * block->row_count, rows->values + block->value_start);
  }
  return sum;
}

static void subtract_pose(const sinew_rows *rows, const sinew_row_block *block, const double *x,
                          double *r) {
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

SINEW_ALWAYS_INLINE void subtract_block(const sinew_rows *rows, const sinew_row_block *block, int n,
                                        const double *x, double *r) {
  const double *column = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  for (int k = 0; k < block->path_count; ++k, column += n) {
    const double turn = x[path[k]];
    for (int i = 0; i < n; ++i) {
      r[i] -= column[i] * turn;
    }
  }
}

static void subtract_point(const sinew_rows *rows, const sinew_row_block *block, const double *x,
                           double *r) {
  double r3[3] = {r[0], r[1], r[2]};
  subtract_block(rows, block, 3, x, r3);
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
      subtract_block(rows, block, block->row_count, x, r + block->row);
    }
  }
}

// A = sum of c c^T over the columns of a block of six rows: a pose. The lower
// triangle in twelve pairs, which stay in registers.
static void outer_pose(const sinew_rows *rows, const sinew_row_block *block,
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
      A[i * m + j + 1] = sum[s][1]; // above the diagonal at times: not read
    }
  }
}

// The corner of A at (a, b) = sum of a_k b_l^T over the degrees of freedom that blocks a
// and b share, found by walking both rising paths. ra and rb are their rows; sum is room
// for the corner.
SINEW_ALWAYS_INLINE void outer_pair(const sinew_rows *rows, const sinew_row_block *a,
                                    const sinew_row_block *b, int ra, int rb,
                                    const signed char *held, double *sum, int stride) {
  const int *path_a = rows->path + a->path_start, *path_b = rows->path + b->path_start;
  for (int i = 0; i < ra; ++i) {
    for (int j = 0; j < rb; ++j) {
      sum[i * stride + j] = 0.0;
    }
  }
  int k = 0, l = 0;
  while (k < a->path_count && l < b->path_count) {
    const int dof = path_a[k];
    if (dof != path_b[l]) {
      k += dof < path_b[l];
      l += dof > path_b[l];
      continue;
    }
    if (held == NULL || held[dof] == 0) {
      const double *ca = rows->values + a->value_start + k * ra;
      const double *cb = rows->values + b->value_start + l * rb;
      for (int i = 0; i < ra; ++i) {
        for (int j = 0; j < rb; ++j) {
          sum[i * stride + j] += ca[i] * cb[j];
        }
      }
    }
    ++k;
    ++l;
  }
}

// Two points: the corner stays in registers.
static void outer_points(const sinew_rows *rows, const sinew_row_block *a, const sinew_row_block *b,
                         const signed char *held, int m, double *A) {
  double sum[9];
  outer_pair(rows, a, b, 3, 3, held, sum, 3);
  for (int i = 0; i < 3; ++i) {
    memcpy(A + i * m, sum + 3 * i, 3 * sizeof(double));
  }
}

// The lower corner of a block of three rows with itself: a point.
static void outer_point(const sinew_rows *rows, const sinew_row_block *block,
                        const signed char *held, int m, double *A) {
  const double *c = rows->values + block->value_start;
  const int *path = rows->path + block->path_start;
  double xx = 0.0, yx = 0.0, yy = 0.0, zx = 0.0, zy = 0.0, zz = 0.0;
  for (int k = 0; k < block->path_count; ++k, c += 3) {
    if (held == NULL || held[path[k]] == 0) {
      xx += c[0] * c[0];
      yx += c[1] * c[0];
      yy += c[1] * c[1];
      zx += c[2] * c[0];
      zy += c[2] * c[1];
      zz += c[2] * c[2];
    }
  }
  A[0] = xx;
  A[m] = yx;
  A[m + 1] = yy;
  A[2 * m] = zx;
  A[2 * m + 1] = zy;
  A[2 * m + 2] = zz;
}

static void outer_blocks(const sinew_rows *rows, const sinew_row_block *a, const sinew_row_block *b,
                         const signed char *held, int m, double *A) {
  const int ra = a->row_count, rb = b->row_count;
  double *corner = A + a->row * m + b->row;
  if (a == b && ra == 6) {
    outer_pose(rows, a, held, m, corner);
  } else if (a == b && ra == 3) {
    outer_point(rows, a, held, m, corner);
  } else if (ra == 3 && rb == 3) {
    outer_points(rows, a, b, held, m, corner);
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
SINEW_ALWAYS_INLINE double dot(int r, const double *a, const double *b) {
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

SINEW_ALWAYS_INLINE void inner_block(const sinew_rows *rows, const sinew_row_block *block, int r,
                                     const int *index, int f, double *H) {
  const int *path = rows->path + block->path_start;
  const double *values = rows->values + block->value_start;
  for (int k = 0; k < block->path_count; ++k) {
    const int i = index[path[k]];
    if (i < 0) {
      continue;
    }
    for (int l = 0; l <= k; ++l) { // paths rise, and so do places
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
