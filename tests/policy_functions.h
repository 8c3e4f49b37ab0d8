// The functions of src/policy/ over arrays, one table an instruction set.
#ifndef POLICY_FUNCTIONS_H
#define POLICY_FUNCTIONS_H

#include <stdbool.h>

// The scalars that the laws are functions of, an array of POLICY_COUNT values each.
enum {
  POLICY_E = 0,     // half the squared residual
  POLICY_E_NEW,     // and after a step
  POLICY_GRADIENT,  // |g|
  POLICY_LAST,      // the remembered |g| of the last update
  POLICY_REST,      // updates at rest
  POLICY_PREDICTED, // the predicted ratio of the error, 0 to 1
  POLICY_FIRST,     // the norm of the error whose rows are first order in H
  POLICY_MU,
  POLICY_FACTOR, // on the damping, >= 1
  POLICY_SQUARE, // |x - x_last|^2
  POLICY_X,
  POLICY_X_LAST,
  POLICY_LOWER, // <= POLICY_UPPER
  POLICY_UPPER,
  POLICY_SLOW, // slow steps
  POLICY_STEPS,
  POLICY_MOTION,   // of targets
  POLICY_RECENT,   // recent motion, or -1
  POLICY_DISTANCE, // to a limit
  POLICY_CLAMPED,  // <= POLICY_SQUARE
  POLICY_INPUTS
};

// The results of the laws, an array each.
enum {
  POLICY_OF_ERROR = 0,
  POLICY_DLS,
  POLICY_NEWTON,
  POLICY_INCREASE,
  POLICY_COUNT_REST, // the targets moved where X > 0
  POLICY_REMEMBERED,
  POLICY_TRACKING,
  POLICY_STEP_DAMPING,
  POLICY_CHANGE_SHARE,
  POLICY_LIMITED,       // share: PREDICTED
  POLICY_SQUARE_MOTION, // linear: MOTION, angular: RECENT
  POLICY_MEAN_MOTION,   // last: RECENT
  POLICY_NEXT_RECENT,
  POLICY_IS_JUMP,
  POLICY_PARTS,
  POLICY_RATE,       // parts: STEPS + 1
  POLICY_MAX_CHANGE, // of that rate
  POLICY_IS_IN_REACH,
  POLICY_CONTINUES,
  POLICY_BRAKE,
  POLICY_BOUND,     // LOWER
  POLICY_MAY_BRAKE, // last: X_LAST
  POLICY_MAY_CONTINUE,
  POLICY_CUT_CONTINUES,
  POLICY_EXCEEDS,
  POLICY_SMALLER_SHARE, // share: PREDICTED
  POLICY_PART_GAIN,     // parts: STEPS + 1
  POLICY_FREE_GRADIENT,
  POLICY_ACCEPTED,
  POLICY_NEXT_FACTOR,
  POLICY_EXHAUSTED,
  POLICY_GAIN,
  POLICY_GAIN_BY_DISTANCE,
  POLICY_COSINE, // jacobian: MU
  POLICY_GAINS,  // mark: E, from E_NEW
  POLICY_SLOW_STEPS,
  POLICY_DROPPED,
  POLICY_OUTPUTS
};

// The values that all figures of a call share.
typedef struct policy_constants {
  double c, lambda, floor; // of DLS
  double scale;
  int n;
  double time_step; // 0 where not known
  double braking;
  double error_gain;
  double max_change, keep, most_slow, most_steps, far;
} policy_constants;

typedef struct policy_functions {
  const char *name;
  int lanes;
  bool fused; // products are fused with sums
  // count is a multiple of 8; value i of array k is at [k * count + i].
  void (*all)(const policy_constants *constants, int count, const double *in, double *out);
} policy_functions;

extern const policy_functions policy_functions_base, policy_functions_pair;
#ifdef __x86_64__
extern const policy_functions policy_functions_fma, policy_functions_avx2, policy_functions_avx512;
#endif

#endif
