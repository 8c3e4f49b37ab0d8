// Compiling a problem. See problem.h.
#include "problem/problem.h"
#include "math/vector.h"
#include "kinematics/jacobian.h"
#include "simd/four.h"

#include <float.h>
#include <string.h>

// A prismatic joint with a range of more than this many sizes of the figure is long. Steps are
// limited to about one size, and an attempt of a search is dropped after a few.
#define WIDE 4.0

// Weaker gains have no effect above rounding: the degree of freedom is frozen.
#define LEAST_GAIN 1e-12

void sinew_problem_layout(sinew_arena *arena, const sinew_model *model, int capacity,
                          sinew_problem *problem) {
  const size_t tasks = (size_t)capacity, nv = (size_t)model->nv;
  const size_t nodes = (size_t)model->node_count;
  // A path to the root has at most every column of every node.
  size_t longest = 0;
  for (int n = 0; n < model->node_count; ++n) {
    longest += (size_t)sinew_node_columns(&model->nodes[n]);
  }
  problem->capacity = capacity;
  problem->tasks = sinew_arena_take(arena, tasks, sizeof *problem->tasks);
  problem->spans = sinew_arena_take(arena, tasks * longest, sizeof *problem->spans);
  problem->pattern.blocks = sinew_arena_take(arena, tasks, sizeof *problem->pattern.blocks);
  problem->pattern.path = sinew_arena_take(arena, tasks * nv, sizeof(int));
  problem->spherical = sinew_arena_take(arena, nv, 1);
  problem->pattern.incidence_start = sinew_arena_take(arena, nv + 1, sizeof(int));
  problem->pattern.incidences =
      sinew_arena_take(arena, tasks * nv, sizeof *problem->pattern.incidences);
  problem->pattern.segments = sinew_arena_take(arena, nv, sizeof *problem->pattern.segments);
  problem->lower = sinew_arena_take_fours(arena, nv, -INFINITY);
  problem->upper = sinew_arena_take_fours(arena, nv, INFINITY);
  problem->strength = sinew_arena_take(arena, nv, sizeof(double));
  problem->frozen = sinew_arena_take(arena, nv, 1);
  problem->own_axes = sinew_arena_take(arena, nv, 1);
  problem->gains = sinew_arena_take_fours(arena, nv, 1.0);
  problem->column_of_dof = sinew_arena_take(arena, nv, sizeof(int));
  problem->dof_of_column = sinew_arena_take(arena, nv, sizeof(int));
  problem->free = sinew_arena_take(arena, nv, 1);
  problem->gain = sinew_arena_take_fours(arena, nv, 1.0);
  problem->unit = sinew_arena_take_fours(arena, nv, 1.0);
  problem->scale = sinew_arena_take(arena, nv, sizeof(double));
  problem->inverse_scale = sinew_arena_take_fours(arena, nv, 1.0);
  problem->groups = sinew_arena_take(arena, nv, sizeof *problem->groups);
  problem->nodes = sinew_arena_take(arena, nodes, sizeof(int));
  problem->mark = sinew_arena_take(arena, nodes, 1);
  problem->closing = sinew_arena_take(arena, 2 * tasks, sizeof(int));
  problem->whole_turn = sinew_arena_take(arena, nv, 1);
  problem->component_of_column = sinew_arena_take(arena, nv, sizeof(int));
  problem->component_of_task = sinew_arena_take(arena, tasks, sizeof(int));
  problem->component_start = sinew_arena_take(arena, tasks + 1, sizeof(int));
  problem->component_tasks = sinew_arena_take(arena, tasks, sizeof(int));
}

// ---------------------------------------------------- active degrees of freedom

enum { NOT_ACTIVE = -1, ACTIVE = -2 }; // of column_of_dof, before columns are numbered

static void add_column(sinew_problem *problem, int v) {
  if (problem->column_of_dof[v] == ACTIVE) {
    const int column = problem->pattern.dof_count++;
    problem->column_of_dof[v] = column;
    problem->dof_of_column[column] = v;
    problem->gain[column] = problem->gains[v];
    problem->unit[column] = problem->model->angular[v] ? 1.0 : problem->size;
    problem->scale[column] = problem->gain[column] * problem->unit[column];
    problem->inverse_scale[column] = 1.0 / problem->scale[column];
    problem->even &= problem->gains[v] == 1.0;
    problem->in_order &= column == v;
    problem->values &=
        column == v && problem->model->q_of_v[v] == v && problem->model->quaternion_axis[v] < 0;
  }
}

// What follows the columns in whole fours changes nothing.
static void fill_fours(sinew_problem *problem) {
  for (int column = problem->pattern.dof_count; column % 4 != 0; ++column) {
    problem->gain[column] = problem->unit[column] = problem->inverse_scale[column] = 1.0;
  }
}

// Whether a spherical node, all three of whose degrees of freedom are active, may have root-frame
// coordinates.
static bool may_use_root_frame(const sinew_problem *problem, const sinew_node *node) {
  bool alike = node->kind == SINEW_NODE_SPHERICAL && node->cone < 0 && !problem->body_frame_only;
  for (int v = node->v; alike && v < node->v + 3; ++v) {
    alike = problem->gains[v] == problem->gains[node->v] &&
            !(problem->model->velocity[v] < INFINITY) && !problem->own_axes[v];
  }
  return alike;
}

// Whether the columns of a node, all of whose degrees of freedom are active, are along the axes of
// its limits of swing and twist. Gains that differ are of the joint's own axes.
static bool may_use_cone_axes(const sinew_problem *problem, const sinew_node *node) {
  bool alike = node->cone >= 0 && !problem->body_frame_only;
  for (int v = node->v; alike && v < node->v + 3; ++v) {
    alike = problem->gains[v] == problem->gains[node->v];
  }
  return alike;
}

// The columns from first on are those of one node.
static void add_group(sinew_problem *problem, int n, int first) {
  const sinew_node *node = &problem->model->nodes[n];
  const int count = problem->pattern.dof_count - first;
  const bool spherical = node->kind == SINEW_NODE_SPHERICAL;
  const bool free = count == 3 && may_use_root_frame(problem, node);
  const sinew_row_spherical kind = !spherical || count < 3 ? SINEW_SPHERICAL_NONE
                                   : free                  ? SINEW_SPHERICAL_ROOT_FRAME
                                                           : SINEW_SPHERICAL_BODY_FRAME;
  memset(problem->spherical + first, (int)kind, (size_t)count);
  problem->pattern.spherical =
      kind != SINEW_SPHERICAL_NONE ? problem->spherical : problem->pattern.spherical;
  for (int i = 0; spherical && i < 3; ++i) {
    problem->free[node->v + i] = free;
  }
  problem->has_root_frame_joints |= free;
  problem->has_spherical |= spherical && count > 0;
  if (count > 0) {
    const bool cone = count == 3 && may_use_cone_axes(problem, node);
    problem->groups[problem->group_count++] = (sinew_column_group){
        first, count, node->q, n, spherical, free, cone ? problem->cone_count : -1};
    problem->cone_count += cone;
  }
}

// The nodes that move a node's pose, from itself to the root; -1: none.
static void mark_path(sinew_problem *problem, int node) {
  for (int n = node; n >= 0; n = problem->model->nodes[n].parent) {
    problem->mark[n] = 1;
  }
}

// Numbers the degrees of freedom that move some task, from the root outward, and lists the nodes
// whose poses they need.
static void number_columns(sinew_problem *problem) {
  memset(problem->mark, 0, (size_t)problem->model->node_count);
  for (int v = 0; v < problem->model->nv; ++v) {
    problem->free[v] = 0;
    problem->column_of_dof[v] = NOT_ACTIVE;
  }
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    mark_path(problem, task->node);
    mark_path(problem, task->frame_node);
    sinew_task_path path = sinew_task_path_of(task, problem->model);
    for (; !sinew_task_path_ends(&path); sinew_task_path_next(&path)) {
      const sinew_node *node = &problem->model->nodes[path.node];
      const bool moves =
          task->row_count > 0 && sinew_task_may_move(task, problem->model, path.node);
      problem->mark[path.node] = 1;
      for (int i = 0; moves && i < sinew_node_columns(node); ++i) {
        const int v = node->v + i;
        problem->column_of_dof[v] = problem->gains[v] > 0.0 ? ACTIVE : NOT_ACTIVE;
      }
    }
  }
  problem->pattern.dof_count = problem->node_count = problem->group_count = 0;
  problem->cone_count = 0;
  problem->even = true;
  problem->has_root_frame_joints = problem->has_spherical = false;
  problem->pattern.spherical = NULL;
  problem->in_order = problem->values = true;
  for (int n = 0; n < problem->model->node_count; ++n) {
    if (problem->mark[n]) {
      const int first = problem->pattern.dof_count;
      problem->nodes[problem->node_count++] = n;
      for (int i = 0; i < sinew_node_columns(&problem->model->nodes[n]); ++i) {
        add_column(problem, problem->model->nodes[n].v + i);
      }
      add_group(problem, n, first);
    }
  }
  fill_fours(problem);
}

// Inserts a column into a falling path unless it is there. Columns fall on the way to the root,
// except those of the drivers of coupled joints.
static void path_insert(int *path, int *count, int column) {
  int k = *count;
  while (k > 0 && path[k - 1] < column) {
    --k;
  }
  if (k > 0 && path[k - 1] == column) {
    return;
  }
  memmove(path + k + 1, path + k, (size_t)(*count - k) * sizeof(int));
  path[k] = column;
  ++*count;
}

static void path_reverse(int *path, int count) {
  for (int k = 0; k < count / 2; ++k) {
    const int column = path[k];
    path[k] = path[count - 1 - k];
    path[count - 1 - k] = column;
  }
}

static int path_find(const int *path, int count, int column) {
  int low = 0, high = count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (path[middle] < column) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The cone of the group whose first column it is, or -1.
static int cone_of_column(const sinew_problem *problem, int column) {
  int g = 0;
  while (problem->cone_count > 0 && g < problem->group_count &&
         problem->groups[g].column != column) {
    ++g;
  }
  return problem->cone_count > 0 && g < problem->group_count ? problem->groups[g].cone : -1;
}

// The spans of a node on a task's path; returns how many.
static int node_spans(const sinew_problem *problem, int n, sinew_task_span *out) {
  const sinew_node *node = &problem->model->nodes[n];
  const int columns = sinew_node_columns(node);
  int count = 0, used = 0;
  for (int i = 0; i < columns; ++i) {
    const int column = problem->column_of_dof[node->v + i];
    used += column >= 0;
    if (column >= 0) {
      out[count++] = (sinew_task_span){SINEW_SPAN_OTHER, n, i, 0, column, !node->alone, false};
    }
  }
  if (node->kind == SINEW_NODE_SPHERICAL && used == columns) {
    const int cone = cone_of_column(problem, out->column);
    out->kind = problem->free[node->v] ? SINEW_SPAN_ROOT_FRAME
                : cone >= 0            ? SINEW_SPAN_CONE
                                       : SINEW_SPAN_BODY_FRAME;
    out->i = cone >= 0 ? cone : 0;
    return 1;
  }
  if (node->kind == SINEW_NODE_REVOLUTE && node->alone && used == 1) {
    out->kind = SINEW_SPAN_REVOLUTE;
  }
  return count;
}

// Whether a joint with a function moves the task's link or its frame link.
static bool has_function(const sinew_model *model, const sinew_compiled_task *task) {
  bool found = false;
  for (int n = task->node; n >= 0 && model->function_count > 0; n = model->nodes[n].parent) {
    found |= model->nodes[n].kind == SINEW_NODE_FUNCTION;
  }
  for (int n = task->frame_node; n >= 0 && model->function_count > 0; n = model->nodes[n].parent) {
    found |= model->nodes[n].kind == SINEW_NODE_FUNCTION;
  }
  return found || (task->task.center_of_mass && model->function_count > 0);
}

// A task's spans, from its link towards the root, and its path.
static void compile_spans(sinew_problem *problem, sinew_compiled_task *task,
                          sinew_row_block *block) {
  int *path = problem->pattern.path + block->path_start;
  sinew_task_span *spans = problem->spans + task->span_start;
  sinew_task_path nodes = sinew_task_path_of(task, problem->model);
  for (; !sinew_task_path_ends(&nodes); sinew_task_path_next(&nodes)) {
    if (!sinew_task_may_move(task, problem->model, nodes.node)) {
      continue;
    }
    sinew_task_span *span = spans + task->span_count;
    const int count = node_spans(problem, nodes.node, span);
    for (int k = 0; k < count; ++k) {
      span[k].reversed = nodes.reversed;
      for (int i = 0; i < sinew_span_columns(&span[k]); ++i) {
        path_insert(path, &block->path_count, span[k].column + i);
      }
      task->added |= span[k].kind == SINEW_SPAN_OTHER;
      task->first_order |= span[k].shared;
    }
    task->span_count += count;
  }
  path_reverse(path, block->path_count);
}

// Where the columns of a task's spans are on its path, which is complete; and where its values are.
static void place_spans(sinew_problem *problem, int t) {
  const sinew_compiled_task *task = &problem->tasks[t];
  sinew_row_block *block = &problem->pattern.blocks[t];
  const int *path = problem->pattern.path + block->path_start;
  sinew_task_span *spans = problem->spans + task->span_start;
  for (int c = 0; c < task->span_count; ++c) {
    spans[c].k = path_find(path, block->path_count, spans[c].column);
  }
  block->value_start = problem->pattern.value_count;
  problem->pattern.value_count += block->path_count * task->row_count;
}

// A task's block of rows, and the place of each column of each node on its path.
static void compile_block(sinew_problem *problem, int t) {
  sinew_compiled_task *task = &problem->tasks[t];
  sinew_row_block *block = &problem->pattern.blocks[t];
  const sinew_row_block *before = t > 0 ? block - 1 : NULL;
  *block = (sinew_row_block){.row = problem->pattern.row_count,
                             .row_count = task->row_count,
                             .point = task->rows == SINEW_ROWS_POINT,
                             .first_order = !task->whole};
  if (before != NULL) {
    block->path_start = before->path_start + before->path_count;
    task->span_start = task[-1].span_start + task[-1].span_count;
  } else {
    task->span_start = 0;
  }
  task->span_count = 0;
  task->added = false;
  task->function = has_function(problem->model, task);
  task->first_order = !task->whole || task->function;
  problem->pattern.row_count += task->row_count;
  if (task->row_count > 0) {
    compile_spans(problem, task, block);
  }
}

// Whether a function has the value: positions need not be linear in it.
static bool is_of_function(const sinew_model *model, int v) {
  bool found = false;
  for (int k = 0; k < model->function_count; ++k) {
    const int first = model->nodes[model->functions[k].first].v;
    found |= v >= first && v < first + model->functions[k].count;
  }
  return found;
}

bool sinew_problem_slides_far(const sinew_problem *problem, int column) {
  const int v = problem->dof_of_column[column];
  return !problem->model->angular[v] && !is_of_function(problem->model, v) &&
         !(problem->upper[v] - problem->lower[v] <= WIDE * problem->size);
}

// How far the tasks' points can go.
static void measure_tasks(sinew_problem *problem) {
  const sinew_extent extent = {.model = problem->model,
                               .lower = problem->lower,
                               .upper = problem->upper,
                               .size = problem->size,
                               .tolerance = problem->tolerance};
  problem->refuses = false;
  for (int t = 0; t < problem->count; ++t) {
    sinew_task_measure(&extent, &problem->tasks[t]);
    problem->refuses |= problem->tasks[t].resolved < DBL_MAX;
  }
}

// All that follows from limits and speed limits.
static void note_bounds(sinew_problem *problem) {
  problem->has_limits = problem->has_speeds = problem->has_long_slides = false;
  for (int column = 0; column < problem->pattern.dof_count; ++column) {
    const int v = problem->dof_of_column[column];
    problem->has_limits |= problem->lower[v] > -INFINITY || problem->upper[v] < INFINITY;
    problem->has_speeds |= problem->model->velocity[v] < INFINITY;
    problem->has_long_slides |= sinew_problem_slides_far(problem, column);
  }
  measure_tasks(problem);
}

static bool all_spans_are_revolute(const sinew_problem *problem) {
  bool all = true;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    for (int i = 0; i < task->span_count; ++i) {
      all &= problem->spans[task->span_start + i].kind == SINEW_SPAN_REVOLUTE;
    }
  }
  return all;
}

// All that follows from tasks and gains.
static void compile(sinew_problem *problem) {
  number_columns(problem);
  problem->pattern.row_count = 0;
  problem->pattern.block_count = problem->count;
  problem->pattern.value_count = 0;
  problem->plain = problem->points = true;
  problem->mass = problem->some_points = false;
  for (int t = 0; t < problem->count; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    compile_block(problem, t);
    problem->plain &= task->whole && !task->added;
    problem->points &= task->point && task->fields == SINEW_TARGET_POSITION;
    problem->some_points |= task->point;
    problem->mass |= task->task.center_of_mass;
  }
  problem->closed = sinew_problem_close_pattern(problem);
  problem->plain &= !problem->closed;
  for (int t = 0; t < problem->count; ++t) {
    place_spans(problem, t);
  }
  problem->revolute = problem->plain && all_spans_are_revolute(problem);
  sinew_problem_fill_pattern(problem);
  sinew_problem_find_components(problem);
  note_bounds(problem);
}

// ----------------------------------------------------------------- settings

// A full turn changes no pose if all nodes that the value moves rotate by whole multiples of it.
static void find_whole_turns(sinew_problem *problem) {
  const sinew_model *model = problem->model;
  for (int v = 0; v < model->nv; ++v) {
    problem->whole_turn[v] = model->angular[v] && model->quaternion_axis[v] < 0;
  }
  for (int n = 0; n < model->node_count; ++n) {
    const sinew_node *node = &model->nodes[n];
    const bool whole = node->kind == SINEW_NODE_REVOLUTE && node->ratio == floor(node->ratio);
    if (node->kind != SINEW_NODE_SPHERICAL && !whole) {
      problem->whole_turn[node->v] = 0;
    }
  }
}

void sinew_problem_begin(sinew_problem *problem, const sinew_model *model) {
  problem->model = model;
  problem->size = model->size;
  problem->count = 0;
  find_whole_turns(problem);
  for (int v = 0; v < model->nv; ++v) {
    problem->gains[v] = problem->strength[v] = 1.0;
    problem->own_axes[v] = 0;
  }
  compile(problem);
  sinew_problem_set_limits(problem, NULL, NULL, NULL);
}

// All that follows from compiled tasks.
static void take_tasks(sinew_problem *problem, int count) {
  problem->count = count;
  problem->counted = 0;
  problem->has_task_gains = false;
  double largest = 0.0;
  for (int t = 0; t < count; ++t) {
    const sinew_task *task = &problem->tasks[t].task;
    const bool counts = problem->tasks[t].row_count > 0;
    const double weight = sinew_max(task->position_weight, task->orientation_weight);
    problem->counted += counts;
    problem->has_task_gains |= counts && task->gain < 1.0;
    largest = counts ? sinew_max(largest, weight) : largest;
  }
  problem->per_weight = largest > 0.0 ? 1.0 / largest : 0.0;
  compile(problem);
}

void sinew_problem_set_tasks(sinew_problem *problem, const sinew_task *tasks, int count) {
  problem->size = sinew_tasks_size(problem->model, tasks, count);
  for (int t = 0; t < count; ++t) {
    sinew_task_compile(&tasks[t], problem->model, problem->size, &problem->tasks[t]);
  }
  take_tasks(problem, count);
}

void sinew_problem_set_some(sinew_problem *problem, const sinew_task *tasks, const int *which,
                            int count, double size) {
  problem->size = size;
  for (int i = 0; i < count; ++i) {
    sinew_task_compile(&tasks[which[i]], problem->model, size, &problem->tasks[i]);
  }
  take_tasks(problem, count);
}

void sinew_problem_share(sinew_problem *part, const sinew_problem *whole) {
  part->model = whole->model;
  part->size = whole->size;
  part->tolerance = whole->tolerance;
  part->body_frame_only = whole->body_frame_only;
  part->eliminated = whole->eliminated;
  part->lower = whole->lower;
  part->upper = whole->upper;
  part->strength = whole->strength;
  part->frozen = whole->frozen;
  part->own_axes = whole->own_axes;
  part->gains = whole->gains;
  part->whole_turn = whole->whole_turn;
}

void sinew_problem_refresh(sinew_problem *part) {
  compile(part);
}

void sinew_problem_set_component(sinew_problem *part, const sinew_problem *whole, int component) {
  const int first = whole->component_start[component];
  const int count = whole->component_start[component + 1] - first;
  sinew_problem_share(part, whole);
  for (int k = 0; k < count; ++k) {
    part->tasks[k] = whole->tasks[whole->component_tasks[first + k]];
  }
  take_tasks(part, count);
}

static void apply_gains(sinew_problem *problem) {
  for (int v = 0; v < problem->model->nv; ++v) {
    problem->gains[v] = problem->frozen[v] ? 0.0 : problem->strength[v];
  }
  compile(problem);
}

void sinew_problem_set_frozen(sinew_problem *problem, const unsigned char *frozen) {
  for (int v = 0; v < problem->model->nv; ++v) {
    problem->frozen[v] = frozen != NULL && frozen[v] != 0;
  }
  apply_gains(problem);
}

sinew_result sinew_problem_set_gains(sinew_problem *problem, const double *gains,
                                     sinew_error *error) {
  const sinew_result result = sinew_gains_check(problem->model, gains, error);
  if (result != SINEW_OK) {
    return result;
  }
  for (int v = 0; v < problem->model->nv; ++v) {
    problem->strength[v] = gains == NULL ? 1.0 : gains[v] < LEAST_GAIN ? 0.0 : gains[v];
  }
  apply_gains(problem);
  return SINEW_OK;
}

sinew_result sinew_problem_set_limits(sinew_problem *problem, const double *lower,
                                      const double *upper, sinew_error *error) {
  const sinew_model *model = problem->model;
  const sinew_result result = sinew_limits_check(model, lower, upper, error);
  if (result != SINEW_OK) {
    return result;
  }
  const size_t size = (size_t)model->nv * sizeof(double);
  memcpy(problem->lower, lower != NULL ? lower : model->lower, size);
  memcpy(problem->upper, upper != NULL ? upper : model->upper, size);
  for (int j = 0; j < model->joint_count; ++j) {
    const sinew_joint *joint = &model->joints[j];
    for (int i = joint->nv - 3; joint->nq > joint->nv && i < joint->nv; ++i) {
      problem->lower[joint->v_index + i] = -INFINITY;
      problem->upper[joint->v_index + i] = INFINITY;
    }
  }
  note_bounds(problem);
  return SINEW_OK;
}

// ------------------------------------------------------------------ queries

sinew_result sinew_problem_explain(const sinew_problem *problem, const sinew_target *targets,
                                   sinew_error *error) {
  sinew_result result = SINEW_OK;
  for (int t = 0; t < problem->count && result == SINEW_OK; ++t) {
    const sinew_compiled_task *task = &problem->tasks[t];
    result = sinew_target_explain(&targets[t], task->fields, t, error);
    if (result == SINEW_OK && (task->fields & SINEW_TARGET_POSITION) != 0) {
      result = sinew_target_explain_distance(targets[t].position, task->resolved, t, error);
    }
  }
  return result;
}

bool sinew_problem_is_whole_spherical(const sinew_problem *problem, int column) {
  const int v = problem->dof_of_column[column];
  return problem->model->quaternion_axis[v] == 0 && column + 2 < problem->pattern.dof_count &&
         problem->dof_of_column[column + 2] == v + 2;
}
