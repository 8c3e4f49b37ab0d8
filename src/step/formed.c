// Newton's matrix as a dense one: (H + mu I) x = g by L D L^T.
//
// The pivots are those of the elimination in newton.c: the system has the last column first, and is
// factored from there. Row k of the upper triangle becomes y_k = d_k l_k:
//
//   y_kj = h_kj - sum_{i<k} l_ik y_ij,   d_k = y_kk + mu,   l_kj = y_kj / d_k
//
// and so does the right-hand side, which is one more column. Then, from the last row to the first,
// x_k = (y_k - sum_{j>k} y_kj x_j) / d_k.
//
// Columns of active bounds, A, are the last ones of the system and have no pivot. With F the
// others, elimination of these leaves in their rows
//
//   S = H_AA - H_AF (H_FF + mu I)^-1 H_FA,   y_A = g_A - H_AF (H_FF + mu I)^-1 g_F
//
// so that the model's negative gradient there is y_A - (S + mu I) x_A. If x_k differs by delta from
// the solution of row k, as along negative curvature, it is also less y_kA delta.
//
// The work is n^3 / 6 products, and r p^2 / 2 to form H for a block of r rows and a path of p
// columns. That is less than the elimination's where columns touch many rows each: n r^2.
// Source: Golub and Van Loan, Matrix Computations, 2013, section 4.1.
#include "step/formed.h"
#include "math/vector.h"
#include "simd/four.h"
#include "step/root_frame.h"

#include <string.h>

// Bit LAST of fours is for all fours from this one on.
#define LAST 63

void sinew_formed_layout(sinew_arena *arena, int m, int n, sinew_formed *formed) {
  const bool several = m > 6; // rows of more than one block
  const int most = n < SINEW_ROWS_FORMED || m > SINEW_ROWS_ELIMINATED ? n : SINEW_ROWS_FORMED;
  const size_t order = several ? (size_t)most : 0, rows = several ? (size_t)m : 0;
  const size_t stride = several ? (size_t)sinew_formed_stride(most) : 0;
  formed->most = (int)order;
  formed->second =
      sinew_arena_take_aligned(arena, rows * stride, sizeof(double), sizeof(sinew_four));
  formed->matrix =
      sinew_arena_take_aligned(arena, order * stride, sizeof(double), sizeof(sinew_four));
  formed->inverse = sinew_arena_take(arena, order, sizeof(double));
  formed->solution = sinew_arena_take(arena, stride, sizeof(double));
  formed->fours = sinew_arena_take(arena, rows, sizeof *formed->fours);
  formed->column = sinew_arena_take(arena, order, sizeof(int));
  formed->place = sinew_arena_take(arena, order, sizeof(int));
}

// ------------------------------------------------------------------------ H

static void add_columns(const sinew_rows *rows, const signed char *active, bool fixed, int first,
                        sinew_formed *formed) {
  formed->count = first;
  for (int j = rows->dof_count; j-- > 0;) {
    if ((active != NULL && active[j] != 0) == fixed) {
      formed->place[j] = formed->count;
      formed->column[formed->count++] = j;
    }
  }
}

static void number_columns(const sinew_rows *rows, const signed char *active,
                           sinew_formed *formed) {
  add_columns(rows, active, false, 0, formed);
  formed->pivots = formed->count;
  add_columns(rows, active, true, formed->pivots, formed);
}

// The columns of second, at their places.
static void spread_second(const sinew_rows *rows, int stride, sinew_formed *formed) {
  sinew_zero((size_t)rows->row_count * (size_t)stride, formed->second);
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const double *v = rows->second + block->value_start;
    uint64_t bits = 0;
    for (int k = 0; k < block->path_count; ++k, v += block->row_count) {
      const int at = formed->place[rows->path[block->path_start + k]];
      double *to = formed->second + (size_t)block->row * (size_t)stride + at;
      for (int i = 0; i < block->row_count; ++i) {
        to[i * stride] = v[i];
      }
      bits |= UINT64_C(1) << (at / 4 < LAST ? at / 4 : LAST);
    }
    formed->fours[b] = bits;
  }
}

// to += sum_i u_i V_i over four columns; V is stride apart.
SINEW_ALWAYS_INLINE void add_four(int r, const double *u, const double *V, int stride, double *to) {
  sinew_four sum = sinew_four_load(to);
  for (int i = 0; i < r; ++i) {
    sum += SINEW_FOUR_OF(u[i]) * sinew_four_load(V + i * stride);
  }
  sinew_four_store(to, sum);
}

// The same over the fours of a block from the first one on.
SINEW_SPECIALISED void add_fours(int r, const double *u, const double *V, int stride,
                                 uint64_t fours, int first, double *to) {
  const int begin = first < LAST ? first : LAST;
  for (uint64_t bits = (fours & ~(UINT64_C(1) << LAST)) >> begin << begin; bits != 0;
       bits &= bits - 1) {
    const int j = 4 * __builtin_ctzll(bits);
    add_four(r, u, V + j, stride, to + j);
  }
  for (int j = 4 * (first > LAST ? first : LAST); (fours >> LAST) != 0 && j < stride; j += 4) {
    add_four(r, u, V + j, stride, to + j);
  }
}

// u_j . v_k for the column j of row a, and all columns k from a four of them on.
static void form_row(const sinew_rows *rows, const sinew_formed *formed, int a, int first,
                     int stride, double *to) {
  const int j = formed->column[a];
  sinew_zero((size_t)stride, to);
  for (int t = rows->incidence_start[j]; t < rows->incidence_start[j + 1]; ++t) {
    const int b = rows->incidences[t].block;
    const sinew_row_block *block = &rows->blocks[b];
    const int r = block->row_count;
    const double *u = rows->values + block->value_start + rows->incidences[t].k * r;
    const double *V = formed->second + (size_t)block->row * (size_t)stride;
    if (r == 6) {
      add_fours(6, u, V, stride, formed->fours[b], first, to);
    } else if (r == 3) {
      add_fours(3, u, V, stride, formed->fours[b], first, to);
    } else {
      add_fours(r, u, V, stride, formed->fours[b], first, to);
    }
  }
}

// The row of a column with an active bound. Columns before it that are nearer the root have their
// entry in their own rows.
static void form_active_row(const sinew_rows *rows, sinew_formed *formed, int a, int stride) {
  double *row = formed->matrix + a * stride;
  form_row(rows, formed, a, 0, stride, row);
  for (int k = 0; k < formed->pivots; ++k) {
    if (formed->column[k] < formed->column[a]) {
      formed->matrix[k * stride + a] = row[k];
    }
  }
}

// (u_k . v_j - u_j . v_k) / 2
static double mean_less(const sinew_rows *rows, int j, int k) {
  double more = 0.0;
  for (int t = rows->incidence_start[j]; t < rows->incidence_start[j + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const int r = block->row_count, at = block->value_start + rows->incidences[t].k * r;
    const int to = at + (k - j) * r; // columns of a spherical joint are consecutive
    for (int i = 0; i < r; ++i) {
      more += 0.5 * (rows->values[to + i] * rows->second[at + i] -
                     rows->values[at + i] * rows->second[to + i]);
    }
  }
  return more;
}

// H is symmetric in the three columns of a spherical joint.
static void average_spherical(const sinew_rows *rows, int stride, const sinew_formed *formed) {
  for (int j = 0; j < rows->dof_count; j += rows->spherical[j] != 0 ? 3 : 1) {
    for (int a = 1; rows->spherical[j] != 0 && a < 3; ++a) {
      for (int b = 0; b < a; ++b) {
        const int one = formed->place[j + a], other = formed->place[j + b];
        const int row = one < other ? one : other, column = one < other ? other : one;
        formed->matrix[row * stride + column] += mean_less(rows, j + a, j + b);
      }
    }
  }
}

static void form(const sinew_rows *rows, const signed char *active, sinew_formed *formed) {
  number_columns(rows, active, formed);
  const int stride = sinew_formed_stride(formed->count);
  spread_second(rows, stride, formed);
  for (int a = 0; a < formed->pivots; ++a) {
    form_row(rows, formed, a, a / 4, stride, formed->matrix + a * stride);
  }
  for (int a = formed->pivots; a < formed->count; ++a) {
    form_active_row(rows, formed, a, stride);
  }
  if (rows->spherical != NULL) {
    average_spherical(rows, stride, formed);
  }
}

void sinew_formed_matrix(const sinew_rows *rows, sinew_formed *formed, double *H) {
  const int n = rows->dof_count, stride = sinew_formed_stride(n);
  form(rows, NULL, formed);
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k <= j; ++k) {
      H[j * n + k] = formed->matrix[formed->place[j] * stride + formed->place[k]];
    }
  }
}

// ------------------------------------------------------------------- factors

// One or two rows from i on, less the shares of the four from k on.
SINEW_ALWAYS_INLINE void subtract_four(int count, int stride, int k, int i, const double *inverse,
                                       double *matrix) {
  const double *from = matrix + k * stride;
  sinew_four l[2][4];
  double any = 0.0;
  for (int r = 0; r < count; ++r) {
    for (int p = 0; p < 4; ++p) {
      const double share = from[p * stride + i + r] * inverse[k + p];
      any += fabs(share);
      l[r][p] = SINEW_FOUR_OF(share);
    }
  }
  if (any == 0.0) { // another branch of a tree
    return;
  }
  for (int j = i / 4 * 4; j < stride; j += 4) {
    const sinew_four y0 = sinew_four_load(from + j), y1 = sinew_four_load(from + stride + j),
                     y2 = sinew_four_load(from + 2 * stride + j),
                     y3 = sinew_four_load(from + 3 * stride + j);
    for (int r = 0; r < count; ++r) {
      double *to = matrix + (i + r) * stride + j;
      sinew_four_store(to, sinew_four_load(to) -
                               ((l[r][0] * y0 + l[r][1] * y1) + (l[r][2] * y2 + l[r][3] * y3)));
    }
  }
}

// Row i less the share of row k.
SINEW_ALWAYS_INLINE void subtract_row(int stride, int k, int i, double inverse, double *matrix) {
  const double *from = matrix + k * stride;
  const sinew_four l = SINEW_FOUR_OF(from[i] * inverse);
  double *to = matrix + i * stride;
  for (int j = i / 4 * 4; j < stride; j += 4) {
    sinew_four_store(to + j, sinew_four_load(to + j) - l * sinew_four_load(from + j));
  }
}

// Factors the first rows of n in place. Returns the place of the first pivot that is not positive,
// or -1.
static int factor(int pivots, int n, int stride, double mu, double *inverse, double *matrix) {
  for (int k = 0; k < pivots; k += 4) {
    const int end = k + 4 < pivots ? k + 4 : pivots;
    for (int i = k; i < end; ++i) {
      for (int p = k; p < i; ++p) {
        subtract_row(stride, p, i, inverse[p], matrix);
      }
      const double d = matrix[i * stride + i] + mu;
      inverse[i] = 1.0 / d;
      if (!(d > 0.5 * mu)) {
        return i;
      }
    }
    int i = end;
    for (; end == k + 4 && i + 2 <= n; i += 2) {
      subtract_four(2, stride, k, i, inverse, matrix);
    }
    for (; end == k + 4 && i < n; ++i) {
      subtract_four(1, stride, k, i, inverse, matrix);
    }
    for (; i < n; ++i) {
      for (int p = k; p < end; ++p) {
        subtract_row(stride, p, i, inverse[p], matrix);
      }
    }
  }
  return -1;
}

int sinew_formed_factor(const sinew_rows *rows, const double *right, const signed char *active,
                        double mu, sinew_formed *formed, double *pivot) {
  form(rows, active, formed);
  formed->mu = mu;
  const int n = formed->count, stride = sinew_formed_stride(n);
  for (int a = 0; a < n; ++a) {
    formed->matrix[a * stride + n] = right[formed->column[a]];
  }
  const int bad = factor(formed->pivots, n, stride, mu, formed->inverse, formed->matrix);
  if (bad < 0) {
    return -1;
  }
  *pivot = formed->inverse[bad];
  return formed->column[bad];
}

void sinew_formed_solve(sinew_formed *formed, int bad, double least, double *x) {
  const int n = formed->count, stride = sinew_formed_stride(n);
  double *solution = formed->solution;
  sinew_zero((size_t)stride, solution);
  solution[n] = -1.0; // of the right-hand side
  for (int a = formed->pivots; a < n; ++a) {
    solution[a] = x[formed->column[a]];
  }
  formed->beyond = 0.0;
  for (int k = formed->pivots; k-- > 0;) {
    const double *row = formed->matrix + k * stride;
    sinew_four sum = SINEW_FOUR_OF(0.0);
    for (int j = k / 4 * 4; j < stride; j += 4) {
      sum -= sinew_four_load(row + j) * sinew_four_load(solution + j);
    }
    const double full = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * formed->inverse[k];
    const int column = formed->column[k];
    solution[k] = sinew_segment_at_least(full, column == bad ? least : 0.0);
    x[column] = solution[k];
    if (column == bad) {
      formed->beyond = solution[k] - full;
    }
  }
}

void sinew_formed_unconstrained(const sinew_formed *formed, int bad, const double *x,
                                double *unconstrained) {
  const int n = formed->count, stride = sinew_formed_stride(n);
  const double *row_of_bad = bad >= 0 ? formed->matrix + formed->place[bad] * stride : NULL;
  for (int a = 0; a < n; ++a) {
    unconstrained[formed->column[a]] = x[formed->column[a]];
  }
  for (int a = formed->pivots; a < n; ++a) {
    const double *row = formed->matrix + a * stride;
    const double x_a = formed->solution[a];
    double slope = row[n] - (row[a] + formed->mu) * x_a;
    for (int b = a + 1; b < n; ++b) {
      slope -= row[b] * formed->solution[b];
      unconstrained[formed->column[b]] -= row[b] * x_a;
    }
    unconstrained[formed->column[a]] += bad >= 0 ? slope - row_of_bad[a] * formed->beyond : slope;
  }
}
