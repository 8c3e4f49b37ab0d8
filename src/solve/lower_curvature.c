// The best length of the step of a lower level, by the curvature of higher levels along it.
// Compiled for each instruction set.
//
// The step x is found on the plane J_f x = e_f, and its correction then moves it to the curved set
// that higher levels leave. With y the multipliers of their rows, and r(s) what a share s of x
// leaves of their residual, which is of second order, the level's cost changes by
//
//   s^2 x^T H x / 2 - s x^T H x' + y . r(s),   r(s) = s^2 r(1),   H = D + J_w^T J_w
//
// x' the step before its length was limited. That is least at
//
//   s = x^T H x' / (x^T H x + 2 y . r(1))
//
// Of joints with limits of swing and twist H is about other axes than x, an approximation where
// their weights differ.
// Source: second-order correction and the curvature of the Lagrangian, as in Nocedal, Wright,
// Numerical Optimization, 2006, chapter 18.
#include "math/vector.h"
#include "solve/lower_step.h"

// x^T H x'
static double slope_of(const sinew_levels *levels, const sinew_level_rows *rows, double limited) {
  double sum = 0.0;
  for (int c = 0; c < levels->n; ++c) {
    sum += levels->D[c] * levels->x[c] * levels->x[c];
  }
  double tasks = 0.0; // |J_w x'|^2
  for (int r = rows->fixed; r < rows->fixed + rows->wanted; ++r) {
    const double reduced = rows->e[r] - levels->scratch.right[r];
    tasks += reduced * reduced;
  }
  return sum / limited + tasks * limited;
}

void sinew_lower_measure_curvature(sinew_levels *levels, const sinew_level_rows *rows,
                                   double share) {
  const double slope = slope_of(levels, rows, levels->limited);
  double curved = 0.0;
  for (int r = 0; r < levels->above; ++r) {
    curved += levels->scratch.right[r] * levels->residual[r];
  }
  const double curvature = slope * levels->limited + 2.0 * curved / (share * share);
  levels->best_share = curved > 0.0 && levels->scratch.solved ? slope / curvature : INFINITY;
}
