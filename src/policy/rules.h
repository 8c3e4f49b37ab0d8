// The constants of descents and of attempts of a search, for damping.h and stall.h.
#ifndef SINEW_POLICY_RULES_H
#define SINEW_POLICY_RULES_H

#include <stdbool.h>

// A descent has stalled after this many consecutive steps whose gain is below the rule's.
typedef struct sinew_stall_rule {
  double gain;
  int steps;
  bool by_distance;    // the gain is measured by E_s: stall.h
  double least_factor; // on the damping: acceptance.h
} sinew_stall_rule;

// For descents after which another start may follow, and for the last descent of a solve.
// Just beyond reach the error's curvature along the workspace's boundary is far below Newton's
// damping. With a least factor of 0.01 instead of 1 the last descents of targets at 1.0001 times an
// arm's reach take 52 steps instead of 124, and others 19 instead of 46.
#define STALL_FIRST_DESCENTS ((sinew_stall_rule){.gain = 0.02, .steps = 4, .least_factor = 1.0})
#define STALL_LAST_DESCENT                                                                         \
  ((sinew_stall_rule){.gain = 1e-6, .steps = 12, .by_distance = true, .least_factor = 0.01})

// Below a gain of SLOW the test for a stationary point is made: cos^2 < STATIONARY.
#define STALL_SLOW 1e-3
#define STALL_STATIONARY 1e-14

// An update begins at a stationary point if cos^2 is below this.
#define STALL_UPDATE_STATIONARY 1e-8

// A joint at a limit is not pushed against it if cos^2 of its gradient is below this: rounding.
#define STALL_EPSILON 1e-20

// Attempts are damped by mu = c min(E, 1/2) + floor; half or double of c changes little. The first
// floor is that of lanes, the second that of the scalar core.
#define SEARCH_DAMPING 0.03
#define SEARCH_DAMPING_FLOOR 1e-9
#define SCALAR_SEARCH_DAMPING_FLOOR 1e-7

// Attempts in lanes end after SLOW + 1 consecutive updates that each leave more than KEEP of E, or
// after STEPS updates and one more for each degree of freedom beyond ARM. Chosen by the number of
// updates of ten arms, from random starts and from a bank: ending after two slow updates takes 10 %
// fewer updates in all than after four.
#define STALL_LANE_KEEP 0.65
#define STALL_LANE_SLOW 1.0
#define STALL_LANE_STEPS 20
#define STALL_ARM 8

// Attempts of the scalar core end after WAIT slow steps or STEPS in all, unless E is below NEAR and
// the last step has gained.
#define STALL_ATTEMPT_KEEP (1.0 - 0.3)
#define STALL_ATTEMPT_WAIT 3
#define STALL_ATTEMPT_STEPS 15
#define STALL_ATTEMPT_NEAR 1e-2

// Long prismatic joints (solve/slides.h) bring a start of a search near its targets where half the
// squared residual is at least START; the caller's configuration, starts of local solves, and that
// of the first update after a reset, where a point is FAR sizes from its target, since steps are of
// about one size; and that of another update where it is UPDATE sizes away, since else updates move
// smoothly, by some tenth of a size more each time.
#define SLIDE_START 0.5
#define SLIDE_FAR 5.0
#define SLIDE_UPDATE 100.0

// The damping of these steps, which is that of rounding; how many there are at most; and the length
// [sizes] of a step after which there is another.
#define SLIDE_DAMPING 1e-9
#define SLIDE_STEPS 4
#define SLIDE_LONG 1e8

// A floating base is registered to its targets (solve/registration.h) in the first update after a
// reset if at least so many tasks have positions, the best fit turns it by more than ANGLE [rad],
// and leaves less than KEEP of the squared error that the best translation leaves: of far poses of
// humanoids, those that need less are found without. What it removes is more than GAIN of the
// squared distances of all points and targets from their means: points near a line do not turn it
// about that line for a small error.
#define REGISTRATION_TASKS 3
#define REGISTRATION_ANGLE 1.0
#define REGISTRATION_KEEP 0.7
#define REGISTRATION_GAIN 0.05

// The limit on the steps of an attempt with that many degrees of freedom.
static inline int stall_steps(int most, int dofs) {
  return most + (dofs > STALL_ARM ? dofs - STALL_ARM : 0);
}

#endif
