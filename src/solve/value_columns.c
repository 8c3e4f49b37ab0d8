// Columns that are values of q: see value_columns.h. Compiled for each instruction set.
//
// The last four columns may overlap with those before: what is computed from them is the same.
#include "solve/value_columns.h"
#include "math/vector.h"
#include "simd/four.h"

// Of the four columns from j on, those from c on.
SINEW_ALWAYS_INLINE sinew_four_bits not_before(int c, int j) {
  static const sinew_four_bits number = {0, 1, 2, 3};
  const long long before = c - j;
  return number >= (sinew_four_bits){before, before, before, before};
}

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
    const int j = sinew_four_first(c, n);
    const sinew_four at = sinew_four_load(q + j),
                     inverse = sinew_four_load(problem->inverse_scale + j);
    const sinew_four lower = sinew_four_load(problem->lower + j) - at,
                     upper = sinew_four_load(problem->upper + j) - at;
    sinew_four_store(solver->linear.lower + j, lower * inverse);
    sinew_four_store(solver->linear.upper + j, upper * inverse);
  }
}

bool sinew_value_columns_bound_level(const sinew_solver *solver, const double *q, double share,
                                     bool alone) {
  const sinew_problem *problem = &solver->problem;
  const sinew_levels *levels = solver->levels;
  const int n = levels->n;
  const sinew_four zero = SINEW_FOUR_OF(0.0), way = SINEW_FOUR_OF(share);
  sinew_four_bits open = {-1, -1, -1, -1};
  for (int c = 0; c < n; c += 4) {
    const int j = sinew_four_first(c, n);
    const sinew_four at = sinew_four_load(q + j), scale = sinew_four_load(levels->scale + j);
    sinew_four lower = way * (sinew_four_load(problem->lower + j) - at),
               upper = way * (sinew_four_load(problem->upper + j) - at);
    lower = smaller(lower, zero) / scale;
    upper = larger(upper, zero) / scale;
    if (alone) {
      lower = larger(lower, sinew_four_load(solver->linear.lower + j));
      upper = smaller(upper, sinew_four_load(solver->linear.upper + j));
    }
    open &= (lower == SINEW_FOUR_OF(-INFINITY)) & (upper == SINEW_FOUR_OF(INFINITY));
    sinew_four_store(levels->lower_x + j, lower);
    sinew_four_store(levels->upper_x + j, upper);
  }
  return sinew_four_bits_any(~open);
}

void sinew_value_columns_difference(const sinew_problem *problem, const double *from,
                                    const double *to, double *out) {
  const int n = problem->pattern.dof_count;
  for (int c = 0; c < n; c += 4) {
    const int j = sinew_four_first(c, n);
    const sinew_four way = sinew_four_load(to + j) - sinew_four_load(from + j);
    sinew_four_store(out + j, way / sinew_four_load(problem->unit + j));
  }
}

double sinew_value_columns_compare_motion(int n, double share, const double *motion,
                                          double last_share, const double *last, double *moved) {
  sinew_four squares = SINEW_FOUR_OF(0.0);
  for (int c = 0; c < n; c += 4) {
    const int j = sinew_four_first(c, n);
    const sinew_four now = SINEW_FOUR_OF(share) * sinew_four_load(motion + j);
    const sinew_four change = now - SINEW_FOUR_OF(last_share) * sinew_four_load(last + j);
    const sinew_four added = sinew_four_masked(not_before(c, j), change);
    sinew_four_store(moved + j, now);
    squares += added * added;
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
    const int j = sinew_four_first(c, n);
    const sinew_four weight = sinew_four_masked(not_before(c, j), sinew_four_load(weights + j));
    const sinew_four w = weight * sinew_four_load(gains + j),
                     e = weight * SINEW_FOUR_OF(share) * sinew_four_load(aim + j);
    sinew_four_store(levels->D + j, sinew_four_load(levels->D + j) + w * w);
    sinew_four_store(levels->g + j, sinew_four_load(levels->g + j) + w * e);
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
  const double *x = solver->linear.x, *unit = problem->unit;
  const double *lower = problem->lower, *upper = problem->upper;
  const int n = problem->pattern.dof_count, last = n - 4;
  // The last four first, as below
  const sinew_four end =
      moved(sinew_four_load(q + last), sinew_four_load(x + last) * sinew_four_load(unit + last),
            sinew_four_load(lower + last), sinew_four_load(upper + last));
  for (int c = 0; c < last; c += 4) {
    sinew_four_store(out + c, moved(sinew_four_load(q + c),
                                    sinew_four_load(x + c) * sinew_four_load(unit + c),
                                    sinew_four_load(lower + c), sinew_four_load(upper + c)));
  }
  sinew_four_store(out + last, end);
}

void sinew_value_columns_move(const sinew_solver *solver, const double *x, double share,
                              double *q) {
  const sinew_problem *problem = &solver->problem;
  const double *scale = solver->levels->scale, *lower = problem->lower, *upper = problem->upper;
  const sinew_four part = SINEW_FOUR_OF(share);
  const int n = solver->levels->n, last = n - 4;
  // The last four first: they are read before others of them are written.
  const sinew_four end = moved(sinew_four_load(q + last),
                               part * sinew_four_load(x + last) * sinew_four_load(scale + last),
                               sinew_four_load(lower + last), sinew_four_load(upper + last));
  for (int c = 0; c < last; c += 4) {
    sinew_four_store(q + c, moved(sinew_four_load(q + c),
                                  part * sinew_four_load(x + c) * sinew_four_load(scale + c),
                                  sinew_four_load(lower + c), sinew_four_load(upper + c)));
  }
  sinew_four_store(q + last, end);
}
