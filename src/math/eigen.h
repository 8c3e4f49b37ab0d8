// Eigenvalues and eigenvectors of symmetric matrices.
#ifndef SINEW_MATH_EIGEN_H
#define SINEW_MATH_EIGEN_H

// A = sum of values_i z_i z_i^T, in no order. Errors are of the size of the rounding of A's
// largest eigenvalue: smaller eigenvalues have accordingly fewer digits.
// Rows of A and Z are stride = sinew_pair_stride(n) apart.
// @param A n x stride, symmetric, both triangles; a row's values past n are 0;
//   overwritten
// @param values n
// @param Z n x stride: row i is z_i, then 0
// @param work 2 * stride values
void sinew_eigen_symmetric(int n, double *A, double *values, double *Z, double *work);

#endif
