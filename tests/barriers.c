#include "barriers.h"
#include "inspect.h"

#include <string.h>

double barrier_quantity(const sinew_model *model, const sinew_task *task,
                        const sinew_target *target, const double *q) {
  sinew_task point = *task;
  point.kind = task->kind == SINEW_TASK_DIRECTION ? task->kind : SINEW_TASK_POSITION;
  const sinew_target at = target_at(model, &point, q);
  double d[3], n[3], cross[3];
  for (int i = 0; i < 3; ++i) {
    d[i] = at.position[i] - target->position[i];
  }
  sinew_unit(target->direction, n);
  switch (task->kind) {
  case SINEW_TASK_POSITION:
    return d[0];
  case SINEW_TASK_PLANE:
    return sinew_dot(n, d);
  case SINEW_TASK_DISTANCE:
    return sinew_norm(d) - target->distance;
  default:
    sinew_cross(at.direction, n, cross);
    return atan2(sinew_norm(cross), sinew_dot(at.direction, n));
  }
}

double barrier_outside(const sinew_task *task, double y) {
  return task->kind == SINEW_TASK_DIRECTION
             ? y - task->cone_angle
             : fmax(y - task->range_upper[0], task->range_lower[0] - y);
}

static void turn_target(random_stream *r, const double axis[3], double angle,
                        sinew_target *target) {
  double across[3], any[3], by[4], turned[4];
  random_unit(r, 3, any);
  sinew_cross(axis, any, across);
  sinew_unit(across, across);
  sinew_scale(angle, across, across);
  sinew_quaternion_exp(across, by);
  sinew_quaternion_multiply(by, target->rotation, turned);
  memcpy(target->rotation, turned, sizeof turned);
}

void barrier_make(random_stream *r, const sinew_model *model, const double *q, int kind,
                  barrier *b) {
  static const sinew_task_kind kinds[] = {SINEW_TASK_PLANE, SINEW_TASK_DISTANCE,
                                          SINEW_TASK_POSITION, SINEW_TASK_DIRECTION};
  sinew_task *hard = &b->tasks[0], *goal = &b->tasks[1];
  sinew_target *end = &b->targets[0], *beyond = &b->targets[1];
  double n[3];
  random_unit(r, 3, n);
  *hard = task_of(kinds[kind], sinew_model_link_count(model) - 1);
  random_vector(r, 0.3, hard->point_l);
  hard->hard = true;
  *goal = task_of(kind == 3 ? SINEW_TASK_POSE : SINEW_TASK_POSITION, hard->link);
  memcpy(goal->point_l, hard->point_l, sizeof goal->point_l);
  *beyond = target_at(model, goal, q);
  *end = sinew_default_target();
  memcpy(end->position, beyond->position, sizeof end->position);
  if (kind == 3) {
    const sinew_target here = target_at(model, hard, q);
    memcpy(end->direction, here.direction, sizeof end->direction);
    hard->cone_angle = 0.3;
    turn_target(r, end->direction, 0.3 + BARRIER_BEYOND, beyond);
    return;
  }
  if (kind == 2) {
    n[0] = -1.0;
    n[1] = n[2] = 0.0;
    hard->weight_axes = SINEW_AXES_FRAME;
    for (int i = 0; i < 6; ++i) {
      hard->range_lower[i] = -INFINITY;
      hard->range_upper[i] = INFINITY;
    }
    hard->range_upper[0] = 0.05;
  } else {
    hard->range_upper[0] = INFINITY;
  }
  memcpy(end->direction, n, sizeof n);
  for (int i = 0; i < 3; ++i) { // outward is -n
    end->position[i] -= kind == 0 ? 0.05 * n[i] : kind == 1 ? 0.25 * n[i] : 0.0;
    beyond->position[i] -= (0.05 + BARRIER_BEYOND) * n[i];
  }
  end->distance = 0.2;
}

// -------------------------------------------------------------- support polygons

sinew_model *barrier_figure(random_tree *tree, random_stream *r, uint64_t seed,
                            const random_tree_options *options) {
  sinew_model *model = NULL;
  random_tree_make(tree, 300 + seed, options);
  for (int l = 0; l < tree->def.link_count; ++l) {
    tree->links[l].mass = random_between(r, 0.1, 2.0);
  }
  assert_ok(sinew_model_create(&tree->def, &model, NULL));
  return model;
}

static sinew_target centre_of(const sinew_model *model, const double *q) {
  sinew_task centre = task_of(SINEW_TASK_POSITION, 0);
  centre.center_of_mass = true;
  return target_at(model, &centre, q);
}

void barrier_stand(const sinew_model *model, const double *home, bool hard, sinew_task tasks[5],
                   sinew_target targets[5]) {
  const sinew_target start = centre_of(model, home);
  sinew_support_def support = sinew_default_support_def();
  double contacts[12];
  int edges = 0;
  for (int i = 0; i < 4; ++i) {
    contacts[3 * i] = start.position[0] + ((i & 1) != 0 ? BARRIER_HALF : -BARRIER_HALF);
    contacts[3 * i + 1] = start.position[1] + ((i & 2) != 0 ? BARRIER_HALF : -BARRIER_HALF);
    contacts[3 * i + 2] = -1.0;
  }
  support.contacts = contacts;
  support.count = 4;
  support.task.hard = hard;
  assert_ok(sinew_support_polygon(&support, tasks, targets, &edges, NULL));
  assert_int_equal(edges, 4);
  tasks[4] = task_of(SINEW_TASK_POSITION, sinew_model_link_count(model) - 1);
  targets[4] = target_at(model, &tasks[4], home);
  targets[4].position[0] += 1.5;
}

double barrier_reach(const sinew_model *model, sinew_solver *solver, const sinew_target *targets,
                     const double *home, int updates) {
  const sinew_target start = centre_of(model, home);
  double q[256], most = -BARRIER_HALF;
  memcpy(q, home, (size_t)sinew_model_nq(model) * sizeof *q);
  for (int update = 0; update < updates; ++update) {
    assert_ok(sinew_solver_update(solver, targets, 5, q, NULL));
    const sinew_target at = centre_of(model, q);
    for (int k = 0; k < 2; ++k) {
      most = fmax(most, fabs(at.position[k] - start.position[k]) - BARRIER_HALF);
    }
  }
  return most;
}
