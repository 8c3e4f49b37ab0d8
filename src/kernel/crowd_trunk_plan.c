// The part of a crowd's plan by which the columns of several effectors, the trunk, are solved for
// together: crowd_trunk.h and crowd_composite.h.
#include "kernel/crowd.h"

#include <string.h>

// The trunk and its limbs.
static void fill_limbs(sinew_crowd_plan *plan, const sinew_problem *problem) {
  const sinew_rows *pattern = &problem->pattern;
  plan->trunk_count = 0;
  for (int b = 0; b < plan->lanes.effector_count; ++b) {
    const sinew_lane_effector *effector = &plan->lanes.effectors[b];
    plan->limbs[b] = (sinew_crowd_limb){.tile = effector->row / 3,
                                        .tiles = effector->row_count / 3,
                                        .value = effector->value_start};
  }
  for (int r = 0; r < plan->segment_count; ++r) {
    const sinew_row_segment *stretch = &pattern->segments[r];
    const int start = pattern->incidence_start[stretch->first],
              end = pattern->incidence_start[stretch->first + 1];
    const bool limb = stretch->value_start >= 0 || pattern->trunk == 0;
    plan->segments[r].limb = limb ? pattern->incidences[start].block : -1;
    for (int j = stretch->first; !limb && j < stretch->first + stretch->count; ++j) {
      const int place = plan->trunk_count++;
      const bool goes_on = plan->spherical[j] != SINEW_SPHERICAL_NONE && j > stretch->first &&
                           plan->spherical[j - 1] != SINEW_SPHERICAL_NONE;
      plan->trunk[place] = j;
      plan->trunk_within[place] =
          (unsigned char)(goes_on ? (plan->trunk_within[place - 1] + 1) % 3 : 0);
      for (int t = start; t < end; ++t) {
        sinew_crowd_limb *of = &plan->limbs[pattern->incidences[t].block];
        of->trunk[of->trunk_count++] = place;
      }
    }
  }
}

// The index of a place of the trunk among those of a limb, or -1.
static int index_in_limb(const sinew_crowd_limb *limb, int place) {
  for (int k = 0; k < limb->trunk_count; ++k) {
    if (limb->trunk[k] == place) {
      return k;
    }
  }
  return -1;
}

// The entry of a column of an effector, each of which has one.
static int entry_of(const sinew_lane_plan *lanes, const sinew_lane_effector *effector, int k) {
  int at = effector->entry_start;
  while (lanes->entries[at].k != k) {
    ++at;
  }
  return at;
}

// Whether the columns of the trunk are twists in the rows of an effector: of a whole pose, moved by
// joints that are not coupled.
static bool takes_twists(const sinew_crowd_plan *plan, int e) {
  const sinew_lane_plan *lanes = &plan->lanes;
  const sinew_lane_effector *effector = &lanes->effectors[e];
  const sinew_crowd_limb *limb = &plan->limbs[e];
  bool takes = limb->trunk_count > 0 && effector->linear && effector->angular &&
               effector->row_count == 6 && !effector->general && !plan->added[e];
  for (int k = 0; takes && k < limb->trunk_count; ++k) {
    takes = plan->own[lanes->entries[entry_of(lanes, effector, k)].node] != 0;
  }
  return takes;
}

// The effectors by twists that a column of the trunk moves, and those that the one after it does
// not.
static void fill_composite(sinew_crowd_plan *plan, int place, int *used) {
  sinew_crowd_composite *of = &plan->composites[place];
  int after = 0;
  *of = (sinew_crowd_composite){.entry = -1, .limb = -1, .above = -1, .add_start = *used};
  for (int e = 0; e < plan->lanes.effector_count; ++e) {
    const sinew_crowd_limb *limb = &plan->limbs[e];
    if (limb->twists) {
      const bool is_after = index_in_limb(limb, place + 1) >= 0;
      after += is_after;
      of->restarts |= is_after && index_in_limb(limb, place) < 0;
    }
  }
  of->restarts |= after == 0;
  for (int e = 0; e < plan->lanes.effector_count; ++e) {
    const sinew_crowd_limb *limb = &plan->limbs[e];
    const int k = limb->twists ? index_in_limb(limb, place) : -1;
    if (k < 0) {
      continue;
    }
    of->limb = e;
    of->above = k;
    of->entry = entry_of(&plan->lanes, &plan->lanes.effectors[e], k);
    if (of->restarts || index_in_limb(limb, place + 1) < 0) {
      plan->added_effectors[(*used)++] = e;
      ++of->add_count;
    }
  }
}

static bool same_trunk(const sinew_crowd_limb *a, const sinew_crowd_limb *b) {
  return a->trunk_count == b->trunk_count &&
         memcmp(a->trunk, b->trunk, (size_t)a->trunk_count * sizeof *a->trunk) == 0;
}

static void fill_composites(sinew_crowd_plan *plan) {
  int used = 0;
  plan->twist_node = -1;
  for (int e = 0; e < plan->lanes.effector_count; ++e) {
    sinew_crowd_limb *limb = &plan->limbs[e];
    limb->twists = takes_twists(plan, e);
    limb->repeats = e > 0 && limb->twists && limb[-1].twists && same_trunk(limb, limb - 1);
    plan->twists |= limb->twists;
  }
  for (int place = plan->trunk_count - 1; place >= 0; --place) {
    fill_composite(plan, place, &used);
    const int entry = plan->composites[place].entry;
    if (entry >= 0 && plan->twist_node < 0) {
      plan->twist_node = plan->lanes.entries[entry].node;
    }
  }
}

void sinew_crowd_trunk_fill(sinew_crowd_plan *plan, const sinew_problem *problem) {
  fill_limbs(plan, problem);
  plan->twists = false;
  if (SINEW_CROWD_IS_FAST) {
    fill_composites(plan);
  }
}
