// Damping laws: mu from the scalars of one figure.
//
//   E          half the squared residual, in sizes of the model; |e| = sqrt(2 E)
//   E'         min(E, 1/2): errors beyond one size of the figure add no more damping, since how far
//              away a target is does not tell how the figure should move
//   error      mu = c E' + floor                                Chan and Lawrence 1988
//   DLS        mu = c E' + lambda^2 + floor                     Sugihara 2011 (c, floor), Buss 2009
//                                                               (lambda)
//   Newton     mu = max(min(a |e'|, k |g|), b |e_1|) + floor,  |e'| = sqrt(2 E')
//
// Newton's damping grows with the error and vanishes where the gradient does, with targets within
// reach or beyond it, so that the last steps converge as fast as Newton's method. e_1 is the error
// of tasks whose curvature is not part of H.
// The default method's law is in tracking.h.
//
// Sources: Chan and Lawrence, General inverse kinematics with the error damped pseudoinverse, 1988;
// Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, 2011;
// Buss 2009, section 5.
#ifndef SINEW_POLICY_DAMPING_H
#define SINEW_POLICY_DAMPING_H

#include "simd/lanes.h"

// E of an error of one size of the figure.
#define DAMPING_MAX_ERROR 0.5

// Newton's constants, dimensionless as H is: a, the damping at an error of one size of the figure;
// k, the factor of the gradient; and the floor.
#define NEWTON_DAMPING 0.3
#define NEWTON_GRADIENT_DAMPING 10.0
#define NEWTON_DAMPING_FLOOR 1e-5

// b: the curvature of some tasks is left out of H (free axes, directions, coupled joints). With
// targets beyond reach it is the only stiffness at right angles to the error, and at most |e|.
// Damping by this share of |e| replaces it; without it steps overshoot and never settle.
#define FIRST_ORDER_DAMPING 1.0

// A Newton step that turns a joint too far is computed again with mu <- 2 mu + this.
#define DAMPING_INCREMENT 1e-4

// mu = c E' + floor
LANE lane damping_of_error(double c, double floor, lane E) {
  return lane_fma(lane_of(c), lane_min(E, lane_of(DAMPING_MAX_ERROR)), lane_of(floor));
}

// mu = c E' + lambda^2 + floor
LANE lane damping_dls(double c, double lambda, double floor, lane E) {
  return damping_of_error(c, lambda * lambda, E) + lane_of(floor);
}

// scale: the caller's factor on a; gradient: |g|; first_order: |e_1|.
LANE lane damping_newton(double scale, lane E, lane gradient, lane first_order) {
  const lane e = lane_sqrt(lane_of(2.0) * lane_min(E, lane_of(DAMPING_MAX_ERROR)));
  const lane by_error = lane_of(NEWTON_DAMPING * scale) * e;
  const lane by_gradient = lane_of(NEWTON_GRADIENT_DAMPING) * gradient;
  const lane by_first_order = lane_of(FIRST_ORDER_DAMPING) * first_order;
  return lane_max(lane_min(by_error, by_gradient), by_first_order) + lane_of(NEWTON_DAMPING_FLOOR);
}

// mu with which a step that was too large is computed again.
LANE lane damping_increase(lane mu) {
  return lane_fma(lane_of(2.0), mu, lane_of(DAMPING_INCREMENT));
}

#endif
