// Limits of acceleration of spherical joints, in updates with a time step.
//
// The motion w of a joint in an update is the rotation vector of its change, q <- q exp(w), in the
// joint's own frame: in that of before and in that of after the update alike. With p the last one,
// c_i = a_i dt^2 and r_i the limits of speed times dt,
//
//   |w_i - p_i| <= c_i,  |w_i| <= r_i,  i = 1, 2, 3
//
// a box in the step's three columns. Within limits of swing and twist, w is a motion after which
// the joint can stop about its present axis: with v = |w|, n = w / v and c = min c_i / |n_i|, the
// motions v, v - c, v - 2 c, ... about n change by as much as the box allows, and all rotations
// q exp(s n), v <= s <= v + (v - c) + (v - 2 c) + ..., are to be within the limits. The next update
// then has (v - c) n at least, which is such a motion too.
#ifndef SINEW_SOLVE_SPHERICAL_MOTION_H
#define SINEW_SOLVE_SPHERICAL_MOTION_H

#include <stdbool.h>

struct sinew_solver;
struct sinew_column_group;
struct sinew_cone_step;

// v: the first degree of freedom of a spherical joint. Whether some acceleration of it is limited.
bool sinew_spherical_is_limited(const struct sinew_solver *solver, int v);

// Before an update: motion.lower, upper, yielded and stop of the joint. A joint that nothing moves
// any longer is slowed down.
void sinew_spherical_begin(struct sinew_solver *solver, int v, bool active, double *q);

// After it: moves the joint to where its motion is within all of these limits; motion.last. Returns
// whether it has moved it.
bool sinew_spherical_end(struct sinew_solver *solver, int v, bool active, double *q);

// The axes of a step of an update whose joint can come to no limit of swing or twist, also after
// it, are the joint's own.
void sinew_spherical_take_own_axes(const struct sinew_solver *solver,
                                   const struct sinew_column_group *group,
                                   struct sinew_cone_step *step);

// lower and upper <- the ends of r . w for low_i <= w_i <= high_i.
void sinew_spherical_range(const double r[3], const double low[3], const double high[3],
                           double *lower, double *upper);

// Narrows the bounds of y (cones.h) of a step from q to the box around a share of
// motion.aim_lower and aim_upper less what has been moved, columns (NULL: nothing), and by braking
// ahead of limits.
void sinew_spherical_narrow(struct sinew_solver *solver, const double *q, const double *moved,
                            double share);

// The ends of x, a column of a joint with limits of swing and twist, that motion.lower and upper
// leave in a step of the default method; others stay as they are. Returns whether it is one.
bool sinew_spherical_bound(const struct sinew_solver *solver, int column, double *lower,
                           double *upper);

// Clamps linear.x of these joints, of a step from q, to that. With hard tasks it also keeps what
// sinew_spherical_end() would, but that hard tasks may take it further.
void sinew_spherical_clamp(struct sinew_solver *solver, const double *q);

#endif
