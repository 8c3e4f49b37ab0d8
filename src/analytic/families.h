// What the scalar closed forms and those side by side (branches.h) share: the joints besides an
// arm's group of axes, in up to four ways.
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

// One way in which the joints besides the group place its point or its direction.
typedef struct sinew_arm_way {
  sinew_angle a[SINEW_ARM_MOST]; // of arm's axes, besides the group's
  sinew_angle sum;               // PARALLEL: of the group's angles
  double v[3], z[3];             // SRS: where the group's rotation takes its last axis h and y
  bool exact, any;
} sinew_arm_way;

#define SINEW_ARM_WAYS 4

// A work for a tip at R, p, that prefers angles of 0.
void sinew_arm_begin(sinew_arm_work *w, const sinew_arm_plan *plan, const double R[9],
                     const double p[3]);

// All ways, in the order of their branches. swivel: of SRS, else unused. Returns how many.
int sinew_arm_find_ways(const sinew_arm_work *w, double swivel, sinew_arm_way ways[SINEW_ARM_WAYS]);

// The index in own of arm's axis i.
static inline int sinew_arm_own_index(const sinew_arm_plan *plan, int i) {
  return plan->reversed ? plan->arm.count - 1 - i : i;
}

#endif
