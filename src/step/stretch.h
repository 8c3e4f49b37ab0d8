// One stretch of a tree (math/rows.h) in Newton's step: its columns out of the matrix, from the tip
// on, and what they are, from the root on. The mathematics is in newton.c.
#ifndef SINEW_STEP_STRETCH_H
#define SINEW_STEP_STRETCH_H

#include <stdbool.h>

// count columns of r entries each, side by side
typedef struct sinew_stretch {
  int r, count;
  const double *u, *v;
  double *w; // may be u
  double *P; // r x r, symmetric, rows stride apart: what has been eliminated
  double *z; // r
  int stride;
  bool top; // nothing follows that would read P and z
  bool tip; // P and z are 0
  double mu;
  const double *right;        // count
  const signed char *held;    // count: those not 0 stay out; NULL: none does
  const unsigned char *balls; // count: sinew_row_spherical; NULL: none
  bool point;                 // u_j of FREE balls are e_j x a, v_j e_j x b
  double *pivot, *y;          // count: inverse pivots
  double *links;              // count: what ties three columns that were eliminated at once
} sinew_stretch;

// Eliminates the columns, the last first. Returns the one whose pivot is not positive, or -1.
int sinew_stretch_eliminate(const sinew_stretch *s);

// x (count) of those not held; r is what the rest so far comes to, r <- r + v x. Column bad turns
// by least, if that is more: see ridge (newton.h).
void sinew_stretch_substitute(const sinew_stretch *s, int bad, double least, double *r, double *x);

#endif
