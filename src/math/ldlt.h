// Symmetric positive definite systems by A = L D L^T, without square roots.
#ifndef SINEW_MATH_LDLT_H
#define SINEW_MATH_LDLT_H

#include <stdbool.h>

// Factors A in place: n x n, row-major, rows n apart; only the lower triangle
// is read. L stands below the diagonal, the inverses of D on it.
// @param least pivots at or below it are refused
// @return false where A is not positive definite beyond least
bool sinew_ldlt_factor(int n, double *A, double least);

// Solves A x = b in place of b (n), from the factor.
void sinew_ldlt_solve(int n, const double *A, double *b);

#endif
