// P A = L U, elimination with partial pivoting, for small matrices that need not be symmetric.
#ifndef SINEW_MATH_LU_H
#define SINEW_MATH_LU_H

// Factors A (n x n, row-major) in place; rows[i] is the row of A that became row i. Returns the
// sign of det A: -1, 0 or 1. If it is 0, the functions below must not be called.
int sinew_lu_factor(int n, double *A, int *rows);

// x = A^-1 b; x = A^-T b, which overwrites b. x and b must be different arrays.
void sinew_lu_solve(int n, const double *A, const int *rows, const double *b, double *x);
void sinew_lu_solve_transposed(int n, const double *A, const int *rows, double *b, double *x);

#endif
