// By how much a step of the default method's updates may change a figure's motion from part to
// part, and what a figure with limits of swing and twist that comes to rest carries on of it.
// Symbols: policy/tracking.h. Compiled for each instruction set.
#include "math/vector.h"
#include "policy/tracking.h"
#include "simd/pair.h"
#include "solve/solver.h"

// |moved + x - last|^2. Four partial sums, each of every fourth value, shorten the chain of
// dependent additions.
static double square_of_change(const sinew_solver *solver) {
  const int *dof = solver->problem.dof_of_column, n = solver->evaluation.rows.dof_count;
  const double *x = solver->linear.x, *last = solver->history.step;
  const double *moved = solver->track.moved;
  sinew_pair even = {0.0, 0.0}, odd = even;
  double rest = 0.0;
  int column = 0;
  for (; solver->problem.in_order && column + 4 <= n; column += 4) {
    const sinew_pair a = sinew_pair_load(moved + column) + sinew_pair_load(x + column) -
                         sinew_pair_load(last + column);
    const sinew_pair b = sinew_pair_load(moved + column + 2) + sinew_pair_load(x + column + 2) -
                         sinew_pair_load(last + column + 2);
    even += a * a;
    odd += b * b;
  }
  for (; column < n; ++column) {
    const double change = moved[column] + x[column] - last[dof[column]];
    rest += change * change;
  }
  const sinew_pair both = even + odd;
  return (both[0] + both[1]) + rest;
}

// The change if it is limited to a share, then clamped to the bounds: square <- that of its norm,
// clamped <- of the part of it that the bounds determine.
static void square_of_limited(const sinew_solver *solver, double share, double *square,
                              double *clamped) {
  const sinew_problem *problem = &solver->problem;
  *square = *clamped = 0.0;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const double last =
        solver->history.step[problem->dof_of_column[column]] - solver->track.moved[column];
    const double gain = problem->gain[column];
    const double limited = tracking_limited(share, solver->linear.x[column], last);
    const double x = sinew_clamp(limited, gain * solver->linear.least[column],
                                 gain * solver->linear.most[column]);
    *square += (x - last) * (x - last);
    *clamped += x != limited ? (x - last) * (x - last) : 0.0;
  }
}

// a. Bounds may keep some joints from changing as little as the others: these then change less.
static double share_of_change(const sinew_solver *solver, double most) {
  const double square = square_of_change(solver);
  double share = tracking_change_share(most, square);
  for (int round = 0; share < 1.0 && !solver->linear.open && round < TRACKING_CHANGE_ROUNDS;
       ++round) {
    double limited, clamped;
    square_of_limited(solver, share, &limited, &clamped);
    if (mask_bits(tracking_exceeds(most, limited)) == 0) {
      break;
    }
    share = tracking_smaller_share(share, most, limited, clamped);
  }
  return share;
}

// While a jump is spread, shortens the part's motion, within the bounds. Returns the share of it.
static double spread_jump(sinew_solver *solver, double max_change) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  double *x = solver->linear.x, square = 0.0;
  const double *moved = solver->track.moved;
  for (int column = 0; column < n; ++column) {
    square += (moved[column] + x[column]) * (moved[column] + x[column]);
  }
  const double share = tracking_spread_share(max_change, square);
  for (int column = 0; share < 1.0 && column < n; ++column) {
    const double gain = problem->gain[column];
    x[column] =
        sinew_clamp(tracking_limited(share, x[column], -moved[column]),
                    gain * solver->linear.least[column], gain * solver->linear.most[column]);
  }
  return share;
}

void sinew_track_carry_motion(sinew_solver *solver) {
  const sinew_problem *problem = &solver->problem;
  const int *dof = problem->dof_of_column, n = problem->pattern.dof_count;
  double *x = solver->linear.x, xx = 0.0, ll = 0.0, xl = 0.0;
  for (int column = 0; column < n; ++column) {
    const double last = solver->history.step[dof[column]];
    xx += x[column] * x[column];
    ll += last * last;
    xl += x[column] * last;
  }
  double share = tracking_carried(xx, ll, xl, solver->history.caution);
  if (solver->hard.count > 0) {
    share = tracking_carried_in_valley(xx, ll, xl, solver->history.slide, share);
    solver->history.slide = share > 0.0 ? sqrt(xx) : 0.0;
  }
  double *carried = solver->track.last;
  for (int column = 0; share > 0.0 && column < n; ++column) {
    carried[column] = share * solver->history.step[dof[column]];
  }
  if (share > 0.0 && solver->hard.count > 0) { // else a row comes to its end and back
    sinew_hard_remove_normals(solver, carried);
  }
  for (int column = 0; share > 0.0 && column < n; ++column) {
    const double gain = problem->gain[column];
    x[column] = sinew_clamp(x[column] + carried[column], gain * solver->linear.least[column],
                            gain * solver->linear.most[column]);
  }
}

void sinew_track_limit_change(sinew_solver *solver, const double *q, double max_change) {
  const sinew_problem *problem = &solver->problem;
  const int n = problem->pattern.dof_count;
  double *left = &solver->history.spread, *x = solver->linear.x, *moved = solver->track.moved;
  const double spread = *left > 0.0 ? spread_jump(solver, max_change) : 1.0;
  const double share = share_of_change(solver, max_change);
  solver->track.held_back = spread < 1.0 || share < 1.0;
  solver->track.held |= solver->track.held_back;
  *left = tracking_spread(*left, solver->history.updates_at_rest, spread, share);
  for (int column = 0; share < 1.0 && column < n; ++column) {
    const double last = solver->history.step[problem->dof_of_column[column]] - moved[column];
    const double gain = problem->gain[column];
    x[column] =
        sinew_clamp(tracking_limited(share, x[column], last), gain * solver->linear.least[column],
                    gain * solver->linear.most[column]);
  }
  if (solver->evaluation.in_cones) {
    double *last = solver->track.last;
    for (int column = 0; column < n; ++column) {
      last[column] = solver->history.step[problem->dof_of_column[column]] - moved[column];
    }
    sinew_cones_clamp(solver, q, last, max_change);
    if (solver->track.now.bounded && solver->motion.has_spherical) {
      sinew_spherical_clamp(solver, q);
    }
  }
  if (solver->hard.count > 0) {
    sinew_hard_keep(solver, q);
  }
  for (int column = 0; column < n; ++column) {
    moved[column] += x[column];
  }
}

void sinew_track_scale_last(sinew_solver *solver, int parts) {
  const sinew_problem *problem = &solver->problem;
  const double rest = solver->history.updates_at_rest;
  const double ratio = tracking_part_ratio(solver->history.parts, parts, rest);
  if (ratio == 1.0) {
    return;
  }
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    solver->history.step[problem->dof_of_column[column]] *= ratio;
  }
  solver->history.parts = parts;
}
