// The descent of the cost c of lower levels after a search, within all bounds and with the rows of
// higher levels kept. Compiled for each instruction set.
//
//   x = minimum of  x^T H x / 2 - t g^T x  over the bounds, J x = r,  H of Gauss and Newton,
//       g = - dc/dq, r the residual of higher levels, y their multipliers
//   L(next) = c(next) + y^T r(next) / t, next = q + s x
//
// Level 1 of a descent takes steps along which r need not stay within the tolerance: the next step
// removes it. L is the cost after that, to first order. The last step is corrected. H has not the
// curvature of what higher levels keep: with one joint more than rows, which is along a curve, it
// may be several times as large as the true one or a part of it. The decrease of L by a step
// gives the ratio u of the true one to x^T H x, and t = 1 / u in the next step, a secant method.
// Sources: Nocedal, Wright, Numerical Optimization, 2006, section 18.3 (sequential quadratic
// programming, reduced Hessian); Barzilai, Borwein, Two-point step size gradient methods, 1988.
#include "math/vector.h"
#include "policy/levels.h"
#include "solve/lower_step.h"

#include <string.h>

// No joint moves further in a step; trials of a step; the share of the tolerance to which level 0
// is corrected; steps.
#define LONGEST 0.5
#define TRIALS 6
#define MET_SHARE 0.5
#define STEPS 30
// With many columns there are more steps: near a minimum out of reach a body may need a hundred.
// The descent ends where some of them have lowered the cost by no more than a share.
#define MANY_COLUMNS 10
#define STEPS_OF_COLUMN 8
#define SLOW_STEPS 12
#define SLOW_GAIN 1e-3
// What counts as a decrease of the cost, and the relative and the absolute decrease at which a
// descent ends.
#define ARMIJO 1e-4
#define LEAST_GAIN 1e-6
#define LEAST_COST 1e-14
// A step whose expected decrease is at most this share of the cost is corrected, if it is no longer
// than this [rad, sizes] and |r|^2 / 2, to which L is known, at most this share.
#define CLOSE_GAIN 1e-2
#define CLOSE_LENGTH 0.05
#define CLOSE_RESIDUAL 1e-4
// It is the last one where one direction is left, 1 / (t u) shows no inflection, and a minimum
// along it is lower by at most this share. From 3,000 poses SLSQP gains more than .1 % in 1, in
// none of them with 2e-5, and in 2 with 5e-4.
#define LEFT_GAIN 1e-4
#define MOST_FLAT 1.5
// t: a larger one overshoots where several directions are left, whose curvatures differ.
#define LEAST_FACTOR 0.25
#define MOST_FACTOR 2.0
// The share of a step that is tried after one that does not lower the cost.
#define LEAST_SHARE 0.1
#define MOST_SHARE 0.5
// Where bounds leave a step no other direction, and the slope at its end is more than this share of
// that at its begin, they hold it.
#define HELD_SLOPE 0.5
// A step to where the cost of a minimum is higher [rad, sizes], and the shortest one that has a
// direction.
#define PROBE 0.1
#define LEAST_PROBE 1e-7

// The descent of level k.
typedef struct descent {
  sinew_solver *solver;
  int k;
  bool loose;    // whether r need not be within the tolerance between steps
  double *q;     // where it is
  double before; // the cost at levels.before, where higher levels were kept last
  double mark;   // the cost SLOW_STEPS ago, at most
  double left;   // what a minimum along the last step would lower the cost further; or infinite
  double flat;   // 1 / (t u) of the last step, at least 1
} descent;

// A step from levels.top.
typedef struct descent_step {
  sinew_level_rows rows;
  double cost, lagrangian; // at levels.top
  double slope, square;    // g^T x + y^T r / t and x^T H x / t
  double gain;             // how much it is expected to lower L
  double longest;          // the most that a joint moves
  double residual;         // |r|^2 / 2 of level 0
  int directions;          // of those that higher levels and bounds leave
} descent_step;

// y^T r / t where higher levels were evaluated last.
static double sum_of_residuals(const descent *d) {
  const sinew_levels *levels = d->solver->levels;
  double sum = 0.0;
  int row = 0;
  for (int j = 0; j < d->k; ++j) {
    const sinew_level *at = &levels->list[j];
    for (int r = 0; r < at->problem->pattern.row_count; ++r, ++row) {
      sum += levels->multiplier[row] * (at->evaluation->rows.residual[r] - levels->kept[row]);
    }
  }
  return sum / levels->factor;
}

// slope and square of levels.x. The level's g and e have the factor t.
static void measure(const sinew_levels *levels, double excess, descent_step *s) {
  const sinew_level_rows *rows = &s->rows;
  const int stride = sinew_level_stride(rows->n);
  double slope = 0.0, square = 0.0;
  for (int c = 0; c < rows->n; ++c) {
    slope += rows->g[c] * levels->x[c];
    square += rows->D[c] * levels->x[c] * levels->x[c];
  }
  for (int r = rows->fixed; r < rows->fixed + rows->wanted; ++r) {
    double product = 0.0;
    for (int c = 0; c < rows->n; ++c) {
      product += rows->J[r * stride + c] * levels->x[c];
    }
    slope += rows->e[r] * product;
    square += product * product;
  }
  s->slope = slope / levels->factor + excess;
  s->square = square / levels->factor;
}

// Shortens a step to its longest joint, and what it is expected to do.
static void shorten(const sinew_solver *solver, descent_step *s) {
  sinew_levels *levels = solver->levels;
  const double share = sinew_lower_limit_length(levels, solver->problem.gains);
  s->slope *= share;
  s->square *= share * share;
  s->gain = s->slope - 0.5 * s->square;
  s->longest = sinew_largest(levels->n, levels->x);
}

// The number of directions that higher levels, unless they are singular, and bounds leave.
static int count_directions(const sinew_levels *levels) {
  int held = 0;
  for (int c = 0; c < levels->n + levels->slacks; ++c) {
    held += levels->scratch.held[c] != 0;
  }
  return levels->n - held - levels->above;
}

// The step at q. Returns false where the level has none.
static bool find(const descent *d, descent_step *s) {
  sinew_solver *solver = d->solver;
  sinew_levels *levels = solver->levels;
  bool near;
  memcpy(levels->top, d->q, (size_t)solver->model->nq * sizeof(double));
  levels->loose = d->loose;
  sinew_lower_find_motion(solver, d->q, levels->moved);
  if (!sinew_lower_find_step(solver, d->k, &s->rows, &near)) {
    return false;
  }
  levels->warm = true;
  memcpy(levels->multiplier, levels->scratch.right, (size_t)levels->above * sizeof(double));
  const double excess = sum_of_residuals(d);
  s->cost = levels->cost;
  s->lagrangian = s->cost + excess;
  s->residual = levels->list[0].evaluation->E;
  s->directions = count_directions(levels);
  measure(levels, excess, s);
  sinew_level_cones_to_joints(levels, levels->x);
  shorten(solver, s);
  return true;
}

// The cost at levels.next, which then needs no second evaluation.
static double cost_at_next(const descent *d) {
  sinew_levels *levels = d->solver->levels;
  const double cost = sinew_lower_cost(d->solver, d->k, levels->next);
  levels->evaluated = levels->above > 0 ? d->k + 1 : 0;
  return cost;
}

// q <- levels.next. close: higher levels are kept there.
static void move(descent *d, bool close, double cost) {
  const size_t bytes = (size_t)d->solver->model->nq * sizeof(double);
  memcpy(d->q, d->solver->levels->next, bytes);
  if (close) {
    memcpy(d->solver->levels->before, d->q, bytes);
    d->before = cost;
  }
}

// Where the cost has almost no slope: the step again, made longer. A minimum is higher there; a
// saddle or a maximum along what higher levels leave is not. Returns whether it has moved q.
static bool leave_stationary(descent *d, descent_step *s) {
  sinew_levels *levels = d->solver->levels;
  if (!(s->longest > LEAST_PROBE && s->longest < PROBE)) {
    return false;
  }
  levels->loose = false;
  if (sinew_lower_try_share(d->solver, d->k, &s->rows, true, PROBE / s->longest)) {
    const double cost = cost_at_next(d);
    if (cost < (1.0 - LEAST_GAIN) * s->cost) {
      move(d, true, cost);
      return true;
    }
  }
  levels->evaluated = 0;
  return false;
}

// After a share of a step has lowered L by a gain: t for the next step, and what is left.
static void learn(descent *d, const descent_step *s, double share, double gain) {
  sinew_levels *levels = d->solver->levels;
  const double slope = share * s->slope;
  const double curvature = 2.0 * (slope - gain), end = slope - curvature;
  const double factor = share * share * s->square * levels->factor / curvature;
  d->left = d->flat = INFINITY;
  levels->factor = MOST_FACTOR;
  if (curvature > 0.0) {
    levels->factor = sinew_clamp(factor, LEAST_FACTOR, MOST_FACTOR);
    d->flat = sinew_max(factor / levels->factor, 1.0);
    d->left = share == 1.0 ? 0.5 * end * end / curvature : INFINITY;
  }
  if (s->directions <= 0 && end > HELD_SLOPE * slope) {
    d->left = 0.0;
  }
}

// Whether a gain is enough. L is known to about |r|^2 / 2. A step to where higher levels are kept
// may also have a small gain, so that one which only removes r does.
static bool is_lower(const descent *d, const descent_step *s, bool close, double share, double gain,
                     double cost) {
  const double rounding = LEAST_GAIN * s->cost + LEAST_COST;
  if (close && d->loose) {
    return cost <= d->before + rounding;
  }
  return gain > ARMIJO * share * s->slope - (close ? rounding : s->residual);
}

// Moves q by the share of a step that lowers the cost. close: to where higher levels are kept, not
// only nearly. Returns false where there is none.
static bool take(descent *d, descent_step *s, bool close) {
  sinew_levels *levels = d->solver->levels;
  double share = 1.0;
  levels->loose = !close;
  for (int trial = 0; trial < TRIALS; ++trial) {
    double best = 0.0;
    if (sinew_lower_try_share(d->solver, d->k, &s->rows, true, share) &&
        (!d->loose || sinew_lower_is_met(d->solver))) {
      const double cost = cost_at_next(d);
      const double gain = s->lagrangian - cost - sum_of_residuals(d);
      if (is_lower(d, s, close, share, gain, cost)) {
        learn(d, s, share, gain);
        move(d, close, cost);
        return true;
      }
      best = 0.5 * share * share * s->slope / (share * s->slope - gain);
    }
    share = sinew_clamp(best, LEAST_SHARE * share, MOST_SHARE * share);
  }
  levels->evaluated = 0;
  return false;
}

// Whether the step at q, whose gain is small, is the end: higher levels are kept there, and it is
// no saddle, as the last step has shown or a longer one shows.
static bool is_end(descent *d, descent_step *s, bool *moved) {
  d->solver->levels->loose = false;
  const bool kept = !d->loose || sinew_lower_is_met(d->solver);
  *moved = kept && !(d->left < INFINITY) && leave_stationary(d, s);
  return kept && !*moved;
}

// Whether a step is to be corrected.
static bool is_close(const descent *d, const descent_step *s, bool small) {
  const bool known = s->residual <= CLOSE_RESIDUAL * s->cost;
  const bool near = s->longest <= CLOSE_LENGTH && s->gain <= CLOSE_GAIN * s->cost + LEAST_COST;
  return !d->loose || (known && (small || near));
}

// Whether a step that was corrected is the last one.
static bool is_last(const descent *d, const descent_step *s, bool small) {
  if (small) {
    return d->left < INFINITY;
  }
  return s->longest <= CLOSE_LENGTH && s->residual <= CLOSE_RESIDUAL * s->cost &&
         s->directions <= 1 && d->flat <= MOST_FLAT && d->left <= LEFT_GAIN * d->before;
}

// The most steps of a descent.
static int most_steps(const sinew_levels *levels) {
  return levels->n > MANY_COLUMNS ? STEPS_OF_COLUMN * levels->n : STEPS;
}

// Whether the steps before this one have lowered the cost by so little that it is the last one.
static bool is_slow(descent *d, int step, double cost) {
  if (step % SLOW_STEPS != 0 || d->solver->levels->n <= MANY_COLUMNS) {
    return false;
  }
  const bool slow = cost > (1.0 - SLOW_GAIN) * d->mark;
  d->mark = cost;
  return slow;
}

// A descent from q, where higher levels are kept, to levels.before. Returns false where steps do
// not end where they are.
static bool descend(descent *d) {
  d->solver->levels->factor = d->flat = 1.0;
  d->before = d->left = d->mark = INFINITY;
  d->solver->levels->warm = false;
  for (int step = 0; step < most_steps(d->solver->levels); ++step) {
    descent_step s;
    bool moved = false;
    if (!find(d, &s)) {
      return !d->loose;
    }
    const double gain = s.gain * (d->left < INFINITY ? d->flat : 1.0);
    const bool small = !(gain > LEAST_GAIN * s.cost + LEAST_COST);
    d->before = step == 0 ? s.cost : d->before;
    if (small && is_end(d, &s, &moved)) {
      return true;
    }
    if (moved) {
      continue;
    }
    const bool slow = is_slow(d, step, s.cost);
    const bool close = slow || is_close(d, &s, small);
    if (!take(d, &s, close)) {
      return false;
    }
    if (slow) {
      return !d->loose;
    }
    if (close && is_last(d, &s, small)) {
      return true;
    }
  }
  return !d->loose;
}

void sinew_solver_descend_lower(sinew_solver *solver, double *values, bool evaluated) {
  sinew_levels *levels = solver->levels;
  const size_t bytes = (size_t)solver->model->nq * sizeof(double);
  double *q = memcpy(levels->q, values, bytes);
  levels->list = levels->descent;
  levels->depth = levels->count + levels->apart;
  levels->met = MET_SHARE;
  levels->longest = LONGEST;
  levels->evaluated =
      evaluated && !levels->apart && solver->problem.node_count == levels->node_count ? 1 : 0;
  memset(levels->settled, 0, (size_t)sinew_level_stride(levels->n)); // read in fours
  for (int k = 1; k <= levels->depth; ++k) {
    descent d = {.solver = solver, .k = k, .q = q, .loose = k == 1};
    memcpy(levels->before, q, bytes);
    if (!descend(&d) && d.loose) {
      memcpy(q, levels->before, bytes);
      levels->evaluated = 0;
      d.loose = false;
      descend(&d);
    }
    levels->warm = false;
    sinew_lower_settle(levels);
    levels->costs[k - 1] = sinew_lower_cost(solver, k, q);
    levels->evaluated = levels->evaluated > 0 && levels->above > 0 ? k + 1 : 0;
  }
  memcpy(values, q, bytes);
}
