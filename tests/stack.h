// Dense matrices as stacks of rows, for tests of steps against LAPACK.
#ifndef STACK_H
#define STACK_H

#include "inspect.h"
#include "near.h"
#include "random_tree.h"

#include <stdbool.h>

#define STACK_MOST_M 32
#define STACK_MOST_N 32

// A matrix J (m x n, row-major) and an error e, both dense and as a step takes them.
typedef struct stack {
  int m, n;
  double J[STACK_MOST_M * STACK_MOST_N];
  double e[STACK_MOST_M];
  double gradient[STACK_MOST_N]; // J^T e
  sinew_row_block blocks[STACK_MOST_M];
  int path[STACK_MOST_M * STACK_MOST_N];
  double values[STACK_MOST_M * STACK_MOST_N];
  sinew_rows rows;
} stack;

// Divides J into blocks of block_rows rows; a column that is 0 in all rows of a block is not in the
// block's path. Call again after a change of J or e.
void stack_cut(stack *s, int block_rows);

// Random J and e, with a fraction of each block's columns 0.
void stack_random(stack *s, random_stream *random, int m, int n, int block_rows, double zeros);

// J = Q_1 diag(sigma) Q_2^T with random Q, min(m, n) values.
void stack_of_singular_values(stack *s, random_stream *random, int m, int n, int block_rows,
                              const double *sigma);

// out (m) = J x
void stack_multiply(const stack *s, const double *x, double *out);

double stack_length(int count, const double *v);

// J = U diag(sigma) V^T by LAPACK, min(m, n) values; U m x p, VT p x n, row-major.
void stack_lapack_svd(const stack *s, double *sigma, double *U, double *VT);

// max_j |x_j|, and ClampMaxAbs.
double stack_max_abs(int n, const double *x);
void stack_clamp_max_abs(int n, double most, double *x);

// Buss and Kim's selectively damped least squares, formula by formula, from LAPACK's singular
// values. rows: begin and end of the rows of each of the end effectors; singular values up to cut
// of the largest count as 0. sigma (the smaller of m and n): out, may be
// NULL.
void stack_lapack_sdls(const stack *s, int effectors, int (*rows)[2], double gamma_max, double cut,
                       double *sigma, double *x);

// The minimum-norm x of the least |J x - e| by LAPACK; singular values up to cut times the largest
// count as 0.
void stack_lapack_least_squares(const stack *s, double cut, double *x);

// Runs a layout twice: the first pass adds up the size, the second takes the memory, filled with
// NaN.
#define STACK_SCRATCH(memory, layout)                                                              \
  do {                                                                                             \
    sinew_arena arena = {NULL, 0};                                                                 \
    layout;                                                                                        \
    (memory) = malloc(arena.used + 1);                                                             \
    assert_non_null(memory);                                                                       \
    memset((memory), 0xff, arena.used);                                                            \
    arena = (sinew_arena){(memory), 0};                                                            \
    layout;                                                                                        \
  } while (0)

#endif
