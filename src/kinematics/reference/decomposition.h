// Singular values of small dense matrices, for the references of redundancy. The solver's are in
// math/svd.h, by another algorithm, so that one can be compared with the other.
#ifndef SINEW_KINEMATICS_REFERENCE_DECOMPOSITION_H
#define SINEW_KINEMATICS_REFERENCE_DECOMPOSITION_H

#include <stdbool.h>

// A = scale sum_i u_i w_i^T with unit vectors u_i, orthogonal w_i of length s_i, and the largest
// entry of A / scale 1. Where s_i is 0, w_i is 0.
typedef struct sinew_decomposition {
  int m, n;
  double scale;   // 0: A is 0
  double largest; // of the s_i
  double *W;      // m x n: row i is w_i
  double *U;      // m x m: row i is u_i
  double *square; // m: s_i^2
} sinew_decomposition;

// The number of values that one of up to m x n takes.
int sinew_decomposition_size(int m, int n);

// @param memory sinew_decomposition_size() values
void sinew_decomposition_find(int m, int n, const double *A, double *memory,
                              sinew_decomposition *out);

// Whether singular value i is above a bound.
static inline bool sinew_decomposition_counts(const sinew_decomposition *d, int i, double bound) {
  const double least = d->scale > 0.0 ? bound / d->scale : 0.0;
  return d->square[i] > 0.0 && d->square[i] > least * least;
}

// x (n) += sum of s / (s^2 + lambda^2) v (u . b) over the singular values s above a bound.
void sinew_decomposition_solve(const sinew_decomposition *d, double bound, double lambda,
                               const double *b, double *x);

// P (n x n) -= sum of v v^T over the same. Returns how many they are.
int sinew_decomposition_project(const sinew_decomposition *d, double bound, double *P);

#endif
