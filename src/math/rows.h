// A stack of rows over n degrees of freedom, block-sparse: the rows of one task
// touch only the degrees of freedom on its path through the tree.
//
// This is all that a step knows of tasks and models.
#ifndef SINEW_MATH_ROWS_H
#define SINEW_MATH_ROWS_H

#include <stdbool.h>

typedef struct sinew_row_block {
  int row, row_count;         // rows row .. row + row_count - 1 of the stack
  int path_start, path_count; // its degrees of freedom: rows->path[path_start + k]
  int value_start;            // its entries: row_count a degree of freedom
  bool point;                 // a whole point in world axes: columns of FREE balls are e_i x a
} sinew_row_block;

// Of three degrees of freedom, one after another, that turn as one: about axes of the ball's own,
// or those of the frame that rows are in.
typedef enum sinew_row_ball { SINEW_BALL_NONE = 0, SINEW_BALL_OWN, SINEW_BALL_FREE } sinew_row_ball;

// Block and place in its path: where the rows touch a degree of freedom.
typedef struct sinew_row_touch {
  int block, k;
} sinew_row_touch;

// A stretch of neighbouring degrees of freedom that the same blocks touch: of a chain, or of a
// trunk between two forks.
typedef struct sinew_row_stretch {
  int first, count; // degrees of freedom first .. first + count - 1
  int row_count;    // of all its blocks
  int row;          // the first of them, where the blocks follow each other; else -1
  int start;        // where its columns stand when those of all stretches are side by side
  int value_start;  // of its entries in values, where one block alone touches it; else -1
  bool top;         // nothing before it touches its blocks
  bool tip;         // nothing after it does
  bool point;       // its one block is a whole point
} sinew_row_stretch;

typedef struct sinew_rows {
  int row_count;   // m
  int dof_count;   // n
  int block_count; // blocks follow each other without a gap
  sinew_row_block *blocks;
  int *path;            // rising within a block
  int value_count;      // of all blocks
  double *values;       // J, column by column within a block
  double square;        // the sum of their squares; filled with them
  double *residual;     // e, m values
  unsigned char *balls; // n: a sinew_row_ball each; NULL: none is a ball's

  // For steps that keep the curvature: with u_j the columns of J and v_k those of
  // second, laid out as values, the exact matrix of half the squared residual is
  // H_jk = u_j . v_k for k at or before j; within a ball, which turns by x_j, x_k at once, the
  // mean of that and u_k . v_j.
  double *second;           // NULL where no step wants it
  int *touch_start;         // n + 1
  sinew_row_touch *touches; // those of dof j: touch_start[j] .. touch_start[j + 1] - 1, rising
  sinew_row_stretch *stretches;
  int stretch_count;
  bool chain; // they are one, of a point and of free balls alone
} sinew_rows;

// g = J^T e (n).
void sinew_rows_gradient(const sinew_rows *rows, const double *e, double *g);

// The sum of the squares of J's entries.
double sinew_rows_square(const sinew_rows *rows);

// r -= J x (m).
void sinew_rows_subtract(const sinew_rows *rows, const double *x, double *r);

// A = J J^T over the degrees of freedom that are not held (NULL: none is):
// m x m, row-major, lower triangle.
void sinew_rows_outer(const sinew_rows *rows, const signed char *held, double *A);

// H = J^T J over the degrees of freedom that are not held, f of them:
// f x f, row-major, lower triangle. index (n) tells each one's place, or -1.
void sinew_rows_inner(const sinew_rows *rows, const int *index, int f, double *H);

#endif
