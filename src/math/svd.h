// Singular values of a stack of rows.
#ifndef SINEW_MATH_SVD_H
#define SINEW_MATH_SVD_H

#include "base/memory.h"
#include "math/rows.h"

// J = sum of sigma_i u_i v_i^T over i < count = min(rows, degrees of freedom whose held is 0).
// Vectors are columns, so that loops over i run along a row: u_i at left[r * stride + i], v_i at
// right[j * stride + i]. Past count, sigma and both vectors are 0. A sigma below the rounding of
// the largest is set to 0, and so is u_i or v_i, the one with more than count entries. All other
// vectors have unit length and are orthogonal, with cosines below 1e-13. Entries of v_i at active
// bounds, where held is not 0, are 0.
typedef struct sinew_svd {
  int m, n;       // of the last J
  int count;      // at most min(m, n)
  int stride;     // count, made even
  double *sigma;  // stride, falling
  double *left;   // m x stride
  double *right;  // n x stride
  double *matrix; // scratch: J J^T or J^T J
  double *gram;   // scratch, the same with rows a stride apart
  double *vectors, *work, *scaled;
  int *index, *order;
} sinew_svd;

// Memory for up to m rows and n degrees of freedom.
void sinew_svd_layout(sinew_arena *arena, int m, int n, sinew_svd *svd);

// @param held n; not 0: the column is treated as 0 (the bound is active); NULL: none is
void sinew_svd_find(const sinew_rows *rows, const signed char *held, sinew_svd *svd);

// out (count) = U^T e.
void sinew_svd_project(const sinew_svd *svd, const double *e, double *out);

// out (n) = V a, a (stride) with 0 past count.
void sinew_svd_combine(const sinew_svd *svd, const double *a, double *out);

#endif
