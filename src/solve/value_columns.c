// Columns that are values of q: see value_columns.h. Compiled for each instruction set.
//
// Arrays of columns, and configurations that are the solver's own, have room for whole fours. What
// is past the columns is such that none of it is bounded, weighted or moved.
#include "solve/value_columns.h"
#include "math/vector.h"
#include "simd/four.h"

SINEW_ALWAYS_INLINE sinew_four smaller(sinew_four a, sinew_four b) {
  return sinew_four_where(a < b, a, b);
}

SINEW_ALWAYS_INLINE sinew_four larger(sinew_four a, sinew_four b) {
  return sinew_four_where(a > b, a, b);
}

void sinew_value_columns_bound(sinew_solver *solver, const double *q) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  for (int c = 0; c < n; c += 4) {
    const sinew_four at = sinew_four_load_some(q + c, n - c),
                     inverse = sinew_four_load(problem->inverse_scale + c);
    const sinew_four lower = sinew_four_load(problem->lower + c) - at,
                     upper = sinew_four_load(problem->upper + c) - at;
    sinew_four_store(solver->linear.lower + c, lower * inverse);
    sinew_four_store(solver->linear.upper + c, upper * inverse);
  }
}

bool sinew_value_columns_bound_level(const sinew_solver *solver, const double *q, double share,
                                     bool alone) {
  const sinew_problem *problem = &solver->problem;
  const sinew_levels *levels = solver->levels;
  const int n = levels->n;
  const sinew_four zero = SINEW_FOUR_OF(0.0), way = SINEW_FOUR_OF(share);
  sinew_four_bits bounded = {0, 0, 0, 0};
  for (int c = 0; c < n; c += 4) {
    const sinew_four at = sinew_four_load(q + c),
                     inverse = sinew_four_load(levels->inverse_scale + c);
    sinew_four lower = way * (sinew_four_load(problem->lower + c) - at),
               upper = way * (sinew_four_load(problem->upper + c) - at);
    lower = smaller(lower, zero) * inverse;
    upper = larger(upper, zero) * inverse;
    if (alone) {
      lower = larger(lower, sinew_four_load(solver->linear.lower + c));
      upper = smaller(upper, sinew_four_load(solver->linear.upper + c));
    }
    bounded |= sinew_four_inside(n - c) &
               ((lower > SINEW_FOUR_OF(-INFINITY)) | (upper < SINEW_FOUR_OF(INFINITY)));
    sinew_four_store(levels->lower_x + c, lower);
    sinew_four_store(levels->upper_x + c, upper);
  }
  return sinew_four_bits_any(bounded);
}

void sinew_value_columns_difference(const sinew_problem *problem, const double *from,
                                    const double *to, double *out) {
  const int n = problem->pattern.dof_count;
  for (int c = 0; c < n; c += 4) {
    const sinew_four way = sinew_four_load(to + c) - sinew_four_load(from + c);
    sinew_four_store(out + c, way / sinew_four_load(problem->unit + c));
  }
}

double sinew_value_columns_compare_motion(int n, double share, const double *motion,
                                          double last_share, const double *last, double *moved) {
  sinew_four squares = SINEW_FOUR_OF(0.0);
  for (int c = 0; c < n; c += 4) {
    const sinew_four now = SINEW_FOUR_OF(share) * sinew_four_load(motion + c);
    const sinew_four change = now - SINEW_FOUR_OF(last_share) * sinew_four_load(last + c);
    sinew_four_store(moved + c, now);
    squares += change * change;
  }
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

double sinew_value_columns_add_objective(const sinew_solver *solver, const double *weights,
                                         double share, const double *aim) {
  const sinew_levels *levels = solver->levels;
  const double *gains = solver->problem.gains;
  const int n = levels->n;
  sinew_four squares = SINEW_FOUR_OF(0.0);
  for (int c = 0; c < n; c += 4) {
    const sinew_four weight = sinew_four_load(weights + c);
    const sinew_four w = weight * sinew_four_load(gains + c),
                     e = weight * SINEW_FOUR_OF(share) * sinew_four_load(aim + c);
    sinew_four_store(levels->D + c, sinew_four_load(levels->D + c) + w * w);
    sinew_four_store(levels->g + c, sinew_four_load(levels->g + c) + w * e);
    squares += e * e;
  }
  return (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

// Of four values: clamped to the limits, where a value outside may remain there.
SINEW_ALWAYS_INLINE sinew_four moved(sinew_four at, sinew_four step, sinew_four lower,
                                     sinew_four upper) {
  const sinew_four to = at + step, least = smaller(lower, at), most = larger(upper, at);
  return sinew_four_where(to < least, least, smaller(to, most));
}

void sinew_value_columns_apply(const sinew_solver *solver, const double *q, double *out) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  for (int c = 0; c < n; c += 4) {
    const sinew_four step =
        sinew_four_load(solver->linear.x + c) * sinew_four_load(problem->unit + c);
    sinew_four_store_some(out + c, n - c,
                          moved(sinew_four_load_some(q + c, n - c), step,
                                sinew_four_load(problem->lower + c),
                                sinew_four_load(problem->upper + c)));
  }
}

void sinew_value_columns_move(const sinew_solver *solver, const double *from, const double *x,
                              double share, double *q) {
  const sinew_problem *problem = &solver->problem;
  const double *scale = solver->levels->scale;
  const sinew_four part = SINEW_FOUR_OF(share);
  const int n = solver->levels->n;
  for (int c = 0; c < n; c += 4) {
    const sinew_four at = sinew_four_load(from + c),
                     step = part * sinew_four_load(x + c) * sinew_four_load(scale + c);
    const sinew_four to =
        moved(at, step, sinew_four_load(problem->lower + c), sinew_four_load(problem->upper + c));
    sinew_four_store(q + c, sinew_four_where(sinew_four_inside(n - c), to, at));
  }
}
