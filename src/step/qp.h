// A strictly convex quadratic program on a factor of its matrix, by a dual active set.
//
//   minimise   x^T H x / 2 - g^T x   over   l_i <= a_i^T x <= u_i
//
// Rows 0 .. n - 1 are the bounds of x, a_i = e_i; general rows follow. Only solves with H are asked
// for. Rows that contradict each other yield (qp.c), so that there always is a solution.
#ifndef SINEW_STEP_QP_H
#define SINEW_STEP_QP_H

#include "base/memory.h"

#include <stdbool.h>

// The most variables, and general rows, so that products of the two are ints.
#define SINEW_QP_MOST 16384

// A row is violated where it is beyond its end by more than this share of |a| |x|, or of what it
// has yielded by.
#define SINEW_QP_FEASIBLE 1e-12

// H, by its factor.
typedef struct sinew_qp_matrix {
  // b <- H^-1 b (n). The entries of b before the first one are 0.
  void (*solve)(const void *factor, int first, double *b);
  const void *factor;
} sinew_qp_matrix;

// A factor of sinew_ldlt_factor(), for sinew_qp_solve_dense().
typedef struct sinew_qp_dense {
  int n;
  const double *factor;
} sinew_qp_dense;

void sinew_qp_solve_dense(const void *dense, int first, double *b);

typedef struct sinew_qp_data {
  int n, row_count; // variables, general rows
  sinew_qp_matrix H;
  const double *g;                     // n
  const double *lower, *upper;         // n: lower <= upper, infinite where there is none; or NULL
  const double *rows;                  // the entries of general rows, row by row
  const int *index;                    // which variables these belong to, rising in a row; NULL: a
                                       // row has an entry for each variable
  const int *start;                    // row_count + 1, with index: where each row's entries begin
  const double *row_lower, *row_upper; // row_count: as lower and upper
  const unsigned char *rank;           // n + row_count: the larger, the sooner a row yields; of two
                                       // rows of one rank the later one. NULL: all the same
  bool same;                           // H and the rows' entries are those of the last call with
                                       // this workspace
} sinew_qp_data;

typedef struct sinew_qp_workspace {
  // In: the list to start from, 0 at first. Out: the rows that hold x.
  signed char *active; // n + row_count: -1 at the lower end, 1 at the upper end, 0 not active
  // Out
  double *yielded;    // n + row_count: by how much: > 0 beyond the upper end, < 0 the lower end
  double *multiplier; // n + row_count: H x = g - sum of multiplier_i a_i; >= 0 at the upper end, <=
                      // 0 at the lower end
  int yielded_count;  // of the rows that have yielded
  int changes;        // of the list
  int solves;         // with H
  bool finished;      // false: ended by MOST_CHANGES(), which rounding errors might reach

  // Scratch
  bool in_order;     // after a contradiction: rows are taken in the order in which they yield
  int last;          // the place of the last one taken
  int *place;        // n + row_count: the place of each
  int count;         // of the active rows, k
  int *list;         // n: which these are
  double *Y;         // n x n: rows H^-1 a of the active rows
  double *L, *d;     // n x n, n: S = A H^-1 A^T = L D L^T, A the active rows; 1 / D
  double *mu;        // n: their multipliers
  double *x0;        // n: H^-1 g
  double *norm;      // row_count: |a|
  double *c, *v, *r; // n each: Y a_p, L^-1 of it, S^-1 of it
  double *y, *z;     // n each: H^-1 a_p, y - Y^T r
  double *e;         // n: A z, from rounding errors
} sinew_qp_workspace;

// The layout of a workspace for up to n variables and row_count general rows. Both are at most
// SINEW_QP_MOST.
void sinew_qp_workspace_layout(sinew_arena *arena, int n, int row_count,
                               sinew_qp_workspace *workspace);

// x (n) <- the solution.
void sinew_qp_minimise(const sinew_qp_data *data, sinew_qp_workspace *workspace, double *x);

// The functions above that are compiled for each instruction set, and that factor H.
typedef struct sinew_qp_functions {
  bool (*factor)(int n, const double *H, double mu, double *factor);
  void (*solve_dense)(const void *dense, int first, double *b);
  void (*minimise)(const sinew_qp_data *data, sinew_qp_workspace *workspace, double *x);
} sinew_qp_functions;

extern const sinew_qp_functions sinew_qp_functions_of_set;

#endif
