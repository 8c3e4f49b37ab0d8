// The tracking law, that of the default method: how much an update is damped, and how far its step
// may differ from the last one. docs/tracking.md says how the constants were chosen.
//
// Symbols: e the error in sizes of the model, E = |e|^2 / 2, g = J^T e, n the number of degrees of
// freedom, s the number of updates since a target last moved (0: one has moved in this update).
//
//   G     = max(|g|, GRADIENT_DECAY G_last), 0 where s = 0           decaying maximum of |g|
//   mu_e  = DAMPING scale |e| sqrt(min(|e|, 1) + NEAR_ERROR)         damping by the error
//   mu_0  = mu_e + floor                                             s = 0
//         = min(S / (S + s) mu_e, S / s k G) + floor                 s > 0, S = SETTLE_UPDATES,
//                                                                    k = GRADIENT_DAMPING / sqrt(n)
//
// An update then predicts, adds curvature, finds a step, and limits it:
//
//   predict    x' damped least squares for PREDICTOR_DAMPING_FACTOR mu_0, e' = e - J x',
//              r = min(|e'| / |e|, 1)
//   curvature  H at e'; e'_1 the part of e' of tasks whose curvature is not part of H
//   step       (H + mu I) x = g,  mu = max(mu_0 (M + (1 - M) r^2), FIRST_ORDER_DAMPING |e'_1|),
//              M = MIN_DAMPING_SHARE; repeated with more damping while a joint turns too far
//   limit      x <- x_last + a (x - x_last),  a = min(1, max_change / |x - x_last|)
#ifndef SINEW_POLICY_TRACKING_H
#define SINEW_POLICY_TRACKING_H

#include "policy/damping.h"

// mu_e. Near the target the figure lags less than with Newton's damping, and away from it the
// motion is as smooth. Below NEAR_ERROR mu_e is proportional to |e|, as Newton's damping is, and
// not smaller: a limb that straightens towards a target which is leaving its reach turns faster if
// it lags less, and then stops abruptly. Beyond one size of the figure mu_e is again proportional
// to |e|, as H and g are, so that the distance of a target does not matter.
#define TRACKING_DAMPING 0.7
#define TRACKING_NEAR_ERROR 0.02

// While no target moves, smooth motion needs no damping: mu_e falls to a half after SETTLE_UPDATES
// and to a third after twice as many, and a figure in an almost flat valley of E converges in half
// the time. Damping must vanish as the figure comes to rest, and so it is bounded by the gradient.
// While targets move there is no such bound: without damping a figure would follow each of their
// motions at once in directions that hardly reduce the error. The bound becomes effective slowly,
// so that damping does not alternate if targets move in every second update.
#define TRACKING_SETTLE_UPDATES 20.0

// The bound falls with n: where H is nearly 0, a step is g / mu, of length 1 / k, and the norm of n
// equal angles is sqrt(n) times one of them. With k = GRADIENT_DAMPING / sqrt(n) a joint may turn
// as far in a long chain as in a short one; with a constant k a coiled chain of 100 spherical
// joints needs hundreds of updates to uncoil.
#define TRACKING_GRADIENT_DAMPING 50.0

// The maximum of |g| decays slowly: otherwise the damping vanishes at the bottom of a curved valley
// of E, the next step leaves the valley, and the figure oscillates.
#define TRACKING_GRADIENT_DECAY 0.6

// Where a step is predicted to remove the error, damping only delays it. mu falls to this share of
// itself where r = 0 and stays whole where r = 1. With r^2 it is below half of itself where half of
// the error is predicted to remain, and it is restored in time as a target leaves reach.
#define TRACKING_MIN_DAMPING_SHARE 0.3

// The curvature is taken at the predicted residual. The prediction's damping is this many times as
// large, so that only the error along well-conditioned directions is predicted to vanish.
#define TRACKING_PREDICTOR_DAMPING_FACTOR 10.0

// The smallest step [rad] along a direction of negative curvature. A chain that was straight,
// towards a target beyond its reach, has no gradient that bends it when the target comes back;
// bending only by rounding errors, it would bend late and then abruptly.
#define TRACKING_NEGATIVE_CURVATURE_STEP 5e-3

// The largest value of s.
#define TRACKING_MAX_REST 10000.0

// s of this update; moved: whether a target differs from that of the last update; last: s of that
// update, -1 before the first.
LANE lane tracking_rest(lane_mask moved, lane last) {
  const lane longer = lane_min(last + lane_of(1.0), lane_of(TRACKING_MAX_REST));
  return lane_select(moved, lane_of(0.0), longer);
}

LANE lane_mask tracking_moves(lane rest) {
  return lane_less(rest, lane_of(0.5));
}

// G of this update; gradient: |g|, read where s > 0; last: G of the last update.
LANE lane tracking_gradient(lane rest, lane gradient, lane last) {
  const lane decayed = lane_max(gradient, lane_of(TRACKING_GRADIENT_DECAY) * last);
  return lane_select(tracking_moves(rest), lane_of(0.0), decayed);
}

// mu_0; scale: the caller's factor on mu_e; gradient: G.
LANE lane tracking_damping(double scale, int n, lane E, lane rest, lane gradient) {
  const lane one = lane_of(1.0), settle = lane_of(TRACKING_SETTLE_UPDATES);
  const lane e = lane_sqrt(lane_of(2.0) * E), floor = lane_of(NEWTON_DAMPING_FLOOR);
  const lane root = lane_sqrt(lane_min(e, one) + lane_of(TRACKING_NEAR_ERROR));
  const lane by_error = lane_of(TRACKING_DAMPING * scale) * e * root;
  const lane k = lane_of(TRACKING_GRADIENT_DAMPING / sqrt(n > 0 ? n : 1));
  const lane by_gradient = settle / lane_max(rest, one) * k * gradient;
  const lane settled = lane_min(settle / (settle + rest) * by_error, by_gradient);
  return lane_select(tracking_moves(rest), by_error, settled) + floor;
}

// mu of the step; predicted: r; first_order: |e'_1|.
LANE lane tracking_step_damping(lane mu, lane predicted, lane first_order) {
  const lane rest = lane_of(1.0 - TRACKING_MIN_DAMPING_SHARE) * predicted;
  const lane share = lane_fma(rest, predicted, lane_of(TRACKING_MIN_DAMPING_SHARE));
  return lane_max(mu * share, lane_of(FIRST_ORDER_DAMPING) * first_order);
}

// a; square: |x - x_last|^2.
LANE lane tracking_change_share(double max_change, lane square) {
  const lane most = lane_of(max_change), length = lane_sqrt(square);
  const lane_mask beyond = lane_less(most, length);
  return lane_select(beyond, most / length, lane_of(1.0));
}

// x_last + a (x - x_last)
LANE lane tracking_limited(lane share, lane x, lane last) {
  return lane_fma(share, x - last, last);
}

#endif
