// Making the lists that a crowd's update runs along. See crowd.h.
#include "lane/crowd.h"

#include <string.h>

// A path has at most each degree of freedom once.
void sinew_crowd_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                             sinew_crowd_plan *plan) {
  const size_t nodes = (size_t)model->node_count, nv = (size_t)model->nv;
  const size_t count = (size_t)effectors, pairs = count * (count + 1) / 2;
  sinew_lane_plan_layout(arena, model, effectors, &plan->lanes);
  plan->position_start = sinew_arena_take(arena, count, sizeof(int));
  plan->rotation_start = sinew_arena_take(arena, count, sizeof(int));
  plan->keep = sinew_arena_take(arena, nodes, 1);
  plan->added = sinew_arena_take(arena, count, 1);
  plan->own = sinew_arena_take(arena, nodes, 1);
  plan->known = sinew_arena_take(arena, count, 1);
  plan->pairs = sinew_arena_take(arena, pairs, sizeof *plan->pairs);
  plan->commons = sinew_arena_take(arena, pairs * nv, sizeof *plan->commons);
  plan->touch_start = sinew_arena_take(arena, nv + 1, sizeof(int));
  plan->touches = sinew_arena_take(arena, 2 * count * nv, sizeof *plan->touches);
  plan->lower = sinew_arena_take(arena, nv, sizeof(double));
  plan->upper = sinew_arena_take(arena, nv, sizeof(double));
  plan->unit = sinew_arena_take(arena, nv, sizeof(double));
  plan->reach = sinew_arena_take(arena, nv, sizeof(double));
}

// Poses are asked for again by children that do not follow at once, by effectors, and by the
// columns of balls.
static void fill_keep(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  for (int k = 0; k < lanes->node_count; ++k) {
    const int parent = lanes->nodes[k].parent;
    plan->keep[k] = lanes->nodes[k].kind == SINEW_NODE_BALL;
    if (parent >= 0 && parent != k - 1) {
      plan->keep[parent] = 1;
    }
  }
  for (int e = 0; e < lanes->effector_count; ++e) {
    if (lanes->effectors[e].node >= 0) {
      plan->keep[lanes->effectors[e].node] = 1;
    }
  }
}

// The columns of coupled joints are sums, and stay of first order, as do turns without a
// point.
static void fill_effectors(sinew_crowd_plan *plan, const sinew_model *model) {
  const sinew_lane_plan *lanes = &plan->lanes;
  for (int n = 0; n < model->node_count; ++n) {
    if (lanes->node_of[n] >= 0) {
      plan->own[lanes->node_of[n]] = model->nodes[n].alone;
    }
  }
  for (int e = 0; e < lanes->effector_count; ++e) {
    const sinew_lane_effector *effector = &lanes->effectors[e];
    plan->added[e] = effector->entry_count > effector->column_count;
    plan->known[e] = effector->linear;
    for (int i = 0; i < effector->entry_count; ++i) {
      plan->known[e] &= plan->own[lanes->entries[effector->entry_start + i].node];
    }
  }
}

static void fill_pairs(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  int used = 0;
  plan->pair_count = 0;
  for (int a = 0; a < lanes->effector_count; ++a) {
    for (int b = 0; b <= a; ++b) {
      sinew_crowd_pair *pair = &plan->pairs[plan->pair_count++];
      *pair = (sinew_crowd_pair){a, b, used, 0};
      for (int slot = 0; slot < lanes->slot_count; ++slot) {
        const int ka = lanes->column_of[a * lanes->slot_count + slot];
        const int kb = lanes->column_of[b * lanes->slot_count + slot];
        if (ka >= 0 && kb >= 0) {
          plan->commons[used++] = (sinew_crowd_common){ka, kb};
          ++pair->common_count;
        }
      }
    }
  }
}

static void fill_touches(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  int used = 0;
  for (int slot = 0; slot < lanes->slot_count; ++slot) {
    plan->touch_start[slot] = used;
    for (int e = 0; e < lanes->effector_count; ++e) {
      const sinew_lane_effector *effector = &lanes->effectors[e];
      const int k = lanes->column_of[e * lanes->slot_count + slot];
      for (int i = 0; k >= 0 && i < effector->row_count; i += 3) {
        plan->touches[used++] = (sinew_crowd_touch){
            (effector->row + i) / 3, effector->value_start + k * effector->row_count + i};
      }
    }
  }
  plan->touch_start[lanes->slot_count] = used;
}

static void fill_space(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  const size_t effectors = (size_t)lanes->effector_count, rows = (size_t)lanes->row_count;
  const size_t slots = (size_t)lanes->slot_count, values = (size_t)lanes->value_count;
  const size_t matrix = 9 * (rows / 3) * (rows / 3 + 1) / 2;
  const size_t counts[SINEW_CROWD_SPACES] = {
      [SINEW_CROWD_POSES] = 12 * (size_t)lanes->node_count,
      [SINEW_CROWD_TIPS] = 3 * effectors,
      [SINEW_CROWD_ERRORS] = 3 * effectors,
      [SINEW_CROWD_TURNS] = 3 * effectors,
      [SINEW_CROWD_E] = rows,
      [SINEW_CROWD_LEFT] = rows,
      [SINEW_CROWD_J] = values,
      [SINEW_CROWD_V] = values,
      [SINEW_CROWD_BENT] = values,
      [SINEW_CROWD_FREE] = values,
      [SINEW_CROWD_A] = matrix,
      [SINEW_CROWD_M] = matrix,
      [SINEW_CROWD_L] = matrix,
      [SINEW_CROWD_INVERSE] = rows,
      [SINEW_CROWD_RIGHT] = rows,
      [SINEW_CROWD_Z] = rows,
      [SINEW_CROWD_W] = 2 * rows,
  };
  size_t used = 0;
  for (int i = 0; i < SINEW_CROWD_SPACES; ++i) {
    plan->space[i] = used;
    used += i < SINEW_CROWD_GRADIENT ? counts[i] : slots;
  }
  plan->space[SINEW_CROWD_SPACES] = used;
}

void sinew_crowd_plan_fill(sinew_crowd_plan *plan, const sinew_model *model) {
  fill_keep(plan);
  fill_effectors(plan, model);
  fill_pairs(plan);
  fill_touches(plan);
  fill_space(plan);
}

sinew_crowd_history sinew_crowd_history_of(const sinew_crowd_plan *plan) {
  sinew_crowd_history history = {0};
  history.last = plan->target_size;
  history.before = history.last + (plan->rules.calm ? plan->lanes.slot_count : 0);
  history.still = history.before + (plan->rules.clamped ? 4 * plan->lanes.effector_count : 0);
  history.gradient = history.still + 1;
  history.begun = history.gradient + 1;
  history.count = history.begun + 1;
  return history;
}
