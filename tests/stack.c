// See stack.h.
#include "stack.h"

#include <lapacke.h>

static bool is_zero(const double *values, int count) {
  bool zero = true;
  for (int i = 0; i < count; ++i) {
    zero &= values[i] == 0.0;
  }
  return zero;
}

void stack_cut(stack *s, int block_rows) {
  int path_count = 0, value_count = 0, block_count = 0;
  for (int row = 0; row < s->m; row += block_rows) {
    sinew_row_block *block = &s->blocks[block_count++];
    *block = (sinew_row_block){.row = row,
                               .row_count = s->m - row < block_rows ? s->m - row : block_rows,
                               .path_start = path_count,
                               .value_start = value_count};
    for (int j = 0; j < s->n; ++j) {
      double *column = &s->values[value_count];
      for (int i = 0; i < block->row_count; ++i) {
        column[i] = s->J[(row + i) * s->n + j];
      }
      if (!is_zero(column, block->row_count)) {
        s->path[path_count++] = j;
        ++block->path_count;
        value_count += block->row_count;
      }
    }
  }
  for (int j = 0; j < s->n; ++j) {
    s->gradient[j] = 0.0;
    for (int i = 0; i < s->m; ++i) {
      s->gradient[j] += s->J[i * s->n + j] * s->e[i];
    }
  }
  s->rows = (sinew_rows){.row_count = s->m,
                         .dof_count = s->n,
                         .block_count = block_count,
                         .blocks = s->blocks,
                         .path = s->path,
                         .value_count = value_count,
                         .values = s->values,
                         .residual = s->e};
  s->rows.square = sinew_rows_square_norm(&s->rows);
}

void stack_random(stack *s, random_stream *random, int m, int n, int block_rows, double zeros) {
  s->m = m;
  s->n = n;
  for (int row = 0; row < m; row += block_rows) {
    for (int j = 0; j < n; ++j) {
      const bool zero = random_between(random, 0.0, 1.0) < zeros;
      for (int i = row; i < row + block_rows && i < m; ++i) {
        s->J[i * n + j] = zero ? 0.0 : random_between(random, -1.0, 1.0);
      }
    }
  }
  for (int i = 0; i < m; ++i) {
    s->e[i] = random_between(random, -1.0, 1.0);
  }
  stack_cut(s, block_rows);
}

// Orthonormal columns: Q (size x count), by LAPACK's QR of a random matrix.
static void random_orthogonal(random_stream *random, int size, int count, double *Q) {
  double tau[STACK_MOST_M];
  for (int i = 0; i < size * count; ++i) {
    Q[i] = random_between(random, -1.0, 1.0);
  }
  assert_int_equal(LAPACKE_dgeqrf(LAPACK_ROW_MAJOR, size, count, Q, count, tau), 0);
  assert_int_equal(LAPACKE_dorgqr(LAPACK_ROW_MAJOR, size, count, count, Q, count, tau), 0);
}

void stack_of_singular_values(stack *s, random_stream *random, int m, int n, int block_rows,
                              const double *sigma) {
  static double Q1[STACK_MOST_M * STACK_MOST_M], Q2[STACK_MOST_N * STACK_MOST_N];
  const int p = m < n ? m : n;
  stack_random(s, random, m, n, block_rows, 0.0);
  random_orthogonal(random, m, p, Q1);
  random_orthogonal(random, n, p, Q2);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      s->J[i * n + j] = 0.0;
      for (int k = 0; k < p; ++k) {
        s->J[i * n + j] += Q1[i * p + k] * sigma[k] * Q2[j * p + k];
      }
    }
  }
  stack_cut(s, block_rows);
}

void stack_multiply(const stack *s, const double *x, double *out) {
  for (int i = 0; i < s->m; ++i) {
    out[i] = 0.0;
    for (int j = 0; j < s->n; ++j) {
      out[i] += s->J[i * s->n + j] * x[j];
    }
  }
}

double stack_length(int count, const double *v) {
  double sum = 0.0;
  for (int i = 0; i < count; ++i) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

void stack_lapack_svd(const stack *s, double *sigma, double *U, double *VT) {
  static double A[STACK_MOST_M * STACK_MOST_N], work[STACK_MOST_M];
  const int p = s->m < s->n ? s->m : s->n;
  memcpy(A, s->J, sizeof A);
  assert_int_equal(
      LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'S', 'S', s->m, s->n, A, s->n, sigma, U, p, VT, s->n, work),
      0);
}

void stack_lapack_least_squares(const stack *s, double cut, double *x) {
  static double A[STACK_MOST_M * STACK_MOST_N];
  double b[STACK_MOST_M + STACK_MOST_N] = {0.0}, sigma[STACK_MOST_M];
  lapack_int rank;
  memcpy(A, s->J, sizeof A);
  memcpy(b, s->e, (size_t)s->m * sizeof(double));
  assert_int_equal(
      LAPACKE_dgelsd(LAPACK_ROW_MAJOR, s->m, s->n, 1, A, s->n, b, 1, sigma, cut, &rank), 0);
  memcpy(x, b, (size_t)s->n * sizeof(double));
}

double stack_max_abs(int n, const double *x) {
  double most = 0.0;
  for (int j = 0; j < n; ++j) {
    most = fmax(most, fabs(x[j]));
  }
  return most;
}

void stack_clamp_max_abs(int n, double most, double *x) {
  const double largest = stack_max_abs(n, x);
  for (int j = 0; j < n && largest > most; ++j) {
    x[j] *= most / largest;
  }
}

// |a_first .. a_last| of column i in a matrix with rows stride apart.
static double part_length(const double *A, int stride, int i, int first, int last) {
  double sum = 0.0;
  for (int r = first; r < last; ++r) {
    sum += A[r * stride + i] * A[r * stride + i];
  }
  return sqrt(sum);
}

void stack_lapack_sdls(const stack *s, int effectors, int (*rows)[2], double gamma_max, double cut,
                       double *sigma, double *x) {
  static double U[STACK_MOST_M * STACK_MOST_M], VT[STACK_MOST_M * STACK_MOST_N];
  static double own[STACK_MOST_M];
  sigma = sigma != NULL ? sigma : own;
  const int m = s->m, n = s->n, p = m < n ? m : n;
  stack_lapack_svd(s, sigma, U, VT);
  memset(x, 0, (size_t)n * sizeof(double));
  for (int i = 0; i < p; ++i) {
    if (!(sigma[i] > cut * sigma[0])) {
      continue;
    }
    double alpha = 0.0, N_i = 0.0, M_i = 0.0, phi[STACK_MOST_N];
    for (int r = 0; r < m; ++r) {
      alpha += U[r * p + i] * s->e[r];
    }
    for (int l = 0; l < effectors; ++l) {
      N_i += part_length(U, p, i, rows[l][0], rows[l][1]);
      double M_li = 0.0;
      for (int j = 0; j < n; ++j) {
        const double rho = part_length(s->J, n, j, rows[l][0], rows[l][1]);
        M_li += fabs(VT[i * n + j]) * rho;
      }
      M_i += M_li / sigma[i];
    }
    const double gamma = fmin(1.0, N_i / M_i) * gamma_max;
    for (int j = 0; j < n; ++j) {
      phi[j] = alpha / sigma[i] * VT[i * n + j];
    }
    stack_clamp_max_abs(n, gamma, phi);
    for (int j = 0; j < n; ++j) {
      x[j] += phi[j];
    }
  }
  stack_clamp_max_abs(n, gamma_max, x);
}
