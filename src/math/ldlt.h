// Symmetric positive definite systems by A = L D L^T, without square roots.
#ifndef SINEW_MATH_LDLT_H
#define SINEW_MATH_LDLT_H

#include <stdbool.h>

// Factors A + mu I: n x n, row-major, rows n apart, of A only the lower triangle
// is read. L stands below the diagonal of factor, the inverses of D on it; what is above it is
// scratch.
// @return false where the sum is not positive definite
bool sinew_ldlt_factor(int n, const double *A, double mu, double *factor);

// Solves (A + mu I) x = b in place of b (n), from the factor.
void sinew_ldlt_solve(int n, const double *factor, double *b);

#endif
