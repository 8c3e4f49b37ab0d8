// The weights of the step of a lower level: D of its columns, and what the rows of higher levels
// may leave. Compiled for each instruction set.
#include "math/vector.h"
#include "policy/levels.h"
#include "simd/four.h"
#include "solve/lower_step.h"

// What is added to the diagonal of the rows of a level below 0 that is out of reach, a share of
// their squares; less where it is nearer than LEVELS_NEAR. There these rows are nearly singular in
// the direction in which its targets are, and would be kept by the least joint, to and fro. With
// 1e-4 joints of the first test of tests/test_level_edges.c alternate 124 times instead of 108,
// with 1e-2 95 times, but figures come to rest later.
#define SOFT 1e-3

void sinew_lower_fill_weights(const sinew_levels *levels, bool last, double least, double damping) {
  const int n = levels->n;
  double *D = levels->D;
  unsigned char *settled = levels->settled;
  for (int c = 0; c < n && !last; ++c) {
    settled[c] |= (unsigned char)(D[c] > least ? SINEW_LEVEL_SETTLED_HERE : 0);
  }
  for (int c = 0; c < n; c += 4) {
    const sinew_four weight = sinew_four_load(D + c), low = SINEW_FOUR_OF(least);
    sinew_four_store(D + c, sinew_four_where(weight < low, low, weight) + SINEW_FOUR_OF(damping));
  }
}

void sinew_lower_raise_weights(sinew_levels *levels, double more, int fixed) {
  for (int c = 0; c < levels->n; c += 4) { // what is past n has no effect
    const sinew_four weight = sinew_four_load(levels->D + c);
    sinew_four squares = SINEW_FOUR_OF(0.0);
    for (int r = fixed; r < fixed + levels->wanted; ++r) {
      const sinew_four v = sinew_four_load(levels->J + r * sinew_levels_stride(levels) + c);
      squares += v * v;
    }
    sinew_four_store(levels->D + c, weight + SINEW_FOUR_OF(more) * (weight + squares));
  }
}

// The square of row r in the metric of D^-1.
static double square_of(const sinew_levels *levels, int r) {
  const double *row = levels->J + r * sinew_levels_stride(levels);
  double sum = 0.0;
  for (int c = 0; c < levels->n; ++c) {
    sum += row[c] * row[c] / levels->D[c];
  }
  return sum;
}

bool sinew_lower_soften_rows(const sinew_solver *solver, int k) {
  const sinew_levels *levels = solver->levels;
  const double factor = sinew_lower_rest_factor(solver), rest = factor * factor;
  bool any = false;
  sinew_zero((size_t)(levels->above + levels->slacks), levels->slackness);
  int row = sinew_lower_level_of(solver, 0)->problem->pattern.row_count;
  for (int j = 1; j < k; ++j) {
    const int count = sinew_lower_level_of(solver, j)->problem->pattern.row_count;
    const double share = sinew_min(levels->lower[j - 1].left / (LEVELS_NEAR * LEVELS_NEAR), 1.0);
    for (int r = row; share > 0.0 && r < row + count; ++r) {
      levels->slackness[r] = SOFT * rest * share * square_of(levels, r);
    }
    any |= share > 0.0;
    row += count;
  }
  return any;
}
