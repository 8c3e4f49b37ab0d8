// The product of Newton's matrix (newton.c) and a vector, without forming it. For the path k_1 <
// k_2 <
// .. of each block of rows, from the root:
//
//   out_j += u_j . sum_{k <= j} v_k x_k + v_j . sum_{k > j} u_k x_k
//
// and where v = u, as without second derivatives, out_j += u_j . sum_k u_k x_k.
#include "math/vector.h"
#include "simd/four.h"
#include "step/newton.h"

#include <string.h>

// The loop over a block's rows; callers pass a constant r for a point.
SINEW_SPECIALISED double dot_rows(int r, const double *entry, const double *a) {
  double sum = 0.0;
  for (int i = 0; i < r; ++i) {
    sum += entry[i] * a[i];
  }
  return sum;
}

SINEW_SPECIALISED void add_rows(int r, const double *entry, double s, double *a) {
  for (int i = 0; i < r; ++i) {
    a[i] += s * entry[i];
  }
}

// Adds the product of a block with r rows. u, v: its columns, v NULL: it is u; sum: r, scratch.
SINEW_SPECIALISED void add_block(int r, int count, const int *path, const double *u,
                                 const double *v, const double *x, double *sum, double *out) {
  memset(sum, 0, (size_t)r * sizeof *sum);
  for (int k = 0; v == NULL && k < count; ++k) {
    add_rows(r, u + k * r, x[path[k]], sum);
  }
  for (int k = 0; v == NULL && k < count; ++k) {
    out[path[k]] += dot_rows(r, u + k * r, sum);
  }
  if (v == NULL) {
    return;
  }
  for (int k = 0; k < count; ++k) {
    add_rows(r, v + k * r, x[path[k]], sum);
    out[path[k]] += dot_rows(r, u + k * r, sum);
  }
  memset(sum, 0, (size_t)r * sizeof *sum);
  for (int k = count; k-- > 0;) {
    out[path[k]] += dot_rows(r, v + k * r, sum);
    add_rows(r, u + k * r, x[path[k]], sum);
  }
}

// Six rows: the first four, and the last two.
typedef struct six {
  sinew_four first;
  sinew_pair last;
} six;

SINEW_ALWAYS_INLINE void add_six(const double *entry, double s, six *sum) {
  sum->first += sinew_four_load(entry) * SINEW_FOUR_OF(s);
  sum->last += sinew_pair_load(entry + 4) * sinew_pair_of(s);
}

SINEW_ALWAYS_INLINE double sum_of_six(sinew_four four, sinew_pair two) {
  const sinew_pair sum = ((sinew_pair){four[0], four[1]} + (sinew_pair){four[2], four[3]}) + two;
  return sum[0] + sum[1];
}

SINEW_ALWAYS_INLINE double dot_six(const double *entry, const six *a) {
  return sum_of_six(sinew_four_load(entry) * a->first, sinew_pair_load(entry + 4) * a->last);
}

// The same for six rows: the sums stay in registers.
static void add_pose(int count, const int *path, const double *u, const double *v, const double *x,
                     double *out) {
  six sum = {SINEW_FOUR_OF(0.0), {0.0, 0.0}};
  for (int k = 0; v == NULL && k < count; ++k) {
    add_six(u + 6 * k, x[path[k]], &sum);
  }
  for (int k = 0; v == NULL && k < count; ++k) {
    out[path[k]] += dot_six(u + 6 * k, &sum);
  }
  if (v == NULL) {
    return;
  }
  for (int k = 0; k < count; ++k) {
    add_six(v + 6 * k, x[path[k]], &sum);
    out[path[k]] += dot_six(u + 6 * k, &sum);
  }
  sum = (six){SINEW_FOUR_OF(0.0), {0.0, 0.0}};
  for (int k = count; k-- > 0;) {
    out[path[k]] += dot_six(v + 6 * k, &sum);
    add_six(u + 6 * k, x[path[k]], &sum);
  }
}

// u_k . v_j - u_j . v_k
SINEW_ALWAYS_INLINE double less_six(const double *uj, const double *uk, const double *vj,
                                    const double *vk) {
  const sinew_four four =
      sinew_four_load(uk) * sinew_four_load(vj) - sinew_four_load(uj) * sinew_four_load(vk);
  const sinew_pair two = sinew_pair_load(uk + 4) * sinew_pair_load(vj + 4) -
                         sinew_pair_load(uj + 4) * sinew_pair_load(vk + 4);
  return sum_of_six(four, two);
}

// out_j += e_jk x_k for the spherical joint whose first column is column, where e_jk is
// (u_j . v_k + u_k . v_j) / 2 less the entry that the sums above have used.
static void add_mean(const sinew_rows *rows, int column, const double *x, double *out) {
  double more[3] = {0.0, 0.0, 0.0}; // of columns 1 and 0, 2 and 0, 2 and 1
  for (int t = rows->incidence_start[column]; t < rows->incidence_start[column + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->incidences[t].block];
    const int r = block->row_count, at = block->value_start + rows->incidences[t].k * r;
    const double *u = rows->values + at, *v = rows->second + at;
    for (int p = 0; p < 3 && !block->first_order; ++p) {
      const int j = p > 0 ? 2 : 1, k = p > 1 ? 1 : 0;
      more[p] +=
          0.5 * (r == 6 ? less_six(u + 6 * j, u + 6 * k, v + 6 * j, v + 6 * k)
                        : dot_rows(r, u + k * r, v + j * r) - dot_rows(r, u + j * r, v + k * r));
    }
  }
  for (int p = 0; p < 3; ++p) {
    const int j = column + (p > 0 ? 2 : 1), k = column + (p > 1 ? 1 : 0);
    out[j] += more[p] * x[k];
    out[k] += more[p] * x[j];
  }
}

void sinew_newton_multiply(const sinew_rows *rows, sinew_newton_scratch *scratch, const double *x,
                           double *out) {
  sinew_zero((size_t)rows->dof_count, out);
  for (int b = 0; b < rows->block_count; ++b) {
    const sinew_row_block *block = &rows->blocks[b];
    const int *path = rows->path + block->path_start, count = block->path_count;
    const bool first_order = block->first_order || rows->second == rows->values;
    const double *u = rows->values + block->value_start,
                 *v = first_order ? NULL : rows->second + block->value_start;
    if (SINEW_HAS_FAST_PATHS && block->row_count == 6) {
      add_pose(count, path, u, v, x, out);
    } else if (SINEW_HAS_FAST_PATHS && block->row_count == 3) {
      double sum[3];
      add_block(3, count, path, u, v, x, sum, out);
    } else {
      add_block(block->row_count, count, path, u, v, x, scratch->r, out);
    }
  }
  for (int j = 0; rows->spherical != NULL && rows->second != rows->values && j < rows->dof_count;
       j += rows->spherical[j] != 0 ? 3 : 1) {
    if (rows->spherical[j] != 0) {
      add_mean(rows, j, x, out);
    }
  }
}
