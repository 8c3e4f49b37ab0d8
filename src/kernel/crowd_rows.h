// A crowd's rows: residuals and columns, as task/ computes them for one figure.
#ifndef SINEW_KERNEL_CROWD_ROWS_H
#define SINEW_KERNEL_CROWD_ROWS_H

#include "kernel/crowd_poses.h"

// -------------------------------------------------------------- residuals

// R^T v for a constant R.
LANE void rotate_back(const double R[9], const lane v[3], lane out[3]) {
  for (int i = 0; i < 3; ++i) {
    out[i] =
        lane_fma(lane_of(R[i]), v[0], lane_fma(lane_of(R[3 + i]), v[1], lane_of(R[6 + i]) * v[2]));
  }
}

// A point from the root link's origin, drawn inward where it is beyond reach (task/extent.c).
LANE void draw_inward(const sinew_lane_plan *lanes, const sinew_lane_effector *effector,
                      lane t[3]) {
  const lane square = dot3(t, t), most = lane_of(effector->farthest / lanes->size);
  if (mask_bits(lane_less_equal(square, most * most)) !=
      mask_bits(lane_less(lane_of(0.0), lane_of(1.0)))) {
    lane largest = lane_max(lane_abs(t[0]), lane_max(lane_abs(t[1]), lane_abs(t[2])));
    largest = lane_max(largest, lane_of(1.0)); // squares of very large numbers overflow
    const lane u[3] = {t[0] / largest, t[1] / largest, t[2] / largest};
    const lane length = lane_sqrt(dot3(u, u));
    const lane_mask far = mask_not(lane_less_equal(largest * length, most));
    for (int i = 0; i < 3; ++i) {
      t[i] = lane_select(far, most / length * u[i], t[i]);
    }
  }
}

// The target's position of effector t in the plan's frame and unit.
LANE void target_position(const crowd *self, int t, lane out[3]) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[t];
  const double *values = self->targets + self->plan->position_start[t] * SINEW_LANES;
  const lane unit = lane_of(1.0 / lanes->size);
  lane p[3];
  for (int i = 0; i < 3; ++i) {
    p[i] = unit * lane_load(values + i * SINEW_LANES);
  }
  if (effector->relative) {
    const lane *frame = crowd_of(self, SINEW_CROWD_FRAMES) + 12 * t;
    rotate_by(frame, p, out);
    for (int i = 0; i < 3; ++i) {
      out[i] = out[i] + (frame[9 + i] - lane_of(lanes->root_p[i]));
    }
    draw_inward(lanes, effector, out);
    for (int i = 0; i < 3; ++i) {
      out[i] = out[i] + lane_of(lanes->root_p[i]);
    }
    return;
  }
  draw_inward(lanes, effector, p);
  for (int i = 0; i < 3; ++i) {
    p[i] = p[i] - lane_of(lanes->base_p[i] / lanes->size);
  }
  rotate_back(lanes->base_R, p, out);
}

// The rotation vector of an effector: r = log(D R^T), R the node's axes and D those that bring the
// tip's axes onto the target's, D = base_R^T Q tip^T, or D = F Q tip^T with the axes F of the
// target's frame. Returns its length.
LANE lane target_turn(const crowd *self, int t, const lane *pose, lane r[3]) {
  const sinew_lane_effector *effector = &self->plan->lanes.effectors[t];
  const double *values = self->targets + self->plan->rotation_start[t] * SINEW_LANES;
  lane q[4], Q[9], turn[9], D[3][3];
  for (int i = 0; i < 4; ++i) {
    q[i] = lane_load(values + i * SINEW_LANES);
  }
  lane_quaternion_unit(q);
  lane_quaternion_matrix(q, Q);
  for (int j = 0; j < 3; ++j) { // column j of Q tip^T, in the plan's frame
    lane column[3];
    for (int i = 0; i < 3; ++i) {
      column[i] = lane_fma(Q[3 * i], lane_of(effector->R[3 * j]),
                           lane_fma(Q[3 * i + 1], lane_of(effector->R[3 * j + 1]),
                                    Q[3 * i + 2] * lane_of(effector->R[3 * j + 2])));
    }
    if (effector->relative) {
      rotate_by(crowd_of(self, SINEW_CROWD_FRAMES) + 12 * t, column, D[j]);
    } else {
      rotate_back(self->plan->lanes.base_R, column, D[j]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      turn[3 * i + j] =
          lane_fma(D[0][i], pose[j], lane_fma(D[1][i], pose[3 + j], D[2][i] * pose[6 + j]));
    }
  }
  return lane_rotation_log(turn, r);
}

// An effector's point.
LANE void effector_tip(const crowd *self, const sinew_lane_effector *effector, const lane *pose,
                       lane tip[3]) {
  if (effector->mass) {
    memcpy(tip, crowd_of(self, SINEW_CROWD_CENTRES) + 3 * self->plan->lanes.node_count,
           3 * sizeof *tip);
    return;
  }
  place_point(pose, effector->p, tip);
}

// Fills tips, errors and rows for the step's targets, E and the largest errors of each figure.
LANE_APART void crowd_residual(crowd *self) {
  const sinew_crowd_plan *plan = self->plan;
  lane position = lane_of(0.0), orientation = position, sum = position;
  lane *row = crowd_of(self, SINEW_CROWD_E);
  if (plan->relative) {
    crowd_frames(self);
  }
  if (plan->lanes.mass) {
    crowd_centres(self);
  }
  for (int t = 0; t < plan->lanes.effector_count; ++t) {
    const sinew_lane_effector *effector = &plan->lanes.effectors[t];
    const lane *pose = crowd_pose(self, effector->node); // not read where it is the centre of mass
    if (effector->linear) {
      lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t;
      lane *error = crowd_of(self, SINEW_CROWD_ERRORS) + 3 * t;
      lane goal[3];
      target_position(self, t, goal);
      effector_tip(self, effector, pose, tip);
      for (int i = 0; i < 3; ++i) {
        error[i] = goal[i] - tip[i];
        *row++ = lane_of(effector->position_weight) * error[i];
      }
      const lane square = dot3(error, error);
      position = lane_max(position, square);
      sum = lane_fma(lane_of(effector->position_weight * effector->position_weight), square, sum);
    }
    if (effector->angular) {
      lane *turn = crowd_of(self, SINEW_CROWD_ROTATIONS) + 3 * t;
      const lane angle = target_turn(self, t, pose, turn);
      for (int i = 0; i < 3; ++i) {
        *row++ = lane_of(effector->orientation_weight) * turn[i];
      }
      orientation = lane_max(orientation, angle);
      sum = lane_fma(lane_of(effector->orientation_weight * effector->orientation_weight),
                     angle * angle, sum);
    }
  }
  self->E = lane_of(0.5) * sum;
  self->position_error = lane_of(plan->lanes.size) * lane_sqrt(position);
  self->orientation_error = orientation;
}

// The share of the error that the step is to remove.
LANE void crowd_scale_errors(const crowd *self) {
  lane *e = crowd_of(self, SINEW_CROWD_E);
  for (int i = 0; self->plan->rules.error_gain != 1.0 && i < self->plan->lanes.row_count; ++i) {
    e[i] = self->error_gain * e[i];
  }
}

// ---------------------------------------------------------------- columns

// The axis of an entry: of its node's moved frame or, for a spherical joint in root-frame
// coordinates, of the root link's frame, or of its limits of swing and twist, expressed in the
// plan's.
LANE void entry_axis(const crowd *self, const sinew_lane_entry *entry, lane axis[3]) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const lane *pose = crowd_of(self, SINEW_CROWD_POSES) + 12 * entry->node;
  const bool spherical = lanes->nodes[entry->node].kind == SINEW_NODE_SPHERICAL;
  const bool free = self->plan->free[entry->node] != 0;
  const int cone = spherical ? self->plan->cone_of_node[entry->node] : -1;
  if (cone >= 0) {
    lanes_copy(3, crowd_of(self, SINEW_CROWD_CONE_AXES) + 9 * cone + 3 * entry->i, axis);
    return;
  }
  for (int k = 0; k < 3; ++k) {
    axis[k] =
        free ? lane_of(lanes->base_R[3 * entry->i + k]) : pose[(spherical ? 3 * entry->i : 6) + k];
  }
}

// One entry's term of a column at the point s: linear and angular, times the entry's ratio.
LANE void entry_column(const sinew_lane_node *node, double times, const lane *pose,
                       const lane axis[3], const lane s[3], lane linear[3], lane angular[3]) {
  const lane ratio = lane_of(times), zero = lane_of(0.0);
  if (node->kind == SINEW_NODE_PRISMATIC) {
    for (int k = 0; k < 3; ++k) {
      linear[k] = ratio * axis[k];
      angular[k] = zero;
    }
    return;
  }
  const lane arm[3] = {s[0] - pose[9], s[1] - pose[10], s[2] - pose[11]};
  cross3(axis, arm, linear);
  for (int k = 0; k < 3; ++k) {
    angular[k] = axis[k];
  }
  if (node->kind == SINEW_NODE_SCREW) {
    add_scaled(lane_of(node->pitch), axis, linear);
  }
  if (times != 1.0) {
    for (int k = 0; k < 3; ++k) {
      linear[k] = ratio * linear[k];
      angular[k] = ratio * angular[k];
    }
  }
}

// out = J^-1 v, J the left Jacobian of SO(3) at r: v - r x v / 2 + d r x (r x v), with
// d = (1 - (t/2) cot(t/2)) / t^2, its series for small t. See math/rotation.c.
typedef struct lane_inverse {
  lane r[3], d;
} lane_inverse;

LANE lane_inverse left_jacobian_inverse(const lane r[3]) {
  lane_inverse out;
  const lane t2 = dot3(r, r), one = lane_of(1.0);
  const lane half = lane_of(0.5) * lane_sqrt(t2);
  lane s, c;
  lane_sincos(half, &s, &c);
  lane series = lane_fma(t2, lane_of(691.0 / 1307674368000.0), lane_of(1.0 / 47900160));
  series = lane_fma(t2, series, lane_of(1.0 / 1209600));
  series = lane_fma(t2, series, lane_of(1.0 / 30240));
  series = lane_fma(t2, series, lane_of(1.0 / 720));
  series = lane_fma(t2, series, lane_of(1.0 / 12));
  const lane_mask small = lane_less(t2, lane_of(0.09));
  const lane closed = (one - half * c / lane_select(small, one, s)) / lane_select(small, one, t2);
  for (int i = 0; i < 3; ++i) {
    out.r[i] = r[i];
  }
  out.d = lane_select(small, series, closed);
  return out;
}

LANE void inverse_apply(const lane_inverse *inverse, const lane v[3], lane out[3]) {
  lane a[3], b[3];
  cross3(inverse->r, v, a);
  cross3(inverse->r, a, b);
  for (int i = 0; i < 3; ++i) {
    out[i] = lane_fma(inverse->d, b[i], lane_fnma(lane_of(0.5), a[i], v[i]));
  }
}

// The inverse right Jacobian of an effector's rotation vector: the left one of -r.
LANE lane_inverse right_jacobian_inverse(const crowd *self, int t) {
  const lane *turn = crowd_of(self, SINEW_CROWD_ROTATIONS) + 3 * t;
  const lane backward[3] = {-turn[0], -turn[1], -turn[2]};
  return left_jacobian_inverse(backward);
}

// Stores three rows of a column, or adds them to the values stored.
LANE void column_put(bool add, double weight, const lane v[3], lane *out) {
  for (int i = 0; i < 3; ++i) {
    const lane value = weight == 1.0 ? v[i] : lane_of(weight) * v[i];
    out[i] = add ? out[i] + value : value;
  }
}

LANE void crowd_columns_of(const crowd *self, int t, bool add) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[t];
  const sinew_lane_entry *entries = lanes->entries + effector->entry_start;
  const lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t;
  lane *J = crowd_of(self, SINEW_CROWD_J) + effector->value_start;
  for (int i = 0; add && i < effector->row_count * effector->column_count; ++i) {
    J[i] = lane_of(0.0);
  }
  for (int c = 0; c < effector->entry_count; ++c) {
    const sinew_lane_entry *entry = &entries[c];
    const sinew_lane_node *node = &lanes->nodes[entry->node];
    const lane *pose = crowd_of(self, SINEW_CROWD_POSES) + 12 * entry->node;
    lane *out = J + entry->k * effector->row_count;
    lane axis[3], linear[3], angular[3];
    entry_axis(self, entry, axis);
    entry_column(node, entry->ratio, pose, axis, tip, linear, angular);
    if (effector->linear) {
      column_put(add, effector->position_weight, linear, out);
      out += 3;
    }
    if (effector->angular) {
      column_put(add, effector->orientation_weight, angular, out);
    }
  }
}

// The same for targets that are relative to a link, or of the centre of mass.
LANE void crowd_columns_general(const crowd *self, int t, bool add) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[t];
  const sinew_lane_entry *entries = lanes->entries + effector->entry_start;
  const lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t;
  lane *J = crowd_of(self, SINEW_CROWD_J) + effector->value_start;
  lane_inverse inverse = {{lane_of(0.0)}, lane_of(0.0)};
  if (effector->angular) {
    inverse = right_jacobian_inverse(self, t);
  }
  for (int i = 0; add && i < effector->row_count * effector->column_count; ++i) {
    J[i] = lane_of(0.0);
  }
  for (int c = 0; c < effector->entry_count; ++c) {
    const sinew_lane_entry *entry = &entries[c];
    const lane *pose = crowd_of(self, SINEW_CROWD_POSES) + 12 * entry->node;
    const lane *s = entry->centre ? crowd_of(self, SINEW_CROWD_CENTRES) + 3 * entry->node : tip;
    lane *out = J + entry->k * effector->row_count;
    lane axis[3], linear[3], angular[3], turned[3];
    entry_axis(self, entry, axis);
    entry_column(&lanes->nodes[entry->node], entry->ratio, pose, axis, s, linear, angular);
    if (effector->linear) {
      column_put(add, effector->position_weight, linear, out);
      out += 3;
    }
    if (effector->angular) {
      inverse_apply(&inverse, angular, turned);
      column_put(add, effector->orientation_weight, turned, out);
    }
  }
}

// The same for a point of weight 1 moved by revolute joints only.
LANE void crowd_columns_plain(const crowd *self, int t) {
  const sinew_lane_plan *lanes = &self->plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[t];
  const sinew_lane_entry *entries = lanes->entries + effector->entry_start;
  const lane *poses = crowd_of(self, SINEW_CROWD_POSES);
  const lane *tip = crowd_of(self, SINEW_CROWD_TIPS) + 3 * t;
  const lane s[3] = {tip[0], tip[1], tip[2]};
  lane *J = crowd_of(self, SINEW_CROWD_J) + effector->value_start;
  for (int c = 0; c < effector->entry_count; ++c) {
    const lane *pose = poses + 12 * entries[c].node;
    const lane arm[3] = {s[0] - pose[9], s[1] - pose[10], s[2] - pose[11]};
    cross3(pose + 6, arm, J + 3 * entries[c].k);
  }
}

LANE void crowd_columns(const crowd *self) {
  for (int t = 0; t < self->plan->lanes.effector_count; ++t) {
    if (self->plan->plain[t]) {
      crowd_columns_plain(self, t);
    } else if (self->plan->lanes.effectors[t].general) {
      crowd_columns_general(self, t, self->plan->added[t] != 0);
    } else {
      crowd_columns_of(self, t, self->plan->added[t] != 0);
    }
  }
}

// values_slot . a over all rows
LANE lane crowd_dot_column(const crowd *self, const lane *values, int active_column,
                           const lane *a) {
  const sinew_crowd_plan *plan = self->plan;
  lane sum = lane_of(0.0);
  for (int t = plan->incidence_start[active_column]; t < plan->incidence_start[active_column + 1];
       ++t) {
    const lane *v = values + plan->incidences[t].value, *b = a + 3 * plan->incidences[t].tile;
    sum = lane_fma(v[0], b[0], lane_fma(v[1], b[1], lane_fma(v[2], b[2], sum)));
  }
  return sum;
}

// out = values^T a.
LANE void crowd_gradient(const crowd *self, const lane *values, const lane *a, lane *out) {
  const sinew_crowd_plan *plan = self->plan;
  for (int r = 0; r < plan->segment_count; ++r) {
    const int first = plan->segments[r].first, end = first + plan->segments[r].count;
    const sinew_crowd_incidence *incidences = plan->incidences + plan->incidence_start[first];
    const int count = plan->incidence_start[first + 1] - plan->incidence_start[first];
    for (int t = 0; t < count; ++t) {
      const lane *v = values + incidences[t].value, *b = a + 3 * incidences[t].tile;
      const lane b0 = b[0], b1 = b[1], b2 = b[2];
      for (int active_column = first; active_column < end;
           ++active_column, v += incidences[t].stride) {
        const lane sum = t == 0 ? v[0] * b0 : lane_fma(v[0], b0, out[active_column]);
        out[active_column] = lane_fma(v[1], b1, lane_fma(v[2], b2, sum));
      }
    }
  }
}

// a -= values x
LANE void crowd_subtract(const crowd *self, const lane *values, const lane *x, lane *a) {
  const sinew_crowd_plan *plan = self->plan;
  for (int r = 0; r < plan->segment_count; ++r) {
    const int first = plan->segments[r].first, end = first + plan->segments[r].count;
    for (int t = plan->incidence_start[first]; t < plan->incidence_start[first + 1]; ++t) {
      const lane *v = values + plan->incidences[t].value;
      lane *b = a + 3 * plan->incidences[t].tile;
      lane b0 = b[0], b1 = b[1], b2 = b[2];
      for (int active_column = first; active_column < end;
           ++active_column, v += plan->incidences[t].stride) {
        b0 = lane_fnma(x[active_column], v[0], b0);
        b1 = lane_fnma(x[active_column], v[1], b1);
        b2 = lane_fnma(x[active_column], v[2], b2);
      }
      b[0] = b0;
      b[1] = b1;
      b[2] = b2;
    }
  }
}

// a += s values_slot
LANE void crowd_add_column(const crowd *self, const lane *values, int active_column, lane s,
                           lane *a) {
  const sinew_crowd_plan *plan = self->plan;
  for (int t = plan->incidence_start[active_column]; t < plan->incidence_start[active_column + 1];
       ++t) {
    const lane *v = values + plan->incidences[t].value;
    lane *b = a + 3 * plan->incidences[t].tile;
    for (int i = 0; i < 3; ++i) {
      b[i] = lane_fma(s, v[i], b[i]);
    }
  }
}

LANE void crowd_zero(int count, lane *a) {
  for (int i = 0; i < count; ++i) {
    a[i] = lane_of(0.0);
  }
}

#endif
