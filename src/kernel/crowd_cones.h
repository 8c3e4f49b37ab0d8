// Limits of swing and twist in a crowd's step: solve/cones.h in lanes. The formulas are those of
// math/cone_step.h.
#ifndef SINEW_KERNEL_CROWD_CONES_H
#define SINEW_KERNEL_CROWD_CONES_H

#include "kernel/crowd_rotations.h"
#include "math/cone_motion.h"
#include "policy/gradient.h"

_Static_assert(sizeof(lane_cone_step) == SINEW_CROWD_CONE_VALUES * sizeof(lane), "crowd.h");

LANE lane_cone_step *crowd_cone_step(const crowd *self, int k) {
  return (lane_cone_step *)(void *)crowd_of(self, SINEW_CROWD_CONE_STEPS) + k;
}

// The axes of a cone at q, of which the poses are known: before the columns. Limits further than
// far [rad] may be left out.
LANE_APART void crowd_cone_begin(const crowd *self, int k, lane far) {
  const sinew_crowd_cone *cone = &self->plan->cones[k];
  lane_cone_step *step = crowd_cone_step(self, k);
  const lane *pose = crowd_of(self, SINEW_CROWD_POSES) + 12 * cone->node;
  lane *axes = crowd_of(self, SINEW_CROWD_CONE_AXES) + 9 * k;
  lane_cone_step_set(step, cone->limits, crowd_unit(self, cone->q), far);
  for (int i = 0; i < 3; ++i) {
    rotate_by(pose, step->axis[i], axes + 3 * i);
  }
}

// Their bounds, within what speeds allow.
LANE_APART void crowd_cones_bound(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  const lane far = lane_of(INFINITY);
  for (int k = 0; k < plan->cone_count; ++k) {
    const lane_cone_step *step = crowd_cone_step(self, k);
    const int column = plan->cones[k].column;
    const double *reach = plan->reach + column;
    const lane most = lane_of(sinew_min(reach[0], sinew_min(reach[1], reach[2]))) * self->part;
    const lane low[3] = {-far, step->down, -far}, high[3] = {step->most, step->up, far};
    for (int i = 0; i < 3; ++i) {
      const lane inverse = lane_of(plan->inverse_scale[column + i]);
      crowd_of(self, SINEW_CROWD_LOWER)[column + i] =
          inverse * lane_min(lane_max(low[i], -most), most);
      crowd_of(self, SINEW_CROWD_UPPER)[column + i] =
          inverse * lane_min(lane_max(high[i], -most), most);
    }
  }
}

// x: from the axes of cones to those of the joints.
LANE_APART void crowd_cones_to_joints(const crowd *self) {
  lane *all = crowd_of(self, SINEW_CROWD_X);
  for (int k = 0; k < self->plan->cone_count; ++k) {
    lane *x = all + self->plan->cones[k].column;
    const lane y[3] = {x[0], x[1], x[2]};
    lane_cone_step_combine(crowd_cone_step(self, k), y, x);
  }
}

// ------------------------------------------------------------------- damping

// Where the gradient presses the joint against limit i, 0 or 1.
LANE lane_mask cone_is_pressed(const crowd *self, int k, int i) {
  const lane_cone_step *step = crowd_cone_step(self, k);
  const lane zero = lane_of(0.0), near = lane_of(SINEW_CONE_PRESSED);
  const lane g = crowd_of(self, SINEW_CROWD_GRADIENT)[self->plan->cones[k].column + i];
  const lane_mask above =
      mask_and(lane_less(zero, g), lane_less(i == 0 ? step->most : step->up, near));
  return i == 0 ? above
                : mask_or(above, mask_and(lane_less(g, zero), lane_less(-near, step->down)));
}

// Multiplies a column by s: y is then 1 / s times as large.
LANE void cone_scale_column(const crowd *self, int k, int i, lane s) {
  const sinew_crowd_plan *plan = self->plan;
  lane_cone_step *step = crowd_cone_step(self, k);
  const int column = plan->cones[k].column + i;
  const lane inverse = lane_of(1.0) / s;
  lane *J = crowd_of(self, SINEW_CROWD_J), *gradient = crowd_of(self, SINEW_CROWD_GRADIENT);
  lane *lower = crowd_of(self, SINEW_CROWD_LOWER), *upper = crowd_of(self, SINEW_CROWD_UPPER);
  for (int t = plan->incidence_start[column]; t < plan->incidence_start[column + 1]; ++t) {
    cone_scale(s, J + plan->incidences[t].value);
  }
  cone_scale(s, step->axis[i]);
  cone_scale(inverse, step->row[i]);
  cone_scale(s, crowd_of(self, SINEW_CROWD_CONE_AXES) + 9 * k + 3 * i);
  gradient[column] = s * gradient[column];
  lower[column] = inverse * lower[column];
  upper[column] = inverse * upper[column];
}

// Damps motions along limits that joints are pressed against, for the damping mu of the step.
// Returns the largest share of that in a column's damping.
LANE_APART lane crowd_cones_damp(const crowd *self, lane mu) {
  const lane zero = lane_of(0.0), one = lane_of(1.0);
  lane most = zero;
  for (int k = 0; k < self->plan->cone_count; ++k) {
    const lane_mask none = mask_of_bits(0);
    const lane_mask blocked[3] = {cone_is_pressed(self, k, 0), cone_is_pressed(self, k, 1), none};
    if (mask_bits(mask_and(self->moving, mask_or(blocked[0], blocked[1]))) == 0) {
      continue;
    }
    const lane *g = crowd_of(self, SINEW_CROWD_GRADIENT) + self->plan->cones[k].column;
    lane damping[3] = {zero, zero, zero};
    lane_cone_step_damp(crowd_cone_step(self, k), blocked, g, damping);
    for (int i = 0; i < 3; ++i) {
      const lane_mask damped = mask_and(mask_not(blocked[i]), lane_less(zero, damping[i]));
      if (mask_bits(damped) != 0) {
        most = lane_max(most, lane_keep(damped, damping[i]));
        cone_scale_column(self, k, i, lane_select(damped, lane_sqrt(mu / (mu + damping[i])), one));
      }
    }
  }
  return most / (mu + most);
}

// The square of the norm of the free gradient without what presses joints against limits; square:
// with what presses them against those that they have not quite reached.
LANE_APART lane crowd_cones_free_gradient(const crowd *self, lane square) {
  for (int k = 0; k < self->plan->cone_count; ++k) {
    for (int i = 0; i < 2; ++i) {
      const int column = self->plan->cones[k].column + i;
      const lane part = gradient_free(crowd_of(self, SINEW_CROWD_GRADIENT)[column],
                                      crowd_of(self, SINEW_CROWD_LOWER)[column],
                                      crowd_of(self, SINEW_CROWD_UPPER)[column]);
      square = square - lane_keep(cone_is_pressed(self, k, i), part * part);
    }
  }
  return lane_max(square, lane_of(0.0));
}

// --------------------------------------------------------------------- motion

// Which steps are along limits, before motions are carried on and limited.
LANE void crowd_cones_note(const crowd *self) {
  for (int k = 0; k < self->plan->cone_count; ++k) {
    lane_cone_step_note(crowd_cone_step(self, k),
                        crowd_of(self, SINEW_CROWD_X) + self->plan->cones[k].column);
  }
}

// sinew_cones_clamp() of one cone; last: its last motion less what the part has moved; most: the
// largest change.
LANE_APART void crowd_cone_clamp(const crowd *self, int k, const lane last[3], bool fresh,
                                 lane most) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_cone *cone = &plan->cones[k];
  lane_cone_motion of = {.cone = cone->limits, .step = crowd_cone_step(self, k), .most = most};
  lanes_copy(4, crowd_unit(self, cone->q), of.q);
  for (int i = 0; i < 3; ++i) {
    const int column = cone->column + i;
    const lane gain = lane_of(plan->lanes.gain[column]);
    of.lower[i] = gain * crowd_of(self, SINEW_CROWD_LOWER)[column];
    of.upper[i] = gain * crowd_of(self, SINEW_CROWD_UPPER)[column];
    of.moved[i] = fresh ? lane_of(0.0) : crowd_of(self, SINEW_CROWD_MOVED)[column];
    of.last[i] = of.moved[i] + last[i];
  }
  lane_cone_limit_motion(&of, self->moving, crowd_of(self, SINEW_CROWD_X) + cone->column);
}

#endif
