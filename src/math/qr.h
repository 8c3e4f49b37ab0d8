// Least squares by orthogonal triangularisation.
#ifndef SINEW_MATH_QR_H
#define SINEW_MATH_QR_H

// Minimises |A x - b| for A of full column rank, m >= n.
// @param A m x n, row-major; overwritten
// @param b m values; overwritten
// @param x n values
void sinew_qr_least_squares(int m, int n, double *A, double *b, double *x);

#endif
