// Singular values from the eigenvectors of the smaller product, refined by one-sided Jacobi
// rotations.
//
//   J J^T = W diag(sigma_i^2) W^T      m <= n; else J^T J, with J^T in place of J
//   B = J^T W                          columns sigma_i v_i
//   B <- B G, W <- W G                 G a rotation of columns i, j such that b_i . b_j = 0:
//     theta = (|b_j|^2 - |b_i|^2) / (2 b_i . b_j)
//     t = sign(theta) / (|theta| + sqrt(theta^2 + 1)),  c = 1 / sqrt(t^2 + 1),  s = c t
//
// The product squares the condition: the cosine of two columns of B is of the size of the rounding
// times sigma_1^2 / (sigma_i sigma_j). Where that factor is large the columns are rotated until
// they are orthogonal (Hestenes). So small singular values have the error that J itself gives them,
// the rounding of sigma_1, at the cost of an eigenproblem of the smaller side. Sources: Hestenes,
// Inversion of matrices by biorthogonalization, 1958; Golub and Van Loan, Matrix Computations,
// 2013, section 8.6; Drmac, Veselic, New fast and accurate Jacobi SVD algorithm, 2008 (on
// preconditioning of the rotations).
#define SINEW_CALLS
#include "math/svd.h"
#include "math/eigen.h"
#include "math/vector.h"
#include "simd/pair.h"

#include <float.h>

// Columns with a cosine below this count as orthogonal: a step needs no more.
#define ORTHOGONAL_COSINE 1e-13
// Columns whose sigma_i sigma_j is above this share of sigma_1^2 are orthogonal from the
// eigenproblem alone, whose error is a few roundings of sigma_1^2.
#define WELL_CONDITIONED 0.02
// The limit of sweeps of rotations; they converge quadratically from a start near the solution.
#define MOST_SWEEPS 30
// Squares, and squares of squares, of numbers between these do not over- or underflow.
#define SMALL 1e-50
#define LARGE 1e50

void sinew_svd_layout(sinew_arena *arena, int m, int n, sinew_svd *svd) {
  const int least = m < n ? m : n, stride = sinew_pair_stride(least);
  const size_t square = (size_t)least * (size_t)stride;
  svd->sigma = sinew_arena_take(arena, (size_t)stride, sizeof(double));
  svd->left = sinew_arena_take(arena, (size_t)m * (size_t)stride, sizeof(double));
  svd->right = sinew_arena_take(arena, (size_t)n * (size_t)stride, sizeof(double));
  svd->matrix = sinew_arena_take(arena, square, sizeof(double));
  svd->gram = sinew_arena_take(arena, square, sizeof(double));
  svd->vectors = sinew_arena_take(arena, square, sizeof(double));
  svd->work = sinew_arena_take(arena, 2 * (size_t)stride, sizeof(double));
  svd->scaled = sinew_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
  svd->index = sinew_arena_take(arena, (size_t)n, sizeof(int));
  svd->order = sinew_arena_take(arena, (size_t)stride, sizeof(int));
}

// ------------------------------------------------------------------- products

// right = J^T left
SINEW_ALWAYS_INLINE void pull_block(const sinew_row_block *block, int r, const int *path,
                                    const double *column, int stride, const double *left,
                                    double *right) {
  for (int k = 0; k < block->path_count; ++k, column += r) {
    double *out = right + path[k] * stride;
    for (int c = 0; c < stride; c += 2) {
      sinew_pair sum = sinew_pair_load(out + c);
      for (int i = 0; i < r; ++i) {
        sum += sinew_pair_of(column[i]) * sinew_pair_load(left + i * stride + c);
      }
      sinew_pair_store(out + c, sum);
    }
  }
}

static void pull(const sinew_rows *rows, int stride, const double *left, double *right) {
  memset(right, 0, (size_t)rows->dof_count * (size_t)stride * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const int *path = rows->path + block->path_start;
    const double *values = rows->values + block->value_start, *from = left + block->row * stride;
    switch (block->row_count) {
    case 3:
      pull_block(block, 3, path, values, stride, from, right);
      break;
    case 6:
      pull_block(block, 6, path, values, stride, from, right);
      break;
    default:
      pull_block(block, block->row_count, path, values, stride, from, right);
    }
  }
}

// left = J right
static void push(const sinew_rows *rows, int stride, const double *right, double *left) {
  memset(left, 0, (size_t)rows->row_count * (size_t)stride * sizeof(double));
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const double *column = rows->values + block->value_start;
    for (int k = 0; k < block->path_count; ++k, column += block->row_count) {
      const double *from = right + rows->path[block->path_start + k] * stride;
      for (int i = 0; i < block->row_count; ++i) {
        double *out = left + (block->row + i) * stride;
        for (int c = 0; c < stride; c += 2) {
          sinew_pair_store(out + c, sinew_pair_load(out + c) +
                                        sinew_pair_of(column[i]) * sinew_pair_load(from + c));
        }
      }
    }
  }
}

// -------------------------------------------------------- the smaller product

// Fills index, the numbering of the degrees of freedom at no active bound; returns how many.
static int number_inactive(const sinew_rows *rows, const signed char *held, int *index) {
  int f = 0;
  for (int j = 0; j < rows->dof_count; ++j) {
    index[j] = held == NULL || held[j] == 0 ? f++ : -1;
  }
  return f;
}

static double trace_of(int size, const double *A) {
  double trace = 0.0;
  for (int i = 0; i < size; ++i) {
    trace += A[i * size + i];
  }
  return trace;
}

// Fills svd->matrix; returns its trace, the sum of all squared singular values.
static double find_product(const sinew_rows *rows, const signed char *held, sinew_svd *svd) {
  if (svd->count == rows->row_count) {
    sinew_rows_outer(rows, held, svd->matrix);
  } else {
    sinew_rows_inner(rows, svd->index, svd->count, svd->matrix);
  }
  return trace_of(svd->count, svd->matrix);
}

// A copy of rows whose largest value is 1, for rows whose squares would over- or underflow. Returns
// the factor for its singular values.
static double scale_rows(const sinew_rows *rows, sinew_svd *svd, sinew_rows *scaled) {
  const int count = rows->value_count;
  const double largest = sinew_largest(count, rows->values);
  if (!(largest > 0.0)) {
    return 1.0;
  }
  for (int k = 0; k < count; ++k) {
    svd->scaled[k] = rows->values[k] / largest;
  }
  scaled->values = svd->scaled;
  return largest;
}

// -------------------------------------------------------------- eigenvectors

// W: the eigenvectors of the product as columns, the largest eigenvalue first. Rows of active
// bounds are 0.
SINEW_ALWAYS_INLINE void find_eigenvectors(sinew_svd *svd, int p, int size, const int *index,
                                           double *W) {
  const int stride = sinew_pair_stride(p);
  double *values = svd->sigma;
  for (int i = 0; i < p; ++i) {
    double *row = svd->gram + i * stride;
    row[stride - 1] = 0.0;
    for (int j = 0; j <= i; ++j) {
      row[j] = svd->gram[j * stride + i] = svd->matrix[i * p + j];
    }
  }
  sinew_eigen_symmetric(p, svd->gram, values, svd->vectors, svd->work);
  for (int i = 0; i < p; ++i) { // insertion sort: p is small
    int at = i;
    for (; at > 0 && values[svd->order[at - 1]] < values[i]; --at) {
      svd->order[at] = svd->order[at - 1];
    }
    svd->order[at] = i;
  }
  for (int r = 0; r < size; ++r) {
    const int from = index != NULL ? index[r] : r;
    double *row = W + r * stride;
    row[stride - 1] = 0.0;
    for (int i = 0; i < p; ++i) {
      row[i] = from >= 0 ? svd->vectors[svd->order[i] * stride + from] : 0.0;
    }
  }
}

// ---------------------------------------------------------- Jacobi rotations

static void rotate_columns(int size, int stride, double c, double s, double *B, int i, int j) {
  for (int r = 0; r < size; ++r) {
    double *row = B + r * stride;
    const double x = row[i], y = row[j];
    row[i] = c * x - s * y;
    row[j] = s * x + c * y;
  }
}

// The two factors while their columns are rotated: B and W with their numbers of rows; square, the
// |b_i|^2; and product, the b_i . b_j for the column j in work.
typedef struct columns {
  int stride, B_rows, W_rows;
  double *B, *W, *square, *product;
} columns;

static void find_products(const columns *all, int j) {
  for (int c = 0; c <= j; c += 2) {
    sinew_pair sum = {0.0, 0.0};
    const double *row = all->B;
    for (int r = 0; r < all->B_rows; ++r, row += all->stride) {
      sum += sinew_pair_of(row[j]) * sinew_pair_load(row + c);
    }
    sinew_pair_store(all->product + c, sum);
  }
}

// Makes columns i and j of B orthogonal; W is rotated with them.
static void orthogonalize(const columns *all, int i, int j) {
  const double product = all->product[i];
  const double theta = (all->square[j] - all->square[i]) / (2.0 * product);
  const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double c = 1.0 / sqrt(t * t + 1.0);
  rotate_columns(all->B_rows, all->stride, c, c * t, all->B, i, j);
  rotate_columns(all->W_rows, all->stride, c, c * t, all->W, i, j);
  find_products(all, i);
  all->square[i] = all->product[i];
  find_products(all, j);
  all->square[j] = all->product[j];
}

// Column j against those before it. Returns false if all were orthogonal.
static bool orthogonalize_column(const columns *all, int j) {
  const double most = ORTHOGONAL_COSINE * ORTHOGONAL_COSINE;
  bool rotated = false;
  find_products(all, j);
  for (int i = 0; i < j; ++i) {
    const double product = all->product[i];
    if (product * product > most * all->square[i] * all->square[j]) {
      orthogonalize(all, i, j);
      rotated = true;
    }
  }
  return rotated;
}

static void orthogonalize_all(const columns *all, int count, double negligible) {
  const double enough = WELL_CONDITIONED * all->square[0];
  bool rotated = true;
  for (int sweep = 0; sweep < MOST_SWEEPS && rotated; ++sweep) {
    rotated = false;
    for (int j = 1; j < count; ++j) {
      if (all->square[j] > negligible && all->square[j] * all->square[j - 1] < enough * enough) {
        rotated |= orthogonalize_column(all, j);
      }
    }
  }
}

// ------------------------------------------------------------------- lengths

SINEW_ALWAYS_INLINE void find_squares(int size, int stride, const double *B, double *square) {
  for (int c = 0; c < stride; c += 2) {
    sinew_pair sum = {0.0, 0.0};
    for (int r = 0; r < size; ++r) {
      const sinew_pair x = sinew_pair_load(B + r * stride + c);
      sum += x * x;
    }
    sinew_pair_store(square + c, sum);
  }
}

static void swap_columns(int size, int stride, double *B, int i, int j) {
  for (int r = 0; r < size; ++r) {
    const double kept = B[r * stride + i];
    B[r * stride + i] = B[r * stride + j];
    B[r * stride + j] = kept;
  }
}

// The rotations change the order little: insertion sort.
static void sort_columns(const sinew_svd *svd, double *square) {
  for (int i = 1; i < svd->count; ++i) {
    for (int at = i; at > 0 && square[at - 1] < square[at]; --at) {
      const double kept = square[at];
      square[at] = square[at - 1];
      square[at - 1] = kept;
      swap_columns(svd->m, svd->stride, svd->left, at - 1, at);
      swap_columns(svd->n, svd->stride, svd->right, at - 1, at);
    }
  }
}

// Columns of B to unit length; sigma, times scale, from their squared lengths.
SINEW_ALWAYS_INLINE void normalize_columns(sinew_svd *svd, int stride, int size, double *B,
                                           double scale, double negligible, double *square) {
  for (int i = 0; i < stride; ++i) {
    const double length = square[i] > negligible ? sqrt(square[i]) : 0.0;
    svd->sigma[i] = scale * length;
    square[i] = length > 0.0 ? 1.0 / length : 0.0;
  }
  for (int r = 0; r < size; ++r) {
    for (int c = 0; c < stride; c += 2) {
      double *at = B + r * stride + c;
      sinew_pair_store(at, sinew_pair_load(at) * sinew_pair_load(square + c));
    }
  }
}

// ---------------------------------------------------------------------- all

// B = J^T W, or J W: the product of used with W. Rows of active bounds are 0.
static void find_image(const sinew_rows *used, const signed char *held, const sinew_svd *svd,
                       const columns *all) {
  if (svd->count < svd->m) {
    push(used, svd->stride, all->W, all->B);
    return;
  }
  pull(used, svd->stride, all->W, all->B);
  for (int j = 0; held != NULL && j < svd->n; ++j) {
    if (held[j] != 0) {
      memset(all->B + j * svd->stride, 0, (size_t)svd->stride * sizeof(double));
    }
  }
}

// Both factors from svd->matrix, the product of used; count: svd's.
SINEW_ALWAYS_INLINE void decompose(const sinew_rows *used, const signed char *held, int count,
                                   double scale, sinew_svd *svd) {
  const int stride = sinew_pair_stride(count);
  const bool by_rows = count == svd->m;
  double *square = svd->work;
  const columns all = {.stride = stride,
                       .B_rows = by_rows ? svd->n : svd->m,
                       .W_rows = by_rows ? svd->m : svd->n,
                       .B = by_rows ? svd->right : svd->left,
                       .W = by_rows ? svd->left : svd->right,
                       .square = square,
                       .product = square + stride};
  find_eigenvectors(svd, count, all.W_rows, by_rows ? NULL : svd->index, all.W);
  find_image(used, held, svd, &all);
  find_squares(all.B_rows, stride, all.B, square);
  const double lost = DBL_EPSILON * (double)all.B_rows, negligible = lost * lost * square[0];
  orthogonalize_all(&all, count, negligible);
  sort_columns(svd, square);
  normalize_columns(svd, stride, all.B_rows, all.B, scale, negligible, square);
}

void sinew_svd_find(const sinew_rows *rows, const signed char *held, sinew_svd *svd) {
  const int f = number_inactive(rows, held, svd->index);
  svd->m = rows->row_count;
  svd->n = rows->dof_count;
  svd->count = svd->m <= f ? svd->m : f;
  svd->stride = sinew_pair_stride(svd->count);
  if (svd->count == 0) {
    return;
  }
  sinew_rows used = *rows;
  double scale = 1.0;
  const double trace = find_product(rows, held, svd);
  if (!(trace > SMALL * SMALL && trace < LARGE * LARGE)) {
    scale = scale_rows(rows, svd, &used);
    find_product(&used, held, svd);
  }
  if (svd->count == 6) { // a pose or two points: loops of known length
    decompose(&used, held, 6, scale, svd);
  } else {
    decompose(&used, held, svd->count, scale, svd);
  }
}

void sinew_svd_project(const sinew_svd *svd, const double *e, double *out) {
  for (int c = 0; c < svd->stride; c += 2) {
    sinew_pair sum = {0.0, 0.0};
    for (int r = 0; r < svd->m; ++r) {
      sum += sinew_pair_of(e[r]) * sinew_pair_load(svd->left + r * svd->stride + c);
    }
    sinew_pair_store(out + c, sum);
  }
}

void sinew_svd_combine(const sinew_svd *svd, const double *a, double *out) {
  for (int j = 0; j < svd->n; ++j) {
    sinew_pair sum = {0.0, 0.0};
    for (int c = 0; c < svd->stride; c += 2) {
      sum += sinew_pair_load(svd->right + j * svd->stride + c) * sinew_pair_load(a + c);
    }
    out[j] = sum[0] + sum[1];
  }
}
