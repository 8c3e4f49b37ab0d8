// One level of a step with priorities: rows that higher levels have fixed, and rows, weights and
// bounds of this level.
#ifndef SINEW_STEP_LEVEL_H
#define SINEW_STEP_LEVEL_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// What is added to the diagonal of the system in fixed rows, as a share of their mean square: above
// its rounding errors.
#define SINEW_LEVEL_FIXED 1e-13

// x minimises
//
//   x^T D x / 2 - g^T x + |J_w x - e_w|^2 / 2   over   lower <= x <= upper,   J_f x = e_f
//
// Rows r of J_f with soft_r > 0 have the cost (J_f x - e_f)_r^2 / (2 soft_r) instead.
//
// Rows of J are stride apart, sinew_level_stride(n), and 0 past n.
typedef struct sinew_level_rows {
  int n;                       // columns
  int slacks;                  // of these, the last: a fixed row has -1 in it, and no other row
  int fixed, wanted;           // rows of higher levels, J_f, then those of this one, J_w
  int known;                   // for so many rows scratch.known has the columns
  const double *J;             // (fixed + wanted) x stride
  const double *e;             // fixed + wanted
  const double *soft;          // fixed, >= 0; NULL: all 0
  const double *D, *g;         // stride; D > 0; what is past n is finite, and has no effect
  const double *lower, *upper; // stride: lower <= 0 <= upper, past n any; both NULL: none
  int rounds;                  // at most so many working sets, if not 0: as sinew_box's
} sinew_level_rows;

typedef struct sinew_level_scratch {
  double *scaled;        // rows: J D^-1, 0 in columns with an active bound
  uint64_t *used;        // (m + 2) / 3: of three rows, bit j: columns 4 j to 4 j + 3 are not 0
  uint64_t *known;       // the same, of the first rows: sinew_level_know_column()
  double *every;         // stride: 1 / D
  double *inverse;       // stride: the same, 0 with an active bound
  double *matrix;        // m x m: J D^-1 J^T, with what is added to its diagonal
  double *factor;        // m x m
  double *right;         // m: y; there is room for four more
  double *gradient;      // stride
  double *base;          // stride: x without multipliers
  double *unconstrained; // stride
  double *from;          // stride
  signed char *initial;  // stride: of sinew_box_solve()
  signed char *formed;   // stride: whether the matrix has the column
  double diagonal;       // what it has on the diagonal of fixed rows
  signed char *held;     // stride
  double rho;            // what is added to the diagonal in fixed rows
  bool solved;           // whether x is the solution of the last system, whose multipliers are y
} sinew_level_scratch;

// Rows are taken in threes, as points and poses have them; in small builds one by one. Bit
// SINEW_LEVEL_LAST_FOUR of used is for all fours from this one on.
#ifdef SINEW_SMALL
enum { SINEW_LEVEL_ROWS = 1 };
#else
enum { SINEW_LEVEL_ROWS = 3 };
#endif
enum { SINEW_LEVEL_LAST_FOUR = 63 };

// What scratch.known has of rows of which some may be 0 at times.
#define SINEW_LEVEL_UNKNOWN UINT64_MAX

// So many rows from one on have no entries. Three rows of which some are before it keep theirs.
static inline void sinew_level_know_none(sinew_level_scratch *scratch, int row, int count) {
  for (int r = row; r < row + count; ++r) {
    if (r % SINEW_LEVEL_ROWS == 0) {
      scratch->known[r / SINEW_LEVEL_ROWS] = 0;
    }
  }
}

// Which columns so many rows from one on have is not known.
static inline void sinew_level_forget_columns(sinew_level_scratch *scratch, int row, int count) {
  for (int r = row; r < row + count; ++r) {
    scratch->known[r / SINEW_LEVEL_ROWS] = SINEW_LEVEL_UNKNOWN;
  }
}

// A column has entries in so many rows from one on.
static inline void sinew_level_know_column(sinew_level_scratch *scratch, int row, int count,
                                           int column) {
  const int four = column / 4 < SINEW_LEVEL_LAST_FOUR ? column / 4 : SINEW_LEVEL_LAST_FOUR;
  for (int r = row; r < row + count; ++r) {
    scratch->known[r / SINEW_LEVEL_ROWS] |= UINT64_C(1) << four;
  }
}

// n rounded up, so that rows need no code for single last values.
static inline int sinew_level_stride(int n) {
  return (n + 3) & ~3;
}

// What a solution of the last system leaves of fixed row r: (rho + soft) y.
static inline double sinew_level_left_of(const sinew_level_rows *rows,
                                         const sinew_level_scratch *scratch, int r) {
  return (scratch->diagonal + (rows->soft != NULL ? rows->soft[r] : 0.0)) * scratch->right[r];
}

// Copies marks of count columns between arrays with room for whole fours.
static inline void sinew_level_copy_marks(int count, const signed char *from, signed char *to) {
  for (int c = 0; c < count; c += 4) {
    memcpy(to + c, from + c, 4);
  }
}

// Room for m rows and n columns, in memory that is 0.
void sinew_level_layout(sinew_arena *arena, int m, int n, sinew_level_scratch *scratch);

// Fills x (n, with room for stride), and scratch.held with the active bounds, of few rows and
// columns without slacks, where the working set in scratch.held (its sign -1: lower, 1: upper) is
// the minimum's; else returns false, and x and held are not valid. bounds may be NULL, or exclude
// 0.
bool sinew_level_solve_once(const sinew_level_rows *rows, sinew_level_scratch *scratch, double *x);

// The same of any rows, and from any working set on: as sinew_level_solve().
int sinew_level_solve_sets(const sinew_level_rows *rows, bool begun, sinew_level_scratch *scratch,
                           double *x);

// Fills x and scratch.held. begun: scratch.held contains the set to begin with, which decides how
// many systems it takes, and nothing about x but its rounding errors. Returns the number of systems
// solved.
static inline int sinew_level_solve(const sinew_level_rows *rows, bool begun,
                                    sinew_level_scratch *scratch, double *x) {
  scratch->solved = (begun || rows->lower == NULL) && sinew_level_solve_once(rows, scratch, x);
  return scratch->solved ? 1 : sinew_level_solve_sets(rows, begun, scratch, x);
}

// left (count, in whole fours), unless it is NULL, <- e - J x over count rows from the first on, of
// the rows that the scratch's last solution was for. Returns its square.
double sinew_level_left(const sinew_level_rows *rows, const sinew_level_scratch *scratch, int first,
                        int count, const double *x, double *left);

// Factors the system of the fixed rows, with the bounds that were active in the last solution.
// Returns false where it has no solution.
bool sinew_level_factor_fixed(const sinew_level_rows *rows, sinew_level_scratch *scratch);

// Prepares corrections of the fixed rows. Where all rows are fixed the last factor is theirs.
static inline bool sinew_level_begin_corrections(const sinew_level_rows *rows,
                                                 sinew_level_scratch *scratch) {
  return rows->wanted == 0 || sinew_level_factor_fixed(rows, scratch);
}

// x (n, with room for stride): the least x^T D x with J_f x = r, and 0 at active bounds. r (fixed)
// is overwritten.
void sinew_level_correct(const sinew_level_rows *rows, sinew_level_scratch *scratch, double *r,
                         double *x);

#endif
