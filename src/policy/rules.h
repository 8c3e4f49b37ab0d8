// The constants of descents and of attempts of a search, for damping.h and stall.h.
#ifndef SINEW_POLICY_RULES_H
#define SINEW_POLICY_RULES_H

#include <stdbool.h>

// When a descent is given up: after that many steps in a row that each gain less.
typedef struct sinew_stall_rule {
  double gain;
  int steps;
  bool by_distance;
} sinew_stall_rule;

// Of descents that may be followed by one from elsewhere, and of the last one of a solve.
#define STALL_FIRST_DESCENTS ((sinew_stall_rule){.gain = 0.02, .steps = 4})
#define STALL_LAST_DESCENT ((sinew_stall_rule){.gain = 1e-6, .steps = 12, .by_distance = true})

// A gain below this has it tested whether the place is stationary.
#define STALL_SLOW 1e-3
#define STALL_STATIONARY 1e-14

// A joint at a limit whose gradient has a smaller cos^2 is not pushed: that is rounding.
#define STALL_EPSILON 1e-20

// Attempts are damped by mu = c min(E, 1/2) + floor; half or double of c changes little. The floors
// are that of lanes and that of the scalar core.
#define SEARCH_DAMPING 0.03
#define SEARCH_DAMPING_FLOOR 1e-9
#define SCALAR_SEARCH_DAMPING_FLOOR 1e-7

// Attempts in lanes. Chosen by the updates that ten arms take, from random starts and from a bank:
// two updates in a row that leave more than KEEP of E take 10 % fewer updates than four. Besides,
// STEPS updates, and one more for each degree of freedom beyond ARM.
#define STALL_LANE_KEEP 0.65
#define STALL_LANE_SLOW 1.0
#define STALL_LANE_STEPS 20
#define STALL_ARM 8

// Attempts of the scalar core: WAIT steps, STEPS in all, but not where E is below NEAR and the last
// step has gained.
#define STALL_ATTEMPT_KEEP (1.0 - 0.3)
#define STALL_ATTEMPT_WAIT 3
#define STALL_ATTEMPT_STEPS 15
#define STALL_ATTEMPT_NEAR 1e-2

// Most steps of an attempt with that many degrees of freedom.
static inline int stall_steps(int most, int dofs) {
  return most + (dofs > STALL_ARM ? dofs - STALL_ARM : 0);
}

#endif
