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
// ellipse, r_1 and r_2 are orthogonal, and so are the a_i. At a limit r_3 is less far across both,
// by at most 45 degrees, where that removes the mixed derivative of the limit along a_i and a_3.
//
// The joint is then moved by w and, since the limits are curved, held (sinew_cone_move()). Newton's
// matrix does not have the curvature of active limits: along them, a limit with the multiplier l
// and the curvature k adds l k. Where it is left out, a figure that is pressed against a narrow
// cone oscillates along its border; so it is added to the damping.
#ifndef SINEW_SOLVE_CONES_H
#define SINEW_SOLVE_CONES_H

#include "math/cone.h"

struct sinew_solver;
struct sinew_problem;
struct sinew_column_group;

// From y to w.
void sinew_cone_step_combine(const sinew_cone_step *step, double y[3]);

// The next groups with cones from group *g on, at most SINEW_CONE_FOUR. Returns how many.
int sinew_cones_next(const struct sinew_problem *problem, int *g,
                     const struct sinew_column_group *of[]);

// The axes at q, of whose links the state has the poses: before the Jacobian is evaluated. dt: of
// an update's step, else 0.
void sinew_cones_begin(struct sinew_solver *solver, const double *q, double dt);

// The bounds of the step, within what speeds allow; dt: 0 where there are none.
void sinew_cones_bound(struct sinew_solver *solver, double dt);

// Narrows the bounds by braking: a joint slows down by `slower` from one part to the next, and all
// joints together change by max_change. moved: columns, so far in this part; last: degrees of
// freedom, in the last part.
void sinew_cones_brake(struct sinew_solver *solver, double slower, double max_change,
                       const double *moved, const double *last);

// linear.least and linear.most of a model with cones, from the bounds; also where no limit of swing
// and twist is active.
void sinew_cones_open(struct sinew_solver *solver);

// linear.x: from y to w.
void sinew_cones_to_joints(struct sinew_solver *solver);

// Notes which joints at their limit of swing the step linear.x moves along it, for
// sinew_cones_clamp() after linear.x has been made longer or shorter.
void sinew_cones_note(struct sinew_solver *solver);

// Clamps y of w = linear.x to its bounds, and replaces w by the motion that it is once the joint
// has been held. A joint that then differs too much from its last motion changes less along the
// limits; last: columns, that motion less what the part has moved; most: the largest change.
void sinew_cones_clamp(struct sinew_solver *solver, const double *q, const double *last,
                       double most);

// q: their joints moved by linear.x, within their limits.
void sinew_cones_move(const struct sinew_solver *solver, double *q);

// Scales columns of joints at limits that the gradient presses against, so that the damping mu of
// the scaled ones is mu + l k. A step whose targets are in reach is damped by less than mu; l then
// vanishes too. Returns the largest share of l k in mu + l k.
double sinew_cones_damp(struct sinew_solver *solver, double mu);

// The norm of the free gradient without what presses joints against limits; gradient: with what
// presses them against those that they have not quite reached.
double sinew_cones_free_gradient(const struct sinew_solver *solver, double gradient);

#endif
