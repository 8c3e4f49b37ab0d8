// The default method's law: how much an update is damped, and how far its step may differ from the
// last one. Constants were chosen as docs/tracking.md tells.
//
// Symbols: e the error in sizes of the model, E = |e|^2 / 2, g = J^T e, n the number of degrees of
// freedom, s the updates at rest: for how many of them no target has moved (0: one has just moved).
//
//   G     = max(|g|, GRADIENT_DECAY G_last), 0 where s = 0           gradient, remembered
//   mu_e  = DAMPING scale |e| sqrt(min(|e|, 1) + NEAR_ERROR)         against the error
//   mu_0  = mu_e + floor                                             s = 0
//         = min(S / (S + s) mu_e, S / s k G) + floor                 s > 0, S = SETTLE_UPDATES,
//                                                                    k = GRADIENT_DAMPING / sqrt(n)
//
// An update then predicts, adds curvature, finds a step, and limits it:
//
//   predict    x' damped least squares for PREDICTOR_DAMPING_FACTOR mu_0, e' = e - J x',
//              r = min(|e'| / |e|, 1)
//   curvature  H at e'; e'_1 the part of e' of tasks whose curvature H lacks
//   step       (H + mu I) x = g,  mu = max(mu_0 (M + (1 - M) r^2), FIRST_ORDER_DAMPING |e'_1|),
//              M = MIN_DAMPING_SHARE; again with more damping while a joint turns too far
//   limit      x <- x_last + a (x - x_last),  a = min(1, max_change / |x - x_last|)
#ifndef SINEW_POLICY_TRACKING_H
#define SINEW_POLICY_TRACKING_H

#include "policy/damping.h"

// mu_e. Near the target it lags less than Newton's damping, and away from it the motion is as
// smooth. Below NEAR_ERROR it falls with |e| as Newton's does, not faster: a limb that stretches
// out to a target on its way beyond reach turns the faster, the less it lags, and then has to stop.
// Beyond one size of the figure it grows with |e| again, as H and g do, so that how far away a
// target is does not matter.
#define TRACKING_DAMPING 0.7
#define TRACKING_NEAR_ERROR 0.02

// Where no target moves, smooth motion needs no damping: mu_e is half after SETTLE_UPDATES and a
// third after twice as many, and a figure in an almost flat valley comes to rest in half the time.
// Only there must damping vanish at rest, and so it is bounded by the gradient. While targets move
// there is no bound: it would let a figure follow each of their motions at once in directions that
// hardly matter. The bound becomes effective slowly, so that damping does not alternate where
// targets move in every second update.
#define TRACKING_SETTLE_UPDATES 20.0

// The bound falls with n: where H is flat, a step is g / mu, of length 1 / k, and n equal turns are
// sqrt(n) times as long as one of them. With k = GRADIENT_DAMPING / sqrt(n) a joint may turn as
// much in a long chain as in a short one; with a constant k a coiled chain of 100 spherical joints
// needs hundreds of updates to uncoil.
#define TRACKING_GRADIENT_DAMPING 50.0

// The gradient is remembered: otherwise damping that vanishes at the bottom of a curved valley
// throws the next step out of it, and back.
#define TRACKING_GRADIENT_DECAY 0.6

// Where a step is predicted to meet the error, damping only delays it. mu falls to this share of
// itself where r = 0, and is whole where r = 1: with r^2 it is below half where half of the error
// is left, and whole in time at the end of reach.
#define TRACKING_MIN_DAMPING_SHARE 0.3

// The prediction decides which curvature counts. Its damping is that many times as large, so that
// only directions that give way easily count as done.
#define TRACKING_PREDICTOR_DAMPING_FACTOR 10.0

// The least turn [rad] along a direction of negative curvature. A chain that was stretched out
// straight at a target beyond its reach has no gradient to bend by when the target comes back; left
// to rounding, it would bend late, and then at once.
#define TRACKING_NEGATIVE_CURVATURE_STEP 5e-3

// Updates at rest are counted up to this.
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
  const lane held = lane_max(gradient, lane_of(TRACKING_GRADIENT_DECAY) * last);
  return lane_select(tracking_moves(rest), lane_of(0.0), held);
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
