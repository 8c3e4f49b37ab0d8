// The rigid motion X = (R, x) that brings points s_k, unit axes a_k and orientations S_k nearest to
// points t_k, axes b_k and orientations T_k: it minimizes
//
//   sum w |t - R s - x|^2 + sum w |b - R a|^2 / 4 + sum w |T - R S|^2 / 8
//
// where each term of axes is w sin^2 of half their angle, and so is each of orientations.
//
// Call sinew_fit_mean() for each point, then sinew_fit_point() for each again, with weights in the
// same proportions, and the other two functions as needed.
#ifndef SINEW_MATH_FIT_H
#define SINEW_MATH_FIT_H

#include "sinew/math.h"

// The weight of points whose lengths are in sizes of a figure, relative to axes and orientations:
// typical for the points of a limb.
#define SINEW_FIT_POINTS 4.0

// The sums of a fit; at first all are 0.
typedef struct sinew_fit {
  double B[9];
  double from[3], to[3]; // the means of points
  double weight;         // of points
  double norm;           // the error is norm - 2 tr(R^T B)
} sinew_fit;

void sinew_fit_mean(sinew_fit *fit, double weight, const double from[3], const double to[3]);
void sinew_fit_point(sinew_fit *fit, double weight, const double from[3], const double to[3]);
void sinew_fit_axis(sinew_fit *fit, double weight, const double from[3], const double to[3]);

// @param turn the matrix T S^T
void sinew_fit_orientation(sinew_fit *fit, double weight, const double turn[9]);

// Fills the motion. Where R is not determined it is the smallest rotation; of several that are
// equally small, about other axes by half a turn, rounding decides.
// @param gain by how much the error is less than that of the best motion without rotation; or NULL
// Returns the error as a share of that one; 0 where both are 0.
double sinew_fit_motion(const sinew_fit *fit, sinew_pose *motion, double *gain);

#endif
