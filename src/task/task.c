// Tasks and targets: defaults, checks, and the path of each through the tree.
#include "task/task.h"
#include "base/error.h"
#include "kinematics/jacobian.h"
#include "math/four.h"
#include "math/vector.h"
#include "math/within.h"

#include <float.h>
#include <string.h>

sinew_task sinew_default_task(void) {
  return (sinew_task){.axis_l = {0.0, 0.0, 1.0},
                      .position_weight = 1.0,
                      .orientation_weight = 1.0,
                      .chain_root = -1};
}

sinew_target sinew_default_target(void) {
  return (sinew_target){.rotation = {1.0, 0.0, 0.0, 0.0}, .direction = {0.0, 0.0, 1.0}};
}

static bool has_position(sinew_task_kind kind) {
  return kind == SINEW_TASK_POSITION || kind == SINEW_TASK_POSE;
}

static bool has_rotation(sinew_task_kind kind) {
  return kind == SINEW_TASK_ORIENTATION || kind == SINEW_TASK_POSE;
}

// ------------------------------------------------------------------ checks

static sinew_result refuse(sinew_error *error, sinew_result code, int index, const char *what) {
  return sinew_error_set(error, code, NULL, "task %d: %s", index, what);
}

static bool finite_values(int count, const double *values) {
  return sinew_all_within(count, values, DBL_MAX);
}

static bool usable3(const double v[3]) {
  return sinew_is_usable(v[0]) && sinew_is_usable(v[1]) && sinew_is_usable(v[2]);
}

// Whether a link is another or lies on its way to the root.
static bool is_above(const sinew_model *model, int above, int link) {
  while (link != above && model->link_joint[link] >= 0) {
    link = model->joints[model->link_joint[link]].parent;
  }
  return link == above;
}

sinew_result sinew_task_check(const sinew_task *task, const sinew_model *model, int index,
                              sinew_error *error) {
  if ((int)task->kind < SINEW_TASK_POSITION || (int)task->kind > SINEW_TASK_DIRECTION) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "kind does not exist");
  }
  if (task->link < 0 || task->link >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "link is out of range");
  }
  if (task->chain_root < -1 || task->chain_root >= model->link_count) {
    return refuse(error, SINEW_ERROR_INDEX, index, "chain_root is out of range");
  }
  if (task->chain_root >= 0 && !is_above(model, task->chain_root, task->link)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "chain_root is not above the link");
  }
  if (!usable3(task->point_l) || !usable3(task->axis_l)) {
    return refuse(error, SINEW_ERROR_NOT_FINITE, index, "point_l or axis_l is not finite");
  }
  if (task->kind == SINEW_TASK_DIRECTION && !(sinew_norm_safe(task->axis_l) > 1e-100)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "axis_l is zero");
  }
  if (!(task->position_weight >= 0.0 && task->position_weight <= 1e6) ||
      !(task->orientation_weight >= 0.0 && task->orientation_weight <= 1e6)) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "a weight is not within 0 and 1e6");
  }
  if (task->free_axes > 63u) {
    return refuse(error, SINEW_ERROR_ARGUMENT, index, "free_axes has unknown bits");
  }
  return SINEW_OK;
}

bool sinew_target_usable(const sinew_target *target, const sinew_task *task) {
  if (!finite_values(6, target->twist) ||
      (has_position(task->kind) && !finite_values(3, target->position))) {
    return false;
  }
  if (has_rotation(task->kind) || (task->free_axes != 0 && has_position(task->kind))) {
    const double *r = target->rotation;
    return finite_values(4, r) && (r[0] != 0.0 || r[1] != 0.0 || r[2] != 0.0 || r[3] != 0.0);
  }
  return task->kind != SINEW_TASK_DIRECTION ||
         (finite_values(3, target->direction) && sinew_norm_safe(target->direction) > 0.0);
}

_Static_assert(sizeof(sinew_target) == 16 * sizeof(double), "a target is nothing but doubles");

bool sinew_targets_usable(const sinew_target *targets, const sinew_task_set *set) {
  const int numbers = set->count * (int)(sizeof *targets / sizeof(double));
  bool usable = set->points && numbers > 0 &&
                sinew_all_within(numbers, (const double *)(const void *)targets, DBL_MAX);
  for (int t = 0; !usable && t < set->count; ++t) {
    if (!sinew_target_usable(&targets[t], &set->plans[t].task)) {
      return false;
    }
  }
  return true;
}

// ------------------------------------------------------------------- paths

void sinew_task_set_layout(sinew_arena *arena, const sinew_model *model, int capacity, bool second,
                           sinew_task_set *set) {
  const size_t tasks = (size_t)capacity, nv = (size_t)model->nv;
  const size_t nodes = (size_t)model->node_count;
  // A way to the root visits at most every column of every node.
  size_t longest = 0;
  for (int n = 0; n < model->node_count; ++n) {
    longest += (size_t)sinew_node_columns(&model->nodes[n]);
  }
  set->capacity = capacity;
  set->rows.wide = sinew_has_wide();
  set->plans = sinew_arena_take(arena, tasks, sizeof *set->plans);
  set->spans = sinew_arena_take(arena, tasks * longest, sizeof *set->spans);
  set->rows.blocks = sinew_arena_take(arena, tasks, sizeof *set->rows.blocks);
  set->rows.path = sinew_arena_take(arena, tasks * nv, sizeof(int));
  set->balls = sinew_arena_take(arena, nv, 1);
  set->rows.values =
      sinew_arena_take_aligned(arena, 6 * tasks * nv, sizeof(double), sizeof(sinew_four));
  set->rows.second =
      second ? sinew_arena_take_aligned(arena, 6 * tasks * nv, sizeof(double), sizeof(sinew_four))
             : NULL;
  set->rows.touch_start = sinew_arena_take(arena, nv + 1, sizeof(int));
  set->rows.touches = sinew_arena_take(arena, tasks * nv, sizeof *set->rows.touches);
  set->rows.stretches = sinew_arena_take(arena, nv, sizeof *set->rows.stretches);
  set->rows.residual = sinew_arena_take(arena, 6 * tasks, sizeof(double));
  set->slot_of_dof = sinew_arena_take(arena, nv, sizeof(int));
  set->dof_of_slot = sinew_arena_take(arena, nv, sizeof(int));
  set->free = sinew_arena_take(arena, nv, 1);
  set->gain = sinew_arena_take(arena, nv, sizeof(double));
  set->unit = sinew_arena_take(arena, nv, sizeof(double));
  set->scale = sinew_arena_take(arena, nv, sizeof(double));
  set->inverse_scale = sinew_arena_take(arena, nv, sizeof(double));
  set->groups = sinew_arena_take(arena, nv, sizeof *set->groups);
  set->nodes = sinew_arena_take(arena, nodes, sizeof(int));
  set->mark = sinew_arena_take(arena, nodes, 1);
}

// Which of the six rows a task has; a part of no weight has none.
static void select_rows(sinew_task_plan *plan) {
  const sinew_task *task = &plan->task;
  memset(plan->selected, 0, sizeof plan->selected);
  for (int i = 0; i < 3; ++i) {
    plan->selected[i] =
        has_position(task->kind) && task->position_weight > 0.0 && (task->free_axes >> i & 1u) == 0;
    plan->selected[3 + i] = has_rotation(task->kind) && task->orientation_weight > 0.0 &&
                            (task->free_axes >> (3 + i) & 1u) == 0;
  }
  plan->linear_rows = plan->selected[0] + plan->selected[1] + plan->selected[2];
  plan->angular_rows = task->kind == SINEW_TASK_DIRECTION && task->orientation_weight > 0.0
                           ? 2
                           : plan->selected[3] + plan->selected[4] + plan->selected[5];
  plan->row_count = plan->linear_rows + plan->angular_rows;
}

// Whether the rows are those of a whole pose, or of a whole point, in world axes.
static bool is_whole(const sinew_task_plan *plan) {
  return plan->task.free_axes == 0 && plan->linear_rows == 3 &&
         (plan->angular_rows == 0 || plan->angular_rows == 3);
}

static void plan_tip(sinew_task_plan *plan, const sinew_model *model) {
  double R[9], p[3];
  const sinew_frame *offset = &model->link_offsets[plan->task.link];
  plan->node = model->link_node[plan->task.link];
  sinew_frame_get(offset, R, NULL);
  sinew_frame_transform(offset, plan->task.point_l, p);
  sinew_frame_set(&plan->tip, R, p);
  if (plan->task.kind == SINEW_TASK_DIRECTION) {
    sinew_scale(1.0 / sinew_norm_safe(plan->task.axis_l), plan->task.axis_l, plan->task.axis_l);
  }
}

// The node at which the walk from a task's link rootward stops: -1, or that of
// chain_root where it lies on the way.
static int last_node(const sinew_task_plan *plan, const sinew_model *model) {
  return plan->task.chain_root >= 0 ? model->link_node[plan->task.chain_root] : -1;
}

enum { OUT_OF_USE = -1, IN_USE = -2 }; // of slot_of_dof, before slots are numbered

static void add_slot(sinew_task_set *set, const sinew_model *model, int v, const double *gains) {
  if (set->slot_of_dof[v] == IN_USE) {
    const int slot = set->rows.dof_count++;
    set->slot_of_dof[v] = slot;
    set->dof_of_slot[slot] = v;
    set->gain[slot] = gains[v];
    set->unit[slot] = model->angular[v] ? 1.0 : model->size;
    set->scale[slot] = set->gain[slot] * set->unit[slot];
    set->inverse_scale[slot] = 1.0 / set->scale[slot];
    set->even &= gains[v] == 1.0;
    set->all &= slot == v;
  }
}

// Whether a ball, all of whose degrees of freedom are in use, may turn about any axes.
static bool is_free_ball(const sinew_model *model, const sinew_node *node, const double *gains,
                         bool own_axes) {
  bool alike = node->kind == SINEW_NODE_BALL && !own_axes;
  for (int v = node->v; alike && v < node->v + 3; ++v) {
    alike = gains[v] == gains[node->v] && !(model->velocity[v] < INFINITY);
  }
  return alike;
}

// The slots from first on are those of one node.
static void add_group(sinew_task_set *set, const sinew_model *model, int n, int first,
                      const double *gains) {
  const sinew_node *node = &model->nodes[n];
  const int count = set->rows.dof_count - first;
  const bool ball = node->kind == SINEW_NODE_BALL;
  const bool free = count == 3 && is_free_ball(model, node, gains, set->own_axes);
  const sinew_row_ball kind = !ball || count < 3 ? SINEW_BALL_NONE
                              : free             ? SINEW_BALL_FREE
                                                 : SINEW_BALL_OWN;
  memset(set->balls + first, (int)kind, (size_t)count);
  set->rows.balls = kind != SINEW_BALL_NONE ? set->balls : set->rows.balls;
  for (int i = 0; ball && i < 3; ++i) {
    set->free[node->v + i] = free;
  }
  set->has_free |= free;
  if (count > 0) {
    set->groups[set->group_count++] = (sinew_slot_group){first, count, node->q, n, ball, free};
  }
}

// Numbers the degrees of freedom that some task can move, root first, and the
// nodes that must be placed for them.
static void number_slots(sinew_task_set *set, const sinew_model *model, const double *gains) {
  memset(set->mark, 0, (size_t)model->node_count);
  for (int v = 0; v < model->nv; ++v) {
    set->free[v] = 0;
    set->slot_of_dof[v] = OUT_OF_USE;
  }
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    const int stop = last_node(plan, model);
    bool moves = plan->row_count > 0;
    for (int n = plan->node; n >= 0; n = model->nodes[n].parent) {
      set->mark[n] = 1;
      moves &= n != stop;
      for (int i = 0; moves && i < sinew_node_columns(&model->nodes[n]); ++i) {
        const int v = model->nodes[n].v + i;
        set->slot_of_dof[v] = gains[v] > 0.0 ? IN_USE : OUT_OF_USE;
      }
    }
  }
  set->rows.dof_count = set->node_count = set->group_count = 0;
  set->even = true;
  set->has_free = false;
  set->rows.balls = NULL;
  set->all = true;
  for (int n = 0; n < model->node_count; ++n) {
    if (set->mark[n]) {
      const int first = set->rows.dof_count;
      set->nodes[set->node_count++] = n;
      for (int i = 0; i < sinew_node_columns(&model->nodes[n]); ++i) {
        add_slot(set, model, model->nodes[n].v + i, gains);
      }
      add_group(set, model, n, first, gains);
    }
  }
  set->all &= set->rows.dof_count == model->nv;
}

// Puts a slot into a falling path unless it is there. The walk rootward meets
// slots falling but for those of drivers of coupled joints.
static void path_insert(int *path, int *count, int slot) {
  int k = *count;
  while (k > 0 && path[k - 1] < slot) {
    --k;
  }
  if (k > 0 && path[k - 1] == slot) {
    return;
  }
  memmove(path + k + 1, path + k, (size_t)(*count - k) * sizeof(int));
  path[k] = slot;
  ++*count;
}

static void path_reverse(int *path, int count) {
  for (int k = 0; k < count / 2; ++k) {
    const int slot = path[k];
    path[k] = path[count - 1 - k];
    path[count - 1 - k] = slot;
  }
}

static int path_find(const int *path, int count, int slot) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (path[middle] < slot) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The spans of a node that is on a task's way; returns how many.
static int node_spans(const sinew_task_set *set, const sinew_model *model, int n,
                      sinew_task_span *out) {
  const sinew_node *node = &model->nodes[n];
  const int columns = sinew_node_columns(node);
  int count = 0, used = 0;
  for (int i = 0; i < columns; ++i) {
    const int slot = set->slot_of_dof[node->v + i];
    used += slot >= 0;
    if (slot >= 0) {
      out[count++] = (sinew_task_span){SINEW_SPAN_OTHER, n, i, 0, slot, !node->alone};
    }
  }
  if (node->kind == SINEW_NODE_BALL && used == columns) {
    out->kind = set->free[node->v] ? SINEW_SPAN_FREE : SINEW_SPAN_BALL;
    return 1;
  }
  if (node->kind == SINEW_NODE_TURN && node->alone && used == 1) {
    out->kind = SINEW_SPAN_TURN;
  }
  return count;
}

// A task's spans, from its link towards the root, and its path.
static void plan_spans(sinew_task_set *set, const sinew_model *model, sinew_task_plan *plan,
                       sinew_row_block *block) {
  const int stop = last_node(plan, model);
  int *path = set->rows.path + block->path_start;
  sinew_task_span *spans = set->spans + plan->span_start;
  for (int n = plan->node; n >= 0 && n != stop; n = model->nodes[n].parent) {
    sinew_task_span *span = spans + plan->span_count;
    const int count = node_spans(set, model, n, span);
    for (int k = 0; k < count; ++k) {
      for (int i = 0; i < sinew_span_columns(&span[k]); ++i) {
        path_insert(path, &block->path_count, span[k].slot + i);
      }
      plan->added |= span[k].kind == SINEW_SPAN_OTHER;
      plan->first_order |= span[k].shared;
    }
    plan->span_count += count;
  }
  path_reverse(path, block->path_count);
  for (int c = 0; c < plan->span_count; ++c) {
    spans[c].k = path_find(path, block->path_count, spans[c].slot);
  }
}

// A task's block of rows, and where each column of each node on its way goes.
static void plan_block(sinew_task_set *set, const sinew_model *model, int t) {
  sinew_task_plan *plan = &set->plans[t];
  sinew_row_block *block = &set->rows.blocks[t];
  const sinew_row_block *before = t > 0 ? block - 1 : NULL;
  *block = (sinew_row_block){.row = set->rows.row_count,
                             .row_count = plan->row_count,
                             .point = plan->whole && plan->row_count == 3};
  if (before != NULL) {
    block->path_start = before->path_start + before->path_count;
    block->value_start = before->value_start + before->path_count * before->row_count;
    plan->span_start = plan[-1].span_start + plan[-1].span_count;
  } else {
    plan->span_start = 0;
  }
  plan->span_count = 0;
  plan->added = false;
  plan->first_order = !plan->whole;
  set->rows.row_count += plan->row_count;
  if (plan->row_count > 0) {
    plan_spans(set, model, plan, block);
  }
}

// The paths read the other way: which blocks touch each slot.
static void plan_touches(sinew_rows *rows) {
  int *start = rows->touch_start;
  memset(start, 0, ((size_t)rows->dof_count + 1) * sizeof(int));
  for (int b = 0; b < rows->block_count; ++b) {
    for (int k = 0; k < rows->blocks[b].path_count; ++k) {
      ++start[rows->path[rows->blocks[b].path_start + k] + 1];
    }
  }
  for (int slot = 0; slot < rows->dof_count; ++slot) {
    start[slot + 1] += start[slot];
  }
  // Filled from the last block, so that start ends up where each slot begins.
  for (int b = rows->block_count; b-- > 0;) {
    for (int k = 0; k < rows->blocks[b].path_count; ++k) {
      const int slot = rows->path[rows->blocks[b].path_start + k];
      rows->touches[--start[slot + 1]] = (sinew_row_touch){b, k};
    }
  }
  for (int slot = 0; slot < rows->dof_count; ++slot) {
    start[slot] = start[slot + 1];
  }
  int total = 0;
  for (int b = 0; b < rows->block_count; ++b) {
    total += rows->blocks[b].path_count;
  }
  start[rows->dof_count] = total;
}

static bool is_touched_alike(const sinew_rows *rows, int a, int b) {
  const sinew_row_touch *ta = rows->touches + rows->touch_start[a];
  const sinew_row_touch *tb = rows->touches + rows->touch_start[b];
  const int count = rows->touch_start[a + 1] - rows->touch_start[a];
  bool alike = rows->touch_start[b + 1] - rows->touch_start[b] == count;
  for (int t = 0; alike && t < count; ++t) {
    alike = ta[t].block == tb[t].block;
  }
  return alike;
}

static sinew_row_stretch stretch_from(const sinew_rows *rows, int first) {
  sinew_row_stretch stretch = {
      .first = first, .count = 1, .row = -1, .value_start = -1, .top = true};
  for (int t = rows->touch_start[first]; t < rows->touch_start[first + 1]; ++t) {
    const sinew_row_block *block = &rows->blocks[rows->touches[t].block];
    if (stretch.row_count == 0) {
      stretch.row = block->row;
    } else if (stretch.row + stretch.row_count != block->row) {
      stretch.row = -1;
    }
    stretch.row_count += block->row_count;
    stretch.top &= rows->touches[t].k == 0;
  }
  while (first + stretch.count < rows->dof_count &&
         is_touched_alike(rows, first, first + stretch.count)) {
    ++stretch.count;
  }
  if (rows->touch_start[first + 1] == rows->touch_start[first] + 1) {
    const sinew_row_touch *touch = &rows->touches[rows->touch_start[first]];
    const sinew_row_block *block = &rows->blocks[touch->block];
    stretch.value_start = block->value_start + touch->k * block->row_count;
    stretch.point = block->point;
  }
  stretch.tip = true;
  for (int t = rows->touch_start[first]; t < rows->touch_start[first + 1]; ++t) {
    const sinew_row_touch *touch = &rows->touches[t];
    stretch.tip &= touch->k + stretch.count == rows->blocks[touch->block].path_count;
  }
  return stretch;
}

static bool is_chain(const sinew_rows *rows) {
  bool chain = rows->stretch_count == 1 && rows->block_count == 1 && rows->blocks[0].point &&
               rows->balls != NULL;
  for (int j = 0; chain && j < rows->dof_count; ++j) {
    chain = rows->balls[j] == SINEW_BALL_FREE;
  }
  return chain;
}

static void plan_stretches(sinew_rows *rows) {
  int start = 0;
  rows->stretch_count = 0;
  for (int j = 0; j < rows->dof_count;) {
    sinew_row_stretch *stretch = &rows->stretches[rows->stretch_count++];
    *stretch = stretch_from(rows, j);
    stretch->start = start;
    start += stretch->count * stretch->row_count;
    j += stretch->count;
  }
  rows->chain = is_chain(rows);
}

// A weight so small that squares of it are lost is none.
#define LEAST_WEIGHT 1e-12

static sinew_task counted(const sinew_task *task) {
  sinew_task same = *task;
  same.position_weight = task->position_weight < LEAST_WEIGHT ? 0.0 : task->position_weight;
  same.orientation_weight =
      task->orientation_weight < LEAST_WEIGHT ? 0.0 : task->orientation_weight;
  return same;
}

void sinew_task_set_plan(sinew_task_set *set, const sinew_model *model, const sinew_task *tasks,
                         int count, const double *gains) {
  if (count >= 0) {
    set->count = count;
    for (int t = 0; t < count; ++t) {
      set->plans[t] = (sinew_task_plan){.task = counted(&tasks[t])};
      select_rows(&set->plans[t]);
      set->plans[t].whole = is_whole(&set->plans[t]);
      set->plans[t].scale = tasks[t].position_weight / model->size;
      plan_tip(&set->plans[t], model);
      set->plans[t].point =
          set->plans[t].whole && set->plans[t].row_count == 3 && set->plans[t].node >= 0;
    }
  }
  number_slots(set, model, gains);
  set->rows.row_count = 0;
  set->rows.block_count = set->count;
  set->rows.value_count = 0;
  set->plain = set->points = true;
  for (int t = 0; t < set->count; ++t) {
    const sinew_task_plan *plan = &set->plans[t];
    plan_block(set, model, t);
    set->rows.value_count += set->rows.blocks[t].path_count * plan->row_count;
    set->plain &= plan->whole && !plan->added;
    set->points &= plan->point && plan->task.kind == SINEW_TASK_POSITION;
  }
  plan_touches(&set->rows);
  plan_stretches(&set->rows);
}
