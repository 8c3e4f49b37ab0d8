// Newton's matrix as a dense one: formed from the rows, factored, and solved. See formed.c.
#ifndef SINEW_STEP_FORMED_H
#define SINEW_STEP_FORMED_H

#include "base/memory.h"
#include "math/rows.h"

#include <stdbool.h>
#include <stdint.h>

// The columns of the system: those without an active bound, the last first, then the others.
typedef struct sinew_formed {
  double *second;   // m x stride: V, the columns of rows.second
  double *matrix;   // n x stride: H and, in the column after it, the right-hand side; then factors
  double *inverse;  // n: 1 / d of the pivots
  double *solution; // stride
  uint64_t *fours;  // m: for each block, which fours of columns it touches
  int *column;      // n: the column at each place of the system
  int *place;       // n: the reverse
  int most;         // room for so many columns
  int pivots;       // how many have no active bound
  int count;        // of all columns
  double mu;        // added to the diagonal
  double beyond;    // how far the x of the column that must move is beyond that of the system
} sinew_formed;

// Room for a system with its right-hand side: rows are this far apart.
static inline int sinew_formed_stride(int n) {
  return n / 4 * 4 + 4;
}

// m and n: the largest numbers of rows and columns of a problem. One of a part has fewer.
void sinew_formed_layout(sinew_arena *arena, int m, int n, sinew_formed *formed);

// H (n x n, lower triangle) <- the matrix, where there is room for its columns.
void sinew_formed_matrix(const sinew_rows *rows, sinew_formed *formed, double *H);

// Forms H and factors H + mu I for the columns without an active bound (active: NULL, none is).
// right: the right-hand side of all columns.
// Returns the column whose pivot d is not positive (d <= mu / 2, for rounding), with 1 / d in
// *pivot, or -1.
int sinew_formed_factor(const sinew_rows *rows, const double *right, const signed char *active,
                        double mu, sinew_formed *formed, double *pivot);

// x of the columns without an active bound, given the others in x. |x| of column bad (-1: none) is
// at least least.
void sinew_formed_solve(sinew_formed *formed, int bad, double least, double *x);

// After that, x_j where no bound is active, else x_j plus the model's negative gradient there.
void sinew_formed_unconstrained(const sinew_formed *formed, int bad, const double *x,
                                double *unconstrained);

#endif
