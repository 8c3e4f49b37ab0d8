// Configurations of a problem: into limits, whole turns, distances, and which two are the same.
// Only active degrees of freedom are changed or compared.
#ifndef SINEW_PROBLEM_CONFIGURATION_H
#define SINEW_PROBLEM_CONFIGURATION_H

#include "problem/problem.h"

// The sines of larger values of q [rad] have fewer digits than a tolerance may need.
#define SINEW_FAR_TURNED 1e5

// Clamps values to their limits; brings quaternions to unit length.
void sinew_problem_clamp(const sinew_problem *problem, double *q);

// Moves spherical joints into their limits of swing and twist, those of which all axes are active.
void sinew_problem_hold_cones(const sinew_problem *problem, double *q);

// Brings values outside their limits in by full turns if they can, then clamps.
void sinew_problem_bring_into_limits(const sinew_problem *problem, double *q);

// Brings values outside their limits in by full turns, if they can.
void sinew_problem_unwind_into_limits(const sinew_problem *problem, double *q);

// Adds full turns to values of q, and changes signs of quaternions, to bring it as near to another
// configuration as limits allow.
void sinew_problem_unwind_near(const sinew_problem *problem, const double *to, double *q);

// The smallest and largest number of full turns that keep a value within limits.
void sinew_whole_turns_within(double value, double lower, double upper, double *least,
                              double *most);

// Sum of w_v dq_v^2, spherical joints by their rotation vector. weights: nv, or NULL: all 1.
double sinew_problem_distance(const sinew_problem *problem, const double *weights, const double *a,
                              const double *b);

// Whether two differ by less than distinct in every joint, up to full turns [rad; sizes of the
// model].
bool sinew_problem_is_same(const sinew_problem *problem, double distinct, const double *a,
                           const double *b);

#endif
