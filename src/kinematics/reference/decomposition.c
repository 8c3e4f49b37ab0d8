// One-sided Jacobi: rotations of pairs of rows until all rows are orthogonal. They then are s_i
// v_i^T, and the product of the rotations has the rows u_i^T.
//
// Source: Hestenes, Inversion of matrices by biorthogonalization and related results, 1958.
#include "kinematics/reference/decomposition.h"
#include "math/vector.h"

#include <float.h>

// Sweeps until no rotation is needed are about ten; more only if rounding errors prevent that.
#define SWEEPS 60

int sinew_decomposition_size(int m, int n) {
  return m * n + m * m + m;
}

static double product(int n, const double *a, const double *b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

static void rotate(int n, double c, double s, double *a, double *b) {
  for (int i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x + s * y;
    b[i] = c * y - s * x;
  }
}

// Makes rows i and j of W orthogonal. Returns whether they were not.
static bool rotate_rows(sinew_decomposition *d, int i, int j) {
  double *a = d->W + i * d->n, *b = d->W + j * d->n;
  const double aa = product(d->n, a, a), bb = product(d->n, b, b), ab = product(d->n, a, b);
  // Cosines below rounding are 0, and so are rows below that of W, whose largest entry is 1.
  if (fabs(ab) <= 4.0 * DBL_EPSILON * sqrt(aa * bb) || fabs(ab) <= DBL_EPSILON * DBL_EPSILON) {
    return false;
  }
  const double ratio = (aa - bb) / (2.0 * ab);
  const double t = (ratio >= 0.0 ? 1.0 : -1.0) / (fabs(ratio) + sqrt(1.0 + ratio * ratio));
  const double c = 1.0 / sqrt(1.0 + t * t);
  rotate(d->n, c, c * t, a, b);
  rotate(d->m, c, c * t, d->U + i * d->m, d->U + j * d->m);
  return true;
}

void sinew_decomposition_find(int m, int n, const double *A, double *memory,
                              sinew_decomposition *out) {
  *out = (sinew_decomposition){.m = m,
                               .n = n,
                               .scale = sinew_largest(m * n, A),
                               .W = memory,
                               .U = memory + m * n,
                               .square = memory + m * n + m * m};
  sinew_zero((size_t)m * (size_t)m, out->U);
  for (int i = 0; i < m * n; ++i) {
    out->W[i] = out->scale > 0.0 ? A[i] / out->scale : 0.0;
  }
  for (int i = 0; i < m; ++i) {
    out->U[i * m + i] = 1.0;
  }
  bool rotated = out->scale > 0.0;
  for (int sweep = 0; rotated && sweep < SWEEPS; ++sweep) {
    rotated = false;
    for (int i = 0; i < m; ++i) {
      for (int j = i + 1; j < m; ++j) {
        rotated |= rotate_rows(out, i, j);
      }
    }
  }
  out->largest = 0.0;
  for (int i = 0; i < m; ++i) {
    out->square[i] = product(n, out->W + i * n, out->W + i * n);
    out->largest = sinew_max(out->largest, sqrt(out->square[i]));
  }
}

void sinew_decomposition_solve(const sinew_decomposition *d, double bound, double lambda,
                               const double *b, double *x) {
  const double damping = d->scale > 0.0 ? lambda / d->scale : 0.0;
  for (int i = 0; i < d->m; ++i) {
    if (sinew_decomposition_counts(d, i, bound)) {
      const double part = product(d->m, d->U + i * d->m, b) / d->scale;
      const double factor = part / (d->square[i] + damping * damping);
      for (int j = 0; j < d->n; ++j) {
        x[j] += factor * d->W[i * d->n + j];
      }
    }
  }
}

int sinew_decomposition_project(const sinew_decomposition *d, double bound, double *P) {
  int rank = 0;
  for (int i = 0; i < d->m; ++i) {
    if (sinew_decomposition_counts(d, i, bound)) {
      const double *w = d->W + i * d->n;
      ++rank;
      for (int j = 0; j < d->n; ++j) {
        for (int k = 0; k < d->n; ++k) {
          P[j * d->n + k] -= w[j] * w[k] / d->square[i];
        }
      }
    }
  }
  return rank;
}
