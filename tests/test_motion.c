// Limits of motion of updates: accelerations, scaled speeds and margins, on random trees and for
// several methods; which of them was active, and by how much accelerations yield; joints that are
// led against a limit.
#include "fixtures.h"

#define MOST 64

static sinew_model *random_model(uint64_t seed) {
  static random_tree tree;
  random_tree_options options = random_tree_defaults();
  options.joints = 9;
  options.limited = 0.6;
  options.coupled = 0.1;
  options.velocity = 0.4;
  random_tree_make(&tree, seed, &options);
  sinew_model *model = NULL;
  assert_ok(sinew_model_create(&tree.def, &model, NULL));
  return model;
}

// For each degree of freedom its place in q, or -1 for those of joints with a quaternion.
static void find_places(const sinew_model *model, int *place) {
  for (int j = 0; j < sinew_model_joint_count(model); ++j) {
    sinew_joint joint;
    assert_ok(sinew_model_joint(model, j, &joint));
    for (int i = 0; i < joint.nv; ++i) {
      place[joint.v_index + i] = joint.nq == joint.nv ? joint.q_index + i : -1;
    }
  }
}

// A target that moves, rests and jumps.
static void move_target(random_stream *r, int update, sinew_target *target) {
  if (update % 40 == 0) {
    random_vector(r, 3.0, target->position);
    random_unit(r, 4, target->rotation);
    random_unit(r, 3, target->direction);
  } else if (update / 20 % 2 == 0) {
    for (int i = 0; i < 3; ++i) {
      target->position[i] += random_between(r, -0.02, 0.05);
    }
  }
}

static const sinew_method methods[] = {SINEW_METHOD_DEFAULT, SINEW_METHOD_DLS,
                                       SINEW_METHOD_PSEUDOINVERSE, SINEW_METHOD_NEWTON,
                                       SINEW_METHOD_DEFAULT};

// No acceleration, speed and limit is exceeded, by any method, whatever the targets do. Without the
// limits of acceleration they are exceeded.
// req: E8
static void accelerations_are_kept(void **unused) {
  (void)unused;
  int exceeded = 0;
  for (int seed = 0; seed < 240; ++seed) {
    random_stream r = random_stream_of(600 + (uint64_t)seed);
    const bool obeys = seed % 4 != 3;
    sinew_model *model = random_model(600 + (uint64_t)seed);
    const int nv = sinew_model_nv(model), links = sinew_model_link_count(model);
    sinew_solver_def def = sinew_default_solver_def();
    def.step.method = methods[seed % 5];
    def.tracking.time_step = pow(10.0, random_between(&r, -3.0, -1.0));
    def.tracking.escape = def.step.method == SINEW_METHOD_DEFAULT && seed % 2 == 0;
    const sinew_task tasks[2] = {
        task_of((sinew_task_kind)random_below(&r, 4), 1 + random_below(&r, links - 1)),
        task_of((sinew_task_kind)random_below(&r, 4), 1 + random_below(&r, links - 1))};
    def.lower.levels = def.lower.objectives = 1;
    sinew_solver *solver = solver_with(&def, model, tasks, 2);
    sinew_objective posture = sinew_default_objective();
    posture.kind = SINEW_OBJECTIVE_POSTURE;
    if (seed % 3 == 0) { // what it moves in addition counts, too
      assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
    }
    double most[MOST], q[2 * MOST], before[2 * MOST], last[MOST] = {0.0};
    int place[MOST];
    find_places(model, place);
    for (int v = 0; v < nv; ++v) {
      most[v] = pow(10.0, random_between(&r, -1.0, 2.0));
    }
    if (obeys) {
      assert_ok(sinew_solver_set_accelerations(solver, most));
    }
    const double scale = random_between(&r, 0.1, 1.0);
    assert_ok(sinew_solver_set_speeds(solver, NULL, scale));
    const double square = def.tracking.time_step * def.tracking.time_step;
    sinew_target targets[2] = {sinew_default_target(), sinew_default_target()};
    sinew_configuration_random(model, 600, (uint64_t)seed, q);
    for (int update = 0; update < 120; ++update) {
      move_target(&r, update, &targets[0]);
      move_target(&r, update, &targets[1]);
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, targets, 2, q, NULL));
      assert_at_most(outside_limits(model, q), 1e-12);
      for (int v = 0; v < nv; ++v) {
        if (place[v] < 0) {
          continue;
        }
        const double moved = q[place[v]] - before[place[v]];
        const double change = fabs(moved - last[v]);
        const double rounding = 1e-14 * (1.0 + fabs(q[place[v]]));
        const double speed = scale * sinew_model_velocity(model)[v] * def.tracking.time_step;
        assert_at_most(fabs(moved), speed + rounding);
        if (obeys) {
          assert_at_most(change, most[v] * square + rounding);
          sinew_bound_report report;
          assert_ok(sinew_solver_bound(solver, q, v, &report));
          assert_true(report.yielded == 0.0);
        }
        exceeded += change > 1.01 * most[v] * square;
        last[v] = moved;
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(exceeded > 200);
}

// A joint of 1 m about z; its tip is led to the angle to.
typedef struct single {
  sinew_model *model;
  sinew_solver *solver;
  double q;
} single;

static single open_single(double lower, double upper, double speed, double time_step) {
  single s = {.model = fixture_planar_limited(1, 1.0, lower, upper, speed)};
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = time_step;
  sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  task.point_l[0] = 1.0;
  s.solver = solver_with(&def, s.model, &task, 1);
  return s;
}

static double lead(single *s, double to) {
  const double from = s->q;
  sinew_target target = sinew_default_target();
  target.position[0] = cos(to);
  target.position[1] = sin(to);
  assert_ok(sinew_solver_update(s->solver, &target, 1, &s->q, NULL));
  return s->q - from;
}

static void close_single(single *s) {
  sinew_solver_destroy(s->solver);
  sinew_model_destroy(s->model);
}

static sinew_bound_report bound_of(const single *s) {
  sinew_bound_report report;
  assert_ok(sinew_solver_bound(s->solver, &s->q, 0, &report));
  return report;
}

// It accelerates, keeps its speed, brakes, and rests at the limit; the report names each. The
// number of updates is that of the fastest motion: a trapezoid of speeds. req: E8 E12
static void each_bound_is_named_on_the_way_to_a_limit(void **unused) {
  (void)unused;
  const double dt = 0.01, a = 4.0, v = 0.8;
  single s = open_single(-1.0, 1.0, 1.0, dt);
  assert_ok(sinew_solver_set_speeds(s.solver, NULL, v));
  assert_ok(sinew_solver_set_accelerations(s.solver, &a));
  int order[500], count = 0, updates = 0;
  double last = 0.0, before_last = 0.0;
  for (; updates < 500; ++updates) {
    const double moved = lead(&s, 1.5);
    const sinew_bound_report report = bound_of(&s);
    assert_at_most(fabs(moved - last), a * dt * dt * (1.0 + 1e-9));
    assert_at_most(moved, v * dt * (1.0 + 1e-12));
    assert_true(moved >= 0.0);
    assert_true(report.yielded == 0.0);
    assert_int_equal(report.side, 1);
    if (count == 0 || order[count - 1] != (int)report.bound) {
      order[count++] = (int)report.bound;
    }
    if (report.bound == SINEW_BOUND_POSITION) {
      break;
    }
    before_last = last;
    last = moved;
  }
  (void)before_last;
  const int expected[] = {SINEW_BOUND_ACCELERATION, SINEW_BOUND_SPEED, SINEW_BOUND_BRAKING,
                          SINEW_BOUND_POSITION};
  assert_int_equal(count, 4);
  assert_memory_equal(order, expected, sizeof expected);
  assert_true(s.q == 1.0);
  const double fastest = 1.0 / v + v / a; // [s]
  assert_near(updates * dt, fastest, 4.0 * dt);
  assert_string_equal(sinew_bound_string(SINEW_BOUND_BRAKING), "braking");
  close_single(&s);
}

// A limit, or a speed, that changes while the joint moves too fast for it: the limit is kept, and
// the acceleration exceeds its own by a constant that the report has.
// req: E8 E11
static void accelerations_yield_to_limits_and_speeds(void **unused) {
  (void)unused;
  const double dt = 0.01, a = 1.0, lower = -3.0;
  single s = open_single(lower, 3.0, 1.0, dt);
  assert_ok(sinew_solver_set_accelerations(s.solver, &a));
  double last = 0.0;
  for (int i = 0; i < 120; ++i) {
    last = lead(&s, 2.5);
  }
  assert_near(last, 1.0 * dt, 1e-9);
  const double upper = s.q + 0.1; // 1 rad/s, 0.5 s to stop at 1 rad/s^2
  assert_ok(sinew_solver_set_limits(s.solver, &lower, &upper));
  double yielded = 0.0, worst = 0.0;
  for (int i = 0; i < 100; ++i) {
    const double moved = lead(&s, 2.5);
    const sinew_bound_report report = bound_of(&s);
    assert_at_most(s.q, upper);
    assert_at_most(fabs(moved - last), (a + report.yielded) * dt * dt * (1.0 + 1e-9));
    yielded = i == 0 ? report.yielded : yielded;
    worst = fmax(worst, report.yielded);
    last = moved;
  }
  assert_near(s.q, upper, 1e-12);
  // v^2 / 2 D = 5 rad/s^2 for continuous time
  assert_near(yielded, 5.0 - a, 0.6);
  assert_at_most(worst, yielded * (1.0 + 1e-6));
  close_single(&s);

  s = open_single(-3.0, 3.0, 1.0, dt);
  assert_ok(sinew_solver_set_accelerations(s.solver, &a));
  for (int i = 0; i < 120; ++i) {
    last = lead(&s, 2.5);
  }
  assert_ok(sinew_solver_set_speeds(s.solver, NULL, 0.25));
  assert_near(lead(&s, 2.5), 0.25 * dt, 1e-12);
  assert_near(bound_of(&s).yielded, 0.75 / dt - a, 1e-6);
  close_single(&s);
}

// Reports have joints that only an objective of a lower level moves, too. req: E8 E11
static void joints_of_lower_levels_are_reported(void **unused) {
  (void)unused;
  const double a[2] = {1.0, 1.0}, posture[2] = {0.0, 3.0}, lower[2] = {-4.0, -4.0};
  builder b;
  builder_start(&b);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
  builder_add(&b, 0, SINEW_JOINT_REVOLUTE, 0.0, 0.0, 0.0);
  sinew_model *model = builder_make(&b);
  sinew_solver_def def = sinew_default_solver_def();
  def.tracking.time_step = 0.01;
  def.lower.levels = def.lower.objectives = 1;
  sinew_task task = task_of(SINEW_TASK_POSITION, 1);
  task.point_l[0] = 1.0;
  sinew_solver *solver = solver_with(&def, model, &task, 1);
  sinew_objective objective = sinew_default_objective();
  objective.posture = posture;
  assert_ok(sinew_solver_set_objectives(solver, &objective, 1, NULL));
  assert_ok(sinew_solver_set_accelerations(solver, a));
  double q[2] = {0.0, 0.0};
  sinew_target target = sinew_default_target();
  target.position[0] = 1.0;
  sinew_bound_report report;
  for (int update = 0; update < 50; ++update) {
    assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
    assert_ok(sinew_solver_bound(solver, q, 1, &report));
    assert_int_equal(report.bound, SINEW_BOUND_ACCELERATION);
    assert_int_equal(report.side, 1);
    assert_true(report.yielded == 0.0);
  }
  const double upper[2] = {4.0, q[1] + 1e-3}; // it moves by 5e-3 in an update
  assert_ok(sinew_solver_set_limits(solver, lower, upper));
  assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
  assert_ok(sinew_solver_bound(solver, q, 1, &report));
  assert_true(q[1] <= upper[1] && report.yielded > 10.0);
  sinew_solver_destroy(solver);
  sinew_model_destroy(model);
}

// A joint at its speed is reported so, whatever level moves it and wherever level 0 would move it.
// req: E8 E11
static void speeds_of_every_level_are_reported(void **unused) {
  (void)unused;
  int reported = 0;
  for (int seed = 0; seed < 60; ++seed) {
    random_stream r = random_stream_of(300 + (uint64_t)seed);
    sinew_model *model = random_model(300 + (uint64_t)seed);
    const int nv = sinew_model_nv(model), links = sinew_model_link_count(model);
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = 0.01;
    def.lower.levels = 2;
    def.lower.objectives = 1;
    sinew_task tasks[2] = {task_of(SINEW_TASK_POSITION, 1 + random_below(&r, links - 1)),
                           task_of(SINEW_TASK_POSITION, 1 + random_below(&r, links - 1))};
    tasks[1].level = 1;
    const int count = 1 + seed % 2;
    sinew_solver *solver = solver_with(&def, model, tasks, count);
    double q[2 * MOST], to[2 * MOST], before[2 * MOST], speeds[MOST], accelerations[MOST];
    int place[MOST];
    find_places(model, place);
    sinew_configuration_random(model, 300, 2 * (uint64_t)seed, q);
    sinew_configuration_random(model, 300, 2 * (uint64_t)seed + 1, to);
    sinew_objective posture = sinew_default_objective();
    posture.posture = to;
    posture.level = 2;
    assert_ok(sinew_solver_set_objectives(solver, &posture, 1, NULL));
    for (int v = 0; v < nv; ++v) {
      speeds[v] = random_between(&r, 0.05, 0.5);
      accelerations[v] = seed % 3 == 0 ? INFINITY : random_between(&r, 1.0, 10.0);
    }
    assert_ok(sinew_solver_set_speeds(solver, speeds, 1.0));
    assert_ok(sinew_solver_set_accelerations(solver, accelerations));
    const sinew_target targets[2] = {target_at(model, &tasks[0], q),
                                     target_at(model, &tasks[1], to)};
    for (int update = 0; update < 120; ++update) {
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, targets, count, q, NULL));
      for (int v = 0; v < nv; ++v) {
        const double moved = place[v] >= 0 ? q[place[v]] - before[place[v]] : 0.0;
        sinew_bound_report report;
        assert_ok(sinew_solver_bound(solver, q, v, &report));
        if (fabs(moved) >= speeds[v] * 0.01 * (1.0 - 1e-9) &&
            report.bound != SINEW_BOUND_POSITION) {
          assert_int_equal(report.bound, SINEW_BOUND_SPEED);
          assert_int_equal(report.side, moved > 0.0 ? 1 : -1);
          ++reported;
        }
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(reported > 5000);
}

// From outside it moves in, at the speed and the acceleration allowed.
static void joints_outside_move_in_at_the_rate_allowed(void **unused) {
  (void)unused;
  const double dt = 0.01, a = 2.0;
  for (int sign = -1; sign <= 1; sign += 2) {
    single s = open_single(-1.0, 1.0, 0.5, dt);
    assert_ok(sinew_solver_set_accelerations(s.solver, &a));
    s.q = 1.4 * sign;
    double last = 0.0;
    int updates = 0;
    while (sign * s.q > 1.0 && updates++ < 200) {
      const double moved = lead(&s, 1.9 * sign);
      assert_at_most(sign * moved, 0.0);
      assert_at_most(fabs(moved), 0.5 * dt * (1.0 + 1e-12));
      assert_at_most(fabs(moved - last), a * dt * dt * (1.0 + 1e-9));
      last = moved;
    }
    assert_near(updates * dt, 0.4 / 0.5 + 0.5 * 0.5 / a, 3.0 * dt);
    close_single(&s);
  }
}

// Margins narrow the model's limits and those that were set, in updates and solves; 0 restores
// them.
static void margins_narrow_limits(void **unused) {
  (void)unused;
  single s = open_single(-1.0, 1.0, 100.0, 0.0);
  assert_ok(sinew_solver_set_margins(s.solver, 0.3, 0.1));
  for (int i = 0; i < 50; ++i) {
    lead(&s, 1.5);
  }
  assert_near(s.q, 0.9, 1e-15);
  const double lower = 0.2, upper = 0.5;
  assert_ok(sinew_solver_set_limits(s.solver, &lower, &upper));
  sinew_target target = sinew_default_target();
  target.position[0] = cos(1.5);
  target.position[1] = sin(1.5);
  assert_ok(sinew_solver_solve(s.solver, &target, 1, &s.q, NULL));
  assert_near(s.q, 0.4, 1e-15);
  assert_ok(sinew_solver_set_margins(s.solver, 0.0, 7.0)); // to the middle
  assert_ok(sinew_solver_solve(s.solver, &target, 1, &s.q, NULL));
  assert_near(s.q, 0.35, 1e-15);
  assert_ok(sinew_solver_set_margins(s.solver, 0.0, 0.0));
  assert_ok(sinew_solver_solve(s.solver, &target, 1, &s.q, NULL));
  assert_near(s.q, 0.5, 1e-15);
  close_single(&s);
}

// Speeds of spherical joints, which the model does not limit, about each axis of their own.
static void speeds_of_spherical_joints_are_kept(void **unused) {
  (void)unused;
  for (int seed = 0; seed < 60; ++seed) {
    random_stream r = random_stream_of(900 + (uint64_t)seed);
    builder b;
    builder_start(&b);
    builder_add(&b, 0, SINEW_JOINT_SPHERICAL, 0.0, 0.0, 0.0);
    builder_add(&b, 1, SINEW_JOINT_SPHERICAL, 1.0, 0.0, 0.0);
    sinew_model *model = builder_make(&b);
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = 0.02;
    def.step.method = methods[seed % 4];
    sinew_task task = task_of(SINEW_TASK_POSITION, 2);
    task.point_l[0] = 1.0;
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    double speeds[6], q[8], before[8], moved[6];
    for (int v = 0; v < 6; ++v) {
      speeds[v] = random_between(&r, 0.05, 1.0);
    }
    assert_ok(sinew_solver_set_speeds(solver, speeds, 0.5));
    sinew_configuration_random(model, 900, (uint64_t)seed, q);
    sinew_target target = sinew_default_target();
    for (int update = 0; update < 60; ++update) {
      move_target(&r, update, &target);
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      sinew_configuration_difference(model, before, q, moved);
      for (int v = 0; v < 6; ++v) {
        assert_at_most(fabs(moved[v]), 0.5 * speeds[v] * 0.02 * (1.0 + 1e-9) + 1e-14);
      }
    }
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
}

// The arm's hand is led beyond what its limits allow: at rest with the target still, and without
// changing the direction of any joint that a limit holds while the target moves on by 1 cm.
// req: E12
static void nothing_vibrates_at_a_limit(void **unused) {
  (void)unused;
  int held = 0;
  for (int seed = 0; seed < 40; ++seed) {
    random_stream r = random_stream_of(40 + (uint64_t)seed);
    sinew_model *model = fixture_arm();
    const int nv = sinew_model_nv(model);
    sinew_solver_def def = sinew_default_solver_def();
    def.tracking.time_step = 0.01;
    const sinew_task task = task_of(SINEW_TASK_POSITION, ARM_FLANGE);
    sinew_solver *solver = solver_with(&def, model, &task, 1);
    double accelerations[8], q[8], x[8], before[8];
    for (int v = 0; v < nv; ++v) {
      accelerations[v] = random_between(&r, 1.0, 15.0);
    }
    assert_ok(sinew_solver_set_accelerations(solver, accelerations));
    // a joint 0.2 rad inside its limit, a target that it would have to pass the limit for
    const int v = random_below(&r, nv - 1);
    sinew_configuration_random(model, 40, (uint64_t)seed, x);
    const double limit = sinew_model_upper(model)[v];
    double lower[8], upper[8];
    memcpy(lower, x, sizeof lower);
    memcpy(upper, x, sizeof upper);
    x[v] = limit - 0.2;
    memcpy(q, x, sizeof q);
    x[v] = limit + 0.05;
    lower[v] = sinew_model_lower(model)[v];
    upper[v] = limit;
    // the others may move by little: the limit is where the way ends
    for (int i = 0; i < nv; ++i) {
      lower[i] -= i != v ? 1e-3 : 0.0;
      upper[i] += i != v ? 1e-3 : 0.0;
    }
    assert_ok(sinew_solver_set_limits(solver, lower, upper));
    sinew_target target = target_at(model, &task, x);
    double last = 0.0, second = 0.0;
    for (int update = 0; update < 1000; ++update) {
      if (update == 500) { // on by 1 cm
        double way[3];
        random_unit(&r, 3, way);
        for (int i = 0; i < 3; ++i) {
          target.position[i] += 0.01 * way[i];
        }
      }
      memcpy(before, q, sizeof q);
      assert_ok(sinew_solver_update(solver, &target, 1, q, NULL));
      const double moved = q[v] - before[v];
      if (update < 500) {
        assert_true(moved >= -1e-12); // towards the limit, and not back
      }
      second = fabs(moved - last);
      if (update == 499 || update == 999) {
        assert_at_most(second, 1e-9);
      }
      last = moved;
    }
    held += q[v] == limit;
    sinew_solver_destroy(solver);
    sinew_model_destroy(model);
  }
  assert_true(held > 10);
}

static void bad_limits_of_motion_are_refused_by_name(void **unused) {
  (void)unused;
  single s = open_single(-1.0, 1.0, 1.0, 0.01);
  const double none = 0.0, no_number = NAN;
  sinew_bound_report report;
  assert_int_equal(sinew_solver_set_accelerations(s.solver, &none), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(sinew_solver_last_error(s.solver)->message, "acceleration limit 0"));
  assert_true(sinew_solver_last_error(s.solver)->name[0] != '\0');
  assert_int_equal(sinew_solver_set_speeds(s.solver, &no_number, 1.0), SINEW_ERROR_ARGUMENT);
  assert_non_null(strstr(sinew_solver_last_error(s.solver)->message, "speed limit"));
  assert_int_equal(sinew_solver_set_speeds(s.solver, NULL, 1.5), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_set_speeds(s.solver, NULL, 0.0), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_set_margins(s.solver, -1.0, 0.0), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_set_margins(s.solver, 0.0, INFINITY), SINEW_ERROR_ARGUMENT);
  assert_int_equal(sinew_solver_bound(s.solver, &s.q, 1, &report), SINEW_ERROR_INDEX);
  assert_near(lead(&s, 0.5), 0.01, 1e-12); // nothing was set
  close_single(&s);
}

// Without a time step limits of speed and acceleration would have no effect: they are refused, and
// no limits are taken.
static void limits_of_motion_need_a_time_step(void **unused) {
  (void)unused;
  single s = open_single(-1.0, 1.0, 1.0, 0.0);
  const double some = 0.5, none = INFINITY;
  assert_int_equal(sinew_solver_set_accelerations(s.solver, &some), SINEW_ERROR_ARGUMENT);
  assert_string_equal(sinew_solver_last_error(s.solver)->message,
                      "acceleration limits need tracking.time_step, which is 0");
  assert_int_equal(sinew_solver_set_speeds(s.solver, &some, 1.0), SINEW_ERROR_ARGUMENT);
  assert_string_equal(sinew_solver_last_error(s.solver)->message,
                      "speed limits need tracking.time_step, which is 0");
  assert_int_equal(sinew_solver_set_speeds(s.solver, NULL, 0.5), SINEW_ERROR_ARGUMENT);
  assert_ok(sinew_solver_set_accelerations(s.solver, &none));
  assert_ok(sinew_solver_set_accelerations(s.solver, NULL));
  assert_ok(sinew_solver_set_speeds(s.solver, &none, 1.0));
  assert_ok(sinew_solver_set_speeds(s.solver, NULL, 1.0));
  close_single(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_are_kept),
      cmocka_unit_test(each_bound_is_named_on_the_way_to_a_limit),
      cmocka_unit_test(accelerations_yield_to_limits_and_speeds),
      cmocka_unit_test(joints_of_lower_levels_are_reported),
      cmocka_unit_test(speeds_of_every_level_are_reported),
      cmocka_unit_test(joints_outside_move_in_at_the_rate_allowed),
      cmocka_unit_test(margins_narrow_limits),
      cmocka_unit_test(speeds_of_spherical_joints_are_kept),
      cmocka_unit_test(nothing_vibrates_at_a_limit),
      cmocka_unit_test(bad_limits_of_motion_are_refused_by_name),
      cmocka_unit_test(limits_of_motion_need_a_time_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
