// A limb that is exactly straight, with a target nearer to its root: it leaves full extension to
// the side of its rest or its pole, on which its limits have room. Random lengths, directions and
// axes.
#include "fixtures.h"
#include "inspect.h"
#include "sample.h"

#define MOST 96

enum { BALL, THREE_AXES, PLANAR, SHOULDERS };
enum { REVOLUTE, NARROW_REVOLUTE, SPHERICAL, CONE };
enum { LOCAL, UPDATES, SEARCH, CALLS };

// A straight limb along a, at place; n is the axis of its elbow where that is a revolute joint.
typedef struct limb {
  sinew_model *model;
  sinew_task task;
  int links[3], elbow_q, elbow_v;
  double a[3], n[3], side[3], upper, lower;
} limb;

static const double place[3] = {0.1, 0.2, 0.3};

static void hinge(builder *b, int parent, double along, const limb *x, const double axis[3],
                  double lower, double upper) {
  sinew_joint_def *joint = builder_add(b, parent, SINEW_JOINT_REVOLUTE, along * x->a[0],
                                       along * x->a[1], along * x->a[2]);
  memcpy(joint->axis, axis, 3 * sizeof(double));
  builder_limit(joint, lower, upper);
}

static void add_elbow(builder *b, int parent, int elbow, const limb *x) {
  if (elbow == REVOLUTE || elbow == NARROW_REVOLUTE) {
    hinge(b, parent, x->upper, x, x->n, elbow == REVOLUTE ? -2.6 : -0.2, 2.6);
    return;
  }
  sinew_joint_def *joint = builder_add(b, parent, SINEW_JOINT_SPHERICAL, x->upper * x->a[0],
                                       x->upper * x->a[1], x->upper * x->a[2]);
  if (elbow == CONE) { // wide about n on one side only
    memcpy(joint->axis, x->a, 3 * sizeof(double));
    memcpy(joint->axis2, x->n, 3 * sizeof(double));
    memcpy(joint->lower, (double[]){-0.5, -0.2, -0.2}, 3 * sizeof(double));
    memcpy(joint->upper, (double[]){0.5, 2.0, 0.2}, 3 * sizeof(double));
  }
}

static limb limb_make(int shoulder, int elbow, random_stream *random) {
  builder b;
  limb x = {0};
  double r[3];
  random_unit(random, 3, x.a);
  random_unit(random, 3, r);
  sinew_cross(x.a, r, x.n);
  sinew_unit(x.n, x.n);
  sinew_cross(x.n, x.a, x.side);
  x.upper = random_between(random, 0.1, 0.5);
  x.lower = random_between(random, 0.1, 0.5);
  builder_start(&b);
  int link = 0;
  if (shoulder == BALL) {
    builder_add(&b, link++, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
  } else {
    hinge(&b, link++, 0.0, &x, x.n, -3.1, 3.1);
  }
  if (shoulder == THREE_AXES) {
    hinge(&b, link++, 0.0, &x, x.side, -3.1, 3.1);
    hinge(&b, link++, 0.0, &x, x.a, -3.1, 3.1);
  }
  memcpy(b.joints[0].placement.position, place, sizeof place);
  x.links[0] = link;
  add_elbow(&b, link++, elbow, &x);
  x.links[1] = link;
  hinge(&b, link++, x.lower, &x, x.n, -1.0, 1.0);
  x.links[2] = link;
  x.model = builder_make(&b);
  x.elbow_q = x.model->joints[x.links[1] - 1].q_index;
  x.elbow_v = x.model->joints[x.links[1] - 1].v_index;
  x.task = task_of(SINEW_TASK_POSITION, link);
  return x;
}

// At the distance of an elbow's angle, on the line or by 1 % of the length beside it.
static sinew_target target_of(const limb *x, int round, double angle, const double *q) {
  const double u = x->upper, l = x->lower;
  const double distance = sqrt(u * u + l * l + 2.0 * u * l * cos(angle));
  const double beside = round % 4 < 2 ? 0.0 : 0.01 * (u + l) * (round % 8 < 4 ? 1.0 : -1.0);
  sinew_target target = target_at(x->model, &x->task, q);
  for (int i = 0; i < 3; ++i) {
    target.position[i] = place[i] + distance * x->a[i] + beside * x->side[i];
  }
  return target;
}

// Returns whether the target is met.
static bool run(const limb *x, const sinew_objective *objective, int call,
                const sinew_target *target, double *q) {
  sinew_solver_def def = sinew_default_solver_def();
  const sinew_global_def global = sinew_default_global_def();
  double distance, none;
  def.lower.levels = def.lower.objectives = def.lower.rows = 1;
  sinew_solver *solver = solver_with(&def, x->model, &x->task, 1);
  assert_ok(sinew_solver_set_objectives(solver, objective, 1, NULL));
  if (call == LOCAL) {
    assert_ok(sinew_solver_solve_local(solver, target, 1, q, NULL));
  } else if (call == SEARCH) {
    assert_ok(sinew_solver_search(solver, &global, target, 1, q, NULL));
  }
  for (int update = 0; call == UPDATES && update < 300; ++update) {
    assert_ok(sinew_solver_update(solver, target, 1, q, NULL));
  }
  measure(x->model, &x->task, target, q, &distance, &none);
  sinew_solver_destroy(solver);
  assert_at_most(sinew_configuration_excess(x->model, q, NULL), 1e-9);
  return distance <= 1e-5;
}

// A rest in which the elbow is bent about an axis of its own, to either side; v is that rotation.
static void make_rest(const limb *x, int shoulder, int elbow, int round, random_stream *random,
                      double *rest, double v[3]) {
  double way[MOST] = {0.0}, axis[3];
  const double angle = round % 2 == 0 ? 0.7 : -0.7;
  if (elbow == REVOLUTE) {
    way[x->elbow_v] = angle;
  } else {
    random_unit(random, 3, axis);
    sinew_cross(x->a, axis, axis);
    sinew_unit(axis, axis);
    for (int i = 0; i < 3; ++i) {
      v[i] = way[x->elbow_v + i] = angle * (shoulder == PLANAR ? x->n[i] : axis[i]);
    }
  }
  sinew_configuration_start(x->model, rest);
  sinew_configuration_integrate(x->model, rest, way, rest);
}

// Whether the elbow is bent to the side of its rest.
static bool is_at_rest_side(const limb *x, int elbow, const double *rest, const double v[3],
                            const double *q) {
  double forearm[3], bend[3];
  if (elbow == REVOLUTE) {
    return q[x->elbow_q] * rest[x->elbow_q] > 0.0;
  }
  sinew_quaternion_rotate(&q[x->elbow_q], x->a, forearm);
  sinew_cross(x->a, forearm, bend);
  return sinew_dot(bend, v) > 0.0;
}

static int count_to_rest(sinew_objective_kind kind, int shoulder, int elbow, int call) {
  random_stream random = random_stream_of((uint64_t)(1000 + 7 * shoulder + elbow));
  int right = 0;
  for (int round = 0; round < 100; ++round) {
    limb x = limb_make(shoulder, elbow, &random);
    sinew_objective objective = sinew_default_objective();
    double q[MOST], rest[MOST], v[3] = {0.0};
    make_rest(&x, shoulder, elbow, round, &random, rest, v);
    objective.kind = kind;
    objective.posture = rest;
    if (kind == SINEW_OBJECTIVE_POLE) { // of length 0
      objective.pole_is_direction = true;
      memcpy(objective.links, x.links, sizeof x.links);
    }
    sinew_configuration_start(x.model, q);
    const sinew_target target = target_of(&x, round, random_between(&random, 0.4, 2.4), q);
    const bool met = run(&x, &objective, call, &target, q);
    right += met && is_at_rest_side(&x, elbow, rest, v, q);
    sinew_model_destroy(x.model);
  }
  return right;
}

// Without a pole, or with one that decides nothing, to the side of the rest: 100 of 100.
static void it_leaves_to_the_side_of_its_rest(void **state) {
  (void)state;
  for (int shoulder = 0; shoulder < SHOULDERS; ++shoulder) {
    for (int call = 0; call < CALLS; ++call) {
      for (int elbow = REVOLUTE; elbow <= SPHERICAL; elbow += SPHERICAL - REVOLUTE) {
        const int by_posture = count_to_rest(SINEW_OBJECTIVE_POSTURE, shoulder, elbow, call);
        const int by_pole = count_to_rest(SINEW_OBJECTIVE_POLE, shoulder, elbow, call);
        if (by_posture < 100 || by_pole < 100 || getenv("SINEW_PRINT") != NULL) {
          print_message("shoulder %d, elbow %d, call %d: posture %d, pole %d\n", shoulder, elbow,
                        call, by_posture, by_pole);
        }
        assert_true(by_posture == 100 && by_pole == 100);
      }
    }
  }
}

// kind of pole: 0 to the side on which the elbow has room, 1 to the other, 2 anywhere
static int count_with_pole(int kind, int shoulder, int elbow, int call) {
  random_stream random = random_stream_of((uint64_t)(1000 + 7 * shoulder + elbow));
  int right = 0;
  for (int round = 0; round < 100; ++round) {
    limb x = limb_make(shoulder, elbow, &random);
    sinew_objective objective = sinew_default_objective();
    double q[MOST];
    objective.kind = SINEW_OBJECTIVE_POLE;
    objective.pole_is_direction = true;
    memcpy(objective.links, x.links, sizeof x.links);
    // a bend about n takes the end along side, and the middle against it
    sinew_scale(kind == 0 ? -1.0 : 1.0, x.side, objective.pole);
    if (kind == 2) {
      random_unit(&random, 3, objective.pole);
    }
    sinew_configuration_start(x.model, q);
    const sinew_target target = target_of(&x, round, random_between(&random, 0.4, 1.8), q);
    right += run(&x, &objective, call, &target, q);
    sinew_model_destroy(x.model);
  }
  return right;
}

// A pole on the side on which the elbow has no room costs the hand nothing: the limb bends to the
// other side, and the hand arrives: 100 of 100 where the elbow is a revolute joint. With limits of
// swing that are narrow in three of four directions, some updates are led there by what follows.
static void a_pole_does_not_lead_where_there_is_no_room(void **state) {
  (void)state;
  for (int shoulder = 0; shoulder < SHOULDERS; ++shoulder) {
    for (int kind = 0; kind < 3; ++kind) {
      for (int call = 0; call < CALLS; ++call) {
        if (!is_sampled((shoulder * 3 + kind) * CALLS + call)) {
          continue;
        }
        const int narrow = count_with_pole(kind, shoulder, NARROW_REVOLUTE, call);
        const int cone = count_with_pole(kind, shoulder, CONE, call);
        if (getenv("SINEW_PRINT") != NULL) {
          print_message("shoulder %d, pole %d, call %d: revolute %d, cone %d\n", shoulder, kind,
                        call, narrow, cone);
        }
        assert_int_equal(narrow, 100);
        assert_true(cone >= (call == UPDATES ? 93 : 99));
      }
    }
  }
}

// A target that differs only along an axis which the task leaves open is met, and bends nothing.
static void open_axes_bend_nothing(void **state) {
  (void)state;
  random_stream random = random_stream_of(77);
  for (int round = 0; round < 60; ++round) {
    limb x = limb_make(BALL, REVOLUTE, &random);
    sinew_objective objective = sinew_default_objective();
    sinew_solver_def def = sinew_default_solver_def();
    double q[MOST];
    objective.kind = SINEW_OBJECTIVE_POLE;
    memcpy(objective.links, x.links, sizeof x.links);
    random_vector(&random, 1.0, objective.pole);
    sinew_configuration_start(x.model, q);
    sinew_target target = target_at(x.model, &x.task, q);
    const int axis = round % 3;
    if (round % 2 == 0) {
      x.task.free_axes = (unsigned)SINEW_FREE_X << axis;
    } else {
      x.task.range_lower[axis] = -1.0;
      x.task.range_upper[axis] = 1.0;
    }
    target.position[axis] *= 0.5;
    def.lower.levels = def.lower.objectives = def.lower.rows = 1;
    sinew_solver *solver = solver_with(&def, x.model, &x.task, 1);
    assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
    for (int update = 0; update < 5; ++update) {
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      assert_at_most(fabs(q[x.elbow_q]), 1e-9);
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(x.model);
  }
}

// Where speeds are limited the joints that the bend has moved stay there in that update; only
// these: the others go on to their targets.
static void other_joints_go_on_in_the_update_that_bends(void **state) {
  (void)state;
  random_stream random = random_stream_of(78);
  for (int round = 0; round < 60; ++round) {
    double moved[2] = {0.0};
    const double angle = random_between(&random, 0.02, 0.1);
    limb x = limb_make(BALL, REVOLUTE, &random);
    builder b;
    builder_start(&b);
    builder_add(&b, 0, SINEW_JOINT_SPHERICAL, place[0], place[1], place[2]);
    add_elbow(&b, 1, REVOLUTE, &x);
    hinge(&b, 2, x.lower, &x, x.n, -1.0, 1.0);
    hinge(&b, 0, 1.0, &x, x.n, -1.0, 1.0);
    sinew_model_destroy(x.model);
    x.model = builder_make(&b);
    const int other = x.model->joints[3].q_index;
    sinew_task tasks[] = {x.task, task_of(SINEW_TASK_ORIENTATION, 4)};
    for (int bends = 0; bends < 2; ++bends) {
      sinew_objective objective = sinew_default_objective();
      sinew_solver_def def = sinew_default_solver_def();
      double q[MOST], speeds[MOST];
      objective.kind = SINEW_OBJECTIVE_POLE;
      memcpy(objective.links, x.links, sizeof x.links);
      memcpy(objective.pole, x.side, sizeof x.side);
      def.lower.levels = def.lower.objectives = def.lower.rows = 1;
      sinew_configuration_start(x.model, q);
      sinew_target targets[2] = {target_at(x.model, &tasks[0], q)};
      if (bends) {
        targets[0] = target_of(&x, 0, 1.0, q);
      }
      q[other] = angle;
      targets[1] = target_at(x.model, &tasks[1], q);
      q[other] = 0.0;
      def.tracking.time_step = 0.02;
      sinew_solver *solver = solver_with(&def, x.model, tasks, 2);
      assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
      for (int v = 0; v < x.model->nv; ++v) {
        speeds[v] = 20.0;
      }
      assert_ok(sinew_solver_set_speeds(solver, speeds, 1.0));
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      assert_int_equal(fabs(q[x.elbow_q]) > 1e-4, bends);
      moved[bends] = q[other];
      sinew_solver_destroy(solver);
    }
    assert_true(moved[0] > 0.5 * angle);
    assert_true(moved[1] > 0.5 * angle);
    sinew_model_destroy(x.model);
  }
}

// A joint that turns about the limb bends nothing: it moves no further than the bend, however far
// it is from its rest.
static void twists_follow_no_further_than_the_bend(void **state) {
  (void)state;
  builder b;
  builder_start(&b);
  for (int j = 0; j < 4; ++j) {
    sinew_joint_def *joint = builder_add(&b, j, SINEW_JOINT_REVOLUTE, j == 0 ? 0.0 : 0.2, 0.0, 0.0);
    memcpy(joint->axis, j == 2 ? (double[]){1.0, 0.0, 0.0} : (double[]){0.0, 0.0, 1.0},
           sizeof joint->axis);
    builder_limit(joint, -3.0, 3.0);
  }
  sinew_model *model = builder_make(&b);
  const sinew_task task = task_of(SINEW_TASK_POSITION, 4);
  const double rest[4] = {0.0, 0.6, 2.5, 0.0};
  double q[4] = {0.0};
  sinew_objective posture = sinew_default_objective();
  sinew_solver_def def = sinew_default_solver_def();
  posture.posture = rest;
  posture.weight = 1e-3;
  def.lower.levels = def.lower.objectives = 1;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
  sinew_target target = target_at(model, &task, q);
  target.position[0] *= 0.8;
  assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  assert_true(q[1] > 0.01);
  assert_at_most(fabs(q[2]), 0.08 + 0.051); // the largest bend, and a step of the posture's level
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_leaves_to_the_side_of_its_rest),
      cmocka_unit_test(a_pole_does_not_lead_where_there_is_no_room),
      cmocka_unit_test(twists_follow_no_further_than_the_bend),
      cmocka_unit_test(open_axes_bend_nothing),
      cmocka_unit_test(other_joints_go_on_in_the_update_that_bends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
