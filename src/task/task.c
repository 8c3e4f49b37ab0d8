// Tasks: properties of each kind and the selection of a kind's functions.
//
// A new kind needs a file like locus.c, its functions in kinds.h, a row of kinds[], and a case in
// each switch over kinds of this file.
#include "task/task.h"
#include "base/definition.h"
#include "math/vector.h"
#include "task/kinds.h"

#include <string.h>

void sinew_task_init(sinew_task *task, size_t size) {
  sinew_task defaults = {.cookie = SINEW_COOKIE_TASK,
                         .size = sizeof defaults,
                         .axis_l = {0.0, 0.0, 1.0},
                         .position_weight = 1.0,
                         .orientation_weight = 1.0,
                         .influence = 1.0,
                         .gain = 1.0,
                         .chain_root = -1,
                         .frame_link = -1,
                         .rotation_l = {1.0, 0.0, 0.0, 0.0},
                         .axis_weights = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
  for (int i = 0; i < SINEW_TASK_MOST_EXCLUDED; ++i) {
    defaults.excluded_joints[i] = -1;
  }
  sinew_definition_init(task, size, &defaults);
}

// A weight so small that its square is lost in rounding counts as 0.
#define LEAST_WEIGHT 1e-12

// --------------------------------------------------------------------- kinds

static const sinew_kind_info kinds[] = {
    [SINEW_TASK_POSITION] = {"position", SINEW_TARGET_POSITION, true, false},
    [SINEW_TASK_ORIENTATION] = {"orientation", SINEW_TARGET_ROTATION, true, false},
    [SINEW_TASK_POSE] = {"pose", SINEW_TARGET_POSITION | SINEW_TARGET_ROTATION, true, false},
    [SINEW_TASK_DIRECTION] = {"direction", SINEW_TARGET_DIRECTION, false, true},
    [SINEW_TASK_LOOK_AT] = {"look_at", SINEW_TARGET_POSITION, false, true},
    [SINEW_TASK_PLANE] = {"plane", SINEW_TARGET_POSITION | SINEW_TARGET_DIRECTION, false, false},
    [SINEW_TASK_LINE] = {"line", SINEW_TARGET_POSITION | SINEW_TARGET_DIRECTION, false, false},
    [SINEW_TASK_DISTANCE] = {"distance", SINEW_TARGET_POSITION | SINEW_TARGET_DISTANCE, false,
                             false},
    [SINEW_TASK_YAW] = {"yaw", SINEW_TARGET_DIRECTION, false, true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool exists(sinew_task_kind kind) {
  return (int)kind >= 0 && (int)kind < KINDS;
}

const sinew_kind_info *sinew_task_kind_info(sinew_task_kind kind) {
  return exists(kind) ? &kinds[kind] : NULL;
}

int sinew_task_kind_count(void) {
  return KINDS;
}

const char *sinew_task_kind_name(sinew_task_kind kind) {
  return exists(kind) ? kinds[kind].name : NULL;
}

// Whether some axis that the kind controls has a weight or a range of its own.
static bool has_weighted_axes(const sinew_task *task) {
  const unsigned fields = kinds[task->kind].fields;
  bool weighted = false;
  for (int i = 0; i < 6; ++i) {
    const bool controlled = (fields & (i < 3 ? SINEW_TARGET_POSITION : SINEW_TARGET_ROTATION)) != 0;
    weighted |= controlled && (task->axis_weights[i] != 1.0 || task->range_lower[i] != 0.0 ||
                               task->range_upper[i] != 0.0);
  }
  return kinds[task->kind].axes && weighted;
}

unsigned sinew_task_target_fields(const sinew_task *task) {
  if (!exists(task->kind)) {
    return 0;
  }
  const sinew_kind_info *kind = &kinds[task->kind];
  const bool weighted = task->weight_axes == SINEW_AXES_TARGET && has_weighted_axes(task);
  const bool axes = kind->axes && (task->free_axes != 0 || weighted);
  const bool up = task->kind == SINEW_TASK_LOOK_AT && sinew_aim_has_up(task);
  return kind->fields | (axes ? SINEW_TARGET_ROTATION : 0u) | (up ? SINEW_TARGET_DIRECTION : 0u);
}

bool sinew_task_reads_axis(const sinew_task *task) {
  return kinds[task->kind].axis;
}

bool sinew_task_is_required(const sinew_task *task) {
  return task->required == SINEW_REQUIRED_BY_LEVEL ? task->level == 0
                                                   : task->required == SINEW_REQUIRED;
}

bool sinew_task_is_searched(const sinew_task *task) {
  return task->level == 0 && sinew_task_is_required(task);
}

// ----------------------------------------------------------------- compiling

static void compile_kind(sinew_compiled_task *task) {
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
    sinew_frame_select(task, true, false);
    break;
  case SINEW_TASK_ORIENTATION:
    sinew_frame_select(task, false, true);
    break;
  case SINEW_TASK_POSE:
    sinew_frame_select(task, true, true);
    break;
  case SINEW_TASK_DIRECTION:
    sinew_direction_compile(task);
    break;
  case SINEW_TASK_LOOK_AT:
    sinew_aim_compile(task);
    break;
  case SINEW_TASK_PLANE:
  case SINEW_TASK_LINE:
  case SINEW_TASK_DISTANCE:
    sinew_locus_compile(task);
    break;
  case SINEW_TASK_YAW:
    sinew_yaw_compile(task);
    break;
  }
}

// Where a weight, a range, an angle or a frame makes the rows of a point, a frame or a direction
// general.
static void generalize(sinew_compiled_task *task) {
  if (task->rows == SINEW_ROWS_DIRECTION && task->task.cone_angle > 0.0) {
    sinew_aim_compile(task);
  } else if (!task->relative && !task->task.center_of_mass && !has_weighted_axes(&task->task)) {
    return;
  }
  const bool rows_of_tool = task->task.weight_axes == SINEW_AXES_TOOL;
  task->complete = kinds[task->task.kind].axes && task->task.free_axes == 0 && !rows_of_tool &&
                   !has_weighted_axes(&task->task);
  task->rows = SINEW_ROWS_GENERAL;
  task->whole = task->target_axes = false;
}

// The frame in which targets are given. Nodes have larger indices than their parents.
static void set_frame(sinew_compiled_task *compiled, const sinew_model *model) {
  const int link = compiled->task.frame_link;
  compiled->relative = link >= 0 && link != model->root;
  compiled->frame_node = compiled->common = -1;
  if (!compiled->relative) {
    return;
  }
  compiled->frame_node = model->link_node[link];
  compiled->frame = model->link_offsets[link];
  int a = compiled->node, b = compiled->frame_node;
  while (a != b) {
    if (a > b) {
      a = model->nodes[a].parent;
    } else {
      b = model->nodes[b].parent;
    }
  }
  compiled->common = a;
}

void sinew_task_tool(const sinew_task *task, const sinew_frame *link, sinew_frame *tool) {
  static const double same[4] = {1.0, 0.0, 0.0, 0.0};
  double R[9], own[9], turned[9], unit[4], p[3];
  sinew_frame_transform(link, task->point_l, p);
  sinew_frame_get(link, R, NULL);
  if (memcmp(task->rotation_l, same, sizeof same) != 0) {
    memcpy(unit, task->rotation_l, sizeof unit);
    sinew_quaternion_normalize(unit);
    sinew_quaternion_to_matrix(unit, own);
    sinew_matrix_multiply(R, own, turned);
    memcpy(R, turned, sizeof R);
  }
  sinew_frame_set(tool, R, p);
}

static void set_tip(sinew_compiled_task *compiled, const sinew_model *model) {
  if (compiled->task.center_of_mass) {
    compiled->node = -1;
    return;
  }
  compiled->node = model->link_node[compiled->task.link];
  sinew_task_tool(&compiled->task, &model->link_offsets[compiled->task.link], &compiled->tip);
}

static sinew_task without_small_weights(const sinew_task *task) {
  sinew_task same = *task;
  same.position_weight = task->position_weight < LEAST_WEIGHT ? 0.0 : task->position_weight;
  same.orientation_weight =
      task->orientation_weight < LEAST_WEIGHT ? 0.0 : task->orientation_weight;
  for (int i = 0; i < 6; ++i) {
    same.axis_weights[i] = task->axis_weights[i] < LEAST_WEIGHT ? 0.0 : task->axis_weights[i];
  }
  return same;
}

void sinew_task_compile(const sinew_task *task, const sinew_model *model, double size,
                        sinew_compiled_task *out) {
  *out = (sinew_compiled_task){.task = without_small_weights(task), .rows = SINEW_ROWS_GENERAL};
  out->fields = sinew_task_target_fields(task);
  out->size = size;
  set_tip(out, model);
  set_frame(out, model);
  compile_kind(out);
  generalize(out);
  out->row_count = out->linear_rows + out->angular_rows;
  out->scale = task->position_weight / size;
  out->point = out->rows == SINEW_ROWS_POINT && out->node >= 0;
}

// Whether a node is of a joint that the task excludes, or of one that is coupled to it.
static bool is_excluded(const sinew_task *task, const sinew_model *model, int node) {
  const int v = model->nodes[node].v;
  bool excluded = false;
  for (int i = 0; i < SINEW_TASK_MOST_EXCLUDED; ++i) {
    const int j = task->excluded_joints[i];
    excluded |= j >= 0 && v >= model->joints[j].v_index &&
                v < model->joints[j].v_index + model->joints[j].nv;
  }
  return excluded;
}

bool sinew_task_may_move(const sinew_compiled_task *task, const sinew_model *model, int node) {
  if (is_excluded(&task->task, model, node)) {
    return false;
  }
  const int stop = sinew_task_last_node(task, model);
  int n = node == stop ? -1 : node;
  while (n >= 0 && n != stop) {
    n = model->nodes[n].parent;
  }
  return n == stop && node != stop;
}

int sinew_task_last_node(const sinew_compiled_task *task, const sinew_model *model) {
  return task->task.chain_root >= 0 ? model->link_node[task->task.chain_root] : -1;
}

// ---------------------------------------------------------------- evaluation

// Components share this memory: what another one's task has left for a rotation is of no use to a
// relative task.
void sinew_task_read_axes(const sinew_compiled_task *task, const sinew_target *target,
                          sinew_task_evaluation *at) {
  double q[4];
  memcpy(q, target->rotation, sizeof q);
  memcpy(at->target_q, q, sizeof q);
  sinew_quaternion_normalize(q);
  sinew_quaternion_to_matrix(q, at->target_R);
  if (task->relative) { // brought into the root's frame below
    memset(at->target_q, 0, sizeof at->target_q);
  }
}

// The target of a relative task in the root link's frame; frames->F. Farther than any figure, and
// than its squares are finite, it is drawn inward.
static void bring_target(const sinew_compiled_task *task, const sinew_state *state,
                         sinew_task_frames *frames, sinew_target *target,
                         sinew_task_evaluation *at) {
  sinew_frame frame;
  double f[3], own[9];
  sinew_state_fixed_frame(state, task->frame_node, &task->frame, &frame);
  sinew_frame_get(&frame, frames->F, f);
  sinew_position_draw_inward(SINEW_HUGE, target->position, target->position);
  sinew_rotate(frames->F, target->position, target->position);
  for (int i = 0; i < 3; ++i) {
    target->position[i] += f[i];
  }
  sinew_unit(target->direction, target->direction);
  sinew_rotate(frames->F, target->direction, target->direction);
  memcpy(at->frame_R, frames->F, sizeof at->frame_R);
  if (sinew_target_is_goal(target)) {
    sinew_rotate(frames->F, target->rotation + 1, target->rotation + 1);
  }
  if ((task->fields & SINEW_TARGET_ROTATION) != 0) {
    memcpy(own, at->target_R, sizeof own);
    sinew_matrix_multiply(frames->F, own, at->target_R);
  }
}

static void general_residual(const sinew_compiled_task *task, const sinew_state *state,
                             const double R[9], const sinew_target *given,
                             sinew_task_evaluation *at, double *row, sinew_task_side *sides) {
  sinew_task_frames frames = {.F = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
  sinew_row_writer out = {row, at->map, sides};
  sinew_target brought;
  const sinew_target *target = given;
  memcpy(frames.R, R, sizeof frames.R);
  if (task->relative) {
    brought = *given;
    bring_target(task, state, &frames, &brought, at);
    target = &brought;
  }
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
  case SINEW_TASK_ORIENTATION:
  case SINEW_TASK_POSE:
    sinew_weighted_residual(task, &frames, target, at, &out);
    break;
  case SINEW_TASK_DIRECTION:
  case SINEW_TASK_LOOK_AT:
    sinew_aim_residual(task, &frames, target, at, &out);
    break;
  case SINEW_TASK_PLANE:
  case SINEW_TASK_LINE:
  case SINEW_TASK_DISTANCE:
    sinew_locus_residual(task, &frames, target, at, &out);
    break;
  case SINEW_TASK_YAW:
    sinew_yaw_residual(task, &frames, target, at, &out);
    break;
  }
}

void sinew_task_residual(const sinew_compiled_task *task, const sinew_state *state,
                         const sinew_target *target, sinew_task_evaluation *at, double *row) {
  sinew_frame tip;
  double R[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
  if (!task->task.center_of_mass) {
    sinew_state_fixed_frame(state, task->node, &task->tip, &tip);
    sinew_frame_get(&tip, R, at->s);
  }
  at->position_error = at->orientation_error = 0.0;
  if ((task->fields & SINEW_TARGET_ROTATION) != 0) {
    sinew_task_take_axes(task, target, at);
  }
  if (task->rows == SINEW_ROWS_GENERAL) {
    general_residual(task, state, R, target, at, row, NULL);
    return;
  }
  switch (task->task.kind) {
  case SINEW_TASK_POSITION:
    sinew_position_residual(task, target->position, at, row);
    break;
  case SINEW_TASK_ORIENTATION:
    sinew_orientation_residual(task, R, at, row);
    break;
  case SINEW_TASK_POSE:
    sinew_pose_residual(task, target->position, R, at, row);
    break;
  case SINEW_TASK_DIRECTION:
    sinew_direction_residual(task, R, target->direction, at, row);
    break;
  default: // the other kinds have general rows
    break;
  }
}

// --------------------------------------------------------------------- sides

int sinew_task_side_count(const sinew_task *task) {
  const sinew_kind_info *kind = &kinds[task->kind];
  int count = 0;
  for (int i = 0; i < (kind->axes ? 6 : 1); ++i) {
    const bool linear = i < 3 && !kind->axis;
    const unsigned field = linear ? SINEW_TARGET_POSITION : SINEW_TARGET_ROTATION;
    const double weight = linear ? task->position_weight : task->orientation_weight;
    const double lower = task->range_lower[i], upper = task->range_upper[i];
    const bool controlled =
        !kind->axes || ((kind->fields & field) != 0 && (task->free_axes >> i & 1u) == 0 &&
                        task->axis_weights[i] >= LEAST_WEIGHT);
    const bool ranged = kind->axis ? task->cone_angle > 0.0
                                   : lower < upper && (lower > -INFINITY || upper < INFINITY);
    count += controlled && ranged && weight >= LEAST_WEIGHT;
  }
  return task->kind == SINEW_TASK_YAW || task->kind == SINEW_TASK_LINE ? 0 : count;
}

int sinew_task_hard_rows(const sinew_task *tasks, int count) {
  SINEW_ASSERT(tasks != NULL || count <= 0);
  int rows = 0;
  for (int t = 0; t < count; ++t) {
    rows += tasks[t].hard && exists(tasks[t].kind) ? sinew_task_side_count(&tasks[t]) : 0;
  }
  return rows;
}

void sinew_task_sides_at(const sinew_compiled_task *task, const sinew_state *state,
                         const double R[9], const sinew_target *target,
                         const sinew_task_evaluation *at, sinew_task_side sides[SINEW_MOST_SIDES]) {
  sinew_task_evaluation then = *at;
  double row[6];
  if ((task->fields & SINEW_TARGET_ROTATION) != 0) {
    sinew_task_take_axes(task, target, &then);
  }
  general_residual(task, state, R, target, &then, row, sides);
}

// out += M (linear; angular), by the units of the rows.
static void general_add_column(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                               const double linear[3], const double angular[3], double position,
                               double orientation, double *out) {
  const double *map = at->map;
  for (int i = 0; i < task->row_count; ++i, map += 6) {
    const double scale = i < task->linear_rows ? position : orientation;
    out[i] += scale * (sinew_dot(map, linear) + sinew_dot(map + 3, angular));
  }
}

void sinew_task_add_column(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const sinew_row_axes *axes, const double linear[3],
                           const double angular[3], double position, double orientation,
                           double *out) {
  switch (task->rows) {
  case SINEW_ROWS_POINT:
  case SINEW_ROWS_FRAME:
    sinew_frame_add_column(task, axes, linear, angular, position, orientation, out);
    break;
  case SINEW_ROWS_DIRECTION:
    sinew_direction_add_column(at, angular, orientation, out);
    break;
  case SINEW_ROWS_GENERAL:
    general_add_column(task, at, linear, angular, position, orientation, out);
    break;
  }
}

// A target's rotation moves the rows of orientations, directions and yaws, those of other kinds by
// its position alone.
void sinew_task_add_motion(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                           const double linear[3], const double angular[3], double *row) {
  const double position = task->scale, orientation = task->task.orientation_weight;
  if (task->rows != SINEW_ROWS_GENERAL) {
    const sinew_row_axes axes = sinew_task_row_axes(task, at);
    sinew_task_add_column(task, at, &axes, linear, angular, position, orientation, row);
    return;
  }
  const bool rotates = kinds[task->task.kind].axes || task->fields == SINEW_TARGET_DIRECTION;
  const double *map = at->map;
  double v[3], w[3];
  memcpy(v, linear, sizeof v);
  memcpy(w, angular, sizeof w);
  if (task->relative) {
    sinew_rotate(at->frame_R, v, v);
    sinew_rotate(at->frame_R, w, w);
  }
  for (int i = 0; i < task->row_count; ++i, map += 6) {
    row[i] += i < task->linear_rows
                  ? position * sinew_dot(map, v)
                  : orientation * (sinew_dot(map, v) + (rotates ? sinew_dot(map + 3, w) : 0.0));
  }
}

double sinew_task_length(const sinew_compiled_task *task, const sinew_task_evaluation *at,
                         const double v[3]) {
  const sinew_row_axes axes = sinew_task_row_axes(task, at);
  const double none[3] = {0.0, 0.0, 0.0};
  double rows[6] = {0.0};
  sinew_task_add_column(task, at, &axes, v, none, 1.0, 0.0, rows);
  return sinew_norm_safe(rows);
}

// ------------------------------------------------------------------ features

unsigned sinew_task_posture_features(const sinew_task *task) {
  if (has_weighted_axes(task) || task->cone_angle > 0.0 || task->frame_link >= 0 ||
      task->center_of_mass) {
    return 0;
  }
  switch (task->kind) {
  case SINEW_TASK_POSITION:
    return sinew_position_features(task);
  case SINEW_TASK_ORIENTATION:
    return sinew_orientation_features(task);
  case SINEW_TASK_POSE:
    return sinew_pose_features(task);
  case SINEW_TASK_DIRECTION:
    return sinew_direction_features(task);
  default: // the others have no pose by which postures could be found
    return 0;
  }
}

void sinew_task_axis_of_tool(const sinew_task *task, double axis[3]) {
  if (kinds[task->kind].axis) {
    sinew_unit(task->axis_l, axis);
  } else {
    sinew_orientation_axis_of_tool(task, axis);
  }
}

void sinew_task_axis_of_target(const sinew_task *task, const sinew_target *target, double axis[3]) {
  if (kinds[task->kind].axis) {
    sinew_unit(target->direction, axis);
  } else {
    sinew_orientation_axis_of_target(task, target->rotation, axis);
  }
}
