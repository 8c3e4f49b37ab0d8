// src/policy/ for one instruction set, called through a pointer.
#include "policy_functions.h"
#include "inspect.h"

#define JOIN(a, b) a##b
#define NAME(prefix, set) JOIN(prefix, set)
#define TEXT(a) #a
#define STRING(a) TEXT(a)

static lane truth(lane_mask m) {
  return lane_select(m, lane_of(1.0), lane_of(0.0));
}

static void tracking(const policy_constants *c, const lane *in, lane *out) {
  const lane_mask moved = lane_less(lane_of(0.0), in[POLICY_X]);
  out[POLICY_COUNT_REST] = tracking_rest(moved, in[POLICY_REST]);
  out[POLICY_REMEMBERED] = tracking_gradient(in[POLICY_REST], in[POLICY_GRADIENT], in[POLICY_LAST]);
  out[POLICY_TRACKING] =
      tracking_damping(lane_of(c->scale), c->n, in[POLICY_E], in[POLICY_REST], in[POLICY_LAST]);
  out[POLICY_STEP_DAMPING] =
      tracking_step_damping(in[POLICY_MU], in[POLICY_PREDICTED], in[POLICY_FIRST]);
  out[POLICY_CHANGE_SHARE] = tracking_change_share(lane_of(c->max_change), in[POLICY_SQUARE]);
  out[POLICY_LIMITED] = tracking_limited(in[POLICY_PREDICTED], in[POLICY_X], in[POLICY_X_LAST]);
}

static void parts(const policy_constants *c, const lane *in, lane *out) {
  const lane motion = in[POLICY_MOTION], recent = in[POLICY_RECENT];
  const lane rate = tracking_rate(in[POLICY_STEPS] + lane_of(1.0), c->time_step);
  out[POLICY_SQUARE_MOTION] = tracking_square_motion(motion, recent);
  out[POLICY_MEAN_MOTION] = tracking_mean_motion(motion, recent);
  out[POLICY_NEXT_RECENT] = tracking_recent(motion, recent);
  out[POLICY_IS_JUMP] = truth(tracking_is_jump(motion, recent));
  out[POLICY_PARTS] = tracking_parts(motion, tracking_least_parts(c->time_step));
  out[POLICY_RATE] = rate;
  out[POLICY_MAX_CHANGE] = tracking_max_change(c->max_change, c->n, rate);
  out[POLICY_IS_IN_REACH] = truth(tracking_is_in_reach(in[POLICY_PREDICTED], false, false));
  out[POLICY_CONTINUES] =
      truth(tracking_continues(in[POLICY_PREDICTED], in[POLICY_E], in[POLICY_E_NEW]));
  out[POLICY_BRAKE] = tracking_brake(in[POLICY_DISTANCE], lane_of(c->braking));
}

// What a lane shares is computed once for each value.
static lane part_gain(const policy_constants *c, lane parts) {
  double values[SINEW_LANES];
  lane_store(values, parts);
  for (int l = 0; l < SINEW_LANES; ++l) {
    values[l] = tracking_part_gain(c->error_gain, (int)values[l]);
  }
  return lane_load(values);
}

static void bounds_and_ends(const policy_constants *c, const lane *in, lane *out) {
  const lane most = lane_of(c->max_change), square = in[POLICY_SQUARE];
  const lane inverse = lane_of(1.0 / c->braking);
  out[POLICY_BOUND] = tracking_bound(in[POLICY_LOWER]);
  out[POLICY_MAY_BRAKE] =
      truth(tracking_may_brake(in[POLICY_DISTANCE], in[POLICY_X_LAST], most, inverse));
  out[POLICY_MAY_CONTINUE] = truth(tracking_may_continue(in[POLICY_PREDICTED], in[POLICY_E]));
  out[POLICY_CUT_CONTINUES] = truth(tracking_cut_continues(in[POLICY_E], in[POLICY_E_NEW]));
  out[POLICY_EXCEEDS] = truth(tracking_exceeds(most, square));
  out[POLICY_SMALLER_SHARE] =
      tracking_smaller_share(in[POLICY_PREDICTED], most, square, in[POLICY_CLAMPED]);
  out[POLICY_PART_GAIN] = part_gain(c, in[POLICY_STEPS] + lane_of(1.0));
}

static void laws(const policy_constants *c, const lane *in, lane *out) {
  const lane E = in[POLICY_E], E_new = in[POLICY_E_NEW];
  out[POLICY_OF_ERROR] = damping_of_error(c->c, c->floor, E);
  out[POLICY_DLS] = damping_dls(c->c, c->lambda, c->floor, E);
  out[POLICY_NEWTON] = damping_newton(c->scale, E, in[POLICY_GRADIENT], in[POLICY_FIRST]);
  out[POLICY_INCREASE] = damping_increase(in[POLICY_MU]);
  tracking(c, in, out);
  parts(c, in, out);
  bounds_and_ends(c, in, out);
  out[POLICY_FREE_GRADIENT] = gradient_free(in[POLICY_X], in[POLICY_LOWER], in[POLICY_UPPER]);
  out[POLICY_ACCEPTED] = truth(acceptance_of(E, E_new));
  out[POLICY_NEXT_FACTOR] = acceptance_factor(acceptance_of(E, E_new), in[POLICY_FACTOR], 1.0);
  out[POLICY_EXHAUSTED] = truth(acceptance_is_exhausted(in[POLICY_FACTOR]));
  out[POLICY_GAIN] = stall_gain(false, E, E_new);
  out[POLICY_GAIN_BY_DISTANCE] = stall_gain(true, E, E_new);
  out[POLICY_COSINE] = stall_cosine(E, in[POLICY_GRADIENT], in[POLICY_MU]);
  const lane_mask gains = stall_gains(c->keep, E_new, E);
  out[POLICY_GAINS] = truth(gains);
  out[POLICY_SLOW_STEPS] = stall_count(gains, in[POLICY_SLOW]);
  out[POLICY_DROPPED] = truth(stall_is_dropped(lane_of(c->most_slow), lane_of(c->most_steps),
                                               c->far, in[POLICY_SLOW], in[POLICY_STEPS], E));
}

static void all(const policy_constants *constants, int count, const double *in, double *out) {
  for (int i = 0; i < count; i += SINEW_LANES) {
    lane from[POLICY_INPUTS], to[POLICY_OUTPUTS];
    for (int k = 0; k < POLICY_INPUTS; ++k) {
      from[k] = lane_load(in + k * count + i);
    }
    laws(constants, from, to);
    for (int k = 0; k < POLICY_OUTPUTS; ++k) {
      lane_store(out + k * count + i, to[k]);
    }
  }
}

const policy_functions NAME(policy_functions_, SINEW_LANE_SUFFIX) = {
    .name = STRING(SINEW_LANE_SUFFIX), .lanes = SINEW_LANES, .fused = SINEW_LANE_FUSED, .all = all};
