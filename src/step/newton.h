// Newton's step: x minimises the second-order model of half the squared residual,
// -g.x + x.(H + mu I).x / 2.
#ifndef SINEW_STEP_NEWTON_H
#define SINEW_STEP_NEWTON_H

#include "step/step.h"

typedef struct sinew_newton_scratch {
  double *w;         // columns w, stretch by stretch (rows.h)
  double *v;         // columns v, likewise, of segments that several blocks touch
  double *pivot;     // n: inverse pivots
  double *y;         // n
  double *links;     // n: of three columns eliminated at once, what ties them; free balls leave
                     // nothing tied in w and y, and no pivot
  double *P;         // m x m: what has been eliminated, as seen from above
  double *z, *r;     // m each
  double *corner;    // m x m and m: of P and z or r, gathered
  int *index;        // m: the rows of it
  double *right;     // n: right-hand side without what follows from those held
  double *wish;      // n
  double *from;      // n: scratch of sinew_box_solve()
  signed char *held; // n: not 0 where held
  int ridge;         // where elimination last met negative curvature, or -1
  double mu;         // the damping that was needed in the end, >= the problem's
} sinew_newton_scratch;

void sinew_newton_layout(sinew_arena *arena, const sinew_step_size *size, void *scratch);

// Solves for the degrees of freedom that are not held, the others keeping their
// values in x. wish is x where free; where held it is on the side of x_j to which the
// model would have it go. Damping is raised until H + mu I is positive definite.
void sinew_newton_solve(const sinew_step_problem *problem, sinew_newton_scratch *scratch,
                        double *x);

// The same within bounds. Reads rows with second, gradient (the right-hand side g), mu,
// negative_curvature_step and bounds. Returns the number of systems solved.
int sinew_newton_step(const sinew_step_problem *problem, void *scratch, double *x);

// out = H x (n).
void sinew_newton_multiply(const sinew_rows *rows, sinew_newton_scratch *scratch, const double *x,
                           double *out);

#endif
