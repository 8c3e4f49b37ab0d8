// The plan of a crowd's update: see crowd.h.
#include "kernel/crowd.h"
#include "math/vector.h"
#include "policy/levels.h"
#include "policy/tracking.h"
#include "step/segment.h"

#include <string.h>

// A path contains each degree of freedom at most once.
void sinew_crowd_plan_layout(sinew_arena *arena, const sinew_model *model, int effectors,
                             sinew_crowd_plan *plan) {
  const size_t nodes = (size_t)model->node_count, nv = (size_t)model->nv;
  const size_t count = (size_t)effectors, pairs = count * (count + 1) / 2;
  sinew_lane_plan_layout(arena, model, effectors, &plan->lanes);
  plan->lanes.moved = sinew_arena_take(arena, 12 * (size_t)model->node_count, sizeof(double));
  plan->position_start = sinew_arena_take(arena, count, sizeof(int));
  plan->rotation_start = sinew_arena_take(arena, count, sizeof(int));
  plan->position_weight = sinew_arena_take(arena, count, sizeof(double));
  plan->rotation_weight = sinew_arena_take(arena, count, sizeof(double));
  plan->keep = sinew_arena_take(arena, nodes, 1);
  plan->added = sinew_arena_take(arena, count, 1);
  plan->own = sinew_arena_take(arena, nodes, 1);
  plan->free = sinew_arena_take(arena, nodes, 1);
  plan->cones = sinew_arena_take(arena, (size_t)model->cone_count, sizeof *plan->cones);
  plan->cone_of_node = sinew_arena_take(arena, nodes, sizeof(int));
  plan->cone_of_column = sinew_arena_take(arena, nv, sizeof(int));
  plan->plain = sinew_arena_take(arena, count, 1);
  plan->known = sinew_arena_take(arena, count, 1);
  plan->pairs = sinew_arena_take(arena, 4 * pairs, sizeof *plan->pairs);
  plan->commons = sinew_arena_take(arena, pairs * nv, sizeof *plan->commons);
  plan->incidence_start = sinew_arena_take(arena, nv + 1, sizeof(int));
  plan->incidences = sinew_arena_take(arena, 2 * count * nv, sizeof *plan->incidences);
  plan->segments = sinew_arena_take(arena, nv, sizeof *plan->segments);
  plan->limbs = sinew_arena_take(arena, count, sizeof *plan->limbs);
  plan->added_effectors = sinew_arena_take(arena, SINEW_ROWS_TRUNK * count, sizeof(int));
  plan->touched = sinew_arena_take(arena, count * (2 * count + 1), 1);
  plan->free_node = sinew_arena_take(arena, nv, sizeof(int));
  plan->scale = sinew_arena_take(arena, nodes, sizeof(double));
  plan->lower = sinew_arena_take(arena, nv, sizeof(double));
  plan->upper = sinew_arena_take(arena, nv, sizeof(double));
  plan->reach = sinew_arena_take(arena, nv, sizeof(double));
  plan->slides = sinew_arena_take(arena, nv, 1);
  plan->posture.value = sinew_arena_take(arena, (size_t)model->nq, sizeof(double));
  plan->posture.inverse = sinew_arena_take(arena, nv, sizeof(double));
  plan->posture.share = sinew_arena_take(arena, nv, sizeof(double));
  plan->posture.met = sinew_arena_take(arena, 2 * count, sizeof(double));
  plan->posture.loose = sinew_arena_take(arena, nv, sizeof *plan->posture.loose);
}

// Whole poses are stored for children that are not the next node, for effectors and frames of
// targets, for masses, and for the columns of spherical joints.
static void fill_keep(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  for (int k = 0; k < lanes->node_count; ++k) {
    const int parent = lanes->nodes[k].parent;
    plan->keep[k] =
        lanes->nodes[k].kind == SINEW_NODE_SPHERICAL || (lanes->mass && lanes->masses[k].own > 0.0);
    if (parent >= 0 && parent != k - 1) {
      plan->keep[parent] = 1;
    }
  }
  plan->rooted = plan->relative = false;
  for (int e = 0; e < lanes->effector_count; ++e) {
    const sinew_lane_effector *effector = &lanes->effectors[e];
    if (effector->node >= 0) {
      plan->keep[effector->node] = 1;
    }
    if (effector->frame_node >= 0) {
      plan->keep[effector->frame_node] = 1;
    }
    plan->relative |= effector->relative;
    plan->rooted |=
        (effector->node < 0 && !effector->mass) || (effector->frame_node < 0 && effector->relative);
  }
}

static void fill_spherical(sinew_crowd_plan *plan, const sinew_problem *problem) {
  const sinew_lane_plan *lanes = &plan->lanes;
  plan->spherical = problem->spherical;
  plan->root_frames = false;
  for (int active_column = 0; active_column < lanes->active_count; ++active_column) {
    plan->free_node[active_column] = -1;
  }
  for (int k = 0; k < lanes->node_count; ++k) {
    const int active_column = lanes->nodes[k].column[0];
    plan->free[k] = lanes->nodes[k].kind == SINEW_NODE_SPHERICAL && active_column >= 0 &&
                    plan->spherical[active_column] == SINEW_SPHERICAL_ROOT_FRAME;
    if (plan->free[k]) {
      plan->free_node[active_column] = k;
      plan->root_frames = true;
    }
  }
}

static void fill_cones(sinew_crowd_plan *plan, const sinew_problem *problem) {
  const sinew_lane_plan *lanes = &plan->lanes;
  plan->cone_count = problem->cone_count;
  for (int k = 0; k < lanes->node_count; ++k) {
    plan->cone_of_node[k] = -1;
  }
  for (int column = 0; column < lanes->active_count; ++column) {
    plan->cone_of_column[column] = -1;
  }
  for (int g = 0; g < problem->group_count; ++g) {
    const sinew_column_group *group = &problem->groups[g];
    const int cone = group->cone;
    if (cone >= 0) {
      const int node = lanes->node_of[group->node];
      const sinew_cone *limits = &problem->model->cones[problem->model->nodes[group->node].cone];
      plan->cones[cone] = (sinew_crowd_cone){limits, node, group->column, group->q};
      plan->cone_of_node[node] = cone;
      for (int i = 0; i < 3; ++i) {
        plan->cone_of_column[group->column + i] = cone;
      }
    }
  }
}

// Whether each column of an effector has exactly one entry.
static bool has_own_entries(const sinew_lane_plan *lanes, const sinew_lane_effector *effector) {
  bool own = effector->entry_count == effector->column_count;
  for (int k = 0; own && k < effector->column_count; ++k) {
    int count = 0;
    for (int i = 0; i < effector->entry_count; ++i) {
      count += lanes->entries[effector->entry_start + i].k == k;
    }
    own = count == 1;
  }
  return own;
}

// The columns of coupled joints are sums and have no second-order term, nor do orientations without
// a point.
static void fill_effectors(sinew_crowd_plan *plan, const sinew_problem *problem) {
  const sinew_lane_plan *lanes = &plan->lanes;
  for (int k = 0; k < lanes->node_count; ++k) {
    plan->own[k] = problem->model->nodes[problem->nodes[k]].alone;
  }
  for (int e = 0; e < lanes->effector_count; ++e) {
    const sinew_lane_effector *effector = &lanes->effectors[e];
    plan->added[e] = !has_own_entries(lanes, effector);
    plan->known[e] = !problem->tasks[e].first_order;
    plan->plain[e] = effector->linear && !effector->angular && !effector->general &&
                     !plan->added[e] && effector->position_weight == 1.0;
    for (int i = 0; i < effector->entry_count; ++i) {
      const sinew_lane_entry *entry = &lanes->entries[effector->entry_start + i];
      plan->plain[e] &= plan->own[entry->node] &&
                        lanes->nodes[entry->node].kind == SINEW_NODE_REVOLUTE &&
                        entry->ratio == 1.0;
    }
  }
}

static void fill_weights(sinew_crowd_plan *plan, const sinew_problem *problem) {
  for (int e = 0; e < plan->lanes.effector_count; ++e) {
    const sinew_compiled_task *task = &problem->tasks[e];
    const bool position = (task->fields & SINEW_TARGET_POSITION) != 0;
    const bool rotation = (task->fields & SINEW_TARGET_ROTATION) != 0;
    const bool counts = task->row_count > 0;
    const double per_weight = problem->per_weight;
    plan->position_weight[e] = position && counts ? per_weight * task->scale : 0.0;
    plan->rotation_weight[e] =
        rotation && counts ? per_weight * task->task.orientation_weight : 0.0;
  }
}

// Limits, speeds and units of the active degrees of freedom.
static void fill_bounds(sinew_crowd_plan *plan, const sinew_problem *problem, double dt) {
  plan->even = problem->even;
  plan->unit = problem->unit;
  plan->inverse_scale = problem->inverse_scale;
  for (int active_column = 0; active_column < plan->lanes.active_count; ++active_column) {
    const int v = problem->dof_of_column[active_column];
    plan->lower[active_column] = problem->lower[v];
    plan->upper[active_column] = problem->upper[v];
    plan->reach[active_column] = dt > 0.0 ? problem->model->velocity[v] * dt : INFINITY;
    plan->slides[active_column] = sinew_problem_slides_far(problem, active_column) &&
                                  !(plan->reach[active_column] < INFINITY);
  }
  plan->has_slides = problem->has_long_slides;
  plan->speeds = false;
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    plan->speeds |= plan->lanes.quaternion_axis[column] >= 0 && plan->reach[column] < INFINITY;
  }
  plan->rules.bounded =
      problem->has_limits || problem->cone_count > 0 || (dt > 0.0 && problem->has_speeds);
}

static void fill_parts(sinew_crowd_plan *plan, double dt) {
  _Static_assert(SINEW_CROWD_MOST_PARTS == TRACKING_MOST_PARTS, "policy/tracking.h");
  plan->time_step = dt;
  plan->least_parts = tracking_least_parts(dt);
  for (int parts = 1; parts <= SINEW_CROWD_MOST_PARTS; ++parts) {
    plan->part_gain[parts] = tracking_part_gain(plan->rules.error_gain, parts);
  }
}

static void fill_scales(sinew_crowd_plan *plan) {
  for (int k = 0; k < plan->lanes.node_count; ++k) {
    const sinew_lane_node *node = &plan->lanes.nodes[k];
    plan->scale[k] = node->ratio / plan->lanes.unit[node->q];
  }
}

// The columns that two effectors share, as a pair of their first rows.
static sinew_crowd_pair share_columns(sinew_crowd_plan *plan, int a, int b, int *used) {
  const sinew_lane_plan *lanes = &plan->lanes;
  const sinew_lane_effector *first = &lanes->effectors[a], *second = &lanes->effectors[b];
  sinew_crowd_pair pair = {.stride_a = first->row_count,
                           .stride_b = second->row_count,
                           .common_start = *used,
                           .straight = true};
  for (int active_column = 0; active_column < lanes->active_count; ++active_column) {
    const int ka = lanes->column_of[a * lanes->active_count + active_column];
    const int kb = lanes->column_of[b * lanes->active_count + active_column];
    if (ka < 0 || kb < 0) {
      continue;
    }
    if (pair.common_count == 0) {
      pair.a = first->value_start + ka * pair.stride_a;
      pair.b = second->value_start + kb * pair.stride_b;
    }
    const sinew_crowd_common common = {(first->value_start + ka * pair.stride_a - pair.a) /
                                           (pair.stride_a > 0 ? pair.stride_a : 1),
                                       (second->value_start + kb * pair.stride_b - pair.b) /
                                           (pair.stride_b > 0 ? pair.stride_b : 1)};
    pair.straight &= common.a == pair.common_count && common.b == pair.common_count;
    plan->commons[(*used)++] = common;
    ++pair.common_count;
  }
  return pair;
}

static void fill_pairs(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  int used = 0;
  plan->pair_count = 0;
  for (int a = 0; a < lanes->effector_count; ++a) {
    for (int b = 0; b <= a; ++b) {
      const sinew_lane_effector *first = &lanes->effectors[a], *second = &lanes->effectors[b];
      const sinew_crowd_pair shared = share_columns(plan, a, b, &used);
      for (int i = 0; i < first->row_count; i += 3) {
        for (int k = 0; k < second->row_count && second->row + k <= first->row + i; k += 3) {
          const int row = (first->row + i) / 3, column = (second->row + k) / 3;
          sinew_crowd_pair *pair = &plan->pairs[plan->pair_count++];
          *pair = shared;
          pair->tile = row * (row + 1) / 2 + column;
          pair->a += i;
          pair->b += k;
        }
      }
    }
  }
}

// The incidences of the problem's pattern, by tiles.
static void fill_incidences(sinew_crowd_plan *plan, const sinew_problem *problem) {
  const sinew_rows *pattern = &problem->pattern;
  int used = 0;
  for (int active_column = 0; active_column < plan->lanes.active_count; ++active_column) {
    plan->incidence_start[active_column] = used;
    for (int t = pattern->incidence_start[active_column];
         t < pattern->incidence_start[active_column + 1]; ++t) {
      const sinew_lane_effector *effector = &plan->lanes.effectors[pattern->incidences[t].block];
      for (int i = 0; i < effector->row_count; i += 3) {
        plan->incidences[used++] = (sinew_crowd_incidence){
            (effector->row + i) / 3,
            effector->value_start + pattern->incidences[t].k * effector->row_count + i,
            effector->row_count};
      }
    }
  }
  plan->incidence_start[plan->lanes.active_count] = used;
}

// The tiles of P to which a segment's columns add.
static void touch_tiles(sinew_crowd_plan *plan, const sinew_crowd_segment *segment) {
  const int start = plan->incidence_start[segment->first];
  const int end = plan->incidence_start[segment->first + 1];
  for (int a = start; segment->grows && a < end; ++a) {
    for (int b = start; b <= a; ++b) { // tiles rise
      const int row = plan->incidences[a].tile, column = plan->incidences[b].tile;
      plan->touched[row * (row + 1) / 2 + column] = 1;
    }
  }
}

static void fill_segments(sinew_crowd_plan *plan, const sinew_problem *problem) {
  const int tiles = plan->lanes.row_count / 3;
  plan->segment_count = problem->pattern.segment_count;
  memset(plan->touched, 0, (size_t)(tiles * (tiles + 1) / 2));
  for (int r = 0; r < plan->segment_count; ++r) {
    const sinew_row_segment *stretch = &problem->pattern.segments[r];
    plan->segments[r] = (sinew_crowd_segment){
        stretch->first, stretch->count, false,
        sinew_segment_grows(stretch->top, stretch->row_count, stretch->count), -1};
    touch_tiles(plan, &plan->segments[r]);
    for (int i = 0; i < stretch->count; ++i) {
      plan->segments[r].spherical |= plan->spherical[stretch->first + i] != SINEW_SPHERICAL_NONE;
    }
  }
}

static void fill_space(sinew_crowd_plan *plan) {
  const sinew_lane_plan *lanes = &plan->lanes;
  const size_t effectors = (size_t)lanes->effector_count, rows = (size_t)lanes->row_count;
  const size_t slots = (size_t)lanes->active_count, values = (size_t)lanes->value_count;
  const size_t matrix = 9 * (rows / 3) * (rows / 3 + 1) / 2;
  const size_t counts[SINEW_CROWD_SPACES] = {
      [SINEW_CROWD_POSES] = 12 * ((size_t)lanes->node_count + plan->rooted),
      [SINEW_CROWD_FRAMES] = plan->relative ? 12 * effectors : 0,
      [SINEW_CROWD_UNIT] = (size_t)lanes->nq,
      [SINEW_CROWD_CENTRES] = lanes->mass ? 3 * ((size_t)lanes->node_count + 1) : 0,
      [SINEW_CROWD_TIPS] = 3 * effectors,
      [SINEW_CROWD_ERRORS] = 3 * effectors,
      [SINEW_CROWD_ROTATIONS] = 3 * effectors,
      [SINEW_CROWD_E] = rows,
      [SINEW_CROWD_PREDICTED] = rows,
      [SINEW_CROWD_J] = values,
      [SINEW_CROWD_V] = values,
      [SINEW_CROWD_SCHUR] = values,
      [SINEW_CROWD_J_INACTIVE] = values,
      [SINEW_CROWD_TRUNK] = (size_t)(plan->trunk_count * (plan->trunk_count + 2)),
      [SINEW_CROWD_TWISTS] = plan->twists ? 6 * (size_t)plan->trunk_count + 3 : 0,
      [SINEW_CROWD_SECOND] = plan->twists ? SINEW_CROWD_SECOND_VALUES * effectors : 0,
      [SINEW_CROWD_COMPOSITES] = plan->twists ? SINEW_CROWD_COMPOSITE_VALUES * effectors : 0,
      [SINEW_CROWD_A] = matrix,
      [SINEW_CROWD_M] = matrix,
      [SINEW_CROWD_L] = matrix,
      [SINEW_CROWD_INVERSE] = rows,
      [SINEW_CROWD_RIGHT] = rows,
      [SINEW_CROWD_Z] = rows,
      [SINEW_CROWD_W] = 2 * rows,
      [SINEW_CROWD_TARGETS] = (size_t)plan->target_size,
      [SINEW_CROWD_TURNS] = 3 * effectors,
      [SINEW_CROWD_BEFORE] = 4 * slots,
      [SINEW_CROWD_CONE_STEPS] = SINEW_CROWD_CONE_VALUES * (size_t)plan->cone_count,
      [SINEW_CROWD_CONE_AXES] = 9 * (size_t)plan->cone_count,
      [SINEW_CROWD_LEFT] = plan->posture.used ? rows : 0,
      [SINEW_CROWD_Q] = plan->posture.used ? (size_t)lanes->nq : 0,
  };
  size_t used = 0;
  for (int i = 0; i < SINEW_CROWD_SPACES; ++i) {
    plan->space[i] = used;
    used += i < SINEW_CROWD_GRADIENT ? counts[i] : slots;
  }
  plan->space[SINEW_CROWD_SPACES] = used;
}

static void fill_history(sinew_crowd_plan *plan) {
  sinew_crowd_history history = {0};
  const bool tracking = plan->rules.tracking;
  history.last = tracking ? plan->target_size : 0;
  history.before = history.last + (tracking ? plan->lanes.active_count : 0);
  history.updates_at_rest =
      history.before + (plan->rules.clamped ? 4 * plan->lanes.effector_count : 0);
  history.recent = history.updates_at_rest + 1;
  history.motion = history.recent + 1;
  history.predicted = history.motion + 1;
  history.keeps = history.predicted + 1;
  history.kept_error = history.keeps + 1;
  history.removed = history.kept_error + (tracking ? plan->lanes.row_count : 0);
  history.gradient = history.removed + (tracking ? plan->lanes.row_count : 0);
  history.spread = history.gradient + 1;
  history.cut = history.spread + 1;
  history.begun = history.cut + 1;
  history.error = history.begun + 1;
  history.caution = history.error + (plan->cone_count > 0);
  history.place = history.caution + (plan->cone_count > 0);
  history.parts = history.place + (plan->cone_count > 0);
  history.active = history.parts + (plan->cone_count > 0);
  history.count =
      history.active + (tracking && plan->rules.bounded ? 2 * plan->lanes.active_count : 0);
  plan->history = history;
}

static double square_of_weight(const sinew_crowd_posture_def *def, int v) {
  const double weight = def->weight * (def->weights != NULL ? def->weights[v] : 1.0);
  return weight * weight;
}

static double limited_weight(double square, double most) {
  return sinew_max(square, sinew_max(LEVELS_LEAST_SHARE * most, LEVELS_LEAST_WEIGHT));
}

// The joints that no task moves.
static void fill_loose(sinew_crowd_plan *plan, const sinew_problem *problem,
                       const sinew_crowd_posture_def *def, double most) {
  const sinew_model *model = problem->model;
  sinew_crowd_posture *posture = &plan->posture;
  posture->loose_count = 0;
  for (int v = 0; v < model->nv;) {
    const bool spherical = model->quaternion_axis[v] >= 0;
    const int count = spherical ? 3 : 1;
    sinew_crowd_loose loose = {.q = model->q_of_v[v],
                               .spherical = spherical,
                               .unit = model->angular[v] ? 1.0 : problem->size,
                               .lower = problem->lower[v],
                               .upper = problem->upper[v]};
    double sum = 0.0;
    bool task = false;
    for (int i = 0; i < count; ++i) {
      const double square = square_of_weight(def, v + i);
      const bool moves = problem->gains[v + i] > 0.0;
      task |= problem->column_of_dof[v + i] >= 0;
      loose.share[i] = moves ? def->gain * square / limited_weight(square, most) : 0.0;
      sum += loose.share[i];
    }
    if (spherical && model->cone_of_v[v] >= 0) {
      loose.cone = &model->cones[model->cone_of_v[v]];
    }
    if (!task && sum > 0.0) {
      posture->loose[posture->loose_count++] = loose;
    }
    v += count;
  }
}

static void fill_met(sinew_crowd_plan *plan, const sinew_crowd_posture_def *def) {
  double *met = plan->posture.met;
  for (int e = 0; e < plan->lanes.effector_count; ++e) {
    const sinew_lane_effector *effector = &plan->lanes.effectors[e];
    double *to = met + effector->row / 3;
    if (effector->linear && effector->row_count > 0) {
      *to++ = LEVELS_MET * def->position_tolerance / plan->lanes.size * effector->position_weight;
    }
    if (effector->angular && effector->row_count > 0) {
      *to = LEVELS_MET * def->orientation_tolerance * effector->orientation_weight;
    }
  }
}

static void fill_posture(sinew_crowd_plan *plan, const sinew_problem *problem,
                         const sinew_crowd_posture_def *def) {
  sinew_crowd_posture *posture = &plan->posture;
  double most = 0.0;
  posture->used = def != NULL;
  if (def == NULL) {
    return;
  }
  for (int v = 0; v < problem->model->nv; ++v) {
    most = sinew_max(most, problem->gains[v] > 0.0 ? square_of_weight(def, v) : 0.0);
  }
  for (int column = 0; column < plan->lanes.active_count; ++column) {
    const double square = square_of_weight(def, problem->dof_of_column[column]);
    const double D = limited_weight(square, most), gain = plan->lanes.gain[column];
    posture->inverse[column] = 1.0 / (D * gain * gain);
    posture->share[column] = def->gain * square / (D * gain);
  }
  fill_loose(plan, problem, def, most);
  fill_met(plan, def);
}

void sinew_crowd_plan_fill(sinew_crowd_plan *plan, const sinew_problem *problem,
                           const sinew_crowd_posture_def *posture, double dt) {
  sinew_lane_plan_fill(&plan->lanes, problem);
  fill_keep(plan);
  fill_spherical(plan, problem);
  fill_cones(plan, problem);
  fill_effectors(plan, problem);
  fill_weights(plan, problem);
  fill_bounds(plan, problem, dt);
  fill_parts(plan, dt);
  fill_pairs(plan);
  fill_incidences(plan, problem);
  fill_segments(plan, problem);
  sinew_crowd_trunk_fill(plan, problem);
  fill_scales(plan);
  fill_posture(plan, problem, posture);
  fill_space(plan);
  fill_history(plan);
}
