// What the steps of redundant figures (reference.h) have in common.
#ifndef SINEW_KINEMATICS_REFERENCE_REDUNDANCY_H
#define SINEW_KINEMATICS_REFERENCE_REDUNDANCY_H

#include "sinew/reference.h"

#include <stdbool.h>

// Whether count values, which may be infinite where that is allowed, can be used. None may be NULL.
bool sinew_reference_usable(int count, const double *values);

// Whether rows and constants of a step are valid.
sinew_result sinew_reference_check(int n, const sinew_reference_level *rows, double cut,
                                   double lambda);

// x <- from, if all n values are finite.
sinew_result sinew_reference_finish(int n, const double *from, double *x);

// P (n x n) <- I.
void sinew_reference_identity(int n, double *P);

// out (m) <- A x, A m x n.
void sinew_reference_multiply(int m, int n, const double *A, const double *x, double *out);

#endif
