// Lower levels of updates: the constants that solvers (solve/lower.c) and crowds
// (kernel/crowd_posture.h) have in common. docs/levels.md says what they are for.
#ifndef SINEW_POLICY_LEVELS_H
#define SINEW_POLICY_LEVELS_H

// The most that a joint moves in an update for lower levels [rad; sizes]; trials, and what is left
// of x from one to the next.
#define LEVELS_LONGEST 0.05
#define LEVELS_TRIALS 3
#define LEVELS_SHORTER 0.25

// The share of the tolerance to which level 0 is corrected where it can be met, and the one by
// which it may be further off than its own update leaves it.
#define LEVELS_MET 0.05
#define LEVELS_COST 0.1

// Residuals of level 0 up to this length are removed, longer ones kept; what a step may leave of
// them to first order: a share, and absolute.
#define LEVELS_NEAR 1e-2
#define LEVELS_LEFT 0.5
#define LEVELS_LEAST_LEFT 1e-9

// Further steps of level 0 are left to lower levels where its last one is predicted to leave at
// most this share of its residual. Above it those steps may not meet the targets, and what they
// leave of the history of level 0 then differs from what the step of a lower level would have them
// leave.
#define LEVELS_SURE 0.05

// D is at least these: a share of its largest entry, and absolute.
#define LEVELS_LEAST_SHARE 1e-4
#define LEVELS_LEAST_WEIGHT 1e-6

#endif
