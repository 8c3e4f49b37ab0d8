// Limits of swing and twist of up to four joints at once: cone.h, with the same results. Small
// builds take one at a time. Compiled for each instruction set.
#ifndef SINEW_MATH_CONE_FOURS_H
#define SINEW_MATH_CONE_FOURS_H

#include "math/cone.h"
#include "math/rotation.h"

// How many; of arrays, only the first `count` are read.
#ifdef SINEW_SMALL
#define SINEW_CONE_FOUR 1
#else
#define SINEW_CONE_FOUR 4
#endif

#ifndef SINEW_SMALL

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

#else

static inline void sinew_cone_fours_set(int count, const sinew_cone *const cone[],
                                        const double *const q[], const double far[],
                                        sinew_cone_step *const step[]) {
  (void)count;
  sinew_cone_step_set(step[0], cone[0], q[0], far[0]);
}

static inline unsigned sinew_cone_fours_reach(int count, const sinew_cone_motion of[],
                                              const double *const x[]) {
  (void)count;
  (void)of;
  (void)x;
  return 1u;
}

static inline void sinew_cone_fours_limit(int count, const sinew_cone_motion of[],
                                          double *const x[]) {
  (void)count;
  sinew_cone_limit_motion(&of[0], x[0]);
}

static inline unsigned sinew_cone_fours_rotate(int count, const sinew_cone *const cone[],
                                               const double *const w[], double *const q[]) {
  (void)count;
  (void)cone;
  sinew_quaternion_apply(q[0], w[0]);
  return 1u;
}

static inline void sinew_cone_fours_hold(int count, const sinew_cone *const cone[],
                                         const double *const from[], double *const q[]) {
  (void)count;
  sinew_cone_hold(cone[0], from[0], q[0]);
}

#endif

#endif
