// Symmetric positive definite systems by A = L D L^T, without square roots.
#ifndef SINEW_MATH_LDLT_H
#define SINEW_MATH_LDLT_H

#include <stdbool.h>

// Factors A + mu I: n x n, row-major, rows n apart; only the lower triangle of A is read. factor
// contains L below its diagonal, the inverses of D on it, and scratch values above it.
// @return false if the sum is not positive definite
bool sinew_ldlt_factor(int n, const double *A, double mu, double *factor);

// Solves (A + mu I) x = b in place of b (n), from the factor.
void sinew_ldlt_solve(int n, const double *factor, double *b);

#endif
