// A crowd's Newton step: (H + mu I) x = g without forming H. See step/newton.c for the mathematics;
// here P is stored by its lower tiles, since it is symmetric. From the tips to the root, for each
// column (u, v) with the Schur update w:
//
//   w = u - P v,   d = v . w + mu,   y = g - v . z,   P <- P + w w^T / d,   z <- z + w y / d
//
// and from the root outward, with r the sum of x v so far:
//
//   x = (y - w . r) / d,   r <- r + x v
//
// Figures whose column is at an active bound have its x already: P stays, z <- z + w x, and what is
// left of the column's equation is y - w . r - d x.
#ifndef SINEW_KERNEL_CROWD_NEWTON_H
#define SINEW_KERNEL_CROWD_NEWTON_H

#include "kernel/crowd_trunk.h"

// Where H + mu I is not positive definite: mu <- 2 mu + RAISE.
#define CROWD_RAISE 1e-4
#define CROWD_ATTEMPTS 200

// x of one column from those nearer to the root. sum: w . r; coupled: the contribution of the other
// columns of a spherical joint. At a ridge |x| is at least least. r then increases by x v.
LANE lane newton_value(const crowd *self, const newton *step, lane least, int column, lane sum,
                       lane coupled, bool bounded) {
  lane *x = crowd_of(self, SINEW_CROWD_X);
  lane value = lane_fma(step->y[column] - sum, step->pivot[column], -coupled);
  if (step->ridges) {
    const lane_mask here = lane_less(lane_abs(step->ridge - lane_of(column)), lane_of(0.5));
    const lane_mask small = lane_less(lane_abs(value), least);
    value = lane_select(mask_and(here, small), lane_with_sign(least, value), value);
  }
  if (bounded) {
    const lane_mask moves = bound_is_inactive(crowd_of(self, SINEW_CROWD_ACTIVE)[column]);
    step->rest[column] = lane_fnma(step->pivot[column], x[column], step->y[column] - sum);
    value = lane_select(moves, value, x[column]);
  }
  x[column] = value;
  return value;
}

// A segment with one incidence.
LANE void substitute_segment(const crowd *self, const newton *step, lane least,
                             const sinew_crowd_incidence *incidence, bool bounded, int first,
                             int end) {
  lane *r = crowd_of(self, SINEW_CROWD_RIGHT) + 3 * incidence->tile;
  lane r0 = r[0], r1 = r[1], r2 = r[2];
  int at = incidence->value;
  for (int column = first; column < end; ++column, at += incidence->stride) {
    const lane *w = step->schur + at, *v = step->v + at;
    const lane sum = lane_fma(w[0], r0, lane_fma(w[1], r1, w[2] * r2));
    const lane moved = newton_value(self, step, least, column, sum, lane_of(0.0), bounded);
    r0 = lane_fma(moved, v[0], r0);
    r1 = lane_fma(moved, v[1], r1);
    r2 = lane_fma(moved, v[2], r2);
  }
  r[0] = r0;
  r[1] = r1;
  r[2] = r2;
}

// A segment with two incidences, a pose or two points.
LANE void substitute_segment_two(const crowd *self, const newton *step, lane least,
                                 const sinew_crowd_incidence *incidences, bool bounded, int first,
                                 int end) {
  lane *all = crowd_of(self, SINEW_CROWD_RIGHT);
  lane *a = all + 3 * incidences[0].tile, *b = all + 3 * incidences[1].tile;
  lane a0 = a[0], a1 = a[1], a2 = a[2], b0 = b[0], b1 = b[1], b2 = b[2];
  int at = incidences[0].value, next = incidences[1].value;
  for (int column = first; column < end;
       ++column, at += incidences[0].stride, next += incidences[1].stride) {
    const lane *w = step->schur + at, *v = step->v + at;
    const lane *w_next = step->schur + next, *v_next = step->v + next;
    lane sum = lane_fma(w[0], a0, lane_fma(w[1], a1, w[2] * a2));
    sum = lane_fma(w_next[0], b0, lane_fma(w_next[1], b1, lane_fma(w_next[2], b2, sum)));
    const lane moved = newton_value(self, step, least, column, sum, lane_of(0.0), bounded);
    a0 = lane_fma(moved, v[0], a0);
    a1 = lane_fma(moved, v[1], a1);
    a2 = lane_fma(moved, v[2], a2);
    b0 = lane_fma(moved, v_next[0], b0);
    b1 = lane_fma(moved, v_next[1], b1);
    b2 = lane_fma(moved, v_next[2], b2);
  }
  a[0] = a0;
  a[1] = a1;
  a[2] = a2;
  b[0] = b0;
  b[1] = b1;
  b[2] = b2;
}

LANE lane_mask both_move(const lane *held, int j, int k) {
  return mask_and(bound_is_inactive(held[j]), bound_is_inactive(held[k]));
}

// moved <- the three columns of a spherical joint; sum: W . r of each.
LANE void find_spherical(const crowd *self, const newton *step, lane least, bool bounded,
                         int column, const lane sum[3], lane moved[3]) {
  const lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *all = step->off + column;
  lane off[3] = {all[0], all[1], all[2]};
  for (int j = 1; bounded && j < 3; ++j) {
    for (int k = 0; k < j; ++k) {
      off[j + k - 1] = lane_keep(both_move(held, column + j, column + k), off[j + k - 1]);
    }
  }
  moved[0] = newton_value(self, step, least, column, sum[0], lane_of(0.0), bounded);
  moved[1] = newton_value(self, step, least, column + 1, sum[1], off[0] * moved[0], bounded);
  moved[2] = newton_value(self, step, least, column + 2, sum[2],
                          lane_fma(off[1], moved[0], off[2] * moved[1]), bounded);
  for (int j = 1; bounded && j < 3; ++j) { // what active bounds have of each other, and of the rest
    for (int k = 0; k < j; ++k) {
      const lane D = lane_keep(mask_not(both_move(held, column + j, column + k)), all[j + k - 1]);
      step->rest[column + j] = lane_fnma(D, moved[k], step->rest[column + j]);
      step->rest[column + k] = lane_fnma(D, moved[j], step->rest[column + k]);
    }
  }
}

// The three columns of a spherical joint.
LANE void substitute_spherical(const crowd *self, const newton *step, lane least, bool bounded,
                               int column, lane *r) {
  lane sum[3], moved[3];
  for (int k = 0; k < 3; ++k) {
    sum[k] = crowd_dot_column(self, step->schur, column + k, r);
  }
  find_spherical(self, step, least, bounded, column, sum, moved);
  for (int k = 0; k < 3; ++k) {
    crowd_add_column(self, step->v, column + k, moved[k], r);
  }
}

// r += x v of an effector's rows, for the trunk's columns.
LANE void trunk_add_motion(const newton *step, const sinew_crowd_limb *limb, int rows,
                           const lane *x, lane *r) {
  lane sum[6] = {r[0], r[1], r[2]};
  for (int i = 3; i < rows; ++i) {
    sum[i] = r[i];
  }
  for (int k = 0; k < limb->trunk_count; ++k) {
    const lane *v = step->v + limb->value + rows * k, value = x[limb->trunk[k]];
    for (int i = 0; i < rows; ++i) {
      sum[i] = lane_fma(value, v[i], sum[i]);
    }
  }
  lanes_copy(rows, sum, r);
}

// xi <- the sum of x times their twists, for the trunk's columns of an effector.
LANE void trunk_twist(const crowd *self, const sinew_crowd_limb *limb, const lane *x, lane xi[6]) {
  crowd_zero(6, xi);
  for (int k = 0; k < limb->trunk_count; ++k) {
    const lane *twist = twist_of(self, limb->trunk[k]), value = x[limb->trunk[k]];
    for (int i = 0; i < 6; ++i) {
      xi[i] = lane_fma(value, twist[i], xi[i]);
    }
  }
}

// r of an effector, for the motion xi of the trunk: before that of its limb.
LANE void trunk_put_twist(const crowd *self, const newton *step, int t, const lane xi[6], lane *r) {
  if (step->u == step->v) {
    twist_motion(self, t, false, xi, r);
  } else {
    twist_motion(self, t, true, xi, r);
  }
}

// x of the trunk's columns, and r.
LANE void trunk_substitute(const crowd *self, const newton *step, lane least, bool bounded,
                           lane *r) {
  const sinew_crowd_plan *plan = self->plan;
  lane x[SINEW_ROWS_TRUNK];
  for (int k = 0; k < plan->trunk_count; ++k) {
    const lane *row = crowd_of(self, SINEW_CROWD_TRUNK) + trunk_row(k);
    lane sum = lane_of(0.0);
    for (int j = 0; j < k; ++j) {
      sum = lane_fma(row[j], x[j], sum);
    }
    x[k] = newton_value(self, step, least, plan->trunk[k], sum, lane_of(0.0), bounded);
  }
  lane xi[6];
  crowd_zero(6, xi);
  for (int b = 0; plan->trunk_count > 0 && b < plan->lanes.effector_count; ++b) {
    lane *rows = r + 3 * plan->limbs[b].tile;
    if (limb_has_twists(&plan->limbs[b])) {
      if (!plan->limbs[b].repeats) {
        trunk_twist(self, &plan->limbs[b], x, xi);
      }
      trunk_put_twist(self, step, b, xi, rows);
    } else if (plan->limbs[b].tiles == 2) {
      trunk_add_motion(step, &plan->limbs[b], 6, x, rows);
    } else {
      trunk_add_motion(step, &plan->limbs[b], 3, x, rows);
    }
  }
}

// Three columns of a spherical joint of a pose: as substitute_spherical(), r in registers.
LANE void pose_substitute_spherical(const crowd *self, const newton *step, lane least, int at,
                                    bool bounded, int column, lane r[6]) {
  lane sum[3], moved[3];
  for (int k = 0; k < 3; ++k) {
    sum[k] = pose_dot(step->schur + at + 6 * k, r);
  }
  find_spherical(self, step, least, bounded, column, sum, moved);
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 6; ++i) {
      r[i] = lane_fma(moved[k], step->v[at + 6 * k + i], r[i]);
    }
  }
}

// Columns of a segment of the limb of a pose.
LANE_APART void pose_substitute(const crowd *self, const newton *step, lane least, bool bounded,
                                const sinew_crowd_segment *segment) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_incidence *first = &plan->incidences[plan->incidence_start[segment->first]];
  lane *all = crowd_of(self, SINEW_CROWD_RIGHT) + 3 * first->tile, r[6];
  int at = first->value;
  lanes_copy(6, all, r);
  for (int column = segment->first; column < segment->first + segment->count; ++column, at += 6) {
    if (plan->spherical[column] != SINEW_SPHERICAL_NONE) {
      pose_substitute_spherical(self, step, least, at, bounded, column, r);
      column += 2;
      at += 12;
      continue;
    }
    const lane sum = pose_dot(step->schur + at, r);
    const lane moved = newton_value(self, step, least, column, sum, lane_of(0.0), bounded);
    for (int i = 0; i < 6; ++i) {
      r[i] = lane_fma(moved, step->v[at + i], r[i]);
    }
  }
  lanes_copy(6, r, all);
}

// From the root outward.
LANE void newton_substitute(const crowd *self, const newton *step, lane least, bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  lane *r = crowd_of(self, SINEW_CROWD_RIGHT);
  crowd_zero(plan->lanes.row_count, r);
  trunk_substitute(self, step, least, bounded, r);
  for (int i = 0; i < plan->segment_count; ++i) {
    const int limb = plan->segments[i].limb;
    if (limb < 0) {
      continue;
    }
    if (plan->trunk_count > 0 && plan->limbs[limb].tiles == 2) {
      pose_substitute(self, step, least, bounded, &plan->segments[i]);
      continue;
    }
    const int first = plan->segments[i].first, end = first + plan->segments[i].count;
    const int start = plan->incidence_start[first];
    const int count = plan->segments[i].spherical ? 0 : plan->incidence_start[first + 1] - start;
    if (count == 1) {
      substitute_segment(self, step, least, &plan->incidences[start], bounded, first, end);
      continue;
    }
    if (count == 2) {
      substitute_segment_two(self, step, least, &plan->incidences[start], bounded, first, end);
      continue;
    }
    for (int column = first; column < end; ++column) {
      if (plan->spherical[column] != SINEW_SPHERICAL_NONE) {
        substitute_spherical(self, step, least, bounded, column, r);
        column += 2;
        continue;
      }
      const lane sum = crowd_dot_column(self, step->schur, column, r);
      const lane moved = newton_value(self, step, least, column, sum, lane_of(0.0), bounded);
      crowd_add_column(self, step->v, column, moved, r);
    }
  }
}

// -------------------------------------------------------------- active bounds

// Solves with damping mu, raised until H + mu I is positive definite; mu becomes the damping used.
// x at active bounds is not changed.
LANE void newton_solve(const crowd *self, newton *step, trunk *with, lane *mu, lane ridge,
                       bool bounded) {
  const lane *held = crowd_of(self, SINEW_CROWD_ACTIVE);
  const bool some_held = bounded && box_any_held(self);
  step->mu = *mu;
  step->ridge = lane_of(-1.0);
  step->ridges = false;
  for (int attempt = 0; attempt < CROWD_ATTEMPTS; ++attempt) {
    if (self->plan->trunk_count > 0) {
      trunk_eliminate(self, step, with, held, bounded);
    } else {
      eliminate_all(self, step, held, some_held);
    }
    const lane_mask failed = mask_and(self->moving, step->failed);
    if (mask_bits(failed) == 0) {
      break;
    }
    const lane more = lane_fma(lane_of(2.0), step->mu, lane_of(CROWD_RAISE));
    step->mu = lane_select(failed, more, step->mu);
  }
  newton_substitute(self, step, ridge, some_held);
  *mu = step->mu;
}

// x of inactive bounds; at active ones x + g - (H + mu I) x, the step of the model's gradient.
LANE void newton_unconstrained(const crowd *self, const newton *step) {
  const int n = self->plan->lanes.active_count;
  const lane *held = crowd_of(self, SINEW_CROWD_ACTIVE), *x = crowd_of(self, SINEW_CROWD_X);
  lane *unconstrained = crowd_of(self, SINEW_CROWD_UNCONSTRAINED);
  if (!box_any_held(self)) {
    memcpy(unconstrained, x, (size_t)n * sizeof *x);
    return;
  }
  for (int column = 0; column < n; ++column) {
    const lane rest = lane_keep(mask_not(bound_is_inactive(held[column])), step->rest[column]);
    unconstrained[column] = x[column] + rest;
  }
}

LANE newton newton_of(const crowd *self, sinew_crowd_array second) {
  return (newton){.u = crowd_of(self, SINEW_CROWD_J),
                  .v = crowd_of(self, second),
                  .g = crowd_of(self, SINEW_CROWD_GRADIENT),
                  .x = crowd_of(self, SINEW_CROWD_X),
                  .rest = crowd_of(self, SINEW_CROWD_UNCONSTRAINED),
                  .P = (lane_tile *)(void *)crowd_of(self, SINEW_CROWD_A),
                  .z = crowd_of(self, SINEW_CROWD_Z),
                  .schur = crowd_of(self, SINEW_CROWD_SCHUR),
                  .pivot = crowd_of(self, SINEW_CROWD_PIVOT),
                  .y = crowd_of(self, SINEW_CROWD_Y),
                  .off = crowd_of(self, SINEW_CROWD_OFF_DIAGONAL),
                  .w = crowd_of(self, SINEW_CROWD_W),
                  .curvature_share = self->curvature_share,
                  .touched = self->plan->touched};
}

LANE trunk trunk_of(const crowd *self) {
  return (trunk){.S = crowd_of(self, SINEW_CROWD_TRUNK),
                 .limb_active = crowd_of(self, SINEW_CROWD_LIMB_ACTIVE),
                 .begun = false};
}

// Fills x within the box, from the working set that it has been begun with; mu becomes the damping
// that was needed.
LANE_APART void newton_boxed(const crowd *self, sinew_crowd_array second, lane *mu, double ridge) {
  // With a steady H the damping does not fall, and there is no step along negative curvature.
  const lane initial = *mu, zero = lane_of(0.0);
  newton step = newton_of(self, second);
  trunk with = trunk_of(self);
  lane before, largest = zero;
  box_progress progress;
  box_begin(&progress);
  do {
    before = *mu = lane_select(progress.steady, largest, initial);
    newton_solve(self, &step, &with, mu, lane_select(progress.steady, zero, lane_of(ridge)), true);
    largest = lane_max(largest, *mu);
    newton_unconstrained(self, &step);
  } while (box_continues(self, &progress, lane_less(before, *mu)));
}

// Fills x, the step, within the box if there is one; mu becomes the damping that was needed.
LANE void crowd_newton(const crowd *self, lane *mu, double ridge, bool bounded) {
  if (bounded) {
    box_take_set(self); // that of the predictor
    newton_boxed(self, SINEW_CROWD_V, mu, ridge);
  } else {
    newton step = newton_of(self, SINEW_CROWD_V);
    trunk with = trunk_of(self);
    newton_solve(self, &step, &with, mu, lane_of(ridge), false);
  }
  crowd_apply_gains(self);
}

#endif
