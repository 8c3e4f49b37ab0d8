#include "mechanism.h"

void mechanism_start(mechanism *m) {
  sinew_solver_def def = sinew_default_solver_def();
  def.tolerances.position = def.tolerances.orientation = 1e-10;
  m->solver = solver_with(&def, m->model, m->tasks, m->count);
}

void mechanism_end(mechanism *m) {
  sinew_solver_destroy(m->solver);
  sinew_model_destroy(m->model);
}

// The distance of a point from a line, or by how much it is not at its distance from a point.
static double gap_of_point(const mechanism *m, int t, const double *q) {
  const sinew_target *target = &m->targets[t];
  sinew_task task = m->tasks[t];
  double distance, angle;
  if (task.kind == SINEW_TASK_DISTANCE) {
    task.kind = SINEW_TASK_POSITION;
    measure(m->model, &task, target, q, &distance, &angle);
    return fabs(distance - target->distance);
  }
  const sinew_target here = target_at(m->model, &task, q);
  double v[3], along = 0.0, square = 0.0;
  for (int i = 0; i < 3; ++i) {
    v[i] = here.position[i] - target->position[i];
    along += v[i] * target->direction[i]; // of unit length
  }
  for (int i = 0; i < 3; ++i) {
    square += pow(v[i] - along * target->direction[i], 2.0);
  }
  return sqrt(square);
}

double gap_of(const mechanism *m, int first, int end, const double *q) {
  double most = 0.0;
  for (int t = first; t < end; ++t) {
    double distance, angle;
    if (m->tasks[t].kind == SINEW_TASK_LINE || m->tasks[t].kind == SINEW_TASK_DISTANCE) {
      most = fmax(most, gap_of_point(m, t, q));
      continue;
    }
    measure(m->model, &m->tasks[t], &m->targets[t], q, &distance, &angle);
    most = fmax(most, fmax(distance, angle));
  }
  return most;
}

sinew_task pin(int link, double x, double y, int frame) {
  sinew_task task = task_of(SINEW_TASK_POSITION, link);
  task.point_l[0] = x;
  task.point_l[1] = y;
  task.frame_link = frame;
  return task;
}

// --------------------------------------------------------------- random loops

// A revolute, prismatic or, in space, spherical joint.
static int add_joint(builder *b, random_stream *r, int parent, const loop_options *options) {
  const double kind = random_between(r, 0.0, 1.0), length = random_between(r, 0.3, 1.2);
  double p[3];
  random_unit(r, options->planar ? 2 : 3, p);
  p[2] = options->planar ? 0.0 : p[2];
  sinew_joint_def *joint = builder_add(b, parent,
                                       kind < 0.1                        ? SINEW_JOINT_PRISMATIC
                                       : kind < 0.25 && !options->planar ? SINEW_JOINT_SPHERICAL
                                                                         : SINEW_JOINT_REVOLUTE,
                                       length * p[0], length * p[1], length * p[2]);
  if (!options->planar) {
    random_unit(r, 3, joint->axis);
    random_unit(r, 4, joint->placement.rotation);
  } else if (joint->kind == SINEW_JOINT_PRISMATIC) {
    random_unit(r, 2, joint->axis);
    joint->axis[2] = 0.0;
  }
  for (int i = 0; i < SINEW_JOINT_MAX_NV; ++i) {
    joint->velocity[i] = options->speed;
  }
  if (options->limit > 0.0 && joint->kind != SINEW_JOINT_SPHERICAL) {
    builder_limit(joint, -options->limit, options->limit);
  }
  return joint->kind == SINEW_JOINT_SPHERICAL ? 3 : 1;
}

// Joints in a row, of at least so many degrees of freedom. Returns their last link.
static int add_chain(builder *b, random_stream *r, int least, const loop_options *options) {
  int parent = 0;
  for (int dof = 0; dof < least; parent = b->joint_count) {
    dof += add_joint(b, r, parent, options);
  }
  return parent;
}

// The kinds of joints that close loops, with as many rows: pins, welds; in space also revolute
// joints (a pin and a direction), sliders and rods.
static const int rows_of_closing[5] = {3, 6, 5, 2, 1};

static void add_closing(mechanism *m, random_stream *r, int kind, int link, int frame) {
  const sinew_task_kind kinds[5] = {SINEW_TASK_POSITION, SINEW_TASK_POSE, SINEW_TASK_POSITION,
                                    SINEW_TASK_LINE, SINEW_TASK_DISTANCE};
  m->tasks[m->count] = pin(link, random_between(r, 0.0, 1.0), random_between(r, -0.3, 0.3), frame);
  m->tasks[m->count++].kind = kinds[kind];
  if (kind == 2) {
    m->tasks[m->count] = m->tasks[m->count - 1];
    m->tasks[m->count++].kind = SINEW_TASK_DIRECTION;
  }
}

double random_loops(uint64_t seed, const loop_options *options, mechanism *m, double *q) {
  random_stream r = random_stream_of(seed);
  const int others = 1 + random_below(&r, 2);
  int kinds[2], links[2], needed = 2;
  builder b;
  builder_start(&b);
  *m = (mechanism){.count = 0};
  for (int c = 0; c < others; ++c) {
    kinds[c] = random_below(&r, options->planar ? 2 : 5);
    links[c] = add_chain(&b, &r, 1 + random_below(&r, 3), options);
    needed += options->planar ? kinds[c] + 2 : rows_of_closing[kinds[c]];
  }
  const int first = b.joint_count, tip = add_chain(&b, &r, needed, options);
  for (int c = 0; c < others; ++c) {
    add_closing(m, &r, kinds[c], tip, links[c]);
  }
  m->tasks[m->count] = task_of(SINEW_TASK_POSITION, first + 2 < tip ? first + 2 : tip);
  m->tasks[m->count].point_l[0] = 0.5;
  m->tasks[m->count++].level = options->level;
  m->model = builder_make(&b);
  sinew_configuration_random(m->model, seed, 3, q);
  for (int t = 0; t < m->count; ++t) {
    m->targets[t] = target_at(m->model, &m->tasks[t], q);
  }
  return pow(10.0, random_between(&r, -1.5, 0.0)) * options->reach;
}
