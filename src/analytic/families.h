// What the scalar closed forms and those side by side (branches.h) share: the equations of the
// joints besides an arm's group of axes, which have up to four solutions.
#ifndef SINEW_ANALYTIC_FAMILIES_H
#define SINEW_ANALYTIC_FAMILIES_H

#include "analytic/arm.h"

// What one solve works on.
typedef struct sinew_arm_work {
  const sinew_arm_plan *plan;
  const sinew_arm *arm;
  double R[9], x[3];                     // of the tip, and p - P_0 - R P_n
  sinew_angle preferred[SINEW_ARM_MOST]; // of arm's axes
  sinew_angle sum;                       // and of the sum of joints 2 to 4
} sinew_arm_work;

// A work for a tip at R, p, that prefers angles of 0.
void sinew_arm_begin(sinew_arm_work *w, const sinew_arm_plan *plan, const double R[9],
                     const double p[3]);

// MEETING: the subproblem 5 of the joints besides the group, and these joints in its order.
void sinew_arm_three_axes(const sinew_arm_work *w, sinew_three_axes *at);
const int *sinew_arm_three_joints(const sinew_arm_plan *plan);

// PARALLEL: whether axes 5 and 6 meet, so that joint 1 is found by itself; joint 1 then, up to two;
// joints 1 and 5 where they do not, up to four pairs.
bool sinew_arm_is_apart(const sinew_arm_plan *plan);
sinew_roots sinew_arm_place_first(const sinew_arm_work *w, sinew_angle first[2]);
sinew_roots sinew_arm_place_outer(const sinew_arm_work *w, sinew_angle first[4],
                                  sinew_angle fifth[4]);

// SRS: rows: the direction of the line from shoulder to wrist, that of the elbow's axis across it,
// and their cross product. False where the line is on the first axis: any direction across it is as
// good then.
bool sinew_arm_line_frame(const sinew_arm_work *w, double swivel, double frame[3][3]);

// The index in own of arm's axis i.
static inline int sinew_arm_own_index(const sinew_arm_plan *plan, int i) {
  return plan->reversed ? plan->arm.count - 1 - i : i;
}

#endif
