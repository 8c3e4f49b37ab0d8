// One unbranched segment of a tree (math/rows.h) in Newton's step. Its columns are eliminated from
// the last to the first, and x is substituted from the first to the last:
//
//   w = u - P v,  d = w . v + mu,  y = g - v . z,  P <- P + w w^T / d,  z <- z + w y / d
//   x = (y - w . r) / d,  r <- r + v x
//
// The derivation is in newton.c.
#ifndef SINEW_STEP_SEGMENT_H
#define SINEW_STEP_SEGMENT_H

#include <stdbool.h>

// count columns of r entries each, side by side
typedef struct sinew_segment {
  int r, count;
  const double *u, *v;
  double *w; // may be u
  double *P; // r x r, symmetric, rows stride apart: sum of w w^T / d of the eliminated columns
  double *z; // r: sum of w y / d of the eliminated columns
  int stride;
  bool top; // no other segment reads P and z afterwards
  bool tip; // P and z are 0
  double mu;
  const double *right;            // count: g
  const signed char *fixed;       // count: not 0 where x is given; NULL: nowhere
  const double *x;                // count: read where fixed
  const unsigned char *spherical; // count: sinew_row_spherical; NULL: no spherical joints
  bool point;           // in root-frame coordinates, u_j = e_j x a and v_j = e_j x b (root_frame.h)
  double *pivot, *y;    // count: 1 / d, y
                        // where fixed, d
  double *off_diagonal; // count: L10, L20, L21 of three columns that are eliminated together;
                        // an entry of D (three.h) where one of its columns is fixed
  double *rest;         // count: (g - (H + mu I) x)_j of fixed columns
} sinew_segment;

// Whether P and z of a segment of r rows grow. Those of a top segment are read by its own columns
// alone: where these are few, each takes from those eliminated before it, 2 r products each, what
// they would have added to P, r^2.
static inline bool sinew_segment_grows(bool top, int r, int count) {
  return !(top && count <= r / 2 && r > 12);
}

// Eliminates the columns, the last first. Returns the column whose pivot d is not positive (d <=
// mu / 2, for rounding), with 1 / d, or -1.
int sinew_segment_eliminate(const sinew_segment *s);

// x (count) of the columns that are not fixed, and the rest of the others. r is the sum of v x of
// the columns nearer the root, and is updated. |x| of column bad is at least least: see
// negative_pivot (newton.h).
void sinew_segment_substitute(const sinew_segment *s, int bad, double least, double *r, double *x);

#endif
