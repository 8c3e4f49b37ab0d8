// The best length of the step of a lower level, by the curvature of higher levels along it.
// Compiled for each instruction set.
//
// The step x' is found with J_f x' = e_f, limited in length to x, and a trial with a share s of x
// is corrected such that higher levels keep what they should. With y the multipliers of their rows,
// and r(s) the residual that the correction removes beside (1 - s J_f x), which is of second order,
// the level's cost changes by
//
//   s^2 x^T H x / 2 - s (g . x + e_w . J_w x + y . J_f x) + y . r(s),   r(s) = s^2 r(1),
//   H = D + J_w^T J_w
//
// That is least at
//
//   s = (g . x + e_w . J_w x + y . J_f x) / (x^T H x + 2 y . r(1))
//
// within bounds too, where the numerator is more than x^T H x'. D has what damps the level besides
// (solve/overshoot.h), so that s is rather too small. The rows of ranges are not in the sum.
//
// Source: second-order correction and the curvature of the Lagrangian, as in Nocedal, Wright,
// Numerical Optimization, 2006, chapter 18.
#include "math/vector.h"
#include "solve/lower_step.h"

// y is known where x' leaves no more of e_f than this, a share and absolute: of rows that x' cannot
// have, y is a penalty.
#define LEFT 1e-2
#define LEAST_LEFT 1e-9

static bool are_multipliers(const sinew_levels *levels, const sinew_level_rows *rows) {
  double left = 0.0, all = 0.0;
  for (int r = 0; r < levels->above; ++r) {
    const double each = sinew_level_left_of(rows, &levels->scratch, r);
    left += each * each;
    all += rows->e[r] * rows->e[r];
  }
  return levels->scratch.solved && left <= LEFT * LEFT * all + LEAST_LEFT * LEAST_LEFT;
}

void sinew_lower_measure_curvature(sinew_levels *levels, const sinew_level_rows *rows,
                                   double share) {
  const sinew_level_scratch *scratch = &levels->scratch;
  const double limited = levels->limited;
  double slope = 0.0, square = 0.0, curved = 0.0;
  levels->best_share = INFINITY;
  if (!are_multipliers(levels, rows)) {
    return;
  }
  for (int c = 0; c < levels->n; ++c) {
    slope += rows->g[c] * levels->x[c];
    square += rows->D[c] * levels->x[c] * levels->x[c];
  }
  for (int r = rows->fixed; r < rows->fixed + rows->wanted; ++r) {
    const double moved = limited * (rows->e[r] - scratch->right[r]); // J_w x
    slope += rows->e[r] * moved;
    square += moved * moved;
  }
  for (int r = 0; r < levels->above; ++r) {
    const double moved = limited * (rows->e[r] - sinew_level_left_of(rows, scratch, r)); // J_f x
    slope += scratch->right[r] * moved;
    curved += scratch->right[r] * (levels->residual[r] - (rows->e[r] - share * moved));
  }
  if (curved > 0.0) {
    levels->best_share = slope / (square + 2.0 * curved / (share * share));
  }
}
