// See fixtures.h.
#include "fixtures.h"

void random_vector(random_stream *random, double most, double v[3]) {
  for (int i = 0; i < 3; ++i) {
    v[i] = random_between(random, -most, most);
  }
}

// ----------------------------------------------------------------- builder

void builder_start(builder *b) {
  memset(b, 0, sizeof *b);
}

sinew_joint_def *builder_add(builder *b, int parent, sinew_joint_kind kind, double x, double y,
                             double z) {
  assert_true(b->joint_count < BUILDER_MOST);
  sinew_joint_def *joint = &b->joints[b->joint_count];
  *joint = sinew_default_joint_def();
  joint->kind = kind;
  joint->parent = parent;
  joint->child = ++b->joint_count;
  joint->placement.position[0] = x;
  joint->placement.position[1] = y;
  joint->placement.position[2] = z;
  joint->axis[0] = 0.0;
  joint->axis[2] = 1.0;
  return joint;
}

void builder_limit(sinew_joint_def *joint, double lower, double upper) {
  for (int i = 0; i < SINEW_JOINT_MAX_NV; ++i) {
    joint->lower[i] = lower;
    joint->upper[i] = upper;
  }
}

sinew_model *builder_make(const builder *b) {
  builder copy = *b;
  sinew_link_def links[BUILDER_MOST + 1];
  for (int i = 0; i <= copy.joint_count; ++i) {
    snprintf(copy.link_names[i], sizeof copy.link_names[i], "link%d", i);
    links[i] = sinew_default_link_def();
    links[i].name = copy.link_names[i];
  }
  for (int i = 0; i < copy.joint_count; ++i) {
    snprintf(copy.joint_names[i], sizeof copy.joint_names[i], "joint%d", i);
    copy.joints[i].name = copy.joint_names[i];
  }
  sinew_model_def def = sinew_default_model_def();
  def.links = links;
  def.link_count = copy.joint_count + 1;
  def.joints = copy.joints;
  def.joint_count = copy.joint_count;
  sinew_model *model = NULL;
  sinew_error error;
  if (sinew_model_create(&def, &model, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  return model;
}

// ------------------------------------------------------------------ models

sinew_model *fixture_planar_limited(int count, double length, double lower, double upper,
                                    double speed) {
  builder b;
  builder_start(&b);
  for (int i = 0; i < count; ++i) {
    sinew_joint_def *joint =
        builder_add(&b, i, SINEW_JOINT_REVOLUTE, i == 0 ? 0.0 : length, 0.0, 0.0);
    builder_limit(joint, lower, upper);
    joint->velocity[0] = speed;
  }
  return builder_make(&b);
}

sinew_model *fixture_planar(int count, double length) {
  return fixture_planar_limited(count, length, -INFINITY, INFINITY, INFINITY);
}

sinew_model *fixture_arm(void) {
  // Craig's a, alpha, d of each joint; limits and speed.
  static const double a[8] = {0.0, 0.0, 0.0, 0.0825, -0.0825, 0.0, 0.088, 0.0};
  static const double turn[8] = {0.0, -0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.0};
  static const double d[8] = {0.333, 0.0, 0.316, 0.0, 0.384, 0.0, 0.0, 0.107};
  static const double lower[7] = {-2.8973, -1.7628, -2.8973, -3.0718, -2.8973, -0.0175, -2.8973};
  static const double upper[7] = {2.8973, 1.7628, 2.8973, -0.0698, 2.8973, 3.7525, 2.8973};
  static const double speed[7] = {2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61};
  builder b;
  builder_start(&b);
  for (int i = 0; i < 8; ++i) {
    const double alpha = PI * turn[i];
    sinew_joint_def *joint = builder_add(&b, i, i < 7 ? SINEW_JOINT_REVOLUTE : SINEW_JOINT_FIXED,
                                         a[i], -d[i] * sin(alpha), d[i] * cos(alpha));
    sinew_quaternion_from_rpy((double[3]){alpha, 0.0, 0.0}, joint->placement.rotation);
    if (i < 7) {
      builder_limit(joint, lower[i], upper[i]);
      joint->velocity[0] = speed[i];
    }
  }
  return builder_make(&b);
}

sinew_model *fixture_y(void) {
  // Absolute positions in the rest pose, and axes.
  static const double place[9][2] = {{0.0, -0.5}, {0.0, 0.4},  {0.0, 0.4}, {0.5, 1.0}, {-0.5, 1.0},
                                     {0.7, 1.3},  {-0.8, 1.5}, {0.7, 2.0}, {-0.8, 1.9}};
  static const int parent[9] = {-1, 0, 0, 1, 2, 3, 4, 5, 6};
  static const char axis[9] = "zzzxxuuff";
  builder b;
  builder_start(&b);
  for (int i = 0; i < 9; ++i) {
    const int p = parent[i];
    const sinew_joint_kind kind = axis[i] == 'f' ? SINEW_JOINT_FIXED : SINEW_JOINT_CONTINUOUS;
    sinew_joint_def *joint = builder_add(&b, p + 1, kind, place[i][0] - (p < 0 ? 0.0 : place[p][0]),
                                         place[i][1] - (p < 0 ? 0.0 : place[p][1]), 0.0);
    if (axis[i] == 'x') {
      memcpy(joint->axis, (double[3]){1.0, 0.0, 0.0}, sizeof joint->axis);
    } else if (axis[i] == 'u') {
      memcpy(joint->axis, (double[3]){sqrt(14.0) / 8.0, 1.0 / 8.0, 7.0 / 8.0}, sizeof joint->axis);
    }
  }
  return builder_make(&b);
}

static int add_euler(builder *b, int parent, const char *order, double most, double x, double y,
                     double z) {
  sinew_joint_def *joint = builder_add(b, parent, SINEW_JOINT_EULER, x, y, z);
  snprintf(joint->channels, sizeof joint->channels, "%s", order);
  builder_limit(joint, -most, most);
  return joint->child;
}

// A revolute joint about y: an elbow or a knee.
static int add_hinge(builder *b, int parent, double lower, double upper, double z) {
  sinew_joint_def *joint = builder_add(b, parent, SINEW_JOINT_REVOLUTE, 0.0, 0.0, z);
  memcpy(joint->axis, (double[3]){0.0, 1.0, 0.0}, sizeof joint->axis);
  builder_limit(joint, lower, upper);
  return joint->child;
}

// z is up, x forward, y to the left.
sinew_model *fixture_humanoid(bool floats, int links[HUMANOID_PLACES]) {
  builder b;
  builder_start(&b);
  const sinew_joint_kind base = floats ? SINEW_JOINT_FREE : SINEW_JOINT_FIXED;
  const int hips = builder_add(&b, 0, base, 0.0, 0.0, 0.95)->child;
  const int spine = add_euler(&b, hips, "ZXY", 0.6, 0.0, 0.0, 0.1);
  const int chest = add_euler(&b, spine, "ZXY", 0.6, 0.0, 0.0, 0.2);
  const int head = add_euler(&b, chest, "YX", 0.7, 0.0, 0.0, 0.3);
  int hands[2], feet[2], shoulders[2];
  for (int side = 0; side < 2; ++side) {
    const double y = side == 0 ? 1.0 : -1.0;
    shoulders[side] = add_euler(&b, chest, "Z", 0.2, 0.0, 0.05 * y, 0.22);
    const int arm =
        builder_add(&b, shoulders[side], SINEW_JOINT_SPHERICAL, 0.0, 0.13 * y, 0.0)->child;
    const int elbow = add_hinge(&b, arm, -2.5, 0.0, -0.3);
    hands[side] = add_euler(&b, elbow, "ZYX", 1.2, 0.0, 0.0, -0.27);
    const int thigh = add_euler(&b, hips, "YXZ", 1.2, 0.0, 0.1 * y, -0.05);
    const int knee = add_hinge(&b, thigh, 0.0, 2.4, -0.42);
    feet[side] = add_euler(&b, knee, "YX", 0.7, 0.0, 0.0, -0.42);
  }
  const int all[HUMANOID_PLACES] = {hips,     chest,   head,    hands[0],
                                    hands[1], feet[0], feet[1], shoulders[0]};
  memcpy(links, all, sizeof all);
  return builder_make(&b);
}

// ------------------------------------------------------- tasks and measures

unsigned free_axes_of(sinew_task_kind kind, unsigned axes) {
  static const unsigned controlled[4] = {7u, 56u, 63u, 0u};
  const unsigned all = (int)kind < 4 ? controlled[kind] : 0u;
  return all == 0 ? 0 : (axes & all) == all ? axes & ~9u : axes;
}

static void add_star(builder *b, random_stream *random, double scale, const char *channels) {
  double w[3];
  sinew_joint_def *base =
      builder_add(b, 0, channels != NULL ? SINEW_JOINT_CHANNELS : SINEW_JOINT_FREE, 0.3 * scale,
                  -0.2 * scale, 0.5 * scale);
  const int link = base->child;
  random_vector(random, PI, w);
  sinew_quaternion_exp(w, base->placement.rotation);
  if (channels != NULL) {
    snprintf(base->channels, sizeof base->channels, "%s", channels);
  }
  for (int i = 0; i < STAR_LIMBS * STAR_JOINTS; ++i) {
    double at[3];
    random_vector(random, 0.4 * scale, at);
    sinew_joint_def *joint = builder_add(b, i % STAR_JOINTS == 0 ? link : b->joint_count,
                                         SINEW_JOINT_REVOLUTE, at[0], at[1], at[2]);
    random_unit(random, 3, joint->axis);
    builder_limit(joint, -1.0, 1.0);
  }
}

sinew_model *fixture_stars(random_stream *random, int count, double scale, const char *channels) {
  builder b;
  builder_start(&b);
  for (int star = 0; star < count; ++star) {
    add_star(&b, random, scale, channels);
  }
  return builder_make(&b);
}

int fixture_star_tip(int limb) {
  return 1 + limb / STAR_LIMBS + (limb + 1) * STAR_JOINTS;
}

sinew_task task_of(sinew_task_kind kind, int link) {
  sinew_task task = sinew_default_task();
  task.kind = kind;
  task.link = link;
  return task;
}

static sinew_pose link_pose(const sinew_model *model, const double *q, int link) {
  sinew_state *state = NULL;
  sinew_pose pose;
  assert_ok(sinew_state_create(model, NULL, &state, NULL));
  assert_ok(sinew_state_forward(state, q));
  assert_ok(sinew_state_link_pose(state, link, &pose));
  sinew_state_destroy(state);
  return pose;
}

// The sum of the links' masses times their centres, over the sum of their masses.
static void centre_of_mass(const sinew_model *model, const double *q, double centre[3]) {
  double all = 0.0;
  centre[0] = centre[1] = centre[2] = 0.0;
  for (int l = 0; l < sinew_model_link_count(model); ++l) {
    const sinew_pose pose = link_pose(model, q, l);
    double own[3], p[3];
    const double mass = sinew_model_link_mass(model, l, own);
    sinew_pose_transform(&pose, own, p);
    all += mass;
    for (int i = 0; i < 3; ++i) {
      centre[i] += mass * p[i];
    }
  }
  for (int i = 0; i < 3; ++i) {
    centre[i] /= all;
  }
}

void configuration_towards(const sinew_model *model, const double *q, uint64_t number, double share,
                           double *to) {
  double v[64];
  assert_true(sinew_model_nv(model) <= 64);
  sinew_configuration_random(model, 32, number, to);
  sinew_configuration_difference(model, q, to, v);
  for (int i = 0; i < sinew_model_nv(model); ++i) {
    v[i] *= share;
  }
  sinew_configuration_integrate(model, q, v, to);
  sinew_configuration_clamp(model, to);
}

sinew_target target_at(const sinew_model *model, const sinew_task *task, const double *q) {
  const sinew_pose pose = link_pose(model, q, task->link);
  sinew_target target = sinew_default_target();
  sinew_pose_transform(&pose, task->point_l, target.position);
  if (task->center_of_mass) {
    centre_of_mass(model, q, target.position);
  }
  sinew_quaternion_multiply(pose.rotation, task->rotation_l, target.rotation);
  sinew_quaternion_normalize(target.rotation);
  sinew_quaternion_rotate(target.rotation, task->axis_l, target.direction);
  for (int i = 0; task->kind == SINEW_TASK_LOOK_AT && i < 3; ++i) {
    target.position[i] += 0.7 * target.direction[i];
  }
  if (task->kind == SINEW_TASK_LOOK_AT) {
    sinew_quaternion_rotate(target.rotation, task->up_axis, target.direction);
  }
  if (task->frame_link >= 0) {
    const sinew_pose frame = link_pose(model, q, task->frame_link);
    const double back[4] = {frame.rotation[0], -frame.rotation[1], -frame.rotation[2],
                            -frame.rotation[3]};
    double rotation[4];
    for (int i = 0; i < 3; ++i) {
      target.position[i] -= frame.position[i];
    }
    sinew_quaternion_rotate(back, target.position, target.position);
    sinew_quaternion_rotate(back, target.direction, target.direction);
    sinew_quaternion_multiply(back, target.rotation, rotation);
    memcpy(target.rotation, rotation, sizeof rotation);
  }
  if (task->kind == SINEW_TASK_DISTANCE) { // beside the point: at it a distance has no direction
    target.position[0] += 0.3;
    target.distance = 0.3;
  }
  return target;
}

static double angle_between(const double a[3], const double b[3]) {
  const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                           a[0] * b[1] - a[1] * b[0]};
  return atan2(sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]),
               a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
}

void measure(const sinew_model *model, const sinew_task *task, const sinew_target *target,
             const double *q, double *distance, double *angle) {
  const sinew_target here = target_at(model, task, q);
  *distance = *angle = 0.0;
  if (task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_POSE) {
    *distance =
        hypot(hypot(here.position[0] - target->position[0], here.position[1] - target->position[1]),
              here.position[2] - target->position[2]);
  }
  if (task->kind == SINEW_TASK_ORIENTATION || task->kind == SINEW_TASK_POSE) {
    // The angle of conj(here) * target.
    double turn[4], goal[4];
    const double back[4] = {here.rotation[0], -here.rotation[1], -here.rotation[2],
                            -here.rotation[3]};
    memcpy(goal, target->rotation, sizeof goal);
    sinew_quaternion_normalize(goal);
    sinew_quaternion_multiply(back, goal, turn);
    *angle = 2.0 * atan2(hypot(hypot(turn[1], turn[2]), turn[3]), fabs(turn[0]));
  }
  if (task->kind == SINEW_TASK_DIRECTION) {
    *angle = angle_between(here.direction, target->direction);
  }
}

void reset_unread_fields(sinew_task *task) {
  const sinew_task defaults = sinew_default_task();
#define RESET(field)                                                                               \
  if (!sinew_task_kind_reads(task->kind, #field)) {                                                \
    memcpy(&task->field, &defaults.field, sizeof task->field);                                     \
  }
  RESET(axis_l)
  RESET(up_axis)
  RESET(cone_angle)
  RESET(free_axes)
  RESET(axis_weights)
  RESET(weight_axes)
  RESET(range_lower)
  RESET(range_upper)
#undef RESET
  for (int i = 0; i < 6; ++i) {
    const bool ranged = task->kind == SINEW_TASK_POSITION ? i < 3
                        : task->kind == SINEW_TASK_ORIENTATION
                            ? i >= 3
                            : task->kind == SINEW_TASK_POSE || i == 0;
    if (!ranged || (task->free_axes >> i & 1u) != 0) {
      task->range_lower[i] = task->range_upper[i] = 0.0;
    }
  }
}

void vary_task(random_stream *random, const sinew_model *model, sinew_task *task) {
  const int frame = random_below(random, sinew_model_link_count(model));
  if (random_below(random, 2) == 0 && frame != task->link) {
    task->frame_link = frame;
  }
  if (random_below(random, 2) == 0) {
    for (int i = 0; i < 6; ++i) {
      task->axis_weights[i] = random_between(random, 0.2, 3.0);
    }
  }
  if (random_below(random, 2) == 0) {
    for (int i = 0; i < 6; ++i) {
      task->range_lower[i] = i % 2 == 0 ? -INFINITY : random_between(random, -0.3, 0.0);
      task->range_upper[i] = random_between(random, 0.1, 0.3);
    }
  }
  if (random_below(random, 2) == 0) {
    task->cone_angle = random_between(random, 0.1, 2.0);
  }
  if (random_below(random, 2) == 0) {
    random_unit(random, 3, task->up_axis);
  }
  if (task->free_axes == 0) {
    task->weight_axes = (sinew_task_axes)random_below(random, 3);
  }
  const bool point = task->kind == SINEW_TASK_POSITION || task->kind == SINEW_TASK_PLANE ||
                     task->kind == SINEW_TASK_LINE || task->kind == SINEW_TASK_DISTANCE;
  task->center_of_mass = point && task->weight_axes != SINEW_AXES_TOOL &&
                         sinew_model_link_mass(model, 0, NULL) > 0.0 &&
                         random_below(random, 2) == 0;
  reset_unread_fields(task);
}

double outside_limits(const sinew_model *model, const double *q) {
  const double *lower = sinew_model_lower(model), *upper = sinew_model_upper(model);
  double most = 0.0;
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(model, j, &joint));
    // Of a FREE joint those of its position; limits of swing and twist are not checked.
    const int scalars = joint.nq == 0 ? 0 : joint.nq > joint.nv ? joint.nv - 3 : joint.nv;
    for (int i = 0; i < scalars; ++i) {
      const double value = q[joint.q_index + i];
      most = fmax(most, lower[joint.v_index + i] - value);
      most = fmax(most, value - upper[joint.v_index + i]);
    }
  }
  return most;
}

sinew_solver *solver_with(const sinew_solver_def *def, const sinew_model *model,
                          const sinew_task *tasks, int count) {
  const sinew_solver_def standard = sinew_default_solver_def();
  sinew_solver *solver = NULL;
  sinew_error error;
  if (sinew_solver_create(def != NULL ? def : &standard, model, &solver, &error) != SINEW_OK ||
      sinew_solver_set_tasks(solver, tasks, count, &error) != SINEW_OK) {
    fail_msg("%s: %s", error.name, error.message);
  }
  return solver;
}
