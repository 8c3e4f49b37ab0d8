// Any figure, tasks, objectives and limits: what solvers return is refused with a message that says
// why, or within what their headers promise.
//
// Every byte is a choice; past the last, each is 0. The first choices make the figure, then follow
// the solver, its tasks, and calls.
#include "sinew/sinew.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOINTS 10
#define MOST_TASKS 4
#define MOST_OBJECTIVES 3
#define MOST_CALLS 24
#define MOST_SOLUTIONS 6
#define MOST_VALUES (SINEW_JOINT_MAX_NQ * MOST_JOINTS)
// By how much rounding may take a value out of its limits, and past its speed, a share.
#define ROUNDING 1e-9
#define TURN 6.283185307179586 // [rad]

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds) {
  if (!holds)
    abort();
}

// ------------------------------------------------------------------ choices

typedef struct choices {
  const uint8_t *data;
  size_t left;
} choices;

static int byte_of(choices *from) {
  if (from->left == 0)
    return 0;
  --from->left;
  return *from->data++;
}

static int below(choices *from, int count) {
  return byte_of(from) % count;
}

static bool chance(choices *from, int share) {
  return byte_of(from) >= 256 - share;
}

// Mostly within +-2; sometimes 0, an end of a usual range, or what is hardly a number.
static double number(choices *from) {
  static const double special[] = {0.0,   1.0,  -1.0,   1e-9, -1e-300,  1e6,
                                   -1e12, 1e99, -1e101, NAN,  INFINITY, 1e-160};
  const int kind = byte_of(from);
  if (kind >= 240)
    return special[byte_of(from) % (int)(sizeof special / sizeof special[0])];
  const int high = byte_of(from);
  return (256.0 * high + byte_of(from)) / 16384.0 - 2.0;
}

// Within +-2.
static double usual(choices *from) {
  const int high = byte_of(from);
  return (256.0 * high + byte_of(from)) / 16384.0 - 2.0;
}

static double positive(choices *from) {
  return 0.01 + fabs(usual(from));
}

// Mostly usual ones.
static void vector(choices *from, int count, double *v) {
  const bool any = chance(from, 8);
  for (int i = 0; i < count; ++i)
    v[i] = any ? number(from) : usual(from);
}

// ------------------------------------------------------------------- figure

typedef struct figure {
  sinew_joint_def joints[MOST_JOINTS];
  sinew_link_def links[MOST_JOINTS + 1];
  char names[MOST_JOINTS + 1][4];
  int count;
} figure;

static void limit(choices *from, sinew_joint_def *joint) {
  for (int i = 0; i < SINEW_JOINT_MAX_NV; ++i) {
    const int ends = below(from, 6);
    joint->lower[i] = ends == 1 || ends >= 3 ? -positive(from) : -INFINITY;
    joint->upper[i] = ends >= 2 ? positive(from) : INFINITY;
    joint->velocity[i] = chance(from, 60) ? positive(from) : INFINITY;
  }
}

static void make_joint(choices *from, figure *f, int j) {
  static const char *const channels[] = {"XYZ", "ZXY", "xyzZXY", "Zx", "y", "ZYXxyz"};
  sinew_joint_def *joint = &f->joints[j];
  *joint = sinew_default_joint_def();
  joint->name = f->names[j];
  joint->kind = below(from, SINEW_JOINT_FUNCTION);
  joint->parent = chance(from, 80) ? below(from, j + 1) : j;
  joint->child = j + 1;
  vector(from, 3, joint->placement.position);
  if (chance(from, 100))
    vector(from, 4, joint->placement.rotation);
  if (chance(from, 128))
    vector(from, 3, joint->axis);
  if (chance(from, 30))
    vector(from, 3, joint->axis2);
  joint->pitch = chance(from, 128) ? usual(from) : 0.1;
  if (joint->kind == SINEW_JOINT_EULER || joint->kind == SINEW_JOINT_CHANNELS)
    strcpy(joint->channels, channels[below(from, joint->kind == SINEW_JOINT_EULER ? 2 : 6)]);
  const bool free = joint->kind == SINEW_JOINT_CONTINUOUS || joint->kind == SINEW_JOINT_FREE;
  if (!free && chance(from, 160))
    limit(from, joint);
  for (int i = 0; i < 3 && joint->kind == SINEW_JOINT_SPHERICAL && chance(from, 250); ++i) {
    joint->lower[i] = -positive(from); // else it would mostly be refused
    joint->upper[i] = fmin(positive(from), 1.4);
  }
  if (j > 0 && chance(from, 20)) {
    joint->driver = below(from, j);
    joint->ratio = usual(from);
    joint->offset = usual(from);
  }
}

static figure f; // the last one that was made

static sinew_model *make_model(choices *from) {
  memset(&f, 0, sizeof f);
  f.count = 1 + below(from, MOST_JOINTS);
  for (int l = 0; l <= f.count; ++l) {
    f.names[l][0] = (char)('a' + l);
    f.links[l] = sinew_default_link_def();
    f.links[l].name = f.names[l];
    f.links[l].mass = chance(from, 128) ? positive(from) : 0.0;
    vector(from, 3, f.links[l].center_of_mass);
  }
  for (int j = 0; j < f.count; ++j)
    make_joint(from, &f, j);
  sinew_model_def def = sinew_default_model_def();
  def.links = f.links;
  def.link_count = f.count + 1;
  def.joints = f.joints;
  def.joint_count = f.count;
  sinew_model *model = NULL;
  sinew_error error;
  const sinew_result result = sinew_model_create(&def, &model, &error);
  require((result == SINEW_OK) == (model != NULL));
  require(result == SINEW_OK || error.message[0] != '\0');
  return model;
}

// ------------------------------------------------------------------- solver

typedef struct trial {
  sinew_model *model;
  sinew_solver *solver;
  sinew_solver_def def;
  sinew_task tasks[MOST_TASKS];
  sinew_target targets[MOST_TASKS];
  int count;
  double q[MOST_VALUES];
  int place[MOST_VALUES];                        // of each degree of freedom: of its value in q, or
                                                 // -1 for those of joints with a quaternion
  double lower[MOST_VALUES], upper[MOST_VALUES]; // in force
  unsigned char frozen[MOST_VALUES];
  double accelerations[MOST_VALUES];
  double motion[MOST_VALUES]; // of the last update
  bool moves;                 // whether that was the last call
  bool begun;                 // whether an update has followed the last reset
  double influences[MOST_TASKS];
} trial;

static sinew_solver_def make_def(choices *from) {
  static const double steps[] = {0.0, 0.001, 1.0 / 60.0, 0.04, 1.0};
  sinew_solver_def def = sinew_default_solver_def();
  def.task_capacity = MOST_TASKS;
  def.budget.max_steps = 40;
  def.budget.max_starts = 3;
  def.lower.levels = below(from, 4);
  def.lower.objectives = def.lower.levels > 0 ? MOST_OBJECTIVES : 0;
  def.lower.rows = def.lower.levels > 0 ? 4 : 0;
  def.influences = below(from, 4);
  def.hard_rows = chance(from, 128) ? 12 : 0;
  def.lanes = chance(from, 100) ? 0 : -1;
  if (chance(from, 60))
    def.step.method = below(from, SINEW_METHOD_COUNT);
  if (chance(from, 30))
    def.step.damping_law = below(from, SINEW_DAMPING_COUNT);
  if (chance(from, 20))
    def.step.damping_scale = positive(from);
  if (chance(from, 20))
    def.step.max_turn = positive(from);
  def.tracking.time_step = steps[below(from, 5)];
  if (chance(from, 30))
    def.tracking.error_gain = 0.25 * positive(from);
  if (chance(from, 30))
    def.tracking.max_change = positive(from);
  def.tracking.escape = chance(from, 30);
  def.tracking.keep_base = chance(from, 60);
  return def;
}

// Whether a task gets a value of a field; mostly not where its kind would be refused for it.
static bool gets(choices *from, const sinew_task *task, const char *field, int chances) {
  return chance(from, sinew_task_kind_reads(task->kind, field) ? chances : 1);
}

static sinew_task make_task(choices *from, int links, int joints) {
  sinew_task task = sinew_default_task();
  task.kind = below(from, sinew_task_kind_count());
  task.link = below(from, links);
  if (chance(from, 100))
    vector(from, 3, task.point_l);
  if (gets(from, &task, "axis_l", 60))
    vector(from, 3, task.axis_l);
  if (chance(from, 60))
    vector(from, 4, task.rotation_l);
  if (gets(from, &task, "free_axes", 50))
    task.free_axes = (unsigned)below(from, 64);
  if (chance(from, 50))
    task.position_weight = fabs(number(from));
  if (chance(from, 50))
    task.orientation_weight = fabs(number(from));
  if (chance(from, 30))
    task.chain_root = below(from, links);
  if (chance(from, 40))
    task.frame_link = below(from, links);
  if (gets(from, &task, "axis_weights", 40))
    task.axis_weights[below(from, 6)] = fabs(number(from));
  if (gets(from, &task, "range_lower", 80)) {
    const int any = below(from, 6);
    const int axis = task.kind == SINEW_TASK_POSITION      ? any % 3
                     : task.kind == SINEW_TASK_ORIENTATION ? 3 + any % 3
                     : task.kind == SINEW_TASK_POSE        ? any
                                                           : 0;
    task.range_lower[axis] = -fabs(number(from));
    task.range_upper[axis] = fabs(number(from));
  }
  if (gets(from, &task, "weight_axes", 40))
    task.weight_axes = below(from, 3);
  if (gets(from, &task, "cone_angle", 60))
    task.cone_angle = fabs(usual(from));
  if (gets(from, &task, "up_axis", 40))
    vector(from, 3, task.up_axis);
  task.level = chance(from, 100) ? below(from, 3) : 0;
  task.required = chance(from, 40) ? below(from, 3) : SINEW_REQUIRED_BY_LEVEL;
  task.center_of_mass = task.kind == SINEW_TASK_POSITION && chance(from, 60);
  task.influence = chance(from, 40) ? byte_of(from) / 255.0 : 1.0;
  task.hard = task.level == 0 && chance(from, 80);
  if (task.hard && chance(from, 250)) { // with an end that updates can keep
    const double end = positive(from);
    *(sinew_task_kind_reads(task.kind, "cone_angle") ? &task.cone_angle : &task.range_upper[0]) =
        end;
  }
  task.gain = chance(from, 30) ? (1 + byte_of(from)) / 256.0 : 1.0;
  if (chance(from, 30)) // may be refused: a coupled joint
    task.excluded_joints[0] = below(from, joints);
  return task;
}

static void make_target(choices *from, sinew_target *target) {
  vector(from, 3, target->position);
  vector(from, 4, target->rotation);
  vector(from, 3, target->direction);
  if (chance(from, 40))
    vector(from, 6, target->twist);
  target->distance = chance(from, 40) ? number(from) : 1.0;
}

static bool set_tasks(trial *t, choices *from) {
  sinew_error error;
  t->count = below(from, MOST_TASKS + 1);
  for (int i = 0; i < t->count; ++i) {
    t->tasks[i] =
        make_task(from, sinew_model_link_count(t->model), sinew_model_joint_count(t->model));
    t->influences[i] = t->tasks[i].influence;
    t->targets[i] = sinew_default_target();
    make_target(from, &t->targets[i]);
  }
  const sinew_result result = sinew_solver_set_tasks(t->solver, t->tasks, t->count, &error);
  require(result == SINEW_OK || error.message[0] != '\0');
  return result == SINEW_OK;
}

static void set_objectives(trial *t, choices *from) {
  sinew_objective objectives[MOST_OBJECTIVES];
  double posture[MOST_VALUES], weights[MOST_VALUES], coefficients[MOST_VALUES];
  const int count = below(from, MOST_OBJECTIVES + 1);
  vector(from, MOST_VALUES, coefficients);
  for (int v = 0; v < MOST_VALUES; ++v)
    weights[v] = chance(from, 100) ? fabs(number(from)) : 1.0;
  sinew_configuration_random(t->model, 3, (uint64_t)byte_of(from), posture);
  for (int i = 0; i < count; ++i) {
    sinew_objective *objective = &objectives[i];
    *objective = sinew_default_objective();
    objective->kind = below(from, SINEW_OBJECTIVE_COUNT);
    objective->level = 1 + (chance(from, 60) ? below(from, 3) : 0);
    objective->weight = chance(from, 100) ? fabs(number(from)) : 1.0;
    objective->gain = chance(from, 60) ? 0.5 * fabs(usual(from)) : 1.0;
    objective->posture = chance(from, 128) ? posture : NULL;
    objective->weights = chance(from, 60) ? weights : NULL;
    objective->coefficients = coefficients;
    objective->value = usual(from);
    objective->task = &t->tasks[0];
    for (int k = 0; k < 3; ++k)
      objective->links[k] = below(from, sinew_model_link_count(t->model));
    vector(from, 3, objective->pole);
    objective->pole_is_direction = chance(from, 100);
  }
  sinew_error error;
  const sinew_result result = sinew_solver_set_objectives(t->solver, objectives, count, &error);
  require(result == SINEW_OK || error.message[0] != '\0');
}

// ------------------------------------------------------------------- checks

static void check_configuration(const trial *t, const double *q) {
  for (int i = 0; i < sinew_model_nq(t->model); ++i)
    require(isfinite(q[i]));
  for (int j = 0; j < sinew_model_joint_count(t->model); ++j) {
    sinew_joint joint;
    require(sinew_model_joint(t->model, j, &joint) == SINEW_OK);
    if (joint.nq > joint.nv) {
      const double *r = q + joint.q_index + joint.nq - 4;
      const double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
      require(fabs(square - 1.0) < 1e-6);
    }
  }
}

// The places of values in q.
static void find_places(trial *t) {
  for (int j = 0; j < sinew_model_joint_count(t->model); ++j) {
    sinew_joint joint;
    require(sinew_model_joint(t->model, j, &joint) == SINEW_OK);
    const int plain = joint.nq > joint.nv ? joint.nv - 3 : joint.nv;
    for (int i = 0; i < joint.nv && joint.driver < 0; ++i)
      t->place[joint.v_index + i] = i < plain ? joint.q_index + i : -1;
  }
}

// Values that were within their limits stay within them; frozen ones stay.
static void check_motion(const trial *t, const double *from, const double *q) {
  for (int v = 0; v < sinew_model_nv(t->model); ++v) {
    const int at = t->place[v];
    if (at < 0)
      continue;
    const double slack = ROUNDING * (1.0 + fabs(from[at]));
    if (from[at] >= t->lower[v] && from[at] <= t->upper[v])
      require(q[at] >= t->lower[v] - slack && q[at] <= t->upper[v] + slack);
    require(!t->frozen[v] || q[at] == from[at]);
  }
}

static void check_speeds(const trial *t, const double *from, const double *q) {
  const double *speeds = sinew_model_velocity(t->model), dt = t->def.tracking.time_step;
  for (int v = 0; v < sinew_model_nv(t->model) && dt > 0.0; ++v) {
    const int at = t->place[v];
    if (at >= 0)
      require(fabs(q[at] - from[at]) <= speeds[v] * dt + ROUNDING * (1.0 + fabs(from[at])));
  }
}

// With limits of acceleration the motion of a value changes by no more than they allow, and what
// yields. from: before the update.
static void check_accelerations(trial *t, const double *from, const double *q) {
  const double dt = t->def.tracking.time_step;
  bool placed = !t->begun; // the first update without limits of acceleration is no motion
  for (int v = 0; v < sinew_model_nv(t->model); ++v)
    placed = placed &&
             !(t->place[v] >= 0 && t->accelerations[v] > 0.0 && t->accelerations[v] < INFINITY);
  for (int v = 0; v < sinew_model_nv(t->model) && dt > 0.0; ++v) {
    const int at = t->place[v];
    if (at < 0)
      continue;
    const double moved = q[at] - from[at], changed = fabs(moved - t->motion[v]);
    sinew_bound_report bound;
    require(sinew_solver_bound(t->solver, q, v, &bound) == SINEW_OK);
    const double most = (t->accelerations[v] + bound.yielded) * dt * dt;
    if (t->moves && t->accelerations[v] > 0.0 && !t->frozen[v])
      require(changed <= most + ROUNDING * (1.0 + fabs(from[at]) + most));
    t->motion[v] = placed ? 0.0 : moved;
  }
  t->moves = t->begun = true;
}

// The swing s and the twist of a rotation are within the limits of the joint that was defined so.
static void check_cone(const sinew_joint_def *def, const double lower[3], const double upper[3],
                       const double r[4]) {
  double axes[3][3], vector[3], part[3], along = 0.0, length = 0.0;
  for (int i = 0; i < 3; ++i)
    length += def->axis[i] * def->axis[i];
  for (int i = 0; i < 3; ++i) {
    axes[0][i] = def->axis[i] / sqrt(length);
    along += axes[0][i] * def->axis2[i];
  }
  length = 0.0;
  for (int i = 0; i < 3; ++i) {
    axes[1][i] = def->axis2[i] - along * axes[0][i];
    length += axes[1][i] * axes[1][i];
  }
  for (int i = 0; i < 3; ++i)
    axes[1][i] /= sqrt(length);
  for (int i = 0; i < 3; ++i)
    axes[2][i] =
        axes[0][(i + 1) % 3] * axes[1][(i + 2) % 3] - axes[0][(i + 2) % 3] * axes[1][(i + 1) % 3];
  memcpy(vector, r + 1, sizeof vector);
  for (int k = 0; k < 3; ++k)
    part[k] = axes[k][0] * vector[0] + axes[k][1] * vector[1] + axes[k][2] * vector[2];
  // r = swing twist: the twist has the part of r about the axis, the swing is r twist^-1.
  const double c = hypot(r[0], part[0]), twist = remainder(2.0 * atan2(part[0], r[0]), TURN);
  const double middle = 0.5 * (lower[0] + upper[0]);
  require(fabs(remainder(twist - middle, TURN)) <= upper[0] - middle + ROUNDING);
  const double cosine = r[0] / c, sine = part[0] / c;
  const double swing[2] = {part[1] * cosine - part[2] * sine, part[2] * cosine + part[1] * sine};
  const double half = hypot(swing[0], swing[1]), angle = 2.0 * atan2(half, c);
  double level = 0.0;
  for (int i = 0; i < 2 && half > 1e-12; ++i) {
    const double s = angle * swing[i] / half, end = s < 0.0 ? -lower[1 + i] : upper[1 + i];
    level += s * s / (end * end);
  }
  require(level <= 1.0 + 1e-6);
}

static void check_cones(const trial *t, const double *q) {
  for (int j = 0; j < sinew_model_joint_count(t->model); ++j) {
    double lower[3], upper[3];
    sinew_joint joint;
    require(sinew_model_joint(t->model, j, &joint) == SINEW_OK);
    if (sinew_model_swing_twist(t->model, j, lower, upper))
      check_cone(&f.joints[j], lower, upper, q + joint.q_index);
  }
}

// A solve that reports CONVERGED has brought points where they should be.
static void check_points(const trial *t, const double *q) {
  sinew_state *state = NULL;
  require(sinew_state_create(t->model, NULL, &state, NULL) == SINEW_OK);
  require(sinew_state_forward(state, q) == SINEW_OK);
  for (int i = 0; i < t->count; ++i) {
    const sinew_task *task = &t->tasks[i];
    double p[3], square = 0.0;
    if (task->kind != SINEW_TASK_POSITION || task->free_axes != 0 || task->center_of_mass ||
        task->frame_link >= 0 || task->level > 0 || task->required == SINEW_NOT_REQUIRED ||
        t->influences[i] < 1.0)
      continue;
    require(sinew_state_point(state, task->link, task->point_l, p) == SINEW_OK);
    for (int k = 0; k < 3; ++k) {
      const bool plain =
          task->axis_weights[k] > 0.0 && task->range_lower[k] == 0.0 && task->range_upper[k] == 0.0;
      const double apart = p[k] - t->targets[i].position[k];
      square += plain && task->weight_axes != SINEW_AXES_TOOL ? apart * apart : 0.0;
    }
    if (task->position_weight >= 1e-12 && task->weight_axes == SINEW_AXES_FRAME)
      require(sqrt(square) <= t->def.tolerances.position * (1.0 + 1e-6));
  }
  sinew_state_destroy(state);
}

static void check_report(const sinew_report *report, sinew_result result, int count) {
  require(report->outcome >= 0 && report->outcome < SINEW_OUTCOME_COUNT);
  require((report->outcome == SINEW_OUTCOME_BAD_INPUT) == (result != SINEW_OK));
  require(isfinite(report->position_error) && isfinite(report->orientation_error));
  require(isfinite(report->reach) && isfinite(report->target_distance));
  require(report->steps >= 0 && report->worst_task >= -1 && report->worst_task < count);
  require(report->counted_tasks >= 0 && report->counted_tasks <= count);
}

// ------------------------------------------------------------------- calls

static void move_targets(trial *t, choices *from) {
  for (int i = 0; i < t->count; ++i) {
    if (chance(from, 16))
      make_target(from, &t->targets[i]);
    for (int k = 0; k < 3; ++k)
      t->targets[i].position[k] += 0.02 * usual(from);
  }
}

static void change(trial *t, choices *from) {
  const int nv = sinew_model_nv(t->model);
  double values[2][MOST_VALUES];
  switch (below(from, 7)) {
  case 0:
    sinew_solver_reset(t->solver);
    t->begun = false;
    memset(t->motion, 0, sizeof t->motion);
    t->moves = true;
    break;
  case 1:
    for (int v = 0; v < nv; ++v)
      t->frozen[v] = chance(from, 60);
    t->moves = false; // frozen joints stop at once
    require(sinew_solver_set_frozen(t->solver, t->frozen) == SINEW_OK);
    break;
  case 2:
    t->moves = false; // so do those without a gain
    for (int v = 0; v < nv; ++v)
      values[0][v] = chance(from, 100) ? fabs(number(from)) : 1.0;
    require(sinew_solver_set_gains(t->solver, values[0]) != SINEW_ERROR_MEMORY);
    break;
  case 3:
    for (int v = 0; v < nv; ++v) {
      values[0][v] = -positive(from);
      values[1][v] = positive(from);
    }
    if (sinew_solver_set_limits(t->solver, values[0], values[1]) == SINEW_OK) {
      memcpy(t->lower, values[0], sizeof values[0]);
      memcpy(t->upper, values[1], sizeof values[1]);
    }
    break;
  case 4:
    for (int v = 0; v < nv; ++v)
      values[0][v] = chance(from, 100) ? positive(from) : INFINITY;
    if (sinew_solver_set_accelerations(t->solver, values[0]) == SINEW_OK)
      memcpy(t->accelerations, values[0], sizeof values[0]);
    break;
  case 5:
    for (int i = 0; i < t->count; ++i)
      values[0][i] = byte_of(from) / 255.0;
    if (sinew_solver_set_influences(t->solver, values[0], t->count) == SINEW_OK)
      memcpy(t->influences, values[0], sizeof t->influences);
    break;
  default:
    set_objectives(t, from);
  }
}

// All solutions that are found, each within what the solver promises.
static void solve_all(const trial *t) {
  double found[MOST_SOLUTIONS * MOST_VALUES];
  int count = -1;
  sinew_report report;
  sinew_global_def global = sinew_default_global_def();
  global.max_starts = 20;
  const sinew_result result = sinew_solver_solve_all(t->solver, &global, t->targets, t->count, t->q,
                                                     MOST_SOLUTIONS, found, &count, &report);
  check_report(&report, result, t->count);
  require(result != SINEW_OK || (count >= 0 && count <= MOST_SOLUTIONS));
  for (int i = 0; result == SINEW_OK && i < count; ++i) {
    const double *q = found + i * sinew_model_nq(t->model);
    check_configuration(t, q);
    check_motion(t, t->q, q);
    check_cones(t, q);
    check_points(t, q);
  }
}

// One call of those that move q.
static void call(trial *t, choices *from) {
  double before[MOST_VALUES];
  sinew_report report;
  sinew_result result;
  const int what = below(from, 16);
  memcpy(before, t->q, sizeof before);
  if (what == 2) {
    solve_all(t);
    t->moves = false;
    return;
  }
  if (what == 0) {
    result = sinew_solver_solve_local(t->solver, t->targets, t->count, t->q, &report);
  } else if (what == 1) {
    sinew_global_def global = sinew_default_global_def();
    global.max_starts = 20;
    global.mode = below(from, 3);
    result = sinew_solver_search(t->solver, &global, t->targets, t->count, t->q, &report);
  } else {
    result = sinew_solver_update(t->solver, t->targets, t->count, t->q, &report);
  }
  check_report(&report, result, t->count);
  if (result != SINEW_OK) {
    require(memcmp(before, t->q, sizeof before) == 0);
    require(sinew_solver_last_error(t->solver)->message[0] != '\0');
    return;
  }
  check_configuration(t, t->q);
  check_motion(t, before, t->q);
  check_cones(t, t->q);
  if (what > 1) {
    check_speeds(t, before, t->q);
    check_accelerations(t, before, t->q);
  } else {
    t->moves = false;
    if (report.outcome == SINEW_OUTCOME_CONVERGED)
      check_points(t, t->q);
  }
}

static void run(trial *t, choices *from) {
  sinew_error error;
  t->def = make_def(from);
  const sinew_result result = sinew_solver_create(&t->def, t->model, &t->solver, &error);
  require(result == SINEW_OK || error.message[0] != '\0');
  if (result != SINEW_OK)
    return;
  if (set_tasks(t, from)) {
    set_objectives(t, from);
    sinew_configuration_random(t->model, 1, (uint64_t)byte_of(from), t->q);
    for (int i = 0; i < MOST_CALLS && (from->left > 0 || i < 4); ++i) {
      move_targets(t, from);
      if (chance(from, 40))
        change(t, from);
      call(t, from);
    }
  }
  sinew_solver_destroy(t->solver);
}

// A crowd of one figure with the tasks that crowds take.
static void run_crowd(trial *t, choices *from) {
  sinew_crowd_def def = sinew_default_crowd_def();
  def.solver = make_def(from);
  def.solver.lower = (sinew_lower_def){0, 0, 0};
  def.solver.tracking.escape = false;
  t->def = def.solver;
  t->count = 1 + below(from, MOST_TASKS);
  for (int i = 0; i < t->count; ++i) {
    t->tasks[i] =
        make_task(from, sinew_model_link_count(t->model), sinew_model_joint_count(t->model));
    t->tasks[i].level = 0;
    t->tasks[i].influence = t->tasks[i].gain = 1.0;
    t->tasks[i].required = SINEW_REQUIRED_BY_LEVEL;
    t->targets[i] = sinew_default_target();
    make_target(from, &t->targets[i]);
  }
  sinew_crowd *crowd = NULL;
  sinew_crowd_worker *worker = NULL;
  sinew_error error;
  const sinew_result result =
      sinew_crowd_create(&def, t->model, t->tasks, t->count, &crowd, &error);
  require(result == SINEW_OK || error.message[0] != '\0');
  if (result != SINEW_OK)
    return;
  require(sinew_crowd_worker_create(crowd, &worker, NULL) == SINEW_OK);
  sinew_configuration_random(t->model, 1, (uint64_t)byte_of(from), t->q);
  for (int i = 0; i < MOST_CALLS && (from->left > 0 || i < 4); ++i) {
    double targets[11 * MOST_TASKS], before[MOST_VALUES];
    sinew_batch_row row;
    move_targets(t, from);
    for (int k = 0, at = 0; k < t->count; ++k) {
      sinew_target_pack(&t->tasks[k], &t->targets[k], targets + at);
      at += sinew_task_target_size(&t->tasks[k]);
    }
    memcpy(before, t->q, sizeof before);
    const sinew_crowd_arrays arrays = {.targets = targets, .q = t->q, .rows = &row};
    require(sinew_crowd_update(crowd, worker, &arrays, 0, 1) == SINEW_OK);
    require(row.outcome != SINEW_OUTCOME_BAD_INPUT || memcmp(before, t->q, sizeof before) == 0);
    check_configuration(t, t->q);
    check_motion(t, before, t->q);
    check_cones(t, t->q);
    check_speeds(t, before, t->q);
  }
  sinew_crowd_worker_destroy(worker);
  sinew_crowd_destroy(crowd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  choices from = {data, size};
  sinew_model *model = make_model(&from);
  if (model == NULL)
    return 0;
  static trial trials[2];
  const bool crowd = chance(&from, 64);
  const choices again = from;
  for (int i = 0; i < 2; ++i) {
    memset(&trials[i], 0, sizeof trials[i]);
    trials[i].model = model;
    find_places(&trials[i]);
    memcpy(trials[i].lower, sinew_model_lower(model),
           sizeof(double) * (size_t)sinew_model_nv(model));
    memcpy(trials[i].upper, sinew_model_upper(model),
           sizeof(double) * (size_t)sinew_model_nv(model));
    from = again;
    if (crowd)
      run_crowd(&trials[i], &from);
    else
      run(&trials[i], &from);
  }
  require(memcmp(trials[0].q, trials[1].q, sizeof trials[0].q) == 0); // the same bits
  sinew_model_destroy(model);
  return 0;
}
