// Figures far from their targets, brought near them by long prismatic joints: solve/slides.c in
// lanes.
#ifndef SINEW_KERNEL_CROWD_SLIDES_H
#define SINEW_KERNEL_CROWD_SLIDES_H

#include "kernel/crowd_apply.h"
#include "kernel/crowd_dls.h"
#include "policy/rules.h"

// The figures with a point further than so many sizes from its target.
LANE lane_mask crowd_is_far(const crowd *self, lane sizes) {
  return lane_less(sizes * lane_of(self->plan->lanes.size), self->position_error);
}

// Of the Jacobian, the columns of long prismatic joints; those of joints that are at a limit which
// the gradient points beyond are 0, unless it is the first step.
LANE const lane *crowd_slide_columns(const crowd *self, bool first) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *J = crowd_of(self, SINEW_CROWD_J), *g = crowd_of(self, SINEW_CROWD_GRADIENT);
  lane *columns = crowd_of(self, SINEW_CROWD_J_INACTIVE);
  const lane zero = lane_of(0.0);
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    lane_mask moves = plan->slides[column] != 0 ? mask_all() : mask_of_bits(0);
    if (plan->slides[column] != 0 && !first) {
      const lane q = lane_load(self->block->q + plan->lanes.q_of_column[column] * SINEW_LANES);
      const lane_mask low = lane_less_equal(q, lane_of(plan->lower[column]));
      const lane_mask high = lane_less_equal(lane_of(plan->upper[column]), q);
      moves = mask_not(mask_or(mask_and(low, lane_less(g[column], zero)),
                               mask_and(high, lane_less(zero, g[column]))));
    }
    for (int t = plan->incidence_start[column]; t < plan->incidence_start[column + 1]; ++t) {
      const int at = plan->incidences[t].value;
      for (int i = 0; i < 3; ++i) {
        columns[at + i] = lane_select(moves, J[at + i], zero);
      }
    }
  }
  return columns;
}

// Moves q by x for the figures that move. Returns those where a limit was in the way, or whose step
// was so long that its rounding and damping left an error.
LANE lane_mask crowd_slide(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  const lane *x = crowd_of(self, SINEW_CROWD_X);
  lane_mask again = mask_of_bits(0);
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    if (plan->slides[column] == 0) {
      continue;
    }
    double *values = self->block->q + plan->lanes.q_of_column[column] * SINEW_LANES;
    const lane q = lane_load(values);
    const lane wanted = lane_fma(x[column], lane_of(plan->unit[column]), q);
    const lane inside =
        lane_min(lane_max(wanted, lane_of(plan->lower[column])), lane_of(plan->upper[column]));
    const lane_mask stopped = mask_or(lane_less(wanted, inside), lane_less(inside, wanted));
    again = mask_or(again, mask_or(stopped, lane_less(lane_of(SLIDE_LONG), lane_abs(x[column]))));
    lane_store(values, lane_select(self->moving, inside, q));
  }
  return mask_and(self->moving, again);
}

// Poses and residual afterwards are those of the new q; the errors of the update stay. Where it is
// not inlined, updates take 3 % more instructions: self must be in memory then.
LANE_APART void crowd_bring_near(crowd *self, lane_mask far) {
  const int rows = self->plan->lanes.row_count;
  const bool timed = self->plan->time_step > 0.0;
  lane *right = crowd_of(self, SINEW_CROWD_RIGHT), *x = crowd_of(self, SINEW_CROWD_X);
  self->moving = far;
  for (int pass = 0; mask_bits(self->moving) != 0 && pass < SLIDE_STEPS; ++pass) {
    const lane *e = crowd_of(self, SINEW_CROWD_E);
    crowd_columns(self);
    crowd_gradient(self, crowd_of(self, SINEW_CROWD_J), e, crowd_of(self, SINEW_CROWD_GRADIENT));
    const lane *columns = crowd_slide_columns(self, pass == 0);
    memcpy(right, e, (size_t)rows * sizeof *right);
    crowd_solve_rows(self, columns, lane_of(SLIDE_DAMPING), right);
    crowd_gradient(self, columns, right, x);
    crowd_apply_gains(self);
    const lane_mask again = crowd_slide(self);
    evaluate_poses(self);
    crowd_residual(self);
    self->moving =
        timed ? mask_of_bits(0) : mask_and(again, crowd_is_far(self, lane_of(SLIDE_FAR)));
  }
  self->moving = mask_all();
}

#endif
