// Limits of swing and twist of up to four joints at once: cone.h, with the same results. Small
// builds take them one by one. Compiled for each instruction set.
#ifndef SINEW_MATH_CONE_FOURS_H
#define SINEW_MATH_CONE_FOURS_H

#include "math/cone.h"

// How many; of arrays, only the first `count` are read.
#define SINEW_CONE_FOUR 4

// sinew_cone_step_set()
void sinew_cone_fours_set(int count, const sinew_cone *const cone[], const double *const q[],
                          const double far[], sinew_cone_step *const step[]);

// Which of the motions x may lead to a limit, a bit for each: others are left as they are by
// sinew_cone_fours_limit(), which is sinew_cone_limit_motion().
unsigned sinew_cone_fours_reach(int count, const sinew_cone_motion of[], const double *const x[]);
void sinew_cone_fours_limit(int count, const sinew_cone_motion of[], double *const x[]);

// q <- q exp(w). Returns which may be outside their limits, a bit for each; others are left as they
// are by sinew_cone_fours_hold(), which is sinew_cone_hold().
unsigned sinew_cone_fours_rotate(int count, const sinew_cone *const cone[], const double *const w[],
                                 double *const q[]);
void sinew_cone_fours_hold(int count, const sinew_cone *const cone[], const double *const from[],
                           double *const q[]);

#endif
