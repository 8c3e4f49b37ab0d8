// Damping laws of the literature for damped least squares: mu from the scalars of one figure.
//
//   E               half the squared residual, |e|^2 = 2 E
//   sigma_i, y_i    the singular values of J, and u_i . e
//   w               the manipulability, the product of the sigma_i
//   D               the longest step wanted
//
//   constant        mu = lambda^2                                        Wampler 1986
//   manipulability  mu = lambda^2 (1 - w / w_0)^2          w < w_0       Nakamura, Hanafusa 1986
//   smallest        mu = lambda^2 (1 - (sigma / s_0)^2)    sigma < s_0   Chiaverini, Siciliano,
//                                                                        Egeland 1994
//   optimal         the least mu >= 0 with |x(mu)| <= D                  Maciejewski, Klein 1988;
//                                                                        Deo, Walker 1995
//   bound           mu = E / (2 D^2)                                     role of Mayorga, Wong,
//                                                                        Milano 1992
//   error           mu = c E                                             Chan, Lawrence 1988
//   Sugihara        mu = E + floor                                       Sugihara 2011
//   gain ratio      mu as the last step's gain and its predicted one     Nielsen 1999
//                   tell
//
// The law of the library's own solves is in damping.h. These are references: plain doubles, one
// figure at a time.
//
// Sources: Wampler, Manipulator inverse kinematic solutions based on vector formulations and damped
// least-squares methods, 1986; Nakamura and Hanafusa, Inverse kinematic solutions with singularity
// robustness for robot manipulator control, 1986; Maciejewski and Klein, Numerical filtering for
// the operation of robotic manipulators through kinematically singular configurations, 1988; Deo
// and Walker, Overview of damped least-squares methods for inverse kinematics of robot
// manipulators, 1995; Chan and Lawrence, General inverse kinematics with the error damped
// pseudoinverse, 1988; Chiaverini, Siciliano and Egeland, Review of the damped least-squares
// inverse kinematics with experiments on an industrial robot manipulator, 1994; Nielsen, Damping
// parameter in Marquardt's method, 1999.
#ifndef SINEW_POLICY_LAWS_H
#define SINEW_POLICY_LAWS_H

#include "math/vector.h"

#include <math.h>

static inline double law_constant(double lambda) {
  return lambda * lambda;
}

static inline double law_manipulability(double lambda, double w0, double w) {
  const double lack = 1.0 - w / w0;
  return w < w0 ? lambda * lambda * lack * lack : 0.0;
}

static inline double law_smallest(double lambda, double s0, double sigma) {
  const double share = sigma / s0;
  return sigma < s0 ? lambda * lambda * (1.0 - share * share) : 0.0;
}

static inline double law_error(double c, double E) {
  return c * E;
}

static inline double law_sugihara(double floor, double E) {
  return E + floor;
}

// The gain sigma / (sigma^2 + lambda^2) of damped least squares is at most 1 / (2 lambda), so that
// |x| <= |e| / (2 lambda) = D, whatever the singular values are. The constant of the source is
// another; this is what it achieves.
static inline double law_bound(double D, double E) {
  return 0.5 * E / (D * D);
}

// |x(mu)|^2 = sum (sigma_i y_i / (sigma_i^2 + mu))^2, and sum sigma_i^2 y_i^2 / (sigma_i^2 + mu)^3,
// half its derivative times -1. Directions with sigma_i = 0 are in no step.
static inline double law_square_step(int count, const double *sigma, const double *y, double mu,
                                     double *slope) {
  double square = 0.0;
  *slope = 0.0;
  for (int i = 0; i < count; ++i) {
    const double s = sigma[i], d = s * s + mu;
    const double x = d > 0.0 ? s * y[i] / d : 0.0;
    square += x * x;
    *slope += d > 0.0 ? x * x / d : 0.0;
  }
  return square;
}

// The root of |x(mu)| = D by the iteration of Hebden and More for 1 / |x|, which is nearly linear
// in mu: from the left it rises to the root without passing it.
//
//   mu <- mu + (phi - D) / D phi^2 / slope,   phi = |x(mu)|,   slope = - phi phi'
//
// Source of the iteration: More, The Levenberg-Marquardt algorithm: implementation and theory,
// 1978, section 5.
static inline double law_optimal(int count, const double *sigma, const double *y, double D) {
  double mu = 0.0, slope;
  for (int i = 0; i < 60; ++i) {
    const double square = law_square_step(count, sigma, y, mu, &slope), phi = sqrt(square);
    if (!(phi > D * (1.0 + 1e-12)) || !(slope > 0.0)) {
      break;
    }
    mu += (phi - D) / D * square / slope;
  }
  return mu;
}

// Levenberg and Marquardt's damping from the gain ratio. predicted: E less half the squared
// residual of the linear model after the step, x^T (mu x + g) / 2.
//
//   rho = (E - E_new) / predicted
//   rho > 0   mu <- mu max(1/3, 1 - (2 rho - 1)^3),  nu <- 2
//   else      mu <- mu nu,                           nu <- 2 nu
typedef struct law_ratio {
  double mu, nu;
} law_ratio;

// At the start; diagonal: the largest entry of the diagonal of J^T J.
static inline law_ratio law_ratio_first(double diagonal) {
  return (law_ratio){1e-3 * diagonal, 2.0};
}

static inline law_ratio law_ratio_next(law_ratio last, double E, double E_new, double predicted) {
  const double rho = predicted > 0.0 ? (E - E_new) / predicted : E - E_new;
  const double t = 2.0 * sinew_min(rho, 2.0) - 1.0;
  if (!(rho > 0.0)) {
    return (law_ratio){last.mu * last.nu, 2.0 * last.nu};
  }
  return (law_ratio){last.mu * sinew_max(1.0 / 3.0, 1.0 - t * t * t), 2.0};
}

#endif
