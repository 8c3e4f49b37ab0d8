// The elimination of a crowd's Newton step on trees with limbs: step/trunk.c in lanes.
//
// Segments of one effector, the limbs, are eliminated as in crowd_eliminate.h. P then has tiles of
// one effector each, and the columns of several, the trunk, are solved for together: lower triangle
// S, w in the place of the Schur update. Columns at active bounds are left out as there. Of
// effectors by twists neither P nor w is stored: crowd_composite.h.
#ifndef SINEW_KERNEL_CROWD_TRUNK_H
#define SINEW_KERNEL_CROWD_TRUNK_H

#include "kernel/crowd_composite.h"

// The arrays of the trunk, and what limbs have been eliminated with.
typedef struct trunk {
  lane *S;           // t (t + 1) / 2: w . v, then L D
  lane *limb_active; // columns: active bounds
  lane mu;
  bool begun;
} trunk;

LANE int trunk_row(int j) {
  return j * (j + 1) / 2;
}

// --------------------------------------------------------------------- limbs

// Whether the columns of a limb are to be eliminated: with another damping or other active bounds.
LANE bool trunk_changed(const newton *step, const trunk *last, const lane *held, bool bounded,
                        int first, int end) {
  const lane_mask raised = mask_or(lane_less(step->mu, last->mu), lane_less(last->mu, step->mu));
  lane change = lane_of(0.0);
  if (mask_bits(raised) != 0) {
    return true;
  }
  for (int column = first; bounded && column < end; ++column) {
    change = lane_max(change, lane_abs(held[column] - last->limb_active[column]));
  }
  return mask_bits(lane_less(lane_of(0.5), change)) != 0;
}

// w = u - P v of the trunk's columns of a point.
LANE void trunk_reduce_one(const newton *step, const sinew_crowd_limb *limb) {
  for (int k = 0; k < limb->trunk_count; ++k) {
    const lane *u = step->u + limb->value + 3 * k, *v = step->v + limb->value + 3 * k;
    lane w[3] = {u[0], u[1], u[2]};
    schur_same(&step->P[tile_at(limb->tile, limb->tile)], v, w);
    lanes_copy(3, w, step->schur + limb->value + 3 * k);
  }
}

// Eliminates the limb of a point, and w of the trunk's columns.
LANE_APART void trunk_eliminate_point(const crowd *self, newton *step, const lane *held,
                                      bool bounded, int number) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_incidence *incidences = plan->incidences;
  const sinew_crowd_limb *limb = &plan->limbs[number];
  const int *start = plan->incidence_start;
  step->end = 0;
  crowd_zero(9, &step->P[tile_at(limb->tile, limb->tile)].a[0][0]);
  crowd_zero(3, step->z + 3 * limb->tile);
  for (int r = plan->segment_count - 1; r >= 0; --r) {
    const sinew_crowd_segment *segment = &plan->segments[r];
    const int first = segment->first, last = first + segment->count - 1;
    if (segment->limb == number && !segment->spherical) {
      eliminate_segment(step, &incidences[start[last]], held, bounded, last, first);
    }
    for (int column = last; segment->limb == number && segment->spherical && column >= first;
         --column) {
      if (plan->spherical[column] != SINEW_SPHERICAL_NONE) {
        column -= 2;
        eliminate_spherical(step, &incidences[start[column]], 1, held, bounded, column);
      } else {
        eliminate_slot(step, &incidences[start[column]], 1, held, bounded, column);
      }
    }
  }
  trunk_reduce_one(step, limb);
}

// The same of a pose.
LANE_APART void trunk_eliminate_pose(const crowd *self, newton *step, const lane *held,
                                     bool bounded, int number) {
  const sinew_crowd_plan *plan = self->plan;
  const sinew_crowd_limb *limb = &plan->limbs[number];
  pose_sums sums;
  sums.empty = true;
  for (int r = plan->segment_count - 1; r >= 0; --r) {
    const sinew_crowd_segment *segment = &plan->segments[r];
    if (segment->limb == number) {
      pose_eliminate_columns(plan, step, held, bounded, segment->first + segment->count - 1,
                             segment->first, &sums);
    }
  }
  pose_fill_empty(&sums); // no column
  if (!limb_has_twists(limb)) {
    pose_put_sums(step, limb->tile, &sums);
    pose_reduce_columns(step, limb->value, limb->trunk_count, &sums);
  } else if (step->u == step->v) {
    composite_of(self, number, false, &sums);
  } else {
    composite_of(self, number, true, &sums);
  }
}

// Eliminates the limbs that have changed. Returns whether there is one.
LANE bool trunk_eliminate_limbs(const crowd *self, newton *step, trunk *last, const lane *held,
                                bool bounded) {
  const sinew_crowd_plan *plan = self->plan;
  bool changed = false;
  for (int b = 0; b < plan->lanes.effector_count; ++b) {
    const sinew_crowd_limb *limb = &plan->limbs[b];
    bool some = !last->begun;
    for (int r = 0; r < plan->segment_count; ++r) {
      const sinew_crowd_segment *segment = &plan->segments[r];
      some = some || (segment->limb == b && trunk_changed(step, last, held, bounded, segment->first,
                                                          segment->first + segment->count));
    }
    if (!some) {
      continue;
    }
    changed = true;
    (limb->tiles == 2 ? trunk_eliminate_pose : trunk_eliminate_point)(self, step, held, bounded, b);
  }
  last->begun = true;
  last->mu = step->mu;
  if (bounded) {
    memcpy(last->limb_active, held, (size_t)plan->lanes.active_count * sizeof *held);
  }
  return changed;
}

// -------------------------------------------------------------------- system

LANE lane trunk_dot(int rows, const lane *a, const lane *b) {
  lane sum = a[0] * b[0];
  for (int i = 1; i < rows; ++i) {
    sum = lane_fma(a[i], b[i], sum);
  }
  return sum;
}

// S += w . v and y -= v . z of an effector's rows. Of a spherical joint, whose columns are
// consecutive, S_jk is the mean of w_j . v_k and w_k . v_j.
LANE void trunk_add(const newton *step, const sinew_crowd_plan *plan, const trunk *to,
                    const sinew_crowd_limb *limb, int rows, lane *y) {
  const lane half = lane_of(0.5), *z = step->z + 3 * limb->tile;
  const lane *all_v = step->v + limb->value, *all_w = step->schur + limb->value;
  for (int j = 0; j < limb->trunk_count; ++j) {
    lane v[6], w[6];
    lanes_copy(rows, all_v + rows * j, v);
    lanes_copy(rows, all_w + rows * j, w);
    const int place = limb->trunk[j], within = plan->trunk_within[place];
    lane *row = to->S + trunk_row(place);
    y[place] = y[place] - trunk_dot(rows, v, z);
    for (int k = 0; k < j - within; ++k) {
      const int other = limb->trunk[k];
      row[other] = row[other] + trunk_dot(rows, w, all_v + rows * k);
    }
    for (int k = j - within; k < j; ++k) {
      const lane both = trunk_dot(rows, w, all_v + rows * k) + trunk_dot(rows, all_w + rows * k, v);
      row[limb->trunk[k]] = lane_fma(half, both, row[limb->trunk[k]]);
    }
    row[place] = row[place] + trunk_dot(rows, w, v);
  }
}

LANE void trunk_form(const crowd *self, const newton *step, const trunk *to, lane *y) {
  const sinew_crowd_plan *plan = self->plan;
  for (int k = 0; k < plan->trunk_count; ++k) {
    y[k] = step->g[plan->trunk[k]];
  }
  if (!crowd_has_twists(self)) {
    crowd_zero(trunk_row(plan->trunk_count), to->S);
  } else if (step->u == step->v) {
    composite_system(self, false, to->S, y);
  } else {
    composite_system(self, true, to->S, y);
  }
  for (int b = 0; b < plan->lanes.effector_count; ++b) {
    if (limb_has_twists(&plan->limbs[b])) {
      continue;
    }
    if (plan->limbs[b].tiles == 2) {
      trunk_add(step, plan, to, &plan->limbs[b], 6, y);
    } else {
      trunk_add(step, plan, to, &plan->limbs[b], 3, y);
    }
  }
}

// From the last column to the first: row k of S becomes y_k = d_k l_k, and takes its share from
// those before it and from their right-hand sides.
LANE void trunk_factor(const crowd *self, newton *step, const trunk *of, const lane *held,
                       bool bounded, lane *y) {
  const sinew_crowd_plan *plan = self->plan;
  for (int k = plan->trunk_count - 1; k >= 0; --k) {
    const int column = plan->trunk[k];
    const lane_mask moves = newton_moves(held, bounded, column);
    const lane *row = of->S + trunk_row(k);
    const lane inverse = newton_pivot(step, row[k] + step->mu, moves, column);
    const lane solved = lane_fma(inverse, y[k], newton_given(step, moves, bounded, column));
    step->y[column] = y[k];
    for (int j = 0; j < k; ++j) {
      const lane share = row[j] * inverse;
      lane *to = of->S + trunk_row(j);
      y[j] = lane_fnma(row[j], solved, y[j]);
      for (int i = 0; i <= j; ++i) {
        to[i] = lane_fnma(share, row[i], to[i]);
      }
    }
  }
}

// From the tips to the root. S before it is factored is kept after that of all factors.
LANE void trunk_eliminate(const crowd *self, newton *step, trunk *of, const lane *held,
                          bool bounded) {
  const int t = self->plan->trunk_count, entries = trunk_row(t);
  lane *kept = of->S + entries, y[SINEW_ROWS_TRUNK];
  step->failed = mask_of_bits(0);
  if (trunk_eliminate_limbs(self, step, of, held, bounded)) {
    trunk_form(self, step, of, y);
    memcpy(kept, of->S, (size_t)entries * sizeof *kept);
    memcpy(kept + entries, y, (size_t)t * sizeof *y);
  } else {
    memcpy(of->S, kept, (size_t)entries * sizeof *kept);
    memcpy(y, kept + entries, (size_t)t * sizeof *y);
  }
  trunk_factor(self, step, of, held, bounded, y);
}

#endif
