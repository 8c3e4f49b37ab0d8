// The second-order term at the predicted residual, for a crowd's Newton step: problem/curvature.c
// in lanes. With the residual e' and the axis w of a column (u; w):
//
//   v = (u + w x e'; J_l(r')^-1 w),   r' the angular part of e', J_l the left Jacobian of SO(3)
#ifndef SINEW_KERNEL_CROWD_EXPECT_H
#define SINEW_KERNEL_CROWD_EXPECT_H

#include "kernel/crowd_composite.h"

// The predicted residual.
typedef struct crowd_prediction {
  lane ratio;       // its norm over |e|
  lane first_order; // the norm of its rows of tasks whose curvature is not part of H
} crowd_prediction;

// The error after the step: the share that the step does not aim at, and the predicted residual.
LANE void left_of(const lane *error, lane share, const lane *left, double weight, lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(share, error[i], lane_of(1.0 / weight) * left[i]);
  }
}

// What the columns of the trunk by twists are in V: e', r' and K = o J_l(r')^-1, row-major.
LANE void keep_second(const crowd *self, int t, const lane error[3], const lane_inverse *inverse) {
  const lane o = lane_of(self->plan->lanes.effectors[t].orientation_weight);
  lane *second = crowd_of(self, SINEW_CROWD_SECOND) + SINEW_CROWD_SECOND_VALUES * t;
  lanes_copy(3, error, second);
  lanes_copy(3, inverse->r, second + 3);
  for (int j = 0; j < 3; ++j) {
    const lane axis[3] = {lane_of(j == 0), lane_of(j == 1), lane_of(j == 2)};
    lane column[3];
    inverse_apply(inverse, axis, column);
    for (int i = 0; i < 3; ++i) {
      second[6 + 3 * i + j] = o * column[i];
    }
  }
}

// v of a whole point or pose.
LANE void expect_effector(const crowd *self, int t) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[t];
  const lane *left = crowd_of(self, SINEW_CROWD_PREDICTED) + effector->row;
  const lane *J = crowd_of(self, SINEW_CROWD_J) + effector->value_start;
  lane *V = crowd_of(self, SINEW_CROWD_V) + effector->value_start;
  const lane share = lane_of(1.0) - self->error_gain;
  const double weight = effector->position_weight;
  lane error[3], turn[3];
  lane_inverse inverse = {{lane_of(0.0)}, lane_of(0.0)};
  left_of(crowd_of(self, SINEW_CROWD_ERRORS) + 3 * t, share, left, weight, error);
  if (effector->angular) {
    left_of(crowd_of(self, SINEW_CROWD_ROTATIONS) + 3 * t, share, left + 3,
            effector->orientation_weight, turn);
    inverse = left_jacobian_inverse(turn);
  }
  int first = 0; // the first column that V has
  if (limb_has_twists(&self->plan->limbs[t])) {
    first = self->plan->limbs[t].trunk_count;
    keep_second(self, t, error, &inverse);
  }
  for (int c = 0; c < effector->entry_count; ++c) {
    const sinew_lane_entry *entry = &lanes->entries[effector->entry_start + c];
    const sinew_lane_node *node = &lanes->nodes[entry->node];
    const int at = entry->k * effector->row_count;
    if (entry->k < first) {
      continue;
    }
    if (!self->plan->own[entry->node] || node->kind == SINEW_NODE_PRISMATIC) {
      lanes_copy(effector->row_count, J + at, V + at);
      continue;
    }
    const double times = weight * entry->ratio; // without coupling the ratio is the gain
    lane axis[3], moved[3];
    entry_axis(self, entry, axis);
    cross3(axis, error, moved);
    for (int i = 0; i < 3; ++i) {
      V[at + i] =
          times == 1.0 ? J[at + i] + moved[i] : lane_fma(lane_of(times), moved[i], J[at + i]);
    }
    if (effector->angular) {
      inverse_apply(&inverse, axis, moved);
      column_put(false, effector->orientation_weight * entry->ratio, moved, V + at + 3);
    }
  }
}

// The same for a point moved by revolute joints only.
LANE void expect_plain(const crowd *self, int t) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[t];
  const sinew_lane_entry *entries = lanes->entries + effector->entry_start;
  const lane *J = crowd_of(self, SINEW_CROWD_J) + effector->value_start;
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  lane *V = crowd_of(self, SINEW_CROWD_V) + effector->value_start;
  lane error[3];
  left_of(crowd_of(self, SINEW_CROWD_ERRORS) + 3 * t, lane_of(1.0) - self->error_gain,
          crowd_of(self, SINEW_CROWD_PREDICTED) + effector->row, 1.0, error);
  for (int c = 0; c < effector->entry_count; ++c) {
    const int at = 3 * entries[c].k;
    lane moved[3];
    cross3(poses + 12 * entries[c].node + 6, error, moved);
    for (int i = 0; i < 3; ++i) {
      V[at + i] = J[at + i] + moved[i];
    }
  }
}

// Fills V for the predicted residual.
LANE crowd_prediction crowd_expect(const crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  const lane zero = lane_of(0.0);
  const lane *J = crowd_of(self, SINEW_CROWD_J), *e = crowd_of(self, SINEW_CROWD_E);
  const lane *left = crowd_of(self, SINEW_CROWD_PREDICTED);
  lane *V = crowd_of(self, SINEW_CROWD_V);
  lane before = zero, after = zero, first_order = zero;
  for (int t = 0; t < plan->lanes.effector_count; ++t) {
    const sinew_lane_effector *effector = &plan->lanes.effectors[t];
    for (int i = effector->row; i < effector->row + effector->row_count; ++i) {
      before = lane_fma(e[i], e[i], before);
      after = lane_fma(left[i], left[i], after);
      first_order = plan->known[t] ? first_order : lane_fma(left[i], left[i], first_order);
    }
    if (plan->plain[t]) { // fills all values
      expect_plain(self, t);
      continue;
    }
    const bool curved = effector->linear && !effector->general && effector->row_count > 0;
    if (!curved || plan->added[t]) { // else each column has an entry, which fills it
      memcpy(V + effector->value_start, J + effector->value_start,
             (size_t)(effector->row_count * effector->column_count) * sizeof *V);
    }
    if (curved) {
      expect_effector(self, t);
    }
  }
  const lane_mask some = lane_less(zero, before);
  const lane share = lane_sqrt(after / lane_select(some, before, lane_of(1.0)));
  return (crowd_prediction){lane_select(some, lane_min(share, lane_of(1.0)), zero),
                            lane_sqrt(first_order)};
}

#endif
