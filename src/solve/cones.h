// Limits of swing and twist in a step: angular coordinates of the joint in which they are bounds.
//
// To first order the limits of a joint are r_1 . w <= most and down <= r_2 . w <= up (math/cone.h),
// r_1 and r_2 unit, w a rotation vector in the moved axes. With r_3 across both and the dual axes
// a_i, r_i . a_j = 1 where i = j and else 0,
//
//   w = y_1 a_1 + y_2 a_2 + y_3 a_3,   y_1 <= most,   down <= y_2 <= up
//
// so that with columns of the Jacobian about a_i in place of the moved axes, the step's bounds are
// these limits, and every update rule keeps them. Where the swing is small, or along an axis of the
// ellipse, r_1 and r_2 are orthogonal, and so are the a_i.
//
// The joint is then moved by w and, since the limits are curved, held (sinew_cone_move()). Newton's
// matrix does not have the curvature of active limits: along them, a limit with the multiplier l
// and the curvature k adds l k. Where it is left out, a figure that is pressed against a narrow
// cone oscillates along its border; so it is added to the damping.
#ifndef SINEW_SOLVE_CONES_H
#define SINEW_SOLVE_CONES_H

#include "math/cone.h"

struct sinew_solver;

typedef struct sinew_cone_step {
  double row[3][3];  // r_i
  double axis[3][3]; // a_i
  double most, down, up;
  double value[2], unit[2]; // f and phi, and their derivatives along r_1 and r_2
} sinew_cone_step;

// The axes at q, of whose links the state has the poses: before the Jacobian is evaluated.
void sinew_cones_begin(struct sinew_solver *solver, const double *q);

// The bounds of the step, within what speeds allow; dt: 0 where there are none.
void sinew_cones_bound(struct sinew_solver *solver, double dt);

// Ahead of a limit a joint brakes.
typedef struct sinew_cone_brakes {
  double (*brake)(const void *brakes, double distance, double last); // longest motion
  const void *brakes;
  const double *moved, *last; // columns: so far in this part; degrees of freedom: in the last part
} sinew_cone_brakes;

// Narrows the bounds by braking.
void sinew_cones_brake(struct sinew_solver *solver, const sinew_cone_brakes *by);

// linear.least and linear.most, from the bounds.
void sinew_cones_open(struct sinew_solver *solver);

// linear.x: from y to w; and, of w, y clamped to its bounds.
void sinew_cones_to_joints(struct sinew_solver *solver);
void sinew_cones_clamp(struct sinew_solver *solver);

// Scales columns of joints at limits that the gradient presses against, so that the damping mu of
// the scaled ones is mu + l k. A step whose targets are in reach is damped by less than mu; l then
// vanishes too.
void sinew_cones_damp(struct sinew_solver *solver, const double *q, double mu);

// The norm of the free gradient without what presses joints against limits; gradient: with what
// presses them against those that they have not quite reached.
double sinew_cones_free_gradient(const struct sinew_solver *solver, double gradient);

#endif
