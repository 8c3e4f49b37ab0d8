// A stack of rows over n degrees of freedom, block-sparse: the rows of one task have entries only
// for the degrees of freedom on its path through the tree.
//
// Update rules (src/step/) receive tasks and models in this form alone.
#ifndef SINEW_MATH_ROWS_H
#define SINEW_MATH_ROWS_H

#include <stdbool.h>

typedef struct sinew_row_block {
  int row, row_count;         // rows row .. row + row_count - 1 of the stack
  int path_start, path_count; // its degrees of freedom: rows->path[path_start + k]
  int value_start;            // its entries: row_count for each degree of freedom
  bool point;                 // a whole point in world axes: root-frame columns are e_i x a
  bool first_order;           // its entries of second are those of values
} sinew_row_block;

// Whether a degree of freedom belongs to a spherical joint, which has three consecutive ones, and
// the frame of their axes: the joint's body frame, or the root frame, in which rows are.
typedef enum sinew_row_spherical {
  SINEW_SPHERICAL_NONE = 0,
  SINEW_SPHERICAL_BODY_FRAME,
  SINEW_SPHERICAL_ROOT_FRAME
} sinew_row_spherical;

// An incidence, an entry of a column's sparsity pattern: a block whose path contains the degree of
// freedom, and the index k in that path.
typedef struct sinew_row_incidence {
  int block, k;
} sinew_row_incidence;

// An unbranched segment: consecutive degrees of freedom with the same incidences, as a chain has or
// a trunk between two branchings.
typedef struct sinew_row_segment {
  int first, count; // degrees of freedom first .. first + count - 1
  int row_count;    // of all its blocks
  int row;          // their first row, if the blocks are consecutive; else -1
  int start;        // index of its columns when those of all segments are side by side
  int value_start;  // of its entries in values, if it has a single block; else -1
  bool top;         // no column before it has an entry in its blocks
  bool tip;         // no column after it has one
  bool point;       // its single block is a whole point
} sinew_row_segment;

// With up to this many columns a step with curvature may form its matrix; with more rows than the
// other, and than columns, it always does (rows.formed).
#define SINEW_ROWS_FORMED 128
#define SINEW_ROWS_TRUNK 32
#define SINEW_ROWS_ELIMINATED 512

typedef struct sinew_rows {
  int row_count;   // m
  int dof_count;   // n
  int block_count; // blocks are consecutive, without gaps
  sinew_row_block *blocks;
  int *path;                // rising within a block
  int value_count;          // of all blocks
  double *values;           // J, column by column within a block
  double square;            // |J|^2, the squared Frobenius norm; set with values
  double *residual;         // e, m values
  unsigned char *spherical; // n: a sinew_row_spherical each; NULL: there are no spherical joints

  // For steps with curvature. With u_j the columns of J and v_k those of second, which has the
  // layout of values, the exact Hessian of half the squared residual is
  //   H_jk = u_j . v_k                      k <= j
  //   H_jk = (u_j . v_k + u_k . v_j) / 2    j, k of one spherical joint
  double *second;       // NULL if no step needs it
  int *incidence_start; // n + 1
  sinew_row_incidence
      *incidences; // those of dof j: incidence_start[j] .. incidence_start[j + 1] - 1, rising
  sinew_row_segment *segments;
  int segment_count;
  bool chain; // a single segment of a single point, with spherical joints in root-frame coordinates
              // only
  int trunk;  // columns of several blocks, where steps with curvature solve for them together: at
              // most SINEW_ROWS_TRUNK; else 0
  bool formed; // whether steps with curvature form H: its elimination would be more work
} sinew_rows;

// g = J^T e (n).
void sinew_rows_gradient(const sinew_rows *rows, const double *e, double *g);

// |J|^2, the sum of the squares of J's entries.
double sinew_rows_square_norm(const sinew_rows *rows);

// r -= J x (m).
void sinew_rows_subtract(const sinew_rows *rows, const double *x, double *r);

// A = J J^T over the degrees of freedom whose held is 0, those at no active bound (NULL: all):
// m x m, row-major, lower triangle.
void sinew_rows_outer(const sinew_rows *rows, const signed char *held, double *A);

// H = J^T J over f of the degrees of freedom: f x f, row-major, lower triangle. index (n): the
// row and column of each one in H, or -1.
void sinew_rows_inner(const sinew_rows *rows, const int *index, int f, double *H);

#endif
