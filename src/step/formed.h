// Newton's matrix as a dense one: formed from the rows, factored, and solved. See formed.c.
#ifndef SINEW_STEP_FORMED_H
#define SINEW_STEP_FORMED_H

#include "base/memory.h"
#include "math/rows.h"

#include <stdbool.h>

// What the matrix is: nothing, J^T J, or H.
typedef enum sinew_formed_state {
  SINEW_FORMED_NONE = 0,
  SINEW_FORMED_FIRST,
  SINEW_FORMED_SECOND
} sinew_formed_state;

// Consecutive columns of H from one on, and their place in the system.
typedef struct sinew_formed_piece {
  int place, column;
} sinew_formed_piece;

// Of which system the factor is, and how long it may be kept (kept_factor.h).
typedef struct sinew_formed_kept {
  const double *values; // those of its rows; NULL: it may not be kept
  int n, count;
  int steps;     // that it has served for
  double growth; // by how much a correction's share of x has grown with each step
} sinew_formed_kept;

// H, and the system of the columns without an active bound.
typedef struct sinew_formed {
  double *matrix;            // n x stride: H, lower triangle
  double *factor;            // f x stride of f: the system, then factors; while H is formed, second
  double *inverse;           // f: 1 / d of the pivots
  double *right;             // f: the right-hand side, then that of the factors
  double *solution;          // f
  int *fours;                // while H is formed: which fours of columns a block touches
  int *column;               // f: the columns of the system, rising; also scratch while H is formed
  sinew_formed_piece *piece; // the columns of the system in pieces of up to four
  sinew_formed_kept *kept;   // in memory that problems share, as the arrays are
  int most;                  // room for so many columns
  int n, count;              // of all columns, of the system
  sinew_formed_state state;  // of rows that have not changed since
} sinew_formed;

// Rows are this far apart: whole fours.
static inline int sinew_formed_stride(int n) {
  return (n + 3) / 4 * 4;
}

// m and n: the largest numbers of rows and columns of a problem. One of a part has fewer.
void sinew_formed_layout(sinew_arena *arena, int m, int n, sinew_formed *formed);

// Forms H, or J^T J where second is values, unless the matrix is that. From J^T J to H only what
// differs is added.
void sinew_formed_form(const sinew_rows *rows, sinew_formed *formed);

// The matrix of another, unless one is formed. Not in small builds.
void sinew_formed_copy(const sinew_formed *from, sinew_formed *to);

// H (n x n, lower triangle) <- the matrix, where there is room for its columns.
void sinew_formed_matrix(const sinew_rows *rows, sinew_formed *formed, double *H);

// Factors H + mu I for the columns without an active bound (active: NULL, none is), given the
// others in x. right: the right-hand side of all columns.
// Returns the column whose pivot d is not positive (d <= mu / 2, for rounding), with 1 / d in
// *pivot, or -1.
int sinew_formed_factor(const double *right, const signed char *active, const double *x, double mu,
                        sinew_formed *formed, double *pivot);

// Takes another right-hand side to the factor of the last system, of the same columns, whose factor
// has not failed: for sinew_formed_solve(). Not in small builds.
void sinew_formed_substitute(const double *right, const double *x, sinew_formed *formed);

// x of the columns without an active bound. |x| of column bad (-1: none) is at least least.
void sinew_formed_solve(sinew_formed *formed, int bad, double least, double *x);

// Row j of H times x.
double sinew_formed_times_row(const sinew_formed *formed, int j, const double *x);

// x_j where no bound is active, else x_j plus the model's negative gradient there.
void sinew_formed_unconstrained(const sinew_formed *formed, const double *gradient,
                                const signed char *active, double mu, const double *x,
                                double *unconstrained);

#endif
