// The 6 x 6 adjoint from a rotation matrix and an origin.
#ifndef SINEW_MATH_ADJOINT_H
#define SINEW_MATH_ADJOINT_H

// out = [A, B; 0, A], row-major, of 3 x 3 blocks.
void sinew_adjoint_set_blocks(const double A[9], const double B[9], double out[36]);

// Ad = [R, t^R; 0, R], row-major. R need not be a rotation: for any factor F,
// sinew_adjoint_set(R F, t) is sinew_adjoint_set(R, t) [F, 0; 0, F].
void sinew_adjoint_set(const double R[9], const double t[3], double Ad[36]);

// out = t^ R: each column of R crossed with t. out must not be R.
void sinew_hat_multiply(const double t[3], const double R[9], double out[9]);

#endif
